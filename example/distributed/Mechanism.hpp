// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Systems A = I - gamma J of a stiff reaction at some states of a flame: what the batch of
/// chemistry is made of.
#ifndef DISTRIBUTED_MECHANISM_HPP
#define DISTRIBUTED_MECHANISM_HPP

#include <Batchwork.hpp>
#include <krylov/formats/Batchwork_ReadSystems.hpp>
#include <string>

namespace Distributed {

using Mechanism = Batchwork::SparseSystems<double>;

/// Reads a folder with pattern.mtx and values.f64, see Batchwork::read_systems. Throws
/// Support::InputError if it cannot be used.
Mechanism read_mechanism(std::string const& folder);

/// 64 states of a mechanism of 22 species with a nearly full pattern, made of pseudo-random
/// numbers.
Mechanism make_mechanism();

}  // namespace Distributed

#endif
