// SPDX-License-Identifier: Apache-2.0
#include "kernels/pressure_field/device_call_memory.h"

#include <string>

#include "kernels/algorithms/device_scan.h"
#include "kernels/memory/device_memory.h"

namespace isopatch::detail {

namespace {

/// Any pair of the batch may be left unfinished.
std::size_t unfinished_pairs(const PressureFieldSize& size) { return size.staged_pairs > 0 ? size.pairs : 0; }

std::size_t scan_bytes(const PressureFieldSize& size) {
  return size.counts == 0 ? 0 : exclusive_sums_bytes(static_cast<std::int64_t>(size.counts) - 1);
}

std::size_t record_bytes(std::size_t polygons) { return ElasticPolygons::numbers_for(polygons) * sizeof(double); }

/// With what is left over of a block of records in each window.
std::size_t window_records_of(const PressureFieldSize& size) {
  return size.window_polygons + size.windows * ElasticPolygons::kBlock;
}

std::size_t window_bytes(const PressureFieldSize& size) {
  return size.window_polygons * 2 * sizeof(PackedRowEntry) + record_bytes(window_records_of(size));
}

/// What else a call needs where the polygons of staged pairs are listed.
std::size_t pairs_with_list(const PressureFieldSize& size) { return size.listed_polygons > 0 ? size.staged_pairs : 0; }
std::size_t left_patches_of(const PressureFieldSize& size) { return size.listed_polygons > 0 ? size.pairs : 0; }

std::size_t listed_bytes(const PressureFieldSize& size) {
  return pairs_with_list(size) * sizeof(PolygonsOfPair) + left_patches_of(size) * sizeof(std::int32_t) +
         size.listed_polygons * 3 * sizeof(PolygonEntry) + record_bytes(size.listed_polygons);
}

std::size_t progress_bytes(std::size_t num_counts) {
  return num_counts == 0 ? 0 : sizeof(RowProgress) + num_counts * sizeof(std::int32_t);
}

template <class T>
void fill_with_zeros(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) ISOPATCH_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(T), stream));
}

}  // namespace

template <class Record>
RowArrays<Record>::RowArrays(std::size_t num_counts, std::size_t num_rows, cudaStream_t stream)
    : progress_and_counts(progress_bytes(num_counts)),
      rows(num_rows),
      grouped(num_rows),
      environments(num_rows),
      records(num_rows),
      of_digit(num_rows > 0 ? RowDigits::kValues : 0) {
  fill_with_zeros(of_digit, stream);
}

template <class Record>
std::size_t RowArrays<Record>::bytes(std::size_t num_counts, std::size_t num_rows) {
  const std::size_t row = 2 * sizeof(PackedRowEntry) + sizeof(std::int32_t) + sizeof(ListedRecord<Record>);
  return progress_bytes(num_counts) + num_rows * row + (num_rows > 0 ? RowDigits::kValues * sizeof(std::int32_t) : 0);
}

template <class Record>
PackedRowList<Record> RowArrays<Record>::list(const PackedOutput<Record>& to) const {
  if (!to.is_wanted()) return {};
  auto* const progress = reinterpret_cast<RowProgress*>(progress_and_counts.data());
  RowList list = {.counts = reinterpret_cast<std::int32_t*>(progress + 1),
                  .offsets = to.offsets.data,
                  .capacity = to.rows.data != nullptr ? to.capacity : 0,
                  .room = static_cast<std::int64_t>(rows.size()),
                  .rows = rows.data(),
                  .environments = environments.data(),
                  .grouped = grouped.data(),
                  .of_digit = of_digit.data(),
                  .progress = progress};
  return {list, records.data()};
}

template struct RowArrays<Polygon>;
template struct RowArrays<DiscreteContact>;

std::size_t PressureFieldMemory::bytes(const PressureFieldSize& size) {
  const std::size_t staged = size.staged_pairs * sizeof(StagedPair) + size.staged_sums * sizeof(StoredWrenchSums) +
                             size.staged_part_pairs * sizeof(StagedPartPair) + size.cells * sizeof(CellWork) +
                             unfinished_pairs(size) * sizeof(UnfinishedPair);
  const std::size_t packed = RowArrays<Polygon>::bytes(size.counts, size.packed_polygons) +
                             RowArrays<DiscreteContact>::bytes(size.counts, size.packed_contacts) + scan_bytes(size);
  const std::size_t steps = size.contact_pairs * sizeof(ContactsOfPair) + size.candidates * sizeof(CandidateList);
  return size.shared_pairs * sizeof(SharedWrenchSums) + staged + packed + window_bytes(size) + listed_bytes(size) +
         steps;
}

PressureFieldMemory::PressureFieldMemory(const PressureFieldSize& asked, cudaStream_t stream) {
  PressureFieldSize size = asked;
  if (!has_device_memory(bytes(size))) size = asked.without_list();
  if (!has_device_memory(bytes(size))) size = asked.without_stages();
  require_device_memory(bytes(size), "the working memory for " + std::to_string(size.pairs) +
                                         " pairs of bodies (environments times pairs) needs");
  sums = DeviceBuffer<SharedWrenchSums>(size.shared_pairs);
  staged_pairs = DeviceBuffer<StagedPair>(size.staged_pairs);
  staged_sums = DeviceBuffer<StoredWrenchSums>(size.staged_sums);
  part_pairs = DeviceBuffer<StagedPartPair>(size.staged_part_pairs);
  cells = DeviceBuffer<CellWork>(size.cells);
  unfinished = DeviceBuffer<UnfinishedPair>(unfinished_pairs(size));
  polygons = RowArrays<Polygon>(size.counts, size.packed_polygons, stream);
  contacts = RowArrays<DiscreteContact>(size.counts, size.packed_contacts, stream);
  scan = DeviceBuffer<std::byte>(scan_bytes(size));
  window_rows = DeviceBuffer<PackedRowEntry>(size.window_polygons);
  window_others = DeviceBuffer<PackedRowEntry>(size.window_polygons);
  window_records = DeviceBuffer<double>(ElasticPolygons::numbers_for(window_records_of(size)));
  polygons_of_pairs = DeviceBuffer<PolygonsOfPair>(pairs_with_list(size));
  listed_rows = DeviceBuffer<PolygonEntry>(size.listed_polygons);
  listed_sorted = DeviceBuffer<PolygonEntry>(size.listed_polygons);
  listed_others = DeviceBuffer<PolygonEntry>(size.listed_polygons);
  listed_records = DeviceBuffer<double>(ElasticPolygons::numbers_for(size.listed_polygons));
  left_patches = DeviceBuffer<std::int32_t>(left_patches_of(size));
  contacts_of_pairs = DeviceBuffer<ContactsOfPair>(size.contact_pairs);
  candidates = DeviceBuffer<CandidateList>(size.candidates);
  fill_with_zeros(contacts_of_pairs, stream);
  fill_with_zeros(candidates, stream);
  fill_with_zeros(sums, stream);
  fill_with_zeros(staged_sums, stream);
  fill_with_zeros(part_pairs, stream);  // they are copied with the gaps between their members
  fill_with_zeros(polygons_of_pairs, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

StagedMemory PressureFieldMemory::staged() const {
  const auto count = [](const auto& buffer) { return static_cast<std::int32_t>(buffer.size()); };
  return {.pairs = staged_pairs.data(),
          .sums = staged_sums.data(),
          .part_pairs = part_pairs.data(),
          .cells = cells.data(),
          .unfinished = unfinished.data(),
          .num_pairs = count(staged_pairs),
          .num_part_pairs = count(part_pairs),
          .num_cells = count(cells),
          .in_a_round = count(part_pairs),
          .slices = 1,
          .candidates = nullptr,
          .margin = {}};
}

ListedPolygonMemory PressureFieldMemory::listed() const {
  return {polygons_of_pairs.data(), listed_rows.data(),      listed_sorted.data(),
          listed_others.data(),     {listed_records.data()}, static_cast<std::int32_t>(listed_rows.size())};
}

PatchMemory PressureFieldMemory::patches(std::size_t num_windows) const {
  const std::size_t capacity = num_windows > 0 ? window_rows.size() / num_windows : 0;
  return {left_patches.data(),
          window_rows.data(),
          window_others.data(),
          {window_records.data()},
          static_cast<std::int64_t>(num_windows),
          static_cast<std::int64_t>(capacity)};
}

}  // namespace isopatch::detail
