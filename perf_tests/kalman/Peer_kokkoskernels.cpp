// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Peer: Kokkos Kernels' batched routines, fused by hand into one kernel. There is no batched
// Cholesky, so the gain comes from the LU factorisation without pivoting. One item per thread with
// its temporaries in thread-local arrays; on devices also one team per item with its temporaries in
// scratch.

#include "Problem.hpp"

#if defined(BATCHWORK_HAVE_KOKKOSKERNELS)
// Its headers are not self-contained: these come first.
#include <KokkosBatched_Util.hpp>
#include <KokkosBatched_Vector.hpp>
// And then the routines.
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>

#include "Map.hpp"

namespace BatchworkPerf {

namespace {

namespace KB = KokkosBatched;
using NoTranspose = KB::Trans::NoTranspose;
using Transpose = KB::Trans::Transpose;
using Gemm = KB::Algo::Gemm::Unblocked;
using Trsm = KB::Algo::Trsm::Unblocked;
using LU = KB::Algo::LU::Unblocked;

/// Operations per D^3: five products, the LU factorisation (2/3) and two triangular solves; P_new =
/// prior - G' (S^-1 G).
constexpr double flops_per_D3 = 10 + 2.0 / 3 + 2;

template <class T, int D>
using Common = Kokkos::View<T const[D][D], Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T, int D, class Matrices>
struct SerialUpdate {
  Matrices P, P_new;
  Common<T, D> F, Q, H, R;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    using Tile = Kokkos::View<T[D][D], Kokkos::LayoutRight, Kokkos::AnonymousSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    T memory[4][D * D];
    Tile const prior(memory[0]), work(memory[1]), g(memory[2]), s(memory[3]);
    auto const p = Kokkos::subview(P, k, Kokkos::ALL, Kokkos::ALL);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        prior(i, j) = Q(i, j);
        s(i, j) = R(i, j);
      }
    T const one = 1, zero = 0;
    KB::SerialGemm<NoTranspose, NoTranspose, Gemm>::invoke(one, F, p, zero, work);
    KB::SerialGemm<NoTranspose, Transpose, Gemm>::invoke(one, work, F, one, prior);
    KB::SerialGemm<NoTranspose, NoTranspose, Gemm>::invoke(one, H, prior, zero, g);
    KB::SerialGemm<NoTranspose, Transpose, Gemm>::invoke(one, g, H, one, s);
    KB::SerialLU<LU>::invoke(s);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) work(i, j) = g(i, j);
    KB::SerialTrsm<KB::Side::Left, KB::Uplo::Lower, NoTranspose, KB::Diag::Unit, Trsm>::invoke(
        one, s, work);
    KB::SerialTrsm<KB::Side::Left, KB::Uplo::Upper, NoTranspose, KB::Diag::NonUnit, Trsm>::invoke(
        one, s, work);
    KB::SerialGemm<Transpose, NoTranspose, Gemm>::invoke(-one, g, work, one, prior);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) P_new(k, i, j) = prior(i, j);
  }
};

template <class T, int D, class Matrices>
struct TeamVectorUpdate {
  Matrices P, P_new;
  Common<T, D> F, Q, H, R;
  std::int64_t items;

  using Policy = Kokkos::TeamPolicy<Exec>;
  using Tile = Kokkos::View<T[D][D], Kokkos::LayoutRight, Exec::scratch_memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static std::size_t scratch_size() { return 4 * Tile::shmem_size(); }

  KOKKOS_FUNCTION void operator()(Policy::member_type const& member) const {
    using Member = Policy::member_type;
    std::int64_t const k = member.league_rank();
    Tile const prior(member.team_scratch(0)), work(member.team_scratch(0)),
        g(member.team_scratch(0)), s(member.team_scratch(0));
    auto const p = Kokkos::subview(P, k, Kokkos::ALL, Kokkos::ALL);
    auto const all = Kokkos::TeamVectorRange(member, D * D);
    Kokkos::parallel_for(all, [&](int m) {
      prior(m / D, m % D) = Q(m / D, m % D);
      s(m / D, m % D) = R(m / D, m % D);
      g(m / D, m % D) = p(m / D, m % D);
    });
    member.team_barrier();
    T const one = 1, zero = 0;
    KB::TeamVectorGemm<Member, NoTranspose, NoTranspose, Gemm>::invoke(member, one, F, g, zero,
                                                                       work);
    member.team_barrier();
    KB::TeamVectorGemm<Member, NoTranspose, Transpose, Gemm>::invoke(member, one, work, F, one,
                                                                     prior);
    member.team_barrier();
    KB::TeamVectorGemm<Member, NoTranspose, NoTranspose, Gemm>::invoke(member, one, H, prior, zero,
                                                                       g);
    member.team_barrier();
    KB::TeamVectorGemm<Member, NoTranspose, Transpose, Gemm>::invoke(member, one, g, H, one, s);
    Kokkos::parallel_for(all, [&](int m) { work(m / D, m % D) = g(m / D, m % D); });
    member.team_barrier();
    KB::TeamLU<Member, LU>::invoke(member, s);
    member.team_barrier();
    KB::TeamVectorTrsm<Member, KB::Side::Left, KB::Uplo::Lower, NoTranspose, KB::Diag::Unit,
                       Trsm>::invoke(member, one, s, work);
    member.team_barrier();
    KB::TeamVectorTrsm<Member, KB::Side::Left, KB::Uplo::Upper, NoTranspose, KB::Diag::NonUnit,
                       Trsm>::invoke(member, one, s, work);
    member.team_barrier();
    KB::TeamVectorGemm<Member, Transpose, NoTranspose, Gemm>::invoke(member, -one, g, work, one,
                                                                     prior);
    member.team_barrier();
    Kokkos::parallel_for(all, [&](int m) { P_new(k, m / D, m % D) = prior(m / D, m % D); });
  }
};

/// Views without ownership: kernels make subviews of them.
template <class View>
auto unmanaged(View const& v) {
  return Kokkos::View<typename View::data_type, typename View::array_layout,
                      typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(v);
}

constexpr Layout natural = on_device ? Layout::interleaved : Layout::item_contiguous;

template <class T, int D, Layout L, bool by_teams>
void kokkos_kernels_covariance_update(benchmark::State& state, std::int64_t items) {
  Problem<T, D, L> const problem(items);
  auto const F = to_view("F", problem.model.F), Q = to_view("Q", problem.model.Q);
  auto const H = to_view("H", problem.model.H), R = to_view("R", problem.model.R);
  auto const P = unmanaged(problem.P.view), P_new = unmanaged(problem.P_new.view);
  auto const launch = [&] {
    if constexpr (by_teams) {
      using Kernel = TeamVectorUpdate<T, D, std::remove_const_t<decltype(P)>>;
      typename Kernel::Policy policy(static_cast<int>(items),
                                     D <= 4   ? 1
                                     : D <= 8 ? 2
                                              : 4,
                                     D <= 4 ? 16 : 32);
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_size())));
      Kokkos::parallel_for("KokkosKernels::TeamVector", policy,
                           Kernel{P, P_new, F, Q, H, R, items});
    } else {
      using Kernel = SerialUpdate<T, D, std::remove_const_t<decltype(P)>>;
      Kokkos::parallel_for("KokkosKernels::Serial",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items),
                           Kernel{P, P_new, F, Q, H, R});
    }
  };
  problem.run(state, launch, false, flops_per_D3);
}

template <class T, int... D>
void register_serial_sizes() {
  (register_sizes<T, D>("kokkoskernels-serial", "lu", natural, "view",
                        kokkos_kernels_covariance_update<T, D, natural, false>),
   ...);
}
template <class T, int... D>
void register_team_vector_sizes() {
  if constexpr (on_device) {
    (register_sizes<T, D>("kokkoskernels-teamvector", "lu", Layout::item_contiguous, "view",
                          kokkos_kernels_covariance_update<T, D, Layout::item_contiguous, true>),
     ...);
  }
}

}  // namespace

void register_kokkos_kernels() {
  // A thread's temporaries are far outside its registers long before these sizes.
  register_serial_sizes<float, 2, 3, 4, 6, 8, 10, 12, 16>();
  register_serial_sizes<double, 2, 3, 4, 6, 8, 12>();
  register_team_vector_sizes<float, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32>();
  register_team_vector_sizes<double, 2, 3, 4, 6, 8, 12, 16, 24, 32>();
}

}  // namespace BatchworkPerf
#endif
