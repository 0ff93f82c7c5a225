// SPDX-License-Identifier: Apache-2.0
//
// The elements of an XML file, as far as VTK's files need them: tags with attributes, text, comments. A DOCTYPE, CDATA
// or an entity definition is an error. VTK's raw data, which is not XML, is skipped.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/files/file_cursor.h"

namespace isopatch::detail {

struct XmlElement {
  std::string name;
  std::size_t offset = 0;  // of its tag, in the file
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;
  std::size_t text_begin = 0, text_end = 0;  // its first text that is not space; equal without one

  /// The value of an attribute, or `without` if there is none.
  std::string attribute(const std::string& key, const std::string& without = "") const;
  /// The only child of that name; null if there is none. A second one is an error, reported by `in`.
  const XmlElement* child(const FileCursor& in, std::string_view child_name) const;
};

/// The root element of `bytes`. `in`, a cursor on the same bytes, reports errors with their line.
XmlElement parse_xml(std::string_view bytes, const FileCursor& in);

}  // namespace isopatch::detail
