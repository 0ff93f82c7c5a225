// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/evaluation/packed_output.h"

namespace isopatch::detail {

/// Collects the rows of one kind of all environments, which are evaluated in chunks, in any order and on any threads,
/// and then writes the packed arrays.
template <class Record>
class RowCollection {
 public:
  RowCollection(const PackedOutput<Record>& output, std::int64_t environments, std::int64_t chunk)
      : output_(output), environments_(environments), chunk_(chunk) {
    if (keeps_rows()) rows_.resize(static_cast<std::size_t>((environments + chunk - 1) / chunk));
  }

  bool is_wanted() const { return output_.is_wanted(); }

  /// False where rows are only counted.
  bool keeps_rows() const { return output_.rows.data != nullptr; }

  /// Takes the rows of an environment: record_of(i) for i from 0 to count - 1, in their order. Those of a chunk come in
  /// the order of environments, on one thread.
  template <class RecordOf>
  void add(std::int64_t environment, std::size_t count, const RecordOf& record_of) {
    output_.offsets.data[environment + 1] = static_cast<std::int64_t>(count);  // becomes a sum later
    if (!keeps_rows()) return;
    std::vector<Record>& rows = rows_[environment / chunk_];
    for (std::size_t i = 0; i < count; ++i) rows.push_back(record_of(i));
  }

  /// Once all environments have been added.
  void write_offsets() const {
    if (!is_wanted()) return;
    std::int64_t* const offsets = output_.offsets.data;
    offsets[0] = 0;
    for (std::int64_t e = 0; e < environments_; ++e) offsets[e + 1] += offsets[e];
  }

  /// Writes the rows of a chunk, once the offsets are written; threads may write several chunks side by side.
  void write_rows(std::int64_t begin, std::int64_t end, const TypedArray<std::uint32_t>& status) const {
    if (keeps_rows()) output_.write(begin, end, rows_[begin / chunk_].data(), status);
  }

 private:
  PackedOutput<Record> output_;
  std::int64_t environments_, chunk_;
  std::vector<std::vector<Record>> rows_;  // by chunk
};

/// The rows of both kinds of a batch.
struct RowCollections {
  RowCollection<Polygon> polygons;
  RowCollection<DiscreteContact> contacts;

  RowCollections(const Results& results, std::int64_t environments, std::int64_t chunk)
      : polygons(packed_polygons(results), environments, chunk),
        contacts(packed_contacts(results), environments, chunk) {}

  bool is_wanted() const { return polygons.is_wanted() || contacts.is_wanted(); }
  void write_offsets() const {
    polygons.write_offsets();
    contacts.write_offsets();
  }
  void write_rows(std::int64_t begin, std::int64_t end, const TypedArray<std::uint32_t>& status) const {
    polygons.write_rows(begin, end, status);
    contacts.write_rows(begin, end, status);
  }
};

}  // namespace isopatch::detail
