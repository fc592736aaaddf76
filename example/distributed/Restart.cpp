// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Restart.hpp"

#include <map>

namespace Distributed {

Earlier look_at(Ranks const& ranks, Checkpoint const& checkpoint, Chunks const& chunks) {
  auto const& records = checkpoint.records();
  std::vector<int> damaged(records.size());
  for (std::size_t n = std::size_t(ranks.rank()); n < records.size();
       n += std::size_t(ranks.size()))
    damaged[n] = records[n].state == Record::done &&
                 !checkpoint.is_intact(chunks[std::int64_t(n)], records[n]);
  MPI_Allreduce(MPI_IN_PLACE, damaged.data(), int(damaged.size()), MPI_INT, MPI_MAX,
                MPI_COMM_WORLD);

  Earlier earlier;
  std::map<int, int> done;  // chunks of each rank
  for (std::size_t n = 0; n < records.size(); ++n)
    if (records[n].state == Record::done) ++done[records[n].rank];
  for (std::size_t n = 0; n < records.size(); ++n) {
    auto const& record = records[n];
    auto const index = std::int64_t(n);
    std::string const rank = "rank " + std::to_string(record.rank);
    if (record.state == Record::done && damaged[n] == 0) {
      earlier.outcome += record.outcome;
      continue;
    }
    earlier.todo.push_back(index);
    if (record.state == Record::taken)
      earlier.text += rank + " did not finish " + chunks[index].text() +
                      "; chunks that it had done: " + std::to_string(done[record.rank]) + "\n";
    else if (damaged[n] != 0)
      earlier.text += "the results of " + rank + " for " + chunks[index].text() + " are damaged\n";
  }
  if (earlier.todo.size() < records.size())
    earlier.text += std::to_string(records.size() - earlier.todo.size()) + " of " +
                    std::to_string(records.size()) + " chunks are done\n";
  return earlier;
}

}  // namespace Distributed
