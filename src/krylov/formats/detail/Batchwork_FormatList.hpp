// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The formats that are known at run time: one line for each.
#ifndef BATCHWORK_FORMATLIST_HPP
#define BATCHWORK_FORMATLIST_HPP

#include "krylov/base/Batchwork_Concepts.hpp"
#include "krylov/formats/Batchwork_Dia.hpp"
#include "krylov/formats/detail/Batchwork_Systems.hpp"

namespace Batchwork::Impl {

template <class... Formats>
struct FormatList {};

/// Kernels of solvers are made once for all of them; each makes them longer, not slower.
template <class T>
using FormatsOf = FormatList<  //
    CsrLayout,                 //
    EllLayout,                 //
    DenseLayout,               //
    ScaledIdentityLayout<T>,   //
    DiaLayout>;

}  // namespace Batchwork::Impl

#endif
