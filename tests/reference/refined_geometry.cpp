// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

constexpr const char* kFieldName = "extent";

// A mesh being refined, with its field as point data.
class Refinement {
 public:
  explicit Refinement(const Geometry& geometry) : old_(geometry.mesh) {
    mesh_.points = old_.points;
    field() = geometry.extent;
  }

  void cut_in_eight() {
    for (const Tet& t : old_.tets) {
      std::int32_t m[4][4] = {};
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j) m[i][j] = m[j][i] = midpoint(t[i], t[j]);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        Tet corner;
        for (std::size_t j = 0; j < 4; ++j) corner[j] = i == j ? t[i] : m[i][j];
        mesh_.tets.push_back(corner);
      }
      // the octahedron left over, about one of its diagonals
      const std::int32_t ring[4] = {m[0][2], m[0][3], m[1][3], m[1][2]};
      for (std::size_t k = 0; k < 4; ++k) mesh_.tets.push_back({m[0][1], m[2][3], ring[k], ring[(k + 1) % 4]});
    }
  }

  void cut_at_centroids() {
    for (const Tet& t : old_.tets) {
      const std::int32_t center = add_mean({t[0], t[1], t[2], t[3]});
      for (std::size_t i = 0; i < 4; ++i) {
        Tet part = t;
        part[i] = center;
        mesh_.tets.push_back(part);
      }
    }
  }

  Geometry build(const std::string& name) const {
    FieldOptions options;
    options.kind = FieldOptions::Kind::kPointData;
    options.point_data = kFieldName;
    return make_tet_mesh(name, mesh_, options);
  }

 private:
  std::vector<double>& field() { return mesh_.point_data[kFieldName]; }

  std::int32_t add_mean(const std::vector<std::int32_t>& indices) {
    Point3 mean = {};
    double value = 0;
    const auto count = static_cast<double>(indices.size());
    for (std::int32_t index : indices) {
      const auto k = static_cast<std::size_t>(index);
      for (std::size_t i = 0; i < 3; ++i) mean[i] += mesh_.points[k][i] / count;
      value += field()[k] / count;
    }
    mesh_.points.push_back(mean);
    field().push_back(value);
    return static_cast<std::int32_t>(mesh_.points.size()) - 1;
  }

  std::int32_t midpoint(std::int32_t i, std::int32_t j) {
    const auto [entry, is_new] = midpoints_.try_emplace(std::minmax(i, j), 0);
    if (is_new) entry->second = add_mean({i, j});
    return entry->second;
  }

  const TetMesh& old_;
  TetMesh mesh_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> midpoints_;
};

}  // namespace

Geometry refined(const Geometry& geometry, int levels) {
  Geometry result = geometry;
  for (int level = 0; level < levels; ++level) {
    Refinement refinement(result);
    refinement.cut_in_eight();
    result = refinement.build(geometry.name);
  }
  return result;
}

Geometry split_at_centroids(const Geometry& geometry) {
  Refinement refinement(geometry);
  refinement.cut_at_centroids();
  return refinement.build(geometry.name);
}

}  // namespace isopatch::oracle
