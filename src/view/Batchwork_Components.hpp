// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// components: a View of structs, such as points, as a View of their numbers, without a copy.
#ifndef BATCHWORK_COMPONENTS_HPP
#define BATCHWORK_COMPONENTS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace Batchwork {

namespace Impl {

/// The data type with N numbers T instead of each struct.
template <class D, class T, int N>
struct WithComponents {
  using type = T[N];
};
template <class D, class T, int N>
struct WithComponents<D*, T, N> {
  using type = typename WithComponents<D, T*, N>::type;
};
template <class D, std::size_t M, class T, int N>
struct WithComponents<D[M], T, N> {
  using type = typename WithComponents<D, T, N>::type[M];
};

}  // namespace Impl

/// The numbers of a View of structs, without a copy. A struct, or an array such as Kokkos::Array<T,
/// N>, holds N numbers of type T and nothing else. The View gets a last index for them: a
/// View<Point*> (item) becomes vectors (item, component), and a View<Point**> (item, node) becomes
/// matrices (item, node, component).
/// ```cpp
/// struct Point { double x, y, z; };
/// Kokkos::View<Point* [4]> nodes("nodes", items);
/// map(Volume{}, out(volume), in(components<double, 3>(nodes)));  // tiles of 4 x 3
/// ```
/// \tparam T  the type of the numbers
/// \tparam N  how many a struct has
/// \param view  a View of rank 1 to 3. It must stay allocated as long as the result is used
/// \returns an unmanaged View, of LayoutRight where the numbers of an item are contiguous, else of
///          LayoutStride
/// \throws std::invalid_argument if a View of LayoutRight has gaps, as a subview of columns
template <class T, int N, class V>
  requires Kokkos::is_view_v<V>
auto components(V const& view) {
  using Struct = typename V::non_const_value_type;
  static_assert(sizeof(Struct) == N * sizeof(T) && std::is_trivially_copyable_v<Struct> &&
                    std::is_standard_layout_v<Struct>,
                "Batchwork::components<T, N>(view): the View's structs must hold N numbers of type "
                "T, and nothing else");
  constexpr int rank = int(V::rank());
  static_assert(rank >= 1 && rank <= 3, "Batchwork::components: the View has one to three indices");
  using Number = std::conditional_t<std::is_const_v<typename V::value_type>, T const, T>;
  using Data = typename Impl::WithComponents<typename V::data_type, Number, N>::type;
  // The struct's own index is the last one.
  constexpr bool right = rank == 1 ? !std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>
                                   : std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>;
  using Layout = std::conditional_t<right, Kokkos::LayoutRight, Kokkos::LayoutStride>;
  using Result = Kokkos::View<Data, Layout, typename V::device_type, Kokkos::MemoryUnmanaged>;
  auto* const data = reinterpret_cast<Number*>(view.data());
  Layout layout;
  for (int r = 0; r < rank; ++r) {
    // A subview, or a View with padding, has this layout too, but its strides are not the extents.
    if constexpr (right)
      if (r + 1 < rank && view.size() > 0 && view.extent(std::size_t(r)) > 1 &&
          std::size_t(view.stride(r)) !=
              std::size_t(view.stride(r + 1)) * view.extent(std::size_t(r + 1)))
        throw std::invalid_argument(
            "Batchwork::components: there are gaps between the structs of \"" + view.label() +
            "\"; pass it as a View of LayoutStride");
    layout.dimension[r] = view.extent(std::size_t(r));
    if constexpr (!right) layout.stride[r] = std::size_t(view.stride(r)) * N;
  }
  layout.dimension[rank] = N;
  if constexpr (!right) layout.stride[rank] = 1;
  return Result(data, layout);
}

}  // namespace Batchwork

#endif
