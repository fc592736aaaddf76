// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// BLASFEO's routines by type, with the arguments of the BLAS and LAPACK, where BLASFEO was found.
/// It has fewer routines in float.
#ifndef BATCHWORK_PERF_BLASFEO_HPP
#define BATCHWORK_PERF_BLASFEO_HPP

#if defined(BATCHWORK_HAVE_BLASFEO)
extern "C" {
void blasfeo_blas_sgemm(char const*, char const*, int const*, int const*, int const*, float const*,
                        float const*, int const*, float const*, int const*, float const*, float*,
                        int const*);
void blasfeo_blas_dgemm(char const*, char const*, int const*, int const*, int const*, double const*,
                        double const*, int const*, double const*, int const*, double const*,
                        double*, int const*);
void blasfeo_lapack_spotrf(char const*, int const*, float*, int const*, int*);
void blasfeo_lapack_dpotrf(char const*, int const*, double*, int const*, int*);
void blasfeo_lapack_dpotrs(char const*, int const*, int const*, double const*, int const*, double*,
                           int const*, int*);
void blasfeo_lapack_dgetrf(int const*, int const*, double*, int const*, int*, int*);
void blasfeo_lapack_dgetrs(char const*, int const*, int const*, double const*, int const*,
                           int const*, double*, int const*, int*);
}

namespace BatchworkPerf {

template <class T>
struct Blasfeo;
template <>
struct Blasfeo<float> {
  static constexpr auto gemm = blasfeo_blas_sgemm;
  static constexpr auto potrf = blasfeo_lapack_spotrf;
};
template <>
struct Blasfeo<double> {
  static constexpr auto gemm = blasfeo_blas_dgemm;
  static constexpr auto potrf = blasfeo_lapack_dpotrf;
  static constexpr auto potrs = blasfeo_lapack_dpotrs;
  static constexpr auto getrf = blasfeo_lapack_dgetrf;
  static constexpr auto getrs = blasfeo_lapack_dgetrs;
};

}  // namespace BatchworkPerf

#endif
#endif
