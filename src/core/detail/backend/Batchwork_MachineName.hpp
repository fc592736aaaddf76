// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The name of a device or processor.
#ifndef BATCHWORK_MACHINENAME_HPP
#define BATCHWORK_MACHINENAME_HPP

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstring>
#include <string>

namespace Batchwork::Impl::Vendor {

/// Of the device of an instance, as CUDA and HIP call it; of a host's processor, as Linux does;
/// "unknown" elsewhere.
template <class Exec>
std::string machine_name([[maybe_unused]] Exec const& exec) {
  if constexpr (requires { exec.cuda_device_prop(); }) {
    return exec.cuda_device_prop().name;
  } else if constexpr (requires { exec.hip_device_prop(); }) {
    return exec.hip_device_prop().name;
  } else {
    std::string name = "unknown";
    std::FILE* const file = std::fopen("/proc/cpuinfo", "r");
    if (file == nullptr) return name;
    for (char line[512]; std::fgets(line, sizeof line, file) != nullptr;) {
      char const* const value = std::strchr(line, ':');
      if (std::strncmp(line, "model name", 10) != 0 || value == nullptr) continue;
      name = value + 1;
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(" \n") + 1);
      break;
    }
    std::fclose(file);
    return name;
  }
}

}  // namespace Batchwork::Impl::Vendor

#endif
