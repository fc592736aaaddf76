// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: Kokkos Kernels' batched CG and GMRES, TeamVector: a few systems per team, one thread of the
// team per system, vector lanes for its rows, temporaries in scratch. Both of its layouts are
// measured: item-contiguous, as for the other peers, and interleaved. Its CG takes no
// preconditioner and reports no status per item. Its GMRES does not restart. It stops as follows:
//
// - JacobiPrec is a left preconditioner, so that GMRES stops by D^-1 (b - A x). This says little
//   where rows have different scales: no system of the chemistry met the tolerance. It therefore
//   solves (A D^-1) y = b, and x = D^-1 y; both are formed within the measured time.
// - It compares |g(j)| / g(0) with the tolerance. The first rotation makes g(0) negative where
//   v' A v is negative; GMRES then stops at once and reports convergence. share_met is the share
//   that met the tolerance (all stencils). drm19 is left out, because none of its systems does.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
#if __has_include(<KokkosBlas1_team_axpby.hpp>) && __has_include(<KokkosSparse_spmv_team.hpp>)
// Its headers are not self-contained: these come first.
#include <KokkosBatched_Util.hpp>
#include <KokkosBatched_Vector.hpp>
// And then the solvers.
#include <KokkosBatched_CG.hpp>
#include <KokkosBatched_CrsMatrix.hpp>
#include <KokkosBatched_GMRES.hpp>

namespace BatchworkPerf {

namespace {

namespace KB = KokkosBatched;

enum class Method { cg, gmres, gmres_jacobi };

/// The longest basis of its GMRES, as of Batchwork's one; see Solve.hpp.
constexpr int longest_basis = 40;

template <class L>
using Numbers = Kokkos::View<double**, L, Memory>;
/// Without ownership, since the kernel makes subviews.
template <class L>
using Seen = Kokkos::View<double**, L, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Indices = Kokkos::View<int*, Memory>;

template <class L>
using Handle = KB::KrylovHandle<Kokkos::View<double**, L, Memory>, Indices,
                                Kokkos::View<double***, L, Memory>>;

/// to(item, entry) = from(item, entry) / the diagonal that belongs to the entry.
template <class L>
struct DivideByDiagonal {
  Seen<L> to, from, values;
  Indices diagonal;  // its place among the values, for every entry
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const items = static_cast<std::int64_t>(to.extent(0)),
               entries = static_cast<std::int64_t>(to.extent(1));
    // Neighbours in memory.
    constexpr bool rows = std::is_same_v<L, Kokkos::LayoutRight>;
    std::int64_t const n = rows ? k / entries : k % items, entry = rows ? k % entries : k / items;
    to(n, entry) = from(n, entry) / values(n, diagonal(entry));
  }
};
template <class L>
void divide_by_diagonal(Seen<L> const& to, Seen<L> const& from, Seen<L> const& values,
                        Indices const& diagonal) {
  Kokkos::parallel_for("diagonal", SolveProblem::Range(0, static_cast<std::int64_t>(to.size())),
                       DivideByDiagonal<L>{to, from, values, diagonal});
}

/// The place of each row's diagonal, or of the diagonal of each entry's column.
Indices diagonals(SolveProblem const& p, bool of_entries) {
  std::vector<int> of_row(static_cast<std::size_t>(p.rows));
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.distinct.row_offsets[std::size_t(i)];
         k < p.distinct.row_offsets[std::size_t(i) + 1]; ++k)
      if (p.distinct.columns[std::size_t(k)] == i) of_row[std::size_t(i)] = k;
  Indices const to("diagonals", static_cast<std::size_t>(of_entries ? p.nonzeros : p.rows));
  auto const host = Kokkos::create_mirror_view(to);
  for (std::size_t k = 0; k < host.extent(0); ++k)
    host(k) = of_row[of_entries ? std::size_t(p.distinct.columns[k]) : k];
  Kokkos::deep_copy(to, host);
  return to;
}

template <class L, Method M>
struct TeamSolve {
  Indices row_offsets, columns;
  Seen<L> values, b, x;
  Handle<L> handle;
  int systems;  // a team's

  using Policy = Kokkos::TeamPolicy<Exec>;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& member) const {
    using Member = Policy::member_type;
    int const first = member.league_rank() * systems;
    int const count = static_cast<int>(x.extent(0));
    auto const mine = Kokkos::make_pair(first, first + systems < count ? first + systems : count);
    auto const a = Kokkos::subview(values, mine, Kokkos::ALL);
    auto const from = Kokkos::subview(b, mine, Kokkos::ALL);
    auto const to = Kokkos::subview(x, mine, Kokkos::ALL);
    using Operator = KB::CrsMatrix<std::remove_const_t<decltype(a)>, Indices>;
    Operator const matrix(a, row_offsets, columns);
    if constexpr (M == Method::cg)
      KB::TeamVectorCG<Member>::template invoke<Operator>(member, matrix, from, to, handle);
    else KB::TeamVectorGMRES<Member>::template invoke<Operator>(member, matrix, from, to, handle);
  }
};

template <class To, class From>
struct CopyNumbers {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const columns = static_cast<std::int64_t>(to.extent(1));
    to(k / columns, k % columns) = from(k / columns, k % columns);
  }
};
template <class To, class From>
void copy_numbers(To const& to, From const& from) {
  Kokkos::parallel_for("copy", SolveProblem::Range(0, static_cast<std::int64_t>(to.size())),
                       CopyNumbers<To, From>{to, from});
}

template <class L, Method M>
void kokkos_kernels_solve(benchmark::State& state, Family const& family, std::int64_t items) {
  SolveProblem const p(family, items);
  auto const in_layout = [&](SolveProblem::Vectors const& from) {
    if constexpr (std::is_same_v<L, Kokkos::LayoutRight>) {
      return from;
    } else {
      Numbers<L> const to(Kokkos::view_alloc(std::string("numbers"), Kokkos::WithoutInitializing),
                          from.extent(0), from.extent(1));
      copy_numbers(to, from);
      return to;
    }
  };
  Numbers<L> const values = in_layout(p.values), b = in_layout(p.b),
                   x_own = in_layout(p.vectors("x", p.rows));
  constexpr bool jacobi = M == Method::gmres_jacobi;
  Numbers<L> const scaled("scaled", jacobi ? values.extent(0) : 0, values.extent(1));
  Indices const of_entries = diagonals(p, true), of_rows = diagonals(p, false);
  int const basis = std::min(longest_basis, p.rows);
  // Scratch of a system, in numbers; a team uses less than what any device gives without being
  // asked.
  int const scratch = M == Method::cg ? 4 * p.rows + 5 : p.rows + basis + 3;
  int const systems = on_device ? std::clamp(40000 / (8 * scratch), 1, 8) : 1;

  TeamSolve<L, M> kernel{
      p.row_offsets,
      p.columns,
      jacobi ? scaled : values,
      b,
      x_own,
      Handle<L>(static_cast<int>(items), systems, M == Method::cg ? most_iterations : basis),
      systems};
  kernel.handle.set_tolerance(p.distinct.tolerance);
  if constexpr (M != Method::cg)
    kernel.handle.Arnoldi_view = Kokkos::View<double***, L, Memory>(
        Kokkos::view_alloc(std::string("basis"), Kokkos::WithoutInitializing), b.extent(0),
        static_cast<std::size_t>(basis), static_cast<std::size_t>(p.rows + basis + 3));

  typename TeamSolve<L, M>::Policy policy(kernel.handle.get_number_of_teams(),
                                          on_device ? systems : 1, on_device ? 32 : 1);
  // And what aligning the parts takes.
  policy.set_scratch_size(0, Kokkos::PerTeam(8 * scratch * systems + 256));
  auto const solve = [&] {
    if (jacobi) divide_by_diagonal<L>(scaled, values, values, of_entries);
    Kokkos::parallel_for("KokkosKernels::solve", policy, kernel);
    if (jacobi) divide_by_diagonal<L>(kernel.x, kernel.x, values, of_rows);
  };
  auto const ask = [&] {
    Said said;
    said.of_true_residual = false;
    if constexpr (M != Method::cg) {
      kernel.handle.synchronise_host();
      for (int i = 0; i < static_cast<int>(items); ++i) {
        int const iterations = kernel.handle.iteration_numbers_host(i);
        said.met.push_back(iterations >= 0);
        said.iterations.push_back(iterations >= 0 ? iterations : basis);
      }
    }
    return said;
  };
  if constexpr (std::is_same_v<L, Kokkos::LayoutRight>) {
    p.run(
        state,
        [&](SolveProblem::Vectors const& x) {
          kernel.x = x;
          solve();
        },
        ask);
  } else {
    // Its own x, one for all launches, is brought to the form of the check; not in the time.
    bool checked = false;
    p.run(
        state, [&](SolveProblem::Vectors const&) { Kokkos::deep_copy(Exec(), x_own, 0.0); },
        [&](SolveProblem::Vectors const& x) {
          solve();
          if (!checked) copy_numbers(x, x_own);
          checked = true;
        },
        ask, 1);
  }
}

template <class L, Method M>
void register_method(Family const& f) {
  std::string const format = std::is_same_v<L, Kokkos::LayoutRight> ? "csr" : "csr-interleaved";
  register_solve("solve", "kokkoskernels-teamvector", f, format,
                 M == Method::cg      ? "cg"
                 : M == Method::gmres ? "gmres"
                                      : "gmres-jacobi",
                 batch_items, kokkos_kernels_solve<L, M>);
}
template <class L>
void register_layout() {
  for (Family const& f : stencils()) {
    register_method<L, Method::cg>(f);
    register_method<L, Method::gmres>(f);
  }
  for (Family const& f : chemistry())
    if (f.name != "drm19") register_method<L, Method::gmres_jacobi>(f);
}

}  // namespace

void register_kokkos_kernels_solvers() {
  register_layout<Kokkos::LayoutRight>();
  register_layout<Kokkos::LayoutLeft>();
}

}  // namespace BatchworkPerf
#else
#include <iostream>

namespace BatchworkPerf {

void register_kokkos_kernels_solvers() {
  std::cerr << "Kokkos Kernels without its BLAS and sparse components, which its batched solvers "
               "include: they are left out.\n";
}

}  // namespace BatchworkPerf
#endif
#endif
