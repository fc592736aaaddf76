// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// CopyLaunch: launches the kernels of copy, pack and unpack for numbers of the usual sizes, which
/// libbatchwork copies as words of these sizes.
#ifndef BATCHWORK_COPYLAUNCH_HPP
#define BATCHWORK_COPYLAUNCH_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "dense/copy/detail/Batchwork_CopyProblem.hpp"

namespace Batchwork::Impl {

/// Two halves of a word with an alignment of so many bytes.
template <class Half, std::size_t Bytes>
struct alignas(Bytes) CopyPair {
  Half first, second;
};
/// Numbers of 16 bytes; and pairs whose alignment is that of their halves, as std::complex has it.
using CopyWide = CopyPair<std::uint64_t, 16>;
using CopyFloats = CopyPair<std::uint32_t, 4>;
using CopyDoubles = CopyPair<std::uint64_t, 8>;

/// The word with the size and the alignment of T; void if libbatchwork has none.
template <class T>
struct CopyWord {
  // No member template for the condition: g++ 12 would use the first one's value for all words.
  template <class Word, class Other>
  using Or =
      std::conditional_t<sizeof(T) == sizeof(Word) && alignof(T) == alignof(Word), Word, Other>;
  using type = Or<std::uint8_t,
                  Or<std::uint16_t,
                     Or<std::uint32_t,
                        Or<std::uint64_t, Or<CopyWide, Or<CopyFloats, Or<CopyDoubles, void>>>>>>>;
};
template <class T>
using CopyWordOf = typename CopyWord<T>::type;

template <class Word, class Exec>
struct CopyLaunch {
  /// Launches the kernel for a copy of one item or more, of one number or more.
  static void run(Exec const& exec, std::string const& verb, std::string const& label,
                  CopyProblem<Word> const& p);
};

}  // namespace Batchwork::Impl

#endif
