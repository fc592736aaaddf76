// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A progress line on a terminal, for work that takes longer than a second.
#ifndef TRACKING_PROGRESS_HPP
#define TRACKING_PROGRESS_HPP

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace Tracking {

class Progress {
 public:
  explicit Progress(std::int64_t total) : total_(total) {}
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

  static bool wanted() { return isatty(STDERR_FILENO) != 0; }

  void operator()(std::int64_t done) {
    std::chrono::duration<double> const elapsed = clock::now() - begin_;
    if (elapsed.count() < 1) return;
    double const left = elapsed.count() * double(total_ - done) / double(done);
    std::fprintf(stderr, "\r\033[K%3d %%, %.0f s left", int(100 * done / total_), left);
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  using clock = std::chrono::steady_clock;
  std::int64_t total_;
  clock::time_point begin_ = clock::now();
  bool shown_ = false;
};

}  // namespace Tracking

#endif
