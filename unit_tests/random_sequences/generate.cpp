// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes random sequences, with their operands, as tests:
//
//   generate <first seed> <sequences> <file>
//
// A seed gives one sequence, the same everywhere. It has three to ten operations on tiles whose structures, extents and
// numbers suit them: what is factorised is positive definite and what is solved with well conditioned, by construction.
// It needs the standard library only.
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

/// What can be left out, for versions of the library that do not take it.
struct Vocabulary {
  static constexpr bool congruence_of_commons = true;  ///< f and p common, q per item
  static constexpr bool fail_where_on_common = true;   ///< a mask per item, x common
  static constexpr bool generate_integers = true;      ///< entries that are int
  static constexpr bool equality = true;               ///< == and != of scalars
};

/// Rows of what is eliminated with pivots: the bound of what that enlarges rounding by doubles with each.
constexpr int most_rows_of_lu = 6;
/// The most that an entry is let grow to, roughly, and the worst condition that is factorised.
constexpr double largest = 1000, worst_condition = 1000;
constexpr int largest_unrolled = 6;  ///< beyond this extent no entries are generated one by one

enum class St { general, symmetric, lower, upper, diagonal };
enum class Fill { general, positive, regular, positive_definite, well_conditioned };

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

/// An expression, and what is known of its value.
struct Node {
  std::string text;
  int rows = 1, cols = 1;
  bool scalar = false, vector = false, factor = false;
  St st = St::general;
  bool common = false;  ///< the same for all items, so held as plain numbers
  bool named = false;   ///< a variable; anything else is written where it is used, once
  bool lazy = false;    ///< refers to a variable: a transpose
  bool varies = false;  ///< depends on what the sequence updates
  int uses = 0;
  double size = 1;  ///< about the largest magnitude
  double floor =
      0;  ///< a positive definite matrix: below its eigenvalues; a scalar: below it, if positive
  bool semidefinite = false;
  bool regular =
      false;  ///< triangular or diagonal and well conditioned; a scalar that is not small
  int operand = -1;
  bool matrix() const { return !scalar && !factor; }
  bool square() const { return matrix() && !vector && rows == cols; }
};

/// The View of an operand.
struct View {
  St st = St::general;
  int rank = 2, rows = 1, cols = 1;
  bool items = true, times = false;
  Fill fill = Fill::general;
  std::string place = "left", expression;
  int width = 1, offset = 0;
};
struct Leaf {
  std::string role;  ///< in, out, inout, common, fixed, each, common_each, carry, emit
  int view = -1, end = -1;
  bool common_start = false, fixed_start = false, is_log = false;
  double weight = 1;
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

  void finish();
  void update(int node);

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::string type_;
  bool scan_ = false, in_kernel_ = false, has_status_ = false;
  int items_ = 1, steps_ = -1;
  std::vector<int> extents_;
  std::vector<int> taken_;  ///< what the operation at hand uses already

  /// What an operation that cannot be made leaves as it was.
  struct State {
    std::vector<Node> nodes;
    std::vector<View> views;
    std::vector<Leaf> leaves;
    std::vector<std::string> statements;
    int variables = 0, operations = 0, fixed_numbers = 0;
  } s_;
};

// ---- operands -------------------------------------------------------------------------------------------------------

std::string Generator::view_text(int v, bool is_const) {
  View& w = s_.views[std::size_t(v)];
  std::string const b = "b" + std::to_string(v), u = type_ + (is_const ? " const" : "");
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

/// A new operand that is read; -1 if there are enough.
int Generator::leaf(int rows, int cols, int rank, St st, Fill fill) {
  if (s_.leaves.size() >= 7) return -1;
  // A View of vectors or scalars has structure if it holds diagonals.
  if (st == St::diagonal) rank = 1;
  int const numbers = rank == 2 ? rows * cols : rank == 1 ? rows : 1;
  Leaf l;
  int const p = below(100);
  if (!scan_) l.role = p < 55 ? "in" : p < 68 ? "inout" : p < 85 ? "common" : "fixed";
  else
    l.role = p < 14   ? "in"
             : p < 46 ? "each"
             : p < 72 ? "carry"
             : p < 80 ? "common"
             : p < 88 ? "fixed"
             : p < 94 ? "common_each"
                      : "inout";
  // The first operand has items, whatever comes after it.
  if (s_.leaves.empty() && (l.role == "common" || l.role == "fixed" || l.role == "common_each"))
    l.role = scan_ ? "each" : "in";
  bool const updated = l.role == "inout" || l.role == "carry";
  if (updated && std::count_if(s_.leaves.begin(), s_.leaves.end(), [](Leaf const& x) {
                   return x.role == "inout" || x.role == "carry";
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
             times = l.role == "each" || l.role == "common_each";
  bool const ends_there = l.role == "carry" && items && chance(25);
  l.view = make_view(rows, cols, rank, st, fill, items, times,
                     l.role != "inout" && !ends_there && chance(20));
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

// ---- what operations are given --------------------------------------------------------------------------------------

int Generator::pick(Wanted const& wanted, std::function<int()> const& otherwise, int fresh) {
  std::vector<int> found;
  for (std::size_t k = 0; k < s_.nodes.size(); ++k) {
    Node const& n = s_.nodes[k];
    if ((!n.named && n.uses > 0) || !wanted(n)) continue;
    // A tile less itself is not worth a look.
    if (std::find(taken_.begin(), taken_.end(), int(k)) != taken_.end()) continue;
    // What nothing uses yet comes first, so that a sequence hangs together.
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

std::string Generator::mask(bool& common, bool& varies) {
  common = true, varies = false;
  auto const scalar = [&] {
    int const k = scalar_node(false);
    if (k < 0) return std::string();
    common = common && at(k).common;
    varies = varies || at(k).varies;
    return use(k);
  };
  auto const comparison = [&]() -> std::string {
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

// ---- operations -----------------------------------------------------------------------------------------------------

/// Tries one; false if there was nothing for it.
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
      // As sequences have it: of g = h p, g h'.
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
    // Twice, it is the tile itself, a vector again.
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
  // Of positive definite matrices, whose condition is known, and of such with the last row first, whose rows must be exchanged.
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
      r.text = "entries<" + std::to_string(n) + ">([&](int i) { return element(" + x +
               ", i, i) * " + factor + "; })";
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
                   : shape + "constant(" + x + ", 0.25 * (i + 1) + 0.125 * j); })";
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
    // The sum must have the structure of what it is assigned to.
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

  std::vector<Kind> const kinds = {{5, sum},        {1, negate},     {6, product},
                                   {4, scale},      {5, congruence}, {5, symmetric_product},
                                   {3, gram},       {3, downdate},   {2, symmetrise},
                                   {3, transposed}, {6, factorise},  {4, use_factor},
                                   {5, eliminate},  {2, part},       {5, solve},
                                   {4, reduce},     {4, generate},   {3, select},
                                   {2, fail},       {3, failures},   {2, arithmetic},
                                   {2, function},   {3, accumulate}};
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

// ---- what is stored -------------------------------------------------------------------------------------------------

/// Assigns something to an inout or a carry. In a scan nothing grows from step to step, and what is factorised or divided
/// by stays fit for it.
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
  // A factor that nothing uses gives something that can be stored.
  for (std::size_t k = 0; k < s_.nodes.size(); ++k)
    if (s_.nodes[k].factor && s_.nodes[k].uses == 0) {
      Node r = result(s_.nodes[k].rows, s_.nodes[k].cols, {int(k)});
      if (chance(50)) {
        r.text = use(int(k)) + ".lower()";
        r.st = St::lower;
      } else {
        r.text = use(int(k)) + ".log_det()";
        r.scalar = true, r.rows = r.cols = 1;
      }
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
      if (role == "inout" || role == "carry") targets.push_back(int(k));
    } else if (!n.factor && (n.uses == 0 || (n.named && chance(15)))) {
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
    l.role = scan_ && chance(65) ? "emit" : "out";
    l.view = make_view(n.rows, n.cols, rank, st, Fill::general, true, l.role == "emit", false);
    s_.leaves.push_back(l);
    std::string const name = "x" + std::to_string(s_.leaves.size() - 1);
    s_.statements.push_back(name + " = " + use(k) + ";");
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
  int const wanted = large ? 3 + below(3) : 3 + below(8);
  for (int tries = 0; s_.operations < wanted && tries < 200; ++tries) operation();
  finish();

  // The operands, with their status in any place.
  std::ostringstream o;
  std::string const id = std::to_string(seed_), functor = "Sequence" + id;
  std::string templates, parameters, calls, text, registered;
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < s_.leaves.size(); ++k) {
    Leaf const& l = s_.leaves[k];
    View const& w = s_.views[std::size_t(l.view)];
    std::string const i = std::to_string(k), view = w.expression;
    std::string const end = l.end >= 0 ? s_.views[std::size_t(l.end)].expression : "";
    templates += std::string(k ? ", " : "") + "class X" + i;
    bool const mutable_ =
        l.role == "out" || l.role == "inout" || l.role == "emit" || l.role == "carry";
    parameters += std::string(k ? ", " : "") + "X" + i + (mutable_ ? "& x" : " const& x") + i;
    calls += std::string(k ? ", " : "") +
             (l.is_log      ? "a.log("
              : w.rank == 0 ? "a.scalar("
                            : "a.tile(") +
             i + ")";
    std::string a;
    if (l.role == "fixed") a = "common(" + fixed_text(l.view) + ")";
    else if (l.role == "common_each") a = "common(each(" + view + "))";
    else if (l.role == "carry") {
      std::string start = l.fixed_start    ? "common(" + fixed_text(l.view) + ")"
                          : l.common_start ? "common(" + view + ")"
                                           : view;
      std::ostringstream weight;
      weight << l.weight;
      if (l.is_log) a = "carry(" + start + ", log_sum(" + end + ", " + weight.str() + "))";
      else a = "carry(" + start + (end.empty() ? ")" : ", " + end + ")");
    } else a = l.role + "(" + view + ")";
    arguments.push_back(a);
    text += "  x" + i + ": " + a + "\n";
    std::ostringstream weight;
    weight << l.weight;
    registered += "  c.operand({Role::" + (l.role == "fixed" ? std::string("common") : l.role) +
                  ", " + std::to_string(l.view) + ", " + std::to_string(l.end) + ", " +
                  (l.is_log ? "true" : "false") + ", " + weight.str() + "});\n";
  }
  if (has_status_)
    arguments.insert(arguments.begin() + below(int(arguments.size()) + 1), "status(c.codes())");
  std::string all;
  for (std::string const& a : arguments) all += ", " + a;
  std::string code;
  for (std::string const& s : s_.statements) code += "    " + s + "\n", text += "  " + s + "\n";

  o << "struct " << functor << " {\n";
  // The interpreter, which knows hosts only, calls it as well.
  o << "#if defined(__CUDACC__)\n#pragma nv_exec_check_disable\n#endif\n";
  o << "  template <" << templates << ">\n  KOKKOS_FUNCTION void operator()(" << parameters
    << ") const {\n"
    << code << "  }\n};\n";
  std::string how;
  if (!in_kernel_ && chance(22))
    how = "launch(width<" + std::to_string(one_of(std::vector<int>{1, 2, 4, 8, 16})) + ">), ";
  else if (!in_kernel_ && !large && chance(12))
    how = "launch(lanes<" + std::to_string(one_of(std::vector<int>{2, 4, 8, 32})) + ">), ";
  std::string const steps = scan_ ? std::to_string(steps_) + ", " : "";
  std::string call;
  if (in_kernel_)
    call = std::string("run_in_kernel(") + (scan_ ? "team_scan" : "team_map") + "<Space>(" + steps +
           functor + "{}" + all + "), " + std::to_string(items_) + ", " +
           std::to_string(one_of(std::vector<int>{1, 5, 16, 33})) + ")";
  else
    call = std::string("Batchwork::") + (scan_ ? "scan(" : "map(") + how + steps + functor + "{}" +
           all + ")";
  text += "  " + std::string(in_kernel_ ? "team_" : "") + (scan_ ? "scan" : "map") +
          (how.empty() ? "" : ", " + how.substr(0, how.size() - 2)) + "\n";
  o << "TEST(RandomSequences, Seed" << id << ") {\n";
  o << "  Case<" << type_ << "> c(" << id << ", R\"(" << text << ")\", " << items_ << ", " << steps_
    << ", " << (has_status_ ? "true" : "false") << ");\n";
  for (std::size_t k = 0; k < s_.views.size(); ++k) {
    View const& w = s_.views[k];
    // Some are only registered: fixed operands and what has no View.
    o << "  [[maybe_unused]] auto& b" << k << " = c.add({Structure::" << name(w.st) << ", "
      << w.rank << ", " << w.rows << ", " << w.cols << ", " << (w.items ? "true" : "false") << ", "
      << (w.times ? "true" : "false") << ", Fill::" << name(w.fill) << ", Arranged::" << w.place
      << ", " << w.width << ", " << w.offset << "});\n";
  }
  o << registered;
  o << "  c.check([&] { " << call << "; },\n          [](Arguments& a) { " << functor << "{}("
    << calls << "); });\n}\n\n";
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
