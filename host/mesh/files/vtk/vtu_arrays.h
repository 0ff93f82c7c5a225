// SPDX-License-Identifier: Apache-2.0
//
// The elements of VTK's XML files, which pugixml parses, and the arrays in their <DataArray>s.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/files/vtk/vtu_data.h"

namespace isopatch::detail {

class VtuArrays {
 public:
  /// Parses `bytes`, which must outlive this, and reads how the file stores its arrays.
  VtuArrays(std::string_view bytes, const std::string& source);

  pugi::xml_node root() const { return document_.document_element(); }
  /// The only child with this tag and, unless it is null, this Name. A second one is an error, and so is none from
  /// child(); find() then returns a null node.
  pugi::xml_node child(pugi::xml_node parent, const char* tag, const char* name = nullptr) const;
  pugi::xml_node find(pugi::xml_node parent, const char* tag, const char* name = nullptr) const;
  std::string attribute(pugi::xml_node element, const char* name, const char* without = "") const;
  /// The count in an attribute of an element.
  std::int64_t count_of(pugi::xml_node element, const char* name) const;
  std::int64_t components_of(pugi::xml_node array) const;
  template <class... Values>
  [[noreturn]] void fail(pugi::xml_node element, fmt::format_string<Values...> message, Values&&... values) const {
    in_.fail_at(static_cast<std::size_t>(element.offset_debug()), message, std::forward<Values>(values)...);
  }

  /// Calls visit(cursor, type, begin, end) for one part after another of `count` x `components` values: the cursor
  /// stands at value `begin`, and the part ends before `end`.
  using Visit = std::function<void(FileCursor& in, ValueType type, std::size_t begin, std::size_t end)>;
  void read_values(pugi::xml_node array, std::int64_t count, std::int64_t components, const Visit& visit);
  std::vector<std::int64_t> read_integers(pugi::xml_node array, std::int64_t count);

 private:
  void parse();
  void blank_raw_text();
  void read_header();
  VtuCompressor read_compressor() const;
  void find_appended(pugi::xml_node element);
  std::string label(pugi::xml_node array) const;
  std::string_view text_of(pugi::xml_node array) const;
  VtuBytes data_of(pugi::xml_node array) const;
  void announce(pugi::xml_node array, std::int64_t count, std::int64_t components);

  std::string_view bytes_;
  std::string source_;
  FileCursor in_;              // reports errors
  std::string xml_;            // the bytes as XML; `document_` refers to it, with the same offsets
  std::string_view raw_text_;  // of <AppendedData>
  pugi::xml_document document_;
  VtuEncoding encoding_;
  std::string_view appended_;
  bool has_appended_ = false, appended_base64_ = false;
  std::uint64_t announced_ = 0;  // values so far
};

}  // namespace isopatch::detail
