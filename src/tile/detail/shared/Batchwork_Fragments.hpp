// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Tiles in the layout of the sums of a device's matrix instructions: blocks of 8 x 8 numbers over
/// the 32 lanes of a warp, two neighbours of a row in each lane (PTX ISA, mma.m8n8k4 with f64).
/// Such sums can be used directly as the left factor of the next product, and their transpose as
/// its right factor, if the terms are summed in another order: first the even, then the odd ones of
/// a block. So the products of a sequence, a Cholesky factorisation by blocks and the solve with it
/// need no exchange between them.
#ifndef BATCHWORK_FRAGMENTS_HPP
#define BATCHWORK_FRAGMENTS_HPP

#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "tile/detail/shared/Batchwork_DistributedProduct.hpp"

namespace Batchwork::Impl {

/// Beyond this extent a lane has no registers for several of them: compiled for sm_90, the
/// covariance update of a Kalman filter spills 1.6 KB at 40 x 40 and 4.2 KB at 48 x 48 (by lines 7
/// and 9.8 KB).
inline constexpr int largest_extent_of_fragments = 40;

/// Whether the lanes of S hold the results of products in this layout.
template <class S>
inline constexpr bool makes_fragments = [] {
  if constexpr (is_distributed<S>)
    return S::whole && S::lanes == 32 && S::largest <= largest_extent_of_fragments &&
           Vendor::chains_matrices<scalar_t<S>>;
  else return false;
}();

/// From this extent on symmetric tiles of double use this layout by default; and the number of
/// teams of 128 lanes that a multiprocessor should then hold. Measured on an H200 with the
/// covariance update of a Kalman filter.
inline constexpr int least_extent_of_fragments = 15;
constexpr int teams_of_fragments(int extent) { return extent <= 24 ? 4 : 0; }

/// An M x N tile: for block (i, t) lane l holds numbers (l / 4, 2 (l % 4)) and the next one.
/// Numbers outside the tile are zero. For a symmetric tile Full says whether the blocks right of
/// the diagonal are held as well.
template <class DistributedT, int M, int N, Structure St = Structure::general, bool Full = true>
struct BATCHWORK_NODISCARD Fragments : Indexed<Fragments<DistributedT, M, N, St, Full>> {
  using S = dealt_t<DistributedT, true>;
  using value_type = S;
  using T = scalar_t<S>;
  static constexpr int rows = M, cols = N, lanes = S::lanes;
  static constexpr int down = (M + 7) / 8, across = (N + 7) / 8;
  static constexpr Structure structure = St;
  static constexpr bool is_vector = false;
  static constexpr bool by_rows = true;
  static constexpr bool full = Full;
  template <class S2>
  using rebind = tile_of_t<S2, M, N, St>;

  T c[down * across][2];
  info_t<S> info;
  LaneGrid grid;

  Fragments() = default;
  Fragments(Fragments const&) = default;
  Fragments& operator=(Fragments const&) & = default;
  template <class X>
  BATCHWORK_INLINE void operator=(X const&) && {
    refuse_lost_tile<X>();
  }
  template <Tile X>
    requires(!std::is_same_v<X, Fragments> && ValueConvertible<S, value_t<X>>)
  BATCHWORK_INLINE Fragments& operator=(X const& x) & {
    LaneGrid const g = grid_of(x, *this);
    if constexpr (is_fragments<X> && St == Structure::symmetric && structure_of<X> == St) {
      x.put();
      take_from_exchange(g);
    } else {
      tile_of_t<S, M, N, St> const lines(x);
      take(lines_of<S, true>(lines, g), g);
    }
    info = info_in_lanes_of<S>(x.info);
    return *this;
  }

  /// Whether all numbers are finite, known to all lanes.
  BATCHWORK_INLINE bool all_finite() const {
    T sum(0);
    BATCHWORK_UNROLL
    for (int n = 0; n < down * across; ++n) {
      if (!Full && n % across > n / across) continue;
      sum += (c[n][0] - c[n][0]) + (c[n][1] - c[n][1]);
    }
    return grid.template sum<lanes>(sum) == T(0);
  }

  BATCHWORK_INLINE T (&block(int i, int t))[2] { return c[i * across + t]; }
  BATCHWORK_INLINE T const (&block(int i, int t) const)[2] { return c[i * across + t]; }

  /// Entry (i, j), which its lane broadcasts; all lanes of the item must call it.
  BATCHWORK_INLINE S entry(int i, int j) const {
    bool const mirrored = St == Structure::symmetric && j > i;
    int const r = mirrored ? j : i, k = mirrored ? i : j;
    return S(grid.template broadcast<32>(c[r / 8 * across + k / 8][k % 2], r % 8 * 4 + k % 8 / 2),
             grid);
  }

  /// Sets both stored places of an entry of a symmetric tile; j <= i.
  BATCHWORK_INLINE void set(int i, int j, S const& x) {
    grid = merge_grids(grid, x.grid);
    set_number(i, j, x.v);
    if (St == Structure::symmetric && j < i && (Full || i / 8 == j / 8)) set_number(j, i, x.v);
  }
  BATCHWORK_INLINE void set_number(int i, int j, T const& x) {
    if (grid.lane == i % 8 * 4 + j % 8 / 2) c[i / 8 * across + j / 8][j % 2] = x;
  }

  /// From rows that the lanes hold, through the exchange.
  template <class Lines>
  BATCHWORK_INLINE void take(Lines const& x, LaneGrid const& g) {
    stage_lines<S, (M + lanes - 1) / lanes, N>(x, g);
    take_from_exchange(g);
  }
  /// From rows in the exchange.
  BATCHWORK_INLINE void take_from_exchange(LaneGrid const& g) {
    using Ex = typename S::exchange;
    T const* const base = g.template numbers<T>();
    grid = g;
    BATCHWORK_UNROLL
    for (int i = 0; i < down; ++i) {
      BATCHWORK_UNROLL
      for (int t = 0; t < across; ++t) {
        int const r = 8 * i + g.lane / 4, k = 8 * t + g.lane % 4 * 2;
        Unit<T> const u = *reinterpret_cast<Unit<T> const*>(base + r * Ex::leading + k);
        BATCHWORK_UNROLL
        for (int s = 0; s < 2; ++s)
          block(i, t)[s] =
              (8 * i + 8 <= M || r < M) && (8 * t + 8 <= N || k + s < N) ? u.v[s] : T(0);
      }
    }
  }
  /// Writes the rows to the exchange, for all lanes to read. For a symmetric tile the lower
  /// triangle is written to both triangles, because sums of the other one were added in another
  /// order.
  BATCHWORK_INLINE T const* put() const {
    using Ex = typename S::exchange;
    T* const base = grid.template numbers<T>();
    grid.sync();
    BATCHWORK_UNROLL
    for (int i = 0; i < down; ++i) {
      BATCHWORK_UNROLL
      for (int t = 0; t < across; ++t) {
        int const r = 8 * i + grid.lane / 4, k = 8 * t + grid.lane % 4 * 2;
        if (St == Structure::symmetric && t > i) continue;
        T const(&two)[2] = block(i, t);
        if (St != Structure::symmetric || t < i || k < r)
          *reinterpret_cast<Unit<T>*>(base + r * Ex::leading + k) = {{two[0], two[1]}};
        else if (k == r) base[r * Ex::leading + k] = two[0];
        if (St == Structure::symmetric && (t < i || k < r)) {
          base[k * Ex::leading + r] = two[0];
          base[(k + 1) * Ex::leading + r] = two[1];
        }
      }
    }
    grid.sync();
    return base;
  }
};

/// The factor L of a Cholesky factorisation, and the inverses of its blocks on the diagonal.
template <class DistributedT, int N>
struct FactorFragments : Fragments<DistributedT, N, N, Structure::lower> {
  using Base = Fragments<DistributedT, N, N, Structure::lower>;
  typename Base::T inverse[Base::down][2];
  typename Base::T diagonal[Base::down];  ///< of the inverse; the one of row 8 i + lane / 4
  /// Entries are only read, because the inverses belong to them.
  template <class... I>
  BATCHWORK_INLINE auto operator()(I... i) const {
    return read_entry(*this, i...);
  }
  BATCHWORK_INLINE typename Base::S inverse_diagonal(int i) const {
    return
        typename Base::S(this->grid.template broadcast<32>(diagonal[i / 8], i % 8 * 4), this->grid);
  }
};

template <class DistributedT, int M, int N, Structure St, bool Full>
struct TileTraits<Fragments<DistributedT, M, N, St, Full>> : NoSpecialTile {
  static constexpr bool is_fragments = true;
};
template <class DistributedT, int N>
struct TileTraits<FactorFragments<DistributedT, N>> : NoSpecialTile {
  static constexpr bool is_fragments = true;
};

// ---- factors of a product
// ---------------------------------------------------------------------------------------------

/// Two numbers of block (i, t) of a common tile, or of its transpose; zeros outside it.
template <class T, bool Turned, class X>
struct CommonFragments {
  X const& x;
  int row, col;
  static constexpr int rows = Turned ? cols_of<X> : rows_of<X>,
                       cols = Turned ? rows_of<X> : cols_of<X>;
  BATCHWORK_INLINE void get(T (&two)[2], int i, int t) const {
    int const r = 8 * i + row, k = 8 * t + 2 * col;
    if constexpr (!Turned && stands_in_units<X>) {
      // Zeros fill its rows to whole units.
      bool const there = (8 * i + 8 <= rows || r < rows) && (8 * t + 8 <= X::leading || k < cols);
      Unit<T> u{};
      if (there) u = *reinterpret_cast<Unit<T> const*>(x.a + r * X::leading + k);
      two[0] = u.v[0], two[1] = u.v[1];
    } else {
      BATCHWORK_UNROLL
      for (int s = 0; s < 2; ++s) {
        bool const there = (8 * i + 8 <= rows || r < rows) && (8 * t + 8 <= cols || k + s < cols);
        two[s] = there ? T(Turned ? x.entry(k + s, r) : x.entry(r, k + s)) : T(0);
      }
    }
  }
};
template <class F>
struct OwnFragments {
  F const& f;
  BATCHWORK_INLINE void get(auto (&two)[2], int i, int t) const {
    two[0] = f.block(i, t)[0], two[1] = f.block(i, t)[1];
  }
};
template <class T, bool Turned, class X>
BATCHWORK_INLINE auto common_fragments(X const& x, LaneGrid const& grid) {
  return CommonFragments<T, Turned, X>{x, grid.lane / 4, grid.lane % 4};
}

/// c(i, j) += a(i, t) b(j, t)', or -=, for blocks i0 .. i0 + Down - 1 of rows, j < Across and t <
/// Terms; where Half, j <= i.
template <int Down, int Across, int Terms, bool Subtract, bool Half, class T, class A, class B>
BATCHWORK_INLINE void multiply_fragments(T (&c)[Down * Across][2], A const& a, B const& b, int i0) {
  constexpr int tall = Vendor::blocks_at_once, full = Down / tall * tall;
  BATCHWORK_UNROLL
  for (int t = 0; t < Terms; ++t) {
    T x[Down][2];
    BATCHWORK_UNROLL
    for (int i = 0; i < Down; ++i) {
      a.get(x[i], i0 + i, t);
      if constexpr (Subtract) x[i][0] = -x[i][0], x[i][1] = -x[i][1];
    }
    BATCHWORK_UNROLL
    for (int j = 0; j < Across; ++j) {
      if (Half && j > i0 + Down - 1) continue;
      T y[2];
      b.get(y, j, t);
      BATCHWORK_UNROLL
      for (int s = 0; s < 2; ++s) {
        BATCHWORK_UNROLL
        for (int i = 0; i < full; i += tall) {
          if (Half && j > i0 + i + tall - 1) continue;
          T sums[tall][2], left[tall];
          BATCHWORK_UNROLL
          for (int n = 0; n < tall; ++n) {
            left[n] = x[i + n][s];
            sums[n][0] = c[(i + n) * Across + j][0], sums[n][1] = c[(i + n) * Across + j][1];
          }
          Vendor::mma(sums, left, y[s]);
          BATCHWORK_UNROLL
          for (int n = 0; n < tall; ++n)
            c[(i + n) * Across + j][0] = sums[n][0], c[(i + n) * Across + j][1] = sums[n][1];
        }
        if constexpr (full < Down)
          if (!Half || j <= i0 + Down - 1) Vendor::mma(c[full * Across + j], x[full][s], y[s]);
      }
    }
  }
}

template <class P>
inline constexpr bool holds_full_fragments = false;
template <class P>
  requires is_fragments<P>
inline constexpr bool holds_full_fragments<P> = P::full;

/// A symmetric tile of any kind, as a whole.
template <class S, class P>
BATCHWORK_INLINE decltype(auto) symmetric_fragments(P const& p, LaneGrid const& grid) {
  if constexpr (holds_full_fragments<P>) {
    return (p);
  } else {
    Fragments<S, P::rows, P::cols, Structure::symmetric> r;
    if constexpr (is_fragments<P>) {
      p.put();
      r.take_from_exchange(grid);
    } else if constexpr (holds_half<P>) {
      stage_both_triangles(p, grid);
      r.take_from_exchange(grid);
    } else {
      r.take(lines_of<dealt_t<S, true>, true>(p, grid), grid);
    }
    r.info = p.info;
    return r;
  }
}

/// a p for a common a and a symmetric p.
template <class S, class A, class P>
BATCHWORK_INLINE auto product_by_fragments(A const& a, P const& p) {
  using T = scalar_t<S>;
  LaneGrid const grid = grid_of(p);
  Fragments<S, rows_of<A>, cols_of<P>> r;
  r.grid = grid;
  BATCHWORK_UNROLL
  for (int n = 0; n < r.down * r.across; ++n) r.c[n][0] = T(0), r.c[n][1] = T(0);
  decltype(auto) right = symmetric_fragments<S>(p, grid);
  using Right = std::remove_cvref_t<decltype(right)>;
  multiply_fragments<r.down, r.across, Right::across, false, false>(
      r.c, common_fragments<T, false>(a, grid), OwnFragments<Right>{right}, 0);
  return r;
}

/// c + a b' for fragments a and a common b, symmetric; Full: with the blocks right of the diagonal.
template <class S, bool Full, class A, class B, class C>
BATCHWORK_INLINE auto symmetric_by_fragments(A const& a, B const& b, C const& c) {
  using T = scalar_t<S>;
  constexpr int N = A::rows;
  LaneGrid const grid = grid_of(a);
  Fragments<S, N, N, Structure::symmetric, Full> r;
  r.grid = grid;
  BATCHWORK_UNROLL
  for (int i = 0; i < r.down; ++i) {
    BATCHWORK_UNROLL
    for (int j = 0; j < r.across; ++j) {
      if (!Full && j > i) continue;
      if constexpr (C::is_zero) {
        r.block(i, j)[0] = T(0), r.block(i, j)[1] = T(0);
      } else {
        using X = std::remove_cvref_t<decltype(c.c)>;
        common_fragments<T, false, X>(c.c, grid).get(r.block(i, j), i, j);
      }
    }
  }
  multiply_fragments<r.down, r.across, A::across, false, !Full>(
      r.c, OwnFragments<A>{a}, common_fragments<T, false>(b, grid), 0);
  return r;
}

/// f p f' + c with all of them common except p: f p is computed a few rows of blocks at a time.
template <class S, class F, class P, class C>
BATCHWORK_INLINE auto congruence_by_fragments(F const& f, P const& p, C const& c) {
  auto const fp = product_by_fragments<S>(f, p);
  return symmetric_by_fragments<S, true>(fp, f, c);
}

/// By blocks of 8: on the diagonal L and its inverse by elimination, column by column with
/// broadcasts; below, products with that inverse. (Golub and Van Loan, Matrix Computations, 4th
/// edition, section 4.2.9, block Cholesky.)
template <class S, class A>
BATCHWORK_INLINE auto cholesky_by_fragments(A const& a) {
  using T = scalar_t<S>;
  constexpr int N = A::rows, blocks = A::down;
  LaneGrid const grid = grid_of(a);
  int const lane = grid.lane, row = lane / 4, col = lane % 4;
  FactorFragments<S, N> l;
  l.grid = grid;
  info_t<S> info(0);
  T s[blocks * blocks][2];
  BATCHWORK_UNROLL
  for (int n = 0; n < blocks * blocks; ++n) {
    bool const lower = n % blocks <= n / blocks;
    s[n][0] = lower ? a.c[n][0] : T(0), s[n][1] = lower ? a.c[n][1] : T(0);
    l.c[n][0] = T(0), l.c[n][1] = T(0);
  }
  BATCHWORK_UNROLL
  for (int d = 0; d < blocks; ++d) {
    T(&pivots)[2] = s[d * blocks + d];
    T(&factor)[2] = l.block(d, d);
    T(&inverse)[2] = l.inverse[d];
    BATCHWORK_UNROLL
    for (int j = 0; j < 2; ++j) {
      T const one = row == 2 * col + j ? T(1) : T(0);
      // Beyond the last row the pivots of the identity.
      if (8 * d + 8 > N && 8 * d + row >= N) pivots[j] = one;
      inverse[j] = one;
    }
    BATCHWORK_UNROLL
    for (int k = 0; k < 8; ++k) {
      T const own = grid.template broadcast<4>(pivots[k % 2], k / 2);
      T const pivot = grid.template broadcast<32>(pivots[k % 2], 4 * k + k / 2);
      T right[2], other[2];
      BATCHWORK_UNROLL
      for (int j = 0; j < 2; ++j) {
        right[j] = grid.template broadcast<32>(pivots[j], 4 * k + col);
        other[j] = grid.template broadcast<32>(inverse[j], 4 * k + col);
      }
      bool const good = Vendor::is_positive_and_normal(pivot);
      info_t<S> const code = Status::code(
          is_finite(pivot) ? Reason::not_positive_definite : Reason::not_finite, 8 * d + k + 1);
      info = info == 0 && !good ? code : info;
      T const found = Vendor::rsqrt(pivot);
      T const root = good ? found : std::numeric_limits<T>::quiet_NaN();
      T const share = own * (root * root);
      if (col == k / 2) factor[k % 2] = row >= k ? own * root : T(0);
      if (row == k) l.diagonal[d] = root;
      BATCHWORK_UNROLL
      for (int j = 0; j < 2; ++j) {
        pivots[j] = row > k ? pivots[j] - share * right[j] : pivots[j];
        inverse[j] = row > k    ? inverse[j] - share * other[j]
                     : row == k ? inverse[j] * root
                                : inverse[j];
      }
    }
    BATCHWORK_UNROLL
    for (int i = d + 1; i < blocks; ++i) {
      BATCHWORK_UNROLL
      for (int n = 0; n < 2; ++n) Vendor::mma(l.block(i, d), s[i * blocks + d][n], inverse[n]);
    }
    BATCHWORK_UNROLL
    for (int i = d + 1; i < blocks; ++i) {
      BATCHWORK_UNROLL
      for (int j = d + 1; j <= i; ++j) {
        BATCHWORK_UNROLL
        for (int n = 0; n < 2; ++n)
          Vendor::mma(s[i * blocks + j], -l.block(i, d)[n], l.block(j, d)[n]);
      }
    }
  }
  l.info = first_failure(a.info, info);
  return l;
}

/// The transpose of fragments, through the exchange.
template <class F>
BATCHWORK_INLINE auto turned_fragments(F const& f) {
  using S = typename F::S;
  using T = typename F::T;
  using Ex = typename S::exchange;
  T const* const base = f.put();
  Fragments<S, F::cols, F::rows> r;
  r.grid = f.grid;
  r.info = f.info;
  int const row = f.grid.lane / 4, col = f.grid.lane % 4;
  BATCHWORK_UNROLL
  for (int i = 0; i < r.down; ++i) {
    BATCHWORK_UNROLL
    for (int t = 0; t < r.across; ++t) {
      BATCHWORK_UNROLL
      for (int s = 0; s < 2; ++s)
        r.block(i, t)[s] = base[(8 * t + 2 * col + s) * Ex::leading + 8 * i + row];
    }
  }
  return r;
}

/// The transpose of the solution y of l y = b: y' l' = b', column of blocks by column of blocks.
template <class L, class B>
BATCHWORK_INLINE auto solve_by_fragments(L const& l, B const& b) {
  auto z = turned_fragments(b);
  using Z = decltype(z);
  using T = typename Z::T;
  BATCHWORK_UNROLL
  for (int i = 0; i < Z::down; ++i) {
    BATCHWORK_UNROLL
    for (int j = 0; j < Z::across; ++j) {
      T rest[2] = {z.block(i, j)[0], z.block(i, j)[1]}, solved[2] = {T(0), T(0)};
      BATCHWORK_UNROLL
      for (int t = 0; t < j; ++t) {
        BATCHWORK_UNROLL
        for (int n = 0; n < 2; ++n) Vendor::mma(rest, -z.block(i, t)[n], l.block(j, t)[n]);
      }
      BATCHWORK_UNROLL
      for (int n = 0; n < 2; ++n) Vendor::mma(solved, rest[n], l.inverse[j][n]);
      z.block(i, j)[0] = solved[0], z.block(i, j)[1] = solved[1];
    }
  }
  return z;
}

/// p - z z', as far as the diagonal.
template <class P, class Z>
BATCHWORK_INLINE auto downdate_by_fragments(P const& p, Z const& z) {
  using S = typename Z::S;
  Fragments<S, Z::rows, Z::rows, Structure::symmetric, false> r;
  r.grid = z.grid;
  BATCHWORK_UNROLL
  for (int n = 0; n < r.down * r.across; ++n) r.c[n][0] = p.c[n][0], r.c[n][1] = p.c[n][1];
  multiply_fragments<r.down, r.across, Z::across, true, true>(r.c, OwnFragments<Z>{z},
                                                              OwnFragments<Z>{z}, 0);
  return r;
}

}  // namespace Batchwork::Impl

#endif
