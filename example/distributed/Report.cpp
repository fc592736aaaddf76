// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>

namespace Distributed {

namespace {

void add_outcomes(void* from, void* to, int* count, MPI_Datatype*) {
  for (int k = 0; k < *count; ++k)
    static_cast<Outcome*>(to)[k] += static_cast<Outcome const*>(from)[k];
}

std::vector<double> gathered(Ranks const& ranks, double of_rank) {
  std::vector<double> all(std::size_t(ranks.size()));
  MPI_Gather(&of_rank, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

double sum(std::vector<double> const& all) { return std::accumulate(all.begin(), all.end(), 0.0); }
double largest(std::vector<double> const& all) { return *std::max_element(all.begin(), all.end()); }

/// The largest share over the mean, if every rank had as many chunks in a row.
double imbalance_of_blocks(std::vector<double> const& cost, std::size_t ranks) {
  double worst = 0;
  auto const at = [&](std::size_t r) {
    return cost.begin() + std::ptrdiff_t(r * cost.size() / ranks);
  };
  for (std::size_t r = 0; r < ranks; ++r)
    worst = std::max(worst, std::accumulate(at(r), at(r + 1), 0.0));
  return worst * double(ranks) / sum(cost);
}

}  // namespace

Outcome reduced(Outcome const& of_rank) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op add = MPI_OP_NULL;
  MPI_Type_contiguous(int(sizeof(Outcome)), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_outcomes, 1, &add);
  Outcome all;
  MPI_Allreduce(&of_rank, &all, 1, type, add, MPI_COMM_WORLD);
  MPI_Op_free(&add);
  MPI_Type_free(&type);
  return all;
}

void report_balance(Ranks const& ranks, Share const& share, Chunks const& chunks,
                    std::vector<std::int64_t> const& todo, std::string const& costs) {
  auto const done = gathered(ranks, double(share.chunks)), busy = gathered(ranks, share.busy),
             writing = gathered(ranks, share.writing), elapsed = gathered(ranks, share.elapsed);
  auto seconds = share.seconds;
  auto work = share.work;
  void const* const from = MPI_IN_PLACE;
  MPI_Reduce(ranks.first() ? from : seconds.data(), seconds.data(), int(seconds.size()), MPI_DOUBLE,
             MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(ranks.first() ? from : work.data(), work.data(), int(work.size()), MPI_INT64_T,
             MPI_SUM, 0, MPI_COMM_WORLD);
  if (!ranks.first() || todo.empty()) return;

  if (ranks.size() <= 16)
    for (std::size_t r = 0; r < busy.size(); ++r)
      std::printf("  rank %zu: %.0f chunks, computed %.4g s, wrote %.4g s\n", r, done[r], busy[r],
                  writing[r]);
  std::vector<double> cost;
  for (auto const index : todo) cost.push_back(seconds[std::size_t(index)]);
  double const all = double(ranks.size());
  std::printf("  a chunk took %.3g to %.3g s\n", *std::min_element(cost.begin(), cost.end()),
              largest(cost));
  std::printf(
      "  imbalance: the busiest rank computed %.3f times the mean; in equal blocks it would be "
      "%.3f\n",
      largest(busy) * all / sum(busy), imbalance_of_blocks(cost, busy.size()));
  std::printf("  elapsed: %.4g s, of which the ranks computed %.1f %% and wrote %.1f %%\n",
              largest(elapsed), 100 * sum(busy) / all / largest(elapsed),
              100 * sum(writing) / all / largest(elapsed));
  if (costs.empty()) return;
  std::ofstream table(costs);
  table << "chunk,items,work,seconds\n";
  for (auto const index : todo)
    table << index << ',' << chunks[index].count << ',' << work[std::size_t(index)] << ','
          << seconds[std::size_t(index)] << '\n';
  table.close();
  if (!table) std::fprintf(stderr, "distributed: %s: cannot be written\n", costs.c_str());
}

}  // namespace Distributed
