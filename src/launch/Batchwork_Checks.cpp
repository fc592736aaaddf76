// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What fronts of verbs call that does not depend on types: checks of calls, text, tunings.
#include "launch/detail/Batchwork_CallChecks.hpp"
#include "launch/detail/Batchwork_TuningText.hpp"
#include "view/detail/Batchwork_DescriptionText.hpp"

namespace Batchwork::Impl {
template struct CallChecks<>;
template struct TunedKernels<>;
template struct DescriptionText<>;
}  // namespace Batchwork::Impl
