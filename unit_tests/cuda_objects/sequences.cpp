// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs that run a sequence: map, scan, team_map, team_scan and the Kalman filter.
#include "Shared.hpp"

// What is laid out for matrix instructions is so in the host's pass too, which reserves the scratch for it. Devices of AMD have none.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(BATCHWORK_DISABLE_VENDOR)
static_assert(Batchwork::Impl::Vendor::chains_matrices<double>);
#endif

namespace {

/// Every kind of product, factor and solve.
struct Update {
  template <class Out, class Log, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, Log& log, P const& p, F const& f, Q const& q,
                                  H const& h, R const& r) const {
    auto const prior = congruence(f, p, q);
    auto const g = h * prior;
    auto const c = cholesky(symmetric_product(g, transpose(h), r));
    auto const y = solve(c.lower(), g);
    p_new = downdate(prior, y);
    log = log_det(c) + trace(gram(c.solve(g))) + norm2(y);
  }
};

/// Elimination with exchanges of rows.
struct Eliminate {
  template <class X, class Det, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, Det& det, A const& a, B const& b) const {
    auto const f = lu(a);
    x = solve(f, b);
    det = determinant(f);
  }
};

/// Reflections, rotations and exchanges of columns, and what is made of them.
struct Decompose {
  template <class X, class V, class W, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, V& v, W& w, A const& a, B const& b) const {
    auto const p = pivoted_qr(a);
    x = qr(a).solve(b) + svd(a).solve(b) + p.solve(b);
    auto const f = eigh(a);
    v = f.vectors() * block<3, 3>(inverse(a), 0, 0) * p.permute(p.r());
    w = f.values() / norm1(a) * p.rank();
    auto const g = ldlt(a);
    x = x + g.solve(b) * (determinant(g) + g.negative_eigenvalues());
    v = v + expm(a) + sqrt_spd(a) + log_spd(a);
  }
};

/// Triangles that are changed.
struct Restack {
  template <class R, class L, class A, class B>
  KOKKOS_FUNCTION void operator()(R& r, L& l, A const& a, B const& b) const {
    auto const up = rank_update(l, b);
    r = stacked_r(transpose(up), a) +
        stacked_r(block<2, 2>(a, 0, 0), block<1, 2>(a, 2, 0), block<1, 1>(a, 2, 2));
    l = rank_downdate(rank_update(up, a), b);
  }
};

/// What is chosen item by item.
struct Choose {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    auto const usable = b > 0.0;
    y = fail_where(!usable, Reason::not_finite, select(usable, sqrt(a) / b, 0.0));
  }
};

struct Smooth {
  template <class Level, class Z, class Weight, class Smoothed>
  KOKKOS_FUNCTION void operator()(Level& level, Z const& z, Weight const& weight,
                                  Smoothed& smoothed) const {
    level += weight * (z - level);
    smoothed = level;
  }
};

struct SineAndCosine {
  double sine, cosine;
};
struct SinCos {
  KOKKOS_FUNCTION SineAndCosine operator()(double x) const {
    return {Kokkos::sin(x), Kokkos::cos(x)};
  }
};
struct IsAbove {
  KOKKOS_FUNCTION bool operator()(double x, double y) const { return x > y; }
};
struct Turn {
  template <class Y, class A>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a) const {
    auto const first = element(a, 0, 0);
    auto const [s, c] = apply(SinCos{}, symmetric(a));
    auto const large = apply(IsAbove{}, first, 2.0);
    print(large, "a", a);
    print("first", first);
    print(first > 1, "large", large);
    y = select(large, atan2(a, 1.0) + s, pow(abs(a), first) * c) + copysign(round(a), first);
  }
};

/// T, extents and layout decide the kernel: a lane for an item, lanes that share it, matrix instructions.
template <class T, int N>
void update(Exec const& exec, Interleaved<T* [N][N]> p_new, Interleaved<T*> log,
            ItemContiguous<T* [N][N]> p, Interleaved<T[N][N]> f, Interleaved<T[N][N]> q,
            Interleaved<T[2][N]> h, Interleaved<T[2][2]> r, Codes codes) {
  map(exec, Update{}, out(symmetric(p_new)), out(log), in(symmetric(p)), common(f),
      common(symmetric(q)), common(h), common(symmetric(r)), status(codes));
}

template void update<float, 4>(Exec const&, Interleaved<float* [4][4]>, Interleaved<float*>,
                               ItemContiguous<float* [4][4]>, Interleaved<float[4][4]>,
                               Interleaved<float[4][4]>, Interleaved<float[2][4]>,
                               Interleaved<float[2][2]>, Codes);
template void update<double, 17>(Exec const&, Interleaved<double* [17][17]>, Interleaved<double*>,
                                 ItemContiguous<double* [17][17]>, Interleaved<double[17][17]>,
                                 Interleaved<double[17][17]>, Interleaved<double[2][17]>,
                                 Interleaved<double[2][2]>, Codes);

template <class T, int Lanes>
void decompose(Exec const& exec, Interleaved<T* [3]> x, Interleaved<T* [3][3]> v,
               Interleaved<T* [3]> w, Interleaved<T* [3][3]> a, Interleaved<T* [3]> b) {
  map(exec, launch(lanes<Lanes>), Decompose{}, out(x), out(v), out(w), in(a), in(b));
}
template void decompose<float, 1>(Exec const&, Interleaved<float* [3]>, Interleaved<float* [3][3]>,
                                  Interleaved<float* [3]>, Interleaved<float* [3][3]>,
                                  Interleaved<float* [3]>);
template void decompose<double, 4>(Exec const&, Interleaved<double* [3]>,
                                   Interleaved<double* [3][3]>, Interleaved<double* [3]>,
                                   Interleaved<double* [3][3]>, Interleaved<double* [3]>);

template <class T, int Lanes>
void restack(Exec const& exec, Interleaved<T* [3][3]> r, Interleaved<T* [3][3]> l,
             Interleaved<T* [3][3]> a, Interleaved<T* [3]> b) {
  map(exec, launch(lanes<Lanes>), Restack{}, out(r), inout(lower(l)), in(a), in(b));
}
template void restack<float, 1>(Exec const&, Interleaved<float* [3][3]>, Interleaved<float* [3][3]>,
                                Interleaved<float* [3][3]>, Interleaved<float* [3]>);
template void restack<double, 4>(Exec const&, Interleaved<double* [3][3]>,
                                 Interleaved<double* [3][3]>, Interleaved<double* [3][3]>,
                                 Interleaved<double* [3]>);

template <class T, int Lanes>
void turn(Exec const& exec, Interleaved<T* [3][3]> y, Interleaved<T* [3][3]> a) {
  map(exec, launch(lanes<Lanes>), Turn{}, out(y), in(a));
}
template void turn<double, 1>(Exec const&, Interleaved<double* [3][3]>,
                              Interleaved<double* [3][3]>);
template void turn<float, 4>(Exec const&, Interleaved<float* [3][3]>, Interleaved<float* [3][3]>);

template <class T, int N>
void eliminate(Exec const& exec, Interleaved<T* [N]> x, Interleaved<T*> det,
               ItemContiguous<T* [N][N]> a, Interleaved<T* [N]> b, Codes codes) {
  map(exec, Eliminate{}, out(x), out(det), in(a), in(b), status(codes));
}
template void eliminate<float, 4>(Exec const&, Interleaved<float* [4]>, Interleaved<float*>,
                                  ItemContiguous<float* [4][4]>, Interleaved<float* [4]>, Codes);
template void eliminate<double, 17>(Exec const&, Interleaved<double* [17]>, Interleaved<double*>,
                                    ItemContiguous<double* [17][17]>, Interleaved<double* [17]>,
                                    Codes);

}  // namespace

void choose(Exec const& exec, Interleaved<double*> y, Interleaved<double*> a,
            Interleaved<double*> b) {
  map(exec, launch("ratios").team_size(64), Choose{}, out(y), in(a), in(b));
}

void smooth(Exec const& exec, std::int64_t steps, Interleaved<double*> first,
            Interleaved<double*> last, Interleaved<double**> z, Interleaved<double*> weight,
            Interleaved<double**> smoothed) {
  scan(exec, steps, Smooth{}, carry(first, last), each(z), in(weight), emit(smoothed));
}

/// A kernel of the user's that calls what team_map or team_scan has made.
template <class Group>
struct ByTeam {
  Group group;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const n = member.league_rank();
    group(member, n, n + 1);
  }
};

template <class Group>
void launch_by_team(Exec const& exec, int items, Group const& group) {
  Kokkos::TeamPolicy<Exec> policy(exec, items, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(group.scratch_size(32))));
  Kokkos::parallel_for(policy, ByTeam<Group>{group});
}

void by_teams(Exec const& exec, int items, std::int64_t steps, Interleaved<double*> level,
              Interleaved<double**> z, Interleaved<double*> weight,
              Interleaved<double**> smoothed) {
  launch_by_team(exec, items, team_map<Exec>(Choose{}, out(level), in(weight), in(weight)));
  launch_by_team(
      exec, items,
      team_scan<Exec>(steps, Smooth{}, carry(level, level), each(z), in(weight), emit(smoothed)));
}

void filter(Exec const& exec, std::int64_t steps, Interleaved<double[4][4]> f,
            Interleaved<double[4][4]> q, Interleaved<double[2][4]> h, Interleaved<double[2][2]> r,
            Interleaved<double* [4]> x0, Interleaved<double* [4][4]> p0,
            Interleaved<double** [2]> z, Interleaved<double** [4]> mean,
            Interleaved<double*> log_likelihood, Codes codes) {
  Kalman::filter(
      exec, steps, Kalman::model(common(f), common(q), common(h), common(r)), Kalman::start(x0, p0),
      z, Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood).status(codes));
}
