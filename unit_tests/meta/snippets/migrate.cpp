// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The examples of docs/migrate.
#include <Batchwork.hpp>
#include <cstdint>
#include <cstdio>

namespace doc_migrate {
using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;

struct Mahalanobis {
  template <class D, class X, class Mean, class P>
  KOKKOS_FUNCTION void operator()(D& d, X const& x, Mean const& mean, P const& p) const {
    auto const r = x - mean;
    d = sqrt(dot(r, cholesky(p).solve(r)));
  }
};

void distances(Exec const& exec, Kokkos::View<double*> d, Kokkos::View<double* [6]> x,
               Kokkos::View<double[6]> mean, Kokkos::View<double* [6][6]> p,
               Kokkos::View<int*> codes) {
  map(exec, Mahalanobis{}, out(d), in(x), common(mean), in(symmetric(p)), status(codes));
}

struct Smooth {
  double weight;
  template <class Level, class Z, class Smoothed>
  KOKKOS_FUNCTION void operator()(Level& level, Z const& z, Smoothed& smoothed) const {
    level += weight * (z - level);
    smoothed = level;
  }
};

void smooth(Exec const& exec, std::int64_t steps, Kokkos::View<double*> first,
            Kokkos::View<double*> last, Kokkos::View<double**> z, Kokkos::View<double**> smoothed) {
  scan(exec, steps, Smooth{0.1}, carry(first, last), each(z), emit(smoothed));
}

struct Residual {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return 0.5 * dot(x, x) * x - sin(x);
  }
};

struct Newton {
  template <class X>
  KOKKOS_FUNCTION void operator()(X& x) const {
    auto const ended = iterate(
        20,
        [](auto& y) {
          auto const [f, j] = value_and_jacobian(Residual{}, y);
          auto const step = solve(j, f);
          y = y - step;
          return norm2(step) > 1e-12 * norm2(y);
        },
        x);
    x = fail_where(ended.open, Reason::iteration_limit, x);
  }
};

void newton(Exec const& exec, Kokkos::View<double* [3]> x, Kokkos::View<int*> codes) {
  map(exec, Newton{}, inout(x), status(codes));
}

void krylov(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
            Kokkos::View<double**> values, Kokkos::View<double**> b, Kokkos::View<double**> x,
            std::int64_t items) {
  auto const A = csr(row_offsets, columns, values);  // values(item, entry)
  auto const log = SolveLog<double>::allocated(items);
  solve(exec, bicgstab(relative(1e-10, 500)), block_jacobi(8), A, b, x, log);
  for (auto const& item : outcomes(log))  // waits for the kernel
    if (!item.converged()) std::puts(item.text().c_str());
}

struct Update {
  template <class C, class A, class B>
  KOKKOS_FUNCTION void operator()(C& c, A const& a, B const& b) const {
    c = lu(a).solve(b) - a * b;
  }
};

void update(Exec const& exec, Kokkos::View<double* [4][4]> c, Kokkos::View<double* [4][4]> a,
            Kokkos::View<double* [4][4]> b, Kokkos::View<int*> codes) {
  map(exec, Update{}, out(c), in(a), in(b), status(codes));
}

using Items = Kokkos::View<double***, Kokkos::LayoutStride>;  // item, row, column
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight>;

void column_major(Exec const& exec, double* a, double* b, double* x, int* info, std::int64_t items,
                  int n, int lda) {
  // Item k begins at a + k * lda * n; its columns are lda numbers apart.
  Items const A(a, Kokkos::LayoutStride(std::size_t(items), std::size_t(lda) * std::size_t(n),
                                        std::size_t(n), 1, std::size_t(n), std::size_t(lda)));
  Vectors const B(b, std::size_t(items), std::size_t(n)), X(x, std::size_t(items), std::size_t(n));
  Kokkos::View<int*> const codes(info, std::size_t(items));
  solve_lu(exec, in(A), in(B), out(X), status(codes));
}

void positive_definite(Exec const& exec, Kokkos::View<double***> A, Kokkos::View<double**> b,
                       Kokkos::View<double**> x, Kokkos::View<int*> codes) {
  solve_cholesky(exec, in(A), in(b), out(x), status(codes));
}

struct Kabsch {
  template <class R, class H>
  KOKKOS_FUNCTION void operator()(R& rotation, H const& h) const {
    auto const s = svd(h);
    auto const v = s.v();
    auto const u = s.u();
    auto const sign = select(determinant(v * transpose(u)) < 0, -1.0, 1.0);
    auto w = v;
    w(0, 2) = sign * v(0, 2);
    w(1, 2) = sign * v(1, 2);
    w(2, 2) = sign * v(2, 2);
    rotation = w * transpose(u);
  }
};

void kabsch(Exec const& exec, Kokkos::View<double* [3][3]> rotation,
            Kokkos::View<double* [3][3]> h) {
  map(exec, Kabsch{}, out(rotation), in(h));
}
}  // namespace doc_migrate
