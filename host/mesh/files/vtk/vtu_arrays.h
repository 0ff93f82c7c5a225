// SPDX-License-Identifier: Apache-2.0
//
// The <DataArray> elements of VTK's XML files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/files/vtk/vtu_data.h"
#include "host/mesh/files/vtk/xml_element.h"

namespace isopatch::detail {

class VtuArrays {
 public:
  /// `in`, a cursor on `bytes`, reports errors; it must outlive this.
  VtuArrays(std::string_view bytes, std::string source, const FileCursor& in)
      : bytes_(bytes), source_(std::move(source)), in_(in) {}

  /// How the file stores its arrays.
  void read_header(const XmlElement& root);

  /// The count in an attribute of an element.
  std::int64_t count_of(const XmlElement& element, const char* attribute) const;
  std::int64_t components_of(const XmlElement& array) const;

  /// Calls visit(cursor, type, begin, end) for one part after another of `count` x `components` values: the cursor
  /// stands at value `begin`, and the part ends before `end`.
  using Visit = std::function<void(FileCursor& in, ValueType type, std::size_t begin, std::size_t end)>;
  void read_values(const XmlElement& array, std::int64_t count, std::int64_t components, const Visit& visit);
  std::vector<std::int64_t> read_integers(const XmlElement& array, std::int64_t count);

 private:
  void find_appended(const XmlElement& element);
  ValueType type_of(const XmlElement& array) const;
  std::string label(const XmlElement& array) const;
  VtuBytes data_of(const XmlElement& array) const;
  void announce(const XmlElement& array, std::int64_t count, std::int64_t components);

  [[noreturn]] void fail(const XmlElement& element, const std::string& message) const {
    in_.fail_at(element.offset, message);
  }

  std::string_view bytes_;
  std::string source_;
  const FileCursor& in_;
  VtuEncoding encoding_;
  std::string_view appended_;
  bool has_appended_ = false, appended_base64_ = false;
  std::uint64_t announced_ = 0;  // values so far
};

}  // namespace isopatch::detail
