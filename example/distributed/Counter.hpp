// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A counter that hands out numbers to ranks, each number once.
#ifndef DISTRIBUTED_COUNTER_HPP
#define DISTRIBUTED_COUNTER_HPP

#include <cstdint>
#include <utility>

#include "Ranks.hpp"

namespace Distributed {

/// Every rank first gets its own number, then the next that nobody has. A rank that is slow, or has
/// costly chunks, thus takes fewer. The counter is in the memory of rank 0. The other ranks change
/// it by MPI_Fetch_and_op, without help from rank 0 where the network or the shared memory can do
/// so. Constructor and destructor are collective.
class Counter {
 public:
  explicit Counter(Ranks const& ranks) : own_(ranks.rank()) {
    MPI_Win_allocate(ranks.first() ? sizeof(std::int64_t) : 0, sizeof(std::int64_t), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory_, &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    if (ranks.first()) *memory_ = ranks.size();
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Counter() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Counter(Counter const&) = delete;
  Counter& operator=(Counter const&) = delete;

  std::int64_t next() {
    std::int64_t const one = 1;
    std::int64_t mine = std::exchange(own_, -1);
    if (mine >= 0) return mine;
    MPI_Fetch_and_op(&one, &mine, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return mine;
  }

 private:
  std::int64_t own_;  ///< the first number of this rank, or -1 afterwards
  std::int64_t* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace Distributed

#endif
