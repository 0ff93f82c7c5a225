// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/msh_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace isopatch::detail {
namespace {

/// From the reference manual, "MSH file format", types 1 to 31 and two of high order.
constexpr std::array<int, 32> kNodes = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
constexpr std::int64_t kHexahedron64 = 92, kHexahedron125 = 93;
constexpr std::array<std::int64_t, 5> kTets = {kMshTet, 11, 29, 30, 31};
constexpr std::array<std::int64_t, 11> kVolumes = {5, 6, 7, 12, 13, 14, 17, 18, 19, kHexahedron64, kHexahedron125};

std::string msh_name(std::int64_t type) {
  static const std::map<std::int64_t, const char*> kNames = {
      {1, "lines"},  {2, "triangles"}, {3, "quadrangles"},           {4, "tets"},   {5, "hexahedra"},
      {6, "prisms"}, {7, "pyramids"},  {11, "tets of second order"}, {15, "points"}};
  const auto known = kNames.find(type);
  return known == kNames.end() ? fmt::format("elements of type {}", type) : known->second;
}

}  // namespace

int msh_nodes(std::int64_t type) {
  if (type == kHexahedron64) return 64;
  if (type == kHexahedron125) return 125;
  return type > 0 && type < std::ssize(kNodes) ? kNodes[type] : 0;
}

bool is_msh_tet(std::int64_t type) { return std::find(kTets.begin(), kTets.end(), type) != kTets.end(); }

bool is_msh_volume(std::int64_t type) { return std::find(kVolumes.begin(), kVolumes.end(), type) != kVolumes.end(); }

std::string msh_names(const std::map<std::int64_t, std::int64_t>& elements) {
  std::string text;
  for (const auto& [type, count] : elements) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, msh_name(type));
  }
  return text;
}

}  // namespace isopatch::detail
