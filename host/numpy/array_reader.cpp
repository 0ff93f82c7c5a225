// SPDX-License-Identifier: Apache-2.0
#include "host/numpy/array_reader.h"

#include <algorithm>

#include "host/text/suggestion.h"
#include "isopatch/error.h"

namespace isopatch::detail {

void read_reals(const LazyArray* array, std::vector<double>& values) {
  if (array == nullptr) return;
  array->header().type == DType::kFloat64 ? convert<double>(*array, values) : convert<float>(*array, values);
}

void ArrayReader::allow(const std::vector<std::string>& names) const {
  for (const auto& [name, array] : arrays_) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail(name, "unknown array{}", suggestion(name, names));
    }
  }
}

const LazyArray* ArrayReader::find(const std::string& name, std::vector<std::int64_t> shape,
                                   const std::vector<DType>& types, const char* types_text) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) return nullptr;
  const NpyHeader& header = found->second.header();
  const std::vector<std::int64_t>& actual = header.shape;
  std::string expected = shape_text(shape);
  if (shape[0] < 0) {
    expected.replace(expected.find("-1"), 2, "N");
    if (!actual.empty()) shape[0] = actual[0];
  }
  if (actual != shape) fail(name, "must have shape {}, found {}", expected, shape_text(actual));
  if (std::find(types.begin(), types.end(), header.type) == types.end()) {
    fail(name, "must be {}, found {}", types_text, dtype_name(header.type));
  }
  return &found->second;
}

}  // namespace isopatch::detail
