// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/evaluation/row_collection.h"
#include "isopatch/detail/contact/record_rows.h"

namespace isopatch::detail {

/// The rows of one kind of the environment that a thread evaluates, to be put in order.
template <class Record>
class SortedRows {
 public:
  /// Makes ready for environments whose rows `to` takes.
  void begin(const RowCollection<Record>& to) {
    is_wanted_ = to.is_wanted();
    keeps_rows_ = to.keeps_rows();
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
    rows_.push_back({key, {}});
    return &rows_.back().record;
  }

  /// Gives the rows away, in their order.
  void give(std::int64_t environment, RowCollection<Record>& to) {
    if (!is_wanted_) return;
    sort();
    to.add(environment, count_, [&](std::size_t i) -> const Record& { return rows_[i].record; });
    clear();
  }

  void sort() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& x, const Row& y) { return x.key < y.key; });
  }

  int size() const { return static_cast<int>(rows_.size()); }
  const Record& operator[](int i) const { return rows_[static_cast<std::size_t>(i)].record; }

  void clear() {
    rows_.clear();
    count_ = 0;
  }

 private:
  struct Row {
    ContactKey key;
    Record record;
  };

  bool is_wanted_ = false, keeps_rows_ = false;
  std::vector<Row> rows_;
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

/// The destinations of rows of all environments, as models append to them.
struct PackedRows {
  SortedDestination<Polygon> polygons;
  SortedDestination<DiscreteContact> contacts;
};

}  // namespace isopatch::detail
