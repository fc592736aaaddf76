// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/compile_time.md.
#include <Batchwork.hpp>

namespace doc_compile_time {

// factors.hpp
using Matrices = Kokkos::View<double***>;

void factors(Matrices const& a, Matrices const& lu, Kokkos::View<int**> const& pivots,
             Kokkos::View<int*> const& codes);

// factors.cpp
void factors(Matrices const& a, Matrices const& lu, Kokkos::View<int**> const& pivots,
             Kokkos::View<int*> const& codes) {
  using namespace Batchwork;
  Batchwork::lu(in(a), out(lu), out(pivots), status(codes));
}

// inverses.hpp
template <class T>
void inverses(Kokkos::View<T***> const& a, Kokkos::View<T***> const& result);

extern template void inverses(Kokkos::View<float***> const&, Kokkos::View<float***> const&);
extern template void inverses(Kokkos::View<double***> const&, Kokkos::View<double***> const&);

// inverses.cpp
template <class T>
void inverses(Kokkos::View<T***> const& a, Kokkos::View<T***> const& result) {
  Batchwork::inverse(Batchwork::in(a), Batchwork::out(result));
}

template void inverses(Kokkos::View<float***> const&, Kokkos::View<float***> const&);
template void inverses(Kokkos::View<double***> const&, Kokkos::View<double***> const&);

}  // namespace doc_compile_time
