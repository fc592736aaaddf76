// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/reference/{map,operands,print,launch,factorisations}.md and of docs/guides, which is
// compiled, and compared with the pages by doc_snippets.cmake.
#include <Batchwork.hpp>

namespace doc_mapref {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;

// ---- map ----------------------------------------------------------------------------------------

struct SolveSpd {  // x of a x = b for a symmetric positive definite a
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = cholesky(a).solve(b);
  }
};

inline void solve_spd(Exec const& exec, int items) {
  Kokkos::View<double* [4][4]> A("A", items);
  Kokkos::View<double* [4]> b("b", items), x("x", items);
  Kokkos::View<int*> codes("codes", items);
  map(exec, SolveSpd{}, out(x), in(symmetric(A)), in(b), status(codes));
}

// ---- scan ---------------------------------------------------------------------------------------

struct Smooth {  // exponential smoothing
  template <class Level, class Z, class Weight, class Smoothed>
  KOKKOS_FUNCTION void operator()(Level& level, Z const& z, Weight const& weight,
                                  Smoothed& smoothed) const {
    level += weight * (z - level);
    smoothed = level;
  }
};

inline void smooth(Exec const& exec, std::int64_t steps, Kokkos::View<double*> first,
                   Kokkos::View<double*> last, Kokkos::View<double**> z,
                   Kokkos::View<double**> smoothed) {
  scan(exec, steps, Smooth{}, carry(first, last), each(z), common(fixed(0.1)), emit(smoothed));
}

// ---- operands -----------------------------------------------------------------------------------

struct Scale {
  template <class Y, class F, class X>
  KOKKOS_FUNCTION void operator()(Y& y, F const& factor, X const& x) const {
    y = factor * x;
  }
};

inline void adaptors(Exec const& exec, Kokkos::View<double***> y, Kokkos::View<double* [3][3]> x) {
  map(exec, Scale{}, out(symmetric(extents<3, 3>(y))), common(fixed(2.0)), in(symmetric(x)));
}

// ---- launch -------------------------------------------------------------------------------------

inline void sizes(Exec const& exec, Kokkos::View<double* [12][12]> y,
                  Kokkos::View<double* [12][12]> x) {
  map(exec, launch("scaling", lanes<8>, width<4>).team_size(64), Scale{}, out(y),
      common(fixed(2.0)), in(x));
}

// ---- print --------------------------------------------------------------------------------------

struct Newton {  // a step towards the root of x
  template <class Y, class X, class Item>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, Item const& item) const {
    auto const residual = y * y - x;
    auto const poor = abs(residual) > 1.0;
    print(poor, "item", item);
    print(poor, "residual", residual);
    y = y - residual / (2 * y);
  }
};

inline void with_print(Exec const& exec, Kokkos::View<double*> y, Kokkos::View<double*> x) {
  map(exec, Newton{}, inout(y), in(x), item_index());
  exec.fence();  // a GPU's text appears now
}

// ---- eigenvalues of 3 x 3 -----------------------------------------------------------------------

struct Eigenvalues {
  template <class W, class A>
  KOKKOS_FUNCTION void operator()(W& values, A const& a) const {
    values = eigh(a).values();  // smallest first
  }
};

inline void a_million_eigenvalues(Exec const& exec) {
  int const items = 1000000;
  Kokkos::View<double* [3][3]> A("A", items);
  Kokkos::View<double* [3]> w("w", items);
  Kokkos::View<int*> codes("codes", items);
  // ... fill the lower triangles of A ...
  map(exec, Eigenvalues{}, out(w), in(symmetric(A)), status(codes));
}

struct Tresca {  // the largest shear stress and its plane's normal, from a stress tensor
  template <class Shear, class Normal, class Stress>
  KOKKOS_FUNCTION void operator()(Shear& shear, Normal& normal, Stress const& stress) const {
    auto const e = eigh(stress);
    auto const w = e.values();
    auto const v = e.vectors();
    shear = (w(2) - w(0)) / 2;
    normal = (column(v, 0) + column(v, 2)) / Kokkos::sqrt(2.0);
  }
};

inline void tresca(Exec const& exec, Kokkos::View<double*> shear, Kokkos::View<double* [3]> normal,
                   Kokkos::View<double* [3][3]> stress, Kokkos::View<int*> codes) {
  map(exec, Tresca{}, out(shear), out(normal), in(symmetric(stress)), status(codes));
}

inline void by_the_verb(Exec const& exec, Kokkos::View<double***> A, Kokkos::View<double**> w,
                        Kokkos::View<double***> V, Kokkos::View<int*> codes) {
  eigh(exec, in(A), out(w), out(V), status(codes));
}

// ---- finite elements ----------------------------------------------------------------------------

struct Tetrahedron {  // stiffness of linear elasticity, 4 nodes, isotropic
  template <class K, class X, class M>
  KOKKOS_FUNCTION void operator()(K& k, X const& x, M const& material) const {
    auto const lambda = material(0), mu = material(1);
    auto const edges = generate<3, 3>([&](int i, int d) { return x(i + 1, d) - x(0, d); });
    auto const u = row(edges, 0), v = row(edges, 1), w = row(edges, 2);
    auto const vw = cross(transpose(v), transpose(w)), wu = cross(transpose(w), transpose(u)),
               uv = cross(transpose(u), transpose(v));
    auto const det = dot(transpose(u), vw);  // six times the volume
    auto const usable = det > 0;

    // Row a of g: the gradient of the shape function of node a.
    auto const g = generate<4, 3>([&](int a, int d) {
      auto const gradient = a == 1   ? vw(d)
                            : a == 2 ? wu(d)
                            : a == 3 ? uv(d)
                                     : -vw(d) - wu(d) - uv(d);
      return gradient / det;
    });
    auto const volume = det / 6;
    auto const m = g * transpose(g);  // gradients times gradients, 4 x 4
    auto const stiffness = generate_symmetric<12>([&](int p, int q) {
      int const a = p / 3, i = p % 3, b = q / 3, j = q % 3;
      auto const pair = lambda * g(a, i) * g(b, j) + mu * g(a, j) * g(b, i);
      return volume * (i == j ? pair + mu * m(a, b) : pair);
    });
    k = fail_where(!usable, Reason::singular, stiffness);  // a flat or inverted element
  }
};

inline void tetrahedra(Exec const& exec, int elements) {
  Kokkos::View<double* [4][3]> x("x", elements);        // places of the nodes
  Kokkos::View<double* [2]> material("mat", elements);  // Lame's lambda and mu
  Kokkos::View<double* [12][12]> K("K", elements);      // row 3 a + i: node a, direction i
  Kokkos::View<int*> codes("codes", elements);
  map(exec, Tetrahedron{}, out(symmetric(K)), in(x), in(material), status(codes));
}

struct Conduction {  // hexahedron of 8 nodes, 2 x 2 x 2 points of Gauss
  template <class K, class X, class C, class D>
  KOKKOS_FUNCTION void operator()(K& k, X const& x, C const& conductivity, D const& shape) const {
    auto sum = zero<8, 8>(x);
    for (int q = 0; q < 8; ++q) {
      auto const n = shape(q);  // 3 x 8, derivatives in the reference cube
      auto const jacobian = n * x;
      auto const factors = lu(jacobian);
      auto const g = factors.solve(n);  // gradients in space
      sum += factors.determinant() * gram(g);
    }
    k = conductivity * sum;
  }
};

inline void hexahedra(Exec const& exec, Kokkos::View<double* [8][8]> K,
                      Kokkos::View<double* [8][3]> x, Kokkos::View<double*> conductivity,
                      Kokkos::View<double* [3][8]> shape, Kokkos::View<int*> codes) {
  map(exec, Conduction{}, out(K), in(x), in(conductivity), table(shape), status(codes));
}

/// Nodes are gathered from the mesh.
struct GatheredVolume {
  template <class V, class Nodes, class Points>
  KOKKOS_FUNCTION void operator()(V& volume, Nodes const& nodes, Points const& points) const {
    auto const a = points(nodes(0));  // the place of a node, a vector of 3
    auto const u = points(nodes(1)) - a, v = points(nodes(2)) - a, w = points(nodes(3)) - a;
    volume = dot(u, cross(v, w)) / 6;
  }
};

inline void volumes(Exec const& exec, Kokkos::View<double*> volume, Kokkos::View<int* [4]> nodes,
                    Kokkos::View<double* [3]> points, Kokkos::View<int*> codes) {
  map(exec, GatheredVolume{}, out(volume), in(nodes), table(points), status(codes));
}

// ---- arrangement --------------------------------------------------------------------------------

inline void arrangements(Exec const& exec, int items) {
  // Interleaved: entry (0, 0) of all items, then entry (1, 0) of all items, ...
  Kokkos::View<float* [6][6], Kokkos::LayoutLeft> interleaved("interleaved", items);
  // Item-contiguous: all entries of item 0, then of item 1, ...
  Kokkos::View<float* [6][6], Kokkos::LayoutRight> item_contiguous("item-contiguous", items);
  // Compact: groups of 32 items, interleaved within a group.
  int const groups = (items + 31) / 32;
  Kokkos::View<float* [6][6][32], Kokkos::LayoutRight> groups_of_32("compact", groups);

  map(exec, Scale{}, out(interleaved), common(fixed(2.0F)), in(item_contiguous));
  map(exec, Scale{}, out(compact(groups_of_32, items)), common(fixed(2.0F)), in(interleaved));
}

inline void rearrange(Exec const& exec, int items,
                      Kokkos::View<float***, Kokkos::LayoutRight> item_contiguous,
                      Kokkos::View<float***, Kokkos::LayoutLeft> interleaved,
                      Kokkos::View<float*** [32], Kokkos::LayoutRight> groups) {
  copy(exec, interleaved, item_contiguous);             // copy(to, from)
  pack(exec, compact(groups, items), item_contiguous);  // to groups of 32
}

// ---- in a kernel --------------------------------------------------------------------------------

struct SolveInPlace {  // x := a^-1 x for a symmetric positive definite a
  template <class X, class A>
  KOKKOS_FUNCTION void operator()(X& x, A const& a) const {
    x = cholesky(a).solve(x);
  }
};

/// The user's own step of a state, and a correction by Batchwork, 10 times.
template <class Correct>
struct Advance {
  Kokkos::View<double* [3]> state;
  Correct correct;
  int items, per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const first = member.league_rank() * per_team;
    int const last = first + per_team < items ? first + per_team : items;
    for (int step = 0; step < 10; ++step) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last), [&](int n) {
        for (int i = 0; i < 3; ++i) state(n, i) += 0.1 * Kokkos::sin(state(n, i));
      });
      correct(member, first, last);  // has a team barrier before and after
    }
  }
};

inline void advance(Exec const& exec, Kokkos::View<double* [3]> state,
                    Kokkos::View<double* [3][3]> A, Kokkos::View<int*> codes) {
  int const items = int(state.extent(0)), per_team = 128;
  auto const correct =
      team_map<Exec>(SolveInPlace{}, inout(state), in(symmetric(A)), status(codes));
  Advance const advance{state, correct, items, per_team};

  int const teams = (items + per_team - 1) / per_team;
  Kokkos::TeamPolicy<Exec> policy(exec, teams, 1);
  int const most = policy.team_size_max(advance, Kokkos::ParallelForTag());
  int const team_size = most < per_team ? most : per_team;
  policy = Kokkos::TeamPolicy<Exec>(exec, teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(correct.scratch_size(team_size))));
  Kokkos::parallel_for("advance", policy, advance);
}

}  // namespace doc_mapref
