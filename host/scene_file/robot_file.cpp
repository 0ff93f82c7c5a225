// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/robot_file.h"

#include <pugixml.hpp>

#include "host/mesh/files/mesh_files.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

/// "a URDF file" and so on, by the root element; of XML that breaks off, too.
std::string kind_of_xml(const std::string& text) {
  pugi::xml_document document;
  document.load_buffer(text.data(), text.size());
  const std::string root = document.document_element().name();
  if (root == "robot") return "a robot in URDF";
  if (root == "mujoco" || root == "mujocoinclude") return "a model in MuJoCo's MJCF";
  return root.empty() ? "XML" : "XML, " + in_quotes("<" + root + ">", '"');
}

std::string kind_of_name(const std::string& extension) {
  if (extension == ".urdf") return "named like a robot in URDF";
  return extension == ".mjcf" ? "named like a model in MuJoCo's MJCF" : "named like XML";
}

}  // namespace

bool is_robot_extension(const std::string& extension) {
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf";
}

void refuse_robot_file(const std::string& text, const std::string& source) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");  // a mark of UTF-8 may be first
  const char first = begin == std::string::npos ? '\0' : text[begin];
  const std::string extension = extension_of(source);
  if (first == '{' || (first != '<' && !is_robot_extension(extension))) return;
  const std::string found = first == '<' ? kind_of_xml(text) : kind_of_name(extension);
  const std::string wanted =
      R"(scenes are JSON: name the mesh files of its links in "geometries" of a scene, and the links in "bodies"; )"
      "see host/scene_file/README.md";
  throw Error(source + ": is " + found + ", and " + wanted, ErrorKind::kInput,
              {.where = source, .found = found, .wanted = wanted});
}

}  // namespace isopatch::detail
