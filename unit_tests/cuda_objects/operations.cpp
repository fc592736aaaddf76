// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every documented operation on tiles with one lane an item, for every type of numbers and 1 to 5
// rows. The list is unit_tests/tile/EveryOperation.hpp. The operations are called without a verb,
// because other sources compile the verbs.
#include "Shared.hpp"

namespace {

/// Inputs are read from memory and results are written, so that the compiler cannot remove code.
template <class Operations, class S, int N>
struct Operate {
  Matrix<S, N, N>* a;
  Vector<S, N>* b;
  Matrix<real_t<S>, Test::rows_of_eight(Operations::count), 8>* left;

  KOKKOS_FUNCTION void operator()(int k) const { Operations()(left[k], a[k], b[k], a[k + 1]); }
};

template <class Operations, class S, int... N>
void operate_on(Exec const& exec, void* memory, std::integer_sequence<int, N...>) {
  (Kokkos::parallel_for(
       Kokkos::RangePolicy<Exec>(exec, 0, 1),
       Operate<Operations, S, N + 1>{
           static_cast<Matrix<S, N + 1, N + 1>*>(memory), static_cast<Vector<S, N + 1>*>(memory),
           static_cast<Matrix<real_t<S>, Test::rows_of_eight(Operations::count), 8>*>(memory)}),
   ...);
}

/// Tiles in a kernel of the user.
struct SolveInRange {
  Interleaved<double* [3][3]> a;
  ItemContiguous<float* [12]> numbers;
  Interleaved<double* [3]> x;
  KOKKOS_FUNCTION void operator()(int n) const {
    auto const solution = cholesky(load<Symmetric<double, 3>>(a, n)).solve(load<3>(x, n));
    auto r = random_numbers(1, 2, n);
    store(solution + normal<3>(r), x, n);
    float array[3][3];
    store(load<3, 3>(&numbers(n, 0)) * 2.0f, array);
    store(load(array) * load<3>(&numbers(n, 9)), &numbers(n, 9));
  }
};

}  // namespace

void solve_in_range(Exec const& exec, SolveInRange const& solve) {
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, 1), solve);
}

void operate(Exec const& exec, void* memory) {
  auto const to_five = std::make_integer_sequence<int, 5>();
  operate_on<Test::PartsOfTiles, float>(exec, memory, to_five);
  operate_on<Test::EntriesOfTiles, float>(exec, memory, to_five);
  operate_on<Test::PartsOfTiles, double>(exec, memory, to_five);
  operate_on<Test::PartsOfTiles, Complex<float>>(exec, memory, to_five);
  operate_on<Test::PartsOfTiles, Complex<double>>(exec, memory, to_five);
  operate_on<Test::EntriesOfTiles, Complex<double>>(exec, memory, to_five);
  operate_on<Test::SolvesOfTiles, float>(exec, memory, to_five);
  operate_on<Test::SolvesOfTiles, double>(exec, memory, to_five);
  operate_on<Test::SolvesOfTiles, Complex<float>>(exec, memory, to_five);
  operate_on<Test::SolvesOfTiles, Complex<double>>(exec, memory, to_five);
  operate_on<Test::SymmetricTiles, float>(exec, memory, to_five);
  operate_on<Test::SymmetricTiles, double>(exec, memory, to_five);
  operate_on<Test::DecompositionsOfTiles, float>(exec, memory, to_five);
  operate_on<Test::RoundsAndDerivatives, float>(exec, memory, to_five);
  operate_on<Test::DecompositionsOfTiles, double>(exec, memory, to_five);
  operate_on<Test::FunctionsOfTiles, float>(exec, memory, std::integer_sequence<int, 2>());
  operate_on<Test::FunctionsOfTiles, double>(exec, memory, std::integer_sequence<int, 0, 2>());
  operate_on<Test::RoundsAndDerivatives, double>(exec, memory, to_five);
}
