// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// load_tuning: the kernels that were measured to be fastest on this machine, from a file.
#ifndef BATCHWORK_TUNING_HPP
#define BATCHWORK_TUNING_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "launch/Batchwork_KernelKind.hpp"
#include "launch/detail/Batchwork_TunedKernels.hpp"

namespace Batchwork {

/// A line of a tuning: the kernel for the calls of a verb. First and last extents are both in it.
struct TuningLine {
  std::string operation;    ///< the verb, such as "solve_lu"
  std::string type;         ///< "float" or "double"
  std::string space;        ///< the execution space, as Kokkos names it, such as "Cuda"
  std::string arrangement;  ///< of the matrices: "item-contiguous", "interleaved" or "any"
  int first_row = 1;        ///< rows of an item, from here
  int last_row = 1;         ///< to here
  int first_col = 0;        ///< columns of an item, from here; 0: as many as rows
  int last_col = 0;         ///< to here
  int first_side = 0;       ///< right-hand sides, or columns of Q, or singular vectors; from here
  int last_side = 0;        ///< to here
  KernelKind kernel = KernelKind::fastest;    ///< the kernel that runs
  double nanoseconds = 0;                     ///< measured time of an item
  KernelKind built_in = KernelKind::fastest;  ///< the built-in choice; fastest: not known
  double built_in_nanoseconds = 0;            ///< its time; 0: not known
};

/// What a tuning file says.
struct Tuning {
  std::string path;               ///< the file; empty where nothing is loaded
  std::string machine;            ///< the device or processor that was measured, or "any"
  std::string version;            ///< the library's version then, or "any"
  std::vector<TuningLine> lines;  ///< sorted by operation; the first line that fits a call counts
};

/// Loads a tuning: which kernel runs which size on this machine, as `batchwork-tune` or
/// `./batchwork tune` measured and wrote it. From then on the verbs `lu`, `solve_lu`, `inverse`,
/// determinants, `cholesky`, `solve_cholesky`, `solve_lower`, `solve_upper`, `qr`, `least_squares`,
/// `eigh` and `svd` ask it before their built-in choice. `launch(kernel::...)` goes before both. It
/// replaces a tuning that was loaded before.
///
/// ```cpp
/// load_tuning("h100.tuning");
/// ```
///
/// Results may differ in their last bits, as between kernels. A line whose kernel cannot run a call
/// is ignored for it, and the built-in choice runs. The size of a workspace does not depend on the
/// tuning. Hosts have one kernel for a size and ignore it.
///
/// Without a call, the file that the environment variable BATCHWORK_TUNING names is loaded when the
/// first verb asks.
///
/// Cost: launches read an atomic pointer and search the lines of their verb. They take no lock and
/// allocate nothing. Any thread may load while others launch: a launch uses the old tuning or the
/// new one. Old ones are kept until the program ends, so load at the start, not in a loop.
///
/// \param path  the file
/// \throws std::runtime_error with file, line and remedy: for a file that cannot be read, a line
///   that is none of a tuning, a kernel that needs a workspace, another machine, or another version
///   of the library. What was loaded before stays.
inline void load_tuning(std::string const& path) { Impl::TunedKernels<>::load(path); }

/// Forgets the tuning: verbs use their built-in choices again.
inline void clear_tuning() { Impl::TunedKernels<>::clear(); }

/// Writes a file for load_tuning, with the names of this machine and of the library's version.
/// \param path   the file
/// \param lines  the decisions, as from tuned_lines
/// \throws std::runtime_error if the file cannot be written
inline void save_tuning(std::string const& path, std::vector<TuningLine> const& lines) {
  Impl::TunedKernels<>::save(path, lines);
}

/// The tuning that is loaded; one without a path and lines where there is none.
/// \returns a reference that is valid until the program ends
inline Tuning const& tuning() { return Impl::TunedKernels<>::loaded(); }

}  // namespace Batchwork

#if defined(BATCHWORK_KERNELS_IN_HEADERS)
#include "launch/detail/Batchwork_TuningText.hpp"
#endif

#endif
