// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reads batches of systems from files: Matrix Market, and folders with one pattern and raw
/// numbers. Host only. Not included by Batchwork.hpp.
#ifndef BATCHWORK_READSYSTEMS_HPP
#define BATCHWORK_READSYSTEMS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "krylov/formats/Batchwork_Formats.hpp"

namespace Batchwork {

/// Sparse systems with one pattern, as read from files.
///
/// ```cpp
/// auto const systems = read_systems("folder").in<Exec::memory_space>();
/// solve(exec, direct_lu(relative(1e-10)), systems.csr(), b, x);
/// ```
///
/// \tparam T       float or double
/// \tparam Memory  memory space of the Views
template <class T, class Memory = Kokkos::HostSpace>
struct SparseSystems {
  /// (row): the first entry of each row, and the number of entries at the end.
  Kokkos::View<std::int64_t*, Memory> row_offsets;
  Kokkos::View<std::int32_t*, Memory> columns;            ///< (entry): columns, counted from 0
  Kokkos::View<T**, Kokkos::LayoutRight, Memory> values;  ///< (item, entry)

  /// Rows of a system.
  std::int64_t rows() const { return std::int64_t(row_offsets.extent(0)) - 1; }
  /// Entries of the pattern.
  std::int64_t nonzeros() const { return std::int64_t(columns.extent(0)); }
  /// Number of systems.
  std::int64_t items() const { return std::int64_t(values.extent(0)); }
  /// The systems for solve and the other verbs.
  auto csr() const { return Batchwork::csr(row_offsets, columns, values); }

  /// The same in another memory space; copied unless it is there already.
  /// \tparam Other  the memory space
  template <class Other>
  SparseSystems<T, Other> in() const {
    Other const there{};
    return {Kokkos::create_mirror_view_and_copy(there, row_offsets),
            Kokkos::create_mirror_view_and_copy(there, columns),
            Kokkos::create_mirror_view_and_copy(there, values)};
  }
};

namespace Impl {

[[noreturn]] inline void fail_to_read(std::filesystem::path const& file, std::string const& what) {
  throw std::runtime_error("Batchwork: " + file.string() + ": " + what);
}
[[noreturn]] inline void fail_to_read(std::filesystem::path const& file, std::int64_t line,
                                      std::string const& what) {
  throw std::runtime_error("Batchwork: " + file.string() + ":" + std::to_string(line) + ": " +
                           what);
}

/// The length of a regular file, which bounds what it can hold.
inline std::int64_t length_of(std::filesystem::path const& file) {
  std::error_code error;
  auto const is = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(is)) fail_to_read(file, "is a folder, not a file");
  if (!std::filesystem::exists(is)) fail_to_read(file, "cannot be opened");
  if (!std::filesystem::is_regular_file(is)) fail_to_read(file, "is not a regular file");
  auto const bytes = std::filesystem::file_size(file, error);
  if (error) fail_to_read(file, "cannot be opened");
  return std::int64_t(bytes);
}

/// A number of a file in the caller's type, in which it must be finite.
template <class T>
T number_as(double x, auto const& fail) {
  if (std::isfinite(x) && std::fabs(x) > double(std::numeric_limits<T>::max())) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << x;
    fail(text.str() + " is too large for float");
  }
  return T(x);
}

/// The content of a Matrix Market file, with mirrored entries twice, sorted by row and column.
struct Coordinates {
  struct Entry {
    std::int32_t row, column;
    double value, imaginary;
    std::int64_t line;
  };
  std::int64_t rows = 0, columns = 0;
  bool has_values = true;
  bool was_sorted = true;  ///< in the file
  std::vector<Entry> entries;
};

/// Reads a file line by line, without blank ends (some systems end lines with \r\n).
class LineReader {
 public:
  explicit LineReader(std::filesystem::path const& file)
      : file_(file), bytes_(length_of(file)), in_(file) {
    if (!in_) fail_to_read(file_, "cannot be opened");
  }
  std::int64_t bytes() const { return bytes_; }
  bool next() {
    if (!std::getline(in_, text_)) {
      if (in_.bad()) fail("reading fails");
      return false;
    }
    ++number_;
    rest_ = text_;
    // The mark with which some editors begin a file.
    if (number_ == 1 && rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    return true;
  }
  /// The next line that is neither blank nor a comment.
  bool next_of_data() {
    while (next()) {
      skip_blanks();
      if (!rest_.empty() && rest_.front() != '%') return true;
    }
    return false;
  }
  std::string_view word() {
    skip_blanks();
    std::size_t n = 0;
    while (n < rest_.size() && !blank(rest_[n])) ++n;
    auto const w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }
  std::string lower_word() {
    std::string w(word());
    for (char& c : w) c = char(std::tolower(static_cast<unsigned char>(c)));
    return w;
  }
  std::int64_t integer(char const* what) {
    auto const w = word();
    std::int64_t x = 0;
    auto const [end, error] = std::from_chars(w.data(), w.data() + w.size(), x);
    if (w.empty() || error != std::errc() || end != w.data() + w.size())
      fail(std::string(what) + " is an integer, not \"" + std::string(w) + "\"");
    return x;
  }
  /// A decimal number, also with an exponent as Fortran writes it for double precision, 1.0D+00.
  /// What is too small for double is zero or denormal, what is too large an error. A whole one may
  /// have more than 64 bits, and is rounded.
  double number(char const* what, bool whole = false) {
    auto const w = word();
    std::string text(w);
    for (char& c : text)
      if (c == 'd' || c == 'D' || c == 'E') c = 'e';
    if (!is_decimal(text, whole))
      fail(std::string(what) + " is " + (whole ? "an integer" : "a number") + ", not \"" +
           std::string(w) + "\"");
    double const x = value_of(text);
    if (std::isinf(x))
      fail(std::string(what) + " \"" + std::string(w) + "\" is too large for double");
    return x;
  }
  void end_of_line() {
    skip_blanks();
    if (!rest_.empty())
      fail("there is more on the line than expected: \"" + std::string(rest_) + "\"");
  }
  [[noreturn]] void fail(std::string const& what) const { fail_to_read(file_, number_, what); }
  std::int64_t number_of_line() const { return number_; }

 private:
  /// Readers of numbers differ in what else they take: hexadecimal numbers, words such as nan.
  static bool is_decimal(std::string_view w, bool whole) {
    std::size_t i = 0;
    auto const one_of = [&](std::string_view characters) {
      bool const is = i < w.size() && characters.find(w[i]) != std::string_view::npos;
      if (is) ++i;
      return is;
    };
    auto const digits = [&] {
      std::size_t n = 0;
      while (one_of("0123456789")) ++n;
      return n;
    };
    one_of("+-");
    std::size_t n = digits();
    if (!whole && one_of(".")) n += digits();
    if (!whole && n > 0 && one_of("e")) {
      one_of("+-");
      if (digits() == 0) return false;
    }
    return n > 0 && i == w.size();
  }
  /// Of a decimal number, whatever the program's locale; infinite if it is too large.
  static double value_of(std::string const& text) {
    double x = 0;
#if defined(__cpp_lib_to_chars)
    // It takes no plus, and does not say which end of the range was left.
    char const* const begin = text.data() + (text[0] == '+' ? 1 : 0);
    if (std::from_chars(begin, text.data() + text.size(), x).ec == std::errc()) return x;
#endif
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    in >> x;
    bool const too_large = in.fail() && std::fabs(x) >= std::numeric_limits<double>::max();
    return too_large ? std::numeric_limits<double>::infinity() : x;
  }
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::filesystem::path file_;
  std::int64_t bytes_;
  std::ifstream in_;
  std::string text_;
  std::string_view rest_;
  std::int64_t number_ = 0;
};

/// What is expected of a file's matrix: square with enough entries for a system; complex numbers.
struct ReadAs {
  bool system, complex;
};

/// `coordinate` or `array`; `real`, `integer`, `pattern` or `complex`; `general`, `symmetric`,
/// `skew-symmetric` or `hermitian`. Strict: an entry that is missing or given twice is an error. Of
/// the latter three one triangle is given, by coordinates either of them, by arrays the lower one.
/// (Boisvert, Pozo and Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996.)
inline Coordinates read_coordinates(std::filesystem::path const& file, ReadAs const& as) {
  LineReader in(file);
  if (!in.next() || in.lower_word() != "%%matrixmarket")
    in.fail("a Matrix Market file begins with %%MatrixMarket");
  auto const among = [&](char const* what, std::vector<std::string> const& known) {
    std::string const word = in.lower_word();
    std::string all;
    for (auto const& k : known) {
      if (word == k) return word;
      all += (all.empty() ? "" : ", ") + k;
    }
    in.fail(std::string(what) + " is \"" + word + "\"; accepted: " + all);
  };
  among("the object", {"matrix"});
  bool const is_array = among("the format", {"coordinate", "array"}) == "array";
  auto const field = among("the field", {"real", "integer", "pattern", "complex"});
  auto const symmetry =
      among("the symmetry", {"general", "symmetric", "skew-symmetric", "hermitian"});
  in.end_of_line();
  bool const is_complex = field == "complex", mirrored = symmetry != "general",
             skew = symmetry == "skew-symmetric", hermitian = symmetry == "hermitian";
  Coordinates c;
  c.has_values = field != "pattern";
  if (is_complex && !as.complex)
    in.fail("the numbers are complex; read_dense_matrices<Kokkos::complex<double>> takes them");
  if (hermitian && !is_complex) in.fail("a hermitian matrix is complex; call it symmetric");
  if (!c.has_values && (is_array || skew))
    in.fail("a pattern is given by coordinates, general or symmetric");

  if (!in.next_of_data())
    in.fail(std::string("the line of sizes is missing: rows, columns") +
            (is_array ? "" : ", entries"));
  c.rows = in.integer("the number of rows");
  c.columns = in.integer("the number of columns");
  std::int64_t entries = is_array ? 0 : in.integer("the number of entries");
  in.end_of_line();
  if (c.rows < 0 || c.rows > most_rows || c.columns < 0 || c.columns > most_rows || entries < 0)
    in.fail("the sizes are out of range");
  if (c.columns != c.rows && (as.system || mirrored))
    in.fail("the matrix has " + std::to_string(c.rows) + " rows and " + std::to_string(c.columns) +
            " columns; " + (mirrored ? "one that is " + symmetry + " is" : "systems are") +
            " square");
  if (is_array) entries = !mirrored ? c.rows * c.columns : (c.rows + (skew ? -1 : 1)) * c.rows / 2;
  // Before memory is taken: an entry has a line of its numbers, of one digit each, and the last may
  // lack its end.
  std::int64_t const least = (is_array ? 0 : 4) + (is_complex ? 4 : c.has_values ? 2 : 0);
  std::int64_t const most_entries = (in.bytes() + 1) / least;
  if (entries > most_entries)
    in.fail(std::to_string(entries) + " entries are announced, but a file of " +
            std::to_string(in.bytes()) + " bytes has at most " + std::to_string(most_entries));
  if (as.system && c.rows > (mirrored ? 2 * entries : entries))
    in.fail(std::to_string(c.rows) + " rows with " + std::to_string(entries) +
            " entries: a system has an entry in every row, or it is singular");

  auto const before = [](Coordinates::Entry const& x, Coordinates::Entry const& y) {
    return x.row != y.row ? x.row < y.row : x.column < y.column;
  };
  auto const index = [&](char const* what, std::int64_t most) {
    std::int64_t const i = in.integer(what);
    if (i < 1 || i > most)
      in.fail(std::string(what) + " " + std::to_string(i) + " is out of range, from 1 to " +
              std::to_string(most));
    return std::int32_t(i - 1);
  };
  // For arrays, which are stored by columns.
  std::int32_t row = skew ? 1 : 0, column = 0;
  for (std::int64_t k = 0; k < entries; ++k) {
    if (!in.next_of_data())
      in.fail("the file ends after " + std::to_string(k) + " of " + std::to_string(entries) +
              " entries");
    Coordinates::Entry e{};
    if (is_array) {
      e.row = row, e.column = column;
      if (++row == c.rows) {
        ++column;
        row = !mirrored ? 0 : column + (skew ? 1 : 0);
      }
    } else {
      e.row = index("the row", c.rows);
      e.column = index("the column", c.columns);
    }
    bool const whole = field == "integer", diagonal = e.row == e.column;
    if (c.has_values) e.value = in.number(is_complex ? "the real part" : "the value", whole);
    if (is_complex) e.imaginary = in.number("the imaginary part");
    e.line = in.number_of_line();
    in.end_of_line();
    if (skew && diagonal)
      in.fail(
          "the entry is on the diagonal, which is zero and not given in a skew-symmetric matrix");
    if (hermitian && diagonal && e.imaginary != 0)
      in.fail("the entry is on the diagonal, which is real in a hermitian matrix");
    if (!c.entries.empty() && !before(c.entries.back(), e)) c.was_sorted = false;
    c.entries.push_back(e);
    if (mirrored && !diagonal) {
      std::swap(e.row, e.column);
      if (skew) e.value = -e.value;
      if (skew || hermitian) e.imaginary = -e.imaginary;
      c.was_sorted = false;
      c.entries.push_back(e);
    }
  }
  if (in.next_of_data())
    in.fail("there are more entries than the " + std::to_string(entries) + " announced");

  if (!c.was_sorted) std::stable_sort(c.entries.begin(), c.entries.end(), before);
  for (std::size_t k = 1; k < c.entries.size(); ++k) {
    auto const &x = c.entries[k - 1], &y = c.entries[k];
    if (x.row == y.row && x.column == y.column)
      fail_to_read(file, y.line,
                   "the entry (" + std::to_string(y.row + 1) + ", " + std::to_string(y.column + 1) +
                       ") is there twice, first on line " + std::to_string(x.line) +
                       (mirrored ? "; give one triangle" : "; add the two up"));
  }
  return c;
}

/// The pattern, with room for the numbers of so many items.
template <class T>
SparseSystems<T> with_pattern(Coordinates const& c, std::int64_t items) {
  SparseSystems<T> s{
      Kokkos::View<std::int64_t*, Kokkos::HostSpace>("Batchwork::row_offsets",
                                                     std::size_t(c.rows) + 1),
      Kokkos::View<std::int32_t*, Kokkos::HostSpace>("Batchwork::columns", c.entries.size()),
      Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>(
          "Batchwork::values", std::size_t(items), c.entries.size())};
  for (std::size_t k = 0; k < c.entries.size(); ++k) {
    ++s.row_offsets(std::size_t(c.entries[k].row) + 1);
    s.columns(k) = c.entries[k].column;
  }
  for (std::size_t i = 0; i < std::size_t(c.rows); ++i) s.row_offsets(i + 1) += s.row_offsets(i);
  return s;
}

inline Coordinates read_matrix(std::filesystem::path const& file, ReadAs const& as) {
  Coordinates c = read_coordinates(file, as);
  if (!c.has_values)
    fail_to_read(file, 1,
                 "the file holds a pattern without values; read_systems takes those of a folder");
  return c;
}

/// All of a file of little-endian numbers of 64 bits.
inline std::vector<double> read_numbers(std::filesystem::path const& file) {
  static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559);
  auto const bytes = length_of(file);
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_to_read(file, "cannot be opened");
  if (bytes % 8 != 0)
    fail_to_read(file, "has " + std::to_string(bytes) + " bytes, which is not a multiple of 8");
  std::vector<double> numbers(std::size_t(bytes / 8));
  in.read(reinterpret_cast<char*>(numbers.data()), bytes);
  if (!in) fail_to_read(file, "reading fails");
  if constexpr (std::endian::native == std::endian::big) {
    for (double& x : numbers) {
      char* const p = reinterpret_cast<char*>(&x);
      std::reverse(p, p + 8);
    }
  }
  return numbers;
}

/// The value of an entry.
template <class T>
T value_of(std::filesystem::path const& file, Coordinates::Entry const& e) {
  auto const fail = [&](std::string const& what) {
    fail_to_read(file, e.line, "the value " + what);
  };
  if constexpr (std::is_floating_point_v<T>) {
    return number_as<T>(e.value, fail);
  } else {
    using R = typename T::value_type;
    return T(number_as<R>(e.value, fail), number_as<R>(e.imaginary, fail));
  }
}

/// Numbers by items, of so many each.
template <class T>
auto items_of_numbers(std::filesystem::path const& file, std::int64_t each) {
  auto const numbers = read_numbers(file);
  auto const n = std::int64_t(numbers.size());
  if (each < 1 || n % each != 0)
    fail_to_read(file, "has " + std::to_string(n) +
                           " numbers, not a multiple of those of an item, " + std::to_string(each));
  Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> const into(
      "Batchwork::" + file.stem().string(), std::size_t(n / each), std::size_t(each));
  for (std::int64_t k = 0; k < n; ++k)
    into(std::size_t(k / each), std::size_t(k % each)) =
        number_as<T>(numbers[std::size_t(k)], [&](std::string const& what) {
          fail_to_read(file, "(item, number) (" + std::to_string(k / each) + ", " +
                                 std::to_string(k % each) + "): " + what);
        });
  return into;
}

}  // namespace Impl

/// Reads one matrix from a Matrix Market file, the same for so many items.
/// \tparam T     float or double
/// \param file   coordinate or array; real or integer; general, symmetric or skew-symmetric;
///               entries in any order. All places of an array are entries
/// \param items  number of items
/// \throws std::runtime_error     with the file and the line: what is not a Matrix Market file,
///               sizes that the file is too short for (found before memory is allocated), fewer
///               entries than rows, an entry given twice, a number that is not finite in T
/// \throws std::invalid_argument  a negative number of items
template <class T = double>
SparseSystems<T> read_matrix_market(std::filesystem::path const& file, std::int64_t items = 1) {
  if (items < 0)
    throw std::invalid_argument("Batchwork::read_matrix_market: " + std::to_string(items) +
                                " items; give zero or more");
  auto const c = Impl::read_matrix(file, {true, false});
  auto s = Impl::with_pattern<T>(c, items);
  for (std::size_t n = 0; n < std::size_t(items); ++n)
    for (std::size_t k = 0; k < c.entries.size(); ++k)
      s.values(n, k) = Impl::value_of<T>(file, c.entries[k]);
  return s;
}

/// Reads one matrix from each of several Matrix Market files with the same pattern.
/// \tparam T     float or double
/// \param files  one file for each item
/// \throws std::runtime_error     as for one file; and a different pattern
/// \throws std::invalid_argument  no files
template <class T = double>
SparseSystems<T> read_matrix_market(std::vector<std::filesystem::path> const& files) {
  if (files.empty())
    throw std::invalid_argument("Batchwork::read_matrix_market: no files; give at least one");
  SparseSystems<T> s;
  Impl::Coordinates first;
  for (std::size_t n = 0; n < files.size(); ++n) {
    auto c = Impl::read_matrix(files[n], {true, false});
    if (n == 0) {
      first = c;
      s = Impl::with_pattern<T>(c, std::int64_t(files.size()));
    }
    std::string const other = "; the pattern is that of " + files[0].string();
    if (c.rows != first.rows)
      Impl::fail_to_read(files[n], "has " + std::to_string(c.rows) + " rows instead of " +
                                       std::to_string(first.rows) + other);
    for (std::size_t k = 0; k < std::max(c.entries.size(), first.entries.size()); ++k) {
      auto const place = [](Impl::Coordinates::Entry const& e) {
        return "(" + std::to_string(e.row + 1) + ", " + std::to_string(e.column + 1) + ")";
      };
      if (k == c.entries.size())
        Impl::fail_to_read(files[n], "has no entry " + place(first.entries[k]) + other);
      auto const& e = c.entries[k];
      if (k == first.entries.size())
        Impl::fail_to_read(files[n], e.line, "the entry " + place(e) + " is additional" + other);
      if (e.row != first.entries[k].row || e.column != first.entries[k].column)
        Impl::fail_to_read(files[n], e.line,
                           "the entry is " + place(e) + ", but " + place(first.entries[k]) +
                               " is expected" + other);
      s.values(n, k) = Impl::value_of<T>(files[n], e);
    }
  }
  return s;
}

/// Reads full matrices (item, row, column) from Matrix Market files of the same shape, one item
/// each. Places without an entry are zero.
/// \tparam T     float, double, or Kokkos::complex of one of them, which reads real files, too
/// \param files  coordinate or array; real, integer or complex; general, symmetric, skew-symmetric
///               or hermitian; not square only if general; at most 2^24 numbers a matrix
/// \throws std::runtime_error     as read_matrix_market; and a different shape
/// \throws std::invalid_argument  no files
template <class T = double>
Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace> read_dense_matrices(
    std::vector<std::filesystem::path> const& files) {
  if (files.empty())
    throw std::invalid_argument("Batchwork::read_dense_matrices: no files; give at least one");
  Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace> a;
  for (std::size_t n = 0; n < files.size(); ++n) {
    auto const c = Impl::read_matrix(files[n], {false, !std::is_floating_point_v<T>});
    auto const rows = std::size_t(c.rows), columns = std::size_t(c.columns);
    // Of coordinates, sizes are not bounded by what the file holds.
    if (c.rows * c.columns > (std::int64_t(1) << 24))
      Impl::fail_to_read(files[n],
                         std::to_string(c.rows) + "x" + std::to_string(c.columns) +
                             " numbers are more than the 2^24 that a full matrix may have; "
                             "read_matrix_market keeps coordinates sparse");
    if (n == 0) a = decltype(a)("Batchwork::matrices", files.size(), rows, columns);
    if (rows != a.extent(1) || columns != a.extent(2))
      Impl::fail_to_read(files[n], "has " + std::to_string(c.rows) + "x" +
                                       std::to_string(c.columns) + " numbers instead of the " +
                                       std::to_string(a.extent(1)) + "x" +
                                       std::to_string(a.extent(2)) + " of " + files[0].string());
    for (auto const& e : c.entries)
      a(n, std::size_t(e.row), std::size_t(e.column)) = Impl::value_of<T>(files[n], e);
  }
  return a;
}
/// Reads the full matrix of one file, as one item.
/// \tparam T    as above
/// \param file  as above
template <class T = double>
auto read_dense_matrices(std::filesystem::path const& file) {
  return read_dense_matrices<T>(std::vector<std::filesystem::path>{file});
}

/// Reads the systems of a folder.
/// \tparam T      float or double
/// \param folder  holds `pattern.mtx`, a Matrix Market file with entries sorted by row and column,
///                and `values.f64`, the numbers of all items, one item after the other in the order
///                of the pattern: little-endian, 64 bits, no header
/// \throws std::runtime_error  with the file, and the line where there are lines
template <class T = double>
SparseSystems<T> read_systems(std::filesystem::path const& folder) {
  auto const file = folder / "pattern.mtx";
  auto const c = Impl::read_coordinates(file, {true, false});
  if (!c.was_sorted)
    for (std::size_t k = 0; k + 1 < c.entries.size(); ++k)
      if (c.entries[k].line >= c.entries[k + 1].line)
        Impl::fail_to_read(file, c.entries[k + 1].line,
                           "the entry comes too early: values.f64 has the order of the pattern, "
                           "which must be general and sorted by row, then column");
  auto s = Impl::with_pattern<T>(c, 0);
  s.values = Impl::items_of_numbers<T>(folder / "values.f64", s.nonzeros());
  return s;
}

/// Reads vectors (item, row) for the systems of a folder.
/// \tparam T    float or double
/// \param file  the numbers of all items, one after the other, in the form of `values.f64`
/// \param rows  numbers of each item
/// \throws std::runtime_error  with the file
template <class T = double>
Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> read_vectors(
    std::filesystem::path const& file, std::int64_t rows) {
  return Impl::items_of_numbers<T>(file, rows);
}

}  // namespace Batchwork

#endif
