// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs that run a sequence: map, scan, team_map, team_scan and the Kalman filter.
#include "Shared.hpp"

// The layout for matrix instructions is also used in the host pass, which reserves the scratch
// memory for it. AMD devices do not have it.
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

/// Reflections, rotations, exchanges of columns, and operations that use them.
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

/// Choices for each item.
struct Choose {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    auto const usable = b > 0.0;
    y = fail_where(!usable, Reason::not_finite, select(usable, sqrt(a) / b, 0.0));
  }
};

/// Entries, and reductions over all entries.
struct Enter {
  template <class Y, class P, class L, class A>
  KOKKOS_FUNCTION void operator()(Y& y, P& p, L& l, A const& a) const {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        p(j, i) = a(i, j) + 1;
        l(i, j) = a(i, j) * 0.5f;
      }
    p(0, 1) += sum(a);
    y = zero<3, 3>(a);
    y(0, 1) = p(1, 0) + prod(a) * maximum_index(a);
    y(1, 0) -= select(any_of(a, [](auto const& e) { return e > 0; }), minimum(a), 0);
    y(2, 2) = Batchwork::select(l(2, 0) > l(1, 0), 1, 0) + max(a(0, 0), 0);
    y = stack(beside(block<2, 1>(y, 0, 0), block<2, 2>(a, 1, 1)), row(y, 2)) +
        generate_symmetric<3>([&](int i, int j) { return a(i, j); });
  }
};
/// Integers, flags and tables.
struct LookUp {
  template <class Y, class K, class Flag, class C, class V, class T, class I>
  KOKKOS_FUNCTION void operator()(Y& y, K& k, Flag& flag, C const& c, V const& v, T const& t,
                                  I const& item) const {
    auto const n = (element(c, 0) + item) % 7;
    y = select(flag, v(n), t(n, k) * v(n / 2));
    k = to_integer<std::int32_t>(element(y, 0)) * (k << 2) + to_integer<std::int32_t>(n);
    flag = flag && k > 3;
  }
};
/// Counts.
struct Count {
  template <class N, class Z, class T, class Above>
  KOKKOS_FUNCTION void operator()(N& n, Z const& z, T const& step, Above& above) const {
    above = z > 0.5 * step;
    n = select(above, n + 1, n);
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

/// Newton's method with the Jacobian of a function, and work that few items ask for.
struct Newton {
  template <class Y, class R, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, R& rounds, A const& a, B const& b) const {
    auto x = 1 * b;
    auto const ended = iterate(
        20,
        [&](auto& z) {
          auto const [f, j] = value_and_jacobian(
              [&](auto const& v) { return a * v + dot(v, v) * v + sin(v) - b; }, z);
          auto const step = solve(j, f);
          z = z - step;
          return norm2(step) > 1e-6f * norm2(z);
        },
        x);
    auto const large = norm2(x) > 1e3f;
    auto const [u, v] =
        where(large, [&] { return together(inverse(a) * x, norm2(x)); }, together(x, norm2(b)));
    auto sum = 0 * v;
    loop<3>([&](auto k) { sum += k * u(k); });
    repeat(4, [&](int k) { sum += k * derivative([](auto const& t) { return pow(t, 3); }, v); });
    y = fail_where(ended.open, Reason::iteration_limit, sum * u);
    rounds = ended.rounds;
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

/// T, extents and layout decide the kernel: a lane for an item, lanes that share it, matrix
/// instructions.
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
void enter(Exec const& exec, Interleaved<T* [3][3]> y, Interleaved<T* [3][3]> p,
           Interleaved<T* [3][3]> l, Interleaved<T* [3][3]> a) {
  map(exec, launch(lanes<Lanes>), Enter{}, out(y), out(symmetric(p)), out(lower(l)), in(a));
}
template void enter<float, 1>(Exec const&, Interleaved<float* [3][3]>, Interleaved<float* [3][3]>,
                              Interleaved<float* [3][3]>, Interleaved<float* [3][3]>);
template void enter<double, 4>(Exec const&, Interleaved<double* [3][3]>,
                               Interleaved<double* [3][3]>, Interleaved<double* [3][3]>,
                               Interleaved<double* [3][3]>);

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

template <int Lanes>
void look_up(Exec const& exec, Interleaved<double* [3]> y, Interleaved<int*> k,
             Interleaved<bool*> flag, ItemContiguous<std::int64_t* [3]> c,
             Interleaved<double* [3]> v, Interleaved<double**> t, Codes codes) {
  map(exec, launch(lanes<Lanes>), LookUp{}, out(y), inout(k), inout(flag), in(c), table(v),
      table(t), item_index(), status(codes));
}
template void look_up<1>(Exec const&, Interleaved<double* [3]>, Interleaved<int*>,
                         Interleaved<bool*>, ItemContiguous<std::int64_t* [3]>,
                         Interleaved<double* [3]>, Interleaved<double**>, Codes);
template void look_up<4>(Exec const&, Interleaved<double* [3]>, Interleaved<int*>,
                         Interleaved<bool*>, ItemContiguous<std::int64_t* [3]>,
                         Interleaved<double* [3]>, Interleaved<double**>, Codes);
template <class T, int Lanes>
void newton(Exec const& exec, Interleaved<T* [3]> y, Interleaved<T*> rounds,
            Interleaved<T* [3][3]> a, Interleaved<T* [3]> b, Codes codes) {
  map(exec, launch(lanes<Lanes>), Newton{}, out(y), out(rounds), in(a), in(b), status(codes));
}
template void newton<float, 1>(Exec const&, Interleaved<float* [3]>, Interleaved<float*>,
                               Interleaved<float* [3][3]>, Interleaved<float* [3]>, Codes);
template void newton<double, 4>(Exec const&, Interleaved<double* [3]>, Interleaved<double*>,
                                Interleaved<double* [3][3]>, Interleaved<double* [3]>, Codes);

}  // namespace

void count(Exec const& exec, std::int64_t steps, Interleaved<int*> n, Interleaved<double**> z,
           Interleaved<bool**> above) {
  scan(exec, steps, Count{}, carry(common(fixed(0)), n), each(z), step_index(), emit(above));
}

void choose(Exec const& exec, Interleaved<double*> y, Interleaved<double*> a,
            Interleaved<double*> b) {
  map(exec, launch("ratios").team_size(64), Choose{}, out(y), in(a), in(b));
}

void smooth(Exec const& exec, std::int64_t steps, Interleaved<double*> first,
            Interleaved<double*> last, Interleaved<double**> z, Interleaved<double*> weight,
            Interleaved<double**> smoothed) {
  scan(exec, steps, Smooth{}, carry(first, last), each(z), in(weight), emit(smoothed));
}

/// Two lines of a matrix in each lane.
void eliminate_large(Exec const& exec, Interleaved<float* [33]> x, Interleaved<float*> det,
                     Interleaved<float* [33][33]> a, Interleaved<float* [33]> b) {
  map(exec, Eliminate{}, out(x), out(det), in(a), in(b));
}

struct Double {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x + x;
  }
};

/// Backwards over some steps, with a lag, and in place; two sequences and a tile without a View.
void orders(Exec const& exec, int steps, Interleaved<double*> first, Interleaved<double**> z,
            Interleaved<double**> smoothed) {
  scan(exec, backward(range(1, steps)), then(on<2, 1>(Double{}), on<0, 1, 2, 3>(Smooth{})),
       carry(first), each(z, lag<1>), local<double>(), inout(each(smoothed)));
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

/// Random numbers with one lane for an item, and with lanes that share it.
template <int N>
struct Diffuse {
  template <class X, class P, class K, class R>
  KOKKOS_FUNCTION void operator()(X& x, P const& p, K& k, R& r) const {
    x += cholesky(p).lower() * normal<N>(r) + uniform<N>(r);
    k = integers(r, 6) + integers(r, k);
    auto y = zero(k);
    iterate(
        9,
        [](auto& z, auto& numbers) {
          z = integers(numbers, 6);
          return z != 0;
        },
        y, r);
    k += y;
  }
};
void random_numbers(Exec const& exec, std::int64_t steps, Interleaved<float* [3]> x,
                    Interleaved<float* [3][3]> p, ItemContiguous<double* [16]> large,
                    ItemContiguous<double* [16][16]> q, Interleaved<int*> k,
                    Interleaved<std::int64_t*> wide) {
  map(exec, Diffuse<3>{}, inout(x), in(symmetric(p)), inout(k), random<float>(1, 2));
  map(exec, Diffuse<16>{}, inout(large), in(symmetric(q)), inout(k), random(1, 2));
  scan(exec, steps, Diffuse<3>{}, carry(x, x), in(symmetric(p)), carry(wide, wide),
       random<float>(1, 2, 100));
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
