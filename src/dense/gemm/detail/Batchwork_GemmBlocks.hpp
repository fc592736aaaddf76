// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The kernel of a gemm on devices for matrices beyond 16 rows or columns: blocks of C of a size
/// known at compile time (Volkov and Demmel 2008; blocks and slabs as in Goto and van de Geijn
/// 2008). Slabs of A and B are staged in scratch, each term's numbers side by side, the next slab
/// while this one is multiplied. All that depends on sizes and strides is computed before the loop
/// over the slabs; in it a step is added for every copy. Lines beyond an edge are zero, or repeat
/// the last one, and are not stored; terms beyond the last one are zero.
#ifndef BATCHWORK_GEMMBLOCKS_HPP
#define BATCHWORK_GEMMBLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/Batchwork_QuickDivisor.hpp"
#include "core/detail/backend/Batchwork_AsyncCopy.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_MemoryAccess.hpp"
#include "core/detail/backend/Batchwork_Scheduling.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "dense/gemm/detail/Batchwork_GemmBlocking.hpp"
#include "dense/gemm/detail/Batchwork_GemmLines.hpp"
#include "team/detail/Batchwork_WarpTiles.hpp"

namespace Batchwork::Impl {

/// A block of Rows x Cols, in groups of GroupRows x GroupCols. A thread computes ThreadRows x
/// ThreadCols numbers of a group. A team has `Slots` blocks; a multiprocessor is to hold `Teams`
/// teams.
template <int Rows, int Cols, int GroupRows, int GroupCols, int ThreadRows, int ThreadCols,
          int Slots, int Teams>
struct GemmBlock {
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int group_rows = GroupRows, group_cols = GroupCols;
  static constexpr int thread_rows = ThreadRows, thread_cols = ThreadCols;
  static constexpr int slots = Slots, teams = Teams;
  static constexpr int threads = Rows / ThreadRows * (Cols / ThreadCols);
  static constexpr int team = threads * Slots;
};

enum class GemmBlockKind { of_32x32, of_32x128, of_48x48, of_64x64, of_128x64, of_128x128 };

/// In float, the larger a thread's tile the fewer reads from scratch for a multiply-add: 64 of
/// these per 16 words read, or 128 per 24. In double a group is what a warp multiplies by matrix
/// instructions.
template <class T, GemmBlockKind Kind>
struct GemmBlockOf {
  using type = void;
};
template <>
struct GemmBlockOf<float, GemmBlockKind::of_32x32> {
  using type = GemmBlock<32, 32, 32, 32, 8, 4, 4, 4>;
};
template <>
struct GemmBlockOf<float, GemmBlockKind::of_32x128> {
  using type = GemmBlock<32, 128, 32, 128, 8, 8, 2, 3>;
};
template <>
struct GemmBlockOf<float, GemmBlockKind::of_48x48> {
  using type = GemmBlock<48, 48, 48, 48, 12, 4, 2, 5>;
};
template <>
struct GemmBlockOf<float, GemmBlockKind::of_64x64> {
  using type = GemmBlock<64, 64, 64, 64, 8, 8, 2, 3>;
};
template <>
struct GemmBlockOf<float, GemmBlockKind::of_128x128> {
  using type = GemmBlock<128, 128, 128, 128, 16, 8, 1, 2>;
};
template <>
struct GemmBlockOf<double, GemmBlockKind::of_32x32> {
  using type = GemmBlock<32, 32, 32, 32, 4, 8, 4, 3>;
};
template <>
struct GemmBlockOf<double, GemmBlockKind::of_64x64> {
  using type = GemmBlock<64, 64, 32, 32, 4, 8, 1, 3>;
};
template <>
struct GemmBlockOf<double, GemmBlockKind::of_128x64> {
  using type = GemmBlock<128, 64, 64, 32, 8, 8, 1, 2>;
};

/// Runs f.template operator()<Kind>() for a kind that numbers of type T have blocks of.
template <class T, class F>
void with_gemm_block(GemmBlockKind kind, F const& f) {
  if (kind == GemmBlockKind::of_32x32) f.template operator()<GemmBlockKind::of_32x32>();
  else if (kind == GemmBlockKind::of_64x64) f.template operator()<GemmBlockKind::of_64x64>();
  else if constexpr (sizeof(T) == 4) {
    if (kind == GemmBlockKind::of_32x128) f.template operator()<GemmBlockKind::of_32x128>();
    else if (kind == GemmBlockKind::of_48x48) f.template operator()<GemmBlockKind::of_48x48>();
    else f.template operator()<GemmBlockKind::of_128x128>();
  } else {
    f.template operator()<GemmBlockKind::of_128x64>();
  }
}

/// How an operand is copied to scratch: neighbouring threads along the terms of its lines, or along
/// the lines.
struct GemmReading {
  bool along_terms = false;
  bool wide = false;         ///< 16 bytes at once, of neighbouring lines
  bool even = true;          ///< its lines are equally far apart wherever the items begin
  std::int64_t line = 0;     ///< from a line to the next one
  std::int64_t term = 0;     ///< from a term to the next one
  std::int64_t step = 0;     ///< from a copy of a thread to the next one
  std::int64_t advance = 0;  ///< from a slab to the next one
};

/// Apart: a thread's rows and columns are not in runs of 16 bytes, so that neighbouring threads
/// store neighbouring numbers where runs of C are not aligned: each thread's run would touch a
/// sector of memory four times. Matrix instructions, whose lanes hold runs of a row, then compute
/// the transpose: columns of C are side by side in memory.
template <class T, class Block, bool Apart = false>
struct GemmBlocks {
  using block_type = Block;
  static constexpr bool by_matrices = Vendor::multiplies_by_warps<T>;
  static constexpr bool transposes = Apart && by_matrices;
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int threads = Block::threads;
  static constexpr int slab = 8;  ///< terms that are staged at once
  /// Four more than lines, so that copies along the terms meet in no bank.
  static constexpr int pitch_a = Block::rows + 4, pitch_b = Block::cols + 4;
  static constexpr int stage = slab * (pitch_a + pitch_b);
  static constexpr int thread_rows = Block::thread_rows, thread_cols = Block::thread_cols;
  /// A thread's rows and columns are in runs; the runs of the threads of a group stand side by
  /// side.
  static constexpr int row_run = sizeof(T) == 4 && !Apart ? 4 : 1, col_run = Apart ? 1 : wide;
  static constexpr int threads_down = Block::group_rows / thread_rows;
  static constexpr int threads_across = Block::group_cols / thread_cols;
  static constexpr int groups_across = Block::cols / Block::group_cols;
  using Wide = Unit<T>;
  using Sums = T[thread_rows][thread_cols];

  /// What a thread copies of every slab of an operand.
  template <int Lines>
  struct Copies {
    static constexpr int pitch = Lines + 4;
    static constexpr int count = Lines * slab / threads;
    static constexpr int lines = Lines > threads ? Lines / threads : 1;  ///< of its own
    T const* source[lines];  ///< the first term that is copied of each
    T* target;
    int line, term;  ///< the first ones

    /// From a copy to the next one: terms, where runs of V lines are copied, or lines, where terms
    /// are.
    template <int V>
    static constexpr BATCHWORK_INLINE int step() {
      if constexpr (V == 0) return threads / slab;
      else return threads * V > Lines ? threads * V / Lines : 1;
    }
  };

  GemmProblem<T> p;
  GemmReading a, b;
  bool rows_adjacent = false;  ///< of C; else columns are
  bool stores_wide = false;
  bool wraps = false;
  QuickDivisor period;
  std::int64_t row_blocks = 1, col_blocks = 1, blocks = 0;
  int stages =
      2;  ///< slabs of a slot in scratch: one is multiplied while the others are copied, 2 to 4

  explicit GemmBlocks(GemmProblem<T> const& problem) : p(problem) {
    a = reading<Block::rows>(p.a, p.a.row, p.a.col, p.m);
    b = reading<Block::cols>(p.b, p.b.col, p.b.row, p.n);
    b.even = !p.shared_a || p.items == 1;
    rows_adjacent = p.c.row < p.c.col;
    stores_wide = rows_adjacent ? row_run == wide && gemm_aligned(p.c, p.c.row, p.c.col, p.m)
                                : gemm_aligned(p.c, p.c.col, p.c.row, p.n);
    wraps = p.n <= gemm_largest_period;
    period = QuickDivisor(p.n);
    row_blocks = (p.m + Block::rows - 1) / Block::rows;
    col_blocks = (columns() + Block::cols - 1) / Block::cols;
    blocks = row_blocks * col_blocks;
    if (!p.shared_a) blocks *= p.items;
  }
  /// Whether neighbouring threads store neighbouring numbers, or whole runs, if they are not apart.
  bool stores_well() const { return stores_wide || (sizeof(T) == 8 && rows_adjacent); }
  template <int Lines>
  static GemmReading reading(GemmSide<T const> const& side, std::int64_t line, std::int64_t term,
                             std::int64_t extent) {
    bool const along_terms = term < line;
    bool const aligned = !along_terms && gemm_aligned(side, line, term, extent);
    std::int64_t const step = along_terms ? Copies<Lines>::template step<0>() * line
                              : aligned   ? Copies<Lines>::template step<wide>() * term
                                          : Copies<Lines>::template step<1>() * term;
    return {along_terms, aligned, true, line, term, step, slab * term};
  }
  std::int64_t teams() const { return (blocks + Block::slots - 1) / Block::slots; }
  static constexpr BATCHWORK_INLINE std::size_t scratch_bytes(int stages) {
    return std::size_t(Block::slots * stage * stages) * sizeof(T) + 16;
  }
  static_assert(scratch_bytes(2) <= scratch_of_a_team);
  std::size_t bytes() const { return scratch_bytes(stages); }
  /// As many slabs in flight as the device has scratch for. The smallest blocks have three, which
  /// leaves room for more teams: a slab is multiplied faster than one arrives (measured on an
  /// H200).
  void use_scratch(DeviceLimits const& limits) {
    stages = !Vendor::has_async_copies ? 2 : Block::rows * Block::cols <= 32 * 32 ? 3 : 4;
    while (stages > 2 && !limits.holds(Block::teams, Block::team, bytes())) --stages;
  }

  // ---- where a block is
  // ---------------------------------------------------------------------------------------------

  /// Of all items where A is shared.
  BATCHWORK_INLINE std::int64_t columns() const { return p.shared_a ? p.n * p.items : p.n; }

  struct BlockPosition {
    std::int64_t item, row, col;  ///< `col` within the item
    std::int64_t cols;            ///< that there are from there on
  };
  BATCHWORK_INLINE BlockPosition position_of(std::int64_t block) const {
    std::int64_t const rest = row_blocks == 1 ? block : block / row_blocks;
    std::int64_t const row = (block - rest * row_blocks) * Block::rows;
    if (p.shared_a) {
      std::int64_t const col = rest * Block::cols;
      std::int64_t const item = p.items == 1 ? 0 : col / p.n;
      return {item, row, col - item * p.n, columns() - col};
    }
    std::int64_t const item = col_blocks == 1 ? rest : rest / col_blocks;
    std::int64_t const col = (rest - item * col_blocks) * Block::cols;
    return {item, row, col, p.n - col};
  }
  BATCHWORK_INLINE GemmLines columns_from(BlockPosition const& at) const {
    if (p.shared_a) return {at.item, at.col, p.n, p.n, p.items, period, wraps};
    return {at.item, at.col, std::int64_t(1) << 60, p.n, p.items, period, false};
  }

  // ---- copies to scratch
  // ---------------------------------------------------------------------------------------------

  /// \param address  of the first term of a line, given how many lines from there on are read at
  /// once
  template <int Lines, class Address>
  static BATCHWORK_INLINE Copies<Lines> copies_of(T* scratch, GemmReading const& how, int thread,
                                                  Address const& address) {
    using C = Copies<Lines>;
    constexpr int runs = Lines / wide;
    static_assert(threads % runs == 0 && threads % slab == 0);
    static_assert(threads % Lines == 0 || Lines % threads == 0);
    C c;
    c.line = how.along_terms ? thread / slab : how.wide ? thread % runs * wide : thread % Lines;
    c.term = how.along_terms ? thread % slab : how.wide ? thread / runs : thread / Lines;
    c.target = scratch + c.term * C::pitch + c.line;
    BATCHWORK_UNROLL
    for (int n = 0; n < C::lines; ++n)
      c.source[n] =
          address(n == 0 ? c.line : thread + n * threads, how.wide ? wide : 1) + c.term * how.term;
    return c;
  }

  /// Copies a slab with `terms` and `lines` left to `to` numbers after the first buffer, and
  /// advances to the next slab.
  /// \param address  of lines that are not evenly apart, or nullptr where all are
  template <int Lines, class Address>
  static BATCHWORK_INLINE void copy(Copies<Lines>& c, GemmReading const& how, int to, int terms,
                                    int lines, Address const& address) {
    using C = Copies<Lines>;
    constexpr int bytes = int(sizeof(T));
    constexpr bool even = std::is_null_pointer_v<Address>;
    T* const target = c.target + to;
    if (how.along_terms) {
      constexpr int step = C::template step<0>();
      int const ends = c.term < terms ? lines - c.line : 0;
      if (even || how.even) {
        T const* source = c.source[0];
        BATCHWORK_UNROLL
        for (int j = 0; j < C::count; ++j) {
          Vendor::copy_async<bytes>(target + j * step, source, j * step < ends);
          source += how.step;
        }
      } else if constexpr (!even) {
        std::int64_t const done = c.source[0] - address(c.line, 1);
        BATCHWORK_KEEP_LOOP
        for (int j = 0; j < C::count; ++j)
          Vendor::copy_async<bytes>(target + j * step, address(c.line + j * step, 1) + done,
                                    j * step < ends);
      }
    } else if (how.wide) {
      constexpr int step = C::template step<wide>();
      T const* source = c.source[0];
      BATCHWORK_UNROLL
      for (int j = 0; j < C::count / wide; ++j) {
        Vendor::copy_async<16>(target + j * step * C::pitch, source, c.term + j * step < terms);
        source += how.step;
      }
    } else {
      constexpr int step = C::template step<1>();
      BATCHWORK_UNROLL
      for (int n = 0; n < C::lines; ++n) {
        T const* source = c.source[n];
        BATCHWORK_UNROLL
        for (int j = 0; j < C::count / C::lines; ++j) {
          Vendor::copy_async<bytes>(target + n * threads + j * step * C::pitch, source,
                                    c.term + j * step < terms);
          source += how.step;
        }
      }
    }
    BATCHWORK_UNROLL
    for (int n = 0; n < C::lines; ++n) c.source[n] += how.advance;
  }

  // ---- a thread's own numbers
  // ---------------------------------------------------------------------------------------------

  struct Mine {
    int row, col;  ///< where its runs begin
  };
  BATCHWORK_INLINE Mine mine_of(int thread) const {
    constexpr int in_group = threads_down * threads_across;
    int const group = thread / in_group, rank = thread % in_group;
    if constexpr (transposes)
      return {group / groups_across * Block::group_rows + rank % 4 * 2,
              group % groups_across * Block::group_cols + rank / 4};
    // Neighbouring threads store neighbouring numbers; the lanes of matrix instructions are where
    // these want them.
    bool const down = sizeof(T) == 4 && rows_adjacent;
    int const row = down ? rank % threads_down : rank / threads_across;
    int const col = down ? rank / threads_down : rank % threads_across;
    return {group / groups_across * Block::group_rows + row * row_run,
            group % groups_across * Block::group_cols + col * col_run};
  }
  static constexpr BATCHWORK_INLINE int row_of(int r) {
    return r / row_run * threads_down * row_run + r % row_run;
  }
  static constexpr BATCHWORK_INLINE int col_of(int c) {
    return c / col_run * threads_across * col_run + c % col_run;
  }

  /// N numbers in runs of Run, `Step` apart.
  template <int Run, int Step, int N>
  static BATCHWORK_INLINE void read(T (&x)[N], T const* from) {
    BATCHWORK_UNROLL
    for (int h = 0; h < N / Run; ++h) {
      if constexpr (Run == wide) {
        Wide const u = *reinterpret_cast<Wide const*>(from + h * Step);
        BATCHWORK_UNROLL
        for (int v = 0; v < Run; ++v) x[h * Run + v] = u.v[v];
      } else {
        static_assert(Run == 1);
        x[h] = from[h * Step];
      }
    }
  }
  /// Multiplies a slab; the numbers of a term are read while the term before is multiplied.
  static BATCHWORK_INLINE void multiply(Sums& sums, T const* from_a, T const* from_b) {
    T x[2][thread_rows], y[2][thread_cols];
    auto const fetch = [&](int k) {
      read<row_run, threads_down * row_run>(x[k % 2], from_a + k * pitch_a);
      read<col_run, threads_across * col_run>(y[k % 2], from_b + k * pitch_b);
    };
    fetch(0);
    BATCHWORK_UNROLL
    for (int k = 0; k < slab; ++k) {
      if (k + 1 < slab) fetch(k + 1);
      BATCHWORK_UNROLL
      for (int r = 0; r < thread_rows; ++r) {
        BATCHWORK_UNROLL
        for (int c = 0; c < thread_cols; ++c) sums[r][c] += x[k % 2][r] * y[k % 2][c];
      }
    }
  }
  /// The same by matrix instructions; `a` and `b` belong to the lane's group, and `lane` is its
  /// rank.
  static BATCHWORK_INLINE void multiply_by_matrices(Sums& sums, T const* a, T const* b, int lane) {
    static_assert(slab % terms_of_fragments == 0);
    a += lane % 4 * pitch_a + lane / 4;
    b += lane % 4 * pitch_b + lane / 4;
    BATCHWORK_UNROLL
    for (int k = 0; k < slab; k += terms_of_fragments)
      multiply_fragments(
          sums, [&](int r, int f) { return a[(k + 4 * f) * pitch_a + r * 8]; },
          [&](int c, int f) { return b[(k + 4 * f) * pitch_b + c * 8]; });
  }

  /// Down rows and Across columns at once; one of the two is 1.
  template <int Down, int Across>
  BATCHWORK_INLINE void store(Sums const& sums, BlockPosition const& at, Mine const& me) const {
    GemmLines const lines = columns_from(at);
    BATCHWORK_UNROLL
    for (int c = 0; c < thread_cols; c += Across) {
      int const j = me.col + col_of(c);
      if (j >= at.cols) continue;
      GemmLine const line = lines.at(j);
      T* const column = p.c.of_item(line.item) + line.index * p.c.col;
      BATCHWORK_UNROLL
      for (int r = 0; r < thread_rows; r += Down) {
        std::int64_t const i = at.row + me.row + row_of(r);
        if (i >= p.m) continue;
        T* const to = column + i * p.c.row;
        constexpr int V = Down * Across;
        T x[V];
        BATCHWORK_UNROLL
        for (int v = 0; v < V; ++v)
          x[v] = p.alpha * sums[Down > 1 ? r + v : r][Across > 1 ? c + v : c];
        if (p.beta != T(0)) {
          BATCHWORK_UNROLL
          for (int v = 0; v < V; ++v) x[v] += p.beta * to[v];
        }
        Vendor::store_vector(to, x);
      }
    }
  }

  /// The transpose: sums[r][c] is in column 8 r and row 8 (c / 2) + c % 2 from the lane's own on.
  BATCHWORK_INLINE void store_transpose(Sums const& sums, BlockPosition const& at,
                                        Mine const& me) const {
    GemmLines const lines = columns_from(at);
    BATCHWORK_UNROLL
    for (int r = 0; r < thread_rows; ++r) {
      int const j = me.col + r * 8;
      if (j >= at.cols) continue;
      GemmLine const line = lines.at(j);
      T* const column = p.c.of_item(line.item) + line.index * p.c.col;
      BATCHWORK_UNROLL
      for (int c = 0; c < thread_cols; ++c) {
        std::int64_t const i = at.row + me.row + c / 2 * 8 + c % 2;
        if (i >= p.m) continue;
        T* const to = column + i * p.c.row;
        *to = p.beta == T(0) ? p.alpha * sums[r][c] : p.alpha * sums[r][c] + p.beta * *to;
      }
    }
  }

  // ---- the kernel
  // ---------------------------------------------------------------------------------------------

  template <class Member>
  BATCHWORK_INLINE void operator()(Member const& member) const {
    T* const scratch =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(scratch_bytes(stages) - 16, 16));
    int const rank = Vendor::lane_rank(member);
    int const slot = rank / threads, thread = rank % threads;
    T* const scratch_a = scratch + slot * stages * stage;
    T* const scratch_b = scratch_a + slab * pitch_a;
    std::int64_t const block = std::int64_t(member.league_rank()) * Block::slots + slot;
    // Slots after the last one repeat it and store nothing.
    bool const stores = block < blocks;
    BlockPosition const at = position_of(stores ? block : blocks - 1);
    Mine const me = mine_of(thread);

    Sums sums;
    BATCHWORK_UNROLL
    for (int r = 0; r < thread_rows; ++r) {
      BATCHWORK_UNROLL
      for (int c = 0; c < thread_cols; ++c) sums[r][c] = 0;
    }
    if (p.k > 0) {
      auto const address_a = [&](int x, int together) {
        std::int64_t const i = at.row + x, last = p.m - together;
        return p.a.of_item(at.item) + (i < last ? i : last) * a.line;
      };
      auto const address_b = [&](int x, int together) {
        GemmLine const line =
            columns_from(at).at(x + together <= at.cols ? x : int(at.cols) - together);
        return p.b.of_item(line.item) + line.index * b.line;
      };
      // Kept, not computed anew for every slab.
      int const lines_a =
          Vendor::renewed(int(p.m - at.row < Block::rows ? p.m - at.row : Block::rows));
      int const lines_b = Vendor::renewed(int(at.cols < Block::cols ? at.cols : Block::cols));
      auto copies_a = copies_of<Block::rows>(scratch_a, a, thread, address_a);
      auto copies_b = copies_of<Block::cols>(scratch_b, b, thread, address_b);
      int const from_a = me.row, from_b = me.col;
      auto const start = [&](int to, int terms) {
        if (terms > 0) {
          copy(copies_a, a, to, terms, lines_a, nullptr);
          copy(copies_b, b, to, terms, lines_b, address_b);
        }
        Vendor::copy_async_commit();
      };
      int terms = int(p.k), buffer = 0;
      int const ahead = stages - 1, last = ahead * stage;
      BATCHWORK_KEEP_LOOP
      for (int s = 0; s < ahead; ++s) start(s * stage, terms - s * slab);
      BATCHWORK_KEEP_LOOP
      while (true) {
        if (stages == 2) Vendor::copy_async_wait_prior<0>();
        else if (stages == 3) Vendor::copy_async_wait_prior<1>();
        else Vendor::copy_async_wait_prior<2>();
        // What was copied is there for all, and all are done with the buffer that is filled next.
        member.team_barrier();
        start(buffer == 0 ? last : buffer - stage, terms - ahead * slab);
        if constexpr (transposes) {
          static_assert(pitch_a == pitch_b && Block::group_rows == Block::group_cols);
          int const lane = rank % lanes_of_warp;
          multiply_by_matrices(sums, scratch_b + buffer + from_b - lane / 4,
                               scratch_a + buffer + from_a - lane % 4 * 2, lane);
        } else if constexpr (by_matrices) {
          int const lane = rank % lanes_of_warp;
          multiply_by_matrices(sums, scratch_a + buffer + from_a - lane / 4,
                               scratch_b + buffer + from_b - lane % 4 * col_run, lane);
        } else {
          multiply(sums, scratch_a + buffer + from_a, scratch_b + buffer + from_b);
        }
        terms -= slab;
        if (terms <= 0) break;
        buffer = buffer == last ? 0 : buffer + stage;
      }
    }
    if (!stores) return;
    if constexpr (transposes) {
      store_transpose(sums, at, me);
    } else if constexpr (Apart) {
      store<1, 1>(sums, at, me);
    } else {
      if (!stores_wide) store<1, 1>(sums, at, me);
      else if (!rows_adjacent) store<1, col_run>(sums, at, me);
      else if constexpr (row_run > 1) store<row_run, 1>(sums, at, me);
    }
  }
};

/// The kind of block with the least padding beyond the edges, weighted by its speed. It must keep
/// so many concurrent threads of a device busy, and a multiprocessor must hold the wanted teams.
template <class T>
GemmBlockKind choose_gemm_block(GemmProblem<T> const& p, std::int64_t concurrency,
                                DeviceLimits const& limits) {
  GemmBlockKind best = GemmBlockKind::of_32x32;
  double least = 0;
  auto const consider = [&]<GemmBlockKind Kind>(double speed) {
    using Block = typename GemmBlockOf<T, Kind>::type;
    if (!limits.holds(Block::teams, Block::team, GemmBlocks<T, Block>::scratch_bytes(2))) return;
    double const columns = p.shared_a ? double(p.n) * double(p.items) : double(p.n);
    double const blocks =
        double((p.m + Block::rows - 1) / Block::rows) *
        std::max(1.0, double(std::int64_t(columns + Block::cols - 1) / Block::cols));
    double const all = p.shared_a ? blocks : blocks * double(p.items);
    // An eighth of the threads that a device has room for is what it runs of large register tiles.
    double const busy = std::min(1.0, all * Block::threads * 8 / double(concurrency));
    double const cost = blocks * Block::rows * Block::cols / (speed * busy);
    if (least == 0 || cost < least) {
      least = cost;
      best = Kind;
    }
  };
  consider.template operator()<GemmBlockKind::of_64x64>(0.65);
  consider.template operator()<GemmBlockKind::of_32x32>(0.45);
  if constexpr (sizeof(T) == 4) {
    consider.template operator()<GemmBlockKind::of_32x128>(0.65);
    consider.template operator()<GemmBlockKind::of_48x48>(0.56);
    consider.template operator()<GemmBlockKind::of_128x128>(0.8);
  } else {
    // It has no lanes that store well.
    using Block = typename GemmBlockOf<T, GemmBlockKind::of_128x64>::type;
    if (GemmBlocks<T, Block>(p).stores_well())
      consider.template operator()<GemmBlockKind::of_128x64>(0.75);
  }
  return best;
}

/// Runs f(kernel) with the kernel that computes p by blocks of a kind.
template <class T, class F>
void with_gemm_blocks(GemmProblem<T> const& p, GemmBlockKind kind, F const& f) {
  with_gemm_block<T>(kind, [&]<GemmBlockKind Kind>() {
    using Block = typename GemmBlockOf<T, Kind>::type;
    GemmBlocks<T, Block> const kernel(p);
    // Of 48 rows they are faster in runs, however these are stored (measured on an H100).
    if constexpr (Block::group_rows == Block::group_cols && Kind != GemmBlockKind::of_48x48) {
      if (!kernel.stores_well()) {
        f(GemmBlocks<T, Block, true>(p));
        return;
      }
    }
    f(kernel);
  });
}

}  // namespace Batchwork::Impl

#endif
