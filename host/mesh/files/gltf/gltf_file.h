// SPDX-License-Identifier: Apache-2.0
//
// The JSON and the buffers of a glTF file, with every index, offset and type checked.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/files/file_cursor.h"
#include "host/text/throw_error.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

using Json = nlohmann::json;

class GltfFile {
 public:
  /// `bytes` must outlive the object; `source` names them in errors, and files beside it hold buffers.
  GltfFile(const std::string& bytes, const std::string& source);

  const Json& json() const { return json_; }
  /// Bytes read so far.
  std::size_t size() const { return size_; }

  /// The length of a list of the file; 0 without it.
  std::size_t count(const char* list) const { return this->list(json_, list).size(); }
  /// A list of an object; an empty one without it.
  const Json& list(const Json& object, const char* key) const;
  /// A whole number of an object in [0, count).
  std::size_t index(const Json& object, const char* key, std::size_t count) const;
  /// A list of such numbers.
  std::vector<std::size_t> indices(const Json& object, const char* key, std::size_t count) const;
  template <std::size_t kCount>
  std::array<double, kCount> numbers(const Json& object, const char* key,
                                     const std::array<double, kCount>& otherwise) const {
    if (!object.contains(key)) return otherwise;
    const Json& values = list(object, key);
    if (values.size() != kCount) fail("\"{}\" has {} numbers; {} are needed", key, values.size(), kCount);
    std::array<double, kCount> found;
    for (std::size_t i = 0; i < kCount; ++i) found[i] = number(values[i], key);
    return found;
  }

  /// Appends the positions of a primitive.
  void read_points(const Json& primitive, std::vector<Point3>& points);
  /// The indices of a primitive's corners among its `points`.
  std::vector<std::int32_t> read_corners(const Json& primitive, std::int32_t points);

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> message, Values&&... values) const {
    throw_error("{}: {}", source_, fmt::format(message, std::forward<Values>(values)...));
  }

 private:
  /// Values in a buffer that are within it.
  struct Accessor {
    std::size_t buffer;
    std::size_t offset, stride, count;
    std::size_t component;  // glTF's number of the type
    bool normalized;
  };

  std::string_view split_binary(std::string_view bytes);
  double number(const Json& value, const char* key) const;
  std::size_t index_of(const Json& value, const char* key, std::size_t count) const;
  /// A number of bytes or elements; 0 without it.
  std::size_t length(const Json& object, const char* key) const;
  Accessor accessor(const Json& object, const char* key, const char* type, std::size_t components);
  FileCursor cursor(const Accessor& values);
  std::string_view buffer(std::size_t index);
  std::string load(const Json& buffer, std::size_t index) const;

  std::string source_;
  std::string_view binary_;  // the chunk of a binary file
  bool has_binary_ = false;
  std::size_t size_;
  Json json_;
  std::vector<std::optional<std::string>> buffers_;  // those read so far
};

}  // namespace isopatch::detail
