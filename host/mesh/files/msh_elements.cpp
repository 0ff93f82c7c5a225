// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/msh_elements.h"

#include <fmt/format.h>

#include <array>

namespace isopatch::detail {
namespace {

/// From the reference manual, "MSH file format", types 1 to 31 and two of high order.
constexpr std::array<int, 32> kNodes = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
constexpr std::int64_t kHexahedron64 = 92, kHexahedron125 = 93;

}  // namespace

int msh_nodes(std::int64_t type) {
  if (type == kHexahedron64) return 64;
  if (type == kHexahedron125) return 125;
  return type > 0 && type < static_cast<std::int64_t>(kNodes.size()) ? kNodes[static_cast<std::size_t>(type)] : 0;
}

std::string msh_name(std::int64_t type) {
  switch (type) {
    case 1:
      return "lines";
    case 2:
      return "triangles";
    case 3:
      return "quadrangles";
    case 4:
      return "tets";
    case 5:
      return "hexahedra";
    case 6:
      return "prisms";
    case 7:
      return "pyramids";
    case 11:
      return "tets of second order";
    case 15:
      return "points";
    default:
      return fmt::format("elements of type {}", type);
  }
}

}  // namespace isopatch::detail
