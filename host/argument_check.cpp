// SPDX-License-Identifier: Apache-2.0
#include "host/argument_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
template <class T>
void check_type(const std::string&, const TypedArray<T>&) {}

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
    add_rows(name, array.data, row, array.stride, element_size(array), output);
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
  void add_rows(const std::string& name, const void* data, std::int64_t row, std::int64_t stride, std::int64_t size,
                bool output) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::int64_t alignment = size == 8 ? 8 : std::min<std::int64_t>(size, 4);
    if (begin % static_cast<std::uintptr_t>(alignment) != 0) {
      throw Error(fmt::format("evaluate: {}: the address {} is not a multiple of {} bytes", name, data, alignment));
    }
    if (environments_ == 0 || row == 0) return;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto room = static_cast<std::uint64_t>(std::numeric_limits<std::uintptr_t>::max()) - begin;
    const std::int64_t most = static_cast<std::int64_t>(std::min<std::uint64_t>(room, kMost)) / size;  // elements
    if (row > most || (environments_ > 1 && stride > (most - row) / (environments_ - 1))) {
      throw Error(
          fmt::format("evaluate: {}: {} environments with a stride of {} elements are more than can be addressed", name,
                      environments_, stride));
    }
    const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements * size); };
    const std::uint64_t length = bytes((environments_ - 1) * stride + row);
    rows_.push_back(
        {name, output, begin, begin + length, bytes(row), environments_ == 1 || stride == 0 ? length : bytes(stride)});
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

  ArgumentCheck check(state.num_environments);
  const ArrayCounts counts = counts_of(scene, results);
  for_each_input([&](const ArrayInfo& info,
                     auto& array) { check.add(std::string("state.") + info.name, array, counts.row(info), false); },
                 state);
  for_each_output([&](const ArrayInfo& info,
                      auto& array) { check.add(std::string("results.") + info.name, array, counts.row(info), true); },
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
