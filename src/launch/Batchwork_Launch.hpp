// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch(...): the label of a kernel, and its launch parameters where the defaults are not wanted.
#ifndef BATCHWORK_LAUNCH_HPP
#define BATCHWORK_LAUNCH_HPP

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/detail/Batchwork_Lanes.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "launch/Batchwork_KernelKind.hpp"
#include "launch/detail/Batchwork_TeamLaunch.hpp"

namespace Batchwork {

namespace Impl {

enum class LaunchWord { width, teams, lanes };
/// An argument of launch(...) that carries a number.
template <LaunchWord What, int N>
struct LaunchNumber {};

template <class X>
inline constexpr bool is_launch_word = false;
template <LaunchWord What, int N>
inline constexpr bool is_launch_word<LaunchNumber<What, N>> = true;
template <bool Whole, std::size_t Scratch>
inline constexpr bool is_launch_word<Division<Whole, Scratch>> = true;
template <>
inline constexpr bool is_launch_word<KernelKind> = true;

/// The kernel that an argument asks for.
template <class Word>
constexpr KernelKind kernel_in(Word const&) {
  return KernelKind::fastest;
}
constexpr KernelKind kernel_in(KernelKind kind) { return kind; }
template <class... Words>
constexpr KernelKind kernel_among(Words const&... words) {
  static_assert((int(std::is_same_v<Words, KernelKind>) + ... + 0) <= 1,
                "Batchwork::launch: give at most one kernel");
  KernelKind kind = KernelKind::fastest;
  ((kind = std::max(kind, kernel_in(words))), ...);
  return kind;
}

/// The number that an argument sets, or 0.
template <LaunchWord Of, class Word>
inline constexpr int number_in = 0;
template <LaunchWord Of, int N>
inline constexpr int number_in<Of, LaunchNumber<Of, N>> = N;
template <LaunchWord Of, class Word>
inline constexpr bool speaks_of = false;
template <LaunchWord Of, int N>
inline constexpr bool speaks_of<Of, LaunchNumber<Of, N>> = true;

template <LaunchWord Of, class... Words>
constexpr int number_among() {
  static_assert((int(speaks_of<Of, Words>) + ... + 0) <= 1,
                "Batchwork::launch: give each of width, teams and lanes at most once");
  return (number_in<Of, Words> + ... + 0);
}

/// The Division among the arguments.
template <class... Words>
struct DivisionAmong {
  using type = Division<>;
};
template <bool Whole, std::size_t Scratch, class... Rest>
struct DivisionAmong<Division<Whole, Scratch>, Rest...> {
  using type = Division<Whole, Scratch>;
};
template <class First, class... Rest>
struct DivisionAmong<First, Rest...> : DivisionAmong<Rest...> {};

}  // namespace Impl

/// An argument of launch(...): the number of items in a pack on hosts, a power of two. By default
/// the SIMD width that the compiler was told to use. For map, scan and Kalman::filter.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::width, N> width{};
/// An argument of launch(...): asks for N teams of 128 lanes at the same time on each
/// multiprocessor of a GPU. The compiler then limits a lane to 65536 / (128 N) registers: 168 for N
/// = 3, 128 for N = 4. This hides memory latency better if the sequence fits into these registers,
/// and spills if it does not. By default a lane may use all 255 registers.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::teams, N> teams{};
/// An argument of launch(...): the number of GPU lanes that share an item, 1, 2, 4, 8, 16 or 32. By
/// default it is chosen from the largest extent. Beyond 32 rows or columns only 32 is allowed.
template <int N>
inline constexpr Impl::LaunchNumber<Impl::LaunchWord::lanes, N> lanes{};

/// The launch parameters of a verb, as made by launch(...). 0 means the default.
template <int Width = 0, int Teams = 0, int Lanes = 0, class How = Division<>>
struct Launch {
  using division = How;
  static constexpr int width = Width;       ///< items in a pack on hosts, see width<N>
  static constexpr int teams = Teams;       ///< teams at the same time, see teams<N>
  static constexpr int lanes = Lanes;       ///< lanes that share an item on devices, see lanes<N>
  static constexpr int largest_team = 128;  ///< the largest argument of team_size
  std::string label;                        ///< the label of the kernel; empty by default
  int lanes_per_team = 128;                 ///< lanes of a team on devices, see team_size
  KernelKind kernel = KernelKind::fastest;  ///< for verbs on whole matrices, see KernelKind

  /// Sets the number of lanes per team on devices. If lanes share items, at most 64 are used, or
  /// 128 if 32 lanes share an item.
  /// ```cpp
  /// map(launch("ratios").team_size(64), Ratio{}, out(y), in(a), in(b));
  /// ```
  /// \param n  a multiple of 32, from 32 to 128 (the default)
  /// \returns the launch parameters with this team size
  /// \throws std::invalid_argument for any other n
  Launch team_size(int n) const {
    if (n < Impl::lanes_of_warp || n > largest_team || n % Impl::lanes_of_warp != 0)
      throw std::invalid_argument("Batchwork::launch: team_size(" + std::to_string(n) +
                                  ") must be a multiple of " + std::to_string(Impl::lanes_of_warp) +
                                  " from " + std::to_string(Impl::lanes_of_warp) + " to " +
                                  std::to_string(largest_team));
    Launch r = *this;
    r.lanes_per_team = n;
    return r;
  }
};

namespace Impl {
template <class... Words>
using LaunchOf =
    Launch<number_among<LaunchWord::width, Words...>(), number_among<LaunchWord::teams, Words...>(),
           number_among<LaunchWord::lanes, Words...>(), typename DivisionAmong<Words...>::type>;
}  // namespace Impl

/// Sets the label of a kernel and its launch parameters. The arguments after the label are
/// lanes<N>, teams<N>, width<N>, a Division and, for verbs on whole matrices, a KernelKind, in any
/// order; all are optional. The label goes into the name of the kernel, "Batchwork::map(label)",
/// which Kokkos Tools show.
/// ```cpp
/// map(exec, launch("predict", lanes<8>, teams<3>), Predict{}, inout(x), in(f));
/// lu(exec, launch(kernel::by_warps), in(A), out(LU), out(rows));
/// ```
/// \param label  the label of the kernel
/// \returns the launch parameters, to be passed to a verb before its sequence
template <class... Words>
  requires(Impl::is_launch_word<Words> && ...)
Impl::LaunchOf<Words...> launch(std::string const& label, Words const&... words) {
  Impl::LaunchOf<Words...> how{label};
  how.kernel = Impl::kernel_among(words...);
  return how;
}
/// The same without a label.
template <class... Words>
  requires(Impl::is_launch_word<Words> && ...)
Impl::LaunchOf<Words...> launch(Words const&... words) {
  return launch(std::string(), words...);
}

namespace Impl {

template <class X>
inline constexpr bool is_launch = false;
template <int W, int Teams, int L, class D>
inline constexpr bool is_launch<Launch<W, Teams, L, D>> = true;

/// For verbs whose kernel the caller cannot choose.
inline void refuse_kernel(KernelKind wanted, std::string const& label) {
  if (wanted != KernelKind::fastest)
    throw std::invalid_argument("Batchwork: launch(\"" + label +
                                "\", kernel::...) is given to a verb that chooses its own kernel; "
                                "leave the kernel out");
}
inline std::string kernel_label(std::string const& verb, std::string const& label) {
  return label.empty() ? "Batchwork::" + verb : "Batchwork::" + verb + "(" + label + ")";
}

}  // namespace Impl
}  // namespace Batchwork

#endif
