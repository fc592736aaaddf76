// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// cholesky, solve_cholesky, solve_lower, solve_upper: single operations on matrices of extents
/// known at run time, one kernel each.
#ifndef BATCHWORK_CHOLESKYVERBS_HPP
#define BATCHWORK_CHOLESKYVERBS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dense/cholesky/detail/Batchwork_TriangleChoice.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleHost.hpp"
#include "dense/cholesky/detail/Batchwork_TriangleLanes.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Call.hpp"
#include "launch/detail/Batchwork_EmptyItems.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"

namespace Batchwork {
namespace Impl {

/// True, or the compiler says that the Views of a call hold several types of numbers, or where the
/// execution space cannot reach them.
template <class Exec, class Result, class... Others>
constexpr bool require_triangle_views() {
  using T = typename Result::value_type;
  static_assert(!std::is_const_v<T>, "Batchwork: a const View cannot be written");
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Batchwork: cholesky, solve_cholesky and solve_lower take float or double");
  static_assert((std::is_same_v<T, std::remove_const_t<typename Others::value_type>> && ...),
                "Batchwork: all Views of a call hold the same type of numbers; give a, b and x (of "
                "cholesky a and l) in float, or all in double");
  require_reachable<(
      Kokkos::SpaceAccessibility<Exec, typename Result::memory_space>::accessible &&
      (Kokkos::SpaceAccessibility<Exec, typename Others::memory_space>::accessible && ...))>();
  return true;
}
template <class Kernel, class Exec, class T>
void launch_triangle_kernel(Exec const& exec, Call const& call, TriangleProblem<T> const& p,
                            DeviceLimits const& limits) {
  Kernel const kernel(p, limits);
  TeamShape const shape{kernel.teams(), kernel.team(), kernel.bytes()};
  auto const words = [&] {
    return LaunchWords{
        call.verb,
        "the matrices of " + call.parts[0].name() + " with " + std::to_string(p.n) + " rows",
        "use smaller blocks"};
  };
  std::string const label = kernel_label(call.verb, call.label);
  // Items may take the scratch that more teams would need.
  if constexpr (Kernel::always_fits)
    launch_teams<Kernel::largest_team, Kernel::wanted_teams>(exec, label, kernel, shape, words);
  else
    launch_teams_that_fit<Kernel::largest_team, Kernel::wanted_teams>(exec, label, kernel, shape,
                                                                      words);
}

/// The most rows of an item that fits into so many bytes of scratch.
template <class T>
int most_triangle_rows(std::size_t scratch, bool with_sides) {
  int tiles = 1;
  auto const bytes = [&](int t) {
    return std::size_t(TriangleScratch{t}.item_numbers(with_sides ? 1 : 0)) * sizeof(T) + 32;
  };
  while (bytes(tiles + 1) <= scratch) ++tiles;
  return 8 * tiles;
}

template <class T, int Rows, class Exec>
void launch_triangle_host(Exec const& exec, Call const& call, TriangleProblem<T> const& p) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  std::int64_t const threads = exec.concurrency();
  // Chunks large enough to be worth starting, small enough to keep all threads busy.
  std::int64_t const some = std::max(1, 64 / p.n);
  std::int64_t const per_chunk = std::clamp(p.items / (16 * threads), std::int64_t(1), 16 * some);
  Kokkos::parallel_for(kernel_label(call.verb, call.label),
                       Policy(exec, 0, (p.items + per_chunk - 1) / per_chunk),
                       TriangleHost<T, Rows>{p, per_chunk});
}

template <bool Factors, class Exec, class T>
void launch_triangle(Exec const& exec, Call const& call, std::int64_t n, std::int64_t columns,
                     TriangleProblem<T> p) {
  constexpr std::int64_t many = 1 << 20;
  if (columns > many)
    call.fail(call.parts[1].name() + " has " + std::to_string(columns) +
              " right-hand sides, more than the limit of " + std::to_string(many) +
              "; divide them");
  p.n = int(std::min(n, many));
  p.columns = int(columns);
  p.items = call.parts[0].d.items;
  p.factors = Factors;
  if (p.n == 0) return launch_empty_items<T>(exec, call, p.status, p.items);
  // Without right-hand sides the status is still that of the matrix (LAPACK's posv and trtrs).
  bool const solves = p.forward || p.backward,
             asks = p.items > 0 && (!solves || columns > 0 || p.status.wanted());
  if constexpr (runs_on_device<Exec>) {
    DeviceLimits const limits = Vendor::device_limits(exec);
    call.check_size(0, p.n, most_triangle_rows<T>(limits.scratch_of_team, solves),
                    "the " + std::to_string(limits.scratch_of_team) + " bytes of team scratch");
    if (!asks) return;
    if (launch_triangle_lanes<Factors>(exec, call, p)) return;
    with_kernel<Factors>(
        p, limits, [&]<class Kernel>() { launch_triangle_kernel<Kernel>(exec, call, p, limits); });
  } else {
    call.check_size(0, p.n, triangle_rows_on_host, "a host's buffers");
    if (!asks) return;
    if (p.n <= 32) launch_triangle_host<T, 32>(exec, call, p);
    else if (p.n <= 64) launch_triangle_host<T, 64>(exec, call, p);
    else if (p.n <= 128) launch_triangle_host<T, 128>(exec, call, p);
    else launch_triangle_host<T, triangle_rows_on_host>(exec, call, p);
  }
}

/// a and the result l, which may be the same operand; codes is status(...) or NoStatus.
template <bool InPlace, class Exec, class A, class L, class S>
void cholesky_batch(Exec const& exec, std::string const& label, A const& a_operand,
                    L const& l_operand, S const& codes) {
  auto const a = stored(a_operand);
  auto const l = stored(l_operand);
  static_assert(require_triangle_views<Exec, std::remove_const_t<decltype(l)>,
                                       std::remove_const_t<decltype(a)>>());
  require_matrix<decltype(l)>();
  require_matrix<decltype(a)>();
  using T = typename decltype(l)::value_type;

  Call call{"cholesky", {}, label};
  call.add("a", InPlace, a);
  if (!InPlace) call.add("l", true, l);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, codes);
  call.check({!InPlace && same_numbers(l, a), 0, 1});
  call.check_square(0, a.rows, a.cols);
  if (l.rows != a.rows || l.cols != a.cols)
    call.fail(call.parts[1].name() + " does not hold the factor of " + call.parts[0].name() +
              "; give one of " + call.parts[0].d.shape);
  p.a = a.storage.as_const();
  p.l = l.storage;
  p.stores_factor = true;
  launch_triangle<true>(exec, call, a.rows, 0, p);
}

/// By what is solved: by the Cholesky factor of the matrices, or by one of their triangles.
enum class SolvedBy { cholesky, lower, upper };

/// b and the solutions x may be the same operand.
template <SolvedBy By, bool InPlace, class Exec, class A, class B, class X, class S>
void solve_triangle_batch(Exec const& exec, std::string const& verb, std::string const& label,
                          A const& a_operand, B const& b_operand, X const& x_operand,
                          S const& codes) {
  constexpr bool is_turned = requires { a_operand.operand; }, Factors = By == SolvedBy::cholesky,
                 is_upper = By == SolvedBy::upper;
  auto const a = [&] {
    if constexpr (is_turned) return stored(a_operand.operand);
    else return stored(a_operand);
  }();
  auto const b = stored(b_operand);
  auto const x = stored(x_operand);
  static_assert(
      require_triangle_views<Exec, std::remove_const_t<decltype(x)>,
                             std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>>());
  require_matrix<decltype(a)>();
  static_assert(decltype(x)::tile_rank == decltype(b)::tile_rank && decltype(x)::tile_rank > 0,
                "Batchwork: b and x both hold vectors, (item, row), or both several right-hand "
                "sides, (item, row, column)");
  using T = typename decltype(x)::value_type;

  Call call{verb, {}, label};
  call.add(Factors ? "a" : is_upper ? "u" : "l", false, a);
  call.add("b", InPlace, b);
  if (!InPlace) call.add("x", true, x);
  TriangleProblem<T> p;
  p.status = status_target<Exec>(call, codes);
  call.check({!InPlace && same_numbers(x, b) && x.storage.row == b.storage.row, 1, 2});
  call.check_square(0, a.rows, a.cols);
  if (b.rows != a.rows)
    call.fail(call.parts[1].name() + " has " + std::to_string(b.rows) + " rows, but " +
              call.parts[0].name() + " has " + std::to_string(a.rows) +
              "; give right-hand sides of as many rows as the matrices");
  if (x.rows != b.rows || x.cols != b.cols)
    call.fail(call.parts[2].name() + " does not hold the solutions for " + call.parts[1].name() +
              "; give one of " + call.parts[1].d.shape);
  p.a = a.storage.as_const();
  // The factor of A' = A read from the other triangle; U is the transpose of a lower one.
  if ((Factors && is_turned) || is_upper) std::swap(p.a.row, p.a.col);
  p.b = b.storage.as_const();
  p.x = x.storage;
  p.forward = Factors || is_turned == is_upper;
  p.backward = Factors || is_turned != is_upper;
  launch_triangle<Factors>(exec, call, a.rows, b.cols, p);
}

/// cholesky of its operands, in either form.
struct CholeskyOfOperands {
  template <class Exec, class How, class... O>
  void operator()(Exec const& exec, How const& how, O const&... operands) const {
    using Given = OperandsGiven<How, O...>;
    constexpr bool apart = Given::template are<Kind::in, Kind::out>,
                   in_place = Given::template are<Kind::inout>;
    static_assert(
        apart || in_place,
        "Batchwork::cholesky: the arguments are [exec,] [launch(\"label\"),] in(A), out(L) "
        "[, status(codes)] in this order, or inout(A) in the place of both");
    if constexpr (in_place)
      [&](auto const& a, auto const&... rest) {
        cholesky_batch<true>(exec, label_alone(how), a, a, or_no_status(rest...));
      }(operands...);
    else if constexpr (apart)
      [&](auto const& a, auto const& l, auto const&... rest) {
        cholesky_batch<false>(exec, label_alone(how), a, l, or_no_status(rest...));
      }(operands...);
  }
};

/// solve_cholesky, solve_lower or solve_upper of their operands, in either form.
template <SolvedBy By>
struct SolveOfOperands {
  template <class Exec, class How, class... O>
  void operator()(Exec const& exec, How const& how, O const&... operands) const {
    using Given = OperandsGiven<How, O...>;
    constexpr bool apart = Given::template are<Kind::in, Kind::in, Kind::out>,
                   in_place = Given::template are<Kind::in, Kind::inout>;
    if constexpr (By == SolvedBy::cholesky)
      static_assert(
          apart || in_place,
          "Batchwork::solve_cholesky: the arguments are [exec,] [launch(\"label\"),] in(A), "
          "in(B), out(X) [, status(codes)] in this order, or inout(B) in the place of both");
    else if constexpr (By == SolvedBy::upper)
      static_assert(
          apart || in_place,
          "Batchwork::solve_upper: the arguments are [exec,] [launch(\"label\"),] in(U), "
          "in(B), out(X) [, status(codes)] in this order, or inout(B) in the place of both");
    else
      static_assert(
          apart || in_place,
          "Batchwork::solve_lower: the arguments are [exec,] [launch(\"label\"),] in(L), "
          "in(B), out(X) [, status(codes)] in this order, or inout(B) in the place of both");
    std::string const verb = By == SolvedBy::cholesky ? "solve_cholesky"
                             : By == SolvedBy::lower  ? "solve_lower"
                                                      : "solve_upper";
    if constexpr (in_place)
      [&](auto const& a, auto const& b, auto const&... rest) {
        solve_triangle_batch<By, true>(exec, verb, label_alone(how), a, b, b,
                                       or_no_status(rest...));
      }(operands...);
    else if constexpr (apart)
      [&](auto const& a, auto const& b, auto const& x, auto const&... rest) {
        solve_triangle_batch<By, false>(exec, verb, label_alone(how), a, b, x,
                                        or_no_status(rest...));
      }(operands...);
  }
};

}  // namespace Impl

/// The Cholesky factors of a batch: A_n = L_n L_n' for every item n, A_n being N x N, symmetric and
/// positive definite.
///
///   cholesky([exec,] [launch("label"),] in(A), out(L) [, status(codes)])
///   cholesky([exec,] [launch("label"),] inout(A) [, status(codes)])      the factors take the
///   place of the matrices
///
/// Of A the lower triangle is read; L is stored with zeros above its diagonal. float or double; N
/// is known at run time, at most what the team scratch that the device has holds: on an H200 136 in
/// float and 96 in double with Kokkos 4.6, 312 and 216 with 5.2 (on hosts 256; beyond 128 rows a
/// thread needs 0.6 MB of stack).
///
/// The Views have the item first, v(item, i, j), in LayoutLeft, LayoutRight or LayoutStride, or are
/// compact(view, n); transposed(...) around one of them stands for the transposes of its items, so
/// that of in(transposed(A)) the upper triangle is read, and out(transposed(L)) receives the upper
/// factor.
///
/// status(codes), if it is given, receives for each item 0, or the reason and LAPACK's info, as
/// cholesky(tile) gives them: a pivot that is not positive (or not a normal number) is
/// Reason::not_positive_definite, one that is NaN or infinite Reason::not_finite, both with its
/// 1-based index. Of such an item the columns of L before the pivot are as they should be, those
/// from it on are NaN. Other items come out bitwise as without it.
///
/// One kernel on the instance `exec`, labelled Batchwork::cholesky or Batchwork::cholesky(label);
/// asynchronous, allocates nothing, never fences. Zero items are no launch; the status is written
/// where there are no rows, too. N^3 / 3 operations an item. On devices a lane has an item of up to
/// 8 rows in registers, as cholesky(tile); 8 to 32 lanes of a warp have one of up to 64, by the
/// left-looking algorithm in panels of eight columns, a team has a larger one, by the right-looking
/// algorithm (Golub and Van Loan, Matrix Computations, 4th edition, section 4.2; LAPACK's potrf);
/// on hosts a thread has one. For items that are part of a longer sequence, and for extents up to
/// 64 known at compile time, see cholesky(tile) in map.
///
/// Throws std::invalid_argument before anything is launched: matrices that are not square, extents
/// or numbers of items that differ, items that are too large, null Views, too few groups, Views
/// that overlap other than in place.
template <Impl::BeginsCall First, class... Rest>
void cholesky(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::CholeskyOfOperands(), first, rest...);
}

/// The solutions of A_n x_n = b_n for every item n, A_n being N x N, symmetric and positive
/// definite: factorisation and both substitutions in one kernel, in which the factor does not leave
/// the chip.
///
///   solve_cholesky([exec,] [launch("label"),] in(A), in(B), out(X) [, status(codes)])
///   solve_cholesky([exec,] [launch("label"),] in(A), inout(B) [, status(codes)])      the
///   solutions take the place of B
///
/// Of A the lower triangle is read (the upper one of transposed(A)). B and X hold vectors, v(item,
/// i), or several right-hand sides, v(item, i, k). N^3 / 3 + 2 N^2 operations an item and
/// right-hand side.
///
/// Everything else is as in cholesky: Views, status, errors. Of an item that fails all of X is NaN;
/// where only a result is not finite the status is Reason::not_finite with an info of 0. On an H200
/// N is at most 136 in float and 88 in double with Kokkos 4.6, 312 and 216 with 5.2. Without
/// right-hand sides the status is still that of the factorisation, as in LAPACK's posv.
template <Impl::BeginsCall First, class... Rest>
void solve_cholesky(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::SolveOfOperands<Impl::SolvedBy::cholesky>(), first, rest...);
}

/// The solutions of L_n x_n = b_n, or with transposed(L) of L_n' x_n = b_n, for every item n, L_n
/// being N x N and lower triangular: what is above the diagonal is not used.
///
///   solve_lower([exec,] [launch("label"),] in(L), in(B), out(X) [, status(codes)])
///   solve_lower([exec,] [launch("label"),] in(L), inout(B) [, status(codes)])
///
/// With the factors of cholesky, the one after the other solves A_n x_n = b_n for right-hand sides
/// that come later. N^2 operations an item and right-hand side. (Golub and Van Loan, Matrix
/// Computations, 4th edition, section 3.1; LAPACK's trtrs.)
///
/// Views, right-hand sides and limits are as in solve_cholesky. A zero on the diagonal (or a number
/// whose reciprocal may overflow) gives Reason::breakdown, as in solve_triangular, one that is NaN
/// or infinite Reason::not_finite, both with its 1-based index, LAPACK's info of trtrs, without
/// right-hand sides, too: of several the smallest. That number of x, and those computed from it,
/// are NaN.
template <Impl::BeginsCall First, class... Rest>
void solve_lower(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::SolveOfOperands<Impl::SolvedBy::lower>(), first, rest...);
}

/// The solutions of U_n x_n = b_n, or with transposed(U) of U_n' x_n = b_n, for every item n, U_n
/// being N x N and upper triangular: what is below the diagonal is not used.
///
///   solve_upper([exec,] [launch("label"),] in(U), in(B), out(X) [, status(codes)])
///   solve_upper([exec,] [launch("label"),] in(U), inout(B) [, status(codes)])
///
/// With the R of qr, for instance. Everything is as in solve_lower; of several zeros on the
/// diagonal the smallest index is told.
template <Impl::BeginsCall First, class... Rest>
void solve_upper(First const& first, Rest const&... rest) {
  Impl::call_verb(Impl::SolveOfOperands<Impl::SolvedBy::upper>(), first, rest...);
}

}  // namespace Batchwork

#endif
