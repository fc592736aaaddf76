// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "Rounding.hpp"

namespace Batchwork::RandomSequences {

namespace {

double uniform(std::mt19937_64& random, double a, double b) {
  return a + (b - a) * double(random() >> 11) * 0x1p-53;
}
int below(std::mt19937_64& random, int n) { return int(random() % std::uint64_t(n)); }

double number(std::mt19937_64& random, Fill fill) {
  double const x = uniform(random, -1, 1);
  switch (fill) {
    case Fill::positive:
    case Fill::positive_definite: return 0.5 + 1.5 * std::fabs(x);
    case Fill::regular:
    case Fill::well_conditioned: return x < 0 ? 1.5 * x - 0.5 : 1.5 * x + 0.5;
    case Fill::index: return std::floor(3.5 * x + 3.5);
    default: break;
  }
  return x;
}

}  // namespace

Tally& tally() {
  static Tally t;
  return t;
}

template <class T>
Buffer<T>::Buffer(Storage const& s, int items, std::uint64_t seed)
    : storage_(s), items_(s.count > 0 ? s.count : items), seed_(seed) {
  bool const part = s.arranged == Arranged::left_part || s.arranged == Arranged::right_part,
             apart = s.arranged == Arranged::strided;
  auto const dimension = [&](int used, int more, int first) {
    dims_.push_back({std::size_t(used), std::size_t(used + more), 0, std::size_t(first)});
  };
  if (s.items) {
    if (s.arranged == Arranged::compact) dimension((items_ + s.width - 1) / s.width, 1, 0);
    else dimension(items_, part ? s.offset + 1 : apart ? 2 : 0, part ? s.offset : apart);
  }
  if (s.times) dimension(s.steps, apart ? 2 : 0, apart);
  if (s.rank > 0) dimension(s.rows, apart, apart);
  if (s.rank > 1) dimension(s.cols, apart, apart);

  std::size_t stride = s.arranged == Arranged::compact ? std::size_t(s.width) : apart ? 2 : 1;
  bool const left = s.arranged == Arranged::left || s.arranged == Arranged::left_part;
  for (std::size_t k = 0; k < dims_.size(); ++k) {
    auto& d = left ? dims_[k] : dims_[dims_.size() - 1 - k];
    d.stride = stride;
    begin_ += d.first * stride;
    stride *= d.allocated;
  }
  device_ = Kokkos::View<T*, Space>("numbers", stride);
  host_ = Kokkos::create_mirror(Kokkos::HostSpace(), device_);
}

template <class T>
std::size_t Buffer<T>::offset_of(int item, int time, int i, int j) const {
  std::size_t at = begin_, k = 0;
  if (storage_.items) {
    at +=
        std::size_t(item / storage_.width) * dims_[k++].stride + std::size_t(item % storage_.width);
  }
  if (storage_.times) at += std::size_t(time) * dims_[k++].stride;
  if (storage_.rank > 0) at += std::size_t(i) * dims_[k++].stride;
  if (storage_.rank > 1) at += std::size_t(j) * dims_[k++].stride;
  return at;
}
template <class T>
T& Buffer<T>::at(int item, int time, int i, int j) {
  return host_(offset_of(item, time, i, j));
}

template <class T>
BoundedTile Buffer<T>::tile(int item, int time) {
  Storage const& s = storage_;
  BoundedTile x(s.rows, s.cols, s.structure);
  for (int i = 0; i < s.rows; ++i)
    for (int j = 0; j < s.cols; ++j) {
      Entry& e = x.at(i, j);
      switch (s.structure) {
        case Structure::symmetric:
          e.value = Real(j <= i ? at(item, time, i, j) : at(item, time, j, i));
          break;
        case Structure::lower: e.value = j <= i ? Real(at(item, time, i, j)) : 0; break;
        case Structure::diagonal: e.value = i == j ? Real(at(item, time, i, 0)) : 0; break;
        default: e.value = Real(at(item, time, i, j));
      }
    }
  return x;
}

template <class T>
void Buffer<T>::fill_places(std::mt19937_64& random) {
  Storage const& s = storage_;
  int const cols = s.rank == 2 ? s.cols : 1;
  std::vector<int> order(static_cast<std::size_t>(s.extent));
  std::iota(order.begin(), order.end(), 0);
  for (int k = s.extent; k > 1; --k)
    std::swap(order[std::size_t(k) - 1], order[std::size_t(below(random, k))]);
  std::size_t next = 0;
  for (int item = 0; item < items_; ++item)
    for (int i = 0; i < s.rows; ++i)
      for (int j = 0; j < cols; ++j)
        at(item, 0, i, j) = T(s.fill == Fill::places ? below(random, s.extent) : order[next++]);
  if (!s.beyond) return;
  std::int32_t const outside[] = {s.extent, -1, s.extent + 1,
                                  std::numeric_limits<std::int32_t>::max(),
                                  std::numeric_limits<std::int32_t>::min()};
  int const certain = below(random, items_);
  for (int item = 0; item < items_; ++item) {
    if (below(random, 8) != 0 && item != certain) continue;
    int const i = below(random, s.rows), j = below(random, cols);
    at(item, 0, i, j) = T(outside[below(random, 5)]);
  }
}

template <class T>
void Buffer<T>::fill() {
  Storage const& s = storage_;
  std::mt19937_64 random(seed_);
  Kokkos::deep_copy(host_, Test::poison<T>());
  if (s.fill == Fill::places || s.fill == Fill::distinct_places) return fill_places(random);
  if (s.fill == Fill::mask) {
    int const values[] = {0, 0, 1, 1, 1, -1, 256};
    for (int item = 0; item < items_; ++item) at(item, 0, 0, 0) = T(values[below(random, 7)]);
    return;
  }
  for (int item = 0; item < (s.items ? items_ : 1); ++item)
    for (int time = 0; time < times(); ++time) {
      if (s.rank == 2 && s.fill == Fill::positive_definite) {
        int const n = s.rows;
        std::vector<double> b(std::size_t(n) * std::size_t(n));
        for (double& x : b) x = uniform(random, -1, 1);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k)
              sum += b[std::size_t(i * n + k)] * b[std::size_t(j * n + k)];
            at(item, time, i, j) = T(sum / n + (i == j ? 0.5 : 0));
            // A general View stores both triangles.
            if (s.structure == Structure::general) at(item, time, j, i) = at(item, time, i, j);
          }
        continue;
      }
      for (int i = 0; i < s.rows; ++i)
        for (int j = 0; j < (s.rank == 2 ? s.cols : 1); ++j) {
          // Numbers that must not be read stay poisoned.
          if (j > i && s.rank == 2 && s.structure != Structure::general) continue;
          bool const beside = s.fill == Fill::well_conditioned && j < i;
          double const x = number(random, beside ? Fill::general : s.fill);
          at(item, time, i, j) = T(beside ? x / s.rows : x);
        }
    }
}

template <class T>
bool Buffer<T>::is_unchanged_outside(std::vector<bool> const& written) const {
  for (std::size_t k = 0; k < sent_.size(); ++k)
    if (!(k < written.size() && written[k]) && !Test::same_bits(T(host_(k)), sent_[k]))
      return false;
  return true;
}

template <class T>
Case<T>::Case(std::uint64_t seed, std::string const& text, int items, bool has_status)
    : seed_(seed),
      text_(text),
      items_(items),
      has_status_(has_status),
      codes_("codes", std::size_t(items)),
      host_codes_(Kokkos::create_mirror(Kokkos::HostSpace(), codes_)) {}

template <class T>
Buffer<T>& Case<T>::add(Storage const& s) {
  buffers_.push_back(std::make_unique<Buffer<T>>(s, items_, seed_ * 1000 + buffers_.size()));
  return *buffers_.back();
}
template <class T>
Buffer<std::int32_t>& Case<T>::add_integers(Storage const& s) {
  integers_.push_back(
      std::make_unique<Buffer<std::int32_t>>(s, items_, seed_ * 1000 + 500 + integers_.size()));
  return *integers_.back();
}

template <class T>
std::vector<int> Case<T>::steps_run() const {
  std::vector<int> r;
  for (int t = steps_.first; t < steps_.last; ++t) r.push_back(t);
  if (steps_.backward) std::reverse(r.begin(), r.end());
  if (!is_scan_) r = {0};
  return r;
}
template <class T>
int Case<T>::time_of(Operand const& o, int step) const {
  int const times = o.is_integer ? integers_[std::size_t(o.buffer)]->times()
                                 : buffers_[std::size_t(o.buffer)]->times();
  int const t = o.stride * step - o.lag;
  return o.reversed ? times - 1 - t : t;
}

template <class T>
bool Case<T>::takes_part(int item) const {
  return mask_ < 0 || integers_[std::size_t(mask_)]->at(item, 0, 0, 0) != 0;
}
template <class T>
int Case<T>::rank_of_index(Operand const& o) const {
  return o.index < 0 ? 0 : integers_[std::size_t(o.index)]->storage().rank;
}
template <class T>
typename Case<T>::Extents Case<T>::extents_of(Operand const& o, int buffer) const {
  Storage const& s = buffers_[std::size_t(buffer)]->storage();
  if (rank_of_index(o) == 0) return {s.rank, s.rows, s.rank == 2 ? s.cols : 1};
  Storage const& x = integers_[std::size_t(o.index)]->storage();
  return {x.rank + s.rank, x.rows, x.rank == 2 ? x.cols : s.rows};
}
template <class T>
std::ptrdiff_t Case<T>::offset_of(Operand const& o, int buffer, int item, int time, int i,
                                  int j) const {
  Buffer<T> const& b = *buffers_[std::size_t(buffer)];
  int const rank = rank_of_index(o);
  int place = item;
  if (o.index >= 0) {
    auto& index = *integers_[std::size_t(o.index)];
    place = index.at(item, 0, rank > 0 ? i : 0, rank > 1 ? j : 0);
    if (place < 0 || place >= index.storage().extent) return -1;
  }
  if (rank > 0) i = rank == 1 ? j : 0, j = 0;
  return std::ptrdiff_t(b.offset_of(place, time, i, j));
}
/// NaN where the tile has numbers if any of its indices is out of range.
template <class T>
BoundedTile Case<T>::tile_of(Operand const& o, int buffer, int item, int time) const {
  Buffer<T>& b = *buffers_[std::size_t(buffer)];
  if (o.index < 0) return b.tile(item, time);
  Extents const e = extents_of(o, buffer);
  Structure const structure = b.storage().structure;
  bool const is_diagonal = structure == Structure::diagonal;
  BoundedTile x(e.rows, is_diagonal ? e.rows : e.cols, structure);
  bool there = true;
  for (int i = 0; i < e.rows; ++i)
    for (int j = 0; j < e.cols; ++j) there = there && offset_of(o, buffer, item, time, i, j) >= 0;
  if (!there) x.info = {Status::code(Reason::out_of_range, 0), true};
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j < x.cols; ++j) {
      if ((is_diagonal && i != j) || (structure == Structure::lower && j > i)) continue;
      bool const turned = structure == Structure::symmetric && j > i;
      Real y = std::numeric_limits<Real>::quiet_NaN();
      if (there)
        y = Real(b.value(std::size_t(offset_of(o, buffer, item, time, turned ? j : i,
                                               is_diagonal ? 0
                                               : turned    ? i
                                                           : j))));
      x.at(i, j).value = y;
    }
  return x;
}

template <class T>
std::vector<typename Case<T>::Written> Case<T>::written() const {
  std::vector<Written> r;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Operand const& o = operands_[k];
    if (o.is_integer) continue;
    if (o.role == Role::out || o.role == Role::inout || o.role == Role::add)
      r.push_back({int(k), o.buffer, {0}});
    if (o.role == Role::carry && o.end >= 0) r.push_back({int(k), o.end, {0}});
    if (o.role == Role::emit || o.role == Role::each_inout) {
      std::vector<int> times;
      for (int const step : steps_run()) times.push_back(time_of(o, step));
      r.push_back({int(k), o.buffer, times});
    }
  }
  return r;
}

template <class T>
void Case<T>::run(std::function<void()> const& launch) {
  for (auto const& b : buffers_) b->upload();
  for (auto const& b : integers_) b->upload();
  Kokkos::deep_copy(codes_, Test::poison<int>());
  launch();
  Kokkos::fence("Batchwork::RandomSequences: results");
  Kokkos::deep_copy(host_codes_, codes_);
}

template <class T>
typename Case<T>::Result Case<T>::interpret_item(int item,
                                                 std::function<void(Arguments&)> const& interpret) {
  Arguments a;
  auto const set = [&](std::size_t k, int buffer, int time) {
    Operand const& o = operands_[k];
    if (o.is_integer) {
      auto& b = *integers_[std::size_t(buffer)];
      int const place = o.index < 0 ? item : integers_[std::size_t(o.index)]->at(item, 0, 0, 0);
      if (place >= 0 && place < b.items()) a.integers[k] = BoundedInteger(b.at(place, time, 0, 0));
      else a.integers[k] = BoundedInteger(0, true, {Status::code(Reason::out_of_range, 0), true});
      return;
    }
    BoundedTile x = tile_of(o, buffer, item, time);
    if (o.role == Role::add) x = BoundedTile(x.rows, x.cols, x.structure);
    a.tiles[k].become(x);
    a.scalars[k] = BoundedScalar(x.at(0, 0), x.info);
  };
  auto const get = [&](std::size_t k) {
    Operand const& o = operands_[k];
    bool const is_scalar = extents_of(o, o.buffer).rank == 0;
    if (!is_scalar) return a.tiles[k];
    BoundedScalar const s = o.is_log ? a.logs[k].value() : a.scalars[k];
    BoundedTile x(1, 1);
    x.at(0, 0) = s.number;
    x.info = s.info;
    return x;
  };
  Result r;
  r.left_out = !takes_part(item);
  if (r.left_out) return r;
  Info code, bad;
  auto const store = [&](std::size_t k, int time) {
    BoundedTile const x = get(k);
    r.tiles.push_back({int(k), time, x});
    code = first_failure(code, x.info);
    Operand const& o = operands_[k];
    if (o.index >= 0 && tile_of(o, o.buffer, item, time).info.code != 0)
      code = first_failure(code, {Status::code(Reason::out_of_range, 0), true});
    for (int i = 0; i < x.rows; ++i)
      for (int j = 0; j < x.cols; ++j) {
        if (std::isnan(x.at(i, j).value)) bad = {Status::code(Reason::not_finite, 0), true};
        else if (!std::isfinite(x.at(i, j).error) && bad.code == 0) bad.certain = false;
      }
  };
  a.tiles.resize(operands_.size());
  a.scalars.resize(operands_.size());
  a.logs.resize(operands_.size());
  a.integers.resize(operands_.size());
  a.tables.resize(operands_.size());
  a.tables_of_vectors.resize(operands_.size());
  a.random.resize(operands_.size());
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Operand const& o = operands_[k];
    if (o.role == Role::item) a.integers[k] = BoundedInteger(item);
    if (o.role == Role::item || o.role == Role::step || o.role == Role::random) continue;
    if (o.role == Role::table) {
      auto* const b = buffers_[std::size_t(o.buffer)].get();
      int const rows = b->storage().rows;
      a.tables[k] = {rows, [b](int i) { return Real(b->at(0, 0, i, 0)); }};
      a.tables_of_vectors[k] = {rows, b->storage().cols,
                                [b](int i, int j) { return Real(b->at(0, 0, i, j)); }};
      continue;
    }
    set(k, o.buffer, 0);
    if (o.is_log) {
      a.logs[k].sum = a.scalars[k].number;
      a.logs[k].weight = Real(T(o.weight));
    }
  }
  for (int const step : steps_run()) {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      Operand const& o = operands_[k];
      if (o.role == Role::step) a.integers[k] = BoundedInteger(step);
      if (o.role == Role::random) {
        Address const& x = addresses_[k];
        a.random[k] = {{x.seed, std::uint32_t(x.stream), std::uint64_t(x.first_item + item),
                        std::uint32_t(step)},
                       sizeof(T) == 4};
      }
      if (o.role == Role::each || o.role == Role::common_each || o.role == Role::each_inout)
        set(k, o.buffer, time_of(o, step));
    }
    interpret(a);
    for (std::size_t k = 0; k < operands_.size(); ++k)
      if (operands_[k].role == Role::emit || operands_[k].role == Role::each_inout)
        store(k, time_of(operands_[k], step));
  }
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Operand const& o = operands_[k];
    if (o.role == Role::out || o.role == Role::inout || o.role == Role::add ||
        (o.role == Role::carry && o.end >= 0))
      store(k, 0);
    else if (o.role == Role::carry) code = first_failure(code, get(k).info);
  }
  r.code = first_failure(code, bad);
  return r;
}

template <class T>
void Case<T>::fail(std::string const& what) {
  if (++messages_ <= 3)
    ADD_FAILURE() << "seed " << seed_ << ", " << (sizeof(T) == 4 ? "float" : "double") << ", "
                  << items_ << " items"
                  << (is_scan_ ? ", " + std::to_string(steps_.last - steps_.first) + " steps" : "")
                  << "\n"
                  << text_ << what;
}

template <class T>
bool Case<T>::compare(int item, Result const& r, bool planted) {
  std::ostringstream s;
  s.precision(20);
  auto const where = [&] {
    return "item " + std::to_string(item) + (planted ? ", in which a failure is planted" : "");
  };
  Tally& t = tally();
  if (r.left_out) {
    if (host_codes_(item) == Test::poison<int>()) return true;
    fail(where() + ": it is left out, but its status was written");
    return false;
  }
  if (has_status_) {
    ++t.codes;
    int const got = host_codes_(item);
    if (!r.code.certain) ++t.unsure;
    else if (got != r.code.code) {
      s << where() << ": status " << to_string(Status::reason(got)) << ", info "
        << Status::info(got) << ", should be " << to_string(Status::reason(r.code.code))
        << ", info " << Status::info(r.code.code);
      fail(s.str());
      return false;
    }
    if (r.code.certain && r.code.code != 0) ++t.failures;
  }
  for (Emitted const& e : r.tiles) {
    Operand const& o = operands_[std::size_t(e.operand)];
    if (o.role == Role::add) continue;
    int const buffer = o.role == Role::carry ? o.end : o.buffer;
    bool const is_diagonal = e.tile.structure == Structure::diagonal;
    Real size = 0;
    for (int i = 0; i < e.tile.rows; ++i)
      for (int j = 0; j < e.tile.cols; ++j)
        if (std::isfinite(e.tile.at(i, j).value))
          size = std::max(size, std::fabs(e.tile.at(i, j).value));
    for (int i = 0; i < e.tile.rows; ++i)
      for (int j = 0; j < e.tile.cols; ++j) {
        if (is_diagonal && i != j) continue;
        Entry const& want = e.tile.at(i, j);
        std::ptrdiff_t const at = offset_of(o, buffer, item, e.time, i, is_diagonal ? 0 : j);
        if (at < 0) continue;
        Real const got = Real(buffers_[std::size_t(buffer)]->value(std::size_t(at)));
        if (!planted) ++t.entries;
        if (!std::isfinite(want.error)) {
          if (!planted) ++t.unknown;
          continue;
        }
        bool good;
        if (std::isnan(want.value)) {
          good = std::isnan(got);
        } else {
          Real const error = std::fabs(got - want.value);
          good = error <= want.error;
          // A failure can spoil more of its own item than necessary.
          if (std::isnan(got)) good = planted && (r.code.code != 0 || !r.code.certain);
          else if (want.error > 0) t.worst = std::max(t.worst, double(error / want.error));
          if (!planted && want.error > 0.01L * size) ++t.loose;
        }
        if (good) continue;
        s << where() << ", operand " << e.operand;
        if (o.role == Role::emit || o.role == Role::each_inout) s << ", its step " << e.time;
        s << ", entry (" << i << ", " << j << "): " << got << ", should be " << want.value
          << " within " << want.error << " (error " << std::fabs(got - want.value) << ")";
        fail(s.str());
        return false;
      }
  }
  return true;
}

/// Views to which items add.
template <class T>
void Case<T>::compare_sums(std::vector<Result> const& results, std::vector<bool> const& planted) {
  struct Sum {
    Real value, error = 0, size;
    int terms = 0;
    bool may_be_nan = false;
  };
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Operand const& o = operands_[k];
    if (o.role != Role::add) continue;
    auto& b = *buffers_[std::size_t(o.buffer)];
    std::map<std::ptrdiff_t, Sum> sums;
    for (int item = 0; item < items_; ++item) {
      Result const& r = results[std::size_t(item)];
      for (Emitted const& e : r.tiles) {
        if (e.operand != int(k)) continue;
        bool const is_diagonal = e.tile.structure == Structure::diagonal;
        for (int i = 0; i < e.tile.rows; ++i)
          for (int j = 0; j < (is_diagonal ? 1 : e.tile.cols); ++j) {
            std::ptrdiff_t const at = offset_of(o, o.buffer, item, 0, i, j);
            if (at < 0) continue;
            Real const sent = Real(b.sent(std::size_t(at)));
            Sum& s = sums.try_emplace(at, Sum{sent, 0, std::fabs(sent)}).first->second;
            Entry const& x = e.tile.at(i, is_diagonal ? i : j);
            s.value += x.value, s.error += x.error;
            s.size += std::fabs(x.value) + x.error;
            ++s.terms;
            // A failure can spoil more of its own item than necessary.
            s.may_be_nan = s.may_be_nan ||
                           (planted[std::size_t(item)] && (r.code.code != 0 || !r.code.certain));
          }
      }
    }
    for (auto const& [at, s] : sums) {
      ++tally().entries;
      Real const got = Real(b.value(std::size_t(at))),
                 bound = s.error + gamma(s.terms) * s.size + Real(s.terms) * smallest();
      if (!std::isfinite(s.error)) {
        ++tally().unknown;
        continue;
      }
      bool const good = std::isnan(s.value) ? std::isnan(got)
                        : std::isnan(got)   ? s.may_be_nan
                                            : std::fabs(got - s.value) <= bound;
      if (good) continue;
      std::ostringstream text;
      text.precision(20);
      text << "operand " << k << ", offset " << at << ": the sum of " << s.terms << " items is "
           << got << ", should be " << s.value << " within " << bound;
      return fail(text.str());
    }
  }
}

/// A fault in an operand of one item that causes a failure, or can cause one.
template <class T>
bool Case<T>::plant(std::mt19937_64& random, int item) {
  std::vector<Buffer<T>*> places;
  for (Operand const& o : operands_) {
    if (o.is_integer || o.buffer < 0 || o.index >= 0) continue;
    Storage const& s = buffers_[std::size_t(o.buffer)]->storage();
    if (!s.items) continue;
    if (o.role == Role::out || o.role == Role::emit) continue;
    for (int often = s.fill == Fill::positive_definite ? 4 : 1; often > 0; --often)
      places.push_back(buffers_[std::size_t(o.buffer)].get());
  }
  if (places.empty()) return false;
  Buffer<T>& b = *places[std::size_t(below(random, int(places.size())))];
  Storage const& s = b.storage();
  int const time = below(random, b.times()), i = below(random, s.rows);
  if (s.fill == Fill::positive_definite && below(random, 3) > 0)
    b.at(item, time, i, s.rank == 2 ? i : 0) = T(-1000);
  else
    b.at(item, time, i,
         s.rank < 2 ? 0 : below(random, s.structure == Structure::general ? s.cols : i + 1)) =
        std::numeric_limits<T>::quiet_NaN();
  return true;
}

template <class T>
void Case<T>::check(std::function<void()> const& launch,
                    std::function<void(Arguments&)> const& interpret) {
  arithmetic() = Arithmetic::of<T>();
  ++tally().sequences;
  Tally const ahead = tally();
  auto const begin = [&] {
    for (auto const& b : buffers_) b->fill();
    for (auto const& b : integers_) b->fill();
    // The indices of an item that is left out are not read.
    for (Operand const& o : operands_) {
      if (o.index < 0) continue;
      auto& index = *integers_[std::size_t(o.index)];
      for (int item = 0; item < items_; ++item)
        if (!takes_part(item)) index.at(item, 0, 0, 0) = Test::poison<std::int32_t>();
    }
    // Operands that are only written are poisoned at first.
    for (Written const& w : written()) {
      Operand const& o = operands_[std::size_t(w.operand)];
      if (o.role == Role::inout || o.role == Role::each_inout || o.role == Role::add ||
          (o.role == Role::carry && o.end == o.buffer))
        continue;
      Buffer<T>& b = *buffers_[std::size_t(w.buffer)];
      Storage const& s = b.storage();
      for (int item = 0; item < b.items(); ++item)
        for (int time = 0; time < b.times(); ++time)
          for (int i = 0; i < s.rows; ++i)
            for (int j = 0; j < (s.rank == 2 ? s.cols : 1); ++j)
              b.at(item, time, i, j) = Test::poison<T>();
    }
  };
  auto const interpret_all = [&] {
    std::vector<Result> r;
    for (int item = 0; item < items_; ++item) r.push_back(interpret_item(item, interpret));
    return r;
  };
  // Calls f(offset, i, j) for all that an item may write.
  auto const each_written = [&](Written const& w, int item, auto const& f) {
    if (!takes_part(item)) return;
    Operand const& o = operands_[std::size_t(w.operand)];
    Extents const e = extents_of(o, w.buffer);
    for (int const time : w.times)
      for (int i = 0; i < e.rows; ++i)
        for (int j = 0; j < e.cols; ++j) {
          std::ptrdiff_t const at = offset_of(o, w.buffer, item, time, i, j);
          if (at >= 0) f(std::size_t(at), i, j);
        }
  };
  auto const download = [&] {
    for (Written const& w : written()) buffers_[std::size_t(w.buffer)]->download();
    for (Written const& w : written()) {
      std::vector<bool> mine;
      for (int item = 0; item < items_; ++item)
        each_written(w, item, [&](std::size_t at, int, int) {
          if (mine.size() <= at) mine.resize(at + 1, false);
          mine[at] = true;
        });
      if (!buffers_[std::size_t(w.buffer)]->is_unchanged_outside(mine))
        fail("numbers that do not belong to operand " + std::to_string(w.operand) +
             " were written");
    }
  };

  begin();
  std::vector<Result> const clean = interpret_all();
  run(launch);
  download();
  for (int item = 0; item < items_; ++item) compare(item, clean[std::size_t(item)], false);
  compare_sums(clean, std::vector<bool>(std::size_t(items_), false));
  // Neighbours of failed items must be bitwise the same as without failures.
  std::vector<T> before;
  std::vector<int> codes_before;
  auto const neighbour = [&](int item, auto const& f) {
    for (Written const& w : written()) {
      // The order of additions is not fixed.
      if (operands_[std::size_t(w.operand)].role == Role::add) continue;
      each_written(w, item, [&](std::size_t at, int i, int j) {
        f(buffers_[std::size_t(w.buffer)]->value(at), w.operand, i, j);
      });
    }
  };
  for (int item = 0; item < items_; ++item) {
    neighbour(item, [&](T x, int, int, int) { before.push_back(x); });
    codes_before.push_back(host_codes_(item));
  }

  begin();
  std::mt19937_64 random(seed_ + 77);
  std::vector<bool> planted(std::size_t(items_), false);
  for (int const item : {0, below(random, items_), items_ - 1})
    if (!planted[std::size_t(item)] && !(items_ > 1 && below(random, 4) == 0))
      planted[std::size_t(item)] = plant(random, item);
  std::vector<Result> const failed = [&] {
    std::vector<Result> r = clean;
    for (int item = 0; item < items_; ++item)
      if (planted[std::size_t(item)]) r[std::size_t(item)] = interpret_item(item, interpret);
    return r;
  }();
  run(launch);
  download();
  compare_sums(failed, planted);
  std::size_t at = 0;
  for (int item = 0; item < items_; ++item) {
    if (planted[std::size_t(item)]) {
      compare(item, failed[std::size_t(item)], true);
      neighbour(item, [&](T, int, int, int) { ++at; });
      continue;
    }
    if (has_status_ && host_codes_(item) != codes_before[std::size_t(item)])
      fail("item " + std::to_string(item) + ": its status changed with another item's failure");
    neighbour(item, [&](T x, int operand, int i, int j) {
      if (!Test::same_bits(x, before[at]))
        fail("item " + std::to_string(item) + ", operand " + std::to_string(operand) + ", entry (" +
             std::to_string(i) + ", " + std::to_string(j) + "): " + std::to_string(x) +
             " instead of " + std::to_string(before[at]) + " since another item failed");
      ++at;
    });
  }
  Tally const& now = tally();
  std::int64_t const idle = now.unknown + now.loose - ahead.unknown - ahead.loose;
  if (10 * idle > now.entries - ahead.entries)
    std::printf("seed %llu: the bounds of %lld of %lld entries say little\n",
                static_cast<unsigned long long>(seed_), static_cast<long long>(idle),
                static_cast<long long>(now.entries - ahead.entries));
}

template class Buffer<float>;
template class Buffer<double>;
template class Buffer<std::int32_t>;
template class Case<float>;
template class Case<double>;

namespace {
/// After all sequences: that bounds were known and tight, and failures were seen.
class Summary : public ::testing::Environment {
  void TearDown() override {
    Tally const& t = tally();
    if (t.sequences == 0) return;
    std::printf(
        "%lld sequences, %lld entries (%lld without a bound, %lld with one over 1 %%), largest "
        "error "
        "%.3f of its bound; %lld status codes (%lld not judged), %lld failures\n",
        static_cast<long long>(t.sequences), static_cast<long long>(t.entries),
        static_cast<long long>(t.unknown), static_cast<long long>(t.loose), t.worst,
        static_cast<long long>(t.codes), static_cast<long long>(t.unsure),
        static_cast<long long>(t.failures));
    // Some items may have no good bound: values that are zero except for rounding.
    if (t.sequences < 100) return;
    EXPECT_LT(double(t.unknown + t.loose), 0.05 * double(t.entries));
    EXPECT_LT(double(t.unsure), 0.05 * double(t.codes));
    EXPECT_GT(t.failures, 0);
  }
};
[[maybe_unused]] auto* const summary = ::testing::AddGlobalTestEnvironment(new Summary);
}  // namespace

}  // namespace Batchwork::RandomSequences
