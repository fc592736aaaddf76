// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verbs on whole matrices with extents known at run time: QR, least squares, eigenvalues, singular
// values.
#include "Shared.hpp"

template <class T>
void decompositions(Exec const& exec, ItemContiguous<T***> a, ItemContiguous<T***> u,
                    ItemContiguous<T***> v, ItemContiguous<T**> values, ItemContiguous<T**> b,
                    ItemContiguous<T**> x, Codes codes) {
  qr(exec, in(a), out(u), out(v), status(codes));
  least_squares(exec, in(transposed(a)), in(b), out(x));
  eigh(exec, inout(a), out(values));
  svd(exec, in(a), out(u), out(values), out(v));
}
template void decompositions<float>(Exec const&, ItemContiguous<float***>, ItemContiguous<float***>,
                                    ItemContiguous<float***>, ItemContiguous<float**>,
                                    ItemContiguous<float**>, ItemContiguous<float**>, Codes);
template void decompositions<double>(Exec const&, ItemContiguous<double***>,
                                     ItemContiguous<double***>, ItemContiguous<double***>,
                                     ItemContiguous<double**>, ItemContiguous<double**>,
                                     ItemContiguous<double**>, Codes);

/// Of items that do not fit on the chip.
void in_workspace(Exec const& exec, ItemContiguous<double***> a, ItemContiguous<double***> u,
                  ItemContiguous<double***> v, ItemContiguous<double**> values,
                  ItemContiguous<double**> b, ItemContiguous<double**> x, Codes codes) {
  Interleaved<double*> const memory("memory",
                                    workspace_numbers<Verb::qr>(exec, in(a), out(u), out(v)));
  solve_lu(exec, in(a), in(b), out(x), status(codes), workspace(memory));
  qr(exec, in(a), out(u), out(v), workspace(memory));
  least_squares(exec, in(a), in(b), out(x), workspace(memory));
  eigh(exec, inout(a), out(values), status(codes), workspace(memory));
  svd(exec, in(a), out(u), out(values), out(v), workspace(memory));
}

/// A kernel of the user's that calls what a team_... function has made.
template <class Item>
struct OfTeam {
  Item item;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    item(member, member.league_rank());
  }
};
template <class Item>
void launch_of_teams(Exec const& exec, int items, Item const& item) {
  Kokkos::TeamPolicy<Exec> policy(exec, items, 128);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(item.scratch_size(128))));
  Kokkos::parallel_for(policy, OfTeam<Item>{item});
}
void of_teams(Exec const& exec, int items, ItemContiguous<double***> a, ItemContiguous<double***> u,
              ItemContiguous<double***> v, ItemContiguous<double**> values,
              ItemContiguous<double**> b, ItemContiguous<double**> x, ItemContiguous<int**> rows,
              Codes codes) {
  launch_of_teams(exec, items, team_eigh<Exec>(in(a), out(values), out(v), status(codes)));
  launch_of_teams(exec, items, team_svd<Exec>(in(a), out(u), out(values), out(v)));
  launch_of_teams(exec, items, team_qr<Exec>(in(a), out(u), out(v)));
  launch_of_teams(exec, items, team_least_squares<Exec>(in(a), in(b), out(x)));
  launch_of_teams(exec, items, team_lu<Exec>(in(a), out(u), out(rows)));
  launch_of_teams(exec, items, team_solve_lu<Exec>(in(a), in(b), out(x)));
  launch_of_teams(exec, items, team_cholesky<Exec>(in(a), out(u)));
  launch_of_teams(exec, items, team_solve_cholesky<Exec>(in(a), in(b), out(x)));
  launch_of_teams(exec, items, team_eigh<Exec, 128>(in(a), out(values), out(v)));
}
