// SPDX-License-Identifier: Apache-2.0
#include "host/numpy/array_reader.h"

#include <algorithm>
#include <array>

#include "host/text/suggestion.h"

namespace isopatch::detail {

void ArrayReader::allow(const std::vector<std::string>& names) const {
  for (const auto& [name, array] : arrays_) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail(name, "unknown array{}", suggestion(name, names));
    }
  }
}

const LazyArray* ArrayReader::find(const std::string& name, const std::string& type,
                                   std::vector<std::int64_t> shape) const {
  constexpr std::array kReals = {DType::kFloat64, DType::kFloat32}, kIntegers = {DType::kInt32, DType::kInt64},
                       kFlags = {DType::kUint8, DType::kUint8};
  const auto& [types, types_text] = type == "real"    ? std::pair(kReals, "float64 or float32")
                                    : type == "uint8" ? std::pair(kFlags, "uint8 or bool")
                                                      : std::pair(kIntegers, "int32 or int64");
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
