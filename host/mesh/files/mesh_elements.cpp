// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/mesh_elements.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "host/mesh/primitives/polygon_fan.h"

namespace isopatch::detail {
namespace {

constexpr std::int32_t kGone = -1;

/// Keeps the points whose new index is not kGone; new indices rise with the old ones.
void keep_points(TetMesh& mesh, const std::vector<std::int32_t>& new_index) {
  const auto keep = [&](auto& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < new_index.size(); ++i) {
      if (new_index[i] != kGone) values[kept++] = values[i];
    }
    values.resize(kept);
  };
  keep(mesh.points);
  for (auto& [name, values] : mesh.point_data) keep(values);
}

/// The same in any order of the corners.
std::uint64_t hash_of(const Tet& tet) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = 0;
  for (const std::int32_t v : tet) {
    const std::uint64_t spread = static_cast<std::uint64_t>(v) * kFactor;
    hash += spread ^ spread >> 32U;
  }
  hash *= kFactor;
  return hash ^ hash >> 32U;
}

bool same_corners(Tet a, Tet b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

}  // namespace

std::int64_t merge_equal_points(TetMesh& mesh) {
  const std::size_t count = mesh.points.size();
  std::vector<std::int32_t> order(count), first(count);
  std::iota(order.begin(), order.end(), 0);
  const auto& points = mesh.points;
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return std::pair(points[a], a) < std::pair(points[b], b); });
  for (std::size_t i = 0; i < count; ++i) {
    const bool again = i > 0 && points[order[i]] == points[order[i - 1]];
    first[order[i]] = again ? first[order[i - 1]] : order[i];
  }

  std::vector<std::int32_t> new_index(count, kGone);
  std::int32_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i] == static_cast<std::int32_t>(i)) new_index[i] = kept++;
  }
  for (Tet& tet : mesh.tets) {
    for (std::int32_t& v : tet) v = new_index[first[v]];
  }
  keep_points(mesh, new_index);
  return static_cast<std::int64_t>(count) - kept;
}

std::int64_t drop_tets_of_other_groups(TetMesh& mesh, const std::vector<TetGroup>& groups) {
  // a hash table with open addresses, of the tets so far
  struct Slot {
    std::int32_t tet = kGone;
    std::uint32_t run = 0, hash = 0;
  };
  const std::size_t mask = std::bit_ceil(2 * mesh.tets.size() + 1) - 1;
  std::vector<Slot> table(mask + 1);
  std::size_t kept = 0, run = 0;
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    while (run + 1 < groups.size() && groups[run + 1].first <= i) ++run;
    const Tet tet = mesh.tets[i];
    const std::uint64_t whole = hash_of(tet);
    const auto hash = static_cast<std::uint32_t>(whole >> 32U);
    std::size_t at = whole & mask;
    while (table[at].tet != kGone && !(table[at].hash == hash && same_corners(mesh.tets[table[at].tet], tet))) {
      at = (at + 1) & mask;
    }
    Slot& slot = table[at];
    if (slot.tet != kGone && groups[slot.run].group != groups[run].group) continue;
    if (slot.tet == kGone) slot = {static_cast<std::int32_t>(kept), static_cast<std::uint32_t>(run), hash};
    mesh.tets[kept++] = tet;
  }
  const auto dropped = static_cast<std::int64_t>(mesh.tets.size() - kept);
  mesh.tets.resize(kept);
  return dropped;
}

void drop_unused_points(TetMesh& mesh) {
  std::vector<std::int32_t> new_index(mesh.points.size(), kGone);
  for (const Tet& tet : mesh.tets) {
    for (const std::int32_t v : tet) new_index[v] = 0;
  }
  std::int32_t kept = 0;
  for (std::int32_t& index : new_index) {
    if (index != kGone) index = kept++;
  }
  for (Tet& tet : mesh.tets) {
    for (std::int32_t& v : tet) v = new_index[v];
  }
  keep_points(mesh, new_index);
}

void append_face(TriangleMesh& mesh, std::vector<std::int32_t>& corners, std::int64_t face, const FileCursor& in,
                 std::size_t position) {
  if (corners.size() < 3) {
    in.fail_at(position, "face {} has {} corners; at least 3 are needed", face, corners.size());
  }
  drop_repeated_corners(corners);
  if (append_fan(mesh.points, corners, mesh.triangles)) return;
  in.fail_at(position, "face {} of {} corners cannot be cut into triangles about one of them; cut it in the file", face,
             corners.size());
}

}  // namespace isopatch::detail
