// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks.hpp"

namespace Distributed {

Ranks::Ranks(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &on_this_host_);
  MPI_Comm_free(&host);
}

void Ranks::throw_first(std::string problem) const {
  int const candidate = problem.empty() ? size_ : rank_;
  int thrower = size_;
  MPI_Allreduce(&candidate, &thrower, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (thrower == size_) return;
  int length = int(problem.size());
  MPI_Bcast(&length, 1, MPI_INT, thrower, MPI_COMM_WORLD);
  problem.resize(std::size_t(length));
  MPI_Bcast(problem.data(), length, MPI_CHAR, thrower, MPI_COMM_WORLD);
  throw InputError(problem);
}

}  // namespace Distributed
