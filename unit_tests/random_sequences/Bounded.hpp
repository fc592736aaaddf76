// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// An interpreter of sequences: tiles of one item in long double, with a bound for each entry of
/// the rounding error that float or double can have caused so far. Its operations have the names of
/// the library's operations, so that the same sequence runs with tiles of either. It shares no code
/// with the library.
///
/// The bounds come from a running error analysis (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, section 3.3). Each operation propagates the errors of its operands and
/// adds a bound for its own rounding errors, for any order of summation and with or without fused
/// multiply-adds. Factorisations and solves use the backward error from the book (theorems 8.5,
/// 9.4, 10.3 and 10.4) and a bound of its effect on the result.
#ifndef BATCHWORK_TEST_BOUNDED_HPP
#define BATCHWORK_TEST_BOUNDED_HPP

#include <Batchwork.hpp>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace Batchwork::RandomSequences {

/// Selects between plain numbers by a bool. In the global namespace, as for masks of devices,
/// because the names below hide those of the library.
template <class A, class B>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
KOKKOS_FUNCTION auto select(bool mask, A a, B b) {
  return Batchwork::select(mask, a, b);
}

using Real = long double;

/// The arithmetic of the bounds: float or double.
struct Arithmetic {
  Real roundoff;  ///< the largest relative error of one operation, rounded to nearest
  Real smallest;  ///< the absolute error of an operation that underflows
  Real largest;   ///< larger numbers may overflow soon
  template <class T>
  static Arithmetic of() {
    return {Real(std::numeric_limits<T>::epsilon()) / 2, Real(std::numeric_limits<T>::min()),
            Real(std::numeric_limits<T>::max()) / 16};
  }
};
/// The arithmetic that is used now.
Arithmetic& arithmetic();

/// A number and the bound of its error. An infinite bound means that nothing is known. A NaN is a
/// NaN in every arithmetic.
struct Entry {
  Real value = 0, error = 0;
};

/// The status of an item, if it does not depend on rounding.
struct Info {
  int code = 0;
  bool certain = true;
};
/// The first failure of two, `a` being the earlier one.
Info first_failure(Info const& a, Info const& b);

struct BoundedMask {
  bool value = false, certain = true;
};
BoundedMask operator!(BoundedMask const& a);
BoundedMask operator&&(BoundedMask const& a, BoundedMask const& b);
BoundedMask operator||(BoundedMask const& a, BoundedMask const& b);

struct BoundedScalar {
  Entry number;
  Info info;
  BoundedScalar() = default;
  BoundedScalar(Entry const& e, Info const& i = {}) : number(e), info(i) {}
  template <class U>
    requires std::is_arithmetic_v<U>
  BoundedScalar(U u) : number{static_cast<Real>(u), 0} {}
  BoundedScalar(BoundedScalar const&) = default;
  BoundedScalar& operator=(BoundedScalar const&) = default;
};

class BoundedEntry;

class BoundedTile {
 public:
  BoundedTile() = default;
  BoundedTile(int m, int n, Structure st = Structure::general)
      : rows(m), cols(n), structure(st), entries_(std::size_t(m) * std::size_t(n)) {}
  BoundedTile(BoundedTile const&) = default;
  /// Takes the part that the tile's own structure has, as an operand does.
  BoundedTile& operator=(BoundedTile const& x);

  /// Takes all of x, its structure included.
  void become(BoundedTile const& x) {
    rows = x.rows, cols = x.cols, structure = x.structure, info = x.info;
    entries_ = x.entries_;
  }

  /// An entry. It can be assigned if the tile is a named variable that can be written.
  BoundedEntry operator()(int i, int j = 0) &;
  BoundedScalar operator()(int i, int j = 0) const&;

  Entry& at(int i, int j) { return entries_[std::size_t(i) * std::size_t(cols) + std::size_t(j)]; }
  Entry const& at(int i, int j) const {
    return entries_[std::size_t(i) * std::size_t(cols) + std::size_t(j)];
  }

  int rows = 0, cols = 0;
  Structure structure = Structure::general;  ///< used only for assignments to this tile
  Info info;

 private:
  std::vector<Entry> entries_;
};

/// The type of a(i, j) if it can be assigned: a copy of the number, which writes the tile when it
/// is a temporary.
class BoundedEntry : public BoundedScalar {
 public:
  BoundedEntry(BoundedTile& t, int i, int j);
  BoundedEntry(BoundedEntry const&) = default;
  BoundedEntry& operator=(BoundedScalar const& x) &;
  BoundedEntry& operator=(BoundedEntry const& x) & { return *this = BoundedScalar(x); }
  void operator=(BoundedScalar const& x) &&;
  void operator=(BoundedEntry const& x) && { std::move(*this) = BoundedScalar(x); }
  void operator+=(BoundedScalar const& x) &&;
  void operator-=(BoundedScalar const& x) &&;
  void operator*=(BoundedScalar const& x) &&;

 private:
  BoundedTile* tile_;
  int row_, col_;
};

/// What cholesky(a) returns.
struct BoundedFactor {
  BoundedTile a, l;
  Info info;
  BoundedTile solve(BoundedTile const& b) const;
  BoundedTile lower() const { return l; }
  BoundedScalar log_det() const;
};

/// What lu(a) returns.
struct BoundedLu {
  BoundedTile a;
  BoundedTile inverse_of_a;  ///< exact
  Entry determinant_of_a;
  Info info;
  BoundedTile solve(BoundedTile const& b) const;
  BoundedTile inverse() const;
  BoundedScalar determinant() const;
};

/// The type of a carry with log_sum in a sequence.
struct BoundedLogSum {
  Entry sum;
  Info info;
  Real weight = 1;
  int terms = 0;
  Real magnitude = 0;  ///< of the logarithms
  void add_log(BoundedScalar const& x);
  BoundedLogSum& operator+=(BoundedScalar const& x);
  BoundedScalar value() const;
};

// ---- scalars ------------------------------------------------------------------------------------

BoundedScalar operator-(BoundedScalar const& a);
BoundedScalar operator+(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar operator-(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar operator*(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar operator/(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar& operator+=(BoundedScalar& a, BoundedScalar const& b);
BoundedScalar& operator-=(BoundedScalar& a, BoundedScalar const& b);
BoundedScalar& operator*=(BoundedScalar& a, BoundedScalar const& b);
BoundedScalar& operator/=(BoundedScalar& a, BoundedScalar const& b);
BoundedMask operator<(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask operator<=(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask operator>(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask operator>=(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask operator==(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask operator!=(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar sqrt(BoundedScalar const& a);
BoundedScalar log(BoundedScalar const& a);
BoundedScalar exp(BoundedScalar const& a);
BoundedScalar abs(BoundedScalar const& a);
BoundedScalar min(BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar max(BoundedScalar const& a, BoundedScalar const& b);
BoundedMask isnan(BoundedScalar const& a);
BoundedMask isfinite(BoundedScalar const& a);
BoundedScalar select(BoundedMask const& m, BoundedScalar const& a, BoundedScalar const& b);
BoundedScalar fail_where(BoundedMask const& m, Reason reason, BoundedScalar const& x);

// ---- tiles --------------------------------------------------------------------------------------

BoundedTile operator-(BoundedTile const& a);
BoundedTile operator+(BoundedTile const& a, BoundedTile const& b);
BoundedTile operator-(BoundedTile const& a, BoundedTile const& b);
BoundedTile operator*(BoundedTile const& a, BoundedTile const& b);
BoundedTile operator*(BoundedScalar const& c, BoundedTile const& a);
BoundedTile operator*(BoundedTile const& a, BoundedScalar const& c);
BoundedTile operator/(BoundedTile const& a, BoundedScalar const& c);
BoundedTile& operator+=(BoundedTile& a, BoundedTile const& b);
BoundedTile& operator-=(BoundedTile& a, BoundedTile const& b);
BoundedTile& operator*=(BoundedTile& a, BoundedScalar const& c);
BoundedTile transpose(BoundedTile const& x);
BoundedTile symmetric(BoundedTile const& x);
BoundedTile symmetric_product(BoundedTile const& a, BoundedTile const& b);
BoundedTile symmetric_product(BoundedTile const& a, BoundedTile const& b, BoundedTile const& c);
BoundedTile congruence(BoundedTile const& f, BoundedTile const& p);
BoundedTile congruence(BoundedTile const& f, BoundedTile const& p, BoundedTile const& q);
BoundedTile gram(BoundedTile const& y);
BoundedTile downdate(BoundedTile const& p, BoundedTile const& y);
BoundedFactor cholesky(BoundedTile const& a);
BoundedTile solve(BoundedFactor const& a, BoundedTile const& b);
BoundedScalar log_det(BoundedFactor const& a);
BoundedLu lu(BoundedTile const& a);
BoundedTile solve(BoundedLu const& a, BoundedTile const& b);
BoundedTile inverse(BoundedLu const& a);
BoundedScalar determinant(BoundedLu const& a);
/// Their errors in a solve are within the growth that the bound for lu allows.
BoundedLu ldlt(BoundedTile const& a);
BoundedLu qr(BoundedTile const& a);
BoundedLu pivoted_qr(BoundedTile const& a);
BoundedLu svd(BoundedTile const& a);
BoundedTile column(BoundedTile const& a, int j);
BoundedTile hadamard(BoundedTile const& a, BoundedTile const& b);
BoundedTile solve(BoundedTile const& t, BoundedTile const& b);
BoundedScalar dot(BoundedTile const& a, BoundedTile const& b);
BoundedScalar norm2(BoundedTile const& a);
BoundedScalar trace(BoundedTile const& a);
BoundedScalar element(BoundedTile const& x, int i, int j = 0);
BoundedTile select(BoundedMask const& m, BoundedTile const& a, BoundedTile const& b);
BoundedTile fail_where(BoundedMask const& m, Reason reason, BoundedTile const& x);
BoundedTile bounded_identity(int n);
template <int N>
BoundedTile identity(BoundedTile const&) {
  return bounded_identity(N);
}
template <int N>
BoundedTile identity(BoundedScalar const&) = delete;

// ---- what sequences call under the same name for the library's tiles ----------------------------

/// The argument that `generate` returns for an entry: a plain number of the type of the tile, or a
/// number of the interpreter.
inline BoundedScalar plain(BoundedTile const&, double x) { return BoundedScalar(x); }
template <Batchwork::Tile X>
KOKKOS_FORCEINLINE_FUNCTION auto plain(X const&, double x) {
  return static_cast<scalar_t<value_t<X>>>(x);
}
/// The same for an integer.
inline BoundedScalar integer(BoundedTile const&, int x) { return BoundedScalar(x); }
template <Batchwork::Tile X>
KOKKOS_FORCEINLINE_FUNCTION int integer(X const&, int x) {
  return x;
}

BoundedTile bounded_entries(int m, int n, std::function<BoundedScalar(int, int)> const& f);

}  // namespace Batchwork::RandomSequences

#endif
