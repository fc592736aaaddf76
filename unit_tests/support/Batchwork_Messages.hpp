// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The message of a call that is refused.
#ifndef BATCHWORK_TEST_MESSAGES_HPP
#define BATCHWORK_TEST_MESSAGES_HPP

#include <gtest/gtest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace Batchwork::Test {

/// The message of the exception, or a text that says that none was thrown.
template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

inline void expect_says(std::string const& message, std::initializer_list<char const*> parts) {
  for (char const* part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "not in the message: " << part << "\n"
                                                     << message;
  }
}

}  // namespace Batchwork::Test

#endif
