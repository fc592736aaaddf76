// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code that docs/reference/integers.md shows. This program runs it and compares its results
// with plain loops.
#include <Batchwork.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>

using namespace Batchwork;

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int items = 21, steps = 7, points = 12, intervals = 8;

int wrong = 0;
void expect(bool good, char const* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}
/// Numbers f(k) in a View's memory.
template <class View, class F>
void fill(View const& v, F const& f) {
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), v);
  for (std::size_t k = 0; k < host.span(); ++k)
    host.data()[k] = static_cast<typename View::value_type>(f(int(k)));
  Kokkos::deep_copy(v, host);
}
template <class View>
auto on_host(View const& v) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
}

/// A pulse lasts some steps, and begins again after every period.
struct Pulse {
  template <class Y, class Phase, class Period, class Length>
  KOKKOS_FUNCTION void operator()(Y& y, Phase const& phase, Period const& period,
                                  Length const& length) const {
    auto const at = phase % period;
    y = select(at < length, 1.0 - as<double>(at) / length, 0.0 * at);
  }
};

void use_an_integer(Exec const& exec) {
  Kokkos::View<double*> const y("y", items);
  Kokkos::View<int*> const phase("phase", items), period("period", items);
  fill(phase, [](int k) { return 3 * k; });
  fill(period, [](int k) { return 4 + k % 3; });
  map(exec, Pulse{}, out(y), in(phase), in(period), common(fixed(3)));
  auto const host = on_host(y);
  for (int k = 0; k < items; ++k) {
    int const at = 3 * k % (4 + k % 3);
    expect(host(std::size_t(k)) == (at < 3 ? 1.0 - at / 3.0 : 0.0), "pulse");
  }
}

/// Items that are not active stay as they are.
struct Step {
  template <class X, class Count, class Active, class V>
  KOKKOS_FUNCTION void operator()(X& x, Count& count, Active& active, V const& v) const {
    x = select(active, x + v, x);
    count = select(active, count + 1, count);
    active = active && x < 2.0;
  }
};

void use_a_bool(Exec const& exec) {
  Kokkos::View<double*> const x("x", items), v("v", items);
  Kokkos::View<int*> const count("count", items);
  Kokkos::View<bool*> const active("active", items);
  fill(x, [](int k) { return 0.125 * k; });
  fill(v, [](int) { return 0.5; });
  fill(active, [](int k) { return k % 4 != 0; });
  map(exec, Step{}, inout(x), inout(count), inout(active), in(v));
  auto const host_x = on_host(x);
  auto const host_count = on_host(count);
  auto const host_active = on_host(active);
  for (int k = 0; k < items; ++k) {
    auto const q = std::size_t(k);
    bool const was = k % 4 != 0;
    expect(host_x(q) == 0.125 * k + (was ? 0.5 : 0.0), "x");
    expect(host_count(q) == int(was), "count");
    expect(host_active(q) == (was && host_x(q) < 2.0), "active");
  }
}

/// How many numbers of a series are above a level, and the last step at which one was.
struct CountAbove {
  template <class Count, class Last, class X, class Level, class T>
  KOKKOS_FUNCTION void operator()(Count& count, Last& last, X const& x, Level const& level,
                                  T const& step) const {
    auto const above = x > level;
    count = select(above, count + 1, count);
    last = select(above, step, last);
  }
};

void count_steps(Exec const& exec) {
  Kokkos::View<int*> const counts("counts", items);
  Kokkos::View<std::int64_t*> const last("last", items);
  Kokkos::View<double**> const x("x", items, steps);
  fill(x, [](int k) { return std::sin(double(k)); });
  scan(exec, steps, CountAbove{}, carry(common(fixed(0)), counts),
       carry(common(fixed(std::int64_t(-1))), last), each(x), common(fixed(0.5)), step_index());
  auto const host = on_host(counts);
  auto const host_last = on_host(last);
  auto const host_x = on_host(x);
  for (std::size_t k = 0; k < items; ++k) {
    int count = 0, latest = -1;
    for (int t = 0; t < steps; ++t)
      if (host_x(k, std::size_t(t)) > 0.5) ++count, latest = t;
    expect(host(k) == count && host_last(k) == latest, "steps above a level");
  }
}

/// The mean of a field at the four corners of an element.
struct MeanOfCorners {
  template <class Y, class C, class Field>
  KOKKOS_FUNCTION void operator()(Y& y, C const& corners, Field const& field) const {
    auto sum = field(element(corners, 0));
    for (int i = 1; i < 4; ++i) sum += field(element(corners, i));
    y = sum / 4;
  }
};

void look_up_a_table(Exec const& exec) {
  Kokkos::View<double*> const mean("mean", items), field("field", points);
  Kokkos::View<int* [4]> const corners("corners", items);
  Kokkos::View<int*> const codes("codes", items);
  fill(field, [](int k) { return k * k; });
  fill(corners, [](int k) { return k == 3 ? points : k % points; });
  map(exec, MeanOfCorners{}, out(mean), in(corners), table(field), status(codes));
  auto const host = on_host(mean);
  auto const host_corners = on_host(corners);
  auto const host_codes = on_host(codes);
  for (std::size_t k = 0; k < items; ++k) {
    double sum = 0;
    bool inside = true;
    for (std::size_t i = 0; i < 4; ++i) {
      int const c = host_corners(k, i);
      sum += c * c;
      inside = inside && c < points;
    }
    if (inside) expect(host(k) == sum / 4 && host_codes(k) == 0, "mean of corners");
    else
      expect(std::isnan(host(k)) && Status::reason(host_codes(k)) == Reason::out_of_range,
             "a corner that the field does not have");
  }
}

/// A curve given at 0, 1, 2, ..., straight between these and constant beyond them.
struct Interpolate {
  template <class Y, class X, class Curve>
  KOKKOS_FUNCTION void operator()(Y& y, X const& x, Curve const& curve) const {
    auto const inside = min(max(x, 0.0), double(intervals));
    auto const k = min(to_integer<std::int32_t>(inside), intervals - 1);
    auto const left = curve(k);
    y = left + (inside - k) * (curve(k + 1) - left);
  }
};

void interpolate(Exec const& exec) {
  Kokkos::View<double*> const y("y", items), x("x", items), curve("curve", intervals + 1);
  fill(x, [](int k) { return 0.5 * k - 1.0; });
  fill(curve, [](int k) { return k * k; });
  map(exec, Interpolate{}, out(y), in(x), table(curve));
  auto const host = on_host(y);
  for (int n = 0; n < items; ++n) {
    double const at = std::fmin(std::fmax(0.5 * n - 1.0, 0.0), double(intervals));
    int const k = at < intervals ? int(at) : intervals - 1;
    expect(host(std::size_t(n)) == k * k + (at - k) * (2 * k + 1), "interpolation");
  }
}

/// Stiffness by material, and a matrix for each.
struct Stress {
  template <class Y, class Material, class Stiffness, class Strain>
  KOKKOS_FUNCTION void operator()(Y& y, Material const& material, Stiffness const& stiffness,
                                  Strain const& strain) const {
    y = stiffness(material) * strain;
  }
};

void look_up_a_matrix(Exec const& exec) {
  Kokkos::View<double* [2]> const stress("stress", items), strain("strain", items);
  Kokkos::View<double* [2][2]> const stiffness("stiffness", 3);
  Kokkos::View<std::int64_t*> const material("material", items);
  fill(strain, [](int k) { return k; });
  fill(stiffness, [](int k) { return 1 + k; });
  fill(material, [](int k) { return k % 3; });
  map(exec, Stress{}, out(stress), in(material), table(stiffness), in(strain));
  auto const host = on_host(stress);
  auto const e = on_host(strain);
  auto const s = on_host(stiffness);
  for (std::size_t k = 0; k < items; ++k)
    for (std::size_t i = 0; i < 2; ++i)
      expect(host(k, i) == s(k % 3, i, 0) * e(k, 0) + s(k % 3, i, 1) * e(k, 1), "stress");
}

/// Starting points on a grid, row by row.
struct OnGrid {
  int columns;
  template <class X, class Item>
  KOKKOS_FUNCTION void operator()(X& x, Item const& item) const {
    auto const row = item / columns, column = item % columns;
    x = generate<2>([&](int i) { return 0.25 * (i == 0 ? row : column); });
  }
};

void know_the_item(Exec const& exec) {
  Kokkos::View<double* [2]> const x("x", items);
  map(exec, OnGrid{5}, out(x), item_index());
  auto const host = on_host(x);
  for (std::size_t k = 0; k < items; ++k)
    expect(host(k, 0) == 0.25 * double(k / 5) && host(k, 1) == 0.25 * double(k % 5), "grid");
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  Exec const exec;
  use_an_integer(exec);
  use_a_bool(exec);
  count_steps(exec);
  look_up_a_table(exec);
  interpolate(exec);
  look_up_a_matrix(exec);
  know_the_item(exec);
  return wrong == 0 ? 0 : 1;
}
