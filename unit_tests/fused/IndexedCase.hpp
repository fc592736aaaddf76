// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sequences over indexed operands, and checks of their results against plain loops. A test gives
/// run(items, sequence, operands...), which runs the sequence.
#ifndef BATCHWORK_TEST_INDEXEDCASE_HPP
#define BATCHWORK_TEST_INDEXEDCASE_HPP

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {

/// Indices beside the range 0 .. extent - 1.
template <class I>
I index_out_of_range(std::int64_t extent, int which) {
  I const all[] = {static_cast<I>(extent), static_cast<I>(-1), std::numeric_limits<I>::max(),
                   static_cast<I>(extent + 1), std::numeric_limits<I>::lowest()};
  I const r = all[which % 5];
  return std::is_unsigned_v<I> && r == I(0) ? static_cast<I>(extent) : r;
}
inline bool is_in_range(auto k, std::int64_t extent) {
  if constexpr (std::is_signed_v<decltype(k)>) return k >= 0 && std::int64_t(k) < extent;
  else return k < std::uint64_t(extent);
}
inline constexpr int range_status = Status::code(Reason::out_of_range, 0);

/// Random indices, with equal ones. Index number `planted` modulo the numbers of an item is out of
/// range in the first, a middle and the last item.
template <class Batch>
void fill_indices(Batch& index, Random& random, std::int64_t extent, int planted) {
  std::int64_t const n = index.items();
  using I = std::remove_cvref_t<decltype(index.at(0))>;
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < Batch::rows; ++i)
      for (int j = 0; j < Batch::cols; ++j)
        index.at(k, i, j) = static_cast<I>(random.integer(0, int(extent) - 1));
  int which = planted;
  if (planted >= 0 && n > 0)
    for (std::int64_t const k : {std::int64_t(0), n / 2, n - 1})
      index.at(k, planted % Batch::rows, planted / Batch::rows % Batch::cols) =
          index_out_of_range<I>(extent, which++);
  index.upload();
}
/// Distinct indices in a random order; out of range in the same items.
template <class Batch>
void fill_with_distinct_indices(Batch& index, Random& random, std::int64_t extent, int planted) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(extent));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[std::size_t(random.integer(0, int(k) - 1))]);
  fill_indices(index, random, extent, planted);
  using I = std::remove_cvref_t<decltype(index.at(0))>;
  std::size_t next = 0;
  for (std::int64_t k = 0; k < index.items(); ++k)
    for (int i = 0; i < Batch::rows; ++i)
      for (int j = 0; j < Batch::cols; ++j)
        if (is_in_range(index.at(k, i, j), extent))
          index.at(k, i, j) = static_cast<I>(order[next++]);
  index.upload();
}
/// Whether all indices of an item are in range.
template <class Batch>
bool is_complete(Batch const& index, std::int64_t k, std::int64_t extent) {
  for (int i = 0; i < Batch::rows; ++i)
    for (int j = 0; j < Batch::cols; ++j)
      if (!is_in_range(index.at(k, i, j), extent)) return false;
  return true;
}

/// The extents of the tiles: one index picks M x N, K indices rows of C or numbers, P x Q indices
/// numbers. They divide neither packs nor warps.
inline constexpr int indexed_M = 3, indexed_N = 5, indexed_K = 6, indexed_C = 3, indexed_P = 5,
                     indexed_Q = 4, indexed_S = 4;

/// Numbers of nodes, and the indices with which elements pick them.
template <class T, class I, class L, class LI>
struct Mesh {
  std::int64_t n, nodes;
  BatchIn<T, L, indexed_M, indexed_N> matrices{nodes};
  BatchIn<T, L, indexed_S, indexed_S> symmetric_ones{nodes};
  BatchIn<T, L, indexed_C> vectors{nodes};
  BatchIn<T, L> numbers{nodes};
  BatchIn<I, LI> one{n}, other{n};
  BatchIn<I, LI, indexed_K> row{n}, entry{n};
  BatchIn<I, LI, 2> pair{n};
  BatchIn<I, LI, indexed_P, indexed_Q> place{n};

  Mesh(std::int64_t items, std::int64_t of) : n(items), nodes(of) {}

  void randomise(Random& random) {
    matrices.randomise(random), symmetric_ones.randomise(random);
    vectors.randomise(random), numbers.randomise(random);
  }
  /// The items that have an index out of range differ from operand to operand, as far as n allows.
  void index(Random& random, bool with_bad) {
    int const p = with_bad ? 3 : -1;
    fill_indices(one, random, nodes, p), fill_indices(other, random, nodes, -1);
    fill_indices(row, random, nodes, p), fill_indices(entry, random, nodes, p + (with_bad ? 1 : 0));
    fill_indices(pair, random, nodes, p), fill_indices(place, random, nodes, with_bad ? 7 : -1);
    // Some items are complete in one operand only.
    if (with_bad && n > 2)
      for (std::int64_t const k : {std::int64_t(0), n - 1})
        row.at(k, 3 % indexed_K) = I(0), pair.at(k, 1) = I(nodes - 1);
    row.upload(), pair.upload();
  }
};

struct Pick {
  template <class A, class S, class V, class B, class E, class G, class Z, class IA, class IS,
            class IV, class IB, class IE, class IG, class IZ>
  KOKKOS_FUNCTION void operator()(A& a, S& s, V& v, B& b, E& e, G& g, Z& z, IA const& x,
                                  IS const& y, IV const& w, IB const& r, IE const& p, IG const& t,
                                  IZ const& q) const {
    a = 2 * x;
    s = y + y;
    v = 2 * w;
    b = 2 * r;
    e = 2 * p;
    g = t[0] + t[1];
    z = 2 * q;
  }
};

/// Every form of in(gathered(...)) in one call: each number is twice the number that its index
/// picks, and NaN where an index of its tile is out of range; the status says so.
template <class T, class I, class L, class LI, class Run>
void expect_picks(std::int64_t n, std::int64_t nodes, bool with_bad, Run const& run) {
  SCOPED_TRACE("n " + std::to_string(n) + ", nodes " + std::to_string(nodes));
  Random random(7);
  Mesh<T, I, L, LI> m(n, nodes);
  m.randomise(random), m.index(random, with_bad);
  BatchIn<T, Left, indexed_M, indexed_N> a(n), g(n);
  BatchIn<T, Right, indexed_S, indexed_S> s(n);
  BatchIn<T, Left, indexed_K> v(n);
  BatchIn<T, Right, indexed_K, indexed_C> b(n);
  BatchIn<T, Left, indexed_P, indexed_Q> e(n);
  BatchIn<T, Left> z(n);
  BatchIn<int, Left> codes(n);
  run(n, Pick{}, out(a.view()), out(symmetric(s.view())), out(v.view()), out(b.view()),
      out(e.view()), out(g.view()), out(z.view()),
      in(gathered(m.matrices.const_view(), m.one.const_view())),
      in(gathered(symmetric(m.symmetric_ones.view()), m.other.view())),
      in(gathered(m.numbers.view(), m.entry.view())),
      in(gathered(m.vectors.const_view(), m.row.view())),
      in(gathered(m.numbers.view(), m.place.const_view())),
      in(gathered(m.matrices.view(), m.pair.view())),
      in(gathered(m.numbers.view(), m.other.view())), status(codes.view()));
  a.download(), s.download(), v.download(), b.download(), e.download(), g.download();
  z.download(), codes.download();
  auto const expect = [](T const got, bool there, T const want, std::string const& what) {
    if (there) EXPECT_EQ(got, want) << what;
    else EXPECT_TRUE(got != got) << what << " is " << got;
  };
  auto const at = [](I k) { return static_cast<std::int64_t>(k); };
  for (std::int64_t k = 0; k < n; ++k) {
    SCOPED_TRACE("item " + std::to_string(k));
    bool const one = is_complete(m.one, k, nodes), row = is_complete(m.row, k, nodes),
               entry = is_complete(m.entry, k, nodes), pair = is_complete(m.pair, k, nodes),
               place = is_complete(m.place, k, nodes), other = is_complete(m.other, k, nodes);
    EXPECT_EQ(codes.at(k), one && row && entry && pair && place && other ? 0 : range_status);
    for (int i = 0; i < indexed_M; ++i)
      for (int j = 0; j < indexed_N; ++j) {
        expect(a.at(k, i, j), one, one ? 2 * m.matrices.at(at(m.one.at(k)), i, j) : 0, "matrix");
        expect(g.at(k, i, j), pair,
               pair ? m.matrices.at(at(m.pair.at(k, 0)), i, j) +
                          m.matrices.at(at(m.pair.at(k, 1)), i, j)
                    : 0,
               "tiles");
      }
    for (int i = 0; i < indexed_S; ++i)
      for (int j = 0; j < indexed_S; ++j)
        expect(
            s.at(k, i, j), other,
            other ? 2 * m.symmetric_ones.at(at(m.other.at(k)), std::max(i, j), std::min(i, j)) : 0,
            "symmetric");
    for (int i = 0; i < indexed_K; ++i) {
      expect(v.at(k, i), entry, entry ? 2 * m.numbers.at(at(m.entry.at(k, i))) : 0, "vector");
      for (int j = 0; j < indexed_C; ++j)
        expect(b.at(k, i, j), row, row ? 2 * m.vectors.at(at(m.row.at(k, i)), j) : 0, "rows");
    }
    for (int i = 0; i < indexed_P; ++i)
      for (int j = 0; j < indexed_Q; ++j)
        expect(e.at(k, i, j), place, place ? 2 * m.numbers.at(at(m.place.at(k, i, j))) : 0,
               "entries");
    expect(z.at(k), other, other ? 2 * m.numbers.at(at(m.other.at(k))) : 0, "number");
  }
}

// ---- scattered ----------------------------------------------------------------------------------

struct PlaceAll {
  template <class A, class S, class V, class B, class E, class IA, class IS, class IV, class IB,
            class IE>
  KOKKOS_FUNCTION void operator()(A& a, S& s, V& v, B& b, E& e, IA const& x, IS const& y,
                                  IV const& w, IB const& r, IE const& p) const {
    a = 2 * x;
    s += y;
    v = 2 * w;
    b += r;
    e = 2 * p;
  }
};
/// The tiles that items place.
template <class T>
struct Placed {
  BatchIn<T, Left, indexed_M, indexed_N> a;
  BatchIn<T, Right, indexed_S, indexed_S> s;
  BatchIn<T, Left, indexed_K> v;
  BatchIn<T, Right, indexed_K, indexed_C> b;
  BatchIn<T, Left, indexed_P, indexed_Q> e;
  Placed(std::int64_t n, Random& random) : a(n), s(n), v(n), b(n), e(n) {
    a.fill_exactly(random), s.fill_exactly(random), v.fill_exactly(random);
    b.fill_exactly(random), e.fill_exactly(random);
  }
};
/// A copy of the storage of a batch, to which a plain loop does the same.
template <class Batch>
struct Twin {
  std::vector<std::vector<long double>> numbers;
  explicit Twin(Batch const& of) {
    for (std::int64_t k = 0; k < of.items(); ++k) {
      numbers.emplace_back();
      for (int i = 0; i < Batch::rows; ++i)
        for (int j = 0; j < Batch::cols; ++j) numbers.back().push_back(of.at(k, i, j));
    }
  }
  long double& at(std::int64_t k, int i = 0, int j = 0) {
    return numbers[std::size_t(k)][std::size_t(i * Batch::cols + j)];
  }
  void expect_same(Batch const& of, std::size_t poisoned, std::string const& what) {
    of.download();
    for (std::int64_t k = 0; k < of.items(); ++k)
      for (int i = 0; i < Batch::rows; ++i)
        for (int j = 0; j < Batch::cols; ++j)
          EXPECT_EQ(static_cast<long double>(of.at(k, i, j)), at(k, i, j))
              << what << " " << k << ", " << i << ", " << j;
    EXPECT_GE(of.poisoned(), poisoned) << what << " was written outside the batch";
  }
};

/// out and inout of every form, with distinct indices: what no index names stays as it was.
template <class T, class I, class L, class LI, class Run>
void expect_places(std::int64_t n, bool with_bad, Run const& run) {
  SCOPED_TRACE("n " + std::to_string(n));
  Random random(8);
  std::int64_t const nodes = 2 * n + 3, many = n * indexed_P * indexed_Q + 5;
  BatchIn<T, L, indexed_M, indexed_N> a(nodes);
  BatchIn<T, L, indexed_S, indexed_S> s(nodes);
  BatchIn<T, L> v(many), e(many);
  BatchIn<T, L, indexed_C> b(many);
  s.fill_exactly(random), b.fill_exactly(random);
  BatchIn<I, LI> one(n), other(n);
  BatchIn<I, LI, indexed_K> row(n), entry(n);
  BatchIn<I, LI, indexed_P, indexed_Q> place(n);
  int const p = with_bad ? 2 : -1;
  fill_with_distinct_indices(one, random, nodes, p);
  fill_with_distinct_indices(other, random, nodes, -1);
  fill_with_distinct_indices(row, random, many, p);
  fill_with_distinct_indices(entry, random, many, -1);
  fill_with_distinct_indices(place, random, many, with_bad ? 11 : -1);
  Placed<T> const x(n, random);
  BatchIn<std::int64_t, Left> codes(n);
  Twin ta(a);
  Twin ts(s);
  Twin tv(v);
  Twin tb(b);
  Twin te(e);
  for (std::int64_t k = 0; k < n; ++k) {
    auto const to = [](I i) { return static_cast<std::int64_t>(i); };
    if (is_in_range(one.at(k), nodes))
      for (int i = 0; i < indexed_M; ++i)
        for (int j = 0; j < indexed_N; ++j) ta.at(to(one.at(k)), i, j) = 2 * x.a.at(k, i, j);
    for (int i = 0; i < indexed_S; ++i)
      for (int j = 0; j <= i; ++j)
        ts.at(to(other.at(k)), i, j) = ts.at(to(other.at(k)), j, i) =
            s.at(to(other.at(k)), i, j) + x.s.at(k, i, j);
    for (int i = 0; i < indexed_K; ++i) {
      tv.at(to(entry.at(k, i))) = 2 * x.v.at(k, i);
      // The numbers of an item with an index out of range are NaN when they are read.
      if (is_in_range(row.at(k, i), many))
        for (int j = 0; j < indexed_C; ++j)
          tb.at(to(row.at(k, i)), j) = is_complete(row, k, many)
                                           ? tb.at(to(row.at(k, i)), j) + x.b.at(k, i, j)
                                           : std::numeric_limits<long double>::quiet_NaN();
    }
    for (int i = 0; i < indexed_P; ++i)
      for (int j = 0; j < indexed_Q; ++j)
        if (is_in_range(place.at(k, i, j), many))
          te.at(to(place.at(k, i, j))) = 2 * x.e.at(k, i, j);
  }
  run(n, PlaceAll{}, out(scattered(a.view(), one.view())),
      inout(scattered(symmetric(s.view()), other.const_view())),
      out(scattered(v.view(), entry.view())), inout(scattered(b.view(), row.view())),
      out(scattered(e.view(), place.view())), in(x.a.view()), in(symmetric(x.s.view())),
      in(x.v.view()), in(x.b.view()), in(x.e.view()), status(codes.view()));
  ta.expect_same(a, a.outside(), "matrix"), ts.expect_same(s, s.outside(), "symmetric");
  tv.expect_same(v, v.outside(), "vector"), te.expect_same(e, e.outside(), "entries");
  codes.download(), b.download();
  for (std::int64_t k = 0; k < many; ++k)
    for (int j = 0; j < indexed_C; ++j) {
      if (std::isnan(tb.at(k, j))) {
        EXPECT_TRUE(std::isnan(b.at(k, j))) << k;
      } else {
        EXPECT_EQ(static_cast<long double>(b.at(k, j)), tb.at(k, j)) << "rows " << k;
      }
    }
  for (std::int64_t k = 0; k < n; ++k)
    EXPECT_EQ(codes.at(k),
              is_complete(one, k, nodes) && is_complete(row, k, many) && is_complete(place, k, many)
                  ? 0
                  : range_status)
        << k;
}

/// add of every form, with many equal indices. Sums of small whole numbers are exact in any order.
template <class T, class I, class L, class LI, class Run>
void expect_sums(std::int64_t n, bool with_bad, Run const& run) {
  SCOPED_TRACE("n " + std::to_string(n));
  Random random(9);
  std::int64_t const nodes = 1 + n / 3;
  Mesh<T, I, L, LI> m(n, nodes);
  m.index(random, with_bad);
  m.matrices.fill_exactly(random), m.symmetric_ones.fill_exactly(random);
  m.vectors.fill_exactly(random), m.numbers.fill_exactly(random);
  BatchIn<T, L> entries(nodes);
  entries.fill_exactly(random);
  // Each number of the tile is added, also above the diagonal of a symmetric one.
  Placed<T> const x(n, random);
  BatchIn<int, Left> codes(n);
  Twin ta(m.matrices);
  Twin ts(m.symmetric_ones);
  Twin tv(m.numbers);
  Twin tb(m.vectors);
  Twin te(entries);
  auto const add_to = [&](I to, auto const& f) {
    if (is_in_range(to, nodes)) f(static_cast<std::int64_t>(to));
  };
  for (std::int64_t k = 0; k < n; ++k) {
    for (int i = 0; i < indexed_M; ++i)
      for (int j = 0; j < indexed_N; ++j)
        add_to(m.one.at(k), [&](auto to) { ta.at(to, i, j) += 2 * x.a.at(k, i, j); });
    for (int i = 0; i < indexed_S; ++i)
      for (int j = 0; j < indexed_S; ++j)
        add_to(m.other.at(k),
               [&](auto to) { ts.at(to, i, j) += x.s.at(k, std::max(i, j), std::min(i, j)); });
    for (int i = 0; i < indexed_K; ++i) {
      add_to(m.entry.at(k, i), [&](auto to) { tv.at(to) += 2 * x.v.at(k, i); });
      for (int j = 0; j < indexed_C; ++j)
        add_to(m.row.at(k, i), [&](auto to) { tb.at(to, j) += x.b.at(k, i, j); });
    }
    for (int i = 0; i < indexed_P; ++i)
      for (int j = 0; j < indexed_Q; ++j)
        add_to(m.place.at(k, i, j), [&](auto to) { te.at(to) += 2 * x.e.at(k, i, j); });
  }
  run(n, PlaceAll{}, add(scattered(m.matrices.view(), m.one.view())),
      add(scattered(symmetric(m.symmetric_ones.view()), m.other.view())),
      add(scattered(m.numbers.view(), m.entry.view())),
      add(scattered(m.vectors.view(), m.row.view())),
      add(scattered(entries.view(), m.place.view())), in(x.a.view()), in(symmetric(x.s.view())),
      in(x.v.view()), in(x.b.view()), in(x.e.view()), status(codes.view()));
  ta.expect_same(m.matrices, m.matrices.outside(), "matrix");
  ts.expect_same(m.symmetric_ones, m.symmetric_ones.outside(), "symmetric");
  tv.expect_same(m.numbers, m.numbers.outside(), "vector");
  tb.expect_same(m.vectors, m.vectors.outside(), "rows");
  te.expect_same(entries, entries.outside(), "entries");
  codes.download();
  for (std::int64_t k = 0; k < n; ++k)
    EXPECT_EQ(codes.at(k), is_complete(m.one, k, nodes) && is_complete(m.row, k, nodes) &&
                                   is_complete(m.entry, k, nodes) && is_complete(m.place, k, nodes)
                               ? 0
                               : range_status)
        << k;
}

}  // namespace Batchwork::Test

#endif
