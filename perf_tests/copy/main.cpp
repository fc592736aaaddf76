// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between every pair of arrangements, as they are and transposed. The floor is a streaming
// copy of as many bytes, measured in the same run.

#include <string>
#include <vector>

#include "../common/Data.hpp"
#include "../common/Report.hpp"

namespace BatchworkPerf {
namespace {

/// An arrangement: interleaved, item-contiguous, or groups of `width` items.
struct Form {
  std::string name;
  Layout layout;
  int width = 1;
};

/// Square matrices in a form. All extents are known at run time only, so that there are few
/// kernels.
template <class T>
struct Matrices {
  Form form;
  std::int64_t items;
  int D;
  Kokkos::View<T*, Memory> numbers;

  Matrices(std::string const& label, Form const& f, std::int64_t n, int d)
      : form(f),
        items(n),
        D(d),
        numbers(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                static_cast<std::size_t>(n * d * d)) {}

  /// Calls f with what a verb takes.
  template <class F>
  void with_operand(F const& f) const {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto const n = static_cast<std::size_t>(items), d = static_cast<std::size_t>(D),
               w = static_cast<std::size_t>(form.width);
    if (form.layout == Layout::interleaved)
      f(Kokkos::View<T***, Kokkos::LayoutLeft, Memory, Unmanaged>(numbers.data(), n, d, d));
    else if (form.layout == Layout::item_contiguous)
      f(Kokkos::View<T***, Kokkos::LayoutRight, Memory, Unmanaged>(numbers.data(), n, d, d));
    else
      f(Batchwork::compact(Kokkos::View<T****, Kokkos::LayoutRight, Memory, Unmanaged>(
                               numbers.data(), n / w, d, d, w),
                           items));
  }
};

/// Where entry (i, j) of item n is: strides of the check's own.
struct Strides {
  std::int64_t width, group, lane, row, col;

  template <class T>
  explicit Strides(Matrices<T> const& m) {
    std::int64_t const D = m.D;
    bool const interleaved = m.form.layout == Layout::interleaved;
    width = interleaved ? m.items : m.form.width;
    group = width * D * D;
    lane = 1;
    row = interleaved ? m.items : width * D;
    col = interleaved ? m.items * D : width;
  }
  KOKKOS_FUNCTION std::int64_t at(std::int64_t n, std::int64_t i, std::int64_t j) const {
    return n / width * group + n % width * lane + i * row + j * col;
  }
};

template <class T>
struct Fill {
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = static_cast<T>(uniform(1, static_cast<std::uint64_t>(k)));
  }
};

template <class T>
struct CountWrong {
  T const *to, *from;
  Strides to_strides, from_strides;
  int D;
  bool transposing;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& wrong) const {
    std::int64_t const n = k / (D * D), i = k % (D * D) / D, j = k % D;
    T const expected = from[transposing ? from_strides.at(n, j, i) : from_strides.at(n, i, j)];
    wrong += to[to_strides.at(n, i, j)] != expected;
  }
};

template <class T>
void copy_matrices(benchmark::State& state, Form const& from_form, Form const& to_form, int D,
                   bool transposing, std::int64_t items) {
  Matrices<T> const from("from", from_form, items, D), to("to", to_form, items, D);
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(0, items * D * D);
  Kokkos::parallel_for("fill", all, Fill<T>{from.numbers.data()});
  Kokkos::deep_copy(to.numbers, T(-1));
  Exec const exec;
  to.with_operand([&](auto const& a) {
    from.with_operand([&](auto const& b) {
      auto const launch = [&] {
        if (transposing) Batchwork::copy(exec, a, Batchwork::transposed(b));
        else Batchwork::copy(exec, a, b);
      };
      launch();
      std::int64_t wrong = 0;
      Kokkos::parallel_reduce("check", all,
                              CountWrong<T>{to.numbers.data(), from.numbers.data(), Strides(to),
                                            Strides(from), D, transposing},
                              wrong);
      for (auto _ : state) {
        if (wrong > 0) {
          state.SkipWithError(("wrong result: " + std::to_string(wrong) + " numbers").c_str());
          return;
        }
        Work work;
        work.items = items;
        work.bytes = 2.0 * static_cast<double>(items) * sizeof(T) * D * D;
        report<T>(state, work, measure(launch, 1e-3), 0);
      }
    });
  });
}

/// copy/batchwork/<plain or transposed>/<type>/<from>/<to>/D:<D>/items:<n>, in and out 512 MB on a
/// device, 64 MB on a host.
template <class T>
void register_copies() {
  int const native = Batchwork::Impl::native_width<T>;
  std::vector<Form> forms{{"interleaved", Layout::interleaved},
                          {"item-contiguous", Layout::item_contiguous}};
  if (on_device) {
    forms.push_back({"compact8", Layout::compact, 8});
    forms.push_back({"compact32", Layout::compact, 32});
  } else {
    forms.push_back({"compact" + std::to_string(native), Layout::compact, native});
  }
  std::int64_t const numbers = (on_device ? 268435456 : 33554432) / int(sizeof(T));
  for (bool const transposing : {false, true})
    for (auto const& from : forms)
      for (auto const& to : forms)
        for (int const D : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
          // A multiple of 128, so that an entry's numbers of all items begin on lines of the cache.
          std::int64_t const n = numbers / (D * D) / 128 * 128;
          std::string const name = std::string("copy/batchwork/") +
                                   (transposing ? "transposed" : "plain") + "/" + type_name<T>() +
                                   "/" + from.name + "/" + to.name + "/D:" + std::to_string(D) +
                                   "/items:" + std::to_string(n);
          benchmark::RegisterBenchmark(name.c_str(),
                                       [=](benchmark::State& state) {
                                         copy_matrices<T>(state, from, to, D, transposing, n);
                                       })
              ->Iterations(1)
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        }
}

void register_all() {
  register_copies<float>();
  register_copies<double>();
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
