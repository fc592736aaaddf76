// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// EigenpairsOfTeam: eigenvalues and eigenvectors of a symmetric matrix that a team of warps shares
/// in a device's team scratch, or in memory.
#ifndef BATCHWORK_EIGENPAIRSOFTEAM_HPP
#define BATCHWORK_EIGENPAIRSOFTEAM_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include "core/detail/Batchwork_Elimination.hpp"
#include "core/detail/Batchwork_Exchange.hpp"
#include "core/detail/Batchwork_Householder.hpp"
#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_Backend.hpp"
#include "core/detail/backend/Batchwork_BitCounts.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_MatrixInstructions.hpp"
#include "core/detail/backend/Batchwork_Quotients.hpp"
#include "core/detail/backend/Batchwork_TeamLanes.hpp"
#include "core/detail/backend/Batchwork_Warp.hpp"
#include "dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
#include "dense/decompositions/detail/Batchwork_ItemsOfTeam.hpp"

namespace Batchwork::Impl {

/// The memory of an item of n rows, 9 or more, and how its tridiagonal matrix is divided: into
/// leaves of whole tiles of eight rows. Columns are read in units of 16 bytes. The matrix becomes
/// the vectors of the reflections, packed, and the vectors of the blocks, two halves side by side.
template <class T>
struct EigenpairShape {
  static constexpr int deep = 16 / int(sizeof(T)), tile = 8, tiles_of_leaf = 3, arrays = 8,
                       lists = 6, parts = 32;

  int n, tiles, units, levels = 1;

  explicit EigenpairShape(int rows)
      : n(rows), tiles((rows + tile - 1) / tile), units(tiles * (tile / deep)) {
    while ((tiles + (1 << levels) - 1) >> levels > tiles_of_leaf) ++levels;
  }
  BATCHWORK_INLINE int leading() const { return units * deep; }
  BATCHWORK_INLINE int half() const { return (tiles + 1) / 2 * tile; }
  BATCHWORK_INLINE int leaves() const { return 1 << levels; }
  /// The first row of a leaf, or of what is behind the last one.
  BATCHWORK_INLINE int boundary(int leaf) const {
    return leaf == leaves() ? n : (leaf * tiles >> levels) * tile;
  }
  /// The most tiles of a block below a level.
  BATCHWORK_INLINE int tiles_of_block(int level) const {
    return (tiles + (leaves() >> level) - 1) / (leaves() >> level);
  }
  /// Where the vector of reflection k begins, with the unit of row k + 1.
  BATCHWORK_INLINE int reflector(int k) const {
    int const q = k / deep, r = k % deep;
    return k * leading() - deep * (deep * (q * (q - 1) / 2) + q * (r + 1));
  }
  BATCHWORK_INLINE int matrix_numbers() const {
    int const first = n * leading(), then = reflector(n - 2) + n * half();
    return first > then ? first : then;
  }
  /// What is beside the matrix.
  BATCHWORK_INLINE ItemMemory memory() const {
    return {std::int64_t(arrays) * leading() + parts, std::int64_t(lists) * leading() + 3 * parts};
  }
};

/// How it is used, by all lanes of a team of whole warps, where lanes have shuffles:
/// 1. Write the matrix, the largest entry being between 4 and 8, to `matrix`, which has room for
///    shape.matrix_numbers(): entry (i, j) is at j * shape.leading() + i, both triangles, and zeros
///    between row n and shape.leading(). Wait for the team. `beside` and `indices` have the rest
///    of what works with it, shape.memory(); it should be in scratch.
/// 2. find() returns whether iterations ended. If not, do not go on.
/// 3. values(put) calls put(k, value) for the k-th smallest value, in one lane of the team for
///    each.
/// 4. vectors(put) calls put(k, i, x) for entry i of the vector of value k, in one lane for each.
/// It
///    reads scratch and writes none, so put must not write there either.
///
/// Householder reflections to tridiagonal form: the product of a step and the update of the step
/// before it take one pass, with two waits (Golub and Van Loan, Matrix Computations, 4th edition,
/// section 8.3.1). Leaves of up to 32 rows by implicit QL iterations, a warp each. Pairs of blocks
/// are merged (Cuppen, Numerische Mathematik 36, 1981): deflation as LAPACK's laed2, roots of the
/// secular equation by the middle way (R.-C. Li, LAPACK Working Note 89, 1993), and vectors from a
/// recomputed rank-one change (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16, 1995). The last
/// merge forms eight vectors in the registers of a warp, applies all reflections to them, and gives
/// them away. Products of tiles are those of matrix instructions in double, also in float.
///
/// Where laed2 rotates columns of nearly equal values, this leaves them where they are: entries of
/// a run of such values contribute with fixed weights to what is kept of the run, and to what is
/// deflated from it.
/// A team has `Lanes` lanes, and matrices up to `Tiles` tiles of rows.
template <class T, int Tiles, int Lanes, class Member>
struct EigenpairsOfTeam {
  using Shape = EigenpairShape<T>;
  static constexpr int deep = Shape::deep, tile = Shape::tile, width = 8, warps = Lanes / 32,
                       rounds = 4, tiles_at_once = Tiles / rounds;
  /// What deflation neglects in a matrix of this size.
  static constexpr T negligible = T(16) * std::numeric_limits<T>::epsilon();

  Member const& member;
  Shape shape;
  T *matrix, *beside;
  std::int16_t* indices;
  int rank;

  BATCHWORK_INLINE EigenpairsOfTeam(Member const& m, Shape const& s, T* numbers, T* arrays,
                                    std::int16_t* lists)
      : member(m),
        shape(s),
        matrix(numbers),
        beside(arrays),
        indices(lists),
        rank(Vendor::lane_rank(m)) {}

  /// Whether a warp holds eight vectors, and the team all vectors of a merge.
  static bool fits(Shape const& s) {
    if (s.n <= tile || s.tiles > Tiles) return false;
    for (int level = 1; level < s.levels; ++level)
      if ((s.leaves() >> level) * s.tiles_of_block(level) > rounds * warps) return false;
    return true;
  }

  BATCHWORK_INLINE bool find() const {
    tridiagonalise();
    if (!solve_leaves()) return false;
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int level = 1; level <= shape.levels; ++level) {
      open = prepare(level) || open;
      if (level < shape.levels) merge(level);
    }
    return !any_of_team(open);
  }
  template <class Put>
  BATCHWORK_INLINE void values(Put const& put) const {
    int const n = shape.n;
    for (int j = rank; j < n; j += Lanes) put(order()[j], d()[j]);
  }
  template <class Put>
  BATCHWORK_INLINE void vectors(Put const& put) const {
    Block const all = block(0, shape.levels);
    int const lane = rank % lanes_of_warp;
    BATCHWORK_KEEP_LOOP
    for (int t0 = rank / lanes_of_warp; t0 < shape.tiles; t0 += warps) {
      int const j = t0 * tile + lane / 4;
      double x[Tiles][2];
      combine(x, all, j < shape.n ? j : shape.n - 1, 0);
      reflect_back(x);
      if (j >= shape.n) continue;
      int const place = order()[j];
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          int const i = t * tile + lane % 4 * 2 + c;
          if (i < shape.n) put(place, i, T(x[t][c]));
        }
      }
    }
  }

 private:
  // ---- memory

  BATCHWORK_INLINE T* column(int j) const { return matrix + j * shape.leading(); }
  BATCHWORK_INLINE T* array(int k) const { return beside + k * shape.leading(); }
  BATCHWORK_INLINE T* part() const { return array(Shape::arrays); }
  BATCHWORK_INLINE std::int16_t* list(int k) const { return indices + k * shape.leading(); }
  BATCHWORK_INLINE T* d() const { return array(0); }    // values
  BATCHWORK_INLINE T* e() const { return array(1); }    // beside the diagonal
  BATCHWORK_INLINE T* z() const { return array(2); }    // of each column; later
  BATCHWORK_INLINE T* tau() const { return array(2); }  // roots, from the nearest pole
  BATCHWORK_INLINE T* sorted_d() const { return array(3); }
  BATCHWORK_INLINE T* length() const { return array(3); }  // of a run up to here
  BATCHWORK_INLINE T* sorted_z() const { return array(4); }
  BATCHWORK_INLINE T* weight() const { return array(4); }  // in what is kept of the run
  BATCHWORK_INLINE T* alive_z() const { return array(5); }
  BATCHWORK_INLINE T* pole() const { return array(6); }
  BATCHWORK_INLINE T* pole_z() const { return array(7); }
  BATCHWORK_INLINE std::int16_t* alive_column() const { return list(0); }
  BATCHWORK_INLINE std::int16_t* run() const { return list(1); }
  BATCHWORK_INLINE std::int16_t* sorted_column() const { return list(2); }
  BATCHWORK_INLINE std::int16_t* origin() const { return list(2); }  // a pole for each root
  /// Of a deflated column: its entry of the alive ones, or -1 - its column.
  BATCHWORK_INLINE std::int16_t* kind() const { return list(3); }
  BATCHWORK_INLINE std::int16_t* order() const { return list(4); }
  /// Alive entries of columns of the upper block, then those of the lower one.
  BATCHWORK_INLINE std::int16_t* by_block() const { return list(5); }
  BATCHWORK_INLINE std::int16_t* upper_count() const {
    return list(Shape::lists) + 2 * Shape::parts;
  }
  BATCHWORK_INLINE std::int16_t* alive_count() const { return list(Shape::lists); }
  BATCHWORK_INLINE std::int16_t* pole_count() const { return list(Shape::lists) + Shape::parts; }
  BATCHWORK_INLINE T* blocks() const { return matrix + shape.reflector(shape.n - 2); }
  /// The first row that stands in column j of the blocks.
  BATCHWORK_INLINE int first_row(int j) const {
    int const middle = shape.boundary(shape.leaves() / 2);
    return j < middle ? 0 : middle;
  }
  static BATCHWORK_INLINE Unit<T> unit(T const* from) {
    return *reinterpret_cast<Unit<T> const*>(from);
  }
  static BATCHWORK_INLINE void put_unit(T* to, Unit<T> const& u) {
    *reinterpret_cast<Unit<T>*>(to) = u;
  }

  // ---- lanes

  BATCHWORK_INLINE void sync() const { member.team_barrier(); }
  /// Over `lanes` neighbours.
  static BATCHWORK_INLINE T sum(T x, int lanes) {
    BATCHWORK_KEEP_LOOP
    for (int step = 1; step < lanes; step *= 2) x += Vendor::shuffle_xor(x, step);
    return x;
  }
  BATCHWORK_INLINE bool any_of_team(bool x) const {
    bool const any = Vendor::any_of_warp(x);
    sync();
    if (rank % lanes_of_warp == 0) part()[rank / lanes_of_warp] = T(any ? 1 : 0);
    sync();
    bool r = false;
    for (int k = 0; k < warps; ++k) r = r || part()[k] != T(0);
    return r;
  }

  /// c += a b for matrices of 8 x 4 and 4 x 8, as Vendor::mma.
  static BATCHWORK_INLINE void multiply(double (&c)[2], double a, double b) {
    if constexpr (Vendor::multiplies_by_warps<double>) {
      Vendor::mma(c, a, b);
    } else {
      int const lane = Vendor::lane_id() % lanes_of_warp;
      for (int k = 0; k < 4; ++k) {
        double const left = Vendor::shuffle<lanes_of_warp>(a, lane / 4 * 4 + k);
        for (int j = 0; j < 2; ++j)
          c[j] += left * Vendor::shuffle<lanes_of_warp>(b, 4 * (2 * (lane % 4) + j) + k);
      }
    }
  }

  /// c += a b and d += e b.
  static BATCHWORK_INLINE void multiply_both(double (&c)[2], double a, double (&d)[2], double e,
                                             double b) {
    if constexpr (Vendor::multiplies_by_warps<double> && Vendor::blocks_at_once == 2) {
      double both[2][2] = {{c[0], c[1]}, {d[0], d[1]}};
      double const of[2] = {a, e};
      Vendor::mma(both, of, b);
      c[0] = both[0][0], c[1] = both[0][1], d[0] = both[1][0], d[1] = both[1][1];
    } else {
      multiply(c, a, b);
      multiply(d, e, b);
    }
  }

  // ---- reflections

  BATCHWORK_INLINE void tridiagonalise() const {
    constexpr int most = (Tiles * tile / deep + lanes_of_warp - 1) / lanes_of_warp;
    int const n = shape.n, units = shape.units, warp = rank / lanes_of_warp;
    T *before = array(2), *now = array(3);
    T *const w = array(4), *const p = array(5);
    for (int i = rank; i < shape.leading(); i += Lanes) before[i] = now[i] = w[i] = p[i] = T(0);
    if (rank < warps) part()[rank] = T(0);
    sync();
    BATCHWORK_KEEP_LOOP
    for (int k = 0; k + 2 < n; ++k) {
      if (warp == 0) begin_step<most>(k, before, now, w, p);
      sync();
      change_columns(k + 1, before, now, w, p);
      sync();
      T* const other = before;
      before = now;
      now = other;
    }
    if (rank < 2) {
      int const k = n - 2 + rank;
      Change const change = change_of(k, before, p);
      d()[k] = change.apply_one(column(k), k);
      e()[k] = rank == 0 ? change.apply_one(column(k), k + 1) : T(0);
    }
    int const first = (n - 2) / deep;
    for (int q = first + rank; q < units; q += Lanes)
      put_unit(matrix + shape.reflector(n - 3) + (q - first) * deep, unit(before + q * deep));
    sync();
  }
  /// By one warp: reflection `now` of column k, which is read with the change of the step before,
  /// A - u w' - w u', w = p - u'p/2 u; and w.
  template <int Most>
  BATCHWORK_INLINE void begin_step(int k, T const* before, T* now, T* w, T const* p) const {
    int const lane = rank % lanes_of_warp;
    Change const change = change_of(k, before, p);
    T const* const a = column(k);
    T const head = change.apply_one(a, k + 1);
    Unit<T> x[Most];
    T below(0);
    BATCHWORK_UNROLL
    for (int m = 0; m < Most; ++m) {
      int const q = m * lanes_of_warp + lane;
      x[m] = Unit<T>{};
      if (q >= k / deep && q < shape.units) x[m] = change.apply(a, q * deep);
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c) {
        if (q * deep + c <= k + 1) x[m].v[c] = T(0);
        below += x[m].v[c] * x[m].v[c];
      }
    }
    BATCHWORK_UNROLL
    for (int step = 1; step < lanes_of_warp; step *= 2) below += Vendor::shuffle_xor(below, step);
    auto const [alpha, top, scale] = scaled_reflection(head, below);
    BATCHWORK_UNROLL
    for (int m = 0; m < Most; ++m) {
      int const q = m * lanes_of_warp + lane, i0 = q * deep;
      if (q >= shape.units) continue;
      Unit<T> const b = unit(before + i0), pi = unit(p + i0);
      Unit<T> u, v;
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c) {
        u.v[c] = i0 + c == k + 1 ? top : scale * x[m].v[c];
        v.v[c] = i0 + c < k ? T(0) : pi.v[c] - change.half * b.v[c];
      }
      put_unit(now + i0, u);
      put_unit(w + i0, v);
      // Over columns that are read no longer.
      if (k > 0 && q >= k / deep)
        put_unit(matrix + shape.reflector(k - 1) + i0 - k / deep * deep, b);
    }
    if (lane == 0) {
      d()[k] = change.apply_one(a, k);
      e()[k] = alpha;
    }
  }
  /// How column k changes by the step before.
  struct Change {
    T const *u, *p;
    T half, uk, wk;

    BATCHWORK_INLINE T w(int i) const { return p[i] - half * u[i]; }
    BATCHWORK_INLINE T apply_one(T const* a, int i) const { return a[i] - u[i] * wk - w(i) * uk; }
    BATCHWORK_INLINE Unit<T> apply(T const* a, int i) const {
      Unit<T> const ui = unit(u + i), pi = unit(p + i);
      Unit<T> x = unit(a + i);
      BATCHWORK_UNROLL
      for (int c = 0; c < deep; ++c)
        x.v[c] = x.v[c] - ui.v[c] * wk - (pi.v[c] - half * ui.v[c]) * uk;
      return x;
    }
  };
  BATCHWORK_INLINE Change change_of(int k, T const* u, T const* p) const {
    T product[warps];
    BATCHWORK_UNROLL
    for (int i = 0; i < warps; ++i) product[i] = part()[i];
    BATCHWORK_UNROLL
    for (int left = warps; left > 1; left = (left + 1) / 2) {
      BATCHWORK_UNROLL
      for (int i = 0; i < left / 2; ++i) product[i] += product[i + (left + 1) / 2];
    }
    T const half = product[0] * T(0.5);
    return {u, p, half, u[k], p[k] - half * u[k]};
  }
  /// Columns from `first` on change by u = `before` and w, and p becomes their products with `now`.
  BATCHWORK_INLINE void change_columns(int first, T const* before, T const* now, T const* w,
                                       T* p) const {
    constexpr int groups = Lanes / width;
    T product(0);
    int j = first;
    for (; shape.n - j > 3 * groups; j += 4 * groups)
      change_some<4>(first, j, before, now, w, p, product);
    if (shape.n - j > 2 * groups) change_some<3>(first, j, before, now, w, p, product);
    else if (shape.n - j > groups) change_some<2>(first, j, before, now, w, p, product);
    else if (shape.n > j) change_some<1>(first, j, before, now, w, p, product);
    BATCHWORK_UNROLL
    for (int step = width; step < lanes_of_warp; step *= 2)
      product += Vendor::shuffle_xor(product, step);
    if (rank % lanes_of_warp == 0) part()[rank / lanes_of_warp] = product;
  }
  /// C columns of each group of lanes, of which the last one may be missing.
  template <int C>
  BATCHWORK_INLINE void change_some(int first, int j0, T const* before, T const* now, T const* w,
                                    T* p, T& product) const {
    constexpr int groups = Lanes / width;
    int const row = rank % width, j = j0 + rank / width;
    bool const whole = j + (C - 1) * groups < shape.n;
    T share[C], wj[C], uj[C];
    T* to[C];
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      // Lanes without the last column have their first one instead, or nothing to read at all.
      int const at = c + 1 < C || whole ? j + c * groups : C > 1 ? j : first;
      share[c] = T(0), wj[c] = w[at], uj[c] = before[at], to[c] = column(at);
    }
    int q = C > 1 || whole ? first / deep + row : shape.units;
    Unit<T> y[C], b{}, v{}, u{};
    auto const read = [&](int at) {
      b = unit(before + at * deep), v = unit(w + at * deep), u = unit(now + at * deep);
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) y[c] = unit(to[c] + at * deep);
    };
    if (q < shape.units) read(q);
    BATCHWORK_KEEP_LOOP
    while (q < shape.units) {
      Unit<T> z[C];
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) {
        BATCHWORK_UNROLL
        for (int t = 0; t < deep; ++t) {
          z[c].v[t] = y[c].v[t] - (b.v[t] * wj[c] + v.v[t] * uj[c]);
          share[c] += z[c].v[t] * u.v[t];
        }
      }
      // The next ones are on their way meanwhile.
      int const next = q + width;
      if (next < shape.units) read(next);
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c)
        if (c + 1 < C || whole) put_unit(to[c] + q * deep, z[c]);
      q = next;
    }
    BATCHWORK_UNROLL
    for (int step = 1; step < width; step *= 2) {
      BATCHWORK_UNROLL
      for (int c = 0; c < C; ++c) share[c] += Vendor::shuffle_xor(share[c], step);
    }
    BATCHWORK_UNROLL
    for (int c = 0; c < C; ++c) {
      if (row != 0 || (c + 1 == C && !whole)) continue;
      p[j + c * groups] = share[c];
      product += share[c] * now[j + c * groups];
    }
  }
  /// x, columns of a warp, times all reflections, eight at a time: H_0 .. H_7 x = x - V y, where y
  /// follows from V'x by the products of the reflections, V'V.
  BATCHWORK_INLINE void reflect_back(double (&x)[Tiles][2]) const {
    int const lane = rank % lanes_of_warp, own = lane / 4, two = lane % 4 * 2, count = shape.n - 2;
    auto const start = [&](int k) {
      int const there = k < count ? k : 0;
      return matrix + shape.reflector(there) - (there + 1) / deep * deep;
    };
    // Tile k0 / 8 has what is before a vector as well.
    auto const entry = [&](T const* u, int t, int row, int k0, int k) {
      T const v = u[t * tile + row];
      return k < count && (t * tile > k0 || row > k - k0) ? double(v) : 0.0;
    };
    BATCHWORK_KEEP_LOOP
    for (int k0 = (count - 1) / tile * tile; k0 >= 0; k0 -= tile) {
      double s[2][2] = {}, g[2][2] = {};
      T const* const u = start(k0 + own);
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        if (t * tile < k0 || t >= shape.tiles) continue;
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          double const v = entry(u, t, two + c, k0, k0 + own);
          multiply_both(s[c], x[t][c], g[c], v, v);
        }
      }
      double y[2], of[2];
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) y[c] = s[0][c] + s[1][c], of[c] = g[0][c] + g[1][c];
      BATCHWORK_UNROLL
      for (int b = tile - 1; b > 0; --b) {
        double const known = Vendor::shuffle<lanes_of_warp>(y[b % 2], own * 4 + b / 2);
        BATCHWORK_UNROLL
        for (int c = 0; c < 2; ++c) {
          double const product = Vendor::shuffle<lanes_of_warp>(of[c], b * 4 + two / 2);
          if (two + c < b) y[c] -= product * known;
        }
      }
      T const *const v0 = start(k0 + two), *const v1 = start(k0 + two + 1);
      BATCHWORK_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        if (t * tile < k0 || t >= shape.tiles) continue;
        multiply(x[t], -y[0], entry(v0, t, own, k0, k0 + two));
        multiply(x[t], -y[1], entry(v1, t, own, k0, k0 + two + 1));
      }
    }
  }

  // ---- leaves

  struct WarpLanes {
    BATCHWORK_INLINE void sync() const { Vendor::warp_sync(); }
    BATCHWORK_INLINE bool any_together(bool x) const { return Vendor::any_of_warp(x); }
  };
  BATCHWORK_INLINE bool is_boundary(int i) const {
    bool r = false;
    for (int leaf = 1; leaf < shape.leaves(); ++leaf) r = r || shape.boundary(leaf) == i;
    return r;
  }
  /// Cuts the tridiagonal matrix, takes the pieces to their eigenvectors. \returns whether
  /// iterations ended
  BATCHWORK_INLINE bool solve_leaves() const {
    int const n = shape.n, half = shape.half(), lane = rank % lanes_of_warp;
    T *const pairs_beside = array(2), *const to = blocks();
    for (int j = rank / width; j < n; j += Lanes / width)
      for (int q = rank % width; q < half / deep; q += width) {
        Unit<T> u;
        BATCHWORK_UNROLL
        for (int c = 0; c < deep; ++c) u.v[c] = T(first_row(j) + q * deep + c == j ? 1 : 0);
        put_unit(to + j * half + q * deep, u);
      }
    for (int j = rank; j < n; j += Lanes) {
      bool const ends = j + 1 == n || is_boundary(j + 1);
      T x = d()[j];
      if (j + 1 < n && ends) x -= abs(e()[j]);
      if (j > 0 && is_boundary(j)) x -= abs(e()[j - 1]);
      pairs_beside[4 * j] = x;
      pairs_beside[4 * j + 1] = ends ? T(0) : e()[j];
    }
    sync();
    WarpLanes const lanes;
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int leaf = rank / lanes_of_warp; leaf < shape.leaves(); leaf += warps) {
      int const begin = shape.boundary(leaf), rows = shape.boundary(leaf + 1) - begin;
      EigenpairsInScratch<T, 1, WarpLanes> const pairs{lanes,
                                                       rows,
                                                       half,
                                                       lanes_of_warp,
                                                       lane,
                                                       to + begin * half + begin - first_row(begin),
                                                       pairs_beside + 4 * begin,
                                                       nullptr,
                                                       nullptr};
      open = !pairs.iterate(true) || open;
      if (lane < rows) d()[begin + lane] = pairs_beside[4 * (begin + lane)];
    }
    return !any_of_team(open);
  }

  // ---- merges

  /// Leaves first .. last - 1 of a level, rows begin .. end - 1, cut at `middle`.
  struct Block {
    int number, begin, middle, end;
  };
  BATCHWORK_INLINE Block block(int number, int level) const {
    return {number, shape.boundary(number << level),
            shape.boundary((2 * number + 1) << (level - 1)), shape.boundary((number + 1) << level)};
  }
  BATCHWORK_INLINE Block block_of(int j, int level) const {
    int number = 0;
    while (shape.boundary((number + 1) << level) <= j) ++number;
    return block(number, level);
  }
  BATCHWORK_INLINE T change_size(Block const& b) const { return T(2) * abs(e()[b.middle - 1]); }

  /// Finds the values of all blocks of a level, and what their vectors are made of. \returns
  /// whether an iteration of the lane did not end
  BATCHWORK_INLINE bool prepare(int level) const {
    find_change(level);
    sync();
    sort_columns(level);
    sync();
    BATCHWORK_KEEP_LOOP
    for (int k = rank / lanes_of_warp; k < shape.leaves() >> level; k += warps)
      deflate(block(k, level));
    sync();
    bool const open = find_roots(level);
    sync();
    recompute_change(level);
    if (level == shape.levels) sort_values();
    sync();
    return open;
  }
  /// The last row of the upper vectors and the first of the lower ones, as a vector of length 1.
  BATCHWORK_INLINE void find_change(int level) const {
    for (int j = rank; j < shape.n; j += Lanes) {
      Block const b = block_of(j, level);
      bool const upper = j < b.middle;
      T const x = blocks()[j * shape.half() + (upper ? b.middle - 1 : b.middle) - first_row(j)] *
                  T(0.70710678118654752440L);
      z()[j] = upper || e()[b.middle - 1] > T(0) ? x : -x;
    }
  }
  /// Columns of a block by their values. Entries of the change that are negligible become zero.
  BATCHWORK_INLINE void sort_columns(int level) const {
    for (int j = rank; j < shape.n; j += Lanes) {
      Block const b = block_of(j, level);
      T const own = d()[j];
      int place = b.begin;
      BATCHWORK_UNROLL_SOME
      for (int i = b.begin; i < b.end; ++i) {
        T const other = d()[i];
        place += int(other < own) | (int(other == own) & int(i < j));
      }
      sorted_d()[place] = own;
      sorted_z()[place] = change_size(b) * abs(z()[j]) > negligible ? z()[j] : T(0);
      sorted_column()[place] = std::int16_t(j);
    }
  }
  /// By one warp: entries of the change that are not zero, runs of nearly equal values among them,
  /// and what is deflated, at the end of the block.
  BATCHWORK_INLINE void deflate(Block const& b) const {
    int const lane = rank % lanes_of_warp, begin = b.begin;
    unsigned const lower = (1u << lane) - 1u;
    int alive = 0, behind = b.end;
    for (int p0 = begin; p0 < b.end; p0 += lanes_of_warp) {
      int const p = p0 + lane;
      bool const there = p < b.end, lives = there && sorted_z()[p] != T(0);
      unsigned const living = Vendor::ballot(lives), dead = Vendor::ballot(there && !lives);
      if (lives) {
        int const to = begin + alive + Vendor::popcount(living & lower);
        alive_z()[to] = sorted_z()[p];
        pole()[to] = sorted_d()[p];
        alive_column()[to] = sorted_column()[p];
      } else if (there) {
        int const to = behind - 1 - Vendor::popcount(dead & lower);
        d()[to] = sorted_d()[p];
        kind()[to] = std::int16_t(-1 - sorted_column()[p]);
      }
      alive += Vendor::popcount(living);
      behind -= Vendor::popcount(dead);
    }
    Vendor::warp_sync();
    auto const joins = [&](T const& gap, T const& x, T const& y) {
      return abs(gap * x * y) <= negligible * (x * x + y * y);
    };
    bool close = false;
    for (int i = begin + lane; i + 1 < begin + alive; i += lanes_of_warp)
      close = close || joins(pole()[i + 1] - pole()[i], alive_z()[i], alive_z()[i + 1]);
    close = Vendor::any_of_warp(close);
    if (!close) {
      for (int i = lane; i < alive; i += lanes_of_warp) {
        run()[begin + i] = std::int16_t(i);
        pole_z()[begin + i] = length()[begin + i] = alive_z()[begin + i];
      }
      if (lane == 0) pole_count()[b.number] = std::int16_t(alive);
    } else if (lane == 0) {
      int k = -1;
      T long_(0), value(0);
      for (int i = 0; i < alive; ++i) {
        T const x = alive_z()[begin + i], own = pole()[begin + i];
        if (k >= 0 && joins(own - value, long_, x)) {
          T const square = long_ * long_ + x * x, root = Kokkos::sqrt(square);
          T const share = x * x / square;
          --behind;
          d()[behind] = own + (value - own) * share;
          kind()[behind] = std::int16_t(i);
          value += (own - value) * share;
          long_ = root;
        } else {
          ++k;
          long_ = x;
          value = own;
        }
        run()[begin + i] = std::int16_t(k);
        length()[begin + i] = long_;
        pole()[begin + k] = value;
        pole_z()[begin + k] = long_;
      }
      pole_count()[b.number] = std::int16_t(k + 1);
    }
    if (lane == 0) alive_count()[b.number] = std::int16_t(alive);
    Vendor::warp_sync();
    int upper = 0;
    for (int i0 = 0; i0 < alive; i0 += lanes_of_warp) {
      int const i = begin + i0 + lane;
      bool const there = i0 + lane < alive, above = there && alive_column()[i] < b.middle;
      unsigned const votes = Vendor::ballot(above);
      int const lower_ones = lane - Vendor::popcount(votes & lower) + i0 - upper;
      if (there) {
        weight()[i] = alive_z()[i] / pole_z()[begin + run()[i]];
        by_block()[above ? begin + upper + Vendor::popcount(votes & lower)
                         : begin + alive - 1 - lower_ones] = std::int16_t(i);
      }
      upper += Vendor::popcount(votes);
    }
    if (lane == 0) upper_count()[b.number] = std::int16_t(upper);
  }

  /// The secular equation of a block: 1 / rho + sum of z_i^2 / (d_i - x), where x is `at` from the
  /// pole `from`. Sums to root r, and behind it.
  struct Secular {
    T value, slope_before, slope_behind, sizes, squares;
  };
  BATCHWORK_INLINE Secular secular(Block const& b, int poles, int r, T const& from, T const& at,
                                   T const& constant, int first, int per) const {
    T before(0), behind(0), squares(0);
    Secular s{};
    BATCHWORK_UNROLL_SOME
    for (int i = first; i < poles; i += per) {
      T const x = pole_z()[b.begin + i];
      T const ratio = Vendor::quotient(x, T((pole()[b.begin + i] - from) - at));
      T const term = x * ratio, slope = ratio * ratio;
      bool const lower = i <= r;
      before += lower ? term : T(0), behind += lower ? T(0) : term;
      s.slope_before += lower ? slope : T(0), s.slope_behind += lower ? T(0) : slope;
      squares += x * x;
    }
    before = sum(before, per), behind = sum(behind, per);
    s.slope_before = sum(s.slope_before, per), s.slope_behind = sum(s.slope_behind, per);
    s.squares = sum(squares, per);
    s.value = constant + (before + behind);
    s.sizes = behind - before;
    return s;
  }
  BATCHWORK_INLINE int lanes_of_root() const {
    int per = 1;
    while (2 * per * shape.n <= Lanes && per < width) per *= 2;
    return per;
  }
  BATCHWORK_INLINE bool find_roots(int level) const {
    constexpr T eps = std::numeric_limits<T>::epsilon() / 2;
    int const per = lanes_of_root();
    bool open = false;
    BATCHWORK_KEEP_LOOP
    for (int j0 = 0; j0 < shape.n; j0 += Lanes / per) {
      int const j = j0 + rank / per, first = rank % per;
      Block const b = block_of(j < shape.n ? j : shape.n - 1, level);
      int const r = j - b.begin, most = pole_count()[b.number];
      bool const there = j < shape.n && r < most, last = r + 1 >= most;
      int const poles = there ? most : 0;
      T const rho = change_size(b), constant = there ? T(1) / rho : T(0);
      T const lower = there ? pole()[j] : T(0);
      T const gap = there && !last ? pole()[j + 1] - lower : T(1);
      // The half in which the root is, and a first guess from its two poles.
      T at = last ? T(0.5) * rho : T(0.5) * gap;
      Secular s = secular(b, poles, r, lower, at, constant, first, per);
      bool upper = false;
      T least(0), most_at = T(0), from = lower;
      if (there && last) {
        most_at = rho * s.squares * (T(1) + T(8) * eps);
        // The other poles as they are there.
        T const x = pole_z()[j] * pole_z()[j], rest = s.value + x / at;
        at = rest * most_at > x ? x / rest : T(0.5) * most_at;
      } else if (there) {
        upper = s.value < T(0);
        T const x = pole_z()[j] * pole_z()[j], y = pole_z()[j + 1] * pole_z()[j + 1];
        T const rest = s.value + (x - y) / (T(0.5) * gap);
        T const toward = upper ? -gap : gap;
        T const own = upper ? y : x, sizes = x + y, scaled = rest * toward;
        // rest - own / at + other / (toward - at) = 0
        T const a = scaled + sizes, q = own * toward;
        T const under = a * a - T(4) * rest * q, root = Kokkos::sqrt(under > T(0) ? under : T(0));
        T const guess = a > T(0) ? T(2) * q / (a + root) : (a - root) / (T(2) * rest);
        from = upper ? pole()[j + 1] : lower;
        least = upper ? T(-0.5) * gap : T(0);
        most_at = upper ? T(0) : T(0.5) * gap;
        at = guess > least && guess < most_at ? guess : T(0.5) * (least + most_at);
      }
      bool goes_on = there;
      BATCHWORK_KEEP_LOOP
      for (int step = 0; step < 60 && Vendor::any_of_warp(goes_on); ++step) {
        s = secular(b, poles, r, from, at, constant, first, per);
        T const slope = s.slope_before + s.slope_behind;
        bool const ends =
            abs(s.value) <= eps * (T(16) * s.sizes + T(2) * constant + abs(at) * slope);
        if (!goes_on || ends) {
          goes_on = false;
          continue;
        }
        if (s.value < T(0)) least = at;
        else most_at = at;
        // The poles on both sides, from here.
        T const p = upper ? -gap - at : -at, q = upper ? -at : gap - at;
        T change;
        if (last) {
          change = s.value * p / (s.value - s.slope_before * p);
        } else {
          T const c = s.value - p * s.slope_before - q * s.slope_behind,
                  a = (p + q) * s.value - p * q * slope, g = p * q * s.value;
          T const under = a * a - T(4) * g * c, root = Kokkos::sqrt(under > T(0) ? under : T(0));
          change = a > T(0) ? T(2) * g / (a + root) : (a - root) / (T(2) * c);
        }
        if (!(s.value * change < T(0))) change = -s.value / slope;
        T next = at + change;
        // Not out of the interval, and halves of it where the others are slow.
        if (!(next > least && next < most_at) || step % 8 == 7) next = middle_of(least, most_at);
        if (abs(next - at) <= T(2) * eps * abs(at)) goes_on = false;
        at = next;
      }
      open = open || goes_on;
      if (there && first == 0) {
        tau()[j] = at;
        origin()[j] = std::int16_t(upper ? j + 1 : j);
        d()[j] = from + at;
      }
    }
    return open;
  }
  /// Of numbers of one sign.
  static BATCHWORK_INLINE T middle_of(T const& x, T const& y) { return T(0.5) * (x + y); }

  /// The change with which the roots are exact.
  BATCHWORK_INLINE void recompute_change(int level) const {
    int const per = lanes_of_root();
    BATCHWORK_KEEP_LOOP
    for (int j0 = 0; j0 < shape.n; j0 += Lanes / per) {
      int const j = j0 + rank / per;
      Block const b = block_of(j < shape.n ? j : shape.n - 1, level);
      bool const there = j < shape.n && j - b.begin < pole_count()[b.number];
      int const end = there ? b.begin + pole_count()[b.number] : b.begin;
      T const own = there ? pole()[j] : T(0);
      T product(1);
      BATCHWORK_UNROLL_SOME
      for (int i = b.begin + rank % per; i < end; i += per) {
        T const to_root = (pole()[origin()[i]] - own) + tau()[i], to_pole = pole()[i] - own;
        product *= i == j ? to_root : Vendor::quotient(to_root, to_pole);
      }
      BATCHWORK_KEEP_LOOP
      for (int step = 1; step < per; step *= 2) product *= Vendor::shuffle_xor(product, step);
      if (there && rank % per == 0) {
        T const x = Kokkos::sqrt(abs(product));
        pole_z()[j] = pole_z()[j] < T(0) ? -x : x;
      }
    }
  }
  BATCHWORK_INLINE void sort_values() const {
    int const n = shape.n;
    for (int j = rank; j < n; j += Lanes) {
      T const own = d()[j];
      int place = 0;
      BATCHWORK_UNROLL_SOME
      for (int i = 0; i < n; ++i) {
        T const other = d()[i];
        place += int(other < own) | (int(other == own) & int(i < j));
      }
      order()[j] = std::int16_t(place);
    }
  }

  /// Entries of the new vector j of a block, from row 8 first_tile of the block on: combinations of
  /// the vectors that are there. Lane l has vector l / 4, and of each tile rows 2 (l % 4) and the
  /// next one.
  template <int R>
  BATCHWORK_INLINE void combine(double (&x)[R][2], Block const& b, int j, int first_tile) const {
    int const lane = rank % lanes_of_warp, begin = b.begin, half = shape.half();
    int const row0 = begin + first_tile * tile;
    bool const is_root = j - begin < pole_count()[b.number];
    int const kept = is_root ? 0 : kind()[j], joined = is_root || kept < 0 ? -1 : kept;
    T const from = is_root ? pole()[origin()[j]] : T(0), at = is_root ? tau()[j] : T(0);
    int const of_run = joined < 0 ? -1 : run()[begin + joined];
    T by(0), diagonal(0);
    if (joined > 0) {
      T const long_ = length()[begin + joined], before = length()[begin + joined - 1];
      by = alive_z()[begin + joined] / (long_ * before);
      diagonal = -before / long_;
    }
    BATCHWORK_UNROLL
    for (int t = 0; t < R; ++t) {
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) {
        x[t][c] = 0.0;
        if (kept >= 0) continue;
        // Nothing changes a vector that does not take part.
        int const i = row0 + t * tile + lane % 4 * 2 + c, column = -1 - kept;
        bool const above = column < b.middle;
        if (i >= (above ? begin : b.middle) && i < (above ? b.middle : b.end))
          x[t][c] = double(blocks()[column * half + i - first_row(column)]);
      }
    }
    T square(0);
    BATCHWORK_UNROLL
    for (int part = 0; part < 2; ++part) {
      int const low = part == 0 ? begin : b.middle, high = part == 0 ? b.middle : b.end,
                upper = upper_count()[b.number], first = part == 0 ? 0 : upper,
                last = part == 0 ? upper : int(alive_count()[b.number]);
      BATCHWORK_KEEP_LOOP
      for (int i0 = first; i0 < last; i0 += 8) {
        double own[2];
        T const* y[2];
        BATCHWORK_UNROLL
        for (int f = 0; f < 2; ++f) {
          int const at_i = i0 + 4 * f + lane % 4;
          bool const there = at_i < last;
          int const i = by_block()[begin + (there ? at_i : first)], k = run()[i];
          T const divided = weight()[i] * Vendor::quotient(pole_z()[begin + k],
                                                           T((pole()[begin + k] - from) - at));
          T const joins = k == of_run && i <= begin + joined
                              ? (i == begin + joined ? diagonal : alive_z()[i] * by)
                              : T(0);
          T const share = !there ? T(0) : is_root ? divided : joins;
          square += share * share;
          own[f] = double(share);
          int const column = alive_column()[i];
          y[f] = blocks() + column * half + row0 + lane / 4 - first_row(column);
        }
        BATCHWORK_UNROLL
        for (int t = 0; t < R; ++t) {
          int const row = row0 + t * tile;
          if (row < low || row >= high) continue;
          multiply(x[t], own[0], double(y[0][t * tile]));
          if (i0 + 4 < last) multiply(x[t], own[1], double(y[1][t * tile]));
        }
      }
    }
    square += Vendor::shuffle_xor(square, 1);
    square += Vendor::shuffle_xor(square, 2);
    double const scale = is_root && square > T(0) ? double(Vendor::rsqrt(square)) : 1.0;
    BATCHWORK_UNROLL
    for (int t = 0; t < R; ++t) {
      BATCHWORK_UNROLL
      for (int c = 0; c < 2; ++c) x[t][c] *= scale;
    }
  }
  /// Replaces the vectors of a level by those of the next one, some rows at a time: these depend
  /// on the same rows only.
  BATCHWORK_INLINE void merge(int level) const {
    int const of_block = shape.tiles_of_block(level), all = of_block * (shape.leaves() >> level),
              lane = rank % lanes_of_warp;
    BATCHWORK_KEEP_LOOP
    for (int first = 0; first < of_block; first += tiles_at_once) {
      double x[rounds][tiles_at_once][2];
      auto const each = [&](int r, auto const& f) {
        int const task = rank / lanes_of_warp + r * warps;
        if (task >= all) return;
        Block const b = block(task / of_block, level);
        f(b, b.begin + task % of_block * tile + lane / 4);
      };
      BATCHWORK_UNROLL
      for (int r = 0; r < rounds; ++r)
        each(r, [&](Block const& b, int j) { combine(x[r], b, j < b.end ? j : b.end - 1, first); });
      sync();
      BATCHWORK_UNROLL
      for (int r = 0; r < rounds; ++r)
        each(r, [&](Block const& b, int j) {
          if (j >= b.end) return;
          T* const to = blocks() + j * shape.half() + b.begin - first_row(j);
          int const rows = (b.end - b.begin + tile - 1) / tile * tile;
          BATCHWORK_UNROLL
          for (int t = 0; t < tiles_at_once; ++t) {
            BATCHWORK_UNROLL
            for (int c = 0; c < 2; ++c) {
              int const i = (first + t) * tile + lane % 4 * 2 + c;
              if (i < rows) to[i] = T(x[r][t][c]);
            }
          }
        });
    }
    sync();
  }
};

}  // namespace Batchwork::Impl

#endif
