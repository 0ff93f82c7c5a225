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

/// Appends the values of an array.
template <typename From, typename To>
void convert(const LazyArray& array, std::vector<To>& values) {
  values.reserve(array.header().bytes / sizeof(From));
  for_each<From>(array, [&values](From number) { values.push_back(static_cast<To>(number)); });
}

/// Appends the values of a float64 or float32 array, if there is one.
void read_reals(const LazyArray* array, std::vector<double>& values);

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

  /// The array if there is one of this name. Throws unless it has this shape and one of these types; a length of -1
  /// matches any.
  const LazyArray* find(const std::string& name, std::vector<std::int64_t> shape, const std::vector<DType>& types,
                        const char* types_text) const;

  const LazyArray* find_reals(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kFloat64, DType::kFloat32}, "float64 or float32");
  }
  const LazyArray* find_integers(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kInt32, DType::kInt64}, "int32 or int64");
  }
  const LazyArray* find_flags(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kUint8}, "uint8 or bool");
  }

 private:
  const std::map<std::string, LazyArray>& arrays_;
  std::string source_;
};

}  // namespace isopatch::detail
