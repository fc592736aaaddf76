// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code of docs/guides/tune.md.
#include <Batchwork.hpp>
#include <cstdio>
#include <tune/Batchwork_Tune.hpp>

namespace doc_tuning {

using namespace Batchwork;

inline void at_the_start() { load_tuning("batchwork.tuning"); }

inline void in_a_program() {
  TuneSizes sizes;
  sizes.rows = {24, 32, 40, 48};
  std::vector<TunedSize> const measured = tune<TunableVerb::eigh, double>(sizes);
  save_tuning("my.tuning", tuned_lines<TunableVerb::eigh, double>(sizes, measured));
  for (TunedSize const& size : measured)
    std::printf("%d rows: %.2f times as fast\n", size.rows, size.gain());
}

inline void what_is_loaded() {
  std::printf("%s: %d decisions\n", tuning().path.c_str(), int(tuning().lines.size()));
  clear_tuning();  // back to the built-in choices
}

}  // namespace doc_tuning
