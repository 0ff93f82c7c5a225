// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/robot_file.h"

#include <pugixml.hpp>

#include "host/mesh/files/mesh_files.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

constexpr const char* kByHand =
    R"(scenes are JSON: name the mesh files of its links in "geometries" of a scene, and the links in "bodies"; )"
    "see host/scene_file/README.md";
constexpr const char* kByBridge =
    "scenes are JSON: load it with MuJoCo, whose contacts isopatch.mujoco.Bridge replaces by patches, or name the mesh "
    R"(files of its links in "geometries" of a scene; see host/python/MUJOCO.md)";

constexpr const char* kAsGeometry =
    R"(scenes are JSON: name it as "file" of a geometry; isopatch info describes it, isopatch tetrahedralize fills one )"
    "with tets";

struct Kind {
  std::string name;
  const char* wanted;
};

/// "a robot in URDF" and so on, by the root element; of XML that breaks off, too.
Kind kind_of_xml(const std::string& text) {
  pugi::xml_document document;
  document.load_buffer(text.data(), text.size());
  const std::string root = document.document_element().name();
  if (root == "robot") return {"a robot in URDF", kByBridge};
  if (root == "mujoco" || root == "mujocoinclude") return {"a model in MuJoCo's MJCF", kByBridge};
  return {root.empty() ? "XML" : "XML, " + in_quotes("<" + root + ">", '"'), kByHand};
}

Kind kind_of_name(const std::string& extension) {
  if (extension == ".urdf") return {"named like a robot in URDF", kByBridge};
  if (extension == ".mjcf") return {"named like a model in MuJoCo's MJCF", kByBridge};
  return {"named like XML", kByHand};
}

}  // namespace

bool is_robot_extension(const std::string& extension) {
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf";
}

void refuse_robot_file(const std::string& text, const std::string& source) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");  // a mark of UTF-8 may be first
  const char first = begin == std::string::npos ? '\0' : text[begin];
  const std::string extension = extension_of(source);
  const bool is_mesh = is_tet_mesh_file(source) || is_surface_file(source);
  if (first == '{' || (first != '<' && !is_mesh && !is_robot_extension(extension))) return;
  const Kind found = is_mesh        ? Kind{"named like a mesh", kAsGeometry}
                     : first == '<' ? kind_of_xml(text)
                                    : kind_of_name(extension);
  throw Error(source + ": is " + found.name + ", and " + found.wanted, ErrorKind::kInput,
              {.where = source, .found = found.name, .wanted = found.wanted});
}

}  // namespace isopatch::detail
