// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse that must not compile, and the error messages that the compiler must print.
// compile_failure.cmake compiles this file twice: as it is, which must fail with every text after
// `says:`, and with BATCHWORK_PUT_RIGHT, which must succeed.
#include <Batchwork.hpp>
#include <Kokkos_DualView.hpp>
#include <Kokkos_DynRankView.hpp>

#if defined(BATCHWORK_PUT_RIGHT)
#define WRONG_OR_RIGHT(wrong, right) right
#else
#define WRONG_OR_RIGHT(wrong, right) wrong
#endif

namespace {

namespace B = Batchwork;
using Space = Kokkos::DefaultExecutionSpace;
using Matrices = Kokkos::View<double* [3][3]>;
using Vectors = Kokkos::View<double* [3]>;

/// A memory space that the default execution space cannot reach.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
using Elsewhere = Kokkos::HostSpace;
#else
struct Elsewhere {
  using memory_space = Elsewhere;
  using execution_space = Space;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
  static constexpr char const* name() { return "Elsewhere"; }
};
#endif

struct Copy {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};
struct Sum {
  template <class Y, class X, class... Z>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, Z const&... z) const {
    y = (x + ... + z);
  }
};
struct First {
  template <class Y, class... Z>
  KOKKOS_FUNCTION void operator()(Y& y, Z const&... z) const {
    y = (element(z, 0, 0) + ...);
  }
};

}  // namespace

// says: lanes share items in teams of Kokkos only
void lanes_without_a_team(Kokkos::TeamPolicy<>::member_type const& member) {
  (void)B::Impl::Vendor::LaneSync::of(WRONG_OR_RIGHT(1, member));
  (void)member;
}

// says: the View's rank does not fit the operand
void wrong_rank(Matrices const& y, Kokkos::View<double*** [3][3]> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: the tile's extents must be known at compile time
void unknown_extents(Matrices const& y, Kokkos::View<double***> const& x) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, (B::extents<3, 3>(x)))));
}

// says: a View (item, time, ...) is each(view) or emit(view), in a scan
void series_in_a_map(Vectors const& y, Kokkos::View<double** [3]> const& z) {
  (void)z;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(z, y)));
}

// says: extents<...>(view) must give as many extents as the tile has indices
void extents_of_another_rank(Matrices const& y, Kokkos::View<double***> const& x) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT((B::extents<9>(x)), (B::extents<3, 3>(x)))));
}

// says: over the limit of 64 (larger whole matrices: the verbs gemm, cholesky, solve_cholesky,
// solve_lower, lu, solve_lu, inverse, qr, eigh and svd)
void too_large(Kokkos::View<double*> const& y, Kokkos::View<double* [65][2]> const& x65,
               Kokkos::View<double* [64][2]> const& x64) {
  (void)x64, (void)x65;
  B::map(First{}, B::out(y), B::in(WRONG_OR_RIGHT(x65, x64)));
}

/// What map asks on a device, and a decomposition where lanes share an item.
template <class How, class V>
void hold_by_lanes(V const&) {
  using Operand = decltype(B::Impl::resolve(B::in(std::declval<V const&>())));
  (void)B::Impl::require_lanes_for_large<true, How, B::Impl::bound_t<Operand>>();
}
template <int N>
void decompose_by_lanes() {
  (void)B::Impl::require_decomposed<B::Matrix<B::Distributed<double, 32, 1, N>, N, N>>();
}

// says: to 48 x 48 in double and 64 x 64 in float (larger whole matrices: the verbs gemm, cholesky,
// solve_cholesky, solve_lu and inverse)
void too_large_for_lanes(Kokkos::View<double* [49][49]> const& x49,
                         Kokkos::View<double* [48][48]> const& x48) {
  (void)x48, (void)x49;
  hold_by_lanes<B::Impl::DefaultHow>(WRONG_OR_RIGHT(x49, x48));
}

// says: 32 lanes of a device share each item
struct SixteenLanes : B::Impl::DefaultHow {
  static constexpr int lanes = WRONG_OR_RIGHT(16, 32);
};
void too_few_lanes(Kokkos::View<float* [33][2]> const& x) { hold_by_lanes<SixteenLanes>(x); }

// says: have extents up to 32 (larger whole matrices: the verbs qr, least_squares, eigh and svd)
void too_large_to_decompose() { decompose_by_lanes<WRONG_OR_RIGHT(33, 32)>(); }

// says: the View must be LayoutRight
void compact_in_another_layout(Matrices const& y,
                               Kokkos::View<double* [3][3][4], Kokkos::LayoutLeft> const& left,
                               Kokkos::View<double* [3][3][4], Kokkos::LayoutRight> const& right) {
  (void)left, (void)right;
  B::map(Copy{}, B::out(y), B::in(B::compact(WRONG_OR_RIGHT(left, right), 8)));
}

// says: symmetric(view) and lower(view) take square matrices
void symmetric_but_not_square(Matrices const& y, Kokkos::View<double* [3][4]> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(B::symmetric(WRONG_OR_RIGHT(x, y))));
}

// says: a View's memory cannot be reached from the execution space
void inaccessible(Matrices const& y, Kokkos::View<double* [3][3], Elsewhere> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: Batchwork::out: the View is const
void const_out(Matrices const& y, Kokkos::View<double const* [3][3]> const& x) {
  (void)y;
  B::map(Copy{}, B::out(WRONG_OR_RIGHT(x, y)), B::in(x));
}

// says: Batchwork::status: the View must hold integers
void status_of_numbers(Matrices const& y, Kokkos::View<float*> const& numbers,
                       Kokkos::View<int*> const& codes) {
  (void)numbers, (void)codes;
  B::map(Copy{}, B::out(y), B::in(y), B::status(WRONG_OR_RIGHT(numbers, codes)));
}

// says: one status operand per call
void two_statuses(Matrices const& y, Kokkos::View<int*> const& codes) {
  auto const s = B::status(codes);
  B::map(Sum{}, B::out(y), B::in(y), WRONG_OR_RIGHT(s, B::in(y)), s);
}

// says: the arguments after the sequence are operands
void not_an_operand(Matrices const& y, Matrices const& x) {
  B::map(Copy{}, B::out(y), WRONG_OR_RIGHT(x, B::in(x)));
}

// says: each, emit and carry belong to scan
void each_in_map(Matrices const& y, Kokkos::View<double** [3][3]> const& z) {
  (void)z;
  B::map(Copy{}, B::out(y), WRONG_OR_RIGHT(B::each(z), B::in(y)));
}

// says: fixed operands hold more than a launch can carry
void too_much_that_is_fixed(Kokkos::View<double*> const& y) {
  auto const large = B::common(B::fixed(B::Matrix<double, 32, 32>(B::identity<double, 32>())));
  auto const small = B::common(B::fixed(B::Matrix<double, 5, 5>(B::identity<double, 5>())));
  (void)small;
  (void)large;
  WRONG_OR_RIGHT(B::map(First{}, B::out(y), large, large, large, large),
                 B::map(First{}, B::out(y), small));
}

// says: operands of one operation must have the same scalar type
void float_and_double(Matrices const& y, Kokkos::View<float* [3][3]> const& x) {
  (void)x;
  B::map(Sum{}, B::out(y), B::in(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: Batchwork::pack copies from a View to compact(view, n)
void pack_into_no_groups(Kokkos::View<double***> const& y, Kokkos::View<double***> const& x,
                         Kokkos::View<double****, Kokkos::LayoutRight> const& groups) {
  (void)y, (void)groups;
  B::pack(WRONG_OR_RIGHT(y, B::compact(groups, 8)), x);
}

// says: Batchwork::transposed: the View must hold matrices
void transposed_vectors(Vectors const& y, Vectors const& x) {
  B::copy(y, WRONG_OR_RIGHT(B::transposed(x), x));
}

// says: A and B are both common
void nothing_of_the_items(Kokkos::View<double***> const& c, Kokkos::View<double**> const& m,
                          Kokkos::View<double***> const& b) {
  (void)b;
  B::gemm(1, B::common(m), WRONG_OR_RIGHT(B::common(m), B::in(b)), 0, B::out(c));
}

// says: C is out(view) or inout(view)
void product_that_is_common(Kokkos::View<double***> const& c, Kokkos::View<double**> const& m) {
  B::gemm(1, B::common(m), B::in(c), 0, WRONG_OR_RIGHT(B::common(m), B::out(c)));
}

// says: A, B and C hold the same type of numbers
void product_of_float_and_double(Kokkos::View<double***> const& c, Kokkos::View<double**> const& d,
                                 Kokkos::View<float**> const& f) {
  (void)d, (void)f;
  B::gemm(1, B::common(WRONG_OR_RIGHT(f, d)), B::in(c), 0, B::out(c));
}

// says: the arguments after the sequence are operands
void transposed_in_map(Matrices const& y, Matrices const& x) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(B::transposed(x), x)));
}

// says: column indices are integers of 32 bits
void columns_of_64_bits(Kokkos::View<int*> const& offsets, Kokkos::View<long*> const& wide,
                        Kokkos::View<int*> const& columns, Kokkos::View<double**> const& values) {
  (void)wide, (void)columns;
  (void)B::csr(offsets, WRONG_OR_RIGHT(wide, columns), values);
}

// says: the matrices and vectors of a call hold the same type of numbers
void multiply_by_floats(Kokkos::View<double**> const& y, Kokkos::View<double***> const& d,
                        Kokkos::View<float***> const& f) {
  (void)d, (void)f;
  B::multiply(B::dense(WRONG_OR_RIGHT(f, d)), Kokkos::View<double**>("x", 1, 1), y);
}

// says: Batchwork::solve_tridiagonal: the bands, b and x need Views
void tridiagonal_matrices(Kokkos::View<double**> const& v, Kokkos::View<double***> const& d) {
  (void)d;
  B::solve_tridiagonal(v, WRONG_OR_RIGHT(d, v), v, v, Kokkos::View<double**>("x", 1, 1));
}

// says: all Views of a call hold the same type of numbers
void tridiagonal_of_float_and_double(Kokkos::View<double**> const& v,
                                     Kokkos::View<float**> const& f) {
  (void)f;
  B::solve_tridiagonal(v, v, v, WRONG_OR_RIGHT(f, v), Kokkos::View<double**>("x", 1, 1));
}

// says: or diagonal(view) of a View with N entries as Q
void kalman_vector_as_noise(Matrices const& m, Vectors const& v, Kokkos::View<double***> const& z) {
  auto const model = B::Kalman::model(B::in(m), WRONG_OR_RIGHT(B::in(v), B::in(B::diagonal(v))),
                                      B::in(m), B::in(m));
  B::Kalman::filter(1, model, B::Kalman::start(v, m), B::extents<3>(z), B::Kalman::results());
}

// says: the covariance at the start does not stay diagonal or triangular
void filter_from_a_diagonal_covariance(Matrices const& m, Vectors const& v,
                                       Kokkos::View<double***> const& z) {
  auto const model = B::Kalman::model(B::in(m), B::in(m), B::in(m), B::in(m));
  B::Kalman::filter(1, model, B::Kalman::start(v, WRONG_OR_RIGHT(B::in(B::diagonal(v)), m)),
                    B::extents<3>(z), B::Kalman::results());
}

// says: the diffuse part of the start does not stay diagonal, triangular or symmetric
void filter_from_a_diagonal_factor(Matrices const& m, Vectors const& v,
                                   Kokkos::View<double***> const& z) {
  auto const model = B::Kalman::model(B::in(m), B::in(m), B::in(m), B::in(m));
  B::Kalman::filter(1, model, B::Kalman::diffuse(v, m, WRONG_OR_RIGHT(B::in(B::diagonal(v)), m)),
                    B::extents<3>(z), B::Kalman::results());
}

// says: Batchwork::multiply: y and x hold vectors
void multiply_by_matrices(Kokkos::View<double**> const& y, Kokkos::View<double***> const& d) {
  B::multiply(B::dense(d), WRONG_OR_RIGHT(d, Kokkos::View<double**>("x", 1, 1)), y);
}

// says: whose numbers are stored
void scale_what_is_not_stored(Kokkos::View<double**> const& l, Kokkos::View<double***> const& d) {
  (void)d;
  B::scale(l, WRONG_OR_RIGHT(B::scaled_identity(3), B::dense(d)), l);
}

// says: the operands of a call hold the same type of numbers
void add_floats(Kokkos::View<double***> const& d, Kokkos::View<float*> const& f,
                Kokkos::View<double*> const& g) {
  (void)f, (void)g;
  B::add_scaled_identity(WRONG_OR_RIGHT(f, g), B::dense(d));
}

// says: vectors are v(item, row), numbers of the items v(item)
void norms_into_vectors(Kokkos::View<double**> const& x, Kokkos::View<double*> const& r) {
  (void)r;
  B::norm(x, WRONG_OR_RIGHT(x, r));
}

// ---- sequences ----------------------------------------------------------------------------------

// says: It needs one parameter for each operand
void too_few_parameters(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(Copy{}, Sum{}), B::out(y), B::in(x), B::in(x));
}

// says: its call operator must be a const template
struct NoTemplate {
  KOKKOS_FUNCTION void operator()(double& y, double const& x) const { y = x; }
};
void no_template(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x) {
  B::map(WRONG_OR_RIGHT(NoTemplate{}, Copy{}), B::out(y), B::in(x));
}

// says: takes an operand that it must write (out, inout, carry, emit) by value
struct CopyOfOutput {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y WRONG_OR_RIGHT(, &) y, X const& x) const {
    y = x;
  }
};
void output_by_value(Matrices const& y, Matrices const& x) {
  B::map(CopyOfOutput{}, B::out(y), B::in(x));
}

// says: takes an operand that it must write (out, inout, carry, emit) by value
// On hosts: nvcc takes no generic lambda into a kernel.
void lambda_with_a_copy(Kokkos::View<double*, Kokkos::HostSpace> const& start,
                        Kokkos::View<double*, Kokkos::HostSpace> const& end,
                        Kokkos::View<double**, Kokkos::HostSpace> const& z) {
  B::scan(
      Kokkos::DefaultHostExecutionSpace(), 5,
      [](auto WRONG_OR_RIGHT(, &) level, auto const& now) { level += now; }, B::carry(start, end),
      B::each(z));
}

// says: sequence, operands... in this order
void exec_after_the_sequence(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(Copy{}, Space()), WRONG_OR_RIGHT(Space(), Copy{}), B::out(y), B::in(x));
}

// says: sequence, operands... in this order
void launch_after_the_sequence(Matrices const& y, Matrices const& x) {
  auto const label = B::launch("x");
  B::map(Space(), WRONG_OR_RIGHT(Copy{}, label), WRONG_OR_RIGHT(label, Copy{}), B::out(y),
         B::in(x));
}

// says: steps, sequence, operands... in this order
void launch_after_the_steps(Matrices const& y, Matrices const& x) {
  auto const label = B::launch("x");
  B::scan(Space(), WRONG_OR_RIGHT(8, label), WRONG_OR_RIGHT(label, 8), Copy{}, B::out(y), B::in(x));
}

// says: steps, sequence, operands... in this order
void steps_after_the_sequence(Matrices const& y, Matrices const& x) {
  B::scan(WRONG_OR_RIGHT(Copy{}, 8), WRONG_OR_RIGHT(8, Copy{}), B::out(y), B::in(x));
}

// ---- integers, bools and tables -----------------------------------------------------------------

// says: must hold float, double, std::int32_t, std::int64_t, bool or Kokkos::complex
void small_integers(Vectors const& y, Kokkos::View<char* [3]> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: must hold float, double, std::int32_t, std::int64_t, bool or Kokkos::complex
void integers_without_signs(Kokkos::View<int*> const& y, Kokkos::View<unsigned*> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: must hold float, double, std::int32_t, std::int64_t, bool or Kokkos::complex
void longer_numbers(Vectors const& y, Kokkos::View<long double* [3]> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: a View of bool must hold one for each item
void vectors_of_bools(Kokkos::View<bool*> const& y, Kokkos::View<bool* [3]> const& x) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, y)));
}

// says: symmetric, lower and diagonal take real numbers
void symmetric_integers(Kokkos::View<int* [3][3]> const& y) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(B::symmetric(y), y)));
}

// says: Batchwork::fixed: integers must be signed
void fixed_without_a_sign(Kokkos::View<int*> const& y) {
  B::map(Copy{}, B::out(y), B::common(B::fixed(WRONG_OR_RIGHT(3u, 3))));
}

namespace {

struct Count {
  template <class Y, class X, class... T>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, T const&... t) const {
    y = WRONG_OR_RIGHT(x, B::to_integer<std::int32_t>(x));
    ((y = y + t(B::to_integer<std::int32_t>(x))), ...);
  }
};
struct RootOfIndex {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = sqrt(WRONG_OR_RIGHT(x, B::as<double>(x)));
  }
};
struct RemainderOfReal {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = WRONG_OR_RIGHT(x, B::to_integer<std::int32_t>(x)) % 2;
  }
};
struct HalfOfTile {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = WRONG_OR_RIGHT(x, B::as<double>(x)) / 2;
  }
};
struct LookUp {
  template <class Y, class X, class T>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, T const& t) const {
    y = t(WRONG_OR_RIGHT(x, B::to_integer<std::int32_t>(x)));
  }
};

}  // namespace

// says: for quotients, factorisations and solves convert them
void half_of_integers(Kokkos::View<double* [3]> const& y, Kokkos::View<int* [3]> const& x) {
  B::map(HalfOfTile{}, B::out(y), B::in(x));
}

// says: an integer is not assigned from a real number
void real_to_integer(Kokkos::View<int*> const& y, Kokkos::View<double*> const& x) {
  B::map(Count{}, B::out(y), B::in(x));
}

// says: an integer is not assigned from a real number, nor from a larger integer
void long_to_integer(Kokkos::View<int*> const& y, Kokkos::View<std::int64_t*> const& x) {
  B::map(Count{}, B::out(y), B::in(x));
}

// says: write sqrt(as<double>(k))
void root_of_an_integer(Kokkos::View<double*> const& y, Kokkos::View<int*> const& x) {
  B::map(RootOfIndex{}, B::out(y), B::in(x));
}

// says: % & | ^ ~ << >> take integers
void remainder_of_a_real_number(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x) {
  B::map(RemainderOfReal{}, B::out(y), B::in(x));
}

// says: a table is read at as many integers as its View has run-time extents
void table_at_a_real_number(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x) {
  B::map(LookUp{}, B::out(y), B::in(x), B::table(x));
}

// says: Batchwork::table: a View has one or two run-time extents
void table_of_three_indices(Kokkos::View<int*> const& y, Kokkos::View<double*> const& x,
                            Kokkos::View<int***> const& t) {
  (void)t;
  B::map(LookUp{}, B::out(y), B::in(x), WRONG_OR_RIGHT(B::table(t), B::table(y)));
}

// says: belong to scan, and so does step_index
void steps_of_a_map(Kokkos::View<std::int64_t*> const& y) {
  B::map(Copy{}, B::out(y), WRONG_OR_RIGHT(B::step_index, B::item_index)());
}

// says: if it is positive definite write solve(cholesky(a), b)
struct SolveSymmetric {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(Y& y, A const& a, X const& x) const {
    y = B::solve(WRONG_OR_RIGHT(a, B::cholesky(a)), x);
  }
};
void solve_symmetric(Vectors const& y, Matrices const& a, Vectors const& b) {
  B::map(SolveSymmetric{}, B::out(y), B::in(B::symmetric(a)), B::in(b));
}

// says: write select(mask, a, b)
struct Branch {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
#if defined(BATCHWORK_PUT_RIGHT)
    y = select(x > 0.0, x, -x);
#else
    if (x > 0.0) y = x;
#endif
  }
};
// On a device a lane that holds an item could branch.
void branch(Kokkos::View<double*, Kokkos::HostSpace> const& y,
            Kokkos::View<double*, Kokkos::HostSpace> const& x) {
  B::map(Kokkos::DefaultHostExecutionSpace(), Branch{}, B::out(y), B::in(x));
}

// says: an entry of a matrix has two indices
struct Indexed {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = WRONG_OR_RIGHT(x(1), x(0, 1));
  }
};
void indexed(Kokkos::View<double*> const& y, Matrices const& x) {
  B::map(Indexed{}, B::out(y), B::in(x));
}

// ---- other verbs --------------------------------------------------------------------------------

// Labels, instances, inputs and outputs in another order.

// says: to, from in this order
void copy_with_a_label_behind(Matrices const& y, Matrices const& x) {
  WRONG_OR_RIGHT(B::copy(y, B::launch("x"), x), B::copy(B::launch("x"), y, x));
}

// says: or normal(mean, deviation), and a View
void view_before_its_numbers(Matrices const& x) {
  WRONG_OR_RIGHT(B::fill_random(x, B::random(1), B::uniform(0, 1)),
                 B::fill_random(B::random(1), B::uniform(0, 1), x));
}

// says: or random numbers, which count their calls
struct CopyOfRandomNumbers {
  template <class Y, class R>
  KOKKOS_FUNCTION void operator()(Y& y, R WRONG_OR_RIGHT(, &) r) const {
    y = B::normal<3, 3>(r);
  }
};
void random_numbers_by_value(Matrices const& y) {
  B::map(CopyOfRandomNumbers{}, B::out(y), B::random(1));
}

// says: alpha, A, B, beta, C in this order
void factor_before_the_label(Matrices const& a, Matrices const& b, Matrices const& c) {
  WRONG_OR_RIGHT(B::gemm(1, B::launch("x"), B::in(a), B::in(b), 0, B::out(c)),
                 B::gemm(B::launch("x"), 1, B::in(a), B::in(b), 0, B::out(c)));
}

// says: alpha, A, B, beta, C in this order
void product_by_lanes(Matrices const& a, Matrices const& b, Matrices const& c) {
  B::gemm(WRONG_OR_RIGHT(B::launch("x", B::lanes<8>), B::launch("x")), 1, B::in(a), B::in(b), 0,
          B::out(c));
}

// says: in this order, or inout(A) instead of both
void factors_by_lanes(Matrices const& a, Matrices const& l) {
  B::cholesky(WRONG_OR_RIGHT(B::launch("x", B::lanes<8>), B::launch("x")), B::in(a), B::out(l));
}

// says: A, x, y or alpha, A, x, beta, y in this order
void product_before_the_matrices(Matrices const& a, Vectors const& x, Vectors const& y) {
  B::multiply(WRONG_OR_RIGHT(y, B::dense(a)), WRONG_OR_RIGHT(B::dense(a), x), WRONG_OR_RIGHT(x, y));
}

// says: Batchwork::add_scaled_identity: the arguments are
void matrices_before_alpha(Matrices const& a) {
  B::add_scaled_identity(WRONG_OR_RIGHT(B::dense(a), 2.0), WRONG_OR_RIGHT(2.0, B::dense(a)));
}

// says: left, A, right in this order
void both_factors_first(Matrices const& a, Vectors const& l, Vectors const& r) {
  B::scale(l, WRONG_OR_RIGHT(r, B::dense(a)), WRONG_OR_RIGHT(B::dense(a), r));
}

// says: A, left, right in this order
void factors_before_the_matrices(Matrices const& a, Vectors const& l, Vectors const& r) {
  B::equilibrate(WRONG_OR_RIGHT(l, B::dense(a)), WRONG_OR_RIGHT(B::dense(a), l), r);
}

// says: Batchwork::solve_triangular: the arguments are
void matrices_before_the_triangle(Matrices const& a, Vectors const& b, Vectors const& x) {
  constexpr auto lower = B::Triangle::lower;
  B::solve_triangular(WRONG_OR_RIGHT(B::dense(a), lower), WRONG_OR_RIGHT(lower, B::dense(a)), b, x);
}

// says: Batchwork::solve_tridiagonal: the arguments are
void tridiagonal_label_behind(Vectors const& v, Vectors const& x) {
  auto const label = B::launch("x");
  WRONG_OR_RIGHT(B::solve_tridiagonal(v, v, v, v, x, label),
                 B::solve_tridiagonal(label, v, v, v, v, x));
}

// says: all five are Views, without in(...) and out(...)
void tridiagonal_with_operands(Vectors const& v, Vectors const& x) {
  B::solve_tridiagonal(v, v, v, WRONG_OR_RIGHT(B::in(v), v), WRONG_OR_RIGHT(B::out(x), x));
}

// says: x, y, result in this order
void dot_label_behind(Vectors const& x, Kokkos::View<double*> const& r) {
  auto const label = B::launch("x");
  WRONG_OR_RIGHT(B::dot(x, x, r, label), B::dot(label, x, x, r));
}

// says: x, result in this order
void norm_label_behind(Vectors const& x, Kokkos::View<double*> const& r) {
  auto const label = B::launch("x");
  WRONG_OR_RIGHT(B::norm(x, r, label), B::norm(label, x, r));
}

// says: Batchwork::solve: the arguments are
void solver_behind_the_matrices(Matrices const& a, Vectors const& b, Vectors const& x) {
  auto const solver = B::bicgstab();
  B::solve(Space(), WRONG_OR_RIGHT(B::jacobi(), solver), WRONG_OR_RIGHT(solver, B::jacobi()),
           B::dense(a), b, x);
}

// says: b and x are Views, without in(...) and out(...)
void solve_with_operands(Matrices const& a, Vectors const& b, Vectors const& x) {
  B::solve(B::bicgstab(), B::jacobi(), B::dense(a), WRONG_OR_RIGHT(B::in(b), b),
           WRONG_OR_RIGHT(B::out(x), x));
}

// says: configuration, A, b, x
void configuration_before_the_label(Matrices const& a, Vectors const& b, Vectors const& x) {
  B::SolveConfiguration const c;
  auto const label = B::launch("x");
  B::solve(WRONG_OR_RIGHT(c, label), WRONG_OR_RIGHT(label, c), B::dense(a), b, x);
}

// says: Batchwork::factorize: the arguments are
void factors_before_the_matrices(Matrices const& a, Kokkos::View<double*> const& factors) {
  (void)B::factorize(B::direct_lu(), WRONG_OR_RIGHT(factors, B::dense(a)),
                     WRONG_OR_RIGHT(B::dense(a), factors));
}

// says: the factors and the matrices hold different types of numbers
void factors_of_another_type(Matrices const& a, Kokkos::View<float***> const& c,
                             Kokkos::View<double*> const& factors, Vectors const& b,
                             Vectors const& x, Kokkos::View<float**> const& d,
                             Kokkos::View<float**> const& y) {
  auto const f = B::factorize(B::direct_lu(), B::dense(a), factors);
  B::solve(f, WRONG_OR_RIGHT(B::dense(c), B::dense(a)), WRONG_OR_RIGHT(d, b), WRONG_OR_RIGHT(y, x));
  (void)c, (void)d, (void)y, (void)b, (void)x;
}

// says: give all of them in float, or all in double
void solve_cholesky_of_two_types(Kokkos::View<double**> const& x, Kokkos::View<double***> const& a,
                                 Kokkos::View<float**> const& b) {
  (void)b;
  B::solve_cholesky(B::in(a), B::in(WRONG_OR_RIGHT(b, x)), B::out(x));
}

// says: in this order, or inout(A) instead of both
void codes_without_status(Kokkos::View<double***> const& l, Kokkos::View<double***> const& a,
                          Kokkos::View<int*> const& codes) {
  B::cholesky(B::in(a), B::out(l), WRONG_OR_RIGHT(codes, B::status(codes)));
}

// says: in this order, or inout(A) instead of both
void workspace_before_status(Kokkos::View<double***> const& x, Kokkos::View<double***> const& a,
                             Kokkos::View<int*> const& codes, Kokkos::View<double*> const& memory) {
  auto const w = B::workspace(memory);
  auto const s = B::status(codes);
  B::inverse(B::in(a), B::out(x), WRONG_OR_RIGHT(w, s), WRONG_OR_RIGHT(s, w));
}

// says: the workspace of a call must hold the number type of its matrices
void workspace_of_another_type(Kokkos::View<double**> const& values,
                               Kokkos::View<double***> const& a, Kokkos::View<float*> const& wrong,
                               Kokkos::View<double*> const& memory) {
  (void)wrong;
  (void)memory;
  B::eigh(B::in(a), B::out(values), B::workspace(WRONG_OR_RIGHT(wrong, memory)));
}

// says: in this order, or inout(B) instead of both
void result_first(Kokkos::View<double**> const& x, Kokkos::View<double***> const& a,
                  Kokkos::View<double**> const& b) {
  B::solve_lower(B::in(a), WRONG_OR_RIGHT(B::out(x), B::in(b)),
                 WRONG_OR_RIGHT(B::in(b), B::out(x)));
}

// says: a local array belongs to one thread
template <class Solver, class X>
struct SolveLocal {
  Solver solver;
  X x;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    double const a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 1, 1};
    solver.solve(member, WRONG_OR_RIGHT(a, &a[0]), b, x);
  }
};
void solve_local(Kokkos::View<double*> const& x) {
  auto const s = B::team_solve<Space>(B::bicgstab(B::relative(1e-8, 100)), B::jacobi(),
                                      B::dense_pattern<double>(3));
  Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(1, 1),
                       SolveLocal<decltype(s), Kokkos::View<double*>>{s, x});
}

struct LocalLevel {
  Kokkos::View<double[2][2]> F, Q;
  Kokkos::View<double[1][2]> H;
  Kokkos::View<double[1][1]> R;
  Kokkos::View<double* [2]> x0;
  Kokkos::View<double* [2][2]> P0;
  auto model() const {
    return B::Kalman::model(B::common(F), B::common(Q), B::common(H), B::common(R));
  }
  auto start() const { return B::Kalman::start(x0, P0); }
};

// says: the series holds another type of numbers than the model
void float_series(LocalLevel const& m, Kokkos::View<double**> const& z,
                  Kokkos::View<float**> const& zf, Kokkos::View<double*> const& likelihood) {
  (void)z, (void)zf;
  B::Kalman::filter(9, m.model(), m.start(), WRONG_OR_RIGHT(zf, z),
                    B::Kalman::results().log_likelihood(likelihood));
}

// says: information() does not take diffuse(x1, P1, A)
void partly_diffuse_information(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::filter(9, m.model(),
                    WRONG_OR_RIGHT(B::Kalman::diffuse(m.x0, m.P0, m.P0), B::Kalman::diffuse()), z,
                    B::Kalman::results(), B::Kalman::information());
}

// says: steady(tolerance) needs a model that does not vary with time
void steady_model_of_each_time(LocalLevel const& m, Kokkos::View<double* [2][2]> const& Ft,
                               Kokkos::View<double**> const& z) {
  (void)Ft;
  auto const model = B::Kalman::model(WRONG_OR_RIGHT(B::common(B::each(Ft)), B::common(m.F)),
                                      B::common(m.Q), B::common(m.H), B::common(m.R));
  B::Kalman::filter(9, model, m.start(), z, B::Kalman::results(), B::Kalman::steady(1e-12));
}

// says: steady(tolerance) does not take a diffuse start
void steady_after_a_diffuse_start(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::filter(9, m.model(), WRONG_OR_RIGHT(B::Kalman::diffuse(), m.start()), z,
                    B::Kalman::results(), B::Kalman::steady(1e-12));
}

// says: only covariance() takes complete(gains)
void common_gains_of_square_roots(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::Gains<double, 2, 1> const gains(9);
  (void)gains;
  B::Kalman::filter(9, m.model(), m.start(), z, B::Kalman::results(),
                    WRONG_OR_RIGHT(B::Kalman::complete(gains), B::Kalman::complete()),
                    B::Kalman::square_root());
}

// says: steps, model, start, z, results
void start_before_the_model(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::filter(9, WRONG_OR_RIGHT(m.start(), m.model()), WRONG_OR_RIGHT(m.model(), m.start()),
                    z, B::Kalman::results());
}

// says: filtered_mean and predicted_mean take a View (item, time, state)
void means_without_time(LocalLevel const& m, Kokkos::View<double**> const& z,
                        Kokkos::View<double* [2]> const& last,
                        Kokkos::View<double** [2]> const& mean) {
  (void)last, (void)mean;
  B::Kalman::filter(9, m.model(), m.start(), z,
                    B::Kalman::results().filtered_mean(WRONG_OR_RIGHT(last, mean)));
}

// says: parallel_in_time does not take a diffuse start
void diffuse_start_of_blocks(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::TimeBlocks<double, 2> const blocks(1, 9);
  B::Kalman::filter(9, m.model(), WRONG_OR_RIGHT(B::Kalman::diffuse(), m.start()), z,
                    B::Kalman::results(), B::Kalman::parallel_in_time(blocks));
}

// says: only covariance() and square_root() take parallel_in_time(blocks)
void blocks_of_joseph(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::TimeBlocks<double, 2> const blocks(1, 9);
  B::Kalman::filter(9, m.model(), m.start(), z, B::Kalman::results(),
                    B::Kalman::parallel_in_time(blocks),
                    WRONG_OR_RIGHT(B::Kalman::joseph(), B::Kalman::square_root()));
}

// says: the time blocks have other extents or numbers than the model
void blocks_of_other_states(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::TimeBlocks<double, WRONG_OR_RIGHT(3, 2)> const blocks(1, 9);
  B::Kalman::filter(9, m.model(), m.start(), z, B::Kalman::results(),
                    B::Kalman::parallel_in_time(blocks));
}

// says: smoothed_mean or smoothed_covariance is missing
void smoothed_mean_alone(LocalLevel const& m, Kokkos::View<double**> const& z,
                         Kokkos::View<double** [2]> const& mean,
                         Kokkos::View<double** [2][2]> const& covariance) {
  auto const alone = B::Kalman::results().smoothed_mean(mean);
  auto const both = alone.smoothed_covariance(covariance);
  (void)alone, (void)both;
  B::Kalman::smooth(9, m.model(), m.start(), z, WRONG_OR_RIGHT(alone, both));
}

// says: a diffuse start needs Views for results().diffuse_factor(A).diffuse_columns(d)
void diffuse_smoother_without_factors(LocalLevel const& m, Kokkos::View<double**> const& z,
                                      Kokkos::View<double** [2]> const& mean,
                                      Kokkos::View<double** [2][2]> const& covariance,
                                      Kokkos::View<double** [2][2]> const& factor) {
  auto const results = B::Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance);
  auto const both = results.diffuse_factor(factor).diffuse_columns(z);
  (void)results, (void)both;
  B::Kalman::smooth(9, m.model(), B::Kalman::diffuse(), z, WRONG_OR_RIGHT(results, both));
}

// says: fixed_lag(lag) needs Views for filtered_mean and filtered_covariance
void fixed_lag_without_filtered_states(LocalLevel const& m, Kokkos::View<double**> const& z,
                                       Kokkos::View<double** [2]> const& mean,
                                       Kokkos::View<double** [2][2]> const& covariance,
                                       Kokkos::View<double** [2]> const& filtered_mean,
                                       Kokkos::View<double** [2][2]> const& filtered_covariance) {
  auto const results = B::Kalman::results().smoothed_mean(mean).smoothed_covariance(covariance);
  auto const all = results.filtered_mean(filtered_mean).filtered_covariance(filtered_covariance);
  (void)results, (void)all;
  B::Kalman::smooth(9, m.model(), m.start(), z, WRONG_OR_RIGHT(results, all),
                    B::Kalman::fixed_lag(3));
}

// says: fixed_lag(lag) is a form of Kalman::smooth
void filter_with_a_lag(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::filter(9, m.model(), m.start(), z, B::Kalman::results(),
                    WRONG_OR_RIGHT(B::Kalman::fixed_lag(3), B::Kalman::covariance()));
}

// says: smoothed_mean, smoothed_covariance and lag_one_covariance are results of Kalman::smooth
void filter_of_smoothed_means(LocalLevel const& m, Kokkos::View<double**> const& z,
                              Kokkos::View<double** [2]> const& mean) {
  B::Kalman::filter(9, m.model(), m.start(), z,
                    WRONG_OR_RIGHT(B::Kalman::results().smoothed_mean(mean),
                                   B::Kalman::results().filtered_mean(mean)));
}

struct Stay {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return 1 * x;
  }
};
struct FirstEntry {
  template <class X>
  KOKKOS_FUNCTION auto operator()(X const& x) const {
    return x(0);
  }
};

// says: a nonlinear filter does not take a diffuse start
void diffuse_nonlinear_filter(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::extended_filter(9, Stay{}, B::common(m.Q), FirstEntry{}, B::common(m.R),
                             WRONG_OR_RIGHT(B::Kalman::diffuse(), m.start()), z,
                             B::Kalman::results());
}

// says: after the results a nonlinear filter takes a residual
void square_root_of_a_nonlinear_filter(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::unscented_filter(9, Stay{}, B::common(m.Q), FirstEntry{}, B::common(m.R), m.start(), z,
                              B::Kalman::results(),
                              WRONG_OR_RIGHT(B::Kalman::square_root(), B::Kalman::gate(10.83)));
}

// says: steps, motion, Q, observation, R, start, z, results
void matrix_in_place_of_the_motion(LocalLevel const& m, Kokkos::View<double**> const& z) {
  B::Kalman::extended_filter(9, WRONG_OR_RIGHT(B::common(m.F), Stay{}), B::common(m.Q),
                             FirstEntry{}, B::common(m.R), m.start(), z, B::Kalman::results());
}

// says: team_solve takes no scaled or weighted solver
void scaled_in_a_team(Kokkos::View<double***> const& a) {
  auto const solver = B::bicgstab(B::relative(1e-8, 100));
  B::team_solve<Space>(WRONG_OR_RIGHT(B::scaled(solver), solver), B::jacobi(), B::dense(a));
}

// says: Batchwork::team_solve: direct_lu needs the entries of the matrices
void matrix_free_eliminated_in_a_team(Kokkos::View<double***> const& a) {
  auto const free = B::matrix_free(3, [](auto const&, auto, auto const&, auto const&) {});
  (void)B::team_solve<Space>(B::direct_lu(), WRONG_OR_RIGHT(free, B::dense(a)));
  (void)a, (void)free;
}

// says: Batchwork::team_solve: direct_lu takes no preconditioner
void preconditioned_elimination_in_a_team(Kokkos::View<double***> const& a) {
  (void)B::team_solve<Space>(B::direct_lu(), WRONG_OR_RIGHT(B::jacobi(), B::no_preconditioner()),
                             B::dense(a));
}

// says: Batchwork::team_eigh: the operands are in(A), out(values)
void vectors_before_values_in_a_team(Kokkos::View<double***> const& a,
                                     Kokkos::View<double**> const& w) {
  (void)B::team_eigh<Space>(WRONG_OR_RIGHT(B::out(w), B::in(a)),
                            WRONG_OR_RIGHT(B::in(a), B::out(w)));
}

// says: Batchwork::team_solve_lu: the operands are in(A), in(B), out(X)
void common_matrix_in_a_team(Kokkos::View<double***> const& a, Kokkos::View<double**> const& m,
                             Kokkos::View<double**> const& b) {
  (void)B::team_solve_lu<Space>(WRONG_OR_RIGHT(B::common(m), B::in(a)), B::inout(b));
  (void)a, (void)m;
}

// says: the solver is scaled already, and weighted(...) is put around scaled(...)
void scaled_twice(Kokkos::View<double**> const& w) {
  auto const once = B::scaled(B::bicgstab());
  (void)WRONG_OR_RIGHT(B::scaled(once), B::weighted(once, w));
}

// ---- complex numbers ----------------------------------------------------------------------------

namespace {

using ComplexMatrices = Kokkos::View<Kokkos::complex<double>* [3][3]>;

struct Values {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = as_complex(element(eigh(x).values(), 0), 0);
  }
};
struct Size {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = as_complex(norm2(x), 0);
  }
};
struct Triangle {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = gram(x) * 1;
  }
};
struct Square {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = conjugate_transpose(x) * x;
  }
};
struct Smaller {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = select(element(x, 0, 0) < element(x, 1, 1), x, x);
  }
};
struct SmallerPart {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = select(real(element(x, 0, 0)) < real(element(x, 1, 1)), x, x);
  }
};
struct Root {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = sqrt(element(x, 0, 0)) * x;
  }
};
struct RootOfSize {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = sqrt(abs(element(x, 0, 0))) * x;
  }
};

}  // namespace

// says: symmetric(view) takes real numbers
void symmetric_complex(ComplexMatrices const& y, ComplexMatrices const& x) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(B::symmetric(x), x)));
}

// says: this operation takes real numbers only
void complex_eigenvalues(Kokkos::View<Kokkos::complex<double>*> const& y,
                         ComplexMatrices const& x) {
  B::map(WRONG_OR_RIGHT(Values, Size){}, B::out(y), B::in(x));
}

// says: this operation takes real numbers only
void complex_gram(ComplexMatrices const& y, ComplexMatrices const& x) {
  B::map(WRONG_OR_RIGHT(Triangle, Square){}, B::out(y), B::in(x));
}

// says: complex numbers have no order
void smaller_complex(ComplexMatrices const& y, ComplexMatrices const& x) {
  B::map(WRONG_OR_RIGHT(Smaller, SmallerPart){}, B::out(y), B::in(x));
}

// says: sqrt, log and exp take real numbers
void root_of_complex(Kokkos::View<Kokkos::complex<float>* [3][3]> const& y,
                     Kokkos::View<Kokkos::complex<float>* [3][3]> const& x) {
  B::map(WRONG_OR_RIGHT(Root, RootOfSize){}, B::out(y), B::in(x));
}

// says: lanes of a device do not share items of complex numbers
void large_complex_on_a_device(Kokkos::View<Kokkos::complex<double>* [11][11]> const& x11,
                               Kokkos::View<Kokkos::complex<double>* [10][10]> const& x10) {
  (void)x11, (void)x10;
  using In = decltype(B::in(WRONG_OR_RIGHT(x11, x10)));
  (void)B::Impl::require_whole_items<true, B::Impl::DefaultHow, B::Impl::bound_t<In>>();
}

// says: F, Q, H or R holds complex numbers
void complex_model(ComplexMatrices const& x, Matrices const& y) {
  (void)x, (void)y;
  (void)B::Impl::model_operand(B::in(WRONG_OR_RIGHT(x, y)));
}

// ---- functions ----------------------------------------------------------------------------------

namespace {

struct Sine {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = sin(element(x, 0, 0)) * x;
  }
};
struct SineOfSize {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = sin(abs(element(x, 0, 0))) * x;
  }
};
struct AngleOfRowAndColumn {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = norm2(atan2(row(x, 0), column(x, 0))) * x;
  }
};
struct AngleOfTwoRows {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = norm2(atan2(row(x, 0), row(x, 1))) * x;
  }
};
/// y = apply(F{}, x)
template <class F>
struct Applied {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = apply(F{}, x);
  }
};
struct OfOne {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};
struct OfTwo {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x * y; }
};
struct GivesText {
  KOKKOS_FUNCTION char const* operator()(double) const { return ""; }
};
struct GivesTruth {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 0; }
};

}  // namespace

// says: sin, pow and similar functions take real numbers
void sine_of_complex(ComplexMatrices const& y, ComplexMatrices const& x) {
  B::map(WRONG_OR_RIGHT(Sine, SineOfSize){}, B::out(y), B::in(x));
}

// says: a function of several tiles works entry by entry
void angles_of_two_shapes(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(AngleOfRowAndColumn, AngleOfTwoRows){}, B::out(y), B::in(x));
}

// says: the function cannot be called with one plain number for each
void apply_of_two(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(Applied<OfTwo>, Applied<OfOne>){}, B::out(y), B::in(x));
}

// says: the function must return a number, a bool, or a struct of numbers
void apply_gives_text(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(Applied<GivesText>, Applied<OfOne>){}, B::out(y), B::in(x));
}

// says: a function that returns bool takes scalars
void apply_gives_truths(Matrices const& y, Matrices const& x) {
  B::map(WRONG_OR_RIGHT(Applied<GivesTruth>, Applied<OfOne>){}, B::out(y), B::in(x));
}

// says: its function takes plain real numbers
void apply_to_complex(ComplexMatrices const& y, ComplexMatrices const& x) {
  B::map(WRONG_OR_RIGHT(Applied<OfOne>, Copy){}, B::out(y), B::in(x));
}

// ---- time, and sequences of sequences -----------------------------------------------------------

namespace {

using Series = Kokkos::View<double** [3][3]>;
using ConstSeries = Kokkos::View<double const** [3][3]>;

struct Lost {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y y, X const& x) const {
    y = x;
  }
};
struct Twice {
  template <class Y>
  KOKKOS_FUNCTION void operator()(Y& y) const {
    y = y + y;
  }
};

}  // namespace

// says: Batchwork::map: the arguments are
void map_with_a_label(Matrices const& y, Matrices const& x) {
  WRONG_OR_RIGHT(B::map(Copy{}, "label", B::out(y), B::in(x)),
                 B::map(B::launch("label"), Copy{}, B::out(y), B::in(x)));
}

// says: Batchwork::scan: the arguments are
void scan_with_a_label(Series const& y, Series const& x) {
  WRONG_OR_RIGHT(B::scan("label", 3, Copy{}, B::emit(y), B::each(x)),
                 B::scan(B::launch("label"), 3, Copy{}, B::emit(y), B::each(x)));
}

// says: after the View each and emit take lag<k> or lag(k), and stride<k> or stride(k), each at
// them once
void lag_as_a_number(Series const& y, Series const& x) {
  B::scan(B::range(1, 3), Copy{}, B::emit(y), B::each(x, WRONG_OR_RIGHT(1, B::lag(1))));
}

// says: after the View each and emit take lag<k> or lag(k), and stride<k> or stride(k), each at
// them once
void two_lags(Series const& y, Series const& x) {
  B::scan(3, Copy{}, B::emit(y), B::each(x, B::lag<0>, WRONG_OR_RIGHT(B::lag<1>, B::stride<1>)));
}

// says: Batchwork::emit: the View is const
void const_emit(Series const& y, ConstSeries const& x) {
  (void)y;
  B::scan(3, Copy{}, B::emit(WRONG_OR_RIGHT(x, y)), B::each(x));
}

// says: Batchwork::inout: the View is const
void const_each_in_place(Series const& y, ConstSeries const& x) {
  (void)x, (void)y;
  B::scan(3, Twice{}, B::inout(B::each(WRONG_OR_RIGHT(x, y))));
}

// says: Batchwork::map: each, emit and carry belong to scan
void each_in_place_in_a_map(Series const& y) {
  WRONG_OR_RIGHT(B::map(Twice{}, B::inout(B::each(y))), B::scan(1, Twice{}, B::inout(B::each(y))));
}

// says: Batchwork::backward: the steps run backwards already
void backward_twice(Series const& y) {
  auto const steps = B::backward(3);
  B::scan(WRONG_OR_RIGHT(B::backward(steps), steps), Twice{}, B::inout(B::each(y)));
}

// says: Batchwork::on: the call has no such operand
void operand_that_is_not_there(Matrices const& y, Matrices const& x, Kokkos::View<int*> const& c) {
  B::map(B::on<0, WRONG_OR_RIGHT(2, 1)>(Copy{}), B::out(y), B::in(x), B::status(c));
}

// says: Batchwork::on: no sequence gets an operand that must be written
void output_that_nobody_gets(Matrices const& y, Matrices const& z, Matrices const& x) {
  B::map(B::then(B::on<0, 2>(Copy{}), B::on<WRONG_OR_RIGHT(0, 1), 2>(Copy{})), B::out(y), B::out(z),
         B::in(x));
}

// says: the sequence takes an operand that it must write
void part_with_a_copy(Matrices const& y, Matrices const& x) {
  B::map(B::then(B::on<0, 1>(WRONG_OR_RIGHT(Lost, Copy){})), B::out(y), B::in(x));
}

// says: the sequence cannot be called with the operands' tiles
void part_with_other_parameters(Matrices const& y, Matrices const& x) {
  auto const part = WRONG_OR_RIGHT(B::on<0>(Copy{}), (B::on<0, 1>(Copy{})));
  B::map(B::then(B::on<0, 1>(Copy{}), part), B::out(y), B::in(x));
}

// says: Batchwork::local: an extent is not positive, or over the limit
void large_local(Matrices const& y, Matrices const& x) {
  B::map(B::on<0, 1>(Copy{}), B::out(y), B::in(x), B::local<double, WRONG_OR_RIGHT(1000, 3)>());
}

// says: an operand is one View, but a DualView is two
void dual_view(Matrices const& y, Kokkos::DualView<double* [3][3]> const& x) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, x.view_device())));
}

// says: an operand is a View, whose rank is a constant, not a DynRankView
void view_of_any_rank(Matrices const& y, Kokkos::DynRankView<double, Space> const& x) {
  using V = Kokkos::View<double* [3][3], Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged>;
  V const of_rank_3(x.data(),
                    Kokkos::LayoutStride(x.extent(0), x.stride(0), 3, x.stride(1), 3, x.stride(2)));
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(x, of_rank_3)));
}

struct Point4 {
  double x, y, z, t;
};
// says: the View's structs must hold N numbers of type T, and nothing else
void struct_of_another_size(Vectors const& y, Kokkos::View<Point4*> const& x) {
  B::map(First{}, B::out(Kokkos::subview(y, Kokkos::ALL, 0)),
         B::in(B::components<double, WRONG_OR_RIGHT(3, 4)>(x)));
}

// says: common(A) of a solve is a View of one matrix, A(i, j)
void vector_as_common(Kokkos::View<double*> const& a, Kokkos::View<double**> const& m,
                      Kokkos::View<double**> const& b) {
  (void)a, (void)m;
  B::solve_lu(B::common(WRONG_OR_RIGHT(a, m)), B::inout(b));
}
