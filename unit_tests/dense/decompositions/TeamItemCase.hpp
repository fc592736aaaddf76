// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of team_eigh, team_svd, team_qr, team_least_squares, team_lu, team_solve_lu,
/// team_cholesky and team_solve_cholesky. Tests run them in a TeamPolicy kernel, or on teams of a
/// host's threads.
#ifndef BATCHWORK_TEST_TEAM_ITEM_CASE_HPP
#define BATCHWORK_TEST_TEAM_ITEM_CASE_HPP

#include "EighVerbCase.hpp"
#include "QrVerbsCase.hpp"
#include "SvdVerbCase.hpp"
#include "dense/lu/LuVerbsCase.hpp"

namespace Batchwork::Test {

/// A user's kernel: each team takes one item after the other.
template <class Item>
struct KernelOfUser {
  Item item;
  std::int64_t items;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (std::int64_t k = member.league_rank(); k < items; k += member.league_size())
      item(member, k);
  }
};

inline auto status_of(ArrangedBatch<int> const& codes) {
  using View = Kokkos::View<int*, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  return status(
      View(codes.data(), Kokkos::LayoutStride(std::size_t(codes.items), std::size_t(codes.item))));
}

/// ByLanes: the way of devices. run(item, items) runs a TeamItem.
template <bool ByLanes, class T, class Run>
struct TeamItems {
  Run const& run;

  template <int TeamSize = 0>
  void eigh(int n, std::int64_t items, Arranged how, Random& random) const {
    check_eigh<T>(n, items, how, random,
                  [&](auto const& a, auto const& w, auto const& v, auto const& codes) {
                    run(Impl::TeamEighForms<ByLanes, TeamSize>::template make<Space>(
                            in(a.batch()), out(vectors(w)), out(v.batch()), status_of(codes)),
                        items);
                  });
  }
  void svd(int m, int n, std::int64_t items, Arranged how, Random& random) const {
    using Forms = Impl::TeamSvdForms<ByLanes>;
    check_svd<T>(
        m, n, items, how, random,
        [&](auto const& a, auto const& u, auto const& w, auto const& v, auto const& codes) {
          run(Forms::template make<Space>(in(a.batch()), out(u.batch()), out(vectors(w)),
                                          out(v.batch()), status_of(codes)),
              items);
        },
        [&](auto const& a, auto const& w) {
          run(Forms::template make<Space>(in(a.batch()), out(vectors(w))), items);
        });
  }
  void qr(int m, int n, int columns_of_q, std::int64_t items, Arranged how, Random& random) const {
    check_qr<T>(m, n, columns_of_q, items, how, random,
                [&](auto const& a, auto const& q, auto const& r, auto const& codes) {
                  run(Impl::TeamQrForms<ByLanes>::template make<Space>(
                          in(a.batch()), out(q.batch()), out(r.batch()), status_of(codes)),
                      items);
                });
  }
  void least_squares(int m, int n, int columns, std::int64_t items, Arranged how,
                     Random& random) const {
    check_least_squares<T>(
        m, n, columns, items, how, random,
        [&](auto const& a, auto const& b, auto const& x, auto const& codes) {
          run(Impl::TeamLeastSquaresForms<ByLanes>::template make<Space>(
                  in(a.batch()), in(b.batch()), out(x.batch()), status_of(codes)),
              items);
        });
  }
  void lu(int n, int columns, std::int64_t items, Arranged how, Random& random) const {
    check_lu<T>(
        n, columns, items, how, random,
        [&](auto const& a, auto const& lu, auto const& rows, auto const& codes) {
          run(Impl::TeamLuForms<ByLanes>::template make<Space>(
                  in(a.batch()), out(lu.batch()), out(vectors(rows)), status_of(codes)),
              a.items);
        },
        [&](auto const& a, auto const& b, auto const& x, auto const& codes) {
          run(Impl::TeamSolveLuForms<ByLanes>::template make<Space>(
                  in(a.batch()), in(b.batch()), out(x.batch()), status_of(codes)),
              items);
        },
        !ByLanes);
  }
  /// |A - L L'| and |b - A x| are bounded as in is_factor and solves_spd. Some items fail.
  void cholesky(int n, int columns, std::int64_t items, Arranged how, Random& random) const {
    SCOPED_TRACE("cholesky, " + std::to_string(items) + " items of " + std::to_string(n) + " rows");
    ArrangedBatch<T> const a(items, n, n, how), l(items, n, n, how), clean(items, n, n, how),
        b(items, n, columns, how), x(items, n, columns, how);
    ArrangedBatch<int> const codes(items, 1, 1, Arranged::item_contiguous),
        codes_of_x(items, 1, 1, Arranged::interleaved);
    put_spd(a, random);
    b.randomise(random);
    auto const fails = [&](std::int64_t k) { return k == 0 || k == items / 2 || k + 1 == items; };
    auto const pivot = [&](std::int64_t k) { return int(k * 7 % n); };
    std::vector<Dense> whole;
    for (std::int64_t k = 0; k < items; ++k) {
      whole.push_back(item(a, k));
      if (fails(k))
        a.at(k, pivot(k), pivot(k)) = k == 0 ? std::numeric_limits<T>::quiet_NaN() : T(-1);
    }
    a.upload();
    auto const factor = [&](auto const& to) {
      run(Impl::TeamCholeskyForms<ByLanes>::template make<Space>(in(a.batch()), out(to.batch()),
                                                                 status_of(codes)),
          items);
    };
    factor(l);
    run(Impl::TeamSolveCholeskyForms<ByLanes>::template make<Space>(
            in(a.batch()), in(b.batch()), out(x.batch()), status_of(codes_of_x)),
        items);
    l.download(), x.download(), codes.download(), codes_of_x.download();
    expect_only_items(l), expect_only_items(x);
    for (std::int64_t k = 0; k < items; ++k) {
      SCOPED_TRACE("item " + std::to_string(k));
      ASSERT_EQ(codes_of_x.at(k, 0, 0), codes.at(k, 0, 0));
      if (fails(k)) {
        ASSERT_EQ(codes.at(k, 0, 0),
                  Status::code(k == 0 ? Reason::not_finite : Reason::not_positive_definite,
                               pivot(k) + 1));
        for (int i = 0; i < n; ++i) ASSERT_TRUE(std::isnan(x.at(k, i, columns - 1)));
        continue;
      }
      ASSERT_EQ(codes.at(k, 0, 0), 0);
      Dense const ak = item(a, k);
      ASSERT_TRUE(is_factor<T>(item(l, k), ak));
      ASSERT_TRUE(solves_spd<T>(item(x, k), ak, item(b, k)));
    }
    // Neighbours of failed items must be bitwise the same as without failures.
    for (std::int64_t k = 0; k < items; ++k) put(a, k, whole[std::size_t(k)], true);
    a.upload();
    factor(clean);
    clean.download();
    for (std::int64_t k = 0; k < items; ++k)
      for (int i = 0; i < n && !fails(k); ++i)
        for (int j = 0; j <= i; ++j) ASSERT_TRUE(same_bits(clean.at(k, i, j), l.at(k, i, j))) << k;
  }
  void all(int n, std::int64_t items, Arranged how, Random& random) const {
    eigh(n, items, how, random);
    cholesky(n, 1, items, how, random);
    cholesky(n, 11, items, how, random);
    lu(n, 1, items, how, random);
    lu(n, 11, items, how, random);
    svd(n, n, items, how, random);
    svd(n, (n + 1) / 2, items, how, random);
    qr(n, n, n, items, how, random);
    qr((n + 1) / 2, n, (n + 1) / 2, items, how, random);
    qr(2 * n, n, 2 * n, items, how, random);
    least_squares(2 * n, n, 11, items, how, random);
    least_squares(n, 2 * n, 1, items, how, random);
  }
};

}  // namespace Batchwork::Test

#endif
