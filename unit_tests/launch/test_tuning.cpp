// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunings: their files, which line a call finds, and that launches take its kernel.
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "launch/detail/Batchwork_ChosenLaunch.hpp"
#include "support/Batchwork_Messages.hpp"
#include "support/Batchwork_TestSupport.hpp"
#include "tune/Batchwork_Tune.hpp"

namespace Batchwork::Test {
namespace {

using enum KernelKind;
using Tuned = Impl::TunedKernels<>;

std::string const head = "batchwork-tuning 1\nmachine any\nversion any\n";

/// A file in the folder of the test, which is deleted at the end.
struct File {
  std::string path;
  explicit File(std::string const& text, std::string const& name = "test_tuning.tuning")
      : path(name) {
    std::ofstream(path) << text;
  }
  ~File() {
    std::remove(path.c_str());
    clear_tuning();
  }
  File(File const&) = delete;
  File& operator=(File const&) = delete;
};

std::string refusal_of(std::string const& text) {
  try {
    Tuned::read(text, "my.tuning");
  } catch (std::runtime_error const& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

TEST(Tuning, ReadsLinesOfAFile) {
  File const file(
      head +
      "# a comment\n\n"
      "svd float Cuda any 48-64 20-32 any by_panels 1.5e3\n"
      "lu double Cuda item-contiguous 9 = 0 by_warps 12.5 by_lanes 14 # and one here\r\n"
      "  solve_lu\tdouble HIP interleaved 1-8 = 1 by_lane 2\n");
  EXPECT_TRUE(tuning().path.empty());
  load_tuning(file.path);
  Tuning const& t = tuning();
  EXPECT_EQ(t.path, file.path);
  EXPECT_EQ(t.machine, "any");
  ASSERT_EQ(t.lines.size(), 3u);
  EXPECT_EQ(t.lines[0].operation, "lu");
  EXPECT_EQ(t.lines[0].first_row, 9);
  EXPECT_EQ(t.lines[0].last_row, 9);
  EXPECT_EQ(t.lines[0].kernel, by_warps);
  EXPECT_EQ(t.lines[0].nanoseconds, 12.5);
  EXPECT_EQ(t.lines[0].built_in, by_lanes);
  EXPECT_EQ(t.lines[0].built_in_nanoseconds, 14);
  EXPECT_EQ(t.lines[1].space, "HIP");
  EXPECT_EQ(t.lines[1].arrangement, "interleaved");
  EXPECT_EQ(t.lines[2].first_col, 20);
  EXPECT_EQ(t.lines[2].last_col, 32);
  EXPECT_EQ(t.lines[2].built_in, fastest);
  clear_tuning();
  EXPECT_TRUE(tuning().path.empty());
  EXPECT_TRUE(tuning().lines.empty());
}

TEST(Tuning, SavesWhatItReads) {
  Tuning const t = Tuned::read(head +
                                   "eigh float Cuda any 3 = any by_lane 1\nqr double HIP "
                                   "interleaved 5-any 1-7 2-4 in_scratch "
                                   "3.25 by_panels 4\n",
                               "x");
  File const file("", "test_tuning_saved.tuning");
  save_tuning(file.path, t.lines);
  load_tuning(file.path);  // of this machine and this version
  EXPECT_EQ(tuning().version, std::string(version()));
  ASSERT_EQ(tuning().lines.size(), 2u);
  EXPECT_EQ(Tuned::text({"", "any", "any", tuning().lines}),
            Tuned::text({"", "any", "any", t.lines}));
  EXPECT_EQ(tuning().lines[1].kernel, in_scratch);
  EXPECT_EQ(tuning().lines[1].last_side, 4);
}

TEST(Tuning, RefusesBadFilesWithFileLineAndRemedy) {
  struct Bad {
    std::string text;
    std::initializer_list<char const*> said;
  };
  auto const with = [](std::string const& line) { return head + "# one\n" + line + "\n"; };
  for (Bad const& bad : std::initializer_list<Bad>{
           {"", {"my.tuning:1: ", "empty"}},
           {"lu double\n", {"my.tuning:1: ", "begin with"}},
           {"batchwork-tuning 2\n", {"my.tuning:1: ", "\"2\"", "measure again"}},
           {"batchwork-tuning 1\nversion any\n", {"machine", "is missing"}},
           {"batchwork-tuning 1\nmachine\n", {"my.tuning:2: ", "has no name"}},
           {with("lu double Cuda any 3"), {"my.tuning:5: ", "9 or 11 words", "has 5"}},
           {with("gemm double Cuda any 3 = any by_lane 1"), {":5: ", "\"gemm\"", "solve_lu"}},
           {with("lu half Cuda any 3 = any by_lane 1"), {":5: ", "\"half\"", "float or double"}},
           {with("lu float Cuda left 3 = any by_lane 1"), {":5: ", "\"left\"", "interleaved"}},
           {with("lu float Cuda any 3x = any by_lane 1"), {":5: ", "\"3x\"", "rows", "first-last"}},
           {with("lu float Cuda any -3 = any by_lane 1"), {":5: ", "\"\"", "rows"}},
           {with("lu float Cuda any 99999999999 = any by_lane 1"), {":5: ", "no number of rows"}},
           {with("lu float Cuda any 9-3 = any by_lane 1"), {":5: ", "before the first"}},
           {with("lu float Cuda any 3 x any by_lane 1"), {":5: ", "columns"}},
           {with("lu float Cuda any 3 = x by_lane 1"), {":5: ", "sides"}},
           {with("lu float Cuda any 3 = any lane 1"), {":5: ", "\"lane\"", "by_panels"}},
           {with("lu float Cuda any 3 = any in_workspace 1"), {":5: ", "workspace(view)"}},
           {with("lu float Cuda any 3 = any by_lane fast"), {":5: ", "\"fast\"", "nanoseconds"}},
           {with("lu float Cuda any 3 = any by_lane -1"), {":5: ", "nanoseconds"}},
           {with("lu float Cuda any 3 = any by_lane nan"), {":5: ", "nanoseconds"}}})
    expect_says(refusal_of(bad.text), bad.said);
}

TEST(Tuning, KeepsWhatWasLoadedIfAFileIsRefused) {
  File const good(head + "lu float Cuda any 3 = any by_lane 1\n");
  load_tuning(good.path);
  EXPECT_THROW(load_tuning("there_is_no_such.tuning"), std::runtime_error);
  for (char const* line : {"machine of another make", "version 0.0.1"}) {
    File const other(head + line + "\n", "test_tuning_other.tuning");
    load_tuning(good.path);
    EXPECT_THROW(load_tuning(other.path), std::runtime_error) << line;
    EXPECT_EQ(tuning().path, good.path);
  }
}

TEST(Tuning, AcceptsAFileWithoutDecisions) {
  File const file(head);
  load_tuning(file.path);
  EXPECT_EQ(tuning().path, file.path);
  EXPECT_EQ(Tuned::kernel_for("lu", {"double", "Cuda", false, 4, 4, 0}), fastest);
}

TEST(Tuning, FindsTheFirstLineThatFitsACall) {
  Tuning const t = Tuned::read(head +
                                   "qr double Cuda item-contiguous 10-20 = any by_lanes 1\n"
                                   "qr double Cuda item-contiguous 10-20 5-9 any by_warps 2\n"
                                   "qr double Cuda interleaved 10-20 = any by_panels 3\n"
                                   "qr float Cuda any any any 2-3 in_scratch 4\n"
                                   "qr float HIP any any any any by_lane 5\n"
                                   "solve_lu float Cuda any any any any by_warps 6\n",
                               "x");
  auto const found = [&](char const* verb, Impl::TunedCall const& call) {
    TuningLine const* const line = Tuned::find(t, verb, call);
    return line == nullptr ? 0 : int(line->nanoseconds);
  };
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 10, 10, 10}), 1);
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 20, 20, 0}), 1);
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 9, 9, 9}), 0);
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 21, 21, 9}), 0);
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 15, 9, 9}), 2);
  EXPECT_EQ(found("qr", {"double", "Cuda", false, 15, 10, 9}), 0);
  EXPECT_EQ(found("qr", {"double", "Cuda", true, 15, 15, 9}), 3);
  EXPECT_EQ(found("qr", {"double", "HIP", false, 15, 15, 9}), 0);
  EXPECT_EQ(found("qr", {"float", "Cuda", true, 15, 15, 3}), 4);
  EXPECT_EQ(found("qr", {"float", "Cuda", true, 15, 15, 4}), 0);
  EXPECT_EQ(found("qr", {"float", "HIP", false, 1, 4000, 4}), 5);
  EXPECT_EQ(found("solve_lu", {"float", "Cuda", false, 7, 7, 1}), 6);
  EXPECT_EQ(found("lu", {"float", "Cuda", false, 7, 7, 1}), 0);
  EXPECT_EQ(found("svd", {"float", "Cuda", false, 7, 7, 1}), 0);
}

// ---- launches -----------------------------------------------------------------------------------

/// The kernel that a launch takes. \param has_room  says which kinds fit on the device
template <class Choice, class HasRoom>
KernelKind launched(std::string const& verb, Impl::Candidates<Choice> const& there,
                    Impl::TunedCall const& tuned, KernelKind wanted, HasRoom const& has_room) {
  Impl::Call const call{verb, {}, "", wanted};
  KernelKind taken = fastest;
  Impl::launch_chosen(
      call, there, [] { return std::string("these matrices"); },
      [&](Choice const& c) {
        // Kernels for larger items ask the call.
        EXPECT_TRUE(call.kernel == fastest || call.kernel == c.kind);
        if (!has_room(c.kind)) return false;
        taken = c.kind;
        return true;
      },
      tuned);
  EXPECT_TRUE(call.kernel == wanted || wanted == fastest);
  return taken;
}
bool room(KernelKind) { return true; }

TEST(Tuning, LaunchesOfEachVerbTakeItsKernel) {
  // An unusual one.
  struct Case {
    TunableVerb verb;
    int rows;
    KernelKind planted;
  };
  for (Case const& c :
       {Case{TunableVerb::lu, 8, by_warps}, Case{TunableVerb::solve_lu, 24, by_panels},
        Case{TunableVerb::inverse, 24, by_warps}, Case{TunableVerb::cholesky, 40, in_scratch},
        Case{TunableVerb::solve_cholesky, 7, by_warps}, Case{TunableVerb::qr, 40, in_scratch},
        Case{TunableVerb::eigh, 12, in_scratch}, Case{TunableVerb::svd, 12, in_scratch}}) {
    std::string const verb = Impl::name_of(c.verb);
    SCOPED_TRACE(verb);
    auto const there = Impl::kernels_of<double>(c.verb, c.rows, c.rows, 1, false, true);
    KernelKind const built_in = there.begin()->kind;
    ASSERT_NE(built_in, c.planted);
    Impl::TunedCall const call{"double", "Cuda", false, c.rows, c.rows, 1};
    EXPECT_EQ(launched(verb, there, call, fastest, room), built_in);
    File const file(head + verb + " double Cuda any " + std::to_string(c.rows) + " = any " +
                    Impl::word_of(c.planted) + " 1\n");
    load_tuning(file.path);
    EXPECT_EQ(launched(verb, there, call, fastest, room), c.planted);
    // Not for another size; nor where a call asks for its workspace.
    EXPECT_EQ(
        launched(verb, there, {"double", "Cuda", false, c.rows + 1, c.rows + 1, 1}, fastest, room),
        built_in);
    EXPECT_EQ(launched(verb, there, {}, fastest, room), built_in);
    // launch(kernel::...) goes first.
    EXPECT_EQ(launched(verb, there, call, built_in, room), built_in);
    // Without room for it.
    EXPECT_EQ(launched(verb, there, call, fastest, [&](KernelKind k) { return k != c.planted; }),
              built_in);
    EXPECT_EQ(launched(verb, there, call, fastest,
                       [&](KernelKind k) {
                         if (k == c.planted) throw std::invalid_argument("no room");
                         return true;
                       }),
              built_in);
    clear_tuning();
    EXPECT_EQ(launched(verb, there, call, fastest, room), built_in);
  }
}

TEST(Tuning, IgnoresAKernelThatCannotRunTheSize) {
  File const file(head + "lu double Cuda any any any any by_lane 1\n");
  load_tuning(file.path);
  Impl::TunedCall const call{"double", "Cuda", false, 40, 40, 0};
  auto const there = Impl::kernels_of<double>(TunableVerb::lu, 40, 40, 1, false, true);
  EXPECT_EQ(launched("lu", there, call, fastest, room), by_warps);
  EXPECT_THROW(launched("lu", there, call, by_lane, room), std::invalid_argument);
}

TEST(Tuning, IsReplacedWhileOthersLaunch) {
  File const one(head + "lu double Cuda any any any any by_lane 1\n");
  File const two(head + "lu double Cuda any any any any by_warps 1\n", "test_tuning_two.tuning");
  load_tuning(one.path);
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    while (!ends) {
      KernelKind const k = Tuned::kernel_for("lu", {"double", "Cuda", false, 4, 4, 0});
      if (k != by_lane && k != by_warps) ++wrong;
    }
  });
  for (int k = 0; k < 200; ++k) load_tuning(k % 2 == 0 ? two.path : one.path);
  ends = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

// ---- the verbs ----------------------------------------------------------------------------------

std::vector<std::string>& regions() {
  static std::vector<std::string> all;
  return all;
}

/// What the verb launches with a planted kernel and without one, and the error of its result.
template <TunableVerb V>
void expect_planted(int rows, char const* planted, char const* kernel) {
  SCOPED_TRACE(Impl::name_of(V));
  Impl::TuneProblem<V, double, Space> const problem(rows, 1, false, 64);
  namespace Tools = Kokkos::Tools::Experimental;
  auto const before = Tools::get_callbacks();
  auto const label = [&] {
    regions().clear();
    problem.poison();
    Tools::set_callbacks({});
    Tools::set_push_region_callback([](char const* n) { regions().push_back(n); });
    Tools::set_pop_region_callback([] {});
    problem.call(fastest);
    Tools::set_callbacks(before);
    EXPECT_LE(problem.error(), 1);
    return regions().empty() ? std::string() : regions().front();
  };
  std::string const usual = label();
  File const file(head + Impl::name_of(V) + " double " + Space::name() + " item-contiguous " +
                  std::to_string(rows) + " = any " + planted + " 1\n");
  load_tuning(file.path);
  std::string const tuned = label();
  if constexpr (Impl::runs_on_device<Space> && Impl::Vendor::has_shuffles) {
    EXPECT_NE(usual, tuned);
    EXPECT_NE(tuned.find(kernel), std::string::npos) << tuned;
  } else {
    EXPECT_EQ(usual, tuned) << kernel;
  }
}

TEST(Tuning, VerbsLaunchAPlantedKernel) {
  expect_planted<TunableVerb::lu>(8, "by_warps", ": LuTiles");
  expect_planted<TunableVerb::solve_lu>(7, "by_lanes", ": SolutionOfSharedLanes");
  expect_planted<TunableVerb::inverse>(8, "by_lanes", ": InverseOfSharedLanes");
  expect_planted<TunableVerb::cholesky>(16, "by_warps", ": TriangleTeams");
  expect_planted<TunableVerb::solve_cholesky>(8, "by_warps", ": TriangleTeams");
  expect_planted<TunableVerb::qr>(8, "by_warps", ": QrOfTiles");
  expect_planted<TunableVerb::eigh>(8, "by_warps", ": EighByReflections");
  expect_planted<TunableVerb::svd>(8, "by_warps", ": SvdByReflections");
}

// ---- tune ---------------------------------------------------------------------------------------

TEST(Tune, KeepsTheBuiltInChoiceUnlessAnotherKernelIsRightAndFaster) {
  TunedSize s;
  s.times = {{by_lanes, 100, 0.1}, {by_warps, 99, 0.1}, {in_scratch, 50, 1.1}};
  EXPECT_EQ(s.best().kernel, by_lanes);
  EXPECT_EQ(s.gain(), 1);
  s.times[1].nanoseconds = 80;
  EXPECT_EQ(s.best().kernel, by_warps);
  EXPECT_EQ(s.gain(), 1.25);
  s.times[0].error = std::numeric_limits<double>::quiet_NaN();
  s.times[1].nanoseconds = 200;
  EXPECT_EQ(s.best().kernel, by_warps);
}

TEST(Tune, DecidesBetweenMeasuredSizesThatAgree) {
  auto const size = [](int rows, double lanes, double warps) {
    TunedSize s;
    s.rows = rows;
    s.times = {{by_lanes, lanes, 0}, {by_warps, warps, 0}};
    return s;
  };
  TuneSizes sizes;
  std::vector<TunedSize> measured = {size(8, 1, 2), size(12, 2, 1), size(16, 2, 1), size(24, 1, 2),
                                     size(32, 1, 2)};
  measured[3].times[0].error = measured[3].times[1].error = 2;  // wrong
  auto const lines = tuned_lines<TunableVerb::eigh, float, Space>(sizes, measured);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].kernel, by_lanes);
  EXPECT_EQ(lines[1].first_row, 12);
  EXPECT_EQ(lines[1].last_row, 15);
  EXPECT_EQ(lines[1].kernel, by_warps);
  EXPECT_EQ(lines[2].last_row, 16);
  EXPECT_EQ(lines[3].first_row, 32);
  EXPECT_EQ(lines[3].kernel, by_lanes);
  Tuning const read = Tuned::read(Tuned::text({"", "any", "any", lines}), "x");
  EXPECT_EQ(Tuned::find(read, "eigh", {"float", Space::name(), false, 14, 14, 14})->kernel,
            by_warps);
  EXPECT_EQ(Tuned::find(read, "eigh", {"float", Space::name(), false, 20, 20, 0}), nullptr);
}

TEST(Tune, MeasuresKernelsAndTheirErrors) {
  TuneSizes sizes;
  sizes.rows = {3, 20};
  sizes.items = 40;
  sizes.seconds = 1e-5;
  for (bool const interleaved : {false, true}) {
    sizes.interleaved = interleaved;
    auto const measured = tune<TunableVerb::solve_cholesky, double, Space>(sizes);
    ASSERT_EQ(measured.size(), 2u);
    for (TunedSize const& s : measured) {
      EXPECT_EQ(s.items, 40);
      for (TuneTime const& t : s.times) {
        EXPECT_GT(t.nanoseconds, 0);
        EXPECT_LE(t.error, 1);
      }
    }
  }
}

TEST(Tune, SeesWrongResults) {
  Impl::TuneProblem<TunableVerb::solve_cholesky, double, Space> const problem(5, 2, true, 10);
  problem.poison();
  EXPECT_GT(problem.error(), 1);
  problem.call(fastest);
  EXPECT_LE(problem.error(), 1);
  // The last item alone: it is one of those that are compared.
  auto const last = Kokkos::subview(problem.left, 9, 4, 1);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), last);
  host() *= 1 + 1e-9;
  Kokkos::deep_copy(last, host);
  EXPECT_GT(problem.error(), 1);
}

}  // namespace
}  // namespace Batchwork::Test
