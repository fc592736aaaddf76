// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Work.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "Counter.hpp"
#include "Progress.hpp"

namespace Distributed {

namespace {

void compute(Ranks const& ranks, Workload& workload, Chunk const& chunk,
             Checkpoint const& checkpoint, int fail_rank, Share& share) {
  Record record;
  record.state = Record::taken;
  record.rank = ranks.rank();
  checkpoint.write(chunk, record);
  if (fail_rank >= 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (ranks.rank() == fail_rank && share.chunks == 1) std::raise(SIGKILL);

  Kokkos::Timer timer;
  record.outcome = workload.run(chunk);
  record.seconds = timer.seconds();

  timer.reset();
  if (checkpoint.has_results()) checkpoint.write_results(chunk, workload.results());
  record.state = Record::done;
  checkpoint.write(chunk, record);

  share.writing += timer.seconds();
  share.busy += record.seconds;
  share.outcome += record.outcome;
  share.seconds[std::size_t(chunk.index)] = record.seconds;
  share.work[std::size_t(chunk.index)] = record.outcome.work;
  ++share.chunks;
}

}  // namespace

Share work(Ranks const& ranks, Options const& options, Workload& workload, Chunks const& chunks,
           std::vector<std::int64_t> const& todo, Checkpoint const& checkpoint) {
  Share share;
  share.seconds.resize(std::size_t(chunks.size()));
  share.work.resize(share.seconds.size());
  // Ends all ranks before a destructor would wait for them.
  auto const guarded = [&](std::string const& what, auto const& f) {
    try {
      f();
    } catch (std::exception const& e) {
      std::fprintf(stderr, "distributed: rank %d had done %lld chunks and failed in %s: %s\n",
                   ranks.rank(), static_cast<long long>(share.chunks), what.c_str(), e.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  };
  guarded("the first launch", [&] {  // loads the kernels
    workload.run({0, 0, std::min<std::int64_t>(64, chunks.length)});
  });
  Counter counter(ranks);
  Progress progress(ranks.first(), options.progress, std::int64_t(todo.size()));
  Kokkos::Timer const timer;
  for (auto k = counter.next(); k < std::int64_t(todo.size()); k = counter.next()) {
    Chunk const chunk = chunks[todo[std::size_t(k)]];
    guarded(chunk.text(),
            [&] { compute(ranks, workload, chunk, checkpoint, options.fail_rank, share); });
    progress(k + 1);
  }
  share.elapsed = timer.seconds();
  return share;
}

}  // namespace Distributed
