// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CopyLaunch in libbatchwork. Other sizes of numbers, and programs without the library, use
/// Batchwork_CopyKernels.hpp.
#ifndef BATCHWORK_COPYCOMPILED_HPP
#define BATCHWORK_COPYCOMPILED_HPP

#include <string>

#include "dense/copy/detail/Batchwork_CopyKernels.hpp"
#include "dense/copy/detail/Batchwork_CopyLaunch.hpp"

namespace Batchwork::Impl {

template <class Word, class Exec>
void CopyLaunch<Word, Exec>::run(Exec const& exec, std::string const& verb,
                                 std::string const& label, CopyProblem<Word> const& p) {
  copy_by_kernel(exec, verb, label, p);
}

}  // namespace Batchwork::Impl

#endif
