// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Lines of progress, on rank 0.
#ifndef DISTRIBUTED_PROGRESS_HPP
#define DISTRIBUTED_PROGRESS_HPP

#include <Kokkos_Core.hpp>
#include <cstdio>

namespace Distributed {

class Progress {
 public:
  /// A line every so many seconds; none for 0.
  Progress(bool wanted, double seconds, std::int64_t chunks)
      : every_(wanted ? seconds : 0), next_(every_), chunks_(chunks) {}

  /// So many chunks were handed out.
  void operator()(std::int64_t handed_out) {
    double const now = timer_.seconds();
    if (every_ == 0 || now < next_ || handed_out >= chunks_) return;
    next_ = now + every_;
    double const left = now * double(chunks_ - handed_out) / double(handed_out);
    std::fprintf(stderr, "%lld of %lld chunks, about %.0f s left\n",
                 static_cast<long long>(handed_out), static_cast<long long>(chunks_), left);
  }

 private:
  double every_, next_;
  std::int64_t chunks_;
  Kokkos::Timer timer_;
};

}  // namespace Distributed

#endif
