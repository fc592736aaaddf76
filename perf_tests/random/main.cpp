// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random numbers in Views: fill_random, a sequence, the generator of Kokkos, and cuRAND. The floor
// is a store of as many constants, measured in the same run.

#include <Kokkos_Random.hpp>

#include "Problem.hpp"

namespace BatchworkPerf {

void register_curand();

namespace {

using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// `width` numbers for each item, the whole View in one kernel.
template <class T, class Layout>
void register_verb(std::string const& form, int width) {
  for (bool const normal : {false, true})
    register_filling<T>("batchwork", normal, form, [=](auto& state, auto const& x) {
      auto const w = static_cast<std::size_t>(width);
      Kokkos::View<T**, Layout, Memory, Unmanaged> const part(x.data(), x.size() / w, w);
      auto const d = normal ? Batchwork::normal(0, 1) : Batchwork::uniform(0, 1);
      measure_filling<T>(state, x, normal, [&] {
        Batchwork::fill_random(Exec(), Batchwork::random(1), d, part);
        // Numbers that do not fill the last item.
        if (part.size() < x.size())
          Batchwork::fill_random(
              Exec(), Batchwork::random(2), d,
              Kokkos::subview(x, Kokkos::pair<std::size_t, std::size_t>(part.size(), x.size())));
      });
    });
}

struct FourOf {
  template <class X, class R>
  KOKKOS_FUNCTION void operator()(X& x, R& r) const {
    x = Batchwork::uniform<4>(r);
  }
};
/// The same in a sequence, whose items are vectors of four numbers.
template <class T>
void register_sequence() {
  register_filling<T>("batchwork_map", false, "interleaved4", [](auto& state, auto const& x) {
    Kokkos::View<T* [4], Kokkos::LayoutLeft, Memory, Unmanaged> const y(x.data(), x.size() / 4);
    measure_filling<T>(state, x, false, [&] {
      Batchwork::map(Exec(), FourOf{}, Batchwork::out(y), Batchwork::random<T>(1));
    });
  });
}
template <class T>
void register_kokkos() {
  register_filling<T>("kokkos_xorshift64", false, "vector", [](auto& state, auto const& x) {
    Kokkos::Random_XorShift64_Pool<Exec> const pool(1);
    measure_filling<T>(state, x, false, [&] { Kokkos::fill_random(Exec(), x, pool, T(0), T(1)); });
  });
}

template <class T>
void register_type() {
  register_verb<T, Kokkos::LayoutLeft>("vector", 1);
  register_verb<T, Kokkos::LayoutLeft>("interleaved3", 3);
  register_verb<T, Kokkos::LayoutRight>("item-contiguous3", 3);
  register_verb<T, Kokkos::LayoutRight>("item-contiguous32", 32);
  register_sequence<T>();
  register_kokkos<T>();
}
void register_all() {
  register_type<float>();
  register_type<double>();
#if defined(BATCHWORK_HAVE_CURAND) && defined(KOKKOS_ENABLE_CUDA)
  register_curand();
#endif
}

}  // namespace
}  // namespace BatchworkPerf

int main(int argc, char** argv) {
  return BatchworkPerf::run(argc, argv, BatchworkPerf::register_all);
}
