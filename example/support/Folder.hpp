// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The folder of the output, made before the computation: a path that cannot be used is reported
/// at once.
#ifndef SUPPORT_FOLDER_HPP
#define SUPPORT_FOLDER_HPP

#include <filesystem>
#include <string>

#include "Errors.hpp"

namespace Support {

/// Makes the folder and those above it. Throws InputError.
inline void create_folder(std::string const& path) {
  std::error_code error, ignored;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": cannot be created as a folder" +
                     (error ? ": " + error.message() : ""));
}

}  // namespace Support

#endif
