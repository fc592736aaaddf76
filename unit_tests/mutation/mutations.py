# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutations that the tests must see: (name, file, old text, new text, test program, filter of its tests or None).

The old text stands exactly once in the file. Programs that compile quickly are preferred."""

STATUS = "src/core/Batchwork_Status.hpp"
VALUE = "src/core/Batchwork_Value.hpp"
PACK = "src/core/Batchwork_Pack.hpp"
CHECK = "src/launch/detail/Batchwork_Check.hpp"
SOURCE = "src/view/detail/Batchwork_Source.hpp"
LOCATION = "src/view/detail/layout/Batchwork_Location.hpp"
PROBLEM = "src/banded/detail/Batchwork_TridiagonalProblem.hpp"
GROWTH = "src/banded/detail/Batchwork_TridiagonalGrowth.hpp"
PARTS = "src/banded/detail/Batchwork_TridiagonalParts.hpp"
HOST = "src/banded/detail/Batchwork_TridiagonalHost.hpp"
PIVOTED_HOST = "src/banded/detail/Batchwork_TridiagonalPivotedHost.hpp"
PIVOTED = "src/banded/detail/Batchwork_TridiagonalPivoted.hpp"
TRIDIAGONAL = "src/banded/Batchwork_Tridiagonal.hpp"
CHECK_SYSTEMS = "src/krylov/formats/Batchwork_CheckSystems.hpp"

HOSTS = "test_banded_tridiagonal"
TEAMS = "test_banded_tridiagonal_teams"
GOOD = "*SaysWhere*"
EXCHANGES = "*Pivoting*:*Exchanges*"

PAIRS = "src/tile/detail/shared/Batchwork_EigenpairsOfLanes.hpp"
QL = "src/core/detail/Batchwork_ImplicitQl.hpp"
REFLECTED = "src/dense/decompositions/detail/Batchwork_EigenpairsInScratch.hpp"
TRIDIAGONAL_PAIRS = "LaneGrids.TridiagonalEigenpairs"
SCRATCH_PAIRS = "*EigenpairsByReflections"

MUTATIONS = [
    # Survived once.
    ("later failure overrides", "src/tile/Batchwork_FailWhere.hpp",
     "Impl::first_failure(r.info, Impl::select(mask, Impl::make_info<S>(reason, 0), info_t<S>(0)))",
     "Impl::first_failure(Impl::select(mask, Impl::make_info<S>(reason, 0), info_t<S>(0)), r.info)",
     "test_status", "Status.*"),
    ("select merges both statuses", "src/tile/Batchwork_Generate.hpp",
     "r.info = Impl::select(mask, Impl::info_in_lanes_of<S>(a.info), Impl::info_in_lanes_of<S>(b.info));",
     "r.info = Impl::first_failure(Impl::info_in_lanes_of<S>(a.info), Impl::info_in_lanes_of<S>(b.info));",
     "test_status", "Status.*"),
    ("tolerance too strict", "src/krylov/Batchwork_Stopping.hpp",
     "(norm_squared > threshold_squared)", "(norm_squared * N(T(100)) > threshold_squared)",
     "test_krylov_solve_reasons", "*EndsWith*"),
    ("gaps of compact vectors", SOURCE, "if constexpr (IsCompact && tile_rank > 0)",
     "if constexpr (IsCompact && tile_rank > 9)", "test_errors", "*Gaps*"),
    ("neighbours beyond a group", LOCATION, "return item % PW + w <= PW;",
     "return item % PW + w <= PW + 1;", "test_operand", "*PacksThat*"),
    ("a step too few", CHECK, "p.d.steps < steps", "p.d.steps + 1 < steps", "test_errors",
     "*TooFewSteps*"),
    # The digits that a filter loses.
    ("exact observations", "src/kalman/Batchwork_Loss.hpp", "r > S(T(0)) && ", "", "test_kalman_digits", "*Exact*"),
    ("lost noise is not seen", "src/kalman/Batchwork_Loss.hpp", "T(4) * std::numeric_limits", "T(0) * std::numeric_limits",
     "test_kalman_digits", "*LargeStart*"),
    ("noise of missing entries", "src/kalman/Batchwork_Loss.hpp", " && !missing(j)", "", "test_kalman_status", "*Missing*"),
    ("large gains", "src/kalman/Batchwork_Diffuse.hpp",
     "size += select(is_diffuse, S(h[i] * h[i] * g.gain[i] * g.gain[i] * f), zero);", "", "test_kalman_digits",
     "*LeavesLargeVariances*"),
    ("digits of common gains", "src/kalman/Batchwork_Gains.hpp",
     "xs.info = Impl::merge_info<value_t<decltype(xs)>>(xs.info, code);", "", "test_kalman_digits", "*Digits*"),
    # Elimination.
    ("sign of exchanges", "src/tile/detail/Batchwork_RowsOfLane.hpp",
     "sign = select(larger, S(-sign), sign);", "sign = select(larger, sign, sign);", "test_tile", "LuOf*"),
    ("pivot of zero", "src/core/detail/Batchwork_Elimination.hpp",
     "r.inverse = select(pivot == S(scalar_t<S>(0)), S(scalar_t<S>(0)), r.inverse);", "", "test_tile",
     "LuOf*"),
    ("tiny pivots", "src/core/detail/Batchwork_Elimination.hpp",
     "scale = select(key < Key(small), S(up<T>), S(T(1)));", "scale = S(T(1));", "test_tile", "LuOf*"),
    # Complex numbers.
    ("pivots by their moduli", "src/core/detail/Batchwork_Elimination.hpp", "return size_key(R(abs(x.re) + abs(x.im)));",
     "return size_key(abs(x));", "test_tile", "ComplexTile*"),
    ("factor of a reflection", "src/core/detail/Batchwork_Householder.hpp", "return W((Adjoint ? conj(t) : t) * w);",
     "return W(t * w);", "test_tile", "ComplexTile*"),
    ("conjugate in a Cholesky factor", "src/tile/Batchwork_Cholesky.hpp", "S const ljk = conj(l.a[triangle_index(j, k)]);",
     "S const ljk = l.a[triangle_index(j, k)];", "test_tile", "ComplexTile*"),
    ("conjugate of a product", "src/tile/Batchwork_Reduce.hpp", "Impl::conj(S(a.entry(i, j)))", "S(a.entry(i, j))",
     "test_tile", "ComplexTile*"),
    ("order of rows", "src/dense/lu/detail/Batchwork_RowsInMemory.hpp", "if (place[i] <= k) return;",
     "if (place[i] <= k + 1) return;", "test_lu_verbs", "*FormsOfOperands*"),
    ("rows that are done", "src/dense/lu/detail/Batchwork_EliminationPanels.hpp",
     "done |= unsigned(int(i % 8) == in_warp / 4) << i / 8;", "done |= 0 * i;", "test_lu_warps", "EliminationPanels*"),
    ("columns beyond a matrix", "src/dense/lu/detail/Batchwork_EliminationPanels.hpp",
     "is_there[s] = 8 * (t + s * step) + 4 * (c / 2) < n;", "is_there[s] = true;", "test_lu_warps", "LuTeams.Panels"),
    # Eigenpairs by reflections and QL iterations.
    ("sign in a reflection of lanes", PAIRS, "xi) + pi * u[m];", "xi) - pi * u[m];", "test_warps_of_32", TRIDIAGONAL_PAIRS),
    ("order of eigenvalues", PAIRS, "rank[m] += other < d[m] ||", "rank[m] += other > d[m] ||", "test_warps_of_32",
     TRIDIAGONAL_PAIRS),
    ("equal eigenvalues", PAIRS, "other < d[m] || (other == d[m] && i < a.column(m)) ? 1", "other < d[m] ? 1",
     "test_warps_of_32", TRIDIAGONAL_PAIRS),
    ("pairs as far apart as lines", PAIRS, "(i > first ? Ex::leading_of_pairs : 0) : step;", "step : step;",
     "test_warps_of_32", TRIDIAGONAL_PAIRS),
    ("room for pairs", "src/core/detail/Batchwork_Exchange.hpp", " + (has_pairs_behind ? lines : 0);", ";", "test_machine",
     "Exchange*"),
    ("rotation without an angle", QL, "select(abs(g_) < S(least), S(least), g_)", "g_", "test_decompositions_warps",
     SCRATCH_PAIRS),
    ("the other shift", QL, "select(half < S(T(0)), S(-root), root)", "root", "test_decompositions_warps", SCRATCH_PAIRS),
    ("deflation at sqrt(eps)", QL, "S(S(eps * eps) * upper * lower)", "S(S(eps) * upper * lower)",
     "test_decompositions_warps", SCRATCH_PAIRS),
    ("no deflation", REFLECTED, "return j + 1 < n && !is_negligible(beside(j)[1], beside(j)[0], beside(j + 1)[0]);",
     "return j + 1 < n;", "test_decompositions_warps", SCRATCH_PAIRS),
    ("values for columns that are not there", PAIRS, "rank[m] = a.is_there(m) ? rank[m] : a.column(m);", "rank[m] += 0;",
     "test_decompositions_warps", "*WhereLanesShare"),
    ("tiles with a part of a group", "src/dense/copy/detail/Batchwork_CopyTiles.hpp",
     "least * ((tile_rows * (tile_cols | 1)) | 1)", "((tile_rows * (tile_cols | 1)) | 1)", "test_copy_layouts", None),
    ("a sweep a row", QL, "most_ql_sweeps_a_row = 30", "most_ql_sweeps_a_row = 1", "test_decompositions_warps",
     SCRATCH_PAIRS),
    ("last row of the vectors", REFLECTED, "if (own_row(m) < n) write_together", "if (own_row(m) < n - 1) write_together",
     "test_decompositions_warps", SCRATCH_PAIRS),
    ("sign in a reflection in scratch", REFLECTED, "by[m] * v.v[d] + q.v[d] * u[m];", "by[m] * v.v[d] - q.v[d] * u[m];",
     "test_decompositions_warps", SCRATCH_PAIRS),
    # Singular values from eigenvectors, and pairs in packs.
    ("a shift without a bound", QL, "S const bound(T(0x1p60))", "S const bound(T(0x1p90))", "test_dense_workspace",
     "SvdVerbInFloat*"),
    ("zeros of either sign", "src/core/detail/Batchwork_EigenpairsInMemory.hpp", "column(j)[i] += S(T(0));", ";",
     "test_decompositions", "*BesideOthers"),
    ("forty sweeps", "src/core/detail/Batchwork_OneSidedJacobi.hpp", "most_sweeps = 130", "most_sweeps = 40",
     "test_dense_workspace", "SvdVerbOfGradedRows*"),
    ("the first column of a block of packs", "src/core/detail/Batchwork_EigenpairsInMemory.hpp",
     "finish_block(rows.first, inside, ql);", ";", "test_decompositions", "EighVerb*"),
    ("no reflections for short columns", "src/core/detail/Batchwork_OneSidedJacobi.hpp", "T(0x1p-15) : T(0x1p-200)",
     "T(0) : T(0)", "test_dense_workspace", "SvdVerb*"),
    # Loaders.
    ("few numbers fetched", "src/fused/detail/loaders/Batchwork_FetchedByLane.hpp", "numbers >= 10 &&", "numbers >= 9 &&",
     "test_warps_of_32", "Loaders*"),
    # Statuses.
    ("info of a code", STATUS, "(std::int64_t(1) << shift) - 1", "(std::int64_t(1) << 4) - 1",
     "test_machine", "StatusCode*"),
    ("words of a reason", STATUS, 'return "not finite"', 'return "breakdown"', "test_machine",
     "StatusCode*"),
    ("first failure", VALUE, "return select(a != I(0), a, b);", "return select(b != I(0), b, a);",
     "test_machine", "StatusCode*"),
    # Packs.
    ("abs keeps the sign", PACK, "std::numeric_limits<integer_of_t<T>>::max()));",
     "integer_of_t<T>(-1)));", HOSTS, GOOD),
    ("quotients", "src/core/detail/Batchwork_QuickDivisor.hpp",
     "std::uint64_t(std::uint32_t(dividend)) * factor + factor",
     "std::uint64_t(std::uint32_t(dividend)) * factor", TEAMS, "*SecondDifference*"),
    # Checks of a call.
    ("negative steps", CHECK, "if (steps < 0)", "if (steps < -1)", "test_errors", "*TooFewSteps*"),
    ("numbers of items", CHECK, "p.d.items >= 0 && p.d.items != first->d.items",
     "p.d.items > first->d.items", "test_errors", None),
    ("no operand with items", CHECK, "if (p.d.items >= 0 && !first) first = &p;",
     "if (!first) first = &p;", "test_errors", None),
    ("aliasing of what is only read", CHECK, "(!x.writes && !y.writes)", "(x.writes || y.writes)",
     "test_errors", None),
    ("end of a carry", CHECK, "x.begin == y.begin &&", "x.begin != y.begin &&", "test_errors",
     None),
    ("groups of a compact View", SOURCE, "n >= 0 && needed <= groups", "n >= 0 && needed <= groups + 1",
     "test_errors", None),
    ("null Views", SOURCE, "if (!empty && view.data() == nullptr)",
     "if (empty && view.data() == nullptr)", "test_errors", None),
    # Patterns.
    ("first offset", CHECK_SYSTEMS, "if (offset(0) != 0)", "if (offset(0) < 0)",
     "test_krylov_check", None),
    ("offsets that fall", CHECK_SYSTEMS, "if (offset(i + 1) < offset(i))",
     "if (offset(i + 1) < offset(0))", "test_krylov_check", None),
    ("last offset", CHECK_SYSTEMS, "if (offset(rows) != entries)", "if (offset(rows) > entries)",
     "test_krylov_check", None),
    # Tridiagonal systems.
    ("limit of growth", PROBLEM, "inline constexpr T growth_limit = T(8);",
     "inline constexpr T growth_limit = T(800);", HOSTS, GOOD),
    ("too strict a limit", PROBLEM, "inline constexpr T growth_limit = T(8);",
     "inline constexpr T growth_limit = T(0.4);", HOSTS, GOOD),
    ("row that is reported", PROBLEM, "% most_tridiagonal_rows) + 1);", "% most_tridiagonal_rows));",
     HOSTS, "*FailuresStay*"),
    ("order of failures", PROBLEM, "if (other < first) first = other;",
     "if (other > first || first == none) first = other;", HOSTS, "*FailuresStay*"),
    ("smallest pivot", PROBLEM, "if (size >= std::numeric_limits<T>::min() &&",
     "if (size > std::numeric_limits<T>::min() &&", HOSTS, "*ExtremePivots*"),
    ("upper in the row's size", PROBLEM, "(Impl::abs(lower) + Impl::abs(diagonal) + Impl::abs(upper))",
     "Impl::abs(upper)", HOSTS, GOOD),
    ("the other row after an exchange", PIVOTED_HOST,
     "diagonal = select(exchange, upper, row_diagonal) - other * c;",
     "diagonal = select(exchange, row_diagonal, upper) - other * c;", HOSTS, EXCHANGES),
    ("fill-in left out", PIVOTED_HOST, "upper = select(exchange, zero, row_upper) - other * e;",
     "upper = select(exchange, zero, row_upper);", HOSTS, EXCHANGES),
    ("exchange for the smaller", PIVOTED_HOST, "Impl::abs(lower) > Impl::abs(diagonal);",
     "Impl::abs(lower) < Impl::abs(diagonal);", HOSTS, EXCHANGES),
    ("x may be b", "src/launch/detail/Batchwork_Call.hpp",
     "return in_place.is && a == in_place.from && b == in_place.to;",
     "return in_place.is && b == in_place.to;", HOSTS, "*Misuse*"),
    ("rows of a system", TRIDIAGONAL, "if (d.rows > most_tridiagonal_rows)",
     "if (d.rows > most_tridiagonal_rows + 1)", HOSTS, "*Misuse*"),
    ("what is left of last rows", GROWTH, "T(32) * std::numeric_limits<T>::epsilon()",
     "T(1e9)", TEAMS, GOOD),
    ("growth where lanes share", GROWTH, "raise(grown, Bits::of(number, row));", "(void)number, (void)row;",
     TEAMS, GOOD),
    ("a pivot of a part", PIVOTED, "bool const exchange = is_better_pivot(lower, one.here);",
     "bool const exchange = false;", TEAMS, "*PartialPivoting*"),
    ("a pivot of a joint", PIVOTED, "if (is_better_pivot(rows[i].x[K], rows[K].x[K])) {",
     "if (is_better_pivot(rows[K].x[K], rows[i].x[K])) {", TEAMS, "*PartialPivoting*"),
    (
        "converged by the rounded residual",
        "src/krylov/solvers/detail/Batchwork_SolveLoop.hpp",
        "met = ends & Computed::clearly_meets(now[0], now[1], is.threshold_squared);",
        "met = ends & (now[0] <= is.threshold_squared);",
        "test_krylov_solve_confirmed",
        None,
    ),
    (
        "GMRES gives up at small directions",
        "src/krylov/solvers/Batchwork_Gmres.hpp",
        "} else if (!(squared > T(0))) {",
        "} else if (!(squared > least)) {",
        "test_krylov_solve_confirmed",
        None,
    ),
    (
        "GMRES makes directions orthogonal once",
        "src/krylov/solvers/Batchwork_Gmres.hpp",
        "most_passes = 3",
        "most_passes = 1",
        "test_krylov_gmres",
        "GmresOf/1.NearlyDependentDirections",
    ),
    (
        "near breakdowns of CGS go on",
        "src/krylov/solvers/Batchwork_Cgs.hpp",
        "(squared < N(T(0.25)) * shadow_squared)",
        "(squared < N(T(0)))",
        "test_krylov_solve_more",
        "SolveByCgsInFloat.*",
    ),
    (
        "squares that are lost are rotated",
        "src/core/detail/Batchwork_OneSidedJacobi.hpp",
        "S const lost(lost_square<T>);",
        "S const lost(T(0));",
        "test_decompositions",
        "SvdVerb*",
    ),
    (
        "items of a workspace beyond its slots",
        "src/dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp",
        "for (std::int64_t item = own; item < f.items; item += slots.count)",
        "for (std::int64_t item = own; item < slots.count; item += slots.count)",
        "test_dense_workspace",
        "DecompositionsInWorkspace.NumberOfSlots",
    ),
    (
        "the next item before all have stored this one",
        "src/dense/decompositions/detail/Batchwork_DecompositionInWorkspace.hpp",
        "      // The next item takes the place of this one.\n      member.team_barrier();\n",
        "",
        "test_decompositions_warps",
        "*ItemsInAWorkspace*",
    ),
    (
        "the row of the pivot in a matrix by columns",
        "src/dense/lu/detail/Batchwork_RowsInMemory.hpp",
        "T const* const pivot = a + row * (ByColumns ? 1 : leading);",
        "T const* const pivot = a + row * leading;",
        "test_lu_warps",
        "LuTeams.ItemsInAWorkspace",
    ),
    (
        "unknowns that are not there",
        "src/dense/decompositions/detail/Batchwork_QrLanes.hpp",
        "if (j >= p.n) c.diagonal[j] = one;",
        "if (j > p.n) c.diagonal[j] = one;",
        "test_decompositions",
        "QrVerbs*",
    ),
    (
        "numbers carried in turn",
        "src/launch/detail/Batchwork_ItemsOfLanes.hpp",
        "if (o >= outer) o -= outer, ++g;",
        "if (o > outer) o -= outer, ++g;",
        "test_decompositions_warps",
        "*AnItemOfEachLane*",
    ),
    (
        "lanes without an item store",
        "src/launch/detail/Batchwork_ItemsOfLanes.hpp",
        "if (to.wanted() && lane < stored) to.put(begin + lane, code);",
        "if (to.wanted() && lane < 32) to.put(begin + lane, code);",
        "test_decompositions_warps",
        "*AnItemOfEachLane*",
    ),
    (
        "an odd order of rows",
        "src/dense/lu/detail/Batchwork_RowsInMemory.hpp",
        "bool const odd = (combined(",
        "bool const odd = (1 ^ combined(",
        "test_lu_verbs",
        "*InversesAndDeterminants*",
    ),
    (
        "Q in place without its diagonal",
        "src/dense/decompositions/detail/Batchwork_ColumnsInMemory.hpp",
        "S(S(T(1)) - top * top)",
        "S(-top * top)",
        "test_decompositions",
        "QrVerbs*",
    ),
]
