// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code that docs/reference/dense, docs/reference/banded.md, docs/guides/run_time_sizes.md and
// docs/guides/small_solves.md show: compiled, and compared with the pages by doc_snippets.cmake.
#include <Batchwork.hpp>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

namespace doc_dense {

using namespace Batchwork;
using Exec = Kokkos::DefaultExecutionSpace;

// docs/reference/dense

void copies(Exec const& exec, Kokkos::View<double***, Kokkos::LayoutRight> const& item_contiguous,
            Kokkos::View<double***, Kokkos::LayoutLeft> const& interleaved,
            Kokkos::View<double****, Kokkos::LayoutRight> const& groups, std::int64_t items) {
  copy(exec, interleaved, item_contiguous);              // another arrangement
  copy(exec, interleaved, transposed(item_contiguous));  // the transpose of every item
  pack(exec, compact(groups, items), item_contiguous);   // into groups of items
  unpack(exec, interleaved, compact(groups, items));     // and back
}

void products(Exec const& exec, Kokkos::View<double***> const& A, Kokkos::View<double***> const& B,
              Kokkos::View<double***> const& C, Kokkos::View<double**> const& M) {
  gemm(exec, 1, in(A), in(B), 0, out(C));                // C_n = A_n B_n
  gemm(exec, 2, in(transposed(A)), in(B), 1, inout(C));  // C_n = 2 A_n' B_n + C_n
  gemm(exec, 1, common(M), in(B), 0, out(C));            // C_n = M B_n, one M for all items
}

void positive_definite(Exec const& exec, Kokkos::View<double***> const& A,
                       Kokkos::View<double***> const& L, Kokkos::View<double**> const& b,
                       Kokkos::View<double**> const& x, Kokkos::View<int*> const& codes) {
  cholesky(exec, in(A), out(L), status(codes));               // A_n = L_n L_n'
  solve_cholesky(exec, in(A), in(b), out(x), status(codes));  // A_n x_n = b_n
  cholesky(exec, inout(A));                                   // in place
}

void with_factors(Exec const& exec, Kokkos::View<double***> const& L,
                  Kokkos::View<double**> const& b, Kokkos::View<double**> const& x) {
  solve_lower(exec, in(L), in(b), out(x));         // L_n y_n = b_n; y is stored in x
  solve_lower(exec, in(transposed(L)), inout(x));  // L_n' x_n = y_n
}

void general(Exec const& exec, Kokkos::View<double***> const& A, Kokkos::View<double***> const& LU,
             Kokkos::View<int**> const& rows, Kokkos::View<double**> const& b,
             Kokkos::View<double**> const& x, Kokkos::View<double***> const& B,
             Kokkos::View<double***> const& X, Kokkos::View<int*> const& codes) {
  solve_lu(exec, in(A), in(b), out(x), status(codes));  // A_n x_n = b_n
  solve_lu(exec, in(A), in(B), out(X));                 // several right-hand sides an item
  lu(exec, in(A), out(LU), out(rows), status(codes));   // P_n A_n = L_n U_n
  lu(exec, launch("tiles", kernel::by_warps), in(A), out(LU), out(rows));
}

void inverses(Exec const& exec, Kokkos::View<double***> const& A, Kokkos::View<double***> const& X,
              Kokkos::View<double*> const& det, Kokkos::View<double*> const& log_det,
              Kokkos::View<double*> const& sign, Kokkos::View<int*> const& codes) {
  inverse(exec, in(A), out(X), status(codes));
  determinant(exec, in(A), out(det));                         // may overflow or underflow
  log_abs_determinant(exec, in(A), out(log_det), out(sign));  // log |det A_n| and its sign
}

void nearly_singular(Exec const& exec, Kokkos::View<double***> const& A,
                     Kokkos::View<double**> const& b, Kokkos::View<double**> const& x,
                     std::int64_t items) {
  auto log = SolveLog<double>::allocated(items);
  log.reciprocal_condition = Kokkos::View<double*>("condition", items);
  solve(exec, direct_lu(), dense(A), b, x, log);  // A, b and x are Views, without in and out
  // log.reciprocal_condition(item) below about 1e-16: singular to rounding
}

void orthogonal(Exec const& exec, Kokkos::View<double***> const& A,
                Kokkos::View<double***> const& Q, Kokkos::View<double***> const& R,
                Kokkos::View<double**> const& b, Kokkos::View<double**> const& x,
                Kokkos::View<int*> const& codes) {
  least_squares(exec, in(A), in(b), out(x), status(codes));  // min |A_n x_n - b_n|
  qr(exec, in(A), out(Q), out(R), status(codes));            // A_n = Q_n R_n
  qr(exec, in(A), out(R));                                   // R alone
}

void eigenvalues(Exec const& exec, Kokkos::View<double***> const& A,
                 Kokkos::View<double**> const& values, Kokkos::View<double***> const& V,
                 Kokkos::View<int*> const& codes) {
  eigh(exec, in(A), out(values), out(V), status(codes));  // values and vectors
  eigh(exec, in(A), out(values));                         // values alone
  eigh(exec, inout(A), out(values));                      // the vectors overwrite A
}

void singular_values(Exec const& exec, Kokkos::View<double***> const& A,
                     Kokkos::View<double***> const& U, Kokkos::View<double**> const& values,
                     Kokkos::View<double***> const& V, Kokkos::View<int*> const& codes) {
  svd(exec, in(A), out(U), out(values), out(V), status(codes));  // V, not its transpose
  svd(exec, in(A), out(values));                                 // values alone
}

void larger_items(Exec const& exec, Kokkos::View<double***> const& A,
                  Kokkos::View<double**> const& values, Kokkos::View<double***> const& V) {
  // 0 numbers where the items fit into on-chip memory.
  std::int64_t const numbers = workspace_numbers<Verb::eigh>(exec, in(A), out(values), out(V));
  Kokkos::View<double*> const memory("memory", numbers);
  eigh(exec, in(A), out(values), out(V), workspace(memory));
}

// docs/guides/one_matrix.md

void one_matrix(Exec const& exec, Kokkos::View<double**> const& A, Kokkos::View<double**> const& b,
                Kokkos::View<double**> const& x, Kokkos::View<double***> const& B,
                Kokkos::View<double**> const& L, Kokkos::View<int*> const& codes) {
  solve_lu(exec, common(A), in(b), out(x), status(codes));  // A(i, j), b(item, i), x(item, i)
  solve_lu(exec, common(transposed(A)), inout(b));          // A' instead of A, in place
  solve_cholesky(exec, common(A), inout(B));                // B(item, i, k): several sides an item
  solve_lower(exec, common(L), inout(b));                   // a triangle
}

void splines(Exec const& exec, Kokkos::View<double*> const& lower,
             Kokkos::View<double*> const& diagonal, Kokkos::View<double*> const& upper,
             Kokkos::View<double**, Kokkos::LayoutLeft> const& values,
             Kokkos::View<double**, Kokkos::LayoutLeft> const& coefficients) {
  // values(line, point) to coefficients(line, point), a spline on each line of a grid
  solve_tridiagonal(exec, common(lower), common(diagonal), common(upper), values, coefficients);
}

// docs/guides/run_time_sizes.md

/// x_n minimises |A_n x_n - b_n|. The extents are arguments of the program.
void fit(std::int64_t items, int measurements, int unknowns) {
  Exec const exec;
  Kokkos::View<double***> const A("A", items, measurements, unknowns);
  Kokkos::View<double**> const b("b", items, measurements), x("x", items, unknowns);
  Kokkos::View<int*> const codes("codes", items);
  // ... fill A and b ...
  least_squares(exec, in(A), in(b), out(x), status(codes));

  std::int64_t failed = 0;
  Kokkos::parallel_reduce(
      "failed", Kokkos::RangePolicy<Exec>(exec, 0, items),
      KOKKOS_LAMBDA(std::int64_t n, std::int64_t& sum) { sum += codes(n) != 0; }, failed);
  if (failed > 0) std::printf("%lld systems without a solution\n", static_cast<long long>(failed));
}

/// P_n = F_n P_n F_n' for all items, T being memory for a product.
void propagate(Exec const& exec, Kokkos::View<double***> const& F, Kokkos::View<double***> const& P,
               Kokkos::View<double***> const& T) {
  gemm(exec, 1, in(F), in(P), 0, out(T));
  gemm(exec, 1, in(T), in(transposed(F)), 0, out(P));
}

/// Memory that serves every size that the program meets.
void solve_any_size(Exec const& exec, Kokkos::View<double***> const& A,
                    Kokkos::View<double**> const& b, Kokkos::View<double**> const& x) {
  std::int64_t const numbers = workspace_numbers<Verb::solve_lu>(exec, in(A), in(b), out(x));
  Kokkos::View<double*> const memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "memory"),
                                     numbers);
  solve_lu(exec, in(A), in(b), out(x), workspace(memory));
}

struct SquaredDistance {  // x' A^-1 x
  template <class D, class A, class X>
  KOKKOS_FUNCTION void operator()(D& distance, A const& a, X const& x) const {
    distance = dot(x, solve(cholesky(a), x));
  }
};

void distances(Exec const& exec, Kokkos::View<double*> const& d, Kokkos::View<double***> const& A,
               Kokkos::View<double**> const& x) {
  dispatch<2, 3, 6>(A.extent(1), [&](auto n) {
    map(exec, SquaredDistance{}, out(d), in(symmetric(extents<n, n>(A))), in(extents<n>(x)));
  });
}

/// Items of different sizes: rows and columns from size(n) on become those of the identity.
void fill_up(Exec const& exec, Kokkos::View<double***> const& A, Kokkos::View<double**> const& b,
             Kokkos::View<int*> const& size) {
  std::int64_t const items = std::int64_t(A.extent(0)), most = std::int64_t(A.extent(1));
  Kokkos::parallel_for(
      "fill up", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {items, most, most}),
      KOKKOS_LAMBDA(std::int64_t n, std::int64_t i, std::int64_t j) {
        if (i < size(n) && j < size(n)) return;
        A(n, i, j) = i == j ? 1 : 0;
        if (i == j) b(n, i) = 0;
      });
}

// docs/guides/small_solves.md

struct SolveSmall {
  template <class X, class A, class B>
  KOKKOS_FUNCTION void operator()(X& x, A const& a, B const& b) const {
    x = solve(a, b);  // elimination with partial pivoting
  }
};

void small_solves(Exec const& exec, Kokkos::View<double* [6][6]> const& A,
                  Kokkos::View<double* [6]> const& b, Kokkos::View<double* [6]> const& x,
                  Kokkos::View<int*> const& codes) {
  map(exec, SolveSmall{}, out(x), in(A), in(b), status(codes));
}

/// A = D + U C U' is formed and solved with in one kernel; it is never stored.
struct SolveFormed {
  template <class X, class U, class C, class D, class B>
  KOKKOS_FUNCTION void operator()(X& x, U const& u, C const& c, D const& d, B const& b) const {
    auto const a = congruence(u, c, d);  // u c u' + d
    x = solve(cholesky(a), b);
  }
};

void formed(Exec const& exec, Kokkos::View<double* [6]> const& x,
            Kokkos::View<double* [6][3]> const& U, Kokkos::View<double* [3][3]> const& C,
            Kokkos::View<double[6][6]> const& D, Kokkos::View<double* [6]> const& b,
            Kokkos::View<int*> const& codes) {
  map(exec, SolveFormed{}, out(x), in(U), in(symmetric(C)), common(symmetric(D)), in(b),
      status(codes));
}

/// One factorisation serves both solutions.
struct SolveTwice {
  template <class X, class Y, class A, class B, class C>
  KOKKOS_FUNCTION void operator()(X& x, Y& y, A const& a, B const& b, C const& c) const {
    auto const factors = lu(a);
    x = solve(factors, b);
    y = solve(factors, c - x);
  }
};

void twice(Exec const& exec, Kokkos::View<double* [6]> const& x, Kokkos::View<double* [6]> const& y,
           Kokkos::View<double* [6][6]> const& A, Kokkos::View<double* [6]> const& b,
           Kokkos::View<double* [6]> const& c) {
  map(exec, SolveTwice{}, out(x), out(y), in(A), in(b), in(c));
}

void by_verbs(Exec const& exec, Kokkos::View<double***> const& A, Kokkos::View<double**> const& b,
              Kokkos::View<double**> const& x, Kokkos::View<int*> const& codes) {
  solve_lu(exec, in(A), in(b), out(x), status(codes));        // general matrices
  solve_cholesky(exec, in(A), in(b), out(x), status(codes));  // symmetric, positive definite
}

void report_failures(Kokkos::View<int*> const& codes) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::size_t n = 0; n < host.extent(0); ++n) {
    if (host(n) != 0)
      std::printf("system %zu: %s, pivot %d\n", n, to_string(Status::reason(host(n))),
                  Status::info(host(n)));
  }
}

// docs/reference/banded.md

void tridiagonal(Exec const& exec, Kokkos::View<double**> const& lower,
                 Kokkos::View<double**> const& diagonal, Kokkos::View<double**> const& upper,
                 Kokkos::View<double**> const& b, Kokkos::View<double**> const& x,
                 Kokkos::View<int*> const& codes) {
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
  solve_tridiagonal(exec, lower, diagonal, upper, x, x);  // in place
  // Neither diagonally dominant nor positive definite:
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
}

// docs/reference/dense/team.md

/// Ten steps of Newton's method for x_i^3 + the sum of all x = i: each team has one item.
template <class Solve>
struct Newton {
  Kokkos::View<double***> J;
  Kokkos::View<double**> r, dx, x;
  Solve solve;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const item = member.league_rank(), n = int(x.extent(1));
    for (int step = 0; step < 10; ++step) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), [&](int i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
          sum += x(item, j);
          J(item, i, j) = (i == j ? 3 * x(item, i) * x(item, i) : 0) + 1;
        }
        r(item, i) = i - x(item, i) * x(item, i) * x(item, i) - sum;
      });
      solve(member, item);  // has a team barrier before and after
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n),
                           [&](int i) { x(item, i) += dx(item, i); });
      member.team_barrier();
    }
  }
};

void inside_a_kernel(Exec const& exec, Kokkos::View<double***> const& J,
                     Kokkos::View<double**> const& r, Kokkos::View<double**> const& dx,
                     Kokkos::View<double**> const& x, Kokkos::View<int*> const& codes, int items) {
  auto const solve = team_solve_lu<Exec>(in(J), in(r), out(dx), status(codes));
  Newton const newton{J, r, dx, x, solve};

  int const team_size = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace> ? 1 : 128;
  Kokkos::TeamPolicy<Exec> policy(exec, items, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(solve.scratch_size(team_size))));
  Kokkos::parallel_for("newton", policy, newton);
}

void decompositions_inside_a_kernel(
    Kokkos::View<double***> const& A, Kokkos::View<double***> const& L,
    Kokkos::View<double***> const& U, Kokkos::View<double***> const& V,
    Kokkos::View<double***> const& Q, Kokkos::View<double***> const& R,
    Kokkos::View<double***> const& LU, Kokkos::View<int**> const& rows,
    Kokkos::View<double**> const& values, Kokkos::View<double**> const& b,
    Kokkos::View<double**> const& x, Kokkos::View<int*> const& codes) {
  auto const pairs = team_eigh<Exec>(in(A), out(values), out(V), status(codes));
  auto const triplets = team_svd<Exec>(in(A), out(U), out(values), out(V), status(codes));
  auto const orthogonal = team_qr<Exec>(in(A), out(Q), out(R), status(codes));
  auto const fit = team_least_squares<Exec>(in(A), in(b), out(x), status(codes));
  auto const factors = team_lu<Exec>(in(A), out(LU), out(rows), status(codes));
  auto const solve = team_solve_lu<Exec>(in(A), in(b), out(x), status(codes));
  auto const factor = team_cholesky<Exec>(in(A), out(L), status(codes));
  auto const solve_spd = team_solve_cholesky<Exec>(in(A), in(b), out(x), status(codes));
  (void)pairs, (void)triplets, (void)orthogonal, (void)fit, (void)factors, (void)solve,
      (void)factor, (void)solve_spd;
}

}  // namespace doc_dense
