// SPDX-License-Identifier: Apache-2.0
//
// Reads arrays of known names, types and shapes from a file.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/numpy/npz.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

/// Calls visit with each value of an array.
template <typename Number, typename Visit>
void for_each(const LazyArray& array, const Visit& visit) {
  array.read([&visit](std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); at += sizeof(Number)) {
      Number number;  // the bytes may not be aligned
      std::memcpy(&number, piece.data() + at, sizeof number);
      visit(number);
    }
  });
}

/// Replaces `values` by those of an array, if there is one.
template <typename To>
void read_values(const LazyArray* array, std::vector<To>& values) {
  if (array == nullptr) return;
  const auto read_as = [&]<typename From>(From /*any*/) {
    values.clear();
    values.reserve(array->header().bytes / sizeof(From));
    for_each<From>(*array, [&](From number) { values.push_back(static_cast<To>(number)); });
  };
  const DType type = array->header().type;
  if (type == DType::kFloat32) read_as(float{});
  if (type == DType::kFloat64) read_as(double{});
  if (type == DType::kInt32) read_as(std::int32_t{});
  if (type == DType::kInt64) read_as(std::int64_t{});
  if (type == DType::kUint8) read_as(std::uint8_t{});
  if (type == DType::kUint32) read_as(std::uint32_t{});
}

/// Finds arrays by their names. Its errors name the source and the array.
class ArrayReader {
 public:
  /// `arrays` must outlive it.
  ArrayReader(const std::map<std::string, LazyArray>& arrays, std::string source)
      : arrays_(arrays), source_(std::move(source)) {}

  template <class... Values>
  [[noreturn]] void fail(const std::string& name, fmt::format_string<Values...> problem, Values&&... values) const {
    throw_error("{}: {}: {}", source_, escaped(name), fmt::format(problem, std::forward<Values>(values)...));
  }

  /// Throws for an array with another name.
  void allow(const std::vector<std::string>& names) const;

  /// The array if there is one of this name. Throws unless it has this shape and a type that can be read as ArrayInfo's
  /// `type`; a length of -1 matches any.
  const LazyArray* find(const std::string& name, const std::string& type, std::vector<std::int64_t> shape) const;

 private:
  const std::map<std::string, LazyArray>& arrays_;
  std::string source_;
};

}  // namespace isopatch::detail
