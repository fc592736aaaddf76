// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// launch_teams: launches the team kernels of every verb. Launches that Kokkos would refuse are
/// refused earlier: a launch refused by Kokkos keeps a slot of its scratch pool on CUDA, and after
/// several of them the next one waits forever.
#ifndef BATCHWORK_TEAMLAUNCH_HPP
#define BATCHWORK_TEAMLAUNCH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/detail/backend/Batchwork_DeviceLimits.hpp"
#include "core/detail/backend/Batchwork_LaunchLimits.hpp"
#include "launch/detail/Batchwork_KernelRegion.hpp"

namespace Batchwork::Impl {

/// The teams of a launch.
struct TeamShape {
  std::int64_t teams = 0;
  int lanes = 1;          ///< the lanes of a team
  std::size_t bytes = 0;  ///< the level-0 scratch of a team
};

/// The parts of a message about a refused launch: what was too large, and what to do.
struct LaunchWords {
  std::string verb;
  std::string subject;  ///< a plural, such as "the matrices"
  std::string remedy;
};

/// A kernel with its policy. MostLanes and Teams are the launch bounds: the largest number of lanes
/// in a team, and the smallest number of teams that a multiprocessor should hold. Uses kernel
/// arguments instead of Kokkos' constant buffer, with which launches on different instances would
/// wait for one another.
template <int MostLanes, int Teams, class Exec>
auto team_policy(Exec const& exec, TeamShape const& shape) {
  using namespace Kokkos::Experimental;
  Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::int64_t>,
                     Vendor::TeamBounds<Exec, MostLanes, Teams>>
  policy(exec, int(shape.teams), shape.lanes, 1);
  if (shape.bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(int(shape.bytes)));
  return require(policy, WorkItemProperty::HintLightWeight);
}

/// The part of a launch that exceeds the limits of the device itself, or an empty string.
inline std::string beyond_limits(DeviceLimits const& limits, TeamShape const& shape) {
  if (shape.teams > limits.teams_of_launch)
    return "need " + std::to_string(shape.teams) + " teams, but a launch has at most " +
           std::to_string(limits.teams_of_launch) + " teams";
  if (shape.lanes > limits.lanes_of_team)
    return "need teams of " + std::to_string(shape.lanes) + " lanes, but the limit is " +
           std::to_string(limits.lanes_of_team);
  if (shape.bytes > limits.scratch_of_team)
    return "need " + std::to_string(shape.bytes) + " bytes of team scratch, but only " +
           std::to_string(limits.scratch_of_team) + " are available";
  return "";
}

/// The largest number of lanes in a team with which Kokkos would launch the kernel, which asks the
/// same at the launch. It is only a query and takes nothing from the scratch pool.
template <class Policy, class Kernel>
int most_lanes_launched(Policy const& policy, Kernel const& kernel) {
  return policy.team_size_max(kernel, Kokkos::ParallelForTag());
}

/// Whether Kokkos would launch the kernel so.
template <int MostLanes, int Teams, class Exec, class Kernel>
bool launches_teams(Exec const& exec, Kernel const& kernel, TeamShape const& shape) {
  return beyond_limits(Vendor::device_limits(exec), shape).empty() &&
         shape.lanes <= most_lanes_launched(team_policy<MostLanes, Teams>(exec, shape), kernel);
}

/// Launches the kernel, or throws std::invalid_argument before anything is launched.
/// \param words  gives LaunchWords; called only for a message
template <int MostLanes, int Teams, class Exec, class Kernel, class Words>
void launch_teams(Exec const& exec, std::string const& label, Kernel const& kernel,
                  TeamShape const& shape, Words const& words) {
  static_assert(sizeof(Kernel) <= Vendor::kernel_bytes<Exec>,
                "Batchwork: the operands and the sequence are too large for the arguments of one "
                "launch; pass large values in Views");
  auto const refuse = [&](std::string const& what, std::string const& remedy = "") {
    LaunchWords const w = words();
    throw std::invalid_argument("Batchwork::" + w.verb + ": " + w.subject + " " + what + "; " +
                                (remedy.empty() ? w.remedy : remedy));
  };
  DeviceLimits const limits = Vendor::device_limits(exec);
  std::string const beyond = beyond_limits(limits, shape);
  if (!beyond.empty())
    refuse(beyond, shape.teams > limits.teams_of_launch ? "divide the items" : "");
  auto const policy = team_policy<MostLanes, Teams>(exec, shape);
  int const most = most_lanes_launched(policy, kernel);
  if (shape.lanes > most)
    refuse("need teams of " + std::to_string(shape.lanes) + " lanes with " +
           std::to_string(shape.bytes) + " bytes of team scratch each, and a multiprocessor " +
           "should hold " + std::to_string(Teams) + " of them; it has room for " +
           std::to_string(limits.scratch(Teams, shape.lanes)) + " bytes and " +
           std::to_string(most) + " lanes each");
  KernelRegion const region(label, kernel);
  Kokkos::parallel_for(label, policy, kernel);
}

/// The same if a multiprocessor may have too little scratch for so many teams: it then holds as
/// many as fit. That needs another kernel with other bounds, so it is only used for kernels that
/// may need it.
template <int MostLanes, int Teams, class Exec, class Kernel, class Words>
void launch_teams_that_fit(Exec const& exec, std::string const& label, Kernel const& kernel,
                           TeamShape const& shape, Words const& words) {
  if (Vendor::device_limits(exec).holds(Teams, shape.lanes, shape.bytes))
    launch_teams<MostLanes, Teams>(exec, label, kernel, shape, words);
  else launch_teams<MostLanes, 1>(exec, label, kernel, shape, words);
}

/// The teams of a kernel that tells them: teams(), the lanes of a team() and its bytes().
template <class Kernel>
TeamShape shape_of(Kernel const& kernel) {
  return {kernel.teams(), kernel.team(), kernel.bytes()};
}
/// Launches such a kernel with its launch bounds.
template <class Exec, class Kernel, class Words>
void launch_kernel(Exec const& exec, std::string const& label, Kernel const& kernel,
                   Words const& words) {
  launch_teams<Kernel::largest_team, Kernel::wanted_teams>(exec, label, kernel, shape_of(kernel),
                                                           words);
}
template <class Exec, class Kernel, class Words>
void launch_kernel_that_fits(Exec const& exec, std::string const& label, Kernel const& kernel,
                             Words const& words) {
  launch_teams_that_fit<Kernel::largest_team, Kernel::wanted_teams>(exec, label, kernel,
                                                                    shape_of(kernel), words);
}

}  // namespace Batchwork::Impl

#endif
