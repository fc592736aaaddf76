// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code that the documentation shows and no example contains. It is compiled, so that it cannot
// become stale, and doc_snippets.cmake compares it with the documentation.
#include <Batchwork.hpp>
#include <cstdio>
#include <krylov/Batchwork_Solve.hpp>
#include <string>

using namespace Batchwork;

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int D = 4;

struct Smooth {  // exponential smoothing, with a weight for each item
  template <class Level, class Z, class Weight, class Smoothed>
  KOKKOS_FUNCTION void operator()(Level& level, Z const& z, Weight const& weight,
                                  Smoothed& smoothed) const {
    level += weight * (z - level);
    smoothed = level;
  }
};

struct CovarianceUpdate {
  template <class Out, class P, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(Out& p_new, P const& p, F const& f, Q const& q, H const& h,
                                  R const& r) const {
    auto prior = congruence(f, p, q);  // f p f' + q
    auto g = h * prior;
    auto s = symmetric_product(g, transpose(h), r);  // g h' + r
    auto y = solve(cholesky(s).lower(), g);
    p_new = downdate(prior, y);  // prior - y' y
  }
};

/// Uses its results only where they can be trusted.
struct Ratio {
  template <class Y, class A, class B>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, B const& b) const {
    auto const usable = b > 0.0;
    y = fail_where(!usable, Reason::not_finite, select(usable, a / b, 0.0));
  }
};

struct Steer {  // weights of a beam former: R^-1 s, R the covariance of the channels
  template <class W, class Power, class X, class S, class Noise>
  KOKKOS_FUNCTION void operator()(W& w, Power& power, X const& x, S const& s,
                                  Noise const& noise) const {
    auto const r = x * conjugate_transpose(x) + noise * identity<X::rows>(x);
    auto const y = solve(cholesky(r), s);
    power = 1 / real(dot(s, y));  // s' y, the first one conjugated
    w = power * y;
  }
};

struct Twice {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = 2 * x;
  }
};

}  // namespace

void parts(Exec const& exec, Kokkos::View<double* [6][6]> large, Kokkos::View<double* [2][3]> y) {
  auto const block = Kokkos::subview(large, Kokkos::ALL, Kokkos::pair(0, 2), Kokkos::pair(3, 6));
  map(exec, Twice{}, out(y), in(extents<2, 3>(block)));  // rows 0 and 1, columns 3 to 5
}

void steer(Exec const& exec, Kokkos::View<Kokkos::complex<float>* [4]> weights,
           Kokkos::View<float*> power, Kokkos::View<Kokkos::complex<float>* [4][6]> channels,
           Kokkos::View<Kokkos::complex<float>[4]> direction, float noise) {
  map(exec, Steer{}, out(weights), out(power), in(channels), common(direction),
      common(fixed(noise)));
}

using Host = Kokkos::DefaultHostExecutionSpace;

void with_a_lambda(Host const& host, Kokkos::View<double* [3], Host> products,
                   Kokkos::View<double* [3], Host> vectors,
                   Kokkos::View<double* [3][3], Host> matrices, double shift) {
  auto const shifted = [=](auto& y, auto const& a, auto const& x) { y = a * x + shift * x; };
  map(host, shifted, out(products), in(matrices), in(vectors));
}

void smooth(Exec const& exec, std::int64_t steps, Kokkos::View<double*> first,
            Kokkos::View<double*> last, Kokkos::View<double**> z, Kokkos::View<double*> weight,
            Kokkos::View<double**> smoothed) {
  scan(exec, steps, Smooth{}, carry(first, last), each(z), in(weight), emit(smoothed));
}

void products(Exec const& exec, Kokkos::View<float**> M, Kokkos::View<float***> N,
              Kokkos::View<float***> P, Kokkos::View<float***> Q) {
  gemm(exec, 1, common(M), in(N), 0, out(P));               // P_n = M N_n
  gemm(exec, -1, in(transposed(N)), in(P), 0.5, inout(Q));  // Q_n = Q_n / 2 - N_n' P_n
}

void with_status(Exec const& exec, Kokkos::View<double* [D][D]> P_new,
                 Kokkos::View<double* [D][D]> P, Kokkos::View<double[D][D]> F,
                 Kokkos::View<double[D][D]> Q, Kokkos::View<double[D][D]> H,
                 Kokkos::View<double[D][D]> R, Kokkos::View<int*> codes) {
  map(exec, CovarianceUpdate{}, out(P_new), in(symmetric(P)), common(F), common(symmetric(Q)),
      common(H), common(symmetric(R)), status(codes));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), codes);
  for (std::size_t n = 0; n < host.extent(0); ++n) {
    if (host(n) != 0)
      std::printf("item %zu: %s, pivot %d\n", n, to_string(Status::reason(host(n))),
                  Status::info(host(n)));
  }
}

void ratios(Exec const& exec, Kokkos::View<double*> y, Kokkos::View<double*> a,
            Kokkos::View<double*> b, Kokkos::View<int*> codes) {
  map(exec, launch("ratios").team_size(64), Ratio{}, out(y), in(a), in(b), status(codes));
}

void elimination(Exec const& exec, Kokkos::View<double***> A, Kokkos::View<double***> LU,
                 Kokkos::View<int**> rows, Kokkos::View<double**> b, Kokkos::View<double**> x,
                 Kokkos::View<int*> codes) {
  solve_lu(exec, in(A), in(b), out(x), status(codes));  // LAPACK's gesv for every item
  lu(exec, in(A), out(LU), out(rows));                  // or the factors
}

void tridiagonal(Exec const& exec, Kokkos::View<double**> lower, Kokkos::View<double**> diagonal,
                 Kokkos::View<double**> upper, Kokkos::View<double**> b, Kokkos::View<double**> x,
                 Kokkos::View<int*> codes) {
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, status(codes));
  solve_tridiagonal(exec, lower, diagonal, upper, x, x);  // in place
  // Neither diagonally dominant nor positive definite.
  solve_tridiagonal(exec, lower, diagonal, upper, b, x, partial_pivoting(), status(codes));
}

void restarted(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
               Kokkos::View<double**> values, Kokkos::View<double**> b, Kokkos::View<double**> x,
               std::int64_t items) {
  auto const A = csr(row_offsets, columns, values);
  auto const solver = gmres(30, relative(1e-8, 500));
  Kokkos::View<double*> const memory("memory", workspace_numbers(solver, jacobi(), A, items));
  solve(exec, solver, jacobi(), A, b, x, workspace(memory));
}

void copies(Exec const& exec, Kokkos::View<double***, Kokkos::LayoutRight> item_contiguous,
            Kokkos::View<double***, Kokkos::LayoutLeft> interleaved,
            Kokkos::View<double****, Kokkos::LayoutRight> groups, std::int64_t items) {
  pack(exec, compact(groups, items), item_contiguous);
  copy(exec, interleaved, transposed(item_contiguous));  // the transpose of every item
}

void filters(Exec const& exec, std::int64_t steps, Kokkos::View<double[D][D]> F,
             Kokkos::View<double[D][D]> Q, Kokkos::View<double[2][D]> H,
             Kokkos::View<double[2][2]> R, Kokkos::View<double* [D]> x0,
             Kokkos::View<double* [D][D]> P0, Kokkos::View<double** [2]> z,
             Kokkos::View<double** [D]> mean, Kokkos::View<double*> log_likelihood) {
  Kalman::filter(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(x0, P0), z,
                 Kalman::results().filtered_mean(mean).log_likelihood(log_likelihood));
}

void one_model(Exec const& exec, std::int64_t steps, Kokkos::View<double[D][D]> F,
               Kokkos::View<double[D][D]> Q, Kokkos::View<double[2][D]> H,
               Kokkos::View<double[2][2]> R, Kokkos::View<double[D]> x0,
               Kokkos::View<double[D][D]> P0, Kokkos::View<double** [2]> z,
               Kokkos::View<double*> log_likelihood) {
  Kalman::Gains<double, 4, 2> gains(steps);  // states, entries of an observation
  Kalman::filter(exec, steps, Kalman::model(common(F), common(Q), common(H), common(R)),
                 Kalman::start(common(x0), common(P0)), z,
                 Kalman::results().log_likelihood(log_likelihood), Kalman::complete(gains));
  exec.fence();  // gains is freed at the end of this function, and the kernels use it
}

/// A filter with a step of its own: the building blocks in a scan.
struct GatedStep {
  template <class X, class P, class L, class Z, class F, class Q, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, L& log_likelihood, Z const& z, F const& f, Q const& q,
                                  H const& h, R const& r) const {
    Kalman::predict(x, p, f, q);
    auto const distance = abs(element(z - h * x, 0));
    auto const gated = select(distance < 5.0, element(z, 0), Kokkos::nan(""));  // missing: skipped
    Kalman::update(x, p, log_likelihood, gated, h, r);
  }
};

void gated(Exec const& exec, std::int64_t steps, Kokkos::View<double[D][D]> F,
           Kokkos::View<double[D][D]> Q, Kokkos::View<double[1][D]> H, Kokkos::View<double[1][1]> R,
           Kokkos::View<double* [D]> x, Kokkos::View<double* [D][D]> P,
           Kokkos::View<double** [1]> z, Kokkos::View<double*> log_likelihood) {
  scan(exec, steps, GatedStep{}, carry(x, x), carry(symmetric(P), symmetric(P)),
       carry(common(fixed(0.0)), log_sum(log_likelihood, -0.5)), each(z), common(F),
       common(symmetric(Q)), common(H), common(symmetric(R)));
}

/// One observation for each of a million tracks, one kernel.
struct Observe {
  template <class X, class P, class Z, class H, class R>
  KOKKOS_FUNCTION void operator()(X& x, P& p, Z const& z, H const& h, R const& r) const {
    Kalman::update(x, p, z, h, r);
  }
};

void observed(Exec const& exec, Kokkos::View<double* [D]> x, Kokkos::View<double* [D][D]> P,
              Kokkos::View<double* [1]> z, Kokkos::View<double[1][D]> H,
              Kokkos::View<double[1][1]> R, Kokkos::View<int*> codes) {
  map(exec, Observe{}, inout(x), inout(symmetric(P)), in(z), common(H), common(symmetric(R)),
      status(codes));
}

/// The operator of a functor: the second difference.
struct Difference {
  int rows;

  template <class Lanes, class X, class Y>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, std::int64_t /*item*/, X const& x,
                                  Y const& y) const {
    lanes.for_each(rows, [&](int i) {
      y(i) = 2 * x(i) - (i > 0 ? x(i - 1) : 0) - (i + 1 < rows ? x(i + 1) : 0);
    });
  }
};

void beside_multiply(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                     Kokkos::View<double**> values, Kokkos::View<double*> shift,
                     Kokkos::View<double**> left, Kokkos::View<double**> right,
                     Kokkos::View<double**> x, Kokkos::View<double**> y,
                     Kokkos::View<double*> product, Kokkos::View<double*> length) {
  auto const A = csr(row_offsets, columns, values);
  add_scaled_identity(exec, shift, A, -1);  // A = shift I - A, a shift for each item
  equilibrate(exec, A, left, right);        // A is not changed by this, ...
  scale(exec, left, A, right);              // ... but by this, without rounding
  dot(exec, x, y, product);                 // product(item)
  norm(exec, x, length);                    // length(item)
}

void whole_solve(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                 Kokkos::View<double**> values, Kokkos::View<double**> b, Kokkos::View<double**> x,
                 std::int64_t items) {
  auto const A = csr(row_offsets, columns, values);
  auto const log = SolveLog<double>::allocated(items);
  // x is the start and the result.
  solve(exec, bicgstab(relative(1e-8, 500)), jacobi(), A, b, x, log);
  // "stagnated after 31 iterations, |b - A x| = 2.1e-07"
  for (auto const& item : outcomes(log))  // waits for the kernel
    if (!item.converged()) std::puts(item.text().c_str());
}

void scaled_solves(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                   Kokkos::View<double**> values, Kokkos::View<double**> b,
                   Kokkos::View<double**> x, Kokkos::View<double**> weights) {
  auto const A = csr(row_offsets, columns, values);
  // Rows and columns of every item scaled in the kernel, to a tolerance in the scaled norm.
  solve(exec, scaled(bicgstab(relative(1e-8, 500)), Scaling::both, TestNorm::scaled), jacobi(), A,
        b, x);
  // Weights of an integrator: 1 / (rtol |y_i| + atol_i).
  solve(exec, weighted(bicgstab(absolute(0.05)), weights), jacobi(), A, b, x);
}

void direct_solves(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                   Kokkos::View<double**> values, Kokkos::View<double**> b,
                   Kokkos::View<double**> x, std::int64_t items) {
  auto const A = csr(row_offsets, columns, values);
  auto solver = direct_lu(relative(1e-10));  // a DirectLu<>
  solver.refinements = 2;                    // steps at most, where |b - A x| is too large
  auto log = SolveLog<double>::allocated(items);
  log.reciprocal_condition = Kokkos::View<double*>("condition", items);
  solve(exec, solver, A, b, x, log);
}

template <class Matrices>
void factors_that_are_kept(Exec const& exec, Matrices const& A, Kokkos::View<double**> b,
                           Kokkos::View<double**> x, std::int64_t items,
                           SolveLog<double> const& log) {
  auto const solver = direct_lu(relative(1e-10));
  Kokkos::View<double*> kept("factors", factors_numbers(exec, solver, A, items));
  auto f = factorize(exec, solver, A, kept);  // a DirectFactors
  solve(exec, f, b, x);                       // as often as wanted
  f.refinements = 8;                          // at most, where A has changed since
  solve(exec, f, A, b, x, log);               // |b - A x| with the new A
}

void sparse_direct_solves(Exec const& exec, Kokkos::View<int*> row_offsets,
                          Kokkos::View<int*> columns, Kokkos::View<double**> values,
                          Kokkos::View<double**> b, Kokkos::View<double**> x, std::int64_t items) {
  auto const A = csr(row_offsets, columns, values);
  auto const symbolic = symbolic_lu(exec, A);  // a SymbolicLu, once for a pattern
  std::printf("%d entries of L and U, %d levels\n", int(symbolic.factor_entries()),
              symbolic.levels());
  auto solver = direct_lu(symbolic, relative(1e-10));  // a SparseDirectLu
  auto log = SolveLog<double>::allocated(items);
  log.dense_form = Kokkos::View<int*>("dense form", items);
  solve(exec, solver, A, b, x, log);
}

void residuals(Exec const& exec, Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
               Kokkos::View<double**> values, Kokkos::View<double**> x, Kokkos::View<double**> y,
               Kokkos::View<double**> r) {
  auto const A = csr(row_offsets, columns, values);
  check(A);                        // once for a pattern
  multiply(exec, A, x, y);         // y = A x
  multiply(exec, -1, A, x, 1, r);  // r = r - A x

  int const rows = int(A.rows());
  multiply(exec, matrix_free(rows, Difference{rows}), x, y);
}

void chosen_at_run_time(Exec const& exec, std::string const& solver,
                        std::string const& preconditioner, std::string const& format,
                        Kokkos::View<int*> row_offsets, Kokkos::View<int*> columns,
                        Kokkos::View<double**> entries, Kokkos::View<double***> matrices,
                        Kokkos::View<double**> b, Kokkos::View<double**> x, std::int64_t items) {
  SolveConfiguration how;
  how.solver = from_string<SolverKind>(solver);                          // "gmres"
  how.preconditioner = from_string<PreconditionerKind>(preconditioner);  // "block_jacobi"
  how.block_rows = 3;
  how.stop = relative(1e-8, 200);
  AnyMatrices<double> A;
  if (format == "csr") A = csr(row_offsets, columns, entries);
  else A = dense(matrices);
  Kokkos::View<double*> const memory("memory", workspace_numbers(exec, how, A, items));
  solve(exec, how, A, b, x, workspace(memory));  // of no numbers where none are needed
}

// docs/reference/operands.md

namespace {

struct Centre {
  template <class C, class Nodes>
  KOKKOS_FUNCTION void operator()(C& centre, Nodes const& nodes) const {
    centre = 0.25 * transpose(row(nodes, 0) + row(nodes, 1) + row(nodes, 2) + row(nodes, 3));
  }
};

}  // namespace

struct Point {
  double x, y, z;
};
void centres(Exec const& exec, Kokkos::View<Point*> const& centre,
             Kokkos::View<Point* [4]> const& nodes) {
  map(exec, Centre{}, out(components<double, 3>(centre)), in(components<double, 3>(nodes)));
}
