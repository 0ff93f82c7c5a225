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

struct Kind {
  std::string name;
  bool is_read_by_mujoco;
};

/// "a robot in URDF" and so on, by the root element; of XML that breaks off, too.
Kind kind_of_xml(const std::string& text) {
  pugi::xml_document document;
  document.load_buffer(text.data(), text.size());
  const std::string root = document.document_element().name();
  if (root == "robot") return {"a robot in URDF", true};
  if (root == "mujoco" || root == "mujocoinclude") return {"a model in MuJoCo's MJCF", true};
  return {root.empty() ? "XML" : "XML, " + in_quotes("<" + root + ">", '"'), false};
}

Kind kind_of_name(const std::string& extension) {
  if (extension == ".urdf") return {"named like a robot in URDF", true};
  if (extension == ".mjcf") return {"named like a model in MuJoCo's MJCF", true};
  return {"named like XML", false};
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
  const Kind found = first == '<' ? kind_of_xml(text) : kind_of_name(extension);
  const std::string wanted = found.is_read_by_mujoco ? kByBridge : kByHand;
  throw Error(source + ": is " + found.name + ", and " + wanted, ErrorKind::kInput,
              {.where = source, .found = found.name, .wanted = wanted});
}

}  // namespace isopatch::detail
