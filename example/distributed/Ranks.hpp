// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The ranks of the program, and errors that concern all of them.
#ifndef DISTRIBUTED_RANKS_HPP
#define DISTRIBUTED_RANKS_HPP

#include <mpi.h>

#include <string>

#include "../support/Errors.hpp"

namespace Distributed {

using Support::InputError;

/// MPI from here to the end of the scope.
class Ranks {
 public:
  Ranks(int& argc, char**& argv);
  ~Ranks() { MPI_Finalize(); }
  Ranks(Ranks const&) = delete;
  Ranks& operator=(Ranks const&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int on_this_host() const { return on_this_host_; }  ///< number of ranks
  bool first() const { return rank_ == 0; }

  /// Calls f on every rank. If it throws InputError on some ranks, this throws on all ranks, with
  /// the message of the first of them.
  template <class F>
  auto together(F const& f) const {
    std::string problem;
    decltype(f()) result{};
    try {
      result = f();
    } catch (InputError const& e) {
      problem = e.what();
    }
    throw_first(problem);
    return result;
  }

 private:
  void throw_first(std::string problem) const;
  int rank_ = 0, size_ = 1, on_this_host_ = 1;
};

}  // namespace Distributed

#endif
