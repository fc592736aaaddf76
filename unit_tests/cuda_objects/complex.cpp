// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sequences over tiles of complex numbers.
#include "Shared.hpp"

namespace {

template <class T>
using Complexes = Kokkos::complex<T>;

/// Every operation that takes them.
struct Solve {
  template <class X, class R, class Size, class A, class B, class C, class W>
  KOKKOS_FUNCTION void operator()(X& x, R& r, Size& size, A const& a, B const& b, C const& c,
                                  W const& w) const {
    auto const f = lu(a);
    auto const h = conjugate_transpose(a) * a + identity<A::rows>(a);
    auto const l = cholesky(h);
    auto const q = qr(a * c);
    auto const i = Kokkos::complex<double>(0, 1);
    x = f.solve(b) + l.solve(b) * determinant(f) + solve(l.lower(), q.solve(b)) * w;
    r = q.r() + conj(q.q()) * i + inverse(a) * as_complex(real(w), abs(w));
    size =
        norm1(a) + norm2(b) + log_det(l) + f.log_abs_determinant() + imag(dot(b, b)) + max_abs(r);
  }
};
struct Turn {
  template <class State, class Z, class W>
  KOKKOS_FUNCTION void operator()(State& x, Z const& z, W const& w) const {
    x = w * x + select(abs(element(z, 0)) > 1, z, conj(z));
  }
};

template <class T, int N, class Matrices>
void solve_all(Exec const& exec, Interleaved<Complexes<T>* [N]> x,
               Interleaved<Complexes<T>* [N][N]> r, Interleaved<T*> size, Matrices a,
               Interleaved<Complexes<T>* [N]> b, Interleaved<Complexes<T>[N][N]> c, Codes codes) {
  map(exec, Solve{}, out(x), out(r), out(size), in(a), in(b), common(c),
      common(fixed(Kokkos::complex<T>(1, 2))), status(codes));
}
template void solve_all<float, 4>(Exec const&, Interleaved<Complexes<float>* [4]>,
                                  Interleaved<Complexes<float>* [4][4]>, Interleaved<float*>,
                                  Interleaved<Complexes<float>* [4][4]>,
                                  Interleaved<Complexes<float>* [4]>,
                                  Interleaved<Complexes<float>[4][4]>, Codes);
template void solve_all<double, 3>(Exec const&, Interleaved<Complexes<double>* [3]>,
                                   Interleaved<Complexes<double>* [3][3]>, Interleaved<double*>,
                                   ItemContiguous<Complexes<double>* [3][3]>,
                                   Interleaved<Complexes<double>* [3]>,
                                   Interleaved<Complexes<double>[3][3]>, Codes);

}  // namespace

void turn(Exec const& exec, std::int64_t steps, Interleaved<Complexes<double>* [2]> x,
          Interleaved<Complexes<double>** [2]> z, Interleaved<Complexes<double>[2][2]> w) {
  scan(exec, steps, Turn{}, carry(x, x), each(z), common(w));
}
