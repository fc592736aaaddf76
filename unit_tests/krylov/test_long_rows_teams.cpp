// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that are longer than the storage of a lane: the scratch memory for the other entries, and
// products and solves with them, run on the host by teams of threads.
#include "krylov/ExactResidual.hpp"
#include "support/Batchwork_Devices.hpp"
#include "support/HostTeams.hpp"

namespace Batchwork::Test {
namespace {

using Impl::RestOfRows;
template <class T>
constexpr int in_registers = RestOfRows::in_registers(int(sizeof(T)));
template <class T>
using Held = Impl::LongRowsInRegisters<T, Impl::largest_team_of_a_system>;

/// Rows of the given lengths, with random columns.
Pattern with_lengths(Random& random, std::vector<int> const& lengths) {
  int const rows = int(lengths.size());
  Pattern p{rows, {}};
  for (int i = 0; i < rows; ++i) {
    std::vector<int> row{i};
    int wanted = lengths[std::size_t(i)] - 1, left = rows - 1;
    for (int j = 0; j < rows; ++j) {
      if (j == i) continue;
      if (random(0, 1) * left < wanted) {
        row.push_back(j);
        --wanted;
      }
      --left;
    }
    std::sort(row.begin(), row.end());
    p.columns.push_back(row);
  }
  return p;
}
/// Most rows have `usual` entries, every `each`th one `length`.
std::vector<int> lengths_of(int rows, int usual, int length, int each) {
  std::vector<int> lengths(static_cast<std::size_t>(rows), std::min(usual, rows));
  for (int i = each - 1; i < rows; i += each) lengths[std::size_t(i)] = std::min(length, rows);
  return lengths;
}

// ---- how much scratch ---------------------------------------------------------------------------

TEST(RestOfRows, HasRoomForWhateverRowsThereAre) {
  Random random(1);
  for (int test = 0; test < 3000; ++test) {
    int const rows = random.integer(1, 256);
    std::int64_t nonzeros = 0, widest = 0;
    std::vector<int> lengths;
    for (int i = 0; i < rows; ++i) {
      bool const is_long = random(0, 1) < 0.3;
      lengths.push_back(random.integer(1, is_long ? rows : std::min(rows, 40)));
      nonzeros += lengths.back();
      widest = std::max(widest, std::int64_t(lengths.back()));
    }
    for (std::int64_t w : {widest, std::int64_t(rows)})
      for (int length : {8, 16, 64, 256}) {
        std::int64_t pieces = 0;
        int const in_registers = length % 3 == 2 ? 48 : 64;
        for (int n : lengths)
          pieces += n > in_registers ? (n - in_registers + length - 1) / length : 0;
        ASSERT_LE(pieces, Impl::most_pieces(rows, nonzeros, w, length, in_registers))
            << rows << " rows, " << nonzeros << " entries, pieces of " << length;
      }
  }
  EXPECT_EQ(Impl::most_pieces(200, 200 * 64, 64, 8, 64), 0);
  EXPECT_EQ(Impl::most_pieces(60, 60 * 60, 60, 8, 64), 0);
  EXPECT_EQ(Impl::most_pieces(144, 144 * 144, 144, 8, 64), 144 * 10);
}

/// The number of teams on a multiprocessor is limited by registers only, and the rest of the rows
/// fills the remaining memory on the chip.
TEST(RestOfRows, FitsEveryDevice) {
  for (auto const& device : devices())
    for (int size : {4, 8})
      for (bool has_storage : {false, true})
        for (std::int64_t rows = 1; rows <= 256; ++rows)
          for (std::int64_t mean : {1, 20, 43, 52, 100, 256}) {
            std::int64_t const width = std::min(mean, rows);
            Impl::SolveChoice const rows_in_registers{Impl::SolveVariant::entries_64,
                                                      Impl::team_of_solve(rows, 1), 1};
            auto const how =
                with_rest(rows_in_registers, {rows, rows * width, rows, size, has_storage},
                          device.limits, true);
            auto const& rest = how.rest;
            ASSERT_EQ(rest.pieces > 0, rows > RestOfRows::in_registers(size));
            ASSERT_LE(rest.kept, rest.pieces);
            // The sums of pieces have 16-bit indices.
            ASSERT_LT(rest.pieces, 65536);
            std::size_t const bytes =
                std::size_t(how.bytes_of_matrices(rows, size)) + 16 +
                how.scratch(rows, size, true).numbers(true) * std::size_t(size);
            int const teams = Impl::teams_of_long_rows(how.lanes, size);
            if (std::string(device.name) == "a host") continue;
            ASSERT_TRUE(launches(device, teams, how.team(), bytes))
                << device.name << ", " << rows << " rows of " << width << ", " << bytes << " bytes";
            // At least as much as fits, up to rounding of sizes.
            std::int64_t const beside = std::int64_t(bytes) - how.bytes_of_matrices(rows, size);
            std::int64_t const room =
                (std::int64_t(device.limits.scratch(teams, how.team())) - beside) /
                (has_storage ? 2 : 1);
            if (rest.kept < rest.pieces) {
              ASSERT_GT(how.bytes_of_matrices(rows, size) + rest.length * (size + 1) + 64, room)
                  << device.name << ", " << rows << " rows of " << width << ", " << rest.pieces
                  << " pieces of " << rest.length << ", " << rest.kept << " kept";
            }
          }
}

TEST(RestOfRows, OfMechanismsIsOnTheChip) {
  auto const on = [](char const* name, std::int64_t rows, std::int64_t nonzeros, int size = 8) {
    for (auto const& d : devices())
      if (std::string(d.name) == name) {
        Impl::SolveChoice const how{Impl::SolveVariant::entries_64, Impl::team_of_solve(rows, 1),
                                    1};
        return with_rest(how, {rows, nonzeros, rows, size}, d.limits, true).rest;
      }
    return RestOfRows{};
  };
  for (auto const* name : {"H200, Kokkos 5.2", "A100, Kokkos 5.2"}) {
    EXPECT_EQ(on(name, 144, 6135).kept, on(name, 144, 6135).pieces) << name;
    EXPECT_EQ(on(name, 144, 6135).length, RestOfRows::shortest) << name;
  }
  // Room for at least half of the most pieces that these rows can have. They have a third of them.
  for (auto const* name : {"H200, Kokkos 4", "V100, Kokkos 5.2"})
    EXPECT_GE(on(name, 144, 6135).kept * 2, on(name, 144, 6135).pieces) << name;
  EXPECT_LT(on("H200, Kokkos 5.2", 256, 256 * 256).kept, 256 * 24);

  // Full matrices are stored on the chip if they fit.
  auto const chosen = [](char const* name, std::int64_t rows, std::int64_t width) {
    for (auto const& d : devices())
      if (std::string(d.name) == name)
        return on_chip_if_it_fits(Impl::choose_solve(rows, width, true, 4, true),
                                  {rows, rows * width, width, 8}, d.limits, true)
            .variant;
    return Impl::SolveVariant::functor;
  };
  EXPECT_EQ(chosen("H200, Kokkos 5.2", 144, 144), Impl::SolveVariant::entries_64);
  EXPECT_EQ(chosen("H200, Kokkos 4", 144, 144), Impl::SolveVariant::in_place);
  EXPECT_EQ(chosen("H200, Kokkos 5.2", 256, 256), Impl::SolveVariant::in_place);
  EXPECT_EQ(chosen("H200, Kokkos 5.2", 400, 100), Impl::SolveVariant::in_place);
  // Whole rows are split if six teams of two systems fit.
  for (int rows : {25, 33, Impl::Vendor::has_shuffles ? 54 : 52})
    EXPECT_EQ(chosen("H200, Kokkos 5.2", rows, rows), Impl::SolveVariant::columns_split);
  EXPECT_EQ(chosen("A100, Kokkos 5.2", 44, 44), Impl::SolveVariant::columns_split);
  EXPECT_EQ(chosen("A100, Kokkos 5.2", 54, 54), Impl::SolveVariant::columns_56);
  EXPECT_EQ(chosen("V100, Kokkos 4", 33, 33), Impl::SolveVariant::columns_split);
  EXPECT_EQ(chosen("V100, Kokkos 4", 54, 54), Impl::SolveVariant::columns_56);
}

// ---- products -----------------------------------------------------------------------------------

/// y = A x with and without a bound, b - A x in twice the precision, and the diagonal: the
/// functions of a lane's rows.
template <class T>
struct Products {
  Impl::AnySystems<T> a;
  Impl::Storage<T const> b;
  Impl::Storage<T> x;
  Impl::SystemScratch scratch;
  RestOfRows rest;
  int lanes;
  struct Of {
    T plain, bounded, size_squared, precise, rounding, diagonal;
    bool valid;
  };
  Of* to;

  std::size_t bytes() const {
    return scratch.numbers(Impl::Vendor::has_shuffles) * sizeof(T) +
           std::size_t(rest.bytes(lanes, sizeof(T))) + 16;
  }
  template <class Member>
  void operator()(Member const& member) const {
    auto* const numbers =
        static_cast<T*>(member.team_scratch(0).get_shmem_aligned(bytes() - 16, 16));
    using Matrix = Held<T>;
    Matrix matrix;
    Impl::LogPointers<T> const log;
    Impl::SolveItem<T> const item{b, x, member.league_rank(), true};
    Impl::SystemTeam<T, 1, true, Matrix, Member> at{member,  matrix,
                                                    item,    log,
                                                    scratch, member.team_rank(),
                                                    lanes,   a.rows,
                                                    numbers, numbers + scratch.of_system()};
    Impl::RowNumbers<T, 1> diagonal{};
    matrix.take(at, a, a.numbers(item.number), diagonal, rest,
                reinterpret_cast<char*>(numbers + scratch.numbers(Impl::Vendor::has_shuffles)));
    auto u = at.vector(), right = at.vector(), y = at.vector(), z = at.vector();
    at.load_x(u);
    at.load_b(right);
    // A sum is computed between two products.
    T parts[1] = {T(0)}, sum[1];
    Of of{};
    at.multiply(y, u);
    at.sum(parts, sum);
    of.size_squared = at.multiply_with_bound(z, u);
    at.sum(parts, sum);
    at.compensated_rows(right, u, [&](int, T value, T rounding) {
      of.precise = value;
      of.rounding = rounding;
    });
    of.plain = y(0);
    of.bounded = z(0);
    of.diagonal = diagonal(0);
    of.valid = matrix.valid;
    to[std::size_t(item.number) * std::size_t(lanes) + std::size_t(at.rank)] = of;
  }
};

template <class T>
struct LongRows : ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LongRows, Numbers);

/// Where the rest of such rows is: completely on the chip, in part, not at all, in long pieces, and
/// with unused space.
template <class T>
std::vector<RestOfRows> plans(Pattern const& p) {
  int const widest = p.width();
  if (widest <= in_registers<T>) return {RestOfRows{}};
  auto const most = [&](int length) {
    return int(Impl::most_pieces(p.rows, p.nonzeros(), widest, length, in_registers<T>));
  };
  return {{most(8), most(8), 8},
          {most(8), 3, 8},
          {most(8), 0, 8},
          {most(32), 5, 32},
          {most(8) + 100, most(8) + 50, 8}};
}

TYPED_TEST(LongRows, ProductsAndTheirBounds) {
  using T = TypeParam;
  Random random(2);
  std::int64_t const items = 2;
  long double constexpr u = epsilon<T> / 2;
  auto const look = [&](Pattern const& p, std::string const& what) {
    int const rows = p.rows, lanes = Impl::team_of_solve(rows, 1);
    Matrices<T> const a(p, items, Arranged::item_contiguous);
    ArrangedBatch<T> const x(items, rows, 1, Arranged::strided),
        b(items, rows, 1, Arranged::item_contiguous);
    // Numbers over several orders of magnitude, so that sums lose digits.
    for (std::int64_t n = 0; n < items; ++n)
      for (int i = 0; i < rows; ++i) {
        b.at(n, i, 0) = T(random());
        x.at(n, i, 0) = T(random() * std::pow(10.0, random(-3.0, 3.0)));
        for (int k = 0; k < int(p.columns[std::size_t(i)].size()); ++k)
          a.put(n, i, k, T(random() * std::pow(10.0, random(-3.0, 3.0))));
      }
    a.upload();
    b.upload();
    x.upload();
    auto const check = [&](Impl::AnySystems<T> const& systems, RestOfRows const& rest,
                           char const* format) {
      SCOPED_TRACE(what + ", " + format + ", " + std::to_string(rest.pieces) + " pieces, " +
                   std::to_string(rest.kept) + " kept, of " + std::to_string(rest.length));
      Impl::SolveChoice how{Impl::SolveVariant::entries_64, lanes, 1};
      std::vector<typename Products<T>::Of> to(std::size_t(items) * std::size_t(lanes));
      Products<T> const kernel{systems,
                               Impl::stored(vectors(b)).storage.as_const(),
                               Impl::stored(vectors(x)).storage,
                               how.scratch(rows, int(sizeof(T)), false),
                               rest,
                               lanes,
                               to.data()};
      run_teams(kernel, int(items), lanes, kernel.bytes());
      for (std::int64_t n = 0; n < items; ++n)
        for (int i = 0; i < rows; ++i) {
          auto const& of = to[std::size_t(n) * std::size_t(lanes) + std::size_t(i)];
          ASSERT_TRUE(of.valid) << i;
          ASSERT_EQ(of.diagonal, a.full.at(n, i, i)) << i;
          ExactSum product, residual;
          long double magnitudes = 0;
          residual.add(double(b.at(n, i, 0)));
          for (int j : p.columns[std::size_t(i)]) {
            double const entry = double(a.full.at(n, i, j)), v = double(x.at(n, j, 0));
            product.add_product(entry, v);
            residual.add_product(-entry, v);
            magnitudes += std::fabs(static_cast<long double>(entry) * v);
          }
          ASSERT_EQ(of.plain, of.bounded) << i;
          long double const size = std::sqrt(static_cast<long double>(of.size_squared)),
                            error = std::fabs(of.bounded - product.value());
          // The bound must hold. It is at most the bound for one addition after the other, or
          // slightly more if slots are empty.
          ASSERT_LE(error, 4 * u * size) << i;
          ASSERT_LE(size, (rows + in_registers<T> + 40) * magnitudes) << i;
          long double const precise = std::fabs(of.precise - residual.value());
          ASSERT_LE(precise, u * std::fabs(of.precise) + of.rounding) << i;
          ASSERT_LE(of.rounding,
                    100 * (rows + in_registers<T> + 40) * u * u *
                        (rows + in_registers<T>)*(magnitudes + std::fabs(b.at(n, i, 0))))
              << i;
        }
    };
    auto const all = plans<T>(p);
    for (auto const& rest : all) check(Impl::AnySystems<T>(a.csr().systems()), rest, "csr");
    check(Impl::AnySystems<T>(a.ell().systems()), all[0], "ell");
    if (p.nonzeros() == p.rows * p.rows) {
      check(Impl::AnySystems<T>(a.dense().systems()), all[0], "dense");
      check(Impl::AnySystems<T>(a.dense().systems()), all.back(), "dense");
    }
  };
  // Rows with up to twice as many entries as lanes hold, and full rows; some long rows, or only
  // long rows; teams of 64 to 256 lanes.
  for (int length :
       {in_registers<T> - 1, in_registers<T>, in_registers<T> + 1, 2 * in_registers<T>, 144})
    for (int each : {20, 1}) {
      if (each == 1 && length < 2 * in_registers<T> && length != in_registers<T> + 1) continue;
      look(with_lengths(random, lengths_of(144, 25, length, each)),
           "144 rows, each " + std::to_string(each) + "th of " + std::to_string(length));
    }
  look(full_pattern(65), "65 full rows");
  look(full_pattern(64), "64 full rows");
  look(with_lengths(random, lengths_of(256, 5, 256, 9)), "256 rows");
  look(with_lengths(random, lengths_of(97, 1, 97, 90)), "97 rows, one of them full");
  look(tridiagonal(70), "70 short rows");
}

/// Lanes that read the vector at the same time use different banks, except for the last slots.
TYPED_TEST(LongRows, BanksDiffer) {
  using T = TypeParam;
  Random random(3);
  constexpr int banks = 128 / int(sizeof(T));
  auto const slots = [&](Pattern const& p) {
    int const lanes = Impl::team_of_solve(p.rows, 1);
    Matrices<T> const a(p, 1, Arranged::item_contiguous);
    a.randomise(random);
    Impl::AnySystems<T> const systems(a.csr().systems());
    // The numbers that the slots of each lane read.
    std::vector<std::vector<int>> columns(static_cast<std::size_t>(lanes));
    ArrangedBatch<T> const x(1, p.rows, 1, Arranged::item_contiguous);
    struct Kernel : Products<T> {
      std::vector<std::vector<int>>* columns;
      void operator()(HostMember const& member) const {
        using Matrix = Held<T>;
        auto* const numbers =
            static_cast<T*>(member.team_scratch(0).get_shmem_aligned(this->bytes() - 16, 16));
        Matrix matrix;
        Impl::LogPointers<T> const log;
        Impl::SolveItem<T> const item{this->b, this->x, 0, true};
        Impl::SystemTeam<T, 1, true, Matrix, HostMember> at{
            member,        matrix,
            item,          log,
            this->scratch, member.team_rank(),
            this->lanes,   this->a.rows,
            numbers,       numbers + this->scratch.of_system()};
        Impl::RowNumbers<T, 1> diagonal{};
        matrix.take(
            at, this->a, this->a.numbers(0), diagonal, this->rest,
            reinterpret_cast<char*>(numbers + this->scratch.numbers(Impl::Vendor::has_shuffles)));
        auto& mine = (*columns)[std::size_t(at.rank)];
        for (int s = 0; s < matrix.slots; ++s)
          mine.push_back(
              int((s % 2 == 0 ? matrix.places[s / 2] & 0xffffu : matrix.places[s / 2] >> 16) /
                  sizeof(T)));
      }
    };
    Impl::SolveChoice const how{Impl::SolveVariant::entries_64, lanes, 1};
    Kernel const kernel{{systems,
                         Impl::stored(vectors(x)).storage.as_const(),
                         Impl::stored(vectors(x)).storage,
                         how.scratch(p.rows, int(sizeof(T)), false),
                         {},
                         lanes,
                         nullptr},
                        &columns};
    run_teams(kernel, 1, lanes, kernel.bytes());
    return columns;
  };
  // How often scratch memory is read in total, if lanes read the k-th number of each list at the
  // same time.
  auto const turns = [&](std::vector<std::vector<int>> const& lists) {
    int all = 0;
    for (std::size_t first = 0; first < lists.size(); first += banks)
      for (std::size_t k = 0; k < std::size_t(in_registers<T>); ++k) {
        std::vector<std::vector<int>> of_bank(static_cast<std::size_t>(banks));
        std::size_t most = 0;
        for (std::size_t l = first; l < std::min(first + banks, lists.size()); ++l) {
          if (k >= lists[l].size()) continue;
          auto& bank = of_bank[std::size_t(lists[l][k] % banks)];
          // The same number is read only once.
          if (std::find(bank.begin(), bank.end(), lists[l][k]) == bank.end())
            bank.push_back(lists[l][k]);
          most = std::max(most, bank.size());
        }
        all += int(most);
      }
    return all;
  };
  auto const p = with_lengths(random, lengths_of(144, 25, 100, 5));
  auto by_columns = p.columns;
  for (auto& row : by_columns) row.resize(std::min(row.size(), std::size_t(in_registers<T>)));
  // Many of the 32 banks are unused for float in any case.
  if (sizeof(T) == 8) {
    EXPECT_LE(turns(slots(p)), 0.95 * turns(by_columns));
  }
  EXPECT_EQ(turns(slots(full_pattern(64))), 64 / banks * in_registers<T>);
}

// ---- solves -------------------------------------------------------------------------------------

template <class T>
HostLog<T> solve_on_teams(Matrices<T> const& a, Impl::AnySystems<T> const& systems,
                          RestOfRows const& rest, ArrangedBatch<T> const& b,
                          ArrangedBatch<T> const& x, double tolerance) {
  auto const log = SolveLog<T>::allocated(a.items);
  using Problem = Impl::SolveProblem<T, Bicgstab, Jacobi, Impl::AnySystems<T>>;
  Impl::SolveChoice how{Impl::SolveVariant::entries_64, Impl::team_of_solve(a.pattern.rows, 1), 1};
  how.rest = rest;
  Impl::SolveTeams<T, Problem, Held<T>, 1, true> const kernel(
      Problem{bicgstab(relative(tolerance, 100)), jacobi(), systems,
              Impl::stored(vectors(b)).storage.as_const(), Impl::stored(vectors(x)).storage,
              Impl::LogPointers<T>(log), a.items},
      how);
  run_teams(kernel, int(kernel.teams()), how.team(), kernel.bytes());
  x.download();
  return HostLog<T>(log);
}

TYPED_TEST(LongRows, Solves) {
  using T = TypeParam;
  Random random(4);
  std::int64_t const items = 2;
  for (int length : {in_registers<T> + 1, 100}) {
    Matrices<T> const a(with_lengths(random, lengths_of(100, 20, length, 5)), items,
                        Arranged::item_contiguous);
    ArrangedBatch<T> const b(items, 100, 1, Arranged::item_contiguous),
        x(items, 100, 1, Arranged::strided);
    for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false, 3);
    a.upload();
    b.randomise(random);
    for (auto const& rest : plans<T>(a.pattern)) {
      x.randomise(random);
      auto const outside = x.poisoned();
      auto const said =
          solve_on_teams(a, Impl::AnySystems<T>(a.csr().systems()), rest, b, x, usual_tolerance<T>);
      EXPECT_EQ(x.poisoned(), outside);
      for (std::int64_t n = 0; n < items; ++n) {
        ASSERT_EQ(said.reason(n), Reason::success) << to_string(said.reason(n));
        expect_honest(said, n, residual_truth(a.full, n, x, b), usual_tolerance<T>);
      }
    }
  }
}

/// Full matrices over twelve orders of magnitude, with a tolerance near the rounding errors:
/// converged items must meet it.
TYPED_TEST(LongRows, ConvergedIsTrue) {
  using T = TypeParam;
  Random random(5);
  std::int64_t const items = 8;
  int const rows = 70;
  Matrices<T> const a(full_pattern(rows), items, Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous);
  bool const wide = sizeof(T) == 8;
  put_badly_scaled(a.full, b, random, wide ? 9 : 4, wide ? 2 : 0.5);
  double const tolerance = wide ? 1e-12 : 1e-5;
  for (auto const& rest : {plans<T>(a.pattern)[0], plans<T>(a.pattern)[1]}) {
    x.fill(T(0));
    auto const said =
        solve_on_teams(a, Impl::AnySystems<T>(a.dense().systems()), rest, b, x, tolerance);
    for (std::int64_t n = 0; n < items; ++n) {
      auto const t = exact_norms(a.full, b, x, n);
      if (said.reason(n) == Reason::success) {
        EXPECT_LE(t.residual, tolerance * t.right_side) << n;
      }
      EXPECT_LE(t.residual, t.right_side * (1 + 4 * epsilon<T>)) << n;
    }
  }
}

TYPED_TEST(LongRows, FaultsInTheRest) {
  using T = TypeParam;
  Random random(6);
  std::int64_t const items = 3;
  int const rows = 80, last = rows - 1;
  Matrices<T> const a(with_lengths(random, lengths_of(rows, 10, rows, 16)), items,
                      Arranged::item_contiguous);
  ArrangedBatch<T> const b(items, rows, 1, Arranged::item_contiguous),
      x(items, rows, 1, Arranged::item_contiguous),
      clean(items, rows, 1, Arranged::item_contiguous);
  for (std::int64_t n = 0; n < items; ++n) put_dominant(a, n, random, false, 3);
  a.upload();
  b.randomise(random);
  ASSERT_EQ(int(a.pattern.columns[std::size_t(last)].size()), rows);
  auto const csr_systems = Impl::AnySystems<T>(a.csr().systems());
  for (auto const& rest : {plans<T>(a.pattern)[0], plans<T>(a.pattern)[2]}) {
    SCOPED_TRACE(rest.kept);
    clean.fill(T(0));
    auto const before = solve_on_teams(a, csr_systems, rest, b, clean, usual_tolerance<T>);
    // A NaN in the last entry affects only that item.
    T const kept = a.full.at(1, last, last - 3);
    a.put(1, last, last - 3, std::numeric_limits<T>::quiet_NaN());
    a.upload();
    x.fill(T(0));
    auto const said = solve_on_teams(a, csr_systems, rest, b, x, usual_tolerance<T>);
    EXPECT_EQ(said.reason(1), Reason::not_finite) << to_string(said.reason(1));
    for (std::int64_t n : {0, 2}) {
      EXPECT_EQ(said.reason(n), Reason::success);
      EXPECT_EQ(said.iterations(n), before.iterations(n));
      for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), clean.at(n, i, 0));
    }
    a.put(1, last, last - 3, kept);
    a.upload();
    // Columns out of range, in all items.
    std::vector<int> columns;
    for (auto const& row : a.pattern.columns) columns.insert(columns.end(), row.begin(), row.end());
    for (int fault : {rows, -1, 2147483647}) {
      auto wrong = columns;
      wrong[wrong.size() - 5] = fault;
      auto const matrices =
          csr(a.row_offsets, indices_of<int>("columns", wrong), vectors(a.values));
      x.fill(T(7));
      auto const refused = solve_on_teams(a, Impl::AnySystems<T>(matrices.systems()), rest, b, x,
                                          usual_tolerance<T>);
      for (std::int64_t n = 0; n < items; ++n) {
        EXPECT_EQ(refused.reason(n), Reason::invalid_pattern) << fault;
        for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), T(7));
      }
    }
  }
  // Rows that are longer than planned.
  for (auto const& rest : {RestOfRows{}, RestOfRows{3, 3, 8}, RestOfRows{3, 0, 8}}) {
    x.fill(T(7));
    auto const refused = solve_on_teams(a, csr_systems, rest, b, x, usual_tolerance<T>);
    for (std::int64_t n = 0; n < items; ++n) {
      EXPECT_EQ(refused.reason(n), Reason::invalid_pattern) << rest.pieces;
      for (int i = 0; i < rows; ++i) ASSERT_EQ(x.at(n, i, 0), T(7));
    }
  }
}

}  // namespace
}  // namespace Batchwork::Test
