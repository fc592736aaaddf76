// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms of the Kalman filter.
#include "Shared.hpp"

void parallel_in_time(Exec const& exec, std::int64_t steps, Interleaved<double* [4][4]> f,
                      Interleaved<double** [4][4]> f_of_time, Interleaved<double[4][4]> q,
                      Interleaved<double[2][4]> h, Interleaved<double[2][2]> r,
                      Interleaved<double[4]> x0, Interleaved<double[4][4]> p0,
                      Interleaved<double** [2]> z, Interleaved<double** [4]> mean,
                      Interleaved<double** [4][4]> covariance, Interleaved<double* [4]> last,
                      Interleaved<double*> log_likelihood, Codes codes,
                      Kalman::TimeBlocks<double, 4, Exec::memory_space> const& blocks) {
  Kalman::filter(exec, steps, Kalman::model(in(f), common(q), common(h), common(r)),
                 Kalman::start(common(x0), common(p0)), z,
                 Kalman::results()
                     .filtered_mean(mean)
                     .last_mean(last)
                     .log_likelihood(log_likelihood)
                     .status(codes),
                 Kalman::parallel_in_time(blocks));
  Kalman::smooth(
      exec, steps, Kalman::model(each(f_of_time), common(q), common(h), common(r)),
      Kalman::start(common(x0), common(p0)), z,
      Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance).status(codes),
      Kalman::parallel_in_time(blocks));
}
