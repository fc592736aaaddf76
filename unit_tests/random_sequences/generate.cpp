// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes random sequences, with their operands, as tests:
//
//   generate <first seed> <sequences> <file>
//
// Each seed gives one sequence, the same on every machine. A sequence has three to ten operations
// on tiles with suitable structures, extents and numbers: by construction, matrices to factorise
// are positive definite, and matrices to solve with are well conditioned. The program needs only
// the standard library.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// Features that can be turned off, for versions of the library that do not support them.
struct Vocabulary {
  static constexpr bool congruence_of_commons = true;  ///< f and p common, q per item
  static constexpr bool fail_where_on_common = true;   ///< a mask per item, x common
  static constexpr bool generate_integers = true;      ///< entries that are int
  static constexpr bool equality = true;               ///< == and != of scalars
  static constexpr bool entries = true;      ///< a(i, j) read and written, stack, sum, ...
  static constexpr bool functions = true;    ///< sin, pow, clamp, ... of scalars and tiles
  static constexpr bool apply = true;        ///< functions of plain numbers
  static constexpr bool loops = true;        ///< for, loop<N>, repeat, accumulators
  static constexpr bool rounds = true;       ///< iterate, where
  static constexpr bool integers = true;     ///< integers, item_index, step_index, tables
  static constexpr bool time = true;         ///< backward, range, lag, stride, reversed
  static constexpr bool several = true;      ///< then, on, local
  static constexpr bool derivatives = true;  ///< jacobian, gradient, derivative
  static constexpr bool indices = true;      ///< gathered, scattered, add
  static constexpr bool item_mask = true;
  static constexpr bool random = true;  ///< uniform, normal, integers
  /// select(mask, 0.5, 2) with a mask of integers, in expressions with double or float
  static constexpr bool numbers_by_integers = true;
  /// lu(a).solve(b), both with derivatives, a common to all items and b not
  static constexpr bool common_system_with_derivatives = true;
};

/// Rows of matrices for elimination with pivoting. The bound of the growth of rounding errors
/// doubles with each row.
constexpr int most_rows_of_lu = 6;
/// The approximate limit of entries, and the largest condition number for factorisations.
constexpr double largest = 1000, worst_condition = 1000;
constexpr int largest_unrolled = 6;  ///< beyond this extent no entries are generated one by one

enum class St { general, symmetric, lower, upper, diagonal };
enum class Fill {
  general,
  positive,
  regular,
  positive_definite,
  well_conditioned,
  index,
  places,
  distinct_places,
  mask
};

char const* name(St s) {
  switch (s) {
    case St::symmetric: return "symmetric";
    case St::lower: return "lower";
    case St::diagonal: return "diagonal";
    default: return "general";
  }
}
char const* name(Fill f) {
  switch (f) {
    case Fill::positive: return "positive";
    case Fill::regular: return "regular";
    case Fill::positive_definite: return "positive_definite";
    case Fill::well_conditioned: return "well_conditioned";
    case Fill::index: return "index";
    case Fill::places: return "places";
    case Fill::distinct_places: return "distinct_places";
    case Fill::mask: return "mask";
    default: return "general";
  }
}
St sum_structure(St a, St b) {
  St const s = a == b ? a : a == St::diagonal ? b : b == St::diagonal ? a : St::general;
  return s == St::upper ? St::general : s;
}
St product_structure(St a, St b) {
  if (a == St::diagonal && b == St::diagonal) return St::diagonal;
  auto const low = [](St s) { return s == St::lower || s == St::diagonal; };
  return low(a) && low(b) ? St::lower : St::general;
}
St stored_as(St s) { return s == St::upper ? St::general : s; }

/// An expression, and the known properties of its value.
struct Node {
  std::string text;
  int rows = 1, cols = 1;
  bool scalar = false, vector = false, factor = false;
  bool integer = false;  ///< an integer scalar
  int table = 0;         ///< number of entries that can be looked up
  St st = St::general;
  bool common = false;  ///< the same for all items, and therefore stored as plain numbers
  bool named = false;   ///< a variable; other expressions are written once, in place
  bool lazy = false;    ///< refers to a variable: a transpose
  bool part = false;    ///< of a factorisation
  bool varies = false;  ///< depends on values that the sequence updates
  int uses = 0;
  double size = 1;  ///< about the largest magnitude
  double floor =
      0;  ///< a positive definite matrix: below its eigenvalues; a scalar: below it, if positive
  bool semidefinite = false;
  bool regular =
      false;  ///< triangular or diagonal and well conditioned; a scalar that is not small
  int operand = -1;
  bool matrix() const { return !scalar && !factor && !integer && table == 0; }
  /// Another name for an expression, without numbers of its own.
  bool refers() const { return lazy || part || text.rfind("transpose(", 0) == 0; }
  bool square() const { return matrix() && !vector && rows == cols; }
};

/// The View of an operand.
struct View {
  St st = St::general;
  int rank = 2, rows = 1, cols = 1;
  bool items = true, times = false;
  Fill fill = Fill::general;
  std::string place = "left", expression;
  int width = 1, offset = 0, steps = 0;
  bool integer = false;
  int count = 0;        ///< the number of its items, if indices pick them
  int extent = 0;       ///< of indices: that of the View
  bool beyond = false;  ///< whether indices are out of range
};
struct Leaf {
  /// in, out, inout, common, fixed, each, common_each, each_inout, carry, emit, local, table, item,
  /// step, add, random
  std::string role;
  int view = -1, end = -1;
  bool common_start = false, fixed_start = false, is_log = false;
  double weight = 1;
  int stride = 1, lag = 0;
  bool reversed = false;
  int index = -1;       ///< the View of its indices
  int rank = -1;        ///< of the tile, if indices pick it
  std::string address;  ///< of random numbers
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed), random_(seed * 7919 + 13) {}
  std::string write();

 private:
  // ---- chance ----
  int below(int n) { return int(random_() % std::uint64_t(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class X>
  X one_of(std::vector<X> const& x) {
    return x[std::size_t(below(int(x.size())))];
  }

  // ---- operands ----
  int leaf(int rows, int cols, int rank, St st, Fill fill);
  int make_view(int rows, int cols, int rank, St st, Fill fill, bool items, bool times,
                bool is_const);
  std::string view_text(int view, bool is_const);
  std::string fixed_text(int view) const;

  // ---- operations ----
  using Wanted = std::function<bool(Node const&)>;
  int pick(Wanted const& wanted, std::function<int()> const& otherwise, int fresh = 25);
  int any_matrix(int rows, int cols);
  int square_matrix(int n, bool triangular);
  int positive_definite(int n);
  int regular_triangle(int n);
  int scalar_node(bool positive);
  int number_or_scalar(std::string& text, bool regular);
  std::string use(int k);
  std::string variable(int k);
  int add(Node n, bool infix);
  int name_it(int k);
  bool operation();
  std::string mask(bool& common, bool& varies);
  Node const& at(int k) const { return s_.nodes[std::size_t(k)]; }
  Node& at(int k) { return s_.nodes[std::size_t(k)]; }
  int extent() { return extents_[std::size_t(below(int(extents_.size())))]; }
  Node result(int rows, int cols, std::vector<int> const& from) const {
    Node r;
    r.rows = rows, r.cols = cols, r.common = true;
    for (int k : from) {
      r.common = r.common && at(k).common;
      r.varies = r.varies || at(k).varies;
    }
    return r;
  }

  int integer_leaf();
  int index_view(int rank, int rows, int cols, Fill fill);
  void pick_by_indices(int leaf);
  std::string random_leaf();
  int draw(int rows, int cols, int rank, Fill fill);
  int table_leaf();
  int integer_node();
  std::string pace(int leaf);
  bool hand_over(std::string& second, std::string& on);
  bool is_integer_leaf(Leaf const& l) const {
    return l.role == "item" || l.role == "step" ||
           (l.view >= 0 && s_.views[std::size_t(l.view)].integer);
  }
  std::string new_name(char const* letter = "t") { return letter + std::to_string(s_.variables++); }
  void say(std::string const& text) { s_.statements.push_back(text); }
  std::string entry_of(int k);
  void finish();
  void update(int node);

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::string type_;
  bool scan_ = false, in_kernel_ = false, has_status_ = false;
  int items_ = 1, steps_ = -1, first_ = 0;
  bool backward_ = false;
  bool draws_ = false;             ///< whether it has drawn random numbers: some draw often
  bool mask_of_integers_ = false;  ///< the last one that was made
  std::string interpreted_on_;     ///< how the interpreter calls the second sequence
  std::vector<int> extents_;
  std::vector<int> taken_;  ///< nodes that the current operation uses already

  /// The state that is restored if an operation cannot be made.
  struct State {
    std::vector<Node> nodes;
    std::vector<View> views;
    std::vector<Leaf> leaves;
    std::vector<std::string> statements;
    int variables = 0, operations = 0, fixed_numbers = 0;
  } s_;
};

// ---- operands -----------------------------------------------------------------------------------

std::string Generator::view_text(int v, bool is_const) {
  View& w = s_.views[std::size_t(v)];
  std::string const number = w.integer ? "std::int32_t" : type_;
  std::string const b = "b" + std::to_string(v), u = number + (is_const ? " const" : "");
  int const lead = int(w.items) + int(w.times);
  std::string e;  // static extents
  if (w.rank > 0) e += ", " + std::to_string(w.rows);
  if (w.rank > 1) e += ", " + std::to_string(w.cols);
  std::string const given = w.rank == 0
                                ? ""
                                : "extents<" + std::to_string(w.rows) +
                                      (w.rank > 1 ? ", " + std::to_string(w.cols) : "") + ">";
  auto const with_extents = [&](std::string const& x) {
    return w.rank == 0 ? x : given + "(" + x + ")";
  };
  std::vector<std::string> kinds = {"left", "left", "right", "right"};
  if (w.items) {
    kinds.insert(kinds.end(), {"left_part", "right_part", "compact", "compact"});
    kinds.push_back("strided");
  } else if (lead + w.rank > 0) {
    kinds.push_back("strided");
  }
  std::string const kind = one_of(kinds);
  w.place = kind;
  std::string const rank = std::to_string(lead + w.rank);
  std::string text;
  if (kind == "compact") {
    w.width = one_of(std::vector<int>{2, 4, 8, 16});
    text = b + ".groups<" + u + ", " + std::to_string(w.width) + ", " +
           (w.times ? "true" : "false") + e + ">()";
  } else if (kind == "strided") {
    text = with_extents(b + ".strided<" + u + ", " + rank + ">()");
  } else {
    std::string const layout =
        kind.substr(0, 4) == "left" ? "Kokkos::LayoutLeft" : "Kokkos::LayoutRight";
    bool const part = kind == "left_part" || kind == "right_part";
    if (part) w.offset = below(3);
    if (part) text = with_extents(b + ".part<" + u + ", " + layout + ", " + rank + ">()");
    else if (w.rank > 0 && chance(50))
      text = with_extents(b + ".untyped<" + u + ", " + layout + ", " + rank + ">()");
    else text = b + ".typed<" + u + ", " + layout + ", " + std::to_string(lead) + e + ">()";
  }
  if (w.st != St::general) text = std::string("Batchwork::") + name(w.st) + "(" + text + ")";
  return text;
}

int Generator::make_view(int rows, int cols, int rank, St st, Fill fill, bool items, bool times,
                         bool is_const) {
  View w;
  w.st = st, w.rank = rank, w.rows = rows, w.cols = cols;
  w.items = items, w.times = times, w.fill = fill;
  s_.views.push_back(w);
  int const v = int(s_.views.size()) - 1;
  s_.views.back().expression = view_text(v, is_const);
  return v;
}

std::string Generator::fixed_text(int v) const {
  View const& w = s_.views[std::size_t(v)];
  std::string const b = "b" + std::to_string(v), n = std::to_string(w.rows);
  if (w.rank == 0) return "fixed(" + b + ".fixed_number())";
  std::string tile;
  switch (w.st) {
    case St::symmetric: tile = "Symmetric<" + type_ + ", " + n + ">"; break;
    case St::lower: tile = "Lower<" + type_ + ", " + n + ">"; break;
    case St::diagonal: tile = "Diagonal<" + type_ + ", " + n + ">"; break;
    default:
      tile = w.rank == 1 ? "Vector<" + type_ + ", " + n + ">"
                         : "Matrix<" + type_ + ", " + n + ", " + std::to_string(w.cols) + ">";
  }
  return "fixed(" + b + ".fixed_tile<" + tile + ">())";
}

/// Which step of its View an operand uses. The View has as many steps as this needs.
std::string Generator::pace(int leaf) {
  Leaf& l = s_.leaves[std::size_t(leaf)];
  View& w = s_.views[std::size_t(l.view)];
  if (Vocabulary::time && chance(35)) {
    if (chance(35)) l.stride = 2;
    l.lag = below(l.stride * first_ + 3) - 2;
    l.reversed = chance(30);
  }
  w.steps = l.stride * (first_ + steps_ - 1) - l.lag + 1 + below(2);
  std::string text = w.expression;
  if (l.reversed) text = "reversed(" + text + ")";
  auto const word = [&](char const* name, int k) {
    std::string const n = std::to_string(k);
    text += std::string(", ") + name + (chance(50) ? "<" + n + ">" : "(" + n + ")");
  };
  if (l.stride != 1) word("stride", l.stride);
  if (l.lag != 0) word("lag", l.lag);
  return text;
}

/// A View of integers for each item: indices or a mask.
int Generator::index_view(int rank, int rows, int cols, Fill fill) {
  View w;
  w.integer = true, w.fill = fill;
  w.rank = rank, w.rows = rows, w.cols = cols;
  s_.views.push_back(w);
  int const v = int(s_.views.size()) - 1;
  s_.views.back().expression = view_text(v, chance(30));
  return v;
}

/// Lets indices pick the operand: tiles of its View, or rows or numbers, where nothing else is
/// known about the tile.
void Generator::pick_by_indices(int leaf) {
  Leaf const l = s_.leaves[std::size_t(leaf)];
  View w = s_.views[std::size_t(l.view)];
  int const tile_rank = w.rank;
  int rank = 0, rows = 1, cols = 1;
  bool const plain =
      w.st == St::general && !w.integer &&
      (w.fill == Fill::general || w.fill == Fill::positive || w.fill == Fill::regular);
  if (plain && tile_rank > 0 && chance(80)) {
    rank = tile_rank == 1 || chance(60) ? 1 : 2;
    rows = w.rows, cols = rank == 2 ? w.cols : 1;
    w.rows = tile_rank == 2 && rank == 1 ? w.cols : 1, w.cols = 1;
    w.rank = tile_rank - rank;
  }
  bool const distinct = l.role == "out" || l.role == "inout";
  w.count = distinct ? items_ * rows * cols + below(4)
                     : one_of(std::vector<int>{1, 3, items_, items_ + 2, 2 * items_ + 5});
  w.width = 1, w.offset = 0;
  s_.views[std::size_t(l.view)] = w;
  s_.views[std::size_t(l.view)].expression = view_text(l.view, l.role == "in" && chance(20));
  int const index = index_view(rank, rows, cols, distinct ? Fill::distinct_places : Fill::places);
  s_.views[std::size_t(index)].extent = w.count;
  s_.views[std::size_t(index)].beyond = items_ > 1 && chance(35);
  s_.leaves[std::size_t(leaf)].index = index;
  s_.leaves[std::size_t(leaf)].rank = tile_rank;
}

/// The operand of random numbers: one that is there, or another one.
std::string Generator::random_leaf() {
  std::vector<int> found;
  for (std::size_t k = 0; k < s_.leaves.size(); ++k)
    if (s_.leaves[k].role == "random") found.push_back(int(k));
  if (found.empty() || chance(15)) {
    if (s_.leaves.empty() || s_.leaves.size() >= 7) return "";
    Leaf l;
    l.role = "random";
    // One by one: the order in which a sum is evaluated is not fixed.
    int const shift = chance(50) ? 0 : 40;
    l.address = std::to_string(random_() >> shift) + "u, ";
    l.address += std::to_string(chance(50) ? 0 : random_() >> 32) + ", ";
    l.address += std::to_string(chance(60) ? 0 : random_() >> 25);
    found = {int(s_.leaves.size())};
    s_.leaves.push_back(l);
  }
  return "x" + std::to_string(one_of(found));
}
/// A tile of random numbers, as a variable; -1 if there are enough operands.
int Generator::draw(int rows, int cols, int rank, Fill fill) {
  std::string const r = random_leaf();
  if (r.empty()) return -1;
  draws_ = true;
  bool const positive = fill == Fill::positive, is_normal = !positive && chance(50);
  std::string extents;
  if (rank > 0) extents = "<" + std::to_string(rows);
  if (rank > 1) extents += ", " + std::to_string(cols);
  if (rank > 0) extents += ">";
  Node n;
  n.text = new_name();
  say("auto const " + n.text + " = " + (positive ? "0.5 + " : "") +
      (is_normal ? "normal" : "uniform") + extents + "(" + r + ");");
  n.named = true;
  n.rows = rows, n.cols = cols, n.scalar = rank == 0, n.vector = rank == 1;
  n.size = is_normal ? 4 : positive ? 1.5 : 1;
  if (positive) n.floor = 0.5, n.regular = true;
  s_.nodes.push_back(n);
  return int(s_.nodes.size()) - 1;
}

/// An operand that is an integer of each item, its number, or the number of the step.
int Generator::integer_leaf() {
  if (Vocabulary::random && chance(draws_ ? 35 : 12)) {
    std::string const r = random_leaf();
    if (!r.empty()) {
      Node n;
      n.text = new_name();
      say("auto const " + n.text + " = integers(" + r + ", 7);");
      n.named = n.integer = true;
      n.size = 7;
      draws_ = true;
      s_.nodes.push_back(n);
      return int(s_.nodes.size()) - 1;
    }
  }
  if (s_.leaves.size() >= 8) return -1;
  Leaf l;
  int const p = below(100);
  l.role = p < 30            ? "item"
           : scan_ && p < 50 ? "step"
           : scan_ && p < 70 ? "each"
           : p < 88          ? "in"
                             : "common";
  if (s_.leaves.empty()) l.role = "in";
  if (l.role == "item" || l.role == "step") {
    for (std::size_t k = 0; k < s_.leaves.size(); ++k)
      if (s_.leaves[k].role == l.role) return -1;
  } else {
    View w;
    w.rank = 0, w.items = l.role != "common", w.times = l.role == "each";
    w.fill = Fill::index, w.integer = true;
    s_.views.push_back(w);
    l.view = int(s_.views.size()) - 1;
    s_.views.back().expression = view_text(l.view, chance(20));
  }
  s_.leaves.push_back(l);
  Node n;
  n.operand = int(s_.leaves.size()) - 1;
  n.text = "x" + std::to_string(n.operand);
  n.named = n.integer = true;
  n.common = l.role == "common" || l.role == "step";
  n.size = l.role == "item" ? items_ : 7;
  s_.nodes.push_back(n);
  return int(s_.nodes.size()) - 1;
}
/// A table of numbers or of vectors.
int Generator::table_leaf() {
  if (s_.leaves.empty() || s_.leaves.size() >= 8) return -1;
  Leaf l;
  l.role = "table";
  View w;
  w.items = false;
  w.rank = chance(50) ? 1 : 2, w.rows = 3 + below(6), w.cols = w.rank == 1 ? 1 : extent();
  w.place = chance(50) ? "left" : "right";
  s_.views.push_back(w);
  l.view = int(s_.views.size()) - 1;
  std::string const b = "b" + std::to_string(l.view),
                    layout = w.place == "left" ? "Kokkos::LayoutLeft" : "Kokkos::LayoutRight";
  std::string e = b + ".untyped<" + type_ + (chance(50) ? " const, " : ", ") + layout + ", " +
                  std::to_string(w.rank) + ">()";
  if (w.rank == 2) e = "extents<" + std::to_string(w.cols) + ">(" + e + ")";
  s_.views.back().expression = e;
  s_.leaves.push_back(l);
  Node n;
  n.operand = int(s_.leaves.size()) - 1;
  n.text = "x" + std::to_string(n.operand);
  n.named = n.common = true;
  n.table = w.rows, n.cols = 1, n.rows = w.cols;
  n.vector = w.rank == 2;
  s_.nodes.push_back(n);
  return int(s_.nodes.size()) - 1;
}
int Generator::integer_node() {
  return pick([](Node const& n) { return n.integer; }, [this] { return integer_leaf(); });
}

/// Adds an operand that is read. Returns -1 if there are enough.
int Generator::leaf(int rows, int cols, int rank, St st, Fill fill) {
  if (Vocabulary::random && st == St::general &&
      (fill == Fill::general || (rank == 0 && fill == Fill::positive)) && chance(draws_ ? 35 : 8)) {
    int const k = draw(rows, cols, rank, fill);
    if (k >= 0) return k;
  }
  if (s_.leaves.size() >= 7) return -1;
  // A View of vectors or scalars has a structure if it stores diagonals.
  if (st == St::diagonal) rank = 1;
  int const numbers = rank == 2 ? rows * cols : rank == 1 ? rows : 1;
  Leaf l;
  int const p = below(100);
  if (!scan_) l.role = p < 55 ? "in" : p < 68 ? "inout" : p < 85 ? "common" : "fixed";
  else
    l.role = p < 14                       ? "in"
             : p < 46                     ? "each"
             : p < 72                     ? "carry"
             : p < 80                     ? "common"
             : p < 88                     ? "fixed"
             : p < 93                     ? "common_each"
             : Vocabulary::time && p < 97 ? "each_inout"
                                          : "inout";
  // The first operand has items, whatever comes after it.
  if (s_.leaves.empty() && (l.role == "common" || l.role == "fixed" || l.role == "common_each"))
    l.role = scan_ ? "each" : "in";
  bool const updated = l.role == "inout" || l.role == "carry" || l.role == "each_inout";
  if (updated && std::count_if(s_.leaves.begin(), s_.leaves.end(), [](Leaf const& x) {
                   return x.role == "inout" || x.role == "carry" || x.role == "each_inout";
                 }) >= 2)
    l.role = scan_ ? "each" : "in";
  if (l.role == "carry") {
    int const start = below(4);
    l.common_start = start == 0;
    l.fixed_start = start == 1;
  }
  if (l.role == "fixed" || l.fixed_start) {
    if ((s_.fixed_numbers + numbers) * (type_ == "float" ? 4 : 8) > 1800)
      l.role = scan_ ? "each" : "in", l.fixed_start = false;
    else s_.fixed_numbers += numbers;
  }
  bool const fixed = l.role == "fixed" || l.fixed_start,
             items = l.role != "common" && l.role != "common_each" && !fixed && !l.common_start,
             times = l.role == "each" || l.role == "common_each" || l.role == "each_inout";
  bool const ends_there = l.role == "carry" && items && chance(25);
  l.view = make_view(rows, cols, rank, st, fill, items, times,
                     l.role != "inout" && l.role != "each_inout" && !ends_there && chance(20));
  if (l.role == "carry") {
    if (ends_there) l.end = l.view;
    else if (chance(70)) l.end = make_view(rows, cols, rank, st, fill, true, false, false);
  }
  s_.leaves.push_back(l);

  Node n;
  n.operand = int(s_.leaves.size()) - 1;
  n.text = "x" + std::to_string(n.operand);
  n.named = true;
  n.rows = rows, n.cols = cols, n.st = st;
  n.scalar = rank == 0;
  n.vector = rank == 1 && st != St::diagonal;
  n.common = l.role == "common" || l.role == "fixed" || l.role == "common_each";
  n.varies = l.role == "carry" || (scan_ && l.role == "inout");
  n.size = fill == Fill::positive_definite ? 1.5 : fill == Fill::general ? 1 : 2;
  if (fill == Fill::positive_definite || (n.scalar && fill == Fill::positive)) n.floor = 0.5;
  n.semidefinite = fill == Fill::positive_definite;
  n.regular = fill == Fill::well_conditioned || fill == Fill::regular ||
              (st == St::diagonal && fill == Fill::positive_definite) ||
              (n.scalar && fill == Fill::positive);
  s_.nodes.push_back(n);
  return int(s_.nodes.size()) - 1;
}

// ---- what operations are given ------------------------------------------------------------------

int Generator::pick(Wanted const& wanted, std::function<int()> const& otherwise, int fresh) {
  std::vector<int> found;
  for (std::size_t k = 0; k < s_.nodes.size(); ++k) {
    Node const& n = s_.nodes[k];
    if ((!n.named && n.uses > 0) || !wanted(n)) continue;
    // The difference of a tile and itself is not interesting.
    if (std::find(taken_.begin(), taken_.end(), int(k)) != taken_.end()) continue;
    // Prefer expressions that are not used yet, so that the parts of a sequence are connected.
    for (int often = n.uses == 0 ? 12 : n.operand < 0 ? 2 : 1; often > 0; --often)
      found.push_back(int(k));
  }
  int const spare = found.empty() ? -1 : one_of(found);
  if (otherwise && (spare < 0 || chance(fresh))) {
    int const k = otherwise();
    if (k >= 0) return k;
  }
  return spare;
}
int Generator::any_matrix(int rows, int cols) {
  return pick([=](Node const& n) { return n.matrix() && n.rows == rows && n.cols == cols; },
              [=, this] {
                if (cols == 1 && chance(70)) return leaf(rows, 1, 1, St::general, Fill::general);
                if (rows != cols) return leaf(rows, cols, 2, St::general, Fill::general);
                St const st = one_of(std::vector<St>{St::general, St::general, St::general,
                                                     St::symmetric, St::lower, St::diagonal});
                return leaf(rows, cols, 2, st, Fill::general);
              });
}
int Generator::square_matrix(int n, bool triangular) {
  return pick(
      [=](Node const& x) {
        return x.square() && x.rows == n &&
               (triangular || (x.st != St::lower && x.st != St::upper));
      },
      [=, this] {
        St const st =
            one_of(std::vector<St>{St::general, St::symmetric, St::symmetric, St::diagonal});
        return leaf(n, n, 2, st, Fill::general);
      });
}
int Generator::positive_definite(int n) {
  return pick(
      [=](Node const& x) {
        return x.square() && x.rows == n && x.floor > 0 && x.st != St::lower && x.st != St::upper &&
               x.size * x.rows / x.floor < worst_condition;
      },
      [=, this] {
        St const st = one_of(std::vector<St>{St::general, St::symmetric, St::symmetric,
                                             St::symmetric, St::diagonal});
        return leaf(n, n, 2, st, Fill::positive_definite);
      });
}
int Generator::regular_triangle(int n) {
  return pick([=](Node const& x) { return x.square() && x.rows == n && x.regular; },
              [=, this] {
                if (chance(25)) return leaf(n, n, 1, St::diagonal, Fill::regular);
                return leaf(n, n, 2, St::lower, Fill::well_conditioned);
              });
}
int Generator::scalar_node(bool positive) {
  return pick([=](Node const& n) { return n.scalar && (!positive || n.floor > 0); },
              [=, this] {
                return leaf(1, 1, 0, St::general,
                            positive ? Fill::positive
                                     : one_of(std::vector<Fill>{Fill::general, Fill::positive,
                                                                Fill::regular}));
              });
}
/// A number, or a scalar whose node is returned; -1 for a number.
int Generator::number_or_scalar(std::string& text, bool regular) {
  if (chance(35)) {
    text = one_of(std::vector<std::string>{"0.5", "2", "0.25", "-1.5", "3", "-1"});
    return -1;
  }
  int const k =
      pick([=](Node const& n) { return n.scalar && (!regular || n.regular || n.floor > 0); },
           [=, this] {
             return leaf(1, 1, 0, St::general,
                         regular ? one_of(std::vector<Fill>{Fill::regular, Fill::positive})
                                 : Fill::general);
           });
  if (k < 0) text = "2";
  else text = use(k);
  return k;
}

std::string Generator::use(int k) {
  Node& n = at(k);
  ++n.uses;
  taken_.push_back(k);
  return n.text;
}
int Generator::name_it(int k) {
  Node& n = at(k);
  if (n.named) return k;
  std::string const t = "t" + std::to_string(s_.variables++);
  s_.statements.push_back("auto const " + t + " = " + n.text + ";");
  n.text = t;
  n.named = true;
  return k;
}
/// Its name, to be used any number of times.
std::string Generator::variable(int k) {
  name_it(k);
  return use(k);
}
int Generator::add(Node n, bool infix) {
  ++s_.operations;
  if (infix) n.text = "(" + n.text + ")";
  s_.nodes.push_back(n);
  int const k = int(s_.nodes.size()) - 1;
  if (chance(55)) name_it(k);
  return k;
}

/// Some entry of a tile, read.
std::string Generator::entry_of(int k) {
  std::string const i = std::to_string(below(at(k).rows)), j = std::to_string(below(at(k).cols));
  std::string const tile = use(k);
  return tile + "(" + i + (at(k).vector ? "" : ", " + j) + ")";
}

std::string Generator::mask(bool& common, bool& varies) {
  common = true, varies = false;
  mask_of_integers_ = false;
  auto const scalar = [&] {
    int const k = scalar_node(false);
    if (k < 0) return std::string();
    common = common && at(k).common;
    varies = varies || at(k).varies;
    return use(k);
  };
  auto const comparison = [&]() -> std::string {
    int const kind = below(100);
    if (Vocabulary::integers && kind < 14) {
      int const k = pick([](Node const& n) { return n.integer; },
                         [this, kind] { return kind < 5 ? integer_leaf() : -1; }, 10);
      if (k >= 0) {
        common = common && at(k).common;
        mask_of_integers_ = true;
        return "(" + use(k) +
               one_of(std::vector<std::string>{" % 2 == 0", " < 3", " >= 2", " != 1", " % 3 > 0"}) +
               ")";
      }
    } else if (Vocabulary::entries && kind < 22) {
      int const k = pick([](Node const& n) { return n.matrix() && !n.refers(); }, nullptr);
      if (k >= 0) {
        common = common && at(k).common;
        varies = varies || at(k).varies;
        bool const all = chance(50);
        return std::string(all ? "all_of(" : "any_of(") + use(k) +
               ", [&](auto const& e) { return e " + one_of(std::vector<std::string>{"<", ">="}) +
               " " + one_of(std::vector<std::string>{"0.5", "-0.25", "1"}) + "; })";
      }
    }
    std::string const a = scalar();
    if (a.empty()) return a;
    if (chance(8)) return "isfinite(" + a + ")";
    if (chance(8)) return "!isnan(" + a + ")";
    std::vector<std::string> ops = {"<", "<=", ">", ">="};
    if (Vocabulary::equality) ops.insert(ops.end(), {"==", "!="});
    std::string b = one_of(std::vector<std::string>{"0.25", "-0.5", "0", "1"});
    if (chance(50)) {
      std::string const c = scalar();
      if (!c.empty() && c != a) b = c;
    }
    return "(" + a + " " + one_of(ops) + " " + b + ")";
  };
  std::string m = comparison();
  if (m.empty()) return m;
  if (chance(20)) m = "!" + m;
  if (chance(25)) {
    std::string const other = comparison();
    if (!other.empty()) m = "(" + m + (chance(50) ? " && " : " || ") + other + ")";
  }
  return m;
}

// ---- operations ---------------------------------------------------------------------------------

/// Tries to add one operation. Returns false if there are no suitable operands.
bool Generator::operation() {
  struct Kind {
    int weight;
    std::function<bool()> make;
  };
  auto const done = [&](Node r, bool infix = false) {
    if (r.size > largest) return false;
    add(r, infix);
    return true;
  };
  int m = extent(), n = extent();
  int const c = chance(35) ? 1 : extent();
  taken_.clear();
  int const start = pick([](Node const& x) { return x.matrix() && x.uses == 0; }, nullptr);
  if (start >= 0 && chance(75)) {
    bool const turned = chance(30);
    m = turned ? at(start).cols : at(start).rows;
    n = turned ? at(start).rows : at(start).cols;
  }
  bool const large = std::max({m, n, c}) > largest_unrolled;

  auto const sum = [&] {
    bool const minus = chance(45);
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = use(a);
    int b;
    if (m == n && chance(15)) {
      Node r = result(m, n, {a});
      r.text =
          x + (minus ? " - " : " + ") + "identity<" + std::to_string(n) + ">(" + variable(a) + ")";
      if (x != at(a).text) return false;  // it was written out already
      r.st = sum_structure(at(a).st, St::diagonal);
      r.size = at(a).size + 1;
      r.semidefinite = !minus && at(a).semidefinite && r.st != St::lower;
      if (r.semidefinite) r.floor = at(a).floor + 1;
      return done(r, true);
    }
    b = any_matrix(m, n);
    if (b < 0) return false;
    Node r = result(m, n, {a, b});
    r.text = x + (minus ? " - " : " + ") + use(b);
    r.st = sum_structure(at(a).st, at(b).st);
    r.vector = at(a).vector || at(b).vector;
    r.size = at(a).size + at(b).size;
    r.semidefinite = !minus && at(a).semidefinite && at(b).semidefinite;
    if (r.semidefinite) r.floor = at(a).floor + at(b).floor;
    return done(r, true);
  };
  auto const negate = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    Node r = result(m, n, {a});
    r.text = "-" + use(a);
    r.st = stored_as(at(a).st), r.vector = at(a).vector, r.size = at(a).size;
    r.regular = at(a).regular && r.st == at(a).st;
    return done(r, true);
  };
  auto const product = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = use(a);
    int const b = any_matrix(n, c);
    if (b < 0) return false;
    Node r = result(m, c, {a, b});
    r.text = x + " * " + use(b);
    r.st = product_structure(at(a).st, at(b).st);
    r.vector = at(b).vector;
    r.size = at(a).size * at(b).size * (1 + 0.6 * n);
    return done(r, true);
  };
  auto const scale = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = use(a);
    std::string factor;
    bool const divides = chance(30);
    int const s = number_or_scalar(factor, divides);
    Node r = s < 0 ? result(m, n, {a}) : result(m, n, {a, s});
    r.text = divides ? x + " / " + factor : chance(30) ? x + " * " + factor : factor + " * " + x;
    r.st = stored_as(at(a).st), r.vector = at(a).vector;
    double const f = s < 0 ? std::fabs(std::atof(factor.c_str())) : at(s).size;
    r.size = at(a).size * (divides ? 4 : f);
    if (s < 0 && factor[0] != '-') {
      double const g = divides ? 1 / f : f;
      r.semidefinite = at(a).semidefinite, r.floor = at(a).floor * g, r.size = at(a).size * g;
    } else if (s >= 0 && at(s).floor > 0) {
      r.semidefinite = at(a).semidefinite;
      r.floor = at(a).floor * (divides ? 1 / at(s).size : at(s).floor);
    }
    if (s < 0) r.regular = at(a).regular && r.st == at(a).st;
    return done(r, true);
  };
  auto const congruence = [&] {
    bool const three = chance(55);
    int const f = any_matrix(m, n);
    if (f < 0) return false;
    std::string text = "congruence(" + use(f);
    int const p = chance(60) ? positive_definite(n) : square_matrix(n, false);
    if (p < 0) return false;
    text += ", " + use(p);
    Node r = result(m, m, {f, p});
    r.semidefinite = at(p).semidefinite;
    r.size = at(f).size * at(f).size * at(p).size * (1 + 0.5 * n) * (1 + 0.3 * n);
    if (three) {
      int const q = chance(60) ? positive_definite(m) : square_matrix(m, false);
      if (q < 0) return false;
      if (!Vocabulary::congruence_of_commons && at(f).common && at(p).common && !at(q).common)
        return false;
      text += ", " + use(q);
      r = [&] {
        Node x = result(m, m, {f, p, q});
        x.semidefinite = r.semidefinite && at(q).semidefinite;
        x.size = r.size + at(q).size;
        x.floor = x.semidefinite ? at(q).floor : 0;
        return x;
      }();
    }
    r.text = text + ")";
    r.st = St::symmetric;
    return done(r);
  };
  auto const symmetric_product = [&] {
    bool const three = chance(50), meant = chance(40);
    std::string text;
    Node r;
    int a, b;
    if (meant) {
      // As in sequences: of g = h p, g h'.
      int const h = any_matrix(m, n);
      if (h < 0) return false;
      name_it(h);
      std::string const hx = use(h);
      int const p = positive_definite(n);
      if (p < 0) return false;
      Node g = result(m, n, {h, p});
      g.text = hx + " * " + use(p);
      g.st = product_structure(at(h).st, at(p).st);
      g.size = at(h).size * at(p).size * (1 + 0.5 * n);
      if (g.size > largest) return false;
      a = add(g, true);
      text = "symmetric_product(" + use(a) + ", transpose(" + use(h) + ")";
      b = h;
      r = result(m, m, {a, b});
      r.semidefinite = true;
    } else {
      a = any_matrix(m, n);
      if (a < 0) return false;
      text = "symmetric_product(" + use(a);
      b = any_matrix(n, m);
      if (b < 0) return false;
      text += ", " + use(b);
      r = result(m, m, {a, b});
    }
    r.size = at(a).size * at(b).size * (1 + 0.6 * n);
    if (three) {
      int const q = chance(60) ? positive_definite(m) : square_matrix(m, false);
      if (q < 0) return false;
      text += ", " + use(q);
      Node x = result(m, m, {a, b, q});
      x.semidefinite = r.semidefinite && at(q).semidefinite;
      x.floor = x.semidefinite ? at(q).floor : 0;
      x.size = r.size + at(q).size;
      r = x;
    }
    r.text = text + ")";
    r.st = St::symmetric;
    return done(r);
  };
  auto const gram = [&] {
    int const y = any_matrix(m, n);
    if (y < 0) return false;
    Node r = result(n, n, {y});
    r.text = "gram(" + use(y) + ")";
    r.st = St::symmetric, r.semidefinite = true;
    r.size = at(y).size * at(y).size * (1 + 0.6 * m);
    return done(r);
  };
  auto const downdate = [&] {
    int const p = chance(50) ? positive_definite(n) : square_matrix(n, false);
    if (p < 0) return false;
    std::string const x = use(p);
    int const y = any_matrix(m, n);
    if (y < 0) return false;
    Node r = result(n, n, {p, y});
    r.text = "downdate(" + x + ", " + use(y) + ")";
    r.st = St::symmetric;
    r.size = at(p).size + at(y).size * at(y).size * (1 + 0.6 * m);
    return done(r);
  };
  auto const symmetrise = [&] {
    int const a = square_matrix(n, true);
    if (a < 0) return false;
    Node r = result(n, n, {a});
    r.text = "symmetric(" + use(a) + ")";
    r.st = St::symmetric;
    r.size = at(a).size;
    // Of a triangle it is another matrix.
    if (at(a).st != St::lower && at(a).st != St::upper)
      r.semidefinite = at(a).semidefinite, r.floor = at(a).floor;
    return done(r);
  };
  auto const transposed = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    Node r = result(n, m, {a});
    bool const named = at(a).named;
    r.text = "transpose(" + use(a) + ")";
    r.st = at(a).st == St::lower ? St::upper : at(a).st == St::upper ? St::lower : at(a).st;
    // Applied twice, it is the tile itself, or a vector.
    if (at(a).text.rfind("transpose(", 0) == 0 || at(a).lazy) return false;
    r.lazy = named && r.st != St::symmetric && r.st != St::diagonal;
    r.size = at(a).size, r.semidefinite = at(a).semidefinite, r.floor = at(a).floor;
    r.regular = at(a).regular;
    return done(r);
  };
  auto const use_factor = [&] {
    int const f = pick([](Node const& x) { return x.factor; }, nullptr);
    if (f < 0) return false;
    int const size = at(f).rows;
    int const what = below(10);
    if (what < 2) {
      Node r = result(1, 1, {f});
      r.scalar = true;
      r.text = chance(50) ? use(f) + ".log_det()" : "log_det(" + use(f) + ")";
      r.size = 3 * size;
      return done(r);
    }
    if (what < 5) {
      Node r = result(size, size, {f});
      r.text = use(f) + ".lower()";
      r.part = true;
      r.st = St::lower, r.regular = true, r.size = at(f).size;
      return done(r);
    }
    std::string const x = use(f);
    int const b = any_matrix(size, c);
    if (b < 0) return false;
    Node r = result(size, c, {f, b});
    r.text = chance(50) ? x + ".solve(" + use(b) + ")" : "solve(" + x + ", " + use(b) + ")";
    r.vector = at(b).vector;
    r.size = at(b).size / at(f).floor * 2;
    return done(r);
  };
  auto const factorise = [&] {
    int const a = positive_definite(n);
    if (a < 0) return false;
    Node r = result(n, n, {a});
    r.text = "cholesky(" + use(a) + ")";
    r.factor = true;
    r.size = at(a).size, r.floor = at(a).floor;
    if (!done(r)) return false;
    for (int times = 1 + below(2); times > 0; --times) {
      State const before = s_;
      taken_.clear();
      if (!use_factor()) s_ = before;
    }
    return true;
  };
  // Inputs are positive definite matrices, whose condition number is known, and such matrices with
  // the last row first, which need row exchanges.
  auto const eliminate = [&] {
    if (n > most_rows_of_lu) return false;
    int const a = positive_definite(n);
    if (a < 0) return false;
    std::string const extent = std::to_string(n);
    std::string const lu = large || chance(30)
                               ? "lu(" + use(a) + ")"
                               : "lu(entries<" + extent + ", " + extent +
                                     ">([&](int i, int j) { return element(" + variable(a) + ", " +
                                     std::to_string(n - 1) + " - i, j); }))";
    int const what = below(6);
    bool const member = chance(50);
    if (what == 0) {
      Node r = result(1, 1, {a});
      r.scalar = true;
      r.text = member ? lu + ".determinant()" : "determinant(" + lu + ")";
      r.size = std::pow(at(a).size, n);
      return done(r);
    }
    if (what == 1) {
      Node r = result(n, n, {a});
      r.text = member ? lu + ".inverse()" : "inverse(" + lu + ")";
      r.size = 2 / at(a).floor;
      return done(r);
    }
    // Another factorisation solves as well. ldlt reads one triangle.
    bool const others = chance(50), has_function = !others;
    std::string factors = lu;
    if (others) {
      char const* const names[] = {"ldlt", "qr", "pivoted_qr", "svd"};
      int const which = below(4);
      factors = names[which] + (which == 0 ? "(" + use(a) + ")" : lu.substr(lu.find('(')));
    }
    int const b = any_matrix(n, c);
    if (b < 0) return false;
    Node r = result(n, c, {a, b});
    r.text = member || !has_function ? factors + ".solve(" + use(b) + ")"
                                     : "solve(" + factors + ", " + use(b) + ")";
    r.vector = at(b).vector;
    r.size = at(b).size / at(a).floor * 2;
    return done(r);
  };
  auto const solve = [&] {
    int const t = regular_triangle(n);
    if (t < 0) return false;
    std::string const x = use(t);
    int const b = any_matrix(n, c);
    if (b < 0) return false;
    Node r = result(n, c, {t, b});
    r.text = "solve(" + x + ", " + use(b) + ")";
    r.vector = at(b).vector;
    r.size = at(b).size * 4;
    return done(r);
  };
  auto const part = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    if (chance(50)) {
      Node r = result(m, 1, {a});
      r.text = "column(" + use(a) + ", " + std::to_string(below(n)) + ")";
      r.vector = true, r.size = at(a).size;
      return done(r);
    }
    std::string const x = use(a);
    int const b = any_matrix(m, n);
    if (b < 0) return false;
    Node r = result(m, n, {a, b});
    r.text = "hadamard(" + x + ", " + use(b) + ")";
    St const of_a = at(a).st, of_b = at(b).st;
    r.st = of_a == St::diagonal || of_a == of_b ? of_a : of_b == St::diagonal ? of_b : St::general;
    r.vector = at(a).vector || at(b).vector;
    r.size = at(a).size * at(b).size;
    return done(r);
  };
  auto const reduce = [&] {
    int const what = below(5);
    if (what == 0) {
      int const a = square_matrix(n, true);
      if (a < 0) return false;
      Node r = result(1, 1, {a});
      r.scalar = true, r.text = "trace(" + use(a) + ")", r.size = at(a).size * n;
      return done(r);
    }
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    if (what == 1) {
      Node r = result(1, 1, {a});
      r.scalar = true, r.text = "norm2(" + use(a) + ")", r.size = at(a).size * (m + n);
      return done(r);
    }
    if (what == 2) {
      std::string const x = use(a);
      int const b = any_matrix(m, n);
      if (b < 0) return false;
      Node r = result(1, 1, {a, b});
      r.scalar = true, r.text = "dot(" + x + ", " + use(b) + ")";
      r.size = at(a).size * at(b).size * m * n;
      return done(r);
    }
    Node r = result(1, 1, {a});
    r.scalar = true;
    if (Vocabulary::entries && chance(60)) {
      r.text = entry_of(a);
      r.size = at(a).size;
      return done(r);
    }
    bool const short_form = at(a).vector && chance(50);
    r.text = "element(" + use(a) + ", " + std::to_string(below(m)) +
             (short_form ? ")" : ", " + std::to_string(below(n)) + ")");
    r.size = at(a).size;
    return done(r);
  };
  auto const generate = [&] {
    if (large) return false;
    std::string const shape =
        "entries<" + std::to_string(m) + ", " + std::to_string(n) + ">([&](int i, int j) { return ";
    int const what = below(5);
    if (what == 4) {
      int const a = square_matrix(n, true);
      if (a < 0) return false;
      std::string const x = variable(a);
      std::string factor;
      int const s = number_or_scalar(factor, false);
      if (s >= 0) factor = variable(s), --at(s).uses;
      Node r = s < 0 ? result(n, 1, {a}) : result(n, 1, {a, s});
      bool const call = Vocabulary::entries && chance(50);
      r.text = "entries<" + std::to_string(n) + ">([&](int i) { return " +
               (call ? x + "(i, i)" : "element(" + x + ", i, i)") + " * " + factor + "; })";
      r.vector = true;
      r.size = at(a).size * (s < 0 ? 3 : at(s).size);
      return done(r);
    }
    int const a = what == 0 ? any_matrix(n, m) : any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = variable(a);
    Node r = result(m, n, {a});
    if (what == 0) {
      r.text = shape + "element(" + x + ", j, i); })";
      r.size = at(a).size;
    } else if (what == 1) {
      // Integers give double, which is not mixed with float.
      r.text = Vocabulary::generate_integers && type_ == "double" && chance(50)
                   ? shape + "integer(" + x + ", 1 + i + 2 * j); })"
                   : shape + "plain(" + x + ", 0.25 * (i + 1) + 0.125 * j); })";
      r.common = true, r.varies = false, r.size = 3;
    } else {
      int const b = any_matrix(m, n);
      if (b < 0) return false;
      std::string const y = variable(b);
      r = result(m, n, {a, b});
      r.text = shape + "element(" + x + ", i, j) " + (what == 2 ? "*" : "-") + " element(" + y +
               ", i, j); })";
      r.size = what == 2 ? at(a).size * at(b).size : at(a).size + at(b).size;
    }
    return done(r);
  };
  auto const select = [&] {
    bool common, varies;
    std::string const mk = mask(common, varies);
    if (mk.empty()) return false;
    if (chance(25)) {
      int const a = scalar_node(false);
      if (a < 0) return false;
      std::string const x = use(a);
      std::string y;
      int const b = number_or_scalar(y, false);
      Node r = b < 0 ? result(1, 1, {a}) : result(1, 1, {a, b});
      r.scalar = true, r.common = r.common && common, r.varies = r.varies || varies;
      r.text = "select(" + mk + ", " + (chance(50) ? x + ", " + y : y + ", " + x) + ")";
      r.size = at(a).size + (b < 0 ? 3 : at(b).size);
      return done(r);
    }
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = use(a);
    int const b = any_matrix(m, n);
    if (b < 0) return false;
    Node r = result(m, n, {a, b});
    r.common = r.common && common, r.varies = r.varies || varies;
    r.text = "select(" + mk + ", " + x + ", " + use(b) + ")";
    r.st = sum_structure(at(a).st, at(b).st);
    r.vector = at(a).vector || at(b).vector;
    r.size = std::max(at(a).size, at(b).size);
    r.semidefinite = at(a).semidefinite && at(b).semidefinite;
    r.floor = r.semidefinite ? std::min(at(a).floor, at(b).floor) : 0;
    return done(r);
  };
  auto const fail = [&] {
    bool common, varies;
    std::string const mk = mask(common, varies);
    if (mk.empty()) return false;
    int const a = chance(20) ? scalar_node(false) : any_matrix(m, n);
    if (a < 0 || at(a).lazy || at(a).text.rfind("transpose(", 0) == 0) return false;
    if (!Vocabulary::fail_where_on_common && !common && at(a).common) return false;
    Node r = at(a);
    r.operand = -1, r.uses = 0, r.named = false, r.lazy = false;
    r.varies = r.varies || varies;
    r.text = "fail_where(" + mk +
             ", Reason::" + one_of(std::vector<std::string>{"incomplete_data", "breakdown"}) +
             ", " + use(a) + ")";
    return done(r);
  };
  // One failure over another, and a failure that is not chosen.
  auto const failures = [&] {
    bool common, varies, other_common, other_varies;
    std::string const first = mask(common, varies), then = mask(other_common, other_varies);
    if (first.empty() || then.empty()) return false;
    int const a = any_matrix(m, n);
    if (a < 0 || at(a).lazy || at(a).text.rfind("transpose(", 0) == 0) return false;
    if (!Vocabulary::fail_where_on_common && !(common && other_common) && at(a).common)
      return false;
    std::string const x = "fail_where(" + first + ", Reason::incomplete_data, " + use(a) + ")";
    Node r = result(m, n, {a});
    r.st = at(a).st, r.vector = at(a).vector, r.size = at(a).size;
    if (chance(40)) {
      r.text = "fail_where(" + then + ", Reason::breakdown, " + x + ")";
    } else {
      int const b = any_matrix(m, n);
      if (b < 0) return false;
      std::string const y = use(b);
      r = result(m, n, {a, b});
      r.text = "select(" + then + ", " + (chance(50) ? x + ", " + y : y + ", " + x) + ")";
      r.st = sum_structure(at(a).st, at(b).st);
      r.vector = at(a).vector || at(b).vector;
      r.size = std::max(at(a).size, at(b).size);
    }
    r.common = r.common && common && other_common;
    r.varies = r.varies || varies || other_varies;
    s_.operations += 1;
    return done(r);
  };
  auto const arithmetic = [&] {
    int const a = scalar_node(false);
    if (a < 0) return false;
    std::string const x = use(a);
    std::string const op = one_of(std::vector<std::string>{" + ", " - ", " * ", " / "});
    std::string y;
    int const b = number_or_scalar(y, op == " / ");
    Node r = b < 0 ? result(1, 1, {a}) : result(1, 1, {a, b});
    double const f = b < 0 ? 3 : at(b).size;
    r.scalar = true;
    r.text = x + op + y;
    r.size = op == " / " ? at(a).size * 5 : op == " * " ? at(a).size * f : at(a).size + f;
    return done(r, true);
  };
  auto const function = [&] {
    int const a = scalar_node(false);
    if (a < 0) return false;
    Node r = result(1, 1, {a});
    r.scalar = true;
    int const what = below(7);
    if (what < 2) {
      std::string const x = use(a);
      std::string y;
      int const b = number_or_scalar(y, false);
      r = b < 0 ? r : result(1, 1, {a, b});
      r.scalar = true;
      r.text = std::string(what == 0 ? "min(" : "max(") + x + ", " + y + ")";
      r.size = at(a).size + (b < 0 ? 3 : at(b).size);
      return done(r);
    }
    std::string const x = what == 5 ? variable(a) : use(a);
    switch (what) {
      case 2: r.text = "sqrt(abs(" + x + ") + 0.5)", r.floor = 0.6; break;
      case 3: r.text = "log(abs(" + x + ") + 0.5)"; break;
      case 4: r.text = "abs(" + x + ")"; break;
      case 5: r.text = "exp(" + x + " / (abs(" + x + ") + 1))", r.floor = 0.3; break;
      default: r.text = "(abs(" + x + ") + 0.25)", r.floor = 0.25;
    }
    r.size = what == 4 || what == 6 ? at(a).size + 0.25 : 3;
    if (what == 2) r.size = at(a).size + 1;
    return done(r);
  };
  auto const accumulate = [&] {
    int const a = any_matrix(m, n);
    if (a < 0 || at(a).common) return false;
    std::string const x = use(a);
    int const b = any_matrix(m, n);
    if (b < 0) return false;
    std::string const y = use(b);
    int const d = any_matrix(m, n);
    if (d < 0) return false;
    St const st = sum_structure(at(a).st, at(b).st);
    bool const vector = at(a).vector || at(b).vector;
    // The sum must have the structure of the tile that it is assigned to.
    if (sum_structure(st, at(d).st) != st || (at(d).vector && !vector)) return false;
    std::string const t = "t" + std::to_string(s_.variables++);
    s_.statements.push_back("auto " + t + " = " + x + (chance(50) ? " - " : " + ") + y + ";");
    bool const minus = chance(50);
    s_.statements.push_back(t + (minus ? " -= " : " += ") + use(d) + ";");
    Node r = result(m, n, {a, b, d});
    r.text = t, r.named = true, r.st = st, r.vector = vector;
    r.size = at(a).size + at(b).size + at(d).size;
    if (r.size > largest) return false;
    s_.operations += 2;
    s_.nodes.push_back(r);
    return true;
  };

  // ---- entries ----
  auto const vector_or_shape = [](Node const& x) {
    return x.vector ? std::to_string(x.rows)
                    : std::to_string(x.rows) + ", " + std::to_string(x.cols);
  };
  // A writable copy of a tile that is not common to all items, or a new tile with its extents.
  auto const writable = [&](int a, Node& r) {
    if (at(a).common || at(a).refers()) return false;
    r = result(at(a).rows, at(a).cols, {a});
    r.vector = at(a).vector;
    std::string const x = use(a);
    std::string init;
    if (chance(60)) {
      r.st = stored_as(at(a).st);
      r.size = at(a).size;
      init = "held<Structure::" + std::string(name(r.st)) + ">(" + x + ")";
    } else {
      char const* const what = chance(60) ? "zero<" : "ones<";
      init = what + vector_or_shape(r) + ">(" + x + ")";
      r.size = 1;
    }
    r.text = new_name(), r.named = true, r.common = false;
    say("auto " + r.text + " = " + init + ";");
    return true;
  };
  auto const assign_entries = [&] {
    int const a = any_matrix(m, n);
    Node r;
    if (a < 0 || !writable(a, r)) return false;
    for (int times = 1 + below(3); times > 0; --times) {
      int i = below(r.rows), j = below(r.cols);
      if (r.st == St::lower && j > i) std::swap(i, j);
      if (r.st == St::diagonal) j = i;
      std::string index = std::to_string(i) + (r.vector ? "" : ", " + std::to_string(j));
      std::string before, after;
      int const loop = below(8), most = std::min(r.rows, r.cols);
      if (Vocabulary::loops && loop < 2 && (!r.vector || r.rows > 1)) {
        std::string const last = std::to_string(r.vector ? r.rows : most);
        index = r.vector ? "i" : "i, i";
        before = loop == 0 ? "for (int i = 0; i < " + last + "; ++i) "
                           : "loop<" + last + ">([&](auto i) { ";
        after = loop == 0 ? "" : " });";
      }
      std::string value;
      double size = 3;
      int const what = below(10);
      if (what < 2) {
        value = one_of(std::vector<std::string>{"0.5", "2", "-1", "0.25", "3"});
      } else if (what < 6) {
        int const k = scalar_node(false);
        if (k < 0) return false;
        r.varies = r.varies || at(k).varies, size = at(k).size;
        value = variable(k);
      } else if (what < 8) {
        int const k =
            pick([](Node const& x) { return x.matrix() && x.named && !x.refers(); }, nullptr);
        if (k < 0) return false;
        r.varies = r.varies || at(k).varies, size = at(k).size;
        value = entry_of(k);
      } else {
        size = r.size;
        value = r.text + "(" +
                (r.vector ? std::to_string(below(r.rows))
                          : std::to_string(below(r.rows)) + ", " + std::to_string(below(r.cols))) +
                ")";
      }
      std::string const op = one_of(std::vector<std::string>{" = ", " += ", " -= ", " *= "});
      say(before + r.text + "(" + index + ")" + op + value + ";" + after);
      r.size = op == " *= "  ? r.size * std::max(1.0, size)
               : op == " = " ? std::max(r.size, size)
                             : r.size + size;
      if (r.size > largest) return false;
    }
    s_.operations += 2;
    s_.nodes.push_back(r);
    return true;
  };
  auto const reduce_entries = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    static char const* const names[] = {"sum",           "minimum",       "maximum",
                                        "minimum_index", "maximum_index", "prod"};
    int const what = below(6), count = at(a).rows * at(a).cols;
    Node r = result(1, 1, {a});
    r.scalar = true;
    r.size = what == 0  ? at(a).size * count
             : what < 3 ? at(a).size
             : what < 5 ? count
                        : std::pow(std::max(at(a).size, 0.1), count);
    if (r.size > largest || (what == 5 && count > 6)) return false;
    r.text = std::string(names[what]) + "(" + use(a) + ")";
    return done(r);
  };
  auto const join = [&] {
    int const a = any_matrix(m, n);
    if (a < 0) return false;
    std::string const x = use(a);
    bool const beside = chance(40);
    // The code in which lanes share an item supports these for operands only.
    int rows = 0, cols = 0;
    for (View const& v : s_.views) rows = std::max(rows, v.rows), cols = std::max(cols, v.cols);
    int const room = beside ? cols - n : rows - m;
    if (room < 1) return false;
    int const more = 1 + below(room);
    int const b = beside ? any_matrix(m, more) : any_matrix(more, n);
    if (b < 0) return false;
    Node r = beside ? result(m, n + more, {a, b}) : result(m + more, n, {a, b});
    r.vector = !beside && at(a).vector && at(b).vector;
    r.text = std::string(beside ? "beside(" : "stack(") + x + ", " + use(b) + ")";
    r.size = std::max(at(a).size, at(b).size);
    return done(r);
  };
  auto const make = [&] {
    if (large) return false;
    int const a = chance(50) ? scalar_node(false) : any_matrix(n, n);
    if (a < 0) return false;
    Node r = result(m, n, {a});
    if (!at(a).scalar) {
      // A triangle, entry by entry.
      if (at(a).vector) return false;
      bool const lower = chance(50);
      std::string const x = variable(a);
      r = result(n, n, {a});
      r.st = lower ? St::lower : St::symmetric;
      r.text = (lower ? "lower_entries<" : "symmetric_entries<") + std::to_string(n) +
               ">([&](int i, int j) { return " + x + "(j, i) + 0.5 * " + x + "(i, j); })";
      r.size = 1.5 * at(a).size;
      return done(r);
    }
    r.vector = chance(50);
    if (r.vector) r.cols = 1;
    std::string const shape = vector_or_shape(r), x = use(a);
    int const what = below(3);
    r.text = what == 0   ? "constant<" + shape + ">(" + x + ", " + x + ")"
             : what == 1 ? "constant<" + shape + ">(0.5, " + x + ")"
                         : "ones<" + shape + ">(" + x + ")";
    if (what == 0 && !at(a).named) return false;
    r.size = std::max(1.0, at(a).size);
    return done(r);
  };

  // ---- functions ----
  struct Form {
    char const* text;  ///< % and @ are the arguments
    double size;       ///< size of the result; beyond 100, in hundreds of times the argument
    bool keeps_zero = false;
  };
  auto const filled = [](std::string const& form, std::string const& x, std::string const& y) {
    std::string r;
    for (char const f : form) r += f == '%' ? x : f == '@' ? y : std::string(1, f);
    return r;
  };
  auto const size_of = [](Form const& f, double size) {
    return f.size > 100 ? f.size / 100 * size + 1 : f.size;
  };
  auto const more_functions = [&] {
    static std::vector<Form> const one = {
        {"sin(%)", 1},
        {"cos(%)", 1},
        {"atan(%)", 1.6},
        {"tanh(%)", 1},
        {"asinh(%)", 8},
        {"erf(%)", 1},
        {"cbrt(abs(%) + 0.25)", 10},
        {"log1p(abs(%))", 8},
        {"exp2(clamp(%, -3, 3))", 8},
        {"expm1(min(%, 2))", 7},
        {"asin(0.5 * tanh(%))", 0.6},
        {"acos(0.5 * sin(%))", 2.2},
        {"tan(0.5 * tanh(%))", 0.6},
        {"sinh(clamp(%, -2, 2))", 4},
        {"cosh(clamp(%, -2, 2))", 4},
        {"log2(abs(%) + 0.5)", 11},
        {"log10(square(%) + 1)", 7},
        {"floor(%)", 101},
        {"round(%)", 101},
        {"ceil(2 * %)", 201},
        {"trunc(1.5 * %)", 151},
        {"sign(%)", 1},
        {"fabs(%)", 101},
        {"square(clamp(%, -9, 9))", 81},
        {"pow(clamp(%, -5, 5), 3)", 99},
        {"pow(abs(%) + 0.5, -2)", 4},
        {"pow(min(abs(%) + 0.5, 9), 1.5)", 27},
        {"fmod(%, 1.5)", 1.5},
        {"clamp(%, -1, 1)", 1},
        {"max(%, 0)", 101},
        {"exp(-abs(%))", 1},
        {"hypot(%, 3)", 103},
        {"atan2(%, 1.5)", 1.6},
        {"lerp(%, 2, 0.25)", 101},
    };
    static std::vector<Form> const two = {
        {"atan2(%, abs(@) + 0.5)", 1.6},
        {"hypot(%, @)", 101},
        {"copysign(%, @)", 101},
        {"lerp(%, @, 0.25)", 101},
        {"fmod(%, abs(@) + 0.5)", 101},
        {"clamp(%, -1, abs(@) + 1)", 101},
        {"pow(min(abs(%) + 0.5, 5), clamp(@, -2, 2))", 25},
    };
    int const a = scalar_node(false);
    if (a < 0) return false;
    bool const pair = chance(30);
    Form const f = one_of(pair ? two : one);
    std::string const x = use(a);
    std::string y;
    int const b = pair ? scalar_node(false) : -1;
    if (pair && b < 0) return false;
    if (pair) y = use(b);
    Node r = pair ? result(1, 1, {a, b}) : result(1, 1, {a});
    r.scalar = true;
    r.text = filled(f.text, x, y);
    r.size = size_of(f, pair ? std::max(at(a).size, at(b).size) : at(a).size);
    return done(r);
  };
  auto const tile_function = [&] {
    static std::vector<Form> const one = {
        {"sin(%)", 1, true},         {"cos(%)", 1},           {"atan(%)", 1.6, true},
        {"tanh(%)", 1, true},        {"asinh(%)", 8, true},   {"erf(%)", 1, true},
        {"floor(%)", 101, true},     {"round(%)", 101, true}, {"sign(%)", 1, true},
        {"square(sin(%))", 1, true}, {"abs(%)", 101, true},   {"sqrt(abs(%))", 101, true},
        {"log1p(abs(%))", 8, true},  {"clamp(%, -1, 1)", 1},  {"clamp(%, -0.5, 2)", 2},
        {"pow(sin(%), 2)", 1},       {"exp(-abs(%))", 1},
    };
    static std::vector<Form> const two = {{"hypot(%, @)", 201}, {"lerp(%, @, 0.25)", 101}};
    int const a = any_matrix(m, n);
    if (a < 0 || at(a).st == St::upper) return false;
    bool const pair = chance(25);
    Form const f = one_of(pair ? two : one);
    std::string const x = use(a);
    std::string y;
    int const b = pair ? any_matrix(m, n) : -1;
    if (pair && (b < 0 || at(b).st == St::upper)) return false;
    if (pair) y = use(b);
    Node r = pair ? result(m, n, {a, b}) : result(m, n, {a});
    auto const mirrored = [](St st) { return st == St::symmetric || st == St::diagonal; };
    r.vector = at(a).vector || (pair && at(b).vector);
    r.st = !pair && f.keeps_zero                                 ? at(a).st
           : mirrored(at(a).st) && (!pair || mirrored(at(b).st)) ? St::symmetric
                                                                 : St::general;
    r.text = filled(f.text, x, y);
    r.size = size_of(f, pair ? std::max(at(a).size, at(b).size) : at(a).size);
    return done(r);
  };
  auto const numbers = [&] {
    bool common, varies;
    std::string const mk = mask(common, varies);
    if (mk.empty() || common || (mask_of_integers_ && !Vocabulary::numbers_by_integers))
      return false;
    int const a = scalar_node(false);
    if (a < 0) return false;
    Node r = result(1, 1, {a});
    r.scalar = true, r.common = false, r.varies = r.varies || varies;
    std::string const x = use(a);
    r.text = (chance(50) ? x + " * " : x + " + ") + "select(" + mk +
             (chance(50) ? ", 1.0, 0.0)" : ", 0.5, 2)");
    r.size = 2 * at(a).size + 2;
    return done(r, true);
  };
  auto const applied = [&] {
    int const what = below(4);
    if (what == 3) {
      int const a = scalar_node(false);
      if (a < 0) return false;
      std::string const x = variable(a);
      int const b = scalar_node(false);
      if (b < 0) return false;
      std::string const y = variable(b), p = new_name("p"), q = new_name("q");
      Node r = result(1, 1, {a, b});
      r.scalar = true;
      r.size = at(a).size * at(b).size + at(a).size + at(b).size;
      say("auto const [" + p + ", " + q + "] = apply(SumAndProduct{}, " + x + ", " + y + ");");
      r.text = new_name(), r.named = true;
      say("auto const " + r.text + " = " + p + " - 0.5 * " + q + ";");
      if (r.size > largest) return false;
      s_.operations += 1;
      s_.nodes.push_back(r);
      return true;
    }
    bool const scalars = chance(40);
    int const a = scalars ? scalar_node(false) : any_matrix(m, n);
    if (a < 0 || at(a).st == St::upper) return false;
    std::string const x = use(a);
    auto const mirrored = [](St st) { return st == St::symmetric || st == St::diagonal; };
    Node r = result(at(a).rows, at(a).cols, {a});
    r.scalar = scalars, r.vector = at(a).vector;
    if (!scalars && mirrored(at(a).st)) r.st = St::symmetric;
    r.size = at(a).size + 1;
    if (what == 0) {
      r.text = "apply(Wave{}, " + x + ")";
      return done(r);
    }
    std::string y;
    int const b = number_or_scalar(y, false);
    Node const both = b < 0 ? r : result(r.rows, r.cols, {a, b});
    r.common = both.common, r.varies = both.varies;
    r.size = at(a).size * (b < 0 ? 3 : at(b).size) + at(a).size;
    r.text = "apply(Mix{}, " + x + ", " + y + ")";
    return done(r);
  };

  // ---- control ----
  auto const accumulator = [&] {
    int const a = any_matrix(m, n);
    if (a < 0 || at(a).common) return false;
    std::string const x = variable(a);
    bool const vector = at(a).vector;
    int const count = at(a).rows;
    std::string const entry = x + (vector       ? "(i)"
                                   : chance(50) ? "(i, 0)"
                                                : "(i, " + std::to_string(below(at(a).cols)) + ")");
    Node r = result(1, 1, {a});
    r.scalar = true, r.named = true, r.common = false;
    r.text = new_name();
    int const what = below(4);
    r.size = at(a).size * count + 1;
    std::string term = entry;
    if (chance(40)) {
      int const k = scalar_node(false);
      if (k < 0) return false;
      term = variable(k) + " * " + entry;
      r.varies = r.varies || at(k).varies;
      r.size *= at(k).size;
    }
    say("auto " + r.text + " = zero(" + x + ");");
    std::string const last = std::to_string(count), body = r.text + " += " + term + ";";
    if (what == 0) say("for (int i = 0; i < " + last + "; ++i) " + body);
    else if (what == 1) say("loop<" + last + ">([&](auto i) { " + body + " });");
    else if (what == 2) say("repeat(" + last + ", [&](int i) { " + body + " });");
    else
      say("repeat(3, [&] { " + r.text + " = 0.5 * " + r.text + " + " + x +
          (vector ? "(0)" : "(0, 0)") + "; });");
    if (r.size > largest) return false;
    s_.operations += 1;
    s_.nodes.push_back(r);
    return true;
  };
  auto const rounds = [&] {
    int const what = below(3);
    std::string const state = new_name(), ended = new_name("e");
    Node r;
    if (what < 2) {
      // Newton's method for a root. Items that start further away take more rounds.
      int const a = scalar_node(false);
      if (a < 0) return false;
      std::string const x = variable(a), of = new_name();
      r = result(1, 1, {a});
      r.scalar = true, r.floor = 0.5, r.size = at(a).size + 1;
      say("auto const " + of + " = abs(" + x + ") + 0.5;");
      say("auto " + state + " = " + of + " + 1;");
      std::string const step =
          what == 0 ? "0.5 * (y + " + of + " / y)" : "(2 * y + " + of + " / (y * y)) / 3";
      say("[[maybe_unused]] auto const " + ended + " = iterate(" + std::to_string(2 + below(25)) +
          ", [&](auto& y) { auto const before = y; y = " + step +
          "; return abs(y - before) > 0.001 * " + of + "; }, " + state + ");");
    } else {
      int const a = any_matrix(m, n);
      if (a < 0 || at(a).common || at(a).refers()) return false;
      std::string const x = use(a);
      r = result(m, n, {a});
      r.st = stored_as(at(a).st), r.vector = at(a).vector, r.size = at(a).size;
      say("auto " + state + " = held<Structure::" + std::string(name(r.st)) + ">(" + x + ");");
      say("[[maybe_unused]] auto const " + ended + " = iterate(" + std::to_string(1 + below(6)) +
          ", [&](auto& y) { y = 0.5 * y; return norm2(y) > 0.3; }, " + state + ");");
    }
    r.named = true, r.text = state;
    if (r.size > largest) return false;
    s_.nodes.push_back(r);
    if (chance(40)) {
      Node n2 = result(1, 1, {int(s_.nodes.size()) - 1});
      n2.scalar = true, n2.size = 30;
      n2.text = ended + ".rounds", n2.named = true;
      s_.nodes.push_back(n2);
    }
    if (chance(40) && !r.common) {
      Node f = r;
      f.named = false, f.uses = 0;
      f.text = "fail_where(" + ended + ".open, Reason::iteration_limit, " + state + ")";
      s_.nodes.push_back(f);
    }
    s_.operations += 1;
    return true;
  };
  auto const choice = [&] {
    bool common, varies;
    std::string const mk = mask(common, varies);
    if (mk.empty()) return false;
    bool const scalars = chance(30);
    int const a = scalars ? scalar_node(false) : any_matrix(m, n);
    if (a < 0 || at(a).refers()) return false;
    std::string const x = use(a);
    int const b = scalars ? scalar_node(false) : any_matrix(m, n);
    if (b < 0 || at(b).refers()) return false;
    Node r = scalars ? result(1, 1, {a, b}) : result(m, n, {a, b});
    r.scalar = scalars;
    r.common = r.common && common, r.varies = r.varies || varies;
    r.text = "where(" + mk + ", [&] { return " + x + " * 0.5; }, " + use(b) + ")";
    r.st = sum_structure(stored_as(at(a).st), at(b).st);
    r.vector = at(a).vector || at(b).vector;
    r.size = std::max(at(a).size, at(b).size);
    return done(r);
  };

  // ---- integers ----
  auto const count = [&] {
    int const k = integer_node();
    if (k < 0) return false;
    int const what = below(10);
    if (what < 4) {
      // An integer of integers.
      Node r = result(1, 1, {k});
      r.integer = true;
      std::string const x = use(k);
      bool const pair = chance(50);
      int const l = pair ? integer_node() : -1;
      if (pair && l < 0) return false;
      std::string const y = pair ? use(l) : one_of(std::vector<std::string>{"2", "3", "5"});
      if (pair) r.common = r.common && at(l).common;
      double const sx = at(k).size, sy = pair ? at(l).size : 5;
      switch (below(7)) {
        case 0: r.text = x + " + " + y, r.size = sx + sy; break;
        case 1: r.text = x + " - " + y, r.size = sx + sy; break;
        case 2: r.text = x + " * " + y, r.size = sx * sy; break;
        case 3: r.text = "min(" + x + ", " + y + ")", r.size = sx + sy; break;
        case 4: r.text = x + (pair ? " / (abs(" + y + ") + 1)" : " / " + y), r.size = sx; break;
        case 5: r.text = x + (pair ? " % (" + y + " & 3)" : " % " + y), r.size = sx; break;
        default: r.text = "(" + x + " & 3) - max(" + x + ", " + y + ")", r.size = sx + sy + 3;
      }
      if (r.size > 10000) return false;
      return done(r, true);
    }
    if (what < 5) {
      int const a = scalar_node(false);
      if (a < 0) return false;
      Node r = result(1, 1, {a});
      r.integer = true, r.size = 3 * at(a).size + 1;
      r.text = "to_integer<std::int32_t>(3 * " + use(a) + ")";
      return done(r);
    }
    if (what < 8) {
      int const t =
          pick([](Node const& x) { return x.table > 0; }, [this] { return table_leaf(); });
      if (t < 0) return false;
      Node r = result(at(t).rows, at(t).cols, {k});
      r.scalar = !at(t).vector, r.vector = at(t).vector;
      if (r.scalar) r.rows = r.cols = 1;
      std::string const index = use(k), table = use(t);
      r.text = table + (chance(85) ? "(abs(" + index + ") % " + std::to_string(at(t).table) + ")"
                                   : "(" + index + ")");
      return done(r);
    }
    // In expressions with real numbers.
    int const a = scalar_node(false);
    if (a < 0) return false;
    std::string const x = use(a);
    Node r = result(1, 1, {a, k});
    r.scalar = true;
    std::string const i = use(k);
    switch (below(4)) {
      case 0: r.text = x + " * " + i, r.size = at(a).size * at(k).size; break;
      case 1: r.text = x + " + " + i, r.size = at(a).size + at(k).size; break;
      case 2: r.text = x + " * as<" + type_ + ">(" + i + " % 3)", r.size = 3 * at(a).size; break;
      default:
        r.text = "select(" + i + " > 2, " + x + ", " + x + " - " + i + ")";
        if (!at(a).named || !at(k).named) return false;
        r.size = at(a).size + at(k).size;
    }
    return done(r, true);
  };

  // ---- derivatives ----
  auto const differentiate = [&] {
    std::string s;
    int const other = number_or_scalar(s, false);
    if (other >= 0) name_it(other), s = at(other).text;
    double const size_of_s = other < 0 ? 3 : at(other).size;
    auto const of = [&](int a) {
      return other < 0 ? std::vector<int>{a} : std::vector<int>{a, other};
    };
    if (chance(30)) {
      int const a = scalar_node(false);
      if (a < 0 || at(a).size > 10) return false;
      static std::vector<std::string> const forms = {
          "u * sin(u) + @", "@ * u - cos(2 * u)", "exp(-(u * u)) * @", "atan(u) / (u * u + 1) + @",
          "sqrt(u * u + 1) * tanh(u) * @"};
      std::string const f = filled(one_of(forms), "", s), x = use(a);
      Node r = result(1, 1, of(a));
      r.scalar = true, r.size = 100 + 20 * size_of_s;
      std::string const call = "([&](auto const& u) { return " + f + "; }, " + x + ")";
      r.text = chance(60) ? "derivative" + call
                          : "value_and_derivative" + call + (chance(50) ? ".value" : ".derivative");
      return done(r);
    }
    int const a =
        pick([](Node const& x) { return x.matrix() && x.vector && x.rows <= 3 && x.size <= 10; },
             [this] { return leaf(1 + below(3), 1, 1, St::general, Fill::general); });
    if (a < 0 || !at(a).vector) return false;
    int const rows = at(a).rows;
    std::string const l = std::to_string(rows - 1);
    Node r = result(rows, 1, of(a));
    std::string const x = use(a);
    r.size = 100 + 30 * size_of_s;
    if (chance(50)) {
      // A scalar of a vector.
      std::vector<std::string> const forms = {
          "u(0) * u(" + l + ") + sin(u(0)) * @", "@ * tanh(u(" + l + ")) - dot(u, u)",
          "sqrt(u(0) * u(0) + 1) + @ * u(" + l + ")", "cos(u(0)) / (sin(u(" + l + ")) + 2) * @",
          "atan(u(0) * u(" + l + ")) - @"};
      std::string const call =
          "([&](auto const& u) { return " + filled(one_of(forms), "", s) + "; }, " + x + ")";
      int const what = below(4);
      r.vector = what < 2;
      if (what == 0) r.text = "gradient" + call;
      if (what == 1) r.text = "value_and_gradient" + call + ".gradient";
      if (what == 2) r.rows = 1, r.cols = rows, r.text = "jacobian" + call;
      if (what == 3)
        r.rows = r.cols = 1, r.scalar = true, r.text = "value_and_gradient" + call + ".value";
      return done(r);
    }
    // A vector of a vector: two entries, by a matrix, by the solution of a system.
    std::string f;
    int out = 2;
    int const what = below(3);
    if (what == 0) {
      f = "entries<2>([&](int i) { return i == 0 ? u(0) * u(" + l + ") + @ : sin(u(" + l +
          ")) * @; })";
    } else if (what == 1) {
      int const b = pick(
          [&](Node const& y) {
            return y.matrix() && y.cols == rows && y.named && !y.refers() && y.st != St::upper &&
                   y.size < 20;
          },
          nullptr);
      if (b < 0) return false;
      out = at(b).rows;
      f = "@ * (" + use(b) + " * u)";
      r.common = r.common && at(b).common, r.varies = r.varies || at(b).varies;
      r.size += at(b).size * 10 * rows * size_of_s;
    } else {
      bool const mixed = at(a).common && other >= 0 && !at(other).common;
      if (mixed && !Vocabulary::common_system_with_derivatives) return false;
      f = "lu(entries<2, 2>([&](int i, int j) { return i == j ? sin(u(0)) + 3 : 0.5 * tanh(u(" + l +
          ")); })).solve(entries<2>([&](int i) { return i == 0 ? u(0) + @ : u(" + l + ") * @; }))";
    }
    std::string const call = "([&](auto const& u) { return " + filled(f, "", s) + "; }, " + x + ")";
    r.rows = out, r.cols = rows;
    if (chance(25)) {
      r.cols = 1, r.vector = true;
      r.text = "value_and_jacobian" + call + ".value";
    } else {
      r.text = "jacobian" + call;
    }
    return done(r);
  };

  std::vector<Kind> const all_kinds = {{5, sum},        {1, negate},     {6, product},
                                       {4, scale},      {5, congruence}, {5, symmetric_product},
                                       {3, gram},       {3, downdate},   {2, symmetrise},
                                       {3, transposed}, {6, factorise},  {4, use_factor},
                                       {5, eliminate},  {2, part},       {5, solve},
                                       {4, reduce},     {4, generate},   {3, select},
                                       {2, fail},       {3, failures},   {2, arithmetic},
                                       {2, function},   {3, accumulate}};
  std::vector<Kind> kinds = all_kinds;
  auto const also = [&](bool spoken, std::vector<Kind> const& more) {
    if (spoken) kinds.insert(kinds.end(), more.begin(), more.end());
  };
  also(Vocabulary::entries, {{8, assign_entries}, {4, reduce_entries}, {5, join}, {4, make}});
  also(Vocabulary::functions, {{8, more_functions}, {6, tile_function}, {3, numbers}});
  also(Vocabulary::apply, {{5, applied}});
  also(Vocabulary::loops, {{6, accumulator}});
  also(Vocabulary::rounds, {{6, rounds}, {4, choice}});
  also(Vocabulary::integers, {{9, count}});
  also(Vocabulary::derivatives, {{6, differentiate}});
  int total = 0;
  for (Kind const& k : kinds) total += k.weight;
  int at_weight = below(total);
  for (Kind const& k : kinds) {
    if ((at_weight -= k.weight) >= 0) continue;
    State const before = s_;
    taken_.clear();
    if (k.make()) return true;
    s_ = before;
    return false;
  }
  return false;
}

// ---- what is stored -----------------------------------------------------------------------------

/// Assigns to an inout or a carry. In a scan values must not grow from step to step, and matrices
/// that are factorised or divisors must stay suitable.
void Generator::update(int node) {
  Node const target = at(node);
  View const view = s_.views[std::size_t(s_.leaves[std::size_t(target.operand)].view)];
  auto const put = [&](std::string const& text) {
    s_.statements.push_back(target.text + text + ";");
  };
  if (scan_ && target.scalar) {
    if (view.fill == Fill::positive)
      return put(" = abs(" + target.text + ") / (abs(" + target.text + ") + 1) + 0.5");
    if (view.fill == Fill::regular) return put(" = -" + target.text);
    int const x = pick([](Node const& n) { return n.scalar; }, nullptr);
    if (x < 0) return put(" = -" + target.text);
    name_it(x);
    return put(" = " + use(x) + " / (abs(" + at(x).text + ") + 1)");
  }
  if (target.scalar) {
    int const x = pick([](Node const& n) { return n.scalar; }, nullptr);
    if (x < 0) return put(" = -" + target.text);
    return put(one_of(std::vector<std::string>{" = ", " += ", " -= ", " *= "}) + use(x));
  }
  int const x = pick(
      [&](Node const& n) {
        return n.matrix() && !n.lazy && n.rows == target.rows && n.cols == target.cols &&
               n.text.rfind("transpose(", 0) != 0;
      },
      nullptr);
  if (x < 0) return put(one_of(std::vector<std::string>{" = -", " = 0.75 * "}) + target.text);
  if (scan_) {
    if (view.fill == Fill::regular || view.fill == Fill::well_conditioned)
      return put(chance(50) ? " = -" + target.text : " = 1.25 * " + target.text);
    std::string const v = variable(x);
    if (view.fill == Fill::positive_definite) {
      std::string g = v;
      if (!at(x).semidefinite || at(x).st == St::lower) {
        g = "t" + std::to_string(s_.variables++);
        s_.statements.push_back("auto const " + g + " = gram(" + v + ");");
      }
      return put(" = " + g + " / (norm2(" + g + ") + 1) + identity<" + std::to_string(target.rows) +
                 ">(" + g + ")");
    }
    if (!at(x).varies && chance(50)) return put(" = 0.5 * " + target.text + " + " + v);
    return put(" = " + v + " / (norm2(" + v + ") + 1)");
  }
  if (target.square() && target.st == St::general && chance(10))
    return put(" = transpose(" + target.text + ")");
  put(one_of(std::vector<std::string>{" = ", " += ", " -= "}) + use(x));
}

void Generator::finish() {
  // An unused factor still gives a result that can be stored.
  for (std::size_t k = 0; k < s_.nodes.size(); ++k)
    if (s_.nodes[k].factor && s_.nodes[k].uses == 0) {
      Node r = result(s_.nodes[k].rows, s_.nodes[k].cols, {int(k)});
      if (chance(50)) {
        r.text = use(int(k)) + ".lower()";
        r.st = St::lower, r.part = true;
      } else {
        r.text = use(int(k)) + ".log_det()";
        r.scalar = true, r.rows = r.cols = 1;
      }
      add(r, false);
    }
  // And so does an integer.
  for (std::size_t k = 0; k < s_.nodes.size(); ++k)
    if (s_.nodes[k].integer && s_.nodes[k].uses == 0) {
      Node r = result(1, 1, {int(k)});
      r.scalar = true;
      r.text = "as<" + type_ + ">(" + use(int(k)) + ")";
      add(r, false);
    }
  // Sums of logarithms.
  taken_.clear();
  if (scan_ && chance(20)) {
    int const x = pick([](Node const& n) { return n.scalar; }, nullptr);
    if (x >= 0) {
      taken_.clear();
      Leaf l;
      l.role = "carry", l.is_log = true;
      l.weight = one_of(std::vector<double>{-0.5, 1, 2});
      l.fixed_start = chance(40);
      l.view = make_view(1, 1, 0, St::general, Fill::general, !l.fixed_start, false, false);
      l.end = make_view(1, 1, 0, St::general, Fill::general, true, false, false);
      s_.leaves.push_back(l);
      std::string const name = "x" + std::to_string(s_.leaves.size() - 1);
      name_it(x);
      s_.statements.push_back(name + ".add_log(abs(" + use(x) + ") + 0.5);");
      if (chance(50)) s_.statements.push_back(name + " += " + use(x) + ";");
    }
  }
  std::vector<int> results, targets;
  for (std::size_t k = 0; k < s_.nodes.size(); ++k) {
    Node const& n = s_.nodes[k];
    if (n.operand >= 0) {
      std::string const& role = s_.leaves[std::size_t(n.operand)].role;
      if (role == "inout" || role == "carry" || role == "each_inout") targets.push_back(int(k));
    } else if (!n.factor && !n.integer && (n.uses == 0 || (n.named && chance(15)))) {
      results.push_back(int(k));
    }
  }
  for (int const k : results) {
    taken_ = {k};
    Node const n = at(k);
    St st = St::general;
    if (n.square()) {
      int const p = below(100);
      st = n.st != St::general && n.st != St::upper && p < 60 ? n.st
           : p < 75                                           ? St::general
           : p < 85                                           ? St::symmetric
           : p < 94                                           ? St::lower
                                                              : St::diagonal;
    }
    int const rank =
        n.scalar                                                                             ? 0
        : st == St::diagonal || n.vector || (n.cols == 1 && st == St::general && chance(30)) ? 1
                                                                                             : 2;
    Leaf l;
    l.role = scan_ && chance(65) ? "emit" : Vocabulary::indices && chance(12) ? "add" : "out";
    l.view = make_view(n.rows, n.cols, rank, st, Fill::general, true, l.role == "emit", false);
    s_.leaves.push_back(l);
    std::string const name = "x" + std::to_string(s_.leaves.size() - 1);
    // A tile that is added is zero at first.
    s_.statements.push_back(name + (l.role == "add" && chance(50) ? " += " : " = ") + use(k) + ";");
    if (!n.scalar && chance(15)) {
      int const y = pick(
          [&](Node const& x) {
            return x.matrix() && x.named && x.rows == n.rows && x.cols == n.cols;
          },
          nullptr);
      if (y >= 0) s_.statements.push_back(name + (chance(50) ? " += " : " -= ") + use(y) + ";");
    }
  }
  for (int const k : targets) {
    taken_ = {k};
    update(k);
  }
}

/// A second sequence, with a tile that the first one writes and a local tile that it passes.
bool Generator::hand_over(std::string& second, std::string& on) {
  std::vector<int> written;
  for (std::size_t k = 0; k < s_.leaves.size(); ++k)
    if (s_.leaves[k].role == "out" || s_.leaves[k].role == "emit" ||
        (s_.leaves[k].role == "inout" && !scan_))
      written.push_back(int(k));
  if (written.empty()) return false;
  int const k = one_of(written);
  View w = s_.views[std::size_t(s_.leaves[std::size_t(k)].view)];
  std::string extents;
  if (w.rank > 0) extents += ", " + std::to_string(w.rows);
  if (w.rank > 1) extents += ", " + std::to_string(w.cols);
  w.expression = "local<" + type_ + extents + ">()";
  if (w.st != St::general)
    w.expression = std::string("Batchwork::") + name(w.st) + "(" + w.expression + ")";
  w.items = w.times = false, w.place = "left", w.fill = Fill::general, w.width = 1, w.offset = 0;
  s_.views.push_back(w);
  Leaf l;
  l.role = "local";
  l.view = int(s_.views.size()) - 1;
  s_.leaves.push_back(l);
  std::string const a = std::to_string(k), b = std::to_string(s_.leaves.size() - 1);
  say("x" + b + " = 0.25 * x" + a + ";");
  std::string const functor = "Second" + std::to_string(seed_);
  second = "struct " + functor +
           " {\n#if defined(__CUDACC__)\n#pragma nv_exec_check_disable\n#endif\n"
           "  template <class X, class Y>\n"
           "  KOKKOS_FUNCTION void operator()(X& x, Y const& y) const {\n    x = y - x;\n  }\n};\n";
  on = "on<" + a + ", " + b + ">(" + functor + "{})";
  std::string const call = w.rank == 0 ? "a.scalar(" : "a.tile(";
  interpreted_on_ = functor + "{}(" + call + a + "), " + call + b + "));";
  return true;
}

std::string Generator::write() {
  type_ = chance(50) ? "float" : "double";
  scan_ = chance(38);
  in_kernel_ = chance(12);
  has_status_ = chance(75);
  bool const large = chance(12);
  std::vector<int> const small = {1, 2, 3, 5, 6}, big = {9, 12, 17, 24, 32};
  extents_ = {one_of(small), one_of(small)};
  if (extents_[0] == 1 && extents_[1] == 1) extents_[0] = 3;
  if (chance(25)) extents_.push_back(one_of(small));
  if (large) {
    extents_[0] = one_of(big);
    extents_[1] = chance(50) ? one_of(big) : extents_[0];
  }
  items_ = large ? one_of(std::vector<int>{1, 3, 8, 9, 17})
                 : one_of(std::vector<int>{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 65, 100});
  if (scan_) steps_ = one_of(std::vector<int>{1, 2, 3, 4});
  if (scan_ && Vocabulary::time) {
    if (chance(30)) first_ = 1 + below(2);
    backward_ = chance(35);
  }
  int const wanted = large ? 3 + below(3) : 3 + below(8);
  for (int tries = 0; s_.operations < wanted && tries < 200; ++tries) operation();
  finish();
  std::string second, on;
  bool const several = Vocabulary::several && chance(30) && hand_over(second, on);

  for (std::size_t k = 0; k < s_.leaves.size(); ++k) {
    std::string const role = s_.leaves[k].role;
    if (role == "add" ||
        (Vocabulary::indices && (role == "in" || role == "out" || role == "inout") && chance(20)))
      pick_by_indices(int(k));
  }
  int const mask = Vocabulary::item_mask && chance(15) ? index_view(0, 1, 1, Fill::mask) : -1;

  // The operands, with their status in any place.
  std::ostringstream o;
  std::string const id = std::to_string(seed_), functor = "Sequence" + id;
  std::string templates, parameters, calls, text, registered;
  std::vector<std::string> arguments;
  // Failures of integers are counted separately.
  auto const number_of_buffer = [&](int view) {
    int n = view < 0 ? -1 : 0;
    for (int k = 0; k < view; ++k)
      if (s_.views[std::size_t(k)].integer == s_.views[std::size_t(view)].integer) ++n;
    return n;
  };
  for (std::size_t k = 0; k < s_.leaves.size(); ++k) {
    Leaf const& l = s_.leaves[k];
    static View const none;
    bool const timed =
        l.role == "each" || l.role == "common_each" || l.role == "each_inout" || l.role == "emit";
    bool const is_integer = is_integer_leaf(l);
    std::string const view = timed        ? pace(int(k))
                             : l.view < 0 ? ""
                                          : s_.views[std::size_t(l.view)].expression;
    Leaf const& paced = s_.leaves[k];
    View const& w = l.view < 0 ? none : s_.views[std::size_t(l.view)];
    std::string const i = std::to_string(k);
    std::string const end = l.end >= 0 ? s_.views[std::size_t(l.end)].expression : "";
    templates += std::string(k ? ", " : "") + "class X" + i;
    bool const mutable_ = l.role == "out" || l.role == "inout" || l.role == "emit" ||
                          l.role == "carry" || l.role == "each_inout" || l.role == "local" ||
                          l.role == "add" || l.role == "random";
    int const rank = l.rank < 0 ? w.rank : l.rank;
    parameters += std::string(k ? ", " : "") + "X" + i + (mutable_ ? "& x" : " const& x") + i;
    calls += std::string(k ? ", " : "") +
             (is_integer           ? "a.integer("
              : l.role == "random" ? "a.numbers("
              : l.role == "table"  ? (w.rank == 1 ? "a.table(" : "a.vectors(")
              : l.is_log           ? "a.log("
              : rank == 0          ? "a.scalar("
                                   : "a.tile(") +
             i + ")";
    std::string a;
    if (l.role == "fixed") a = "common(" + fixed_text(l.view) + ")";
    else if (l.role == "common_each") a = "common(each(" + view + "))";
    else if (l.role == "each_inout") a = "inout(each(" + view + "))";
    else if (l.role == "item" || l.role == "step") a = l.role + "_index()";
    else if (l.role == "local") a = w.expression;
    else if (l.role == "carry") {
      std::string start = l.fixed_start    ? "common(" + fixed_text(l.view) + ")"
                          : l.common_start ? "common(" + view + ")"
                                           : view;
      std::ostringstream weight;
      weight << l.weight;
      if (l.is_log) a = "carry(" + start + ", log_sum(" + end + ", " + weight.str() + "))";
      else a = "carry(" + start + (end.empty() ? ")" : ", " + end + ")");
    } else if (l.role == "random") a = "random<" + type_ + ">(" + l.address + ")";
    else if (l.index >= 0)
      a = l.role + (l.role == "in" ? "(gathered(" : "(scattered(") + view + ", " +
          s_.views[std::size_t(l.index)].expression + "))";
    else a = l.role + "(" + view + ")";
    arguments.push_back(a);
    text += "  x" + i + ": " + a + "\n";
    std::ostringstream weight;
    weight << l.weight;
    if (l.role == "random") {
      registered += "  c.random({" + l.address + "});\n";
      continue;
    }
    registered += "  c.operand({Role::" + (l.role == "fixed" ? std::string("common") : l.role) +
                  ", " + std::to_string(number_of_buffer(l.view)) + ", " +
                  std::to_string(number_of_buffer(l.end)) + ", " + (l.is_log ? "true" : "false") +
                  ", " + weight.str() + ", " + std::to_string(paced.stride) + ", " +
                  std::to_string(paced.lag) + ", " + (paced.reversed ? "true" : "false") + ", " +
                  (w.integer && l.view >= 0 ? "true" : "false") + ", " +
                  std::to_string(number_of_buffer(l.index)) + "});\n";
  }
  if (has_status_)
    arguments.insert(arguments.begin() + below(int(arguments.size()) + 1), "status(c.codes())");
  if (mask >= 0) {
    std::string const a = "item_mask(" + s_.views[std::size_t(mask)].expression + ")";
    arguments.insert(arguments.begin() + below(int(arguments.size()) + 1), a);
    registered += "  c.mask(" + std::to_string(number_of_buffer(mask)) + ");\n";
    text += "  " + a + "\n";
  }
  std::string all;
  for (std::string const& a : arguments) all += ", " + a;
  std::string code;
  for (std::string const& s : s_.statements) code += "    " + s + "\n", text += "  " + s + "\n";

  o << "struct " << functor << " {\n";
  // The interpreter calls it too, on hosts only.
  o << "#if defined(__CUDACC__)\n#pragma nv_exec_check_disable\n#endif\n";
  o << "  template <" << templates << ">\n  KOKKOS_FUNCTION void operator()(" << parameters
    << ") const {\n"
    << code << "  }\n};\n"
    << second;
  std::string const first = functor + "{}",
                    both = several ? "then(" + first + ", " + on + ")" : first;
  std::string how;
  if (!in_kernel_ && chance(22))
    how = "launch(width<" + std::to_string(one_of(std::vector<int>{1, 2, 4, 8, 16})) + ">), ";
  else if (!in_kernel_ && !large && chance(12))
    how = "launch(lanes<" + std::to_string(one_of(std::vector<int>{2, 4, 8, 32})) + ">), ";
  std::string steps =
      first_ > 0 ? "range(" + std::to_string(first_) + ", " + std::to_string(first_ + steps_) + ")"
                 : std::to_string(steps_);
  if (backward_) steps = "backward(" + steps + ")";
  text += "  steps " + steps + "\n";
  steps = scan_ ? steps + ", " : "";
  std::string call;
  if (in_kernel_)
    call = std::string("run_in_kernel(") + (scan_ ? "team_scan" : "team_map") + "<Space>(" + steps +
           both + all + "), " + std::to_string(items_) + ", " +
           std::to_string(one_of(std::vector<int>{1, 5, 16, 33})) + ")";
  else
    call = std::string("Batchwork::") + (scan_ ? "scan(" : "map(") + how + steps + both + all + ")";
  text += "  " + std::string(in_kernel_ ? "team_" : "") + (scan_ ? "scan" : "map") +
          (how.empty() ? "" : ", " + how.substr(0, how.size() - 2)) + "\n";
  o << "TEST(RandomSequences, Seed" << id << ") {\n";
  o << "  Case<" << type_ << "> c(" << id << ", R\"(" << text << ")\", " << items_ << ", "
    << (has_status_ ? "true" : "false") << ");\n";
  if (scan_)
    o << "  c.scans({" << first_ << ", " << first_ + steps_ << ", "
      << (backward_ ? "true" : "false") << "});\n";
  for (std::size_t k = 0; k < s_.views.size(); ++k) {
    View const& w = s_.views[k];
    // Some are only registered: fixed operands and what has no View.
    o << "  [[maybe_unused]] auto& b" << k << " = c.add" << (w.integer ? "_integers" : "")
      << "({Structure::" << name(w.st) << ", " << w.rank << ", " << w.rows << ", " << w.cols << ", "
      << (w.items ? "true" : "false") << ", " << (w.times ? "true" : "false")
      << ", Fill::" << name(w.fill) << ", Arranged::" << w.place << ", " << w.width << ", "
      << w.offset << ", " << w.steps << ", " << w.count << ", " << w.extent << ", "
      << (w.beyond ? "true" : "false") << "});\n";
  }
  o << registered;
  o << "  c.check([&] { " << call << "; },\n          [](Arguments& a) { " << first << "(" << calls
    << ");" << (several ? " " + interpreted_on_ : "") << " });\n}\n\n";
  return o.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: generate <first seed> <sequences> <file>\n";
    return 2;
  }
  std::uint64_t const first = std::strtoull(argv[1], nullptr, 10);
  std::uint64_t const count = std::strtoull(argv[2], nullptr, 10);
  std::ofstream out(argv[3]);
  out << "// Written by generate: seeds " << first << " to " << first + count - 1 << ".\n"
      << "#include \"Case.hpp\"\n\n"
      << "namespace Batchwork::RandomSequences {\nnamespace {\n\n";
  for (std::uint64_t seed = first; seed < first + count; ++seed) out << Generator(seed).write();
  out << "}  // namespace\n}  // namespace Batchwork::RandomSequences\n";
  out.close();
  if (!out) {
    std::cerr << "generate: " << argv[3] << " cannot be written\n";
    return 1;
  }
}
