// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A large batch on several devices: ranks of MPI, each with a device or a share of a host, take
/// chunks of items until none is left. The workloads are a sweep of ten million Kalman filters, and
/// a million stiff systems whose iteration counts differ. A checkpoint notes what is done, so that
/// a run which was killed can be continued, with another number of ranks too. The results do not
/// depend on the number of ranks.
///
///   mpirun -n 4 distributed chemistry --checkpoint flame.h5
///
/// Exit status: 0 for success, 1 for an error of the run, 2 if the input cannot be used.

#include <cstdio>
#include <exception>

#include "Report.hpp"
#include "Restart.hpp"
#include "Work.hpp"

namespace {

using namespace Distributed;

void print_ranks(Ranks const& ranks) {
  std::printf("ranks: %d on %s, %d of them on the first host\n", ranks.size(),
              Kokkos::DefaultExecutionSpace::name(), ranks.on_this_host());
  int const devices = Kokkos::num_devices();
  if (devices > 0 && ranks.on_this_host() > devices)
    std::printf("  note: a rank sees %d devices; ranks share them unless each sees other ones\n",
                devices);
}

int run(Ranks const& ranks, Options const& options) {
  Chunks const chunks{options.all_items(), options.chunk};
  auto const workload = ranks.together([&] {
    return options.is_sweep() ? make_sweep(options.data, options.grid, options.chunk)
                              : make_chemistry(options.data, options.items, options.chunk);
  });
  auto const checkpoint = ranks.together([&] {
    return Checkpoint(options.checkpoint, options.restart, options.results, workload->problem(),
                      chunks, workload->numbers());
  });
  Earlier const earlier = look_at(ranks, checkpoint, chunks);
  if (ranks.first()) {
    std::printf("%s\n", workload->problem().c_str());
    print_ranks(ranks);
    std::printf("%s", earlier.text.c_str());
    std::fflush(stdout);
  }

  Share share = work(ranks, options, *workload, chunks, earlier.todo, checkpoint);
  if (ranks.first()) share.outcome += earlier.outcome;
  Outcome const all = reduced(share.outcome);
  report_balance(ranks, share, chunks, earlier.todo, options.costs);
  if (ranks.first())
    std::printf("  %s\n  checksum of the results: %016llx\n", workload->summary(all).c_str(),
                static_cast<unsigned long long>(all.checksum));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Ranks const ranks(argc, argv);
  try {
    auto const options = ranks.together([&] { return parse_options(argc, argv, ranks.first()); });
    if (!options) return 0;
    // Kokkos gives the ranks of a host its devices in turn.
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(ranks, *options);
  } catch (InputError const& e) {  // on all ranks
    if (ranks.first()) std::fprintf(stderr, "distributed: %s\n", e.what());
    return 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "distributed: rank %d: %s\n", ranks.rank(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
