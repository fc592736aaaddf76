// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Checks of team_eigh, team_svd, team_qr, team_least_squares, team_lu and team_solve_lu. Tests run
/// them in a TeamPolicy kernel, or on teams of a host's threads.
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
  void all(int n, std::int64_t items, Arranged how, Random& random) const {
    eigh(n, items, how, random);
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
