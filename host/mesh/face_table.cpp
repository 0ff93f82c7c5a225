// SPDX-License-Identifier: Apache-2.0
#include "mesh/face_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace isopatch {
namespace {

FaceUse make_face_use(const Tet& tet, std::int32_t tet_index, int face) {
  Triangle v = tet_face(tet, face);
  bool even = true;
  const auto order = [&](std::size_t i, std::size_t j) {
    if (v[i] > v[j]) {
      std::swap(v[i], v[j]);
      even = !even;
    }
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return {v, tet_index, static_cast<std::int8_t>(face), even};
}

}  // namespace

Triangle tet_face(const Tet& tet, int face) {
  constexpr std::array<std::array<std::size_t, 3>, 4> kOutward{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  const auto& corner = kOutward[static_cast<std::size_t>(face)];
  return {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
}

std::vector<FaceUse> sorted_faces(const std::vector<Tet>& tets) {
  std::vector<FaceUse> faces;
  faces.reserve(4 * tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    for (int f = 0; f < 4; ++f) faces.push_back(make_face_use(tets[t], static_cast<std::int32_t>(t), f));
  }
  std::sort(faces.begin(), faces.end(), [](const FaceUse& a, const FaceUse& b) {
    return std::tie(a.sorted, a.tet, a.face) < std::tie(b.sorted, b.tet, b.face);
  });
  return faces;
}

}  // namespace isopatch
