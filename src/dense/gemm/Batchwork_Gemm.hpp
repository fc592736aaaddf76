// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// gemm: the product of matrices of any size for all items of a batch, one kernel.
#ifndef BATCHWORK_GEMM_HPP
#define BATCHWORK_GEMM_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "dense/gemm/detail/Batchwork_GemmLaunch.hpp"
#include "launch/Batchwork_Launch.hpp"
#include "launch/detail/Batchwork_Check.hpp"
#include "launch/detail/Batchwork_GatheredCall.hpp"
#include "launch/detail/Batchwork_VerbCall.hpp"
#include "view/Batchwork_TransposedView.hpp"

namespace Batchwork {
namespace Impl {

/// An operand of a gemm: what its type says, and how it looks on the host.
template <class O>
struct GemmOperand {
  static_assert(
      is_operand<O>,
      "Batchwork::gemm: A and B are in(view) or common(...), C is out(view) or inout(view)");
};

template <Kind K, class V, Structure St, bool IsCompact, int... E, BatchIndices Indices>
struct GemmOperand<Operand<K, Source<Adapted<V, St, IsCompact, E...>, Indices>>> {
  static_assert(
      K == Kind::in || K == Kind::common || K == Kind::out || K == Kind::inout,
      "Batchwork::gemm: A and B are in(view) or common(...), C is out(view) or inout(view)");
  static_assert(St == Structure::general,
                "Batchwork::gemm reads all entries; leave out symmetric, lower and diagonal");
  static_assert(!IsCompact,
                "Batchwork::gemm does not take compact(view, n); unpack the View first");
  using Src = Source<Adapted<V, St, IsCompact, E...>, Indices>;
  using view_type = V;
  using T = typename Src::T;
  static constexpr Kind kind = K;
  static constexpr bool shared = K == Kind::common;
  static constexpr int rank = Src::tile_rank;
  static_assert(
      rank > 0,
      "Batchwork::gemm: the View's rank does not fit the operand: matrices have two indices, "
      "vectors (of one column) one, after the item index");

  GemmSide<typename Src::value_type> side;
  std::int64_t rows, cols = 1;
  Part part;

  GemmOperand(Operand<K, Src> const& o, int position) : part{position, role_of(K), writes(K), {}} {
    V const& v = o.source.view;
    side.data = v.data();
    if constexpr (!shared) side.item = o.source.stride(0);
    side.row = o.source.stride(Src::lead);
    rows = std::int64_t(v.extent(Src::lead));
    if constexpr (rank == 2) {
      side.col = o.source.stride(Src::lead + 1);
      cols = std::int64_t(v.extent(Src::lead + 1));
    } else {
      side.col = rows * side.row;
    }
    Description& d = part.d;
    d = describe_view(v);
    if (!shared) d.items = std::int64_t(v.extent(0));
    if constexpr (sizeof...(E) == std::size_t(rank)) {
      constexpr int given[] = {E...};
      for (int r = 0; r < rank; ++r)
        if (d.problem.empty() && std::int64_t(v.extent(Src::lead + r)) != given[r])
          d.problem =
              "the View's own extents differ from those given by extents<...>; give the extents "
              "the View has";
    }
    constexpr std::int64_t most = std::int64_t(1) << 30;
    if (rows > most || cols > most)
      d.problem = "an extent of its matrices is over the limit of 2^30; multiply by blocks";
    if (o.source.reversed) d.problem = reversed_problem;
    describe_shape();
  }
  void turn() {
    side = side.turned();
    std::swap(rows, cols);
    describe_shape();
  }
  void describe_shape() { part.d.shape = std::to_string(rows) + "x" + std::to_string(cols); }
  static constexpr std::size_t fixed_bytes = 0;
};

/// Items anywhere in memory.
template <Kind K, class U, int Rank, class Memory>
struct GemmOperand<Operand<K, ItemsAnywhere<U, Rank, Memory>>> {
  static_assert(Rank > 0, "Batchwork::gemm: an item is a matrix or a vector");
  using view_type = Kokkos::View<U*, Memory>;
  using T = std::remove_const_t<U>;
  static constexpr Kind kind = K;
  static constexpr bool shared = false;
  static constexpr std::size_t fixed_bytes = 0;

  GemmSide<U> side;
  std::int64_t rows, cols;
  Part part;

  GemmOperand(Operand<K, ItemsAnywhere<U, Rank, Memory>> const& o, int position)
      : rows(o.source.batch.rows),
        cols(o.source.batch.cols),
        part{position, role_of(K), writes(K), o.source.batch.description} {
    Storage<U> const& s = o.source.batch.storage;
    side.data = s.data;
    side.item = s.lane;
    side.row = s.row;
    side.col = Rank == 2 ? s.col : rows * s.row;
    side.begins = begins_of(s);
    describe_shape();
  }
  void turn() {
    side = side.turned();
    std::swap(rows, cols);
    describe_shape();
  }
  void describe_shape() { part.d.shape = std::to_string(rows) + "x" + std::to_string(cols); }
};

/// A value that travels with the launch. Its numbers get their address in the kernel.
template <class U, class Sh>
struct GemmOperand<Operand<Kind::fixed, Fixed<U, Sh>>> {
  static_assert(Sh::structure == Structure::general && Sh::rank > 0,
                "Batchwork::gemm: a fixed operand is a Matrix or a Vector");
  static_assert(sizeof(Fixed<U, Sh>) <= bytes_of_large_fixed,
                "Batchwork::gemm: a fixed operand has at most 8192 bytes; use common(view)");
  using T = U;
  static constexpr Kind kind = Kind::fixed;
  static constexpr bool shared = true;

  GemmSide<T const> side{nullptr, 0, Sh::rank == 2 ? Sh::cols : 1, Sh::rank == 2 ? 1 : Sh::rows};
  std::int64_t rows = Sh::rows, cols = Sh::rank == 2 ? Sh::cols : 1;
  Part part;
  Fixed<U, Sh> value;

  GemmOperand(Operand<Kind::fixed, Fixed<U, Sh>> const& o, int position)
      : part{position, role_of(Kind::fixed), false, {}}, value(o.source) {
    part.d.extents = "(none)";
    part.d.shape = Sh::text();
  }
  static constexpr std::size_t fixed_bytes =
      sizeof(Fixed<U, Sh>) <= bytes_of_small_fixed ? bytes_of_small_fixed : bytes_of_large_fixed;
  GemmFixed<T, fixed_bytes> fixed() const {
    GemmFixed<T, fixed_bytes> f{};
    for (int i = 0; i < Fixed<U, Sh>::size; ++i) f.values[i] = value.values[i];
    return f;
  }
};

template <class O>
struct GemmOperand<TransposedOperand<O>> : GemmOperand<O> {
  GemmOperand(TransposedOperand<O> const& o, int position) : GemmOperand<O>(o.operand, position) {
    this->turn();
  }
};

template <class Exec, class X>
constexpr bool gemm_accessible() {
  if constexpr (X::kind == Kind::fixed) return true;
  else return Kokkos::SpaceAccessibility<Exec, typename X::view_type::memory_space>::accessible;
}

inline void check_gemm(Part const& a, std::int64_t a_cols, Part const& b, std::int64_t b_rows,
                       Part const& c, std::string const& product, bool reads_c, double beta) {
  auto const fail = [](std::string const& what) { refuse_call("gemm", what); };
  std::vector<Part> parts;
  // A fixed operand has no View that could be missing or shared.
  for (Part const* p : {&a, &b, &c})
    if (p->role != role_of(Kind::fixed)) parts.push_back(*p);
  CallChecks<>::operands("gemm", parts, 0);
  if (a_cols != b_rows)
    fail(a.name() + " has " + std::to_string(a_cols) + " columns, but " + b.name() + " has " +
         std::to_string(b_rows) +
         " rows; give extents M x K and K x N, or transposed(view) for a transpose");
  if (c.d.shape != product)
    fail(c.name() + " does not hold the product of " + a.name() + " and " + b.name() +
         "; give a View with items of " + product + ", or transposed(view) for a transpose");
  if (!reads_c && beta != 0)
    fail("beta is " + std::to_string(beta) + ", but " + c.name() +
         " is not read, because it is out(view); pass inout(view), or a beta of zero");
}

struct GemmCall {
  static constexpr bool takes_padding = true;
  template <class Exec, class A, class B, class C>
  void operator()(Exec const& exec, Launch<> const& how, std::convertible_to<double> auto alpha,
                  A const& a_operand, B const& b_operand, std::convertible_to<double> auto beta,
                  C const& c_operand) const {
    using OfA = GemmOperand<A>;
    using OfB = GemmOperand<B>;
    using OfC = GemmOperand<C>;
    using T = typename OfC::T;
    static_assert(require_kernels<KernelSet::dense, Exec>());
    static_assert((OfA::kind == Kind::in || OfA::shared) && (OfB::kind == Kind::in || OfB::shared),
                  "Batchwork::gemm: A and B are in(view) or common(...)");
    static_assert(OfC::kind == Kind::out || OfC::kind == Kind::inout,
                  "Batchwork::gemm: C is out(view) or inout(view)");
    static_assert(!(OfA::shared && OfB::shared),
                  "Batchwork::gemm: A and B are both common, so all items are the same; pass one "
                  "of them as in(view)");
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "Batchwork::gemm: the Views hold float or double");
    static_assert(std::is_same_v<T, typename OfA::T> && std::is_same_v<T, typename OfB::T>,
                  "Batchwork::gemm: A, B and C hold the same type of numbers");
    require_reachable<(gemm_accessible<Exec, OfA>() && gemm_accessible<Exec, OfB>() &&
                       gemm_accessible<Exec, OfC>())>();

    OfA const a(a_operand, 1);
    OfB const b(b_operand, 2);
    OfC const c(c_operand, 3);
    check_gemm(a.part, a.cols, b.part, b.rows, c.part,
               std::to_string(a.rows) + "x" + std::to_string(b.cols), OfC::kind == Kind::inout,
               double(beta));

    static_assert(OfA::fixed_bytes + OfB::fixed_bytes <= Vendor::fixed_bytes<Exec>,
                  "Batchwork: fixed operands hold more than a launch can carry on this execution "
                  "space; use common(view)");
    GemmProblem<T> p;
    p.a = {a.side.data, a.side.item, a.side.row, a.side.col, a.side.begins};
    p.b = {b.side.data, b.side.item, b.side.row, b.side.col, b.side.begins};
    p.c = c.side;
    p.items = c.part.d.items;
    p.m = a.rows;
    p.n = b.cols;
    p.k = a.cols;
    p.alpha = T(alpha);
    p.beta = T(beta);
    p.shared_a = OfA::shared;
    p.shared_b = OfB::shared;
    std::string const label = kernel_label("gemm", label_alone(how));
    // Of A and B one at most is fixed.
    using Launch = GemmLaunch<T, OfA::fixed_bytes + OfB::fixed_bytes, Exec>;
    if constexpr (OfA::kind == Kind::fixed) Launch::run(exec, label, p, a.fixed());
    else if constexpr (OfB::kind == Kind::fixed) Launch::run(exec, label, p, b.fixed());
    else Launch::run(exec, label, p, GemmViewed{});
  }
};

}  // namespace Impl

/// The products C_n = alpha A_n B_n + beta C_n for every item n, A_n being M x K, B_n K x N and C_n
/// M x N.
///
/// \code
/// gemm(exec, 1, in(A), in(B), 0, out(C));                // C_n = A_n B_n
/// gemm(exec, 2, in(transposed(A)), in(B), 1, inout(C));  // C_n = 2 A_n' B_n + C_n
/// gemm(exec, 1, common(M), in(B), 0, out(C));            // C_n = M B_n, one M for all items
/// \endcode
///
/// float or double. Extents are known at run time, and at most 2^30. Vectors, v(item, i) or v(i),
/// are matrices of one column. in(transposed(v)) takes the transpose of every matrix. compact Views
/// and structured operands (symmetric, lower, diagonal) are not accepted. With alpha or K zero, A
/// and B are not read.
///
/// One kernel, labelled Batchwork::gemm or Batchwork::gemm(label). Asynchronous, allocates nothing,
/// never fences. With 0 items nothing is launched. The order of the additions differs from a loop;
/// it depends on the sizes, and may depend on the number of items.
///
/// Cost: 2 M N K operations an item. Any strides work; fast layouts have rows or columns of a
/// matrix, or neighbouring items, contiguous in all of A, B and C.
///
/// Source: on devices blocks in team scratch and registers (Volkov and Demmel, Benchmarking GPUs to
/// tune dense linear algebra, 2008); on hosts register blocks and copied panels (Goto and van de
/// Geijn, Anatomy of high-performance matrix multiplication, 2008).
///
/// \param exec   execution space instance; optional, as launch("label")
/// \param alpha  number
/// \param A      in(v), v(item, i, j), common(v), v(i, j), or common(fixed(tile)): M x K
/// \param B      the same: K x N. At most one of A and B is common
/// \param beta   number; 0 if C is out(v)
/// \param C      out(v), which is not read, or inout(v), which is read unless beta is 0: M x N
/// \throws std::invalid_argument before the launch: different numbers of items, shapes that do not
///         fit together, a beta other than 0 with out(v), null Views, a C that shares elements with
///         A or B
template <class... X>
void gemm(X const&... arguments) {
  static_assert(Impl::Takes<Impl::GemmCall, X...>,
                "Batchwork::gemm: the arguments are [exec,] [launch(\"label\"),] alpha, A, B, "
                "beta, C in this order");
  Impl::call_verb(Impl::GemmCall(), arguments...);
}

}  // namespace Batchwork

#endif
