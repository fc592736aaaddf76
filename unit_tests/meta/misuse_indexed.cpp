// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of indexed operands and masks that must not compile: see misuse.cpp.
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

// says: before a verb on whole matrices copy the items to a View of their own
void invert_what_is_gathered(Matrices const& y, Matrices const& x, Index const& i) {
  (void)i;
  B::inverse(B::in(WRONG_OR_RIGHT(B::gathered(x, i), x)), B::out(y));
}

// says: item_mask: the View must have one index, the item, and hold bools or integers
void real_mask(Vectors const& y, Vectors const& x, Index const& i, Kokkos::View<double*> const& r) {
  (void)i, (void)r;
  B::map(Copy{}, B::out(y), B::in(x), B::item_mask(WRONG_OR_RIGHT(r, i)));
}

}  // namespace
