// SPDX-License-Identifier: Apache-2.0
#include "host/argument_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "host/packed_output.h"
#include "host/strides.h"
#include "isopatch/arrays.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// The bytes of one array: `row` of them from `begin` on, repeated every `stride` bytes, up to `end`.
struct Rows {
  std::string name;
  bool output;
  std::uint64_t begin, end, row, stride;
};

template <class Array>
void check_type(const std::string& name, const Array& array) {
  if (array.type == ScalarType::kFloat64 || array.type == ScalarType::kFloat32) return;
  throw Error(
      fmt::format("evaluate: {}: type is {}; it must be one of ScalarType", name, static_cast<int>(array.type)));
}
template <class Array>
requires(!requires(Array array) { array.type; }) void check_type(const std::string&, const Array&) {}

class ArgumentCheck {
 public:
  explicit ArgumentCheck(std::int64_t environments) : environments_(environments) {}

  /// Fills in the stride of an array with rows of `row` elements, and checks its type, stride and address.
  template <class Array>
  void add(const std::string& name, Array& array, std::int64_t row, bool output) {
    if (array.data == nullptr) return;
    check_type(name, array);
    array.stride = resolved_stride(array, row);
    const bool repeats = array.stride == 0 && !output;
    if (array.stride < row && !repeats) {
      throw Error(fmt::format("evaluate: {}: stride is {} elements; a row has {}{}", name, array.stride, row,
                              output ? "" : ", and 0 repeats one row"));
    }
    add_rows(name, array.data, environments_, row, array.stride, element_size(array), output);
  }

  /// Checks the address of an array of `size` elements for the whole batch.
  template <class T>
  void add(const std::string& name, const BatchArray<T>& array, std::int64_t size) {
    if (array.data != nullptr) add_rows(name, array.data, 1, size, size, element_size(array), true);
  }

  void check_overlaps() {
    std::sort(rows_.begin(), rows_.end(), [](const Rows& a, const Rows& b) { return a.begin < b.begin; });
    for (auto a = rows_.begin(); a != rows_.end(); ++a) {
      for (auto b = a + 1; b != rows_.end() && b->begin < a->end; ++b) {
        if ((!a->output && !b->output) || are_apart(*a, *b)) continue;
        throw Error(
            fmt::format("evaluate: {} and {} share bytes; give each output memory of its own", a->name, b->name));
      }
    }
  }

 private:
  void add_rows(const std::string& name, const void* data, std::int64_t count, std::int64_t row, std::int64_t stride,
                std::int64_t size, bool output) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::int64_t alignment = size == 8 ? 8 : std::min<std::int64_t>(size, 4);
    if (begin % static_cast<std::uintptr_t>(alignment) != 0) {
      throw Error(fmt::format("evaluate: {}: the address {} is not a multiple of {} bytes", name, data, alignment));
    }
    if (count == 0 || row == 0) return;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto room = static_cast<std::uint64_t>(std::numeric_limits<std::uintptr_t>::max()) - begin;
    const std::int64_t most = static_cast<std::int64_t>(std::min<std::uint64_t>(room, kMost)) / size;  // elements
    if (row > most || (count > 1 && stride > (most - row) / (count - 1))) {
      throw Error(fmt::format("evaluate: {}: {} rows with a stride of {} elements are more than can be addressed", name,
                              count, stride));
    }
    const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements * size); };
    const std::uint64_t length = bytes((count - 1) * stride + row);
    rows_.push_back(
        {name, output, begin, begin + length, bytes(row), count == 1 || stride == 0 ? length : bytes(stride)});
  }

  /// Whether the rows of b lie in the gaps between those of a, as columns of one table of records do. a begins first,
  /// and their ranges of bytes overlap.
  static bool are_apart(const Rows& a, const Rows& b) {
    if (a.stride != b.stride) return false;
    const std::uint64_t offset = (b.begin - a.begin) % a.stride;
    return offset >= a.row && b.row <= a.stride - offset;
  }

  std::int64_t environments_;
  std::vector<Rows> rows_;
};

/// Checks a buffer, its capacity, and the array of the capacities that would have been enough.
void check_capacity(const char* name, const void* buffer, const void* needed, std::int32_t capacity) {
  if (capacity < 0) {
    throw Error(fmt::format("evaluate: results.{}_capacity is {}; it must not be negative", name, capacity));
  }
  if (buffer != nullptr && needed == nullptr) {
    throw Error(fmt::format("evaluate: results.{0}s needs results.{0}s_needed, which is null; give both", name));
  }
}

/// Checks what the packed arrays of one kind need of one another. `name` is that of a row.
template <class Record>
void check_packed(const char* name, const PackedOutput<Record>& packed, std::int64_t environments) {
  if (packed.capacity < 0) {
    throw Error(
        fmt::format("evaluate: results.packed_{}_capacity is {}; it must not be negative", name, packed.capacity));
  }
  const auto require = [](bool given, const std::string& array, const std::string& needed) {
    if (!given)
      throw Error(fmt::format("evaluate: results.{0} needs results.{1}, which is null; give both", array, needed));
  };
  const std::string rows = fmt::format("packed_{}s", name), of_rows = fmt::format("{}_environments", name);
  require(packed.rows.data == nullptr || packed.is_wanted(), rows, fmt::format("{}_offsets", name));
  require(packed.environments.data == nullptr || packed.rows.data != nullptr, of_rows, rows);
  if (packed.environments.data != nullptr && environments > std::numeric_limits<std::int32_t>::max()) {
    throw Error(fmt::format("evaluate: results.{} cannot have the indices of {} environments; split the batch", of_rows,
                            environments));
  }
}

}  // namespace

void detail::check_arguments(const Scene& scene, State& state, Results& results) {
  if (state.num_environments < 0) {
    throw Error(fmt::format("evaluate: state.num_environments is {}; it must not be negative", state.num_environments));
  }
  if (state.num_environments > std::numeric_limits<std::int64_t>::max() / (scene.num_pairs() + 1)) {
    throw Error(
        fmt::format("evaluate: state.num_environments is {}; so many pairs cannot be indexed", state.num_environments));
  }
  if (state.poses.data == nullptr && state.num_environments > 0) {
    throw Error("evaluate: state.poses is null; poses are required");
  }
  if (scene.num_pairs() > 0 && results.body_wrench.data != nullptr && results.pair_wrench.data == nullptr) {
    throw Error("evaluate: results.body_wrench is summed from results.pair_wrench, which is null; give both");
  }
  check_capacity("polygon", results.polygons.data, results.polygons_needed.data, results.polygon_capacity);
  check_capacity("contact", results.contacts.data, results.contacts_needed.data, results.contact_capacity);
  check_packed("polygon", packed_polygons(results), state.num_environments);
  check_packed("contact", packed_contacts(results), state.num_environments);

  ArgumentCheck check(state.num_environments);
  const ArrayCounts counts = counts_of(scene, results);
  for_each_input([&](const ArrayInfo& info,
                     auto& array) { check.add(std::string("state.") + info.name, array, counts.row(info), false); },
                 state);
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        const std::string name = std::string("results.") + info.name;
        if constexpr (HasRows<decltype(array)>) {
          check.add(name, array, counts.row(info), true);
        } else {
          check.add(name, array, counts.size(info, state.num_environments));
        }
      },
      results);
  check.check_overlaps();
}

void detail::check_options(const EvaluatorOptions& options) {
  if (options.num_threads < 0) {
    throw Error(
        fmt::format("evaluator: num_threads is {}; give 0 for all cores, or a positive number", options.num_threads));
  }
  if (options.device < -1) {
    throw Error(
        fmt::format("evaluator: device is {}; give -1 for the current one, or a device's index", options.device));
  }
  if (!(options.keep_candidates >= 0 && options.keep_candidates <= limits::kMaxPosition)) {
    throw Error(fmt::format("evaluator: keep_candidates is {}; give a margin in m from 0 (for none) to {}",
                            options.keep_candidates, limits::kMaxPosition));
  }
  const auto require = [](const char* name, auto value, auto last, const char* type) {
    if (value <= last) return;
    throw Error(fmt::format("evaluator: {} is {}; it must be one of {}", name, static_cast<int>(value), type));
  };
  require("backend", options.backend, Backend::kReference, "Backend");
  require("precision", options.precision, Precision::kDouble, "Precision");
}

}  // namespace isopatch
