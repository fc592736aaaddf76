// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// KernelRegion: the region of Kokkos' profiling interface in which a kernel is launched.
#ifndef BATCHWORK_KERNELREGION_HPP
#define BATCHWORK_KERNELREGION_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <string_view>

namespace Batchwork::Impl {

/// The type that names a kernel in its region: the kernel itself, or what it names.
template <class Kernel>
struct NameInRegions {
  using type = Kernel;
};
template <class Kernel>
  requires requires { typename Kernel::name_in_regions; }
struct NameInRegions<Kernel> {
  using type = typename Kernel::name_in_regions;
};

/// The name of a type as the compiler spells it, with its namespaces.
template <class T>
constexpr std::string_view full_name_of() {
  std::string_view const all = __PRETTY_FUNCTION__;
  std::size_t const first = all.find("T = ") + 4;
  // GCC adds its alias of std::string_view after a semicolon.
  std::size_t const last = all.find_first_of(";", first);
  return all.substr(first, (last == all.npos ? all.rfind(']') : last) - first);
}

/// Without namespaces and enumerations, and at most 200 characters of it.
inline std::string short_name(std::string_view full) {
  constexpr std::size_t most = 200;
  std::string name;
  std::size_t word = 0;  // where the current word begins
  while (!full.empty() && name.size() < most) {
    std::size_t taken = 1;
    if (full.substr(0, 2) == "::") {
      name.resize(word);
      taken = 2;
    } else if (full.substr(0, 2) != " >") {
      name += full[0];
      // "(anonymous namespace)" is a word.
      if (std::string_view("<>, &*(").find(full[0]) != std::string_view::npos &&
          full.substr(0, 10) != " namespace" && full.substr(0, 10) != "(anonymous")
        word = name.size();
    }
    full.remove_prefix(taken);
  }
  if (!full.empty()) name += "...";
  return name;
}

/// While a tool listens: the region "label: kernel", such as
/// "Batchwork::lu(of elements): LuTiles<double, 5, factors>".
class KernelRegion {
 public:
  template <class Kernel>
  KernelRegion(std::string const& label, Kernel const&)
      : is_there_(Kokkos::Tools::profileLibraryLoaded()) {
    if (is_there_)
      Kokkos::Profiling::pushRegion(
          label + ": " + short_name(full_name_of<typename NameInRegions<Kernel>::type>()));
  }
  ~KernelRegion() {
    if (is_there_) Kokkos::Profiling::popRegion();
  }
  KernelRegion(KernelRegion const&) = delete;
  KernelRegion& operator=(KernelRegion const&) = delete;

 private:
  bool is_there_;
};

}  // namespace Batchwork::Impl

#endif
