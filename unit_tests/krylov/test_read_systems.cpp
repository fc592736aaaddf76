// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading batches of systems from files, and the messages for files with errors.
#include "krylov/formats/Batchwork_ReadSystems.hpp"

#include <cmath>
#include <cstdio>
#include <random>

#include "krylov/SystemsCase.hpp"
#include "krylov/formats/Batchwork_CheckSystems.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed after the test.
struct ReadSystems : ::testing::Test {
  fs::path folder;

  void SetUp() override {
    auto const* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder =
        fs::path(::testing::TempDir()) / (std::string("batchwork_") + test->name() + "_" +
                                          std::to_string(std::uint64_t(std::random_device()())));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path write(char const* name, std::string const& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  template <class Call>
  static std::string said(Call const& call) {
    try {
      call();
    } catch (std::runtime_error const& e) {
      return e.what();
    }
    return "(nothing was thrown)";
  }
  std::string said_of(std::string const& text) const {
    auto const file = write("bad.mtx", text);
    return said([&] { (void)read_matrix_market(file); });
  }
};

/// Rows, columns and numbers as text.
template <class T>
std::string text(SparseSystems<T> const& s, std::int64_t item) {
  std::string r;
  for (std::size_t i = 0; i < std::size_t(s.rows()); ++i)
    for (auto k = s.row_offsets(i); k < s.row_offsets(i + 1); ++k) {
      char buffer[64];
      std::snprintf(buffer, sizeof(buffer), "%d,%d:%g ", int(i), int(s.columns(std::size_t(k))),
                    double(s.values(std::size_t(item), std::size_t(k))));
      r += buffer;
    }
  return r;
}

TEST_F(ReadSystems, General) {
  auto const file = write("a.mtx",
                          "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 3 4\n"
                          "3 1 -2.5e-3\r\n1 1 +1\n% another\n2 2 0\n 1\t3 4\n");
  auto const s = read_matrix_market(file, 2);
  EXPECT_EQ(s.items(), 2);
  EXPECT_EQ(s.rows(), 3);
  EXPECT_EQ(s.nonzeros(), 4);
  for (int n : {0, 1}) EXPECT_EQ(text(s, n), "0,0:1 0,2:4 1,1:0 2,0:-0.0025 ");
  EXPECT_NO_THROW(check(s.csr(), Diagonals::optional));
  EXPECT_EQ(text(read_matrix_market<float>(file), 0), text(s, 0));
  EXPECT_EQ(read_matrix_market(file, 0).items(), 0);
}

TEST_F(ReadSystems, SymmetricAndInteger) {
  auto const s = read_matrix_market(write(
      "a.mtx",
      "%%matrixmarket MATRIX Coordinate Integer SYMMETRIC\n3 3 4\n1 1 1\n3 1 5\n2 2 2\n3 3 3"));
  EXPECT_EQ(text(s, 0), "0,0:1 0,2:5 1,1:2 2,0:5 2,2:3 ");
}

/// Either triangle; a byte order mark at the start; lines that end with two characters.
TEST_F(ReadSystems, Mirrored) {
  std::string const mark = "\xEF\xBB\xBF", head = "%%MatrixMarket matrix coordinate ";
  for (std::string const end : {"\n", "\r\n"}) {
    auto const read = [&](std::string const& kind, std::string lines) {
      std::string all = mark + head + kind + "\n" + lines;
      for (std::size_t k = 0; (k = all.find('\n', k)) != std::string::npos; k += end.size())
        all.replace(k, 1, end);
      return text(read_matrix_market(write("a.mtx", all)), 0);
    };
    EXPECT_EQ(read("real symmetric", "% c\n\n3 3 4\n1 1 1\n1 3 5\n2 2 2\n3 3 3\n"),
              "0,0:1 0,2:5 1,1:2 2,0:5 2,2:3 ");
    EXPECT_EQ(read("real symmetric", "3 3 3\n1 3 5\n2 1 7\n3 3 3\n"),
              "0,1:7 0,2:5 1,0:7 2,0:5 2,2:3 ");
    EXPECT_EQ(read("real skew-symmetric", "3 3 2\n2 1 5\n3 2 -2\n"), "0,1:-5 1,0:5 1,2:2 2,1:-2 ");
    EXPECT_EQ(read("integer skew-symmetric", "3 3 2\n1 2 5\n3 2 -2\n"),
              "0,1:5 1,0:-5 1,2:2 2,1:-2 ");
  }
}

/// By columns, with one number in each line.
TEST_F(ReadSystems, Arrays) {
  std::string const head = "%%MatrixMarket matrix array ";
  auto const read = [&](std::string const& rest) {
    return text(read_matrix_market(write("a.mtx", head + rest)), 0);
  };
  EXPECT_EQ(read("real general\n% c\n2 2\n1\n2\n\n3\n4"), "0,0:1 0,1:3 1,0:2 1,1:4 ");
  EXPECT_EQ(read("integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
            "0,0:1 0,1:2 0,2:3 1,0:2 1,1:4 1,2:5 2,0:3 2,1:5 2,2:6 ");
  EXPECT_EQ(read("real skew-symmetric\n3 3\n1\n2\n3\n"), "0,1:-1 0,2:-2 1,0:1 1,2:-3 2,0:2 2,1:3 ");
}

/// Full matrices, real and complex, with every symmetry.
TEST_F(ReadSystems, DenseMatrices) {
  using C = Kokkos::complex<double>;
  std::string const by_entries = "%%MatrixMarket matrix coordinate ",
                    by_columns = "%%MatrixMarket matrix array ";
  auto const expect = [&](std::string const& file, std::vector<std::vector<C>> const& want) {
    auto const a = read_dense_matrices<C>(write("a.mtx", file));
    ASSERT_EQ(a.extent(0), 1u);
    ASSERT_EQ(a.extent(1), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(a.extent(2), want[i].size());
      for (std::size_t j = 0; j < want[i].size(); ++j) EXPECT_EQ(a(0, i, j), want[i][j]) << file;
    }
  };
  expect(by_entries + "complex general\n2 3 2\n1 3 1.5 -2\n2 1 0 1D0\n",
         {{0, 0, C(1.5, -2)}, {C(0, 1), 0, 0}});
  expect(by_entries + "complex symmetric\n2 2 2\n1 1 1 2\n1 2 3 4\n",
         {{C(1, 2), C(3, 4)}, {C(3, 4), 0}});
  expect(by_entries + "complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n",
         {{1, C(3, -4)}, {C(3, 4), 0}});
  expect(by_entries + "complex skew-symmetric\n2 2 1\n2 1 3 4\n", {{0, C(-3, -4)}, {C(3, 4), 0}});
  expect(by_columns + "complex general\n1 2\n1 2\n3 4\n", {{C(1, 2), C(3, 4)}});
  expect(by_columns + "complex hermitian\n2 2\n1 0\n3 4\n2 0\n", {{1, C(3, -4)}, {C(3, 4), 2}});
  expect(by_columns + "real general\n3 1\n1\n2\n3\n", {{1}, {2}, {3}});
  expect(by_entries + "integer general\n2 2 0\n", {{0, 0}, {0, 0}});

  auto const a = write("a.mtx", by_columns + "real general\n2 1\n1\n2\n"),
             b = write("b.mtx", by_entries + "real general\n2 1 1\n2 1 4\n"),
             c = write("c.mtx", by_columns + "real general\n1 2\n1\n2\n"),
             d = write("d.mtx", by_columns + "complex general\n1 1\n1e39 1\n"),
             e = write("e.mtx", by_entries + "complex hermitian\n2 2 1\n2 2 1 1\n"),
             g = write("g.mtx", by_entries + "real symmetric\n2 3 1\n2 2 1\n"),
             h = write("h.mtx", by_entries + "real general\n100000 100000 1\n2 2 1\n"),
             p = write("p.mtx", by_entries + "pattern general\n2 2 1\n2 2\n");
  auto const both = read_dense_matrices<float>({a, b});
  EXPECT_EQ(both.extent(0), 2u);
  EXPECT_EQ(both(0, 0, 0), 1.f);
  EXPECT_EQ(both(1, 0, 0), 0.f);
  EXPECT_EQ(both(1, 1, 0), 4.f);
  expect_says(said([&] { (void)read_dense_matrices({a, c}); }),
              {"c.mtx: has 1x2 numbers instead of the 2x1 of", "a.mtx"});
  expect_says(said([&] { (void)read_dense_matrices(d); }),
              {"d.mtx:1: the numbers are complex; read_dense_matrices<Kokkos::complex<double>>"});
  expect_says(said([&] { (void)read_dense_matrices<Kokkos::complex<float>>(d); }),
              {"d.mtx:3: the value", "is too large for float"});
  expect_says(said([&] { (void)read_dense_matrices<C>(e); }),
              {"e.mtx:3: the entry is on the diagonal, which is real in a hermitian matrix"});
  expect_says(said([&] { (void)read_dense_matrices(g); }),
              {"g.mtx:2: ", "one that is symmetric is square"});
  expect_says(said([&] { (void)read_dense_matrices(h); }),
              {"h.mtx: 100000x100000 numbers are more than the 2^24", "read_matrix_market"});
  expect_says(said([&] { (void)read_dense_matrices(p); }), {"p.mtx:1: ", "without values"});
  expect_says(message_of([&] { (void)read_dense_matrices(std::vector<fs::path>()); }),
              {"no files"});
}

TEST_F(ReadSystems, SeveralFiles) {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n2 2 2\n";
  auto const a = write("a.mtx", head + "1 1 1\n2 2 2\n"),
             b = write("b.mtx", head + "2 2 4\n1 1 3\n");
  auto const s = read_matrix_market({a, b});
  EXPECT_EQ(text(s, 0), "0,0:1 1,1:2 ");
  EXPECT_EQ(text(s, 1), "0,0:3 1,1:4 ");

  auto const c = write("c.mtx", head + "1 1 1\n2 1 2\n");
  expect_says(said([&] { (void)read_matrix_market({a, c}); }),
              {"c.mtx:4: the entry is (2, 1), but (2, 2) is expected", "a.mtx"});
  auto const d =
      write("d.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n");
  auto const f =
      write("f.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n2 1 1\n");
  auto const g =
      write("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n");
  expect_says(said([&] { (void)read_matrix_market({a, d}); }),
              {"d.mtx:4: the entry is (1, 2), but (2, 2) is expected", "a.mtx"});
  expect_says(said([&] { (void)read_matrix_market({f, g}); }),
              {"g.mtx: has no entry (2, 2)", "f.mtx"});
  expect_says(said([&] { (void)read_matrix_market({g, f}); }),
              {"f.mtx:4: the entry (2, 2) is additional", "g.mtx"});
  auto const e =
      write("e.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n");
  expect_says(said([&] { (void)read_matrix_market({a, e}); }), {"e.mtx: has 3 rows instead of 2"});
  expect_says(message_of([&] { (void)read_matrix_market(std::vector<fs::path>()); }), {"no files"});
}

TEST_F(ReadSystems, ErrorsNameTheLine) {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n";
  expect_says(said([&] { (void)read_matrix_market(folder / "none.mtx"); }),
              {"none.mtx: cannot be opened"});
  expect_says(said_of(""), {"bad.mtx", "begins with %%MatrixMarket"});
  expect_says(said_of("1 1 1\n"), {"bad.mtx:1: ", "begins with %%MatrixMarket"});
  expect_says(said_of("%%MatrixMarket vector array real general\n"),
              {"bad.mtx:1: the object is \"vector\"; accepted: matrix"});
  expect_says(said_of("%%MatrixMarket matrix elemental real general\n"),
              {"bad.mtx:1: the format is \"elemental\"; accepted: coordinate, array"});
  expect_says(said_of("%%MatrixMarket matrix coordinate quaternion general\n"),
              {"the field is \"quaternion\"; accepted: real, integer, pattern, complex"});
  expect_says(said_of("%%MatrixMarket matrix coordinate complex general\n"),
              {"bad.mtx:1: the numbers are complex; read_dense_matrices"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real skew\n"),
              {"the symmetry is \"skew\"; accepted: general, symmetric, skew-symmetric, "
               "hermitian"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real hermitian\n"),
              {"bad.mtx:1: a hermitian matrix is complex; call it symmetric"});
  expect_says(said_of("%%MatrixMarket matrix array pattern general\n"),
              {"bad.mtx:1: a pattern is given by coordinates"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"),
              {"bad.mtx:3: the entry is on the diagonal, which is zero and not given in a skew"});
  expect_says(said_of("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"),
              {"bad.mtx:5: the file ends after 3 of 4 entries"});
  expect_says(said_of("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n"),
              {"bad.mtx:6: there are more entries than the 3"});
  expect_says(said_of("%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n5 6\n"),
              {"bad.mtx:3: there is more on the line"});
  expect_says(said_of("%%MatrixMarket matrix array real general\n2 2 4\n1\n2\n3\n4\n"),
              {"bad.mtx:2: there is more on the line"});
  expect_says(said_of("%%MatrixMarket matrix array real general\n60000 60000\n1\n2\n3\n4\n"),
              {"bad.mtx:2: 3600000000 entries are announced"});
  expect_says(said_of("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
              {"a pattern without values"});
  expect_says(said_of(head + "% only this\n"), {"bad.mtx:2: the line of sizes is missing"});
  expect_says(said_of(head + "2 3 1\n1 1 1\n"),
              {"bad.mtx:2: ", "2 rows and 3 columns; systems are square"});
  expect_says(said_of(head + "2 x 1\n"),
              {"bad.mtx:2: the number of columns is an integer, not \"x\""});
  expect_says(said_of(head + "2 2 -1\n"), {"bad.mtx:2: the sizes are out of range"});
  expect_says(said_of(head + "2 2 2\n1 1 1\n"), {"bad.mtx:3: the file ends after 1 of 2 entries"});
  expect_says(said_of(head + "1 1 1\n1 1 1\n\n2 2 2\n"),
              {"bad.mtx:5: there are more entries than the 1"});
  expect_says(said_of(head + "2 2 2\n0 1 1\n"),
              {"bad.mtx:3: the row 0 is out of range, from 1 to 2"});
  expect_says(said_of(head + "2 2 2\n1 3 1\n"), {"bad.mtx:3: the column 3 is out of range"});
  expect_says(said_of(head + "2 2 2\n1 1\n"), {"bad.mtx:3: the value is a number, not \"\""});
  for (std::string const word : {"1.5x", "+-1", "nan", "-inf", "0x1p3", "1e", "1e5e5", ".", "1,5"})
    expect_says(said_of(head + "1 1 1\n1 1 " + word + "\n"),
                {("bad.mtx:3: the value is a number, not \"" + word + "\"").c_str()});
  expect_says(said_of(head + "2 2 2\n1 1 1 9\n"),
              {"bad.mtx:3: there is more on the line", "\"9\""});
  expect_says(said_of(head + "2 2 3\n1 1 1\n2 2 1\n1 1 2\n"),
              {"bad.mtx:5: the entry (1, 1) is there twice, first on line 3"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n"),
              {"bad.mtx:4: the entry", "is there twice, first on line 3; give one triangle"});
  expect_says(message_of([&] { (void)read_matrix_market(write("a.mtx", head + "0 0 0\n"), -1); }),
              {"read_matrix_market: -1 items"});
  EXPECT_EQ(read_matrix_market(write("a.mtx", head + "0 0 0\n")).rows(), 0);
}

TEST_F(ReadSystems, NumbersAsTheFieldWritesThem) {
  std::string const real = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 ",
                    integer = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";
  auto const value = [&](std::string const& text) {
    return read_matrix_market(write("a.mtx", text)).values(0, 0);
  };
  // Exponents of double precision as in Fortran.
  EXPECT_EQ(value(real + "1.25D+00\n"), 1.25);
  EXPECT_EQ(value(real + "-1.25d-01"), -0.125);
  EXPECT_EQ(value(real + "+.5E1\r\n"), 5);
  EXPECT_EQ(value(integer + "+7\n"), 7);
  EXPECT_EQ(value(integer + "-7\n"), -7);
  // More than 64 bits: rounded like real numbers.
  EXPECT_EQ(value(integer + "18446744073709551616\n"), std::ldexp(1.0, 64));
  for (std::string const word : {"1.5", "1e3", "1D0", "-", "1-", ""})
    expect_says(said_of(integer + word + "\n"),
                {("bad.mtx:3: the value is an integer, not \"" + word + "\"").c_str()});

  // Too large numbers are an error. Too small ones are zero or the nearest denormal number.
  for (std::string const word : {"1e999", "-1D999", "1e309"})
    expect_says(said_of(real + word + "\n"),
                {("bad.mtx:3: the value \"" + word + "\" is too large for double").c_str()});
  EXPECT_EQ(value(real + "-1e-999\n"), 0);
  EXPECT_EQ(value(real + "4.9406564584124654D-324\n"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value(real + "2.2e-310\n"), 2.2e-310);
  auto const large = write("large.mtx", real + "-1e39\n");
  EXPECT_EQ(read_matrix_market(large).values(0, 0), -1e39);
  expect_says(said([&] { (void)read_matrix_market<float>(large); }),
              {"large.mtx:3: the value", "is too large for float"});
  expect_says(said([&] { (void)read_matrix_market<float>(std::vector<fs::path>{large}); }),
              {"large.mtx:3: the value", "is too large for float"});
  EXPECT_EQ(read_matrix_market<float>(write("a.mtx", real + "1e-60")).values(0, 0), 0.f);
}

/// The largest allocation of a View during a call, as reported to a tool.
struct LargestView {
  LargestView() : before(Kokkos::Tools::Experimental::get_callbacks()) {
    bytes() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Profiling::SpaceHandle, char const*, void const*, std::uint64_t size) {
          bytes() = std::max(bytes(), size);
        });
  }
  LargestView(LargestView const&) = delete;
  ~LargestView() { Kokkos::Tools::Experimental::set_callbacks(before); }
  static std::uint64_t& bytes() {
    static std::uint64_t b = 0;
    return b;
  }
  Kokkos::Tools::Experimental::EventSet before;
};

TEST_F(ReadSystems, SizesAreCheckedBeforeMemoryIsTaken) {
  LargestView const largest;
  for (std::string const symmetry : {"general", "symmetric"}) {
    std::string const real = "%%MatrixMarket matrix coordinate real " + symmetry + "\n",
                      pattern = "%%MatrixMarket matrix coordinate pattern " + symmetry + "\n";
    expect_says(said_of(real + "2000000000 2000000000 1\n1 1 1\n"),
                {"bad.mtx:2: 2000000000 rows with ", "a system has an entry in every row"});
    expect_says(said_of(real + "2000000000 2000000000 2000000000\n1 1 1\n"),
                {"bad.mtx:2: 2000000000 entries are announced", "bytes", "at most"});
    expect_says(said_of(real + "2 2 9223372036854775807\n1 1 1\n"),
                {"bad.mtx:2: 9223372036854775807 entries are announced"});
    expect_says(said_of(real + "2 2 9223372036854775808\n1 1 1\n"),
                {"bad.mtx:2: the number of entries is an integer"});
    expect_says(said_of(real + "-2 -2 2\n1 1 1\n"), {"bad.mtx:2: the sizes are out of range"});
    // The smallest files that contain all announced entries, and one more entry than they contain.
    EXPECT_EQ(text(read_matrix_market(write("a.mtx", real + "2 2 2\n1 1 1\n2 2 2")), 0),
              "0,0:1 1,1:2 ");
    auto const folder_of = [&](std::string const& said) {
      write("pattern.mtx", said);
      write("values.f64", std::string(16, '\0'));
    };
    folder_of(pattern + "2 2 2\n1 1\n2 2");
    EXPECT_EQ(read_systems(folder).rows(), 2);
    folder_of(pattern + "2000000000 2000000000 2000000000\n1 1\n");
    expect_says(said([&] { (void)read_systems(folder); }),
                {"pattern.mtx:2: 2000000000 entries are announced"});
    folder_of(pattern + "2000000000 2000000000 1\n1 1\n");
    expect_says(said([&] { (void)read_systems(folder); }), {"pattern.mtx:2: 2000000000 rows"});
  }
  // An entry of a symmetric matrix appears in two rows.
  EXPECT_EQ(text(read_matrix_market(write(
                     "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3")),
                 0),
            "0,1:3 1,0:3 ");
  expect_says(said_of("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3"),
              {"bad.mtx:2: 2 rows with 1 entries", "an entry in every row"});
  EXPECT_LE(LargestView::bytes(), 1024u);
}

TEST_F(ReadSystems, FilesThatEndAnywhere) {
  LargestView const largest;
  std::string const whole =
      "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 1.5D+00\n2 2 -2\n3 1 .5\n3 "
      "3 "
      "1e1\n";
  EXPECT_EQ(text(read_matrix_market(write("a.mtx", whole)), 0),
            "0,0:1.5 0,2:0.5 1,1:-2 2,0:0.5 2,2:10 ");
  for (std::size_t n = 0; n + 4 < whole.size(); ++n)
    expect_says(said_of(whole.substr(0, n)), {"Batchwork: ", "bad.mtx"});
  // Each byte replaced by another one.
  std::mt19937 random(7);
  for (int turn = 0; turn < 1000; ++turn) {
    std::string other = whole;
    other[random() % other.size()] = "0123456789-+.eDn \n\0%"[random() % 21];
    auto const file = write("bad.mtx", other);
    try {
      auto const s = read_matrix_market(file);
      EXPECT_NO_THROW(check(s.csr(), Diagonals::optional)) << other;
      for (std::size_t k = 0; k < s.values.extent(1); ++k)
        EXPECT_TRUE(std::isfinite(s.values(0, k))) << other;
    } catch (std::runtime_error const& e) {
      EXPECT_NE(std::string(e.what()).find("bad.mtx"), std::string::npos) << e.what();
    }
  }
  EXPECT_LE(LargestView::bytes(), 1024u);
}

TEST_F(ReadSystems, FoldersAreNoFiles) {
  fs::create_directories(folder / "a.mtx");
  expect_says(said([&] { (void)read_matrix_market(folder / "a.mtx"); }),
              {"a.mtx: is a folder, not a file"});
  expect_says(said([&] { (void)read_vectors(folder / "a.mtx", 2); }),
              {"a.mtx: is a folder, not a file"});
  fs::create_directories(folder / "pattern.mtx");
  expect_says(said([&] { (void)read_systems(folder); }), {"pattern.mtx: is a folder, not a file"});
  fs::remove(folder / "pattern.mtx");
  write("pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1");
  fs::create_directories(folder / "values.f64");
  expect_says(said([&] { (void)read_systems(folder); }), {"values.f64: is a folder, not a file"});
  expect_says(said([&] { (void)read_systems(folder / "pattern.mtx"); }),
              {"pattern.mtx/pattern.mtx: cannot be opened"});
  // A file whose length is not known is refused as well, because its announced size cannot be
  // checked.
  expect_says(said([&] { (void)read_vectors("/dev/zero", 2); }),
              {"/dev/zero: is not a regular file"});
}

TEST_F(ReadSystems, Folder) {
  std::string const head = "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n";
  auto const numbers = [](std::vector<double> const& x) {
    return std::string(reinterpret_cast<char const*>(x.data()), 8 * x.size());
  };
  write("pattern.mtx", head + "1 1\n1 2\n2 2\n");
  auto const values = write("values.f64", numbers({1, 2, 3, 4, 5, 6}));
  auto const s = read_systems(folder);
  EXPECT_EQ(s.items(), 2);
  EXPECT_EQ(text(s, 0), "0,0:1 0,1:2 1,1:3 ");
  EXPECT_EQ(text(s, 1), "0,0:4 0,1:5 1,1:6 ");
  auto const v = read_vectors<float>(values, 2);
  EXPECT_EQ(v.extent(0), 3u);
  EXPECT_EQ(v(2, 1), 6.f);

  write("values.f64", numbers({1, 2, 3, 4, -1e300, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(read_systems(folder).values(1, 1), -1e300);
  EXPECT_EQ(read_systems(folder).values(1, 2), std::numeric_limits<double>::infinity());
  expect_says(said([&] { (void)read_systems<float>(folder); }),
              {"values.f64: (item, number) (1, 1): -1e+300 is too large for float"});
  write("values.f64", numbers({1, 2, 3, 4}));
  expect_says(said([&] { (void)read_systems(folder); }),
              {"values.f64: has 4 numbers, not a multiple of those of an item, 3"});
  write("values.f64", "12345");
  expect_says(said([&] { (void)read_systems(folder); }), {"values.f64: has 5 bytes"});
  fs::remove(values);
  expect_says(said([&] { (void)read_systems(folder); }), {"values.f64: cannot be opened"});
  write("pattern.mtx", head + "1 1\n2 2\n1 2\n");
  expect_says(said([&] { (void)read_systems(folder); }),
              {"pattern.mtx:4: the entry comes too early", "sorted by row, then column"});
}

/// Verbs multiply by the data that were read. For the real matrices, A x = b must hold with a small
/// backward error.
TEST(ReadSystemsOfAFlame, SolveTheirEquations) {
#if defined(BATCHWORK_DRM19_DIR)
  fs::path const folder = BATCHWORK_DRM19_DIR;
  auto const s = read_systems(folder);
  ASSERT_EQ(s.rows(), 22);
  ASSERT_EQ(s.nonzeros(), 438);
  ASSERT_EQ(s.items(), 128);
  EXPECT_NO_THROW(check(s.csr()));
  auto const there = s.in<Space::memory_space>();
  for (std::string const kind : {"", "_ones"}) {
    auto const x = read_vectors(folder / ("x" + kind + ".f64"), 22);
    auto const b = read_vectors(folder / ("rhs" + kind + ".f64"), 22);
    auto const y = Kokkos::create_mirror_view_and_copy(Space::memory_space(), b);
    // y can be b itself if the verbs run on the host.
    auto const r = Kokkos::View<double**, Space>("r", 128, 22);
    Kokkos::deep_copy(r, y);
    auto const xs = Kokkos::create_mirror_view_and_copy(Space::memory_space(), x);
    multiply(-1, there.csr(), xs, 1, r);
    Kokkos::fence();
    auto const residual = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
    for (std::size_t n = 0; n < 128; ++n)
      for (std::size_t i = 0; i < 22; ++i) {
        double size = std::fabs(b(n, i));
        for (auto k = s.row_offsets(i); k < s.row_offsets(i + 1); ++k)
          size +=
              std::fabs(s.values(n, std::size_t(k)) * x(n, std::size_t(s.columns(std::size_t(k)))));
        // The solution is rounded once, and 22 products are added.
        ASSERT_LE(std::fabs(residual(n, i)), 26 * std::numeric_limits<double>::epsilon() * size)
            << n << " " << i;
      }
  }
#else
  GTEST_SKIP() << "the matrices are not there; configure with Batchwork_DRM19_DIR";
#endif
}

}  // namespace
}  // namespace Batchwork::Test
