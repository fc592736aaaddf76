// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reads, writes and holds tunings. The library compiles it once.
///
/// A file has a line for each decision. Numbers are ranges, "8", "33-64" or "65-any"; columns "="
/// are as many as rows, and "any" fits every call. What follows a # is a comment.
/// \code
/// batchwork-tuning 1
/// machine NVIDIA H100 80GB HBM3
/// version 0.2.0
/// # operation type space arrangement rows cols sides kernel ns built-in ns
/// eigh double Cuda item-contiguous 45-47 = any by_warps 431.2 by_panels 466.0
/// \endcode
#ifndef BATCHWORK_TUNINGTEXT_HPP
#define BATCHWORK_TUNINGTEXT_HPP

#if __has_include("Batchwork_Version.hpp")
#include "Batchwork_Version.hpp"
#endif
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/detail/backend/Batchwork_MachineName.hpp"
#include "launch/Batchwork_Tuning.hpp"
#include "launch/detail/Batchwork_TunedKernels.hpp"

namespace Batchwork::Impl {

inline constexpr char const* tuned_verbs[] = {"lu",
                                              "solve_lu",
                                              "inverse",
                                              "determinant",
                                              "log_abs_determinant",
                                              "cholesky",
                                              "solve_cholesky",
                                              "solve_lower",
                                              "solve_upper",
                                              "qr",
                                              "least_squares",
                                              "eigh",
                                              "svd"};

inline std::string version_of_library() {
#if defined(BATCHWORK_VERSION)
  return std::string(version());
#else
  return "unknown";
#endif
}
inline std::string name_of_machine() {
  return Kokkos::is_initialized() ? Vendor::machine_name(Kokkos::DefaultExecutionSpace())
                                  : "unknown before Kokkos::initialize";
}

/// Reads the lines of one text.
class TuningReader {
 public:
  explicit TuningReader(std::string const& path) { tuning_.path = path; }

  Tuning read(std::string_view text) {
    while (!text.empty()) {
      std::size_t const end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    ++line_;
    if (!begun_) fail("the file is empty; measure with batchwork-tune");
    if (tuning_.machine.empty() || tuning_.version.empty())
      fail("the line \"machine ...\" or \"version ...\" is missing; both are before the decisions");
    std::stable_sort(
        tuning_.lines.begin(), tuning_.lines.end(),
        [](TuningLine const& a, TuningLine const& b) { return a.operation < b.operation; });
    return tuning_;
  }

 private:
  static constexpr std::string_view blanks = " \t\r";

  [[noreturn]] void fail(std::string const& what) const {
    throw std::runtime_error("Batchwork: " + tuning_.path + ":" + std::to_string(line_) + ": " +
                             what);
  }
  static std::string_view trimmed(std::string_view s) {
    std::size_t const first = s.find_first_not_of(blanks);
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) + 1 - first);
  }
  static std::vector<std::string_view> words_of(std::string_view s) {
    std::vector<std::string_view> words;
    for (s = trimmed(s); !s.empty(); s = trimmed(s)) {
      std::size_t const end = std::min(s.find_first_of(blanks), s.size());
      words.push_back(s.substr(0, end));
      s.remove_prefix(end);
    }
    return words;
  }
  static std::string quoted(std::string_view s) { return "\"" + std::string(s) + "\""; }

  void read_line(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return;
    std::string_view const word = line.substr(0, line.find_first_of(blanks)),
                           rest = trimmed(line.substr(word.size()));
    if (!begun_) {
      if (word != "batchwork-tuning")
        fail(
            "the file does not begin with \"batchwork-tuning 1\"; give a file that batchwork-tune "
            "wrote");
      if (rest != "1")
        fail("the format is " + quoted(rest) +
             ", and this library reads 1; measure again with its batchwork-tune");
      begun_ = true;
    } else if (word == "machine" || word == "version") {
      if (rest.empty()) fail(std::string(word) + " has no name; give it, or \"any\"");
      (word == "machine" ? tuning_.machine : tuning_.version) = rest;
    } else {
      tuning_.lines.push_back(decision(words_of(line)));
    }
  }

  TuningLine decision(std::vector<std::string_view> const& words) const {
    if (words.size() != 9 && words.size() != 11)
      fail(
          "a decision has 9 or 11 words (operation, type, space, arrangement, rows, columns, "
          "sides, kernel, ns, and optionally the built-in kernel and its ns), and this line has " +
          std::to_string(words.size()));
    TuningLine r;
    r.operation = words[0];
    r.type = words[1];
    r.space = words[2];
    r.arrangement = words[3];
    if (std::find(std::begin(tuned_verbs), std::end(tuned_verbs), words[0]) ==
        std::end(tuned_verbs)) {
      std::string all;
      for (char const* verb : tuned_verbs) all += (all.empty() ? "" : ", ") + std::string(verb);
      fail(quoted(words[0]) + " is no verb that chooses among kernels; give one of " + all);
    }
    if (r.type != "float" && r.type != "double")
      fail(quoted(words[1]) + " is no type of numbers; give float or double");
    if (r.arrangement != "any" && r.arrangement != "interleaved" &&
        r.arrangement != "item-contiguous")
      fail(quoted(words[3]) + " is no arrangement; give item-contiguous, interleaved or any");
    read_range(words[4], "rows", r.first_row, r.last_row);
    if (words[5] != "=") read_range(words[5], "columns", r.first_col, r.last_col);
    read_range(words[6], "sides", r.first_side, r.last_side);
    r.kernel = kernel(words[7]);
    if (r.kernel == KernelKind::in_workspace)
      fail(
          "in_workspace cannot be tuned, because calls may come without workspace(view); give "
          "launch(kernel::in_workspace) where there is one");
    r.nanoseconds = time(words[8]);
    if (words.size() == 9) return r;
    r.built_in = kernel(words[9]);
    r.built_in_nanoseconds = time(words[10]);
    return r;
  }
  int number(std::string_view s, char const* of) const {
    int n = 0;
    auto const [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (error != std::errc() || end != s.data() + s.size() || n < 0)
      fail(quoted(s) + " is no number of " + of + "; give n, first-last, first-any or any");
    return n;
  }
  void read_range(std::string_view s, char const* of, int& first, int& last) const {
    if (s == "any") {
      first = 0;
      last = any_extent;
      return;
    }
    std::size_t const dash = s.find('-');
    first = last = number(s.substr(0, dash), of);
    if (dash != s.npos)
      last = s.substr(dash + 1) == "any" ? any_extent : number(s.substr(dash + 1), of);
    if (last < first) fail(quoted(s) + ": the last is before the first; exchange them");
  }
  KernelKind kernel(std::string_view s) const {
    std::string all;
    for (int k = 0; k <= int(KernelKind::in_workspace); ++k) {
      if (s == word_of(KernelKind(k))) return KernelKind(k);
      all += (k == 0 ? "" : ", ") + std::string(word_of(KernelKind(k)));
    }
    fail(quoted(s) + " is no kernel; give one of " + all);
  }
  double time(std::string_view s) const {
    std::string const text(s);
    char* end = nullptr;
    double const t = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !(t >= 0))
      fail(quoted(s) + " is no time in nanoseconds; give a number, or 0 where it is not known");
    return t;
  }

  Tuning tuning_;
  int line_ = 0;
  bool begun_ = false;
};

inline std::string text_of_range(int first, int last) {
  if (first == 0 && last == any_extent) return "any";
  std::string const end = last == any_extent ? "any" : std::to_string(last);
  return first == last ? end : std::to_string(first) + "-" + end;
}
inline std::string text_of_time(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", ns);
  return text;
}

template <class Unused>
Tuning TunedKernels<Unused>::read(std::string const& text, std::string const& path) {
  return TuningReader(path).read(text);
}

template <class Unused>
std::string TunedKernels<Unused>::text(Tuning const& of) {
  std::string r = "batchwork-tuning 1\nmachine " + of.machine + "\nversion " + of.version +
                  "\n# operation type space arrangement rows cols sides kernel ns built-in ns\n";
  for (TuningLine const& l : of.lines) {
    r += l.operation + " " + l.type + " " + l.space + " " + l.arrangement + " " +
         text_of_range(l.first_row, l.last_row) + " " +
         (l.first_col == 0 && l.last_col == 0 ? "=" : text_of_range(l.first_col, l.last_col)) +
         " " + text_of_range(l.first_side, l.last_side) + " " + word_of(l.kernel) + " " +
         text_of_time(l.nanoseconds);
    if (l.built_in != KernelKind::fastest)
      r += std::string(" ") + word_of(l.built_in) + " " + text_of_time(l.built_in_nanoseconds);
    r += "\n";
  }
  return r;
}

template <class Unused>
TuningLine const* TunedKernels<Unused>::find(Tuning const& in, std::string const& verb,
                                             TunedCall const& call) {
  auto const within = [](int n, int first, int last) { return first <= n && n <= last; };
  struct ByVerb {
    bool operator()(TuningLine const& l, std::string const& name) const {
      return l.operation < name;
    }
    bool operator()(std::string const& name, TuningLine const& l) const {
      return name < l.operation;
    }
  };
  auto const [first, end] = std::equal_range(in.lines.begin(), in.lines.end(), verb, ByVerb());
  for (auto line = first; line != end; ++line)
    if (within(call.rows, line->first_row, line->last_row) &&
        (line->first_col == 0 && line->last_col == 0
             ? call.cols == call.rows
             : within(call.cols, line->first_col, line->last_col)) &&
        within(call.sides, line->first_side, line->last_side) && line->type == call.type &&
        line->space == call.space &&
        (line->arrangement == "any" ||
         line->arrangement == (call.items_near ? "interleaved" : "item-contiguous")))
      return &*line;
  return nullptr;
}

/// The tuning that is loaded, after it was replaced if it is to be. Launches only read the pointer.
/// Tunings are kept, since a launch may still read an old one.
template <class Unused>
Tuning const* TunedKernels<Unused>::current(Tuning const* next, bool replaces) {
  static std::atomic<Tuning const*> pointer{nullptr};
  static std::atomic<bool> is_known{false};
  if (!replaces && is_known.load(std::memory_order_acquire))
    return pointer.load(std::memory_order_acquire);
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Tuning const>> all;
  std::lock_guard const lock(mutex);
  std::unique_ptr<Tuning const> owned(next);
  if (!replaces) {
    if (is_known.load(std::memory_order_acquire)) return pointer.load(std::memory_order_acquire);
    char const* const path = std::getenv("BATCHWORK_TUNING");
    if (path != nullptr && *path != '\0') owned = std::make_unique<Tuning const>(checked(path));
  }
  pointer.store(owned.get(), std::memory_order_release);
  is_known.store(true, std::memory_order_release);
  if (owned) all.push_back(std::move(owned));
  return pointer.load(std::memory_order_acquire);
}

/// The tuning of a file, which was measured on this machine with this version.
template <class Unused>
Tuning TunedKernels<Unused>::checked(std::string const& path) {
  auto const fail = [&](std::string const& what) {
    throw std::runtime_error("Batchwork: " + path + ": " + what);
  };
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail("the tuning cannot be opened; measure one with batchwork-tune");
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  bool const failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) fail("the tuning cannot be read; give a file");
  Tuning r = read(text, path);
  auto const expect = [&](char const* what, std::string const& measured, std::string const& here) {
    if (measured != "any" && measured != here)
      fail("the tuning was measured with " + std::string(what) + " \"" + measured +
           "\", and this is \"" + here + "\"; measure again with batchwork-tune, or write \"" +
           what + " any\"");
  };
  expect("version", r.version, version_of_library());
  expect("machine", r.machine, name_of_machine());
  return r;
}

template <class Unused>
void TunedKernels<Unused>::save(std::string const& path, std::vector<TuningLine> const& lines) {
  std::string const all = text({path, name_of_machine(), version_of_library(), lines});
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool const written =
      file != nullptr && std::fwrite(all.data(), 1, all.size(), file) == all.size();
  if ((file != nullptr && std::fclose(file) != 0) || !written)
    throw std::runtime_error("Batchwork: " + path +
                             ": the tuning cannot be written; give a file in a folder that exists");
}
template <class Unused>
void TunedKernels<Unused>::load(std::string const& path) {
  current(new Tuning(checked(path)), true);
}
template <class Unused>
void TunedKernels<Unused>::clear() {
  current(nullptr, true);
}
template <class Unused>
Tuning const& TunedKernels<Unused>::loaded() {
  static Tuning const none;
  Tuning const* const there = current(nullptr, false);
  return there != nullptr ? *there : none;
}
template <class Unused>
KernelKind TunedKernels<Unused>::kernel_for(std::string const& verb, TunedCall const& call) {
  Tuning const* const there = current(nullptr, false);
  TuningLine const* const line = there != nullptr ? find(*there, verb, call) : nullptr;
  return line != nullptr ? line->kernel : KernelKind::fastest;
}

}  // namespace Batchwork::Impl

#endif
