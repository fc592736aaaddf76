// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The only file with code for particular vendors' devices. All of it has a portable counterpart
/// next to it, which is used if BATCHWORK_DISABLE_VENDOR is defined (CMake:
/// Batchwork_ENABLE_VENDOR=OFF).
#ifndef BATCHWORK_VENDOR_HPP
#define BATCHWORK_VENDOR_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/detail/Batchwork_Macros.hpp"
#include "core/detail/backend/Batchwork_DeviceLimits.hpp"

#if !defined(BATCHWORK_DISABLE_VENDOR) && !defined(__CUDACC__) && !defined(__HIPCC__) && \
    defined(__SSE2__)
#include <immintrin.h>
#define BATCHWORK_VENDOR_X86 1
#endif
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDA_ARCH__)
#define BATCHWORK_VENDOR_CUDA 1
#endif
#if !defined(BATCHWORK_DISABLE_VENDOR) && defined(__HIP_DEVICE_COMPILE__)
#define BATCHWORK_VENDOR_HIP 1
#endif
// Tests define BATCHWORK_THREADS_AS_LANES as the number of lanes in a warp, see below; or as 1, for
// the portable path.
#if defined(BATCHWORK_THREADS_AS_LANES)
#if BATCHWORK_THREADS_AS_LANES > 1
#define BATCHWORK_VENDOR_THREADS 1
#endif
#endif
// True in all passes of a compiler for such devices.
#if (!defined(BATCHWORK_DISABLE_VENDOR) && (defined(__CUDACC__) || defined(__HIPCC__))) || \
    defined(BATCHWORK_VENDOR_THREADS)
#define BATCHWORK_VENDOR_WARPS 1
#endif

namespace Batchwork::Impl::Vendor {

// ---- what a device has
// ---------------------------------------------------------------------------------------------

/// The limits of the device of an instance. Kokkos reports those of a team. Those of a
/// multiprocessor come from CUDA and HIP through Kokkos' public queries. On other devices a
/// multiprocessor is assumed to hold any number of teams, so that only the limits of a team
/// restrict a launch.
template <class Exec>
DeviceLimits device_limits([[maybe_unused]] Exec const& exec) {
  constexpr int any_lanes = std::numeric_limits<int>::max();
  DeviceLimits r{std::size_t(Kokkos::TeamPolicy<Exec>::scratch_size_max(0)),
                 std::numeric_limits<std::size_t>::max(),
                 0,
                 0,
                 any_lanes,
                 any_lanes,
                 any_lanes};
  [[maybe_unused]] auto const ask = [&](auto const& p) {
    // Kokkos keeps a double for each lane and two more for the team's reductions, and 16 static
    // bytes.
    r.reserved_of_team = 4 * sizeof(double);
    r.reserved_of_lane = sizeof(double);
    r.lanes_of_team = p.maxThreadsPerBlock;
    r.lanes_of_multiprocessor = p.maxThreadsPerMultiProcessor;
    r.teams_of_launch = std::int64_t(p.maxGridSize[0]) - 1;
    r.multiprocessors = p.multiProcessorCount;
  };
  if constexpr (requires { exec.cuda_device_prop(); }) {
    auto const& p = exec.cuda_device_prop();
    ask(p);
    r.reserved_of_team += p.reservedSharedMemPerBlock;
    r.scratch_of_multiprocessor = p.sharedMemPerMultiprocessor;
  } else if constexpr (requires { exec.hip_device_prop(); }) {
    auto const& p = exec.hip_device_prop();
    ask(p);
    r.scratch_of_multiprocessor = p.maxSharedMemoryPerMultiProcessor;
  }
  return r;
}

/// The largest size of a kernel's arguments for launches with Kokkos' light-weight hint, which
/// verbs use; larger arguments wait for a copy first. 32 KB on CUDA with a newer Kokkos, 4 KB
/// elsewhere. Hosts, which copy a functor to their threads, use the limit of the largest device.
template <class Exec>
inline constexpr std::size_t argument_bytes = 32768;
#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::Cuda> =
    Kokkos::Impl::CudaTraits::KernelArgumentLimit;
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::HIP> = 4096;
#endif
#if defined(KOKKOS_ENABLE_SYCL)
template <>
inline constexpr std::size_t argument_bytes<Kokkos::SYCL> = 4096;
#endif
/// The part of it for a kernel of the library; Kokkos adds its policy and pointers.
template <class Exec>
inline constexpr std::size_t kernel_bytes = argument_bytes<Exec> - 1024;
/// The part of these for the fixed operands of a call, besides its Views and its sequence.
template <class Exec>
inline constexpr std::size_t fixed_bytes = kernel_bytes<Exec> - 1024;

/// Fixed operands of a call up to so many bytes are read from the arguments: constant memory, as
/// fast as registers as long as its cache holds them, ten times as slow beyond. Larger ones are
/// staged in team scratch on devices. Measured by perf_fixed.
inline constexpr std::size_t fast_argument_bytes = 2048;

// ---- launch bounds
// ---------------------------------------------------------------------------------------------

/// The second number of Kokkos' LaunchBounds for a multiprocessor (a compute unit) that should hold
/// so many teams of so many lanes. For CUDA it is the number of teams. Kokkos passes it to the
/// compiler; HIP takes it as the least number of wavefronts of 64 that each of the four SIMDs of a
/// compute unit should hold (HIP language extensions, __launch_bounds__).
template <class Exec>
constexpr unsigned launch_bound([[maybe_unused]] int lanes, int teams) {
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>)
    return unsigned((teams * ((lanes + 63) / 64) + 3) / 4);
#endif
  return unsigned(teams);
}
template <class Exec, int Lanes, int Teams>
using TeamBounds = Kokkos::LaunchBounds<unsigned(Lanes), launch_bound<Exec>(Lanes, Teams)>;

// ---- warps
// ---------------------------------------------------------------------------------------------

/// Whether the lanes of a warp read each other's numbers without scratch. The host needs it as
/// well, because it reserves the scratch.
#if defined(BATCHWORK_VENDOR_WARPS)
inline constexpr bool has_shuffles = true;
#else
inline constexpr bool has_shuffles = false;
#endif

/// The lanes of a warp; wavefronts of AMD's gfx9 have 64. No code relies on more than 32 lanes
/// executing together, but these lanes synchronise without scratch or barriers.
inline constexpr int warp_lanes =
#if defined(BATCHWORK_VENDOR_THREADS)
    BATCHWORK_THREADS_AS_LANES;
#elif defined(KOKKOS_ENABLE_HIP) &&                                            \
    (defined(KOKKOS_ARCH_AMD_GFX906) || defined(KOKKOS_ARCH_AMD_GFX908) ||     \
     defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX940) ||     \
     defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU) || \
     defined(KOKKOS_ARCH_AMD_GFX950))
    64;
#else
    32;
#endif

#if defined(BATCHWORK_THREADS_AS_LANES)
/// Lanes that are threads of a host, in warps of this size, for tests. The program that runs the
/// threads defines it.
struct ThreadAsLane {
  static int rank();   ///< the rank in the team
  static int count();  ///< the lanes of the team
  /// Waits for the calling thread's group of so many neighbours.
  static void meet(int together);
  /// Replaces a number of so many bytes by the number of another lane of the group.
  static void exchange(void* number, int bytes, int from, int together);
};
#endif

/// The linear rank of the calling lane over team size times vector length, and the number of lanes.
/// The portable path cannot distinguish the vector lanes of a thread: there a lane is a thread, and
/// its vector lanes do the same work.
template <class Member>
BATCHWORK_INLINE int lane_rank([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#else
  return member.team_rank();
#endif
}
template <class Member>
BATCHWORK_INLINE int lane_count([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return static_cast<int>(blockDim.x * blockDim.y);
#else
  return member.team_size();
#endif
}

/// Runs `body(k)` for k = 0 .. n-1, one k per lane at a time, over all lanes of the team (team size
/// times vector length). No synchronisation. Called by all threads of the team, outside nested
/// ranges.
template <class Member, class Body>
BATCHWORK_INLINE void for_each_lane(Member const& member, int n, Body const& body) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  (void)member;
  // threadIdx.x runs over the vector lanes, threadIdx.y over the threads of a Kokkos team.
  int const lane = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  int const lanes = static_cast<int>(blockDim.x * blockDim.y);
#pragma unroll 1
  for (int k = lane; k < n; k += lanes) body(k);
#elif defined(BATCHWORK_THREADS_AS_LANES)
  for (int k = lane_rank(member); k < n; k += lane_count(member)) body(k);
#else
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), body);
#endif
}

/// The primitives: the rest of this section is written with them. `together` lanes call one at the
/// same time, 32 or a warp. Where has_shuffles; else they do nothing.

/// Writes to scratch before it are seen by the lanes of the warp after it. Wavefronts execute in
/// lockstep.
BATCHWORK_INLINE void meet_in_warp([[maybe_unused]] int together = 32) {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp();
#elif defined(BATCHWORK_VENDOR_HIP)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#elif defined(BATCHWORK_VENDOR_THREADS)
  ThreadAsLane::meet(together);
#endif
}
/// Exchanges a number with the lane of a group of L whose rank differs by the bit `step`.
template <int L = 32, class T>
BATCHWORK_INLINE T swapped(T const& x, [[maybe_unused]] int step,
                           [[maybe_unused]] int together = 32) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __shfl_xor_sync(0xffffffffu, x, step, L);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __shfl_xor(x, step);
#elif defined(BATCHWORK_VENDOR_THREADS)
  T y = x;
  ThreadAsLane::exchange(&y, int(sizeof(T)), ThreadAsLane::rank() ^ step, together);
  return y;
#else
  return x;
#endif
}
/// The value that the lane `from` of the L of a group holds.
template <int L, class T>
BATCHWORK_INLINE T from_lane(T const& x, [[maybe_unused]] int from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __shfl_sync(0xffffffffu, x, from, L);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __shfl(x, from, L);
#elif defined(BATCHWORK_VENDOR_THREADS)
  T y = x;
  ThreadAsLane::exchange(&y, int(sizeof(T)), ThreadAsLane::rank() / L * L + from, 32);
  return y;
#else
  return x;
#endif
}

/// The calling lane's rank in its warp.
BATCHWORK_INLINE int rank_in_warp() {
#if defined(BATCHWORK_VENDOR_CUDA)
  int rank;
  asm("mov.u32 %0, %%laneid;" : "=r"(rank));
  return rank;
#elif defined(BATCHWORK_VENDOR_HIP)
  return int(__lane_id());
#elif defined(BATCHWORK_VENDOR_THREADS)
  return ThreadAsLane::rank() % warp_lanes;
#else
  return 0;
#endif
}

/// Whether x is true in any lane of the warp. Available where has_shuffles.
BATCHWORK_INLINE bool any_in_warp(bool x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __any_sync(0xffffffffu, x);
#elif defined(BATCHWORK_VENDOR_HIP)
  return __any(x) != 0;
#elif defined(BATCHWORK_VENDOR_THREADS)
  for (int step = 1; step < 32; step *= 2) x = swapped(x, step) || x;
  return x;
#else
  return x;
#endif
}

/// Bit l of the result says whether x is true in lane l of the 32. All of them must call it.
/// Available where has_shuffles.
BATCHWORK_INLINE unsigned votes_in_warp(bool x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  return __ballot_sync(0xffffffffu, x);
#elif defined(BATCHWORK_VENDOR_HIP)
  return unsigned(__ballot(x) >> (__lane_id() & 32u));
#elif defined(BATCHWORK_THREADS_AS_LANES)
  unsigned votes = x ? 1u << ThreadAsLane::rank() % 32 : 0u;
  for (int step = 1; step < 32; step *= 2) votes |= swapped(votes, step);
  return votes;
#else
  return x ? 1u : 0u;
#endif
}

/// The number of set bits of x, and the lowest of them.
BATCHWORK_INLINE int count_bits(unsigned x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __popc(x);
#else
  return Kokkos::popcount(x);
#endif
}
BATCHWORK_INLINE int count_bits(std::uint64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __popcll(static_cast<unsigned long long>(x));
#else
  return Kokkos::popcount(x);
#endif
}
BATCHWORK_INLINE int lowest_bit(unsigned x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __ffs(int(x)) - 1;
#else
  return Kokkos::countr_zero(x);
#endif
}
BATCHWORK_INLINE int lowest_bit(std::uint64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
  return __ffsll((long long)x) - 1;
#else
  return Kokkos::countr_zero(x);
#endif
}

/// The largest of the integers of L lanes. Available where has_shuffles.
template <int L, class Integer>
BATCHWORK_INLINE Integer largest_of(Integer x) {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
  constexpr bool at_once = L == 32, half_at_once = L == 16 && sizeof(Integer) == 4;
#else
  constexpr bool at_once = false, half_at_once = false;
#endif
  if constexpr (half_at_once) {
    // The lower and the upper half separately: four shuffles would wait for each other.
    bool const upper = (rank_in_warp() & 16) != 0;
    constexpr Integer least = std::numeric_limits<Integer>::min();
    Integer const of_lower = largest_of<32>(upper ? least : x),
                  of_upper = largest_of<32>(upper ? x : least);
    return upper ? of_upper : of_lower;
  } else if constexpr (at_once) {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(x) == 4) {
      return __reduce_max_sync(0xffffffffu, x);
    } else {
      int const high = __reduce_max_sync(0xffffffffu, int(x >> 32));
      unsigned const low = __reduce_max_sync(0xffffffffu, int(x >> 32) == high ? unsigned(x) : 0u);
      return Integer(high) << 32 | Integer(low);
    }
#endif
  } else {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) {
      Integer const other = swapped<L>(x, step);
      x = other > x ? other : x;
    }
    return x;
  }
}

/// Bit l of the result says whether x is true in lane l of a group of L; `lane` is the calling
/// lane. Available where has_shuffles.
template <int L>
BATCHWORK_INLINE unsigned votes_of(bool x, int lane) {
  unsigned const votes = votes_in_warp(x);
  return L == 32 ? votes : votes >> ((rank_in_warp() - lane) & 31) & ((1u << L % 32) - 1u);
}

/// Waits for the lanes of the caller's warp, all of which must call it. The portable version waits
/// for the whole team, all of which must call it.
template <class Member>
BATCHWORK_INLINE void wait_for_warp([[maybe_unused]] Member const& member) {
#if defined(BATCHWORK_VENDOR_WARPS)
  meet_in_warp();
#else
  member.team_barrier();
#endif
}

/// Whether the lanes of an item with several warps wait for each other while the other items of a
/// team, four at most, continue.
inline constexpr bool items_wait_alone =
#if defined(BATCHWORK_VENDOR_HIP)
    false;
#else
    has_shuffles;
#endif
/// Waits for the neighbouring lanes of item number `item` of a team's `items`, all of which must
/// call it. It waits for the team if the lanes of more than a warp cannot wait separately.
template <int Lanes, class Member>
BATCHWORK_INLINE void wait_for_item(Member const& member, [[maybe_unused]] int item,
                                    [[maybe_unused]] int items) {
  if constexpr (!has_shuffles) {
    member.team_barrier();
  } else if constexpr (Lanes <= warp_lanes) {
    meet_in_warp(Lanes > 32 ? Lanes : 32);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA)
    // Separate barriers (PTX ISA, bar.sync). Their numbers are constants, because a kernel reserves
    // as many as it names. Predicates, because compilers duplicate the code after branches.
    asm volatile(
        "{ .reg .pred is;\n"
        "setp.eq.s32 is, %0, 0; @is bar.sync 1, %1;\n"
        "setp.eq.s32 is, %0, 1; @is bar.sync 2, %1;\n"
        "setp.eq.s32 is, %0, 2; @is bar.sync 3, %1;\n"
        "setp.eq.s32 is, %0, 3; @is bar.sync 4, %1; }" ::"r"(item),
        "n"(Lanes)
        : "memory");
#elif defined(BATCHWORK_VENDOR_THREADS)
    ThreadAsLane::meet(items == 1 ? ThreadAsLane::count() : Lanes);
#else
    member.team_barrier();
#endif
  }
}

/// Waits for the first lanes of a team, whole warps of 32. All of them and no other lanes must call
/// it. Available where items_wait_alone.
template <class Member>
BATCHWORK_INLINE void wait_for_first_lanes([[maybe_unused]] Member const& member,
                                           [[maybe_unused]] int lanes) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("bar.sync 5, %0;" ::"r"(lanes) : "memory");
#elif defined(BATCHWORK_VENDOR_THREADS)
  ThreadAsLane::meet(lanes);
#endif
}

// ---- lanes that share an item
// ---------------------------------------------------------------------------------------------

/// Whether a type is the member type of a team; with other types lanes cannot wait for their team.
template <class M>
inline constexpr bool is_team_member = requires(M const& m) {
  m.team_rank();
  m.team_barrier();
};

#if defined(BATCHWORK_VENDOR_WARPS)
/// How the lanes of a grid wait for each other: with their warp, which never diverges. All its
/// lanes take the same path through a sequence; the missing lanes of an incomplete last warp count
/// as finished, and a constant mask costs almost nothing.
struct LaneSync {
  template <class Member>
  static BATCHWORK_INLINE LaneSync of(Member const&) {
    static_assert(is_team_member<Member>, "Batchwork: lanes share items in teams of Kokkos only");
    return {};
  }
  BATCHWORK_INLINE void sync() const { meet_in_warp(); }
  /// The same for so many neighbouring lanes: beyond a warp, for the whole team.
  template <int Lanes>
  BATCHWORK_INLINE void sync_all() const {
    if constexpr (Lanes <= warp_lanes) {
      meet_in_warp(Lanes > 32 ? Lanes : 32);
    } else {
#if defined(BATCHWORK_VENDOR_CUDA) || defined(BATCHWORK_VENDOR_HIP)
      __syncthreads();
#elif defined(BATCHWORK_VENDOR_THREADS)
      ThreadAsLane::meet(ThreadAsLane::count());
#endif
    }
  }
  /// The value that the lane `from` of the L of a grid holds.
  template <int L, class T>
  BATCHWORK_INLINE T broadcast(T const& x, int from, int, char*) const {
    return from_lane<L>(x, from);
  }
  /// The sum over the L lanes of a grid, the same bits in each.
  template <int L, class T>
  BATCHWORK_INLINE T sum(T x, int, char*) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) x = x + swapped<L>(x, step);
    return x;
  }
  /// See LaneGrid.
  template <int L, class Integer>
  BATCHWORK_INLINE int lane_of_largest(Integer x, int lane, char*) const {
    return lowest_bit(votes_of<L>(x == largest_of<L>(x), lane));
  }
  template <int L>
  BATCHWORK_INLINE unsigned bits_of(unsigned x, int, char*) const {
    BATCHWORK_UNROLL_ON_DEVICE
    for (int step = 1; step < L; step *= 2) x |= swapped<L>(x, step);
    return x;
  }
  /// See LaneGrid. About N numbers pass between the lanes (recursive halving).
  template <int L, int N, class T>
  BATCHWORK_INLINE void scatter_sums(T (&x)[N], int lane, char*) const {
    BATCHWORK_UNROLL
    for (int step = L / 2; step > 0; step /= 2) {
      bool const upper = (lane & step) != 0;
      BATCHWORK_UNROLL
      for (int k = 0; k < N; ++k) {
        if (k % L >= step) continue;
        // For two sums of two lanes, each lane continues with one. Sums from N on are unused.
        int const partner = k + step < N ? k + step : k;
        T const mine = upper ? x[partner] : x[k], other = upper ? x[k] : x[partner];
        x[k] = mine + swapped<L>(other, step);
      }
    }
  }
  /// See LaneGrid.
  BATCHWORK_INLINE void begin_turns() const {}
  template <int L, class T>
  BATCHWORK_INLINE T told_in_turn(T const& x, int from, int, int, char*) const {
    return from_lane<L>(x, from);
  }
  /// Whether x is true in any lane of the warp, so that all lanes may branch on it.
  BATCHWORK_INLINE bool any(bool x) const { return any_in_warp(x); }
};
#else
/// Portably lanes can only wait for their whole team, so all of it runs the same number of items.
struct LaneSync {
  using Member = Kokkos::TeamPolicy<>::member_type;
  Member const* member = nullptr;

  template <class M>
  static BATCHWORK_INLINE LaneSync of([[maybe_unused]] M const& m) {
    static_assert(is_team_member<M>, "Batchwork: lanes share items in teams of Kokkos only");
#if defined(BATCHWORK_THREADS_AS_LANES)
    return {};
#else
    static_assert(!is_team_member<M> || std::is_same_v<M, Member>,
                  "Batchwork: without vendor code lanes share items in teams of the default "
                  "execution space only; launch(lanes<1>) gives each lane an item");
    if constexpr (std::is_same_v<M, Member>) return {&m};
    else return {};
#endif
  }
  BATCHWORK_INLINE void sync() const {
#if defined(BATCHWORK_THREADS_AS_LANES)
    ThreadAsLane::meet(ThreadAsLane::count());
#else
    if (member != nullptr) member->team_barrier();
#endif
  }
  template <int>
  BATCHWORK_INLINE void sync_all() const {
    sync();
  }
  /// Through the exchange of the grid; `lane` is the rank of the calling lane.
  template <int L, class T>
  BATCHWORK_INLINE T broadcast(T const& x, int from, int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    if (lane == from) *shared = x;
    sync();
    return *shared;
  }
  template <int L, class T>
  BATCHWORK_INLINE T sum(T x, int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    T r = shared[0];
    for (int k = 1; k < L; ++k) r = r + shared[k];
    return r;
  }
  template <int L, class Integer>
  BATCHWORK_INLINE int lane_of_largest(Integer x, int lane, char* exchange) const {
    Integer* const shared = reinterpret_cast<Integer*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    int r = 0;
    for (int k = 1; k < L; ++k)
      if (shared[k] > shared[r]) r = k;
    sync();
    return r;
  }
  template <int L>
  BATCHWORK_INLINE unsigned bits_of(unsigned x, int lane, char* exchange) const {
    unsigned* const shared = reinterpret_cast<unsigned*>(exchange);
    sync();
    shared[lane] = x;
    sync();
    for (int k = 0; k < L; ++k) x |= shared[k];
    return x;
  }
  /// All numbers at once: two waits. Lanes read at different places of different sums, which are in
  /// different banks.
  template <int L, int N, class T>
  BATCHWORK_INLINE void scatter_sums(T (&x)[N], int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange);
    sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; ++k) shared[k * L + lane] = x[k];
    sync();
    BATCHWORK_UNROLL
    for (int k = 0; k < N; k += L) {
      if (k + lane >= N) continue;
      T const* const from = shared + (k + lane) * L;
      x[k] = from[lane];
      BATCHWORK_UNROLL
      for (int q = 1; q < L; ++q) x[k] += from[(lane + q) & (L - 1)];
    }
  }
  /// Two places are used alternately: one wait for each number, and one before the first.
  BATCHWORK_INLINE void begin_turns() const { sync(); }
  template <int L, class T>
  BATCHWORK_INLINE T told_in_turn(T const& x, int from, int turn, int lane, char* exchange) const {
    T* const shared = reinterpret_cast<T*>(exchange) + (turn & 1);
    if (lane == from) *shared = x;
    sync();
    return *shared;
  }
  BATCHWORK_INLINE bool any(bool x) const {
#if defined(BATCHWORK_THREADS_AS_LANES)
    int const lanes = ThreadAsLane::count(), rank = ThreadAsLane::rank();
    for (int step = 1; step < lanes; step *= 2) {
      bool other = x;
      ThreadAsLane::exchange(&other, 1, (rank + step) % lanes, lanes);
      x = x || other;
    }
    return x;
#else
    int r = x ? 1 : 0;
    if (member != nullptr) member->team_reduce(Kokkos::Max<int>(r));
    return r != 0;
#endif
  }
};
#endif

/// The places of scratch that combine_lanes uses for each number, in a team of so many lanes.
constexpr int places_to_combine(int team) {
  return has_shuffles ? (team + warp_lanes - 1) / warp_lanes : team;
}

/// Replaces x, N numbers at once, by f(... f(a, b) ...) over `lanes` neighbouring lanes; f is
/// commutative. Each lane gets the same bits, in an order that depends only on the number of lanes,
/// a power of two that divides the team. `shared` has places_to_combine numbers for each of the N
/// and is free again after the team's next barrier. All lanes of the team must call it; with up to
/// 32 lanes all of a warp are enough. Available where has_shuffles; the portable version is
/// SumExchange.
template <int N, class Member, class T, class F>
BATCHWORK_INLINE void combine_lanes([[maybe_unused]] Member const& member,
                                    [[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes,
                                    [[maybe_unused]] F const& f, [[maybe_unused]] T* shared) {
#if defined(BATCHWORK_VENDOR_WARPS)
  int const rank = member.team_rank();
  int const step_end = lanes < warp_lanes ? lanes : warp_lanes;
  BATCHWORK_KEEP_LOOP
  for (int step = 1; step < step_end; step *= 2) {
    BATCHWORK_UNROLL
    for (int q = 0; q < N; ++q) x[q] = f(x[q], swapped(x[q], step, step_end > 32 ? step_end : 32));
  }
  if (lanes <= warp_lanes) return;
  int const each = warp_lanes;
  int const places = (member.team_size() + each - 1) / each, of_system = lanes / each;
  if (rank % each == 0)
    for (int q = 0; q < N; ++q) shared[q * places + rank / each] = x[q];
  member.team_barrier();
  for (int q = 0; q < N; ++q) {
    T const* const from = shared + q * places + rank / lanes * of_system;
    x[q] = from[0];
    for (int k = 1; k < of_system; ++k) x[q] = f(x[q], from[k]);
  }
#endif
}

// ---- asynchronous copies
// ---------------------------------------------------------------------------------------------

/// Whether copies to team scratch can run beside the arithmetic.
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ >= 800
#define BATCHWORK_VENDOR_ASYNC 1
#endif

/// The same, for the host that reserves the scratch.
#if (!defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDACC__)) || defined(BATCHWORK_VENDOR_THREADS)
inline constexpr bool copies_asynchronously = true;
#else
inline constexpr bool copies_asynchronously = false;
#endif

/// Starts a copy of Bytes (4, 8 or 16, aligned alike) from device memory to team scratch.
template <int Bytes>
BATCHWORK_INLINE void copy_async(void* scratch, void const* global) {
#if defined(BATCHWORK_VENDOR_ASYNC)
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes)
               : "memory");
#else
  // Devices without the instruction copy at once.
  for (int k = 0; k < Bytes / 4; ++k)
    static_cast<int*>(scratch)[k] = static_cast<int const*>(global)[k];
#endif
}
/// The same if `there`; else zeros, and nothing is read. `around`: other teams will read the
/// neighbouring data soon, so that all 128 bytes are loaded from memory at once. No lane reads it
/// from the first-level cache, which is bypassed for 16 bytes (PTX ISA, cp.async).
template <int Bytes, bool Around = false>
BATCHWORK_INLINE void copy_async(void* scratch, void const* global, bool there) {
#if defined(BATCHWORK_VENDOR_ASYNC)
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(scratch));
  int const bytes = there ? Bytes : 0;
  if constexpr (Around && Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                 "r"(bytes)
                 : "memory");
  else if constexpr (Around)
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                 "n"(Bytes), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(Bytes),
                 "r"(bytes)
                 : "memory");
#else
  for (int k = 0; k < Bytes / 4; ++k)
    static_cast<int*>(scratch)[k] = there ? static_cast<int const*>(global)[k] : 0;
#endif
}
/// Waits for the copies that this lane has started; its own copies are then seen by this lane.
BATCHWORK_INLINE void wait_for_copies() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/// Makes a group of the copies that this lane has started since the group before.
BATCHWORK_INLINE void close_copies() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for all groups of this lane's copies except the last ones.
template <int Last>
BATCHWORK_INLINE void wait_for_copies_but() {
#if defined(BATCHWORK_VENDOR_ASYNC)
  asm volatile("cp.async.wait_group %0;" ::"n"(Last) : "memory");
#endif
}

/// Stores V adjacent numbers at once; V numbers are aligned like one of their size, 4, 8 or 16
/// bytes. Compilers do not always find that this is allowed.
template <class T, int V>
BATCHWORK_INLINE void store_together(T* to, T const (&x)[V]) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(x) == 16) {
    uint4 w;
    memcpy(&w, &x, 16);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                 "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                 : "memory");
  } else if constexpr (sizeof(x) == 8) {
    uint2 w;
    memcpy(&w, &x, 8);
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(w.x),
                 "r"(w.y)
                 : "memory");
  } else
#endif
  {
    BATCHWORK_UNROLL
    for (int n = 0; n < V; ++n) to[n] = x[n];
  }
}

/// Loads them from memory that is not written meanwhile.
template <class T, int V>
BATCHWORK_INLINE void load_together(T (&x)[V], T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(x) == 16) {
    uint4 const w = __ldg(reinterpret_cast<uint4 const*>(from));
    memcpy(&x, &w, 16);
  } else if constexpr (sizeof(x) == 8) {
    uint2 const w = __ldg(reinterpret_cast<uint2 const*>(from));
    memcpy(&x, &w, 8);
  } else
#endif
  {
    BATCHWORK_UNROLL
    for (int n = 0; n < V; ++n) x[n] = from[n];
  }
}

/// Loads a number that no lane reads again soon, so that data used by many lanes stay in the cache.
template <class T>
BATCHWORK_INLINE T load_once(T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (std::is_same_v<T, double>) {
    T x;
    asm("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(x) : "l"(from));
    return x;
  } else if constexpr (std::is_same_v<T, float>) {
    T x;
    asm("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(from));
    return x;
  } else
#endif
    return *from;
}

/// Asks the memory of a device for the line of a number that will be read soon.
template <class T>
BATCHWORK_INLINE void prefetch([[maybe_unused]] T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
#endif
}

/// Loads a number from any kind of memory. Code that waits for some loads belongs after
/// begin_waiting().
template <class T>
BATCHWORK_INLINE T load_ahead(T const* from) {
#if defined(BATCHWORK_VENDOR_CUDA)
  T x;
  if constexpr (std::is_same_v<T, double>)
    asm volatile("ld.f64 %0, [%1];" : "=d"(x) : "l"(from) : "memory");
  else if constexpr (std::is_same_v<T, float>)
    asm volatile("ld.f32 %0, [%1];" : "=f"(x) : "l"(from) : "memory");
  else asm volatile("ld.s32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
  return x;
#else
  return *from;
#endif
}
/// Prevents the compiler from delaying earlier loads until their numbers are used, which saves
/// registers but waits for the loads one by one.
BATCHWORK_INLINE void begin_waiting() {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp(__activemask());
#endif
}

// ---- matrix instructions
// ---------------------------------------------------------------------------------------------

/// Whether devices with this compute capability, times ten, multiply matrices of double fast
/// enough.
constexpr bool multiplies_doubles(int architecture) {
  return architecture == 800 || architecture == 900;
}
/// Whether a warp multiplies matrices of T by instructions that round like multiply-adds: in double
/// on devices with compute capability 8.0 and 9.0; on others they are slow or missing.
template <class T>
inline constexpr bool multiplies_matrices =
#if defined(BATCHWORK_VENDOR_CUDA)
    multiplies_doubles(__CUDA_ARCH__) && std::is_same_v<T, double>;
#else
    false;
#endif

/// The same, and in tests with threads for lanes.
template <class T>
inline constexpr bool multiplies_by_warps =
#if defined(BATCHWORK_VENDOR_THREADS)
    std::is_same_v<T, double>;
#else
    multiplies_matrices<T>;
#endif

/// Whether the results of such products stay in registers as the factors of the next ones. The
/// layout of tiles and of staged data depends on it, so all passes of a compiler must agree: it is
/// true if every compiled architecture has the instructions. Tests run it with threads as lanes.
template <class T>
inline constexpr bool chains_matrices = [] {
#if defined(BATCHWORK_THREADS_AS_LANES)
  return has_shuffles && std::is_same_v<T, double>;
#elif !defined(BATCHWORK_DISABLE_VENDOR) && defined(__CUDACC__) && defined(__CUDA_ARCH_LIST__)
  for (int const architecture : {__CUDA_ARCH_LIST__})
    if (!multiplies_doubles(architecture)) return false;
  return std::is_same_v<T, double>;
#else
      return false;
#endif
}();

/// Whether the caller's warp is complete: the last warp of a team may have fewer lanes.
BATCHWORK_INLINE bool warp_is_whole() {
#if defined(BATCHWORK_VENDOR_CUDA)
  unsigned const lane = threadIdx.y * blockDim.x + threadIdx.x;
  return (lane | 31u) < blockDim.x * blockDim.y;
#else
  return false;
#endif
}

/// c += a b for an 8 x 4 and a 4 x 8 matrix, by all lanes of a warp: lane l holds a(l / 4, l % 4),
/// b(l % 4, l / 4) and c(l / 4, 2 (l % 4)) with its right neighbour (PTX ISA, mma.m8n8k4 with f64).
BATCHWORK_INLINE void multiply_matrices([[maybe_unused]] double (&c)[2], [[maybe_unused]] double a,
                                        [[maybe_unused]] double b) {
#if defined(BATCHWORK_VENDOR_CUDA) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900)
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#elif defined(BATCHWORK_THREADS_AS_LANES)
  int const lane = ThreadAsLane::rank() % 32, row = lane / 4, col = lane % 4;
  for (int k = 0; k < 4; ++k) {
    double const left = from_lane<32>(a, 4 * row + k);
    for (int j = 0; j < 2; ++j) c[j] += left * from_lane<32>(b, 4 * (2 * col + j) + k);
  }
#endif
}
/// There are none for other numbers.
template <class T>
BATCHWORK_INLINE void multiply_matrices(T (&)[2], T, T) {}

/// The number of blocks of 8 rows, one below the other, that a warp multiplies at once: a device of
/// compute capability 9.0 needs it for its full rate.
inline constexpr int blocks_at_once =
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    2;
#else
    1;
#endif

/// The same for several such blocks of a and c (PTX ISA, mma.m16n8k4 with f64).
template <class T, int Blocks>
BATCHWORK_INLINE void multiply_matrices([[maybe_unused]] T (&c)[Blocks][2],
                                        [[maybe_unused]] T const (&a)[Blocks],
                                        [[maybe_unused]] T b) {
  static_assert(Blocks == blocks_at_once);
  if constexpr (Blocks == 1) {
    multiply_matrices(c[0], a[0], b);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
        : "d"(a[0]), "d"(a[1]), "d"(b));
#endif
  }
}

/// The number of groups of four terms that it adds at once: fewer instructions for the same
/// products.
inline constexpr int fours_at_once = blocks_at_once;

/// The same for two groups of four terms: a[f] and b[f] are terms 4 f and the following ones (PTX
/// ISA, mma.m16n8k8 with f64).
template <class T, int Blocks, int Fours>
BATCHWORK_INLINE void multiply_matrices(T (&c)[Blocks][2], T const (&a)[Fours][Blocks],
                                        T const (&b)[Fours]) {
  static_assert(Blocks == blocks_at_once && Fours == fours_at_once);
  if constexpr (Fours == 1) {
    multiply_matrices(c, a[0], b[0]);
  } else {
#if defined(BATCHWORK_VENDOR_CUDA) && __CUDA_ARCH__ == 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
        : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#endif
  }
}

// ---- team scratch
// ---------------------------------------------------------------------------------------------

/// The same pointer, with the information for the compiler that it points into team scratch, where
/// addresses are shorter. Use it only in one branch of a choice that the compiler cannot predict,
/// with code for any pointer in the other branch. If nvcc 13.0 has found out itself where p points,
/// it takes the assumption as false and removes the code that follows.
template <class T>
BATCHWORK_INLINE T* in_scratch(T* p) {
#if defined(BATCHWORK_VENDOR_CUDA)
  __builtin_assume(__isShared(p));
#endif
  return p;
}

// ---- sums over lanes
// ---------------------------------------------------------------------------------------------

/// Adds up over so many neighbouring lanes, a power of two up to a warp, with the same bits in each
/// of them. All lanes of a whole warp call it; if at most 32 lanes are added up, all of 32.
/// Available where has_shuffles.
///
/// In double, matrix instructions take half the time: products with matrices of ones add up the
/// numbers of four lanes, then those of the eight groups of four, as far as they belong together.
template <class T, int N>
BATCHWORK_INLINE void sum_over([[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes) {
#if defined(BATCHWORK_VENDOR_WARPS)
  if constexpr (multiplies_matrices<T>) {
    if (lanes > 4) {
      // After the first product a lane holds the sums of the fours 2 (lane % 4) and the next.
      int const lane = rank_in_warp();
      bool const together = ((((lane & 3) << 3) ^ lane) & (32 - lanes)) == 0;
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) {
        T fours[2] = {T(0), T(0)}, all[2] = {T(0), T(0)};
        multiply_matrices(fours, T(1), x[n]);
        multiply_matrices(all, together ? fours[0] + fours[1] : T(0), T(1));
        x[n] = all[0];
      }
      return;
    }
  }
  BATCHWORK_UNROLL
  for (int step = 1; step < (multiplies_matrices<T> ? 4 : warp_lanes); step *= 2) {
    if (step < lanes) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) x[n] += swapped(x[n], step, lanes > 32 ? lanes : 32);
    }
  }
#endif
}

/// The sums of N numbers over so many neighbouring lanes, a power of two, by halving: lanes keep
/// half of the numbers and pass on the other half (R. Rabenseifner, "Optimization of collective
/// reduction operations", ICCS 2004). Runs put(0, n, sum) in one lane for each n, from `first` on.
template <int N, class T, class Put>
BATCHWORK_INLINE void deal_halves([[maybe_unused]] T (&x)[N], [[maybe_unused]] int lanes,
                                  [[maybe_unused]] int first, [[maybe_unused]] Put const& put) {
#if defined(BATCHWORK_VENDOR_WARPS)
  if constexpr (N == 1) {
    int const last = lanes - 1;
    BATCHWORK_KEEP_LOOP
    for (; lanes > 1; lanes /= 2) x[0] += swapped(x[0], lanes / 2);
    if ((rank_in_warp() & last) == 0) put(0, first, x[0]);
  } else {
    if (lanes == 1) {
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) put(0, first + n, x[n]);
      return;
    }
    bool const upper = (rank_in_warp() & (lanes / 2)) != 0;
    T half[N / 2];
    BATCHWORK_UNROLL
    for (int n = 0; n < N / 2; ++n) {
      T const given = upper ? x[n] : x[N / 2 + n];
      half[n] = (upper ? x[N / 2 + n] : x[n]) + swapped(given, lanes / 2);
    }
    deal_halves(half, lanes / 2, upper ? first + N / 2 : first, put);
  }
#endif
}

/// Adds up N numbers, 4 or 8, over so many neighbouring lanes, a power of two up to 32. Each sum is
/// known to one lane, which runs put(away, n, sum): the sum is number n of the lanes that are
/// `away` times the number of lanes after its own. All lanes of a whole warp call it. Available
/// where has_shuffles.
///
/// In double a matrix instruction adds up one number over groups of four lanes; each group gets a
/// row of the result.
template <class T, int N, class Put>
BATCHWORK_INLINE void deal_sums(T (&x)[N], int lanes, Put const& put) {
#if defined(BATCHWORK_VENDOR_WARPS)
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (multiplies_matrices<T>) {
    if (lanes >= 4) {
      // Two products at a time, which do not wait for each other.
      int const lane = rank_in_warp(), row = lane >> 2;
      T c[2][2] = {{T(0), T(0)}, {T(0), T(0)}};
      BATCHWORK_UNROLL
      for (int n = 0; n < N; ++n) multiply_matrices(c[n % 2], row == n ? T(1) : T(0), x[n]);
      // For number `row`, the values of the groups of four 2 (lane % 4) and the next one.
      T s[2] = {c[0][0] + c[1][0], c[0][1] + c[1][1]};
      int const four = (lane & 3) * 2, mine = lane & -lanes;
      if (lanes == 4) {
        if (row < N) {
          put(four - row, row, s[0]);
          put(four + 1 - row, row, s[1]);
        }
        return;
      }
      T sum[1] = {s[0] + s[1]};
      BATCHWORK_KEEP_LOOP
      for (int step = 1; step * 8 < lanes; step *= 2) sum[0] += swapped(sum[0], step);
      if (row < N && ((lane & 3) * 8 & (lanes - 1)) == 0)
        put((four * 4 - mine) >> (__ffs(lanes) - 1), row, sum[0]);
      return;
    }
  }
#endif
  deal_halves(x, lanes, 0, put);
#endif
}

// ---- scheduling
// ---------------------------------------------------------------------------------------------

/// Prevents the compiler from moving loads across: values are loaded again afterwards, instead of
/// being kept in registers until they spill. It costs nothing itself.
BATCHWORK_INLINE void forget_loads() {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" ::: "memory");
#endif
}

/// Prefetches the cache line of an address that will be read, or written, on a host.
template <bool Written>
BATCHWORK_INLINE void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__) && !defined(BATCHWORK_DEVICE_PASS)
  __builtin_prefetch(address, Written ? 1 : 0);
#endif
}

/// The same for the scheduler of the assembler, where the lanes of a warp execute together: a wait
/// across which no access to scratch is moved.
BATCHWORK_INLINE void keep_loads_behind() {
#if defined(BATCHWORK_VENDOR_CUDA)
  __syncwarp();
#endif
}

/// The same number, without any knowledge of the compiler about it: results computed from it are
/// computed again in every iteration of a loop, instead of once before the loop and kept in
/// registers.
BATCHWORK_INLINE int renewed(int x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" : "+r"(x));
#endif
  return x;
}
BATCHWORK_INLINE std::int64_t renewed(std::int64_t x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  asm volatile("" : "+l"(x));
#endif
  return x;
}

/// Runs body(I) for the I = `which` of 0 .. N - 1, with separate code for each, so that the body
/// indexes registers by a constant. If a compiler merged the cases it would have to index memory.
template <int N, int I = 0, class Body>
BATCHWORK_INLINE void with_constant(int which, Body const& body) {
  if constexpr (I < N) {
    if (which == I) {
      body(std::integral_constant<int, I>());
#if defined(BATCHWORK_VENDOR_CUDA)
      asm volatile("" ::"n"(I));
#endif
    } else {
      with_constant<N, I + 1>(which, body);
    }
  }
}

// ---- arithmetic
// ---------------------------------------------------------------------------------------------

/// a / b for a normal number b, to the last bit or two, without the branch that compilers generate
/// for other numbers and that later reads would wait for. If b is not normal or a / b overflows,
/// the result is not finite. The instructions give zero if the reciprocal of a large number is not
/// normal, so such numbers are scaled.
BATCHWORK_INLINE float quotient(float a, float b) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float const scale = fabsf(b) > 0x1p100f ? 0x1p-64f : 1.0f;
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b * scale));
  return a * scale * r;
#else
  return a / b;
#endif
}
BATCHWORK_INLINE double quotient(double a, double b) {
#if defined(BATCHWORK_VENDOR_CUDA)
  // By integers, which is faster than a comparison.
  bool const large = (__double2hiint(b) & 0x7fffffff) > 0x7e700000;
  double const scale = __hiloint2double(large ? 0x3bf00000 : 0x3ff00000, 0);
  double const m = b * scale;
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(m));
  // From about 20 bits on: 1 / (1 - e) is 1 + e + e^2 to 60 bits.
  double const e = fma(-m, r, 1.0), q = a * scale * r;
  return fma(q, fma(e, e, e), q);
#else
  return a / b;
#endif
}
/// The same for packs.
template <class S>
BATCHWORK_INLINE S quotient(S const& a, S const& b) {
  return a / b;
}
/// 1 / x, the same way.
template <class T>
BATCHWORK_INLINE T reciprocal(T const& x) {
  return quotient(T(1), x);
}

/// 1 / x for an x that is far from both the largest and the smallest normal number.
BATCHWORK_INLINE float middle_reciprocal(float x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1 / x;
#endif
}
BATCHWORK_INLINE double middle_reciprocal(double x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  double const e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
#else
  return 1 / x;
#endif
}

/// Whether x is positive, normal and finite, by integers, which is faster than a comparison.
template <class T>
BATCHWORK_INLINE bool is_positive_and_normal(T x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  if constexpr (sizeof(T) == 4) return unsigned(__float_as_int(x)) - 0x00800000u < 0x7f000000u;
  else return unsigned(__double2hiint(x)) - 0x00100000u < 0x7fe00000u;
#else
  return x >= std::numeric_limits<T>::min() && x - x == T(0);
#endif
}

/// 1 / sqrt(x) for a positive normal number, to the last bit or two, without the branch that
/// compilers generate for other numbers and that later reads would wait for. For other numbers the
/// result is undefined.
BATCHWORK_INLINE float inverse_root(float x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return Kokkos::rsqrt(x);
#endif
}
BATCHWORK_INLINE double inverse_root(double x) {
#if defined(BATCHWORK_VENDOR_CUDA)
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  // From about 20 bits on: 1 / sqrt(1 - e) is 1 + e / 2 + 3 e^2 / 8 to 60 bits.
  double const e = fma(-x, r * r, 1.0);
  return fma(fma(0.375, e, 0.5), r * e, r);
#else
  return Kokkos::rsqrt(x);
#endif
}

/// A native SIMD square root for vectors of W numbers. std::sqrt may set errno, so it is not
/// vectorised.
template <class T, int W>
inline constexpr bool has_simd_sqrt =
#if defined(BATCHWORK_VENDOR_X86)
    (sizeof(T) * W == 16)
#if defined(__AVX__)
    || (sizeof(T) * W == 32)
#endif
#if defined(__AVX512F__)
    || (sizeof(T) * W == 64)
#endif
#else
    false
#endif
    ;

template <class V>
inline V simd_sqrt(V const& v) {
#if defined(BATCHWORK_VENDOR_X86)
  constexpr bool single = sizeof(v[0]) == 4;
  if constexpr (sizeof(V) == 16) {
    if constexpr (single) return (V)_mm_sqrt_ps((__m128)v);
    else return (V)_mm_sqrt_pd((__m128d)v);
  }
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) {
    if constexpr (single) return (V)_mm256_sqrt_ps((__m256)v);
    else return (V)_mm256_sqrt_pd((__m256d)v);
  }
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (single) return (V)_mm512_sqrt_ps((__m512)v);
    else return (V)_mm512_sqrt_pd((__m512d)v);
  }
#endif
#endif
  return v;
}

}  // namespace Batchwork::Impl::Vendor

#endif
