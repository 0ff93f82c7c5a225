// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/evaluation/row_collection.h"
#include "isopatch/detail/contact/record_rows.h"

namespace isopatch::detail {

/// The rows of one kind of the environment that a thread evaluates, to be put in order, since each width of vectors
/// finds them in another.
template <class Record>
class SortedRows {
 public:
  /// Makes ready for environments whose rows the arrays of their own and `packed` take.
  void begin(const EnvironmentRows<Record>& own, const RowCollection<Record>& packed) {
    is_wanted_ = own.is_wanted() || packed.is_wanted();
    keeps_rows_ = own.rows.data != nullptr || packed.keeps_rows();
    clear();
  }

  /// Makes ready for rows that are kept here, if they are wanted.
  void begin(bool is_wanted) {
    is_wanted_ = keeps_rows_ = is_wanted;
    clear();
  }

  bool is_wanted() const { return is_wanted_; }

  /// Where to write one more row, valid until the next one; null where rows are only counted.
  Record* append(const ContactKey& key) {
    ++count_;
    if (!keeps_rows_) return nullptr;
    order_.push_back({key, static_cast<std::int32_t>(records_.size())});
    return &records_.emplace_back();
  }

  /// Gives the rows away, in their order.
  void give(std::int64_t environment, const EnvironmentRows<Record>& own, RowCollection<Record>& packed) {
    if (!is_wanted_) return;
    sort();
    if (own.is_wanted()) write_rows(environment, own);
    if (packed.is_wanted()) {
      packed.add(environment, count_, [&](std::size_t i) -> const Record& { return (*this)[static_cast<int>(i)]; });
    }
    clear();
  }

  void sort() {
    std::sort(order_.begin(), order_.end(), [](const Place& x, const Place& y) { return x.key < y.key; });
  }

  int size() const { return static_cast<int>(records_.size()); }
  const Record& operator[](int i) const {
    return records_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)].record)];
  }

  void clear() {
    records_.clear();
    order_.clear();
    count_ = 0;
  }

 private:
  /// Keys are sorted rather than records, which are longer.
  struct Place {
    ContactKey key;
    std::int32_t record;
  };

  void write_rows(std::int64_t environment, const EnvironmentRows<Record>& own) const {
    element(own.needed, environment) = static_cast<std::int32_t>(count_);
    if (own.rows.data == nullptr) return;
    const int fitting = std::min(static_cast<int>(count_), own.rows.capacity);
    for (int i = 0; i < fitting; ++i) element(own.rows, environment, i) = (*this)[i];
    SerialWarp warp;
    if (static_cast<std::size_t>(fitting) < count_) set_status(warp, own.results, environment, own.full);
  }

  bool is_wanted_ = false, keeps_rows_ = false;
  std::vector<Record> records_;
  std::vector<Place> order_;
  std::size_t count_ = 0;
};

/// SortedRows as a destination of record_rows.h.
template <class Record>
struct SortedDestination {
  SortedRows<Record>& rows;

  bool is_wanted() const { return rows.is_wanted(); }
  template <class Warp>
  Record* append(Warp& /*warp*/, std::int64_t /*environment*/, const ContactKey& key) const {
    return is_wanted() ? rows.append(key) : nullptr;
  }
};

/// The destinations of all rows, as models append to them.
struct PackedRows {
  SortedDestination<Polygon> polygons;
  SortedDestination<DiscreteContact> contacts;
};

}  // namespace isopatch::detail
