// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Routines of the BLAS and LAPACK by type, where they were found.
#ifndef BATCHWORK_PERF_LAPACK_HPP
#define BATCHWORK_PERF_LAPACK_HPP

#if defined(BATCHWORK_HAVE_LAPACK)
extern "C" {
void sgemm_(char const*, char const*, int const*, int const*, int const*, float const*,
            float const*, int const*, float const*, int const*, float const*, float*, int const*);
void dgemm_(char const*, char const*, int const*, int const*, int const*, double const*,
            double const*, int const*, double const*, int const*, double const*, double*,
            int const*);
void ssyrk_(char const*, char const*, int const*, int const*, float const*, float const*,
            int const*, float const*, float*, int const*);
void dsyrk_(char const*, char const*, int const*, int const*, double const*, double const*,
            int const*, double const*, double*, int const*);
void strsm_(char const*, char const*, char const*, char const*, int const*, int const*,
            float const*, float const*, int const*, float*, int const*);
void dtrsm_(char const*, char const*, char const*, char const*, int const*, int const*,
            double const*, double const*, int const*, double*, int const*);
void spotrf_(char const*, int const*, float*, int const*, int*);
void dpotrf_(char const*, int const*, double*, int const*, int*);
void spotrs_(char const*, int const*, int const*, float const*, int const*, float*, int const*,
             int*);
void dpotrs_(char const*, int const*, int const*, double const*, int const*, double*, int const*,
             int*);
void sgetrf_(int const*, int const*, float*, int const*, int*, int*);
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
void sgetrs_(char const*, int const*, int const*, float const*, int const*, int const*, float*,
             int const*, int*);
void dgetrs_(char const*, int const*, int const*, double const*, int const*, int const*, double*,
             int const*, int*);
void sgtsv_(int const*, int const*, float*, float*, float*, float*, int const*, int*);
void dgtsv_(int const*, int const*, double*, double*, double*, double*, int const*, int*);
}

namespace BatchworkPerf {

template <class T>
struct Lapack;
template <>
struct Lapack<float> {
  static constexpr auto gemm = sgemm_;
  static constexpr auto syrk = ssyrk_;
  static constexpr auto trsm = strsm_;
  static constexpr auto potrf = spotrf_;
  static constexpr auto potrs = spotrs_;
  static constexpr auto getrf = sgetrf_;
  static constexpr auto getrs = sgetrs_;
  static constexpr auto gtsv = sgtsv_;
};
template <>
struct Lapack<double> {
  static constexpr auto gemm = dgemm_;
  static constexpr auto syrk = dsyrk_;
  static constexpr auto trsm = dtrsm_;
  static constexpr auto potrf = dpotrf_;
  static constexpr auto potrs = dpotrs_;
  static constexpr auto getrf = dgetrf_;
  static constexpr auto getrs = dgetrs_;
  static constexpr auto gtsv = dgtsv_;
};

}  // namespace BatchworkPerf

#endif
#endif
