// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of indexed and ragged operands and masks that must not compile: see misuse.cpp.
#include <Batchwork.hpp>

#if defined(BATCHWORK_PUT_RIGHT)
#define WRONG_OR_RIGHT(wrong, right) right
#else
#define WRONG_OR_RIGHT(wrong, right) wrong
#endif

namespace {

namespace B = Batchwork;
using Matrices = Kokkos::View<double* [3][3]>;
using Vectors = Kokkos::View<double* [3]>;
using Index = Kokkos::View<int*>;

struct Copy {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x) const {
    y = x;
  }
};

// says: write in(gathered(view, index)) to read, and out, inout or add(scattered(view, index))
void write_what_is_gathered(Vectors const& y, Vectors const& x, Index const& i) {
  B::map(Copy{}, B::out(WRONG_OR_RIGHT(B::gathered(y, i), B::scattered(y, i))), B::in(x));
}

// says: write in(gathered(view, index)) to read
void read_what_is_scattered(Vectors const& y, Vectors const& x, Index const& i) {
  B::map(Copy{}, B::out(y), B::in(WRONG_OR_RIGHT(B::scattered(x, i), B::gathered(x, i))));
}

// says: the indices of gathered and scattered are a View of integers
void real_indices(Vectors const& y, Vectors const& x, Index const& i,
                  Kokkos::View<double*> const& r) {
  (void)i, (void)r;
  B::map(Copy{}, B::out(y), B::in(B::gathered(x, WRONG_OR_RIGHT(r, i))));
}

// says: gathered and scattered take Views of numbers
void gathered_truths(Index const& y, Kokkos::View<bool*> const& x, Index const& i) {
  (void)x;
  B::map(Copy{}, B::out(y), B::in(B::gathered(WRONG_OR_RIGHT(x, i), i)));
}

// says: at most two of both
void too_many_indices(Matrices const& y, Vectors const& x, Kokkos::View<double*> const& z,
                      Kokkos::View<int* [3][3]> const& i) {
  (void)x, (void)z;
  B::map(Copy{}, B::out(y), B::in(B::gathered(WRONG_OR_RIGHT(x, z), i)));
}

// says: pass an operand for each k
void scattered_tiles(Matrices const& y, Matrices const& x, Kokkos::View<int* [2]> const& pair,
                     Index const& i) {
  (void)pair, (void)i;
  B::map(Copy{}, B::add(B::scattered(y, WRONG_OR_RIGHT(pair, i))), B::in(x));
}

// says: the View is const
void scattered_to_const(Vectors const& y, Kokkos::View<double const* [3]> const& c,
                        Vectors const& x, Index const& i) {
  (void)c, (void)y;
  B::map(Copy{}, B::add(B::scattered(WRONG_OR_RIGHT(c, y), i)), B::in(x));
}

// says: verbs on whole matrices read in(gathered(view, index)) and write no scattered items
void invert_and_scatter(Matrices const& y, Matrices const& x, Index const& i) {
  (void)i;
  B::inverse(B::in(x), B::out(WRONG_OR_RIGHT(B::scattered(y, i), y)));
}

// says: verbs on whole matrices and solve take gathered(view, index) with one index for each item
void invert_gathered_tiles(Matrices const& y, Matrices const& x, Kokkos::View<int* [2]> const& pair,
                           Index const& i) {
  (void)pair, (void)i;
  B::inverse(B::in(B::gathered(x, WRONG_OR_RIGHT(pair, i))), B::out(y));
}

// says: the source is gathered(view, index), not its transposes
void copy_transposes_of_gathered(Matrices const& y, Matrices const& x, Index const& i) {
  B::copy(y, WRONG_OR_RIGHT(B::transposed(B::gathered(x, i)), B::gathered(x, i)));
}

// says: the memory is a Kokkos::View<std::int64_t*>
void invert_with_small_memory(Matrices const& y, Matrices const& x, Index const& i,
                              Kokkos::View<std::int64_t*> const& memory) {
  (void)memory;
  B::inverse(B::in(B::gathered(x, i, WRONG_OR_RIGHT(i, memory))), B::out(y));
}

// says: item_mask: the View must have one index, the item, and hold bools or integers
void real_mask(Vectors const& y, Vectors const& x, Index const& i, Kokkos::View<double*> const& r) {
  (void)i, (void)r;
  B::map(Copy{}, B::out(y), B::in(x), B::item_mask(WRONG_OR_RIGHT(r, i)));
}

// says: a sequence needs sizes that are constants
void ragged_tiles_without_constants(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x,
                                    Index const& rows, Index const& begins) {
  auto const plan = WRONG_OR_RIGHT(B::ragged_plan(rows), B::ragged_plan<4>(rows));
  B::map(Copy{}, B::out(B::ragged<0>(plan, y, begins)), B::in(B::ragged<0>(plan, x, begins)));
}

// says: ragged operands are for map and for verbs on whole matrices
void ragged_steps(Kokkos::View<double*> const& y, Kokkos::View<double*> const& x, Index const& rows,
                  Index const& begins) {
  auto const plan = B::ragged_plan<4>(rows);
  auto const from = B::in(B::ragged<0>(plan, x, begins));
  auto const to = B::out(B::ragged<0>(plan, y, begins));
  WRONG_OR_RIGHT(B::scan(3, Copy{}, to, from), B::map(Copy{}, to, from));
}

// says: a call with a ragged operand has only such operands
void ragged_beside_a_view(Vectors const& y, Kokkos::View<double*> const& z,
                          Kokkos::View<double*> const& x, Index const& rows, Index const& begins) {
  auto const plan = B::ragged_plan<3>(rows);
  (void)y, (void)z;
  B::map(Copy{}, B::out(WRONG_OR_RIGHT(y, B::ragged<0>(plan, z, begins))),
         B::in(B::ragged<0>(plan, x, begins)));
}

// says: the values of a ragged operand that is written are const
void ragged_const(Kokkos::View<double*> const& a, Kokkos::View<double const*> const& b,
                  Index const& rows, Index const& begins) {
  auto const plan = B::ragged_plan<3>(rows);
  (void)b;
  B::map(Copy{}, B::out(B::ragged<0>(plan, WRONG_OR_RIGHT(b, a), begins)),
         B::in(B::ragged<0>(plan, a, begins)));
}

// says: vectors and matrices need offsets
void ragged_without_offsets(Kokkos::View<double*> const& a, Index const& rows,
                            Index const& begins) {
  auto const plan = B::ragged_plan(rows);
  (void)begins;
  B::cholesky(
      B::inout(WRONG_OR_RIGHT((B::ragged<0, 0>(plan, a)), (B::ragged<0, 0>(plan, a, begins)))));
}

// says: on whole matrices all operands are ragged
void ragged_beside_common(Kokkos::View<double**> const& m, Kokkos::View<double*> const& a,
                          Kokkos::View<double*> const& b, Index const& rows, Index const& begins) {
  auto const plan = B::ragged_plan(rows);
  (void)m, (void)a;
  B::solve_cholesky(WRONG_OR_RIGHT(B::common(m), (B::in(B::ragged<0, 0>(plan, a, begins)))),
                    B::inout(B::ragged<0>(plan, b, begins)));
}

// says: the sizes are a View of integers
void ragged_plan_of_numbers(Kokkos::View<double*> const& numbers, Index const& rows) {
  (void)numbers, (void)rows;
  B::ragged_plan(WRONG_OR_RIGHT(numbers, rows));
}

}  // namespace
