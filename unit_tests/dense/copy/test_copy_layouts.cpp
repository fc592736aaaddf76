// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between every pair of arrangements, with and without transposition, number by number
// against a plain loop. Memory that does not belong to the batch (guards, gaps, lanes of a last
// group) must stay poisoned. Also tests, on hosts, the work of a team of a device lane by lane, and
// the copy that a host thread makes without a launch.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "support/Batchwork_Devices.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"

namespace Batchwork::Test {
namespace {

enum class Order {
  interleaved,
  item_contiguous,
  by_columns
};  // by_columns: item by item, column by column

/// An arrangement, independent of the extents.
struct Form {
  char const* name;
  Order order;
  int width;    ///< items in a group; 0: not compact
  int gap = 0;  ///< numbers left out after the same number of all items, or after an item and after
                ///< each of its rows or columns
  int step = 1;  ///< between neighbours
};

Form const forms[] = {
    {"interleaved", Order::interleaved, 0},
    {"interleaved with gaps", Order::interleaved, 0, 8},
    {"interleaved, every third number", Order::interleaved, 0, 1, 3},
    {"item-contiguous", Order::item_contiguous, 0},
    {"item-contiguous with gaps", Order::item_contiguous, 0, 4},
    {"columns", Order::by_columns, 0},
    {"columns, every other number", Order::by_columns, 0, 3, 2},
    {"compact 1", Order::item_contiguous, 1},
    {"compact 2", Order::item_contiguous, 2},
    {"compact 3", Order::item_contiguous, 3},
    {"compact 4", Order::item_contiguous, 4},
    {"compact 8", Order::item_contiguous, 8},
    {"compact 32", Order::item_contiguous, 32},
    {"compact 37", Order::item_contiguous, 37},
};

/// Items of m x n numbers in a form: the offset of each number, and the extent of an item.
struct FormStrides {
  Form form;
  std::int64_t items, m, n;
  std::int64_t item, row, col, span;

  FormStrides(Form const& f, std::int64_t items_, std::int64_t m_, std::int64_t n_)
      : form(f), items(items_), m(m_), n(n_) {
    if (f.width > 0) {
      item = m * n * f.width, row = n * f.width, col = f.width;
      span = (items + f.width - 1) / f.width * item;
    } else if (f.order == Order::interleaved) {
      item = f.step, row = items * f.step + f.gap, col = m * row;
      span = n * col;
    } else {
      bool const by_rows = f.order == Order::item_contiguous;
      row = by_rows ? n * f.step + f.gap : f.step;
      col = by_rows ? f.step : m * f.step + f.gap;
      item = (by_rows ? m * row : n * col) + f.gap;
      span = items * item;
    }
  }
  /// The offset of item k.
  std::int64_t operator()(std::int64_t k) const {
    return form.width > 0 ? k / form.width * item + k % form.width : k * item;
  }

  /// Calls f with the argument that a verb takes for this memory.
  template <class T, class Memory, class F>
  void with_operand(T* data, Memory, F const& f) const {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto const u = [](std::int64_t x) { return std::size_t(x); };
    if (form.width > 0) {
      Kokkos::View<T****, Kokkos::LayoutRight, Memory, Unmanaged> const v(
          data, u((items + form.width - 1) / form.width), u(m), u(n), u(form.width));
      f(compact(v, items));
    } else {
      f(Kokkos::View<T***, Kokkos::LayoutStride, Memory, Unmanaged>(
          data, Kokkos::LayoutStride(u(items), u(item), u(m), u(row), u(n), u(col))));
    }
  }
};

std::int64_t const guard = 64;

template <class T>
T number(std::size_t k) {
  return T(double(k % 65521));
}
template <class T>
T untouched() {
  return T(-3.0);
}

/// The size of a tile in bytes on the device with the least memory.
template <class T>
int smallest_stage() {
  int least = Impl::CopyTiles<T>::stage_bytes;
  for (auto const& device : devices())
    least = std::min(least, Impl::stage_of_copy<Impl::CopyTiles<T>>(device.limits));
  return least;
}

/// The work of the teams of a device, lane by lane.
template <class T>
void run_lane_by_lane(Impl::CopyTiles<T> const& kernel) {
  std::uint32_t const most = std::uint32_t(kernel.stage) / std::uint32_t(sizeof(T));
  std::vector<T> const blank(most, untouched<T>());
  std::vector<T> stage(most);
  T* const numbers = stage.data();
  for (std::int64_t k = 0; k < kernel.tiles; ++k) {
    auto const t = kernel.box(k);
    stage = blank;
    std::size_t read = 0, written = 0, outside = 0;
    for (std::uint32_t lane = 0; lane < kernel.lanes; ++lane)
      kernel.from.walk(t, lane, [&](T const* p, std::uint32_t place) {
        if (place < most) numbers[place] = *p;
        else ++outside;
        ++read;
      });
    for (std::uint32_t lane = 0; lane < kernel.lanes; ++lane)
      kernel.to.walk(t, lane, [&](T* p, std::uint32_t place) {
        if (place < most) *p = numbers[place];
        else ++outside;
        ++written;
      });
    ASSERT_EQ(outside, 0u);
    ASSERT_EQ(read, std::size_t(t.items) * t.rows * t.cols);
    ASSERT_EQ(written, read);
  }
}

template <class T>
void run_lane_by_lane(Impl::CopyRuns<T> const& kernel) {
  for (std::int64_t k = 0; k < kernel.tiles; ++k)
    for (std::uint32_t lane = 0; lane < kernel.lanes; ++lane)
      kernel.copy_words(std::uint32_t(k), lane);
}

template <class T>
class Copies {
 public:
  explicit Copies(std::size_t largest)
      : from_("from", largest),
        to_("to", largest),
        from_host_(Kokkos::create_mirror(from_)),
        to_host_(Kokkos::create_mirror(to_)),
        on_host_(largest),
        expected_(largest),
        blank_(largest, untouched<T>()) {
    for (std::size_t k = 0; k < largest; ++k) from_host_.data()[k] = number<T>(k);
    Kokkos::deep_copy(from_, from_host_);
  }

  /// Items that are m x n in `to`. The first number has the given offset from an address that is
  /// aligned to 16 bytes.
  void check(Form const& to_form, Form const& from_form, std::int64_t items, std::int64_t m,
             std::int64_t n, bool transposing, int behind) {
    FormStrides const to(to_form, items, m, n);
    FormStrides const from(from_form, items, transposing ? n : m, transposing ? m : n);
    std::int64_t const begin = guard + behind;
    std::int64_t const size = to.span + 2 * guard;
    SCOPED_TRACE(std::string(from_form.name) + " to " + to_form.name + ", " +
                 std::to_string(items) + " of " + std::to_string(m) + "x" + std::to_string(n) +
                 (transposing ? ", transposed" : "") + ", " + std::to_string(behind) + " behind");
    ASSERT_LE(std::size_t(size), to_.extent(0));
    ASSERT_LE(std::size_t(from.span + begin), from_.extent(0));

    // Whole blocks of memory are set and compared, which is fast at -O0 too.
    std::size_t const bytes = std::size_t(size) * sizeof(T);
    std::memcpy(expected_.data(), blank_.data(), bytes);
    std::int64_t const from_row = transposing ? from.col : from.row,
                       from_col = transposing ? from.row : from.col;
    for (std::int64_t k = 0; k < items; ++k)
      for (std::int64_t i = 0; i < m; ++i) {
        T* p = expected_.data() + begin + to(k) + i * to.row;
        T const* q = from_host_.data() + begin + from(k) + i * from_row;
        for (std::int64_t j = 0; j < n; ++j, p += to.col, q += from_col) *p = *q;
      }

    // Launches take most of the time on hosts, so these run only a part.
    if (Impl::runs_on_device<Space> || ++cases_ % 11 == 0) {
      auto const part = std::pair(std::size_t(0), std::size_t(size));
      Kokkos::deep_copy(Kokkos::subview(to_, part), untouched<T>());
      call(to, to_.data() + begin, from, from_.data() + begin, transposing, Memory(),
           [](auto const& a, auto const& b) { copy(a, b); });
      Kokkos::fence();
      Kokkos::deep_copy(Kokkos::subview(to_host_, part), Kokkos::subview(to_, part));
      ASSERT_EQ(std::memcmp(expected_.data(), to_host_.data(), bytes), 0);
    }
    if (items == 0) return;
    // Both kernels must be correct for every copy that they support, whichever is launched: by
    // runs, or by tiles of a given number of bytes.
    for (bool const lane_by_lane : {false, true})
      for (int const stage : {0, smallest_stage_, Impl::CopyTiles<T>::stage_bytes}) {
        std::memcpy(on_host_.data(), blank_.data(), bytes);
        bool done = true;
        call(to, on_host_.data() + begin, from, from_host_.data() + begin, transposing,
             Kokkos::HostSpace(), [&](auto const& a, auto const& b) {
               auto const x = Impl::stored(a);
               auto const y = Impl::stored(b);
               Impl::CopyProblem<T> const p{x.storage, y.storage.as_const(), items, x.rows, x.cols};
               auto const run = [&](auto const& kernel) {
                 done = kernel.tiles > 0;
                 if (lane_by_lane) run_lane_by_lane(kernel);
                 else
                   for (std::int64_t k = 0; k < kernel.tiles; ++k) kernel(k);
               };
               if (stage == 0) run(Impl::CopyRuns<T>(p));
               else run(Impl::CopyTiles<T>(p, stage));
             });
        if (done) {
          ASSERT_EQ(std::memcmp(expected_.data(), on_host_.data(), bytes), 0)
              << (lane_by_lane ? "lane by lane, " : "by threads, ") << stage << " bytes a tile";
        }
      }
  }

 private:
  using Memory = Space::memory_space;
  using Device = Kokkos::View<T*, Memory>;
  using Host = typename Device::host_mirror_type;

  template <class Mem, class F>
  static void call(FormStrides const& to, T* to_data, FormStrides const& from, T const* from_data,
                   bool transposing, Mem memory, F const& f) {
    to.with_operand(to_data, memory, [&](auto const& a) {
      from.with_operand(from_data, memory, [&](auto const& b) {
        if (transposing) f(a, transposed(b));
        else f(a, b);
      });
    });
  }

  Device from_, to_;
  Host from_host_, to_host_;
  std::vector<T> on_host_, expected_, blank_;
  int const smallest_stage_ = smallest_stage<T>();
  int cases_ = 0;
};

struct Extents {
  std::int64_t m, n;
};

/// Copies to a form from every form.
template <class T>
void check_all_to(Form const& to, std::vector<Extents> const& extents,
                  std::vector<std::int64_t> const& items) {
  std::int64_t largest = 0;
  for (auto const& e : extents)
    largest = std::max(largest, (3 * e.m + 8) * (3 * e.n + 8) * (items.back() + 40));
  Copies<T> copies{std::size_t(largest)};
  int count = 0;
  for (auto const& from : forms)
    for (auto const& e : extents)
      for (std::int64_t n : items)
        for (bool const transposing : {false, true}) {
          copies.check(to, from, n, e.m, e.n, transposing, ++count % 7 % 3);
          if (::testing::Test::HasFatalFailure()) return;
        }
}

/// Only one form to copy to, so that no test takes minutes under tools that watch every access.
class CopyTo : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Forms, CopyTo, ::testing::Range(0, int(std::size(forms))));

TEST_P(CopyTo, SmallMatrices) {
  check_all_to<float>(forms[GetParam()], {{1, 1}, {2, 2}, {3, 5}, {1, 9}, {7, 1}, {6, 6}, {7, 7}},
                      {0, 1, 31, 33, 300});
}
TEST_P(CopyTo, SmallMatricesOfDouble) {
  check_all_to<double>(forms[GetParam()], {{1, 1}, {4, 3}}, {1, 32, 1000});
}
/// For 48 x 48, a device with little scratch memory has a part of an item in a tile, others a whole
/// item.
TEST_P(CopyTo, LargeMatrices) {
  check_all_to<float>(forms[GetParam()], {{12, 12}, {16, 24}, {33, 31}, {48, 48}, {100, 3}},
                      {1, 33});
}
TEST_P(CopyTo, LargeMatricesOfDouble) {
  check_all_to<double>(forms[GetParam()], {{24, 16}, {65, 33}}, {5, 40});
}

// ---- the types of Views -------------------------------------------------------------------------

template <class View>
auto numbered(View const& v) {
  auto const h = Kokkos::create_mirror(v);
  for (std::size_t k = 0; k < h.size(); ++k) h.data()[k] = number<typename View::value_type>(k);
  Kokkos::deep_copy(v, h);
  return h;
}
template <class View>
auto host_copy(View const& v) {
  Kokkos::fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

TEST(CopyLayouts, MatricesOfStaticExtents) {
  Kokkos::View<float* [3][4], Kokkos::LayoutLeft> interleaved("interleaved", 101);
  Kokkos::View<float* [3][4], Kokkos::LayoutRight> rows("rows", 101);
  Kokkos::View<float* [4][3], Kokkos::LayoutRight> turned("turned", 101);
  Kokkos::View<float* [3][4][8], Kokkos::LayoutRight> groups("groups", 13);
  Kokkos::View<float const* [3][4], Kokkos::LayoutLeft> const source = interleaved;
  auto const p = numbered(interleaved);
  Kokkos::deep_copy(groups, untouched<float>());
  Space const exec;
  copy(exec, rows, source);
  copy(exec, transposed(turned), source);
  pack(exec, compact(groups, 101), rows);
  Kokkos::deep_copy(exec, interleaved, untouched<float>());
  unpack(exec, extents<3, 4>(interleaved), compact(groups, 101));
  auto const r = host_copy(rows);
  auto const back = host_copy(interleaved);
  auto const t = host_copy(turned);
  auto const g = host_copy(groups);
  for (std::size_t k = 0; k < 101; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        ASSERT_EQ(r(k, i, j), p(k, i, j));
        ASSERT_EQ(t(k, j, i), p(k, i, j));
        ASSERT_EQ(g(k / 8, i, j, k % 8), p(k, i, j));
        ASSERT_EQ(back(k, i, j), p(k, i, j));
      }
  EXPECT_EQ(g(12, 1, 1, 5), untouched<float>());  // a lane that belongs to no item
}

TEST(CopyLayouts, VectorsAndScalars) {
  Kokkos::View<int*, Space> a("a", 77), b("b", 77);
  Kokkos::View<int* [4], Kokkos::LayoutRight, Space> scalars("scalars", 20);
  Kokkos::View<int**, Kokkos::LayoutLeft, Space> x("x", 77, 5), z("z", 77, 5);
  Kokkos::View<int***, Kokkos::LayoutRight, Space> y("y", 20, 5, 4);
  auto const ha = numbered(a);
  auto const hx = numbered(x);
  pack(compact(scalars, 77), a);
  unpack(b, compact(scalars, 77));
  pack(compact(y, 77), x);
  unpack(z, compact(y, 77));
  auto const hb = host_copy(b);
  auto const hs = host_copy(scalars);
  auto const hy = host_copy(y);
  auto const hz = host_copy(z);
  for (std::size_t k = 0; k < 77; ++k) {
    ASSERT_EQ(hb(k), ha(k));
    ASSERT_EQ(hs(k / 4, k % 4), ha(k));
    for (std::size_t i = 0; i < 5; ++i) {
      ASSERT_EQ(hy(k / 4, i, k % 4), hx(k, i));
      ASSERT_EQ(hz(k, i), hx(k, i));
    }
  }
}

template <class T>
void check_type() {
  Kokkos::View<T***, Kokkos::LayoutLeft> interleaved("interleaved", 50, 6, 7);
  Kokkos::View<T***, Kokkos::LayoutRight> turned("turned", 50, 7, 6);
  auto const p = numbered(interleaved);
  copy(turned, transposed(interleaved));
  auto const t = host_copy(turned);
  for (std::size_t k = 0; k < 50; ++k)
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 7; ++j) ASSERT_EQ(t(k, j, i), p(k, i, j));
}
TEST(CopyLayouts, OtherNumbers) {
  check_type<unsigned char>();
  check_type<std::int64_t>();
  check_type<Kokkos::complex<double>>();
  check_type<std::complex<double>>();
}

/// Numbers of any size and alignment.
template <class Part, int Parts>
struct Record {
  Part part[Parts];

  Record() = default;
  explicit Record(double k) {
    for (int n = 0; n < Parts; ++n) part[n] = Part(3 * std::int64_t(k) + n);
  }
  bool operator==(Record const&) const = default;
};
TEST(CopyLayouts, Records) {
  check_type<Record<std::uint16_t, 1>>();
  check_type<Record<unsigned char, 3>>();
  check_type<Record<std::uint32_t, 2>>();
  check_type<Record<std::uint32_t, 3>>();
  check_type<Record<std::uint32_t, 4>>();
  check_type<Record<std::uint64_t, 2>>();
}

TEST(CopyLayouts, Divisors) {
  for (std::uint32_t d : {1u, 2u, 3u, 5u, 7u, 31u, 32u, 33u, 255u, 1000u, 4096u, 65535u})
    for (std::uint32_t n = 0; n < 65536; n += n < 5000 ? 1 : 17)
      ASSERT_EQ(Impl::QuickDivisor(d).quotient(n), n / d) << n << " / " << d;
}

// How many numbers are moved at the same time (none if tiles are transposed in scratch memory), for
// starts at, one and two numbers after a 16-byte boundary.
TEST(CopyLayouts, WordsAndRuns) {
  std::int64_t const items = 256, m = 4, n = 6;
  alignas(16) static float data[8];
  auto const storage = [&](Form const& f, int begin) {
    FormStrides const at(f, items, m, n);
    bool const grouped = f.width > 0;
    return Impl::Storage<float>{
        data + begin, grouped ? f.width : 1, at.item, grouped ? 1 : 0, at.row, at.col};
  };
  auto const together = [&](Form const& to, Form const& from, int begin) {
    Impl::CopyProblem<float> const p{storage(to, begin), storage(from, begin).as_const(), items, m,
                                     n};
    Impl::CopyRuns<float> const runs(p);
    return runs.tiles > 0 ? runs.together : 0;
  };
  Form const interleaved{"", Order::interleaved, 0}, item_contiguous{"", Order::item_contiguous, 0},
      columns{"", Order::by_columns, 0}, compact8{"", Order::item_contiguous, 8},
      compact32{"", Order::item_contiguous, 32}, compact3{"", Order::item_contiguous, 3};
  for (auto const& to : {interleaved, compact8, compact32})
    for (auto const& from : {interleaved, compact8, compact32}) {
      EXPECT_EQ(together(to, from, 0), 4);
      EXPECT_EQ(together(to, from, 1), 1);
      EXPECT_EQ(together(to, from, 2), 2);
    }
  EXPECT_EQ(together(item_contiguous, item_contiguous, 0), 4);
  EXPECT_EQ(together(item_contiguous, item_contiguous, 2), 2);
  for (auto const& to : {interleaved, compact8, compact32, item_contiguous}) {
    auto const& from =
        to.width == 0 && to.order == Order::item_contiguous ? columns : item_contiguous;
    EXPECT_EQ(together(to, from, 0), 0);
    EXPECT_EQ(together(from, to, 1), 0);
  }
  EXPECT_EQ(together(compact3, item_contiguous, 0), 0);
}

TEST(CopyLayouts, TilesFitEveryDevice) {
  auto const check = []<class T>(T) {
    using Kernel = Impl::CopyTiles<T>;
    for (auto const& device : devices()) {
      int const stage = Impl::stage_of_copy<Kernel>(device.limits);
      EXPECT_TRUE(
          launches(device, Kernel::wanted_teams, int(Kernel::lanes), std::size_t(stage) + 16))
          << device.name;
      EXPECT_GE(stage, 8000) << device.name;
      // The measured choice.
      if (device.limits.scratch_of_multiprocessor >= 160000) {
        EXPECT_EQ(stage, 20480) << device.name;
      }
      EXPECT_TRUE(launches(device, Impl::CopyRuns<T>::wanted_teams, Impl::CopyRuns<T>::lanes, 0));
    }
  };
  check(char());
  check(1.0f);
  check(1.0);
  check(Kokkos::complex<double>());
}

// No test machine has enough memory, so only the addresses of the last tile are computed.
TEST(CopyLayouts, OffsetsHave64Bits) {
  std::int64_t const items = 5'000'000'001, m = 3, n = 2;
  float* const data = reinterpret_cast<float*>(std::uintptr_t(1) << 44);
  Impl::Storage<float> const interleaved{data, 1, 1, 0, items, m * items};
  Impl::Storage<float const> const item_contiguous{data, 1, m * n, 0, n, 1};
  Impl::Storage<float const> const groups{data, 8, 8 * m * n, 1, 8 * n, 8};
  for (auto const& source : {item_contiguous, groups}) {
    Impl::CopyTiles<float> const kernel({interleaved, source, items, m, n});
    auto const t = kernel.box(kernel.tiles - 1);
    EXPECT_EQ(t.item + t.items, items);
    auto const offsets = [&](auto const& side) {
      std::vector<std::int64_t> all;
      for (std::uint32_t lane = 0; lane < kernel.lanes; ++lane)
        side.walk(t, lane, [&](float const* p, std::uint32_t) { all.push_back(p - data); });
      std::sort(all.begin(), all.end());
      return all;
    };
    auto const to = offsets(kernel.to), from = offsets(kernel.from);
    ASSERT_EQ(to.size(), t.items * m * n);
    EXPECT_EQ(to.front(), t.item);
    EXPECT_EQ(to.back(), m * n * items - 1);
    ASSERT_EQ(from.size(), t.items * m * n);
    EXPECT_EQ(from.front(), t.item * m * n);
    EXPECT_EQ(from.back(),
              source.width == 1 ? m * n * items - 1 : (items - 1) * m * n + 8 * (m * n - 1));
  }
}

// ---- misuse -------------------------------------------------------------------------------------

template <class Call>
void expect_refused(Call const& call, std::initializer_list<char const*> parts) {
  expect_says(message_of(call), parts);
}

using Matrices = Kokkos::View<double***, Kokkos::LayoutRight>;
using Groups = Kokkos::View<double****, Kokkos::LayoutRight>;

TEST(CopyLayouts, MisuseThrowsAndTouchesNothing) {
  Matrices to("to", 8, 3, 4);
  Kokkos::deep_copy(to, 7.0);
  Matrices const nine("nine", 9, 3, 4), wide("wide", 8, 4, 3);
  Groups const groups("groups", 2, 3, 4, 4), none("none", 2, 3, 4, 0);
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const null(
      nullptr, 8, 3, 4);
  expect_refused(
      [&] { copy(to, nine); },
      {"Batchwork::copy: operand 2, from(\"nine\") [View (9, 3, 4), tile 3x4] has 9 items",
       "operand 1, to(\"to\") [View (8, 3, 4), tile 3x4] has 8", "; give"});
  expect_refused([&] { copy(to, wide); },
                 {"operand 2, from(\"wide\") [View (8, 4, 3), tile 4x3] gives items of 4x3",
                  "operand 1, to(\"to\")", "takes items of 3x4", "; give", "transposed(view)"});
  expect_refused([&] { copy(to, transposed(to)); }, {"tile 4x3] gives items of 4x3"});
  expect_refused([&] { copy(to, null); }, {"operand 2, from(\"\")", "null", "; allocate it"});
  expect_refused([&] { copy(to, extents<4, 4>(wide)); },
                 {"operand 2, from(\"wide\")", "extents<...>", "; give"});
  expect_refused([&] { unpack(to, compact(groups, 9)); },
                 {"Batchwork::unpack: operand 2, from(\"groups\") [View (2, 3, 4, 4), tile 3x4]",
                  "has 2 groups", "compact(view, 9) needs 3 of 4 items", "; give"});
  expect_refused([&] { unpack(to, compact(groups, -1)); }, {"not negative"});
  expect_refused([&] { unpack(to, compact(none, 8)); }, {"of 0 items", "; give"});
  expect_refused([&] { pack(compact(groups, 9), nine); },
                 {"Batchwork::pack: operand 1, to(\"groups\")", "has 2 groups"});
  Kokkos::fence();
  auto const h = host_copy(to);
  for (std::size_t k = 0; k < h.size(); ++k) ASSERT_EQ(h.data()[k], 7.0);
}

TEST(CopyLayouts, OverlapsAreRefused) {
  Matrices const a("a", 8, 3, 3);
  auto const part = [&](int first, int last) {
    return Kokkos::subview(a, std::pair(first, last), Kokkos::ALL, Kokkos::ALL);
  };
  expect_refused([&] { copy(a, a); },
                 {"operand 1, to(\"a\")", "shares elements with operand 2, from(\"a\")", "; give"});
  expect_refused([&] { copy(a, transposed(a)); }, {"shares elements with"});
  expect_refused([&] { copy(part(0, 5), part(3, 8)); }, {"shares elements with"});
  EXPECT_NO_THROW(copy(part(0, 4), part(4, 8)));
}

TEST(CopyLayouts, NothingToCopyIsNoError) {
  Matrices const none("none", 0, 3, 4), never, thin("thin", 5, 0, 3), thinner("thinner", 5, 0, 3);
  Matrices const to("to", 0, 3, 4);
  EXPECT_NO_THROW(copy(to, none));
  EXPECT_NO_THROW(copy(thin, thinner));
  expect_refused([&] { copy(Matrices(), never); }, {"operand 1", "not allocated", "null"});
}

}  // namespace
}  // namespace Batchwork::Test
