// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The tuning that launches ask for a kernel. The text of its files is in Batchwork_TuningText.hpp.
#ifndef BATCHWORK_TUNEDKERNELS_HPP
#define BATCHWORK_TUNEDKERNELS_HPP

#include <limits>
#include <string>
#include <vector>

#include "core/detail/Batchwork_KernelSets.hpp"
#include "launch/Batchwork_KernelKind.hpp"

namespace Batchwork {
struct Tuning;
struct TuningLine;

namespace Impl {

/// As tuning files and launch(...) name a kernel.
constexpr char const* word_of(KernelKind kind) {
  constexpr char const* words[] = {"fastest",   "by_lane",    "by_lanes",    "by_warps",
                                   "by_panels", "in_scratch", "in_workspace"};
  return words[int(kind)];
}

/// The end of a range without an end.
inline constexpr int any_extent = std::numeric_limits<int>::max();

/// What the kernel of a call depends on, besides the verb.
struct TunedCall {
  char const* type = nullptr;   ///< null: do not ask
  char const* space = nullptr;  ///< the name of the execution space
  bool items_near = false;      ///< the matrices are interleaved
  int rows = 0, cols = 0, sides = 0;
};
template <class T, class Exec>
TunedCall tuned_call(bool items_near, int rows, int cols, int sides = 0) {
  return {sizeof(T) == 4 ? "float" : "double", Exec::name(), items_near, rows, cols, sides};
}

/// The tuning of a program, which the library compiles once. (A class template, so that headers may
/// define it too.)
template <class Unused = void>
struct TunedKernels {
  static void load(std::string const& path);
  static void clear();
  static Tuning const& loaded();
  /// The text of a file. \param path  for messages
  static Tuning read(std::string const& text, std::string const& path);
  static std::string text(Tuning const& of);
  static void save(std::string const& path, std::vector<TuningLine> const& lines);
  /// The first line for a call, or null.
  static TuningLine const* find(Tuning const& in, std::string const& verb, TunedCall const& call);
  /// The kernel that the loaded tuning has for a call; fastest where it has none.
  static KernelKind kernel_for(std::string const& verb, TunedCall const& call);

 private:
  static Tuning const* current(Tuning const* next, bool replaces);
  static Tuning checked(std::string const& path);
};

}  // namespace Impl
}  // namespace Batchwork

#endif
