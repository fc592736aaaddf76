// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batches of systems from files: what is read, and what is said of files that are not as they should be.
#include "krylov/Batchwork_ReadSystems.hpp"

#include <cstdio>

#include "krylov/Batchwork_CheckSystems.hpp"
#include "krylov/SystemsCase.hpp"
#include "support/Batchwork_Messages.hpp"

namespace Batchwork::Test {
namespace {

namespace fs = std::filesystem;

/// A folder that goes away with the test.
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

TEST_F(ReadSystems, SeveralFiles) {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n2 2 2\n";
  auto const a = write("a.mtx", head + "1 1 1\n2 2 2\n"),
             b = write("b.mtx", head + "2 2 4\n1 1 3\n");
  auto const s = read_matrix_market({a, b});
  EXPECT_EQ(text(s, 0), "0,0:1 1,1:2 ");
  EXPECT_EQ(text(s, 1), "0,0:3 1,1:4 ");

  auto const c = write("c.mtx", head + "1 1 1\n2 1 2\n");
  expect_says(said([&] { (void)read_matrix_market({a, c}); }),
              {"c.mtx:4: there is an entry (2, 1) where (2, 2) is the next one", "a.mtx"});
  auto const d = write("d.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n");
  expect_says(said([&] { (void)read_matrix_market({a, d}); }),
              {"d.mtx: has no entry (2, 2)", "a.mtx"});
  expect_says(said([&] { (void)read_matrix_market({d, a}); }),
              {"a.mtx:4: there is an entry (2, 2) too much", "d.mtx"});
  auto const e = write("e.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n");
  expect_says(said([&] { (void)read_matrix_market({a, e}); }), {"e.mtx: has 3 rows instead of 2"});
  expect_says(message_of([&] { (void)read_matrix_market(std::vector<fs::path>()); }), {"no files"});
}

TEST_F(ReadSystems, ErrorsNameTheLine) {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n";
  expect_says(said([&] { (void)read_matrix_market(folder / "none.mtx"); }),
              {"none.mtx: cannot be opened"});
  expect_says(said_of(""), {"bad.mtx", "begins with %%MatrixMarket"});
  expect_says(said_of("1 1 1\n"), {"bad.mtx:1: ", "begins with %%MatrixMarket"});
  expect_says(said_of("%%MatrixMarket matrix array real general\n"),
              {"bad.mtx:1: the format is \"array\"; what can be read: coordinate"});
  expect_says(said_of("%%MatrixMarket matrix coordinate complex general\n"),
              {"the field is \"complex\"; what can be read: real, integer, pattern"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real hermitian\n"),
              {"the symmetry is \"hermitian\""});
  expect_says(said_of("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
              {"a pattern without values"});
  expect_says(said_of(head + "% only this\n"), {"bad.mtx:2: the line of sizes is missing"});
  expect_says(said_of(head + "2 3 1\n1 1 1\n"),
              {"bad.mtx:2: ", "2 rows and 3 columns; systems are square"});
  expect_says(said_of(head + "2 x 1\n"),
              {"bad.mtx:2: the number of columns is an integer, not \"x\""});
  expect_says(said_of(head + "2 2 -1\n"), {"bad.mtx:2: the sizes are out of range"});
  expect_says(said_of(head + "2 2 2\n1 1 1\n"), {"bad.mtx:3: the file ends after 1 of 2 entries"});
  expect_says(said_of(head + "2 2 1\n1 1 1\n\n2 2 2\n"),
              {"bad.mtx:5: there are more entries than the 1"});
  expect_says(said_of(head + "2 2 1\n0 1 1\n"),
              {"bad.mtx:3: the row 0 is out of range, from 1 to 2"});
  expect_says(said_of(head + "2 2 1\n1 3 1\n"), {"bad.mtx:3: the column 3 is out of range"});
  expect_says(said_of(head + "2 2 1\n1 1\n"), {"bad.mtx:3: the value is a number, not \"\""});
  expect_says(said_of(head + "2 2 1\n1 1 1.5x\n"),
              {"bad.mtx:3: the value is a number, not \"1.5x\""});
  expect_says(said_of(head + "2 2 1\n1 1 +-1\n"), {"bad.mtx:3: ", "\"+-1\""});
  expect_says(said_of(head + "2 2 1\n1 1 1 9\n"),
              {"bad.mtx:3: there is more on the line", "\"9\""});
  expect_says(said_of(head + "2 2 3\n1 1 1\n2 2 1\n1 1 2\n"),
              {"bad.mtx:5: the entry (1, 1) is there twice, first on line 3"});
  expect_says(said_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
              {"bad.mtx:3: the entry is above the diagonal"});
  expect_says(message_of([&] { (void)read_matrix_market(write("a.mtx", head + "0 0 0\n"), -1); }),
              {"read_matrix_market: -1 items"});
  EXPECT_EQ(read_matrix_market(write("a.mtx", head + "0 0 0\n")).rows(), 0);
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

  write("values.f64", numbers({1, 2, 3, 4}));
  expect_says(said([&] { (void)read_systems(folder); }),
              {"values.f64: has 4 numbers, which are no whole items of 3"});
  write("values.f64", "12345");
  expect_says(said([&] { (void)read_systems(folder); }), {"values.f64: has 5 bytes"});
  fs::remove(values);
  expect_says(said([&] { (void)read_systems(folder); }), {"values.f64: cannot be opened"});
  write("pattern.mtx", head + "1 1\n2 2\n1 2\n");
  expect_says(said([&] { (void)read_systems(folder); }),
              {"pattern.mtx:4: the entry comes too early", "sorted by row, then column"});
}

/// What was read is multiplied by where the verbs run; for real matrices A x = b holds with a small backward error.
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
    // y may be b itself where the verbs run on the host.
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
        // The solution is rounded once, and 22 products are added up.
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
