// SPDX-License-Identifier: Apache-2.0
//
// Rows of packed arrays on a device. All warps append to one list, in order of arrival, and count the rows of each
// environment. The sums of the counts say where an environment's rows belong; there they are put in order, and those
// that fit are written.
//
// The list has room for more rows than the array. If there are more rows still, it is chance which of them are in the
// list. Then it is filled again by another evaluation, with all rows of the environments of which some fit. Only the
// last of these has rows that do not fit, and only if the list has no room for all of them is it divided: a warp finds
// the last row that fits, digit by digit of its key, and lists the rows up to that one. Each digit takes an evaluation
// of that environment, which counts its rows by their digit. Models with few rows list all of that environment first,
// for which a list has room beyond its capacity; the rows among them that do not fit are passed over at the end.
#pragma once

#include "isopatch/detail/contact/polygon_record.h"
#include "isopatch/detail/contact/record_rows.h"
#include "isopatch/detail/simt/merge_sort.h"

namespace isopatch::detail {

/// What an evaluation does with the rows it finds.
enum class RowPass : std::uint8_t {
  kAll,         // counts them, and lists what there is room for
  kAllAgain,    // lists the rows of environments where some fit
  kAgain,       // the same, but for the divided one
  kCountDigit,  // of the divided environment, counts those that may be the last that fits by a digit of their keys
  kFitting      // of the divided environment, lists those that fit
};

/// A key as digits, digit 0 the most significant: the upper and the lower half of each of its words.
struct RowDigits {
  static constexpr int kBits = 16, kValues = 1 << kBits, kCount = 6;
  static constexpr std::int32_t kLower = kValues - 1;

  ISOPATCH_HD static std::int32_t digit(const ContactKey& key, int i) {
    const std::int32_t word = i < 2 ? key.parts : i < 4 ? key.cell_M : key.cell_S;
    return i % 2 == 0 ? word >> kBits : word & kLower;
  }

  /// The digits before digit i, then zeros.
  ISOPATCH_HD static ContactKey before(const ContactKey& key, int i) {
    const auto kept = [i](std::int32_t word, int upper) {
      return i > upper + 1 ? word : i > upper ? word & ~kLower : 0;
    };
    return {kept(key.parts, 0), kept(key.cell_M, 2), kept(key.cell_S, 4)};
  }

  /// Writes digit i, which is zero.
  ISOPATCH_HD static void set(ContactKey& key, int i, std::int32_t value) {
    std::int32_t& word = i < 2 ? key.parts : i < 4 ? key.cell_M : key.cell_S;
    word |= i % 2 == 0 ? value << kBits : value;
  }

  /// Whether digit i may differ between rows of a scene whose meshes have at most `most_cells` cells.
  static bool may_differ(int i, std::int64_t num_pairs, std::int64_t most_cells) {
    if (i == 0) return num_pairs > 1;  // it is the pair
    return i % 2 == 1 || most_cells >= kValues;
  }
};

struct alignas(16) PackedRowEntry {
  ContactKey key;
  std::int32_t record;  // where it is among the records

  /// Comes after all others.
  ISOPATCH_HD static PackedRowEntry last() {
    constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
    return {{kMax, kMax, kMax}, kMax};
  }
};

/// In device memory; zero where a call begins.
struct RowProgress {
  std::int64_t others;     // rows that are in the list again before the model that divides lists its own
  std::int64_t listed;     // rows that were to be listed
  std::int32_t overflows;  // 1 if there are more rows than the list has room for
  std::int32_t divided;    // 1 + the divided environment; 0: none
  std::int64_t rank;       // of the last row that fits, among those with its digits so far
  ContactKey last;         // its digits so far, then zeros
};

/// The list of one kind of rows, but for the records.
struct RowList {
  std::int32_t* counts = nullptr;         // of each environment's rows; null: no rows are asked for
  const std::int64_t* offsets = nullptr;  // their sums, after the first pass
  std::int64_t capacity = 0;              // of the array; 0: rows are only counted
  std::int64_t room = 0;                  // of the list, for this many rows or more
  PackedRowEntry* rows = nullptr;         // in order of arrival
  std::int32_t* environments = nullptr;   // of these rows
  PackedRowEntry* grouped = nullptr;      // by environment
  std::int32_t* of_digit = nullptr;       // counts by the value of a digit; zero between passes
  RowProgress* progress = nullptr;

  ISOPATCH_HD bool is_wanted() const { return counts != nullptr; }
  ISOPATCH_HD bool keeps_rows() const { return capacity > 0; }

  /// How many of an environment's rows fit.
  ISOPATCH_HD std::int64_t fitting(std::int64_t environment) const {
    const std::int64_t begin = offsets[environment], end = offsets[environment + 1];
    return begin >= capacity ? 0 : (end < capacity ? end : capacity) - begin;
  }

  /// How many of them the list has at the end, if any fit: all, or if it has no room for those the first.
  ISOPATCH_HD std::int64_t listed(std::int64_t environment) const {
    const std::int64_t fit = fitting(environment);
    return fit > 0 && offsets[environment + 1] <= room ? offsets[environment + 1] - offsets[environment] : fit;
  }

  /// Whether a pass after the first does anything.
  ISOPATCH_HD bool has_work(RowPass pass) const {
    const bool again = pass == RowPass::kAgain || pass == RowPass::kAllAgain;
    return keeps_rows() && (again ? progress->overflows : progress->divided) != 0;
  }

  /// Whether a pass needs the rows of an environment.
  ISOPATCH_HD bool needs(RowPass pass, std::int64_t environment) const {
    if (pass == RowPass::kAll) return true;
    if (!has_work(pass)) return false;
    const bool is_divided = progress->divided == environment + 1;
    if (pass == RowPass::kAllAgain) return fitting(environment) > 0;
    return pass == RowPass::kAgain ? !is_divided && fitting(environment) > 0 : is_divided;
  }

  /// Counts a row as the pass does. Whether it is to be listed.
  template <class Warp>
  ISOPATCH_HD bool lists(Warp& warp, RowPass pass, int digit, std::int64_t environment, const ContactKey& key) const {
    if (pass == RowPass::kAll) {
      if (is_wanted()) warp.reserve(counts + environment, 1);
      return keeps_rows();
    }
    if (!needs(pass, environment)) return false;
    if (pass == RowPass::kAgain || pass == RowPass::kAllAgain) return true;
    if (pass == RowPass::kFitting) return !(progress->last < key);
    if (RowDigits::before(key, digit) == progress->last) warp.reserve(of_digit + RowDigits::digit(key, digit), 1);
    return false;
  }

  /// Whether a listed row of an environment is passed over.
  ISOPATCH_HD bool is_passed_over(std::int64_t environment, const ContactKey& key) const {
    return progress->divided == environment + 1 && progress->last < key;
  }

  /// What follows from the sums of the counts: the count of an environment's rows that are to be in the list, and
  /// whether it is the divided one. Of each environment a thread calls it.
  ISOPATCH_HD void divide(std::int64_t environment, std::int64_t num_environments) const {
    const std::int64_t fit = fitting(environment), all = listed(environment);
    counts[environment] = static_cast<std::int32_t>(all);
    if (fit > 0 && offsets[environment + 1] > room) {
      progress->divided = static_cast<std::int32_t>(environment + 1);
      progress->rank = fit - 1;
    }
    if (environment == 0 && offsets[num_environments] > room) {
      progress->overflows = 1;
      progress->listed = 0;
    }
  }
};

/// The same with the records.
template <class Record>
struct PackedRowList : RowList {
  ListedRecord<Record>* records = nullptr;  // in order of arrival
};

/// Both kinds, and what is done with them in an evaluation.
struct PackedRowLists {
  PackedRowList<Polygon> polygons;
  PackedRowList<DiscreteContact> contacts;

  ISOPATCH_HD bool is_wanted() const { return polygons.is_wanted() || contacts.is_wanted(); }
  ISOPATCH_HD bool keeps_rows() const { return polygons.keeps_rows() || contacts.keeps_rows(); }
  ISOPATCH_HD bool has_work(RowPass pass) const {
    return pass == RowPass::kAll || polygons.has_work(pass) || contacts.has_work(pass);
  }
  ISOPATCH_HD bool needs(RowPass pass, std::int64_t environment) const {
    return polygons.needs(pass, environment) || contacts.needs(pass, environment);
  }
};

/// The destinations of evaluate_pair() in one pass.
struct RowsOfPass {
  template <class Record>
  struct Destination {
    const PackedRowList<Record>& list;
    RowPass pass;
    int digit;

    ISOPATCH_HD bool is_wanted() const { return list.is_wanted(); }

    template <class Warp>
    ISOPATCH_HD ListedRecord<Record>* append(Warp& warp, std::int64_t environment, const ContactKey& key) const {
      if (!list.lists(warp, pass, digit, environment, key)) return nullptr;
      const std::int64_t at = warp.reserve(&list.progress->listed, std::int64_t{1});
      if (at >= list.room) return nullptr;
      list.rows[at] = {key, static_cast<std::int32_t>(at)};  // no device has memory for 2^31 rows
      list.environments[at] = static_cast<std::int32_t>(environment);
      return list.records + at;
    }
  };
  Destination<Polygon> polygons;
  Destination<DiscreteContact> contacts;

  ISOPATCH_HD static RowsOfPass make(const PackedRowLists& lists, RowPass pass, int digit) {
    return {{lists.polygons, pass, digit}, {lists.contacts, pass, digit}};
  }
};

/// Counts a digit of the divided environment's rows that are listed already. Called by all lanes of one warp.
template <class Warp>
ISOPATCH_HD void count_listed(Warp& warp, const RowList& list, int digit) {
  ISOPATCH_NO_UNROLL
  for (std::int64_t i = warp.lane(); i < list.progress->others; i += Warp::kSize) {
    const ContactKey key = list.rows[i].key;
    if (list.environments[i] + 1 != list.progress->divided || RowDigits::before(key, digit) != list.progress->last)
      continue;
    warp.reserve(list.of_digit + RowDigits::digit(key, digit), 1);
  }
  warp.sync();
}

/// Finds a digit of the last row that fits, from the counts of the rows that have the digits before it. Called by all
/// lanes of one warp.
template <class Warp>
ISOPATCH_HD void find_digit(Warp& warp, const RowList& list, int digit) {
  if (!list.has_work(RowPass::kCountDigit)) return;
  count_listed(warp, list, digit);
  std::int64_t rank = list.progress->rank;
  int found = -1;
  for (int base = 0; base < RowDigits::kValues; base += Warp::kSize) {
    const std::int32_t own = list.of_digit[base + warp.lane()];
    list.of_digit[base + warp.lane()] = 0;
    const std::int64_t all = warp.sum(own);
    if (found >= 0) continue;
    if (rank >= all) {
      rank -= all;
      continue;
    }
    for (int lane = 0; found < 0; ++lane) {
      const int rows = warp.from_lane(own, lane);
      if (rank < rows) {
        found = base + lane;
      } else {
        rank -= rows;
      }
    }
  }
  warp.sync();  // before it changes
  if (warp.lane() == 0) {
    list.progress->rank = rank;
    RowDigits::set(list.progress->last, digit, found);
  }
}

}  // namespace isopatch::detail
