// SPDX-License-Identifier: Apache-2.0
//
// The medial mesh of a convex polyhedron. Over the polyhedron, the distance to the surface is the lowest of its faces'
// heights, so the points (x, t) with 0 <= t <= distance(x) are a convex body in four dimensions, an intersection of
// half-spaces. The vertices of that body are the vertices of the medial mesh, and its facets, seen from above, are
// the regions nearest to one face. Each region is a convex polyhedron on which the distance is linear. It is cut into
// tets like the box's regions: cones from its first vertex over fans about the first vertex of each facet.
#include "host/mesh/primitives/medial_mesh.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/convex_hull.h"
#include "host/mesh/primitives/polygon_fan.h"
#include "host/mesh/topology/connectivity.h"

namespace isopatch::detail {
namespace {

/// The tets' volume may differ from the hull's by this fraction; the volume of a wrong mesh differs by a tet.
constexpr double kSameVolume = 1e-9;

/// Medial vertices nearer to each other than this fraction of the size become one: where more than four faces have the
/// same distance, rounding leaves several vertices.
constexpr double kSameVertex = 1e-9;

/// Six times a tet's volume over the product of three edges, and twice a triangle's area over that of two. The gradient
/// on a flatter tet is mostly rounding.
constexpr double kFlatPiece = 1e-8;

/// Tets flatter than this are worth removing, where a polyhedron is not exact.
constexpr double kSliver = 1e-5;

/// A tet of this relative volume or less is flat within rounding.
constexpr double kZero = 1e-14;

/// In meshes of polyhedra that are not exact, fans and cones are chosen so that no triangle or tet is flatter than
/// this.
constexpr double kThinPiece = 1e-4;

/// By how much the distance may be wrong there: of the size, and of the distance in the middle.
constexpr double kMaxError = 3e-4, kMaxErrorOfDepth = 1e-3;

/// Vertices nearer to each other than these parts of the error are tried to be one: few vertices make small meshes, but
/// if different ones are joined, tets may be inverted.
constexpr double kJoined[] = {1, 0.2, 0.04, 0.002, 1e-4, 1e-6};

/// A mesh without flatter tets needs no better one.
constexpr double kGood = 1e-10;

/// By how much faces are moved, in units of the distance in the middle, if without moving them there are too many ties.
constexpr double kShakes[] = {0, 1e-7, 1e-6};

/// A vertex of the medial mesh and the faces that are nearest to it, all at the same distance, in ascending order.
struct MedialVertex {
  Point3 position;
  std::vector<std::int32_t> nearest;
};

void add_nearest(MedialVertex& to, const std::vector<std::int32_t>& faces) {
  const std::vector<std::int32_t> one = std::move(to.nearest);
  to.nearest.clear();
  std::set_union(one.begin(), one.end(), faces.begin(), faces.end(), std::back_inserter(to.nearest));
}

/// The vertices of the body {0 <= t <= depth(x)}, of its ground t = 0 the last.
struct DualVertices {
  std::vector<MedialVertex> inner, ground;
};

/// They are found by duality about a point inside: the half-space h.y <= s becomes the point h/s, and every facet of
/// the hull of these points is a vertex.
DualVertices dual_vertices(const Polyhedron& hull) {
  const double level = hull.depth(hull.inside) / 2;
  std::vector<double> dual;
  for (const HullFace& face : hull.faces) {
    const double slack = hull.height(face, hull.inside) - level;
    for (const double n : face.normal) dual.push_back(n / slack);
    dual.push_back(1 / slack);
  }
  const auto ground = static_cast<std::int32_t>(hull.faces.size());
  dual.insert(dual.end(), {0, 0, 0, -1 / level});

  DualVertices vertices;
  for (HullFacet& facet : convex_hull(std::move(dual), 4)) {
    const bool on_ground = std::erase(facet.vertices, ground) != 0;
    const Point3 from_inside{facet.normal[0] / facet.offset, facet.normal[1] / facet.offset,
                             facet.normal[2] / facet.offset};
    std::sort(facet.vertices.begin(), facet.vertices.end());
    (on_ground ? vertices.ground : vertices.inner).push_back({hull.inside + from_inside, std::move(facet.vertices)});
  }
  return vertices;
}

/// Joins vertices within `distance` of each other, which differ only by rounding.
std::vector<MedialVertex> joined(std::vector<MedialVertex> vertices, double distance) {
  std::sort(vertices.begin(), vertices.end(),
            [](const MedialVertex& a, const MedialVertex& b) { return a.position < b.position; });
  std::vector<MedialVertex> kept;
  for (MedialVertex& vertex : vertices) {
    const auto far = std::find_if(kept.rbegin(), kept.rend(), [&](const MedialVertex& other) {
      return vertex.position[0] - other.position[0] > distance;  // so are all before
    });
    const auto same = std::find_if(kept.rbegin(), far, [&](const MedialVertex& other) {
      return norm(other.position - vertex.position) <= distance;
    });
    if (same == far) {
      kept.push_back(std::move(vertex));
    } else {
      add_nearest(*same, vertex.nearest);
    }
  }
  return kept;
}

/// The hull's corners.
std::vector<MedialVertex> corners_of(const Polyhedron& hull) {
  std::vector<MedialVertex> corners;
  for (const Point3& corner : hull.corners) corners.push_back({corner, {}});
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    for (const std::int32_t corner : hull.faces[f].corners) {
      corners[corner].nearest.push_back(static_cast<std::int32_t>(f));
    }
  }
  return corners;
}

/// Takes out the vertices all of whose nearest faces meet in one corner: they are that corner, from which rounding of
/// the faces has parted them.
void take_out_corners(std::vector<MedialVertex>& inner, const Polyhedron& hull,
                      const std::vector<MedialVertex>& corners) {
  std::erase_if(inner, [&](const MedialVertex& vertex) {
    const std::vector<std::int32_t>& candidates = hull.faces[vertex.nearest[0]].corners;
    return std::any_of(candidates.begin(), candidates.end(), [&](std::int32_t corner) {
      const std::vector<std::int32_t>& faces = corners[corner].nearest;
      return std::includes(faces.begin(), faces.end(), vertex.nearest.begin(), vertex.nearest.end());
    });
  });
}

/// Fewer vertices: one stands for another if the other's faces are all nearest to it within `error`. Those with many
/// such faces come first, as in the middle of a ball. Of several that can stand for a vertex, it is the nearest.
/// `depths` are those of the vertices.
std::vector<MedialVertex> representatives(std::vector<MedialVertex> vertices, const std::vector<double>& depths,
                                          const Polyhedron& hull, double error) {
  std::vector<std::vector<std::uint8_t>> is_near(vertices.size());
  std::vector<std::ptrdiff_t> count;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const double limit = depths[v] + error;
    is_near[v].reserve(hull.faces.size());
    for (const HullFace& face : hull.faces) is_near[v].push_back(hull.height(face, vertices[v].position) <= limit);
    count.push_back(std::count(is_near[v].begin(), is_near[v].end(), 1));
  }
  std::vector<std::size_t> order(vertices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return count[a] > count[b]; });
  std::vector<std::size_t> chosen;
  std::vector<std::vector<std::size_t>> chosen_near(hull.faces.size());
  for (const std::size_t v : order) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = v;
    const auto& faces = vertices[v].nearest;
    for (const std::size_t w : chosen_near[faces[0]]) {
      const double distance = norm(vertices[w].position - vertices[v].position);
      if (!(distance < least)) continue;
      if (!std::all_of(faces.begin(), faces.end(), [&](std::int32_t f) { return is_near[w][f] != 0; })) continue;
      least = distance;
      nearest = w;
    }
    if (nearest == v) {
      chosen.push_back(v);
      for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        if (is_near[v][f] != 0) chosen_near[f].push_back(v);
      }
    } else {
      add_nearest(vertices[nearest], vertices[v].nearest);
    }
  }
  std::vector<MedialVertex> kept;
  for (const std::size_t v : chosen) kept.push_back(std::move(vertices[v]));
  return kept;
}

/// The polyhedron with each face moved by up to half of `distance`, so that no five are equally far from a point.
Polyhedron shaken(Polyhedron hull, double distance) {
  std::uint64_t random = 1;
  for (HullFace& face : hull.faces) {
    random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth's generator
    face.offset += distance * (static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
  }
  return hull;
}

/// The mesh of one hull, while it is made.
class MedialMesh {
 public:
  /// `corners` are the vertices on the surface.
  MedialMesh(const Polyhedron& hull, std::vector<MedialVertex> inner, const std::vector<MedialVertex>& corners,
             double flat)
      : hull_(hull), flat_(flat), first_corner_(static_cast<std::int32_t>(inner.size())), vertices_(std::move(inner)) {
    vertices_.insert(vertices_.end(), corners.begin(), corners.end());
    for (const MedialVertex& vertex : vertices_) mesh_.points.push_back(vertex.position);
  }

  /// None if a tet is inverted or flat, or the tets do not fill the hull.
  std::optional<TetMesh> make() {
    fill();
    if (!is_good()) return {};
    return std::move(mesh_);
  }

  /// The same without flat tets where they can be removed.
  std::optional<TetMesh> make_without_flat_tets(double error) {
    fill();
    const bool was_good = is_good();
    if (was_good && flattest_tet(mesh_) >= kGood) return std::move(mesh_);
    TetMesh before = mesh_;
    remove_flat_tets(mesh_, on_surface_, hull_, kSliver, error);
    remove_unused_points();
    if (is_good()) return std::move(mesh_);
    if (was_good) return before;
    return {};
  }

 private:
  const Point3& at(std::int32_t v) const { return mesh_.points[v]; }
  void fill() {
    const std::vector<Polygons> regions = region_polygons();
    for (const Polygons& polygons : regions) {
      if (polygons.empty()) continue;
      add_region(polygons);
    }
    volume_ = hull_volume(regions);
    on_surface_.assign(mesh_.points.size(), 0);
    std::fill(on_surface_.begin() + first_corner_, on_surface_.begin() + static_cast<std::ptrdiff_t>(vertices_.size()),
              1);
  }

  /// The smallest area of the triangles of the polygon's fan from its first vertex, relative to their edges there.
  double flattest_triangle(const std::vector<std::int32_t>& polygon) const {
    const auto edge = [&](std::size_t i) { return at(polygon[i]) - at(polygon[0]); };
    double least = 1;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      least = std::min(least, norm(cross(edge(i - 1), edge(i))) / (norm(edge(i - 1)) * norm(edge(i))));
    }
    return least;
  }

  /// The polygon so that it begins with the apex of its fan: the vertex with the lowest index, or the best one if that
  /// makes a flat triangle.
  std::vector<std::int32_t> turned_to_fan(std::vector<std::int32_t> polygon) const {
    std::rotate(polygon.begin(), std::min_element(polygon.begin(), polygon.end()), polygon.end());
    double best = flattest_triangle(polygon);
    if (best >= flat_) return polygon;
    std::vector<std::int32_t> turned = polygon;
    for (std::size_t i = 1; i < polygon.size(); ++i) {
      std::rotate(turned.begin(), turned.begin() + 1, turned.end());
      const double quality = flattest_triangle(turned);
      if (quality <= best) continue;
      best = quality;
      polygon = turned;
    }
    return polygon;
  }

  /// For every face, the polygons that bound its region: the face itself, and one for each face that it meets.
  std::vector<Polygons> region_polygons() const {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> shared;
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      const auto& nearest = vertices_[v].nearest;
      for (std::size_t i = 0; i < nearest.size(); ++i) {
        for (std::size_t j = i + 1; j < nearest.size(); ++j) {
          shared[{nearest[i], nearest[j]}].push_back(static_cast<std::int32_t>(v));
        }
      }
    }
    std::vector<Polygons> regions(hull_.faces.size());
    std::vector<std::vector<std::int32_t>> corners(hull_.faces.size());
    for (auto v = first_corner_; v < static_cast<std::int32_t>(vertices_.size()); ++v) {
      for (const std::int32_t f : vertices_[v].nearest) corners[f].push_back(v);
    }
    for (std::size_t f = 0; f < hull_.faces.size(); ++f) {
      if (corners[f].size() < 3) continue;  // a plane that others keep from the surface
      regions[f].push_back(turned_to_fan(sorted_around(corners[f], mesh_.points, hull_.faces[f].normal)));
    }
    for (const auto& [faces, vertices] : shared) {
      if (vertices.size() < 3 || regions[faces.first].empty() || regions[faces.second].empty()) continue;
      const auto a = static_cast<std::size_t>(faces.first);
      const auto b = static_cast<std::size_t>(faces.second);
      const Point3 normal = hull_.faces[a].normal - hull_.faces[b].normal;
      const std::vector<std::int32_t> polygon = turned_to_fan(sorted_around(vertices, mesh_.points, normal));
      regions[a].push_back(polygon);
      regions[b].push_back(polygon);
    }
    return regions;
  }

  /// Cones the region's polygons from its vertex with the lowest index; inner vertices come first. If a fan has another
  /// apex or a tet would be flat, cones them from a new point in the middle instead; the triangles, which the
  /// neighbours share, stay.
  void add_region(const Polygons& polygons) {
    std::int32_t apex = polygons[0][0];
    bool fans_start_lowest = true;
    for (const auto& polygon : polygons) {
      const std::int32_t lowest = *std::min_element(polygon.begin(), polygon.end());
      fans_start_lowest = fans_start_lowest && polygon[0] == lowest;
      apex = std::min(apex, lowest);
    }
    const std::size_t first = mesh_.tets.size();
    if (fans_start_lowest) {
      append_cone(mesh_, apex, polygons);
      if (flattest_tet(mesh_, first) >= flat_) return;
      mesh_.tets.resize(first);
    }

    Point3 middle{};
    double corners = 0;
    for (const auto& polygon : polygons) {
      for (const std::int32_t v : polygon) middle = middle + at(v);
      corners += static_cast<double>(polygon.size());
    }
    mesh_.points.push_back((1 / corners) * middle);
    append_cone(mesh_, static_cast<std::int32_t>(mesh_.points.size()) - 1, polygons);
  }

  double hull_volume(const std::vector<Polygons>& regions) const {
    double six_v = 0;
    for (const Polygons& polygons : regions) {
      if (polygons.empty()) continue;
      const auto& face = polygons[0];
      for (std::size_t i = 2; i < face.size(); ++i) {
        six_v += std::fabs(six_volumes(hull_.inside, at(face[0]), at(face[i - 1]), at(face[i])));
      }
    }
    return six_v / 6;
  }

  void remove_unused_points() {
    std::vector<std::int32_t> index(mesh_.points.size(), -1);
    for (const Tet& tet : mesh_.tets) {
      for (const std::int32_t v : tet) index[v] = 0;
    }
    std::size_t count = 0;
    for (std::size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = static_cast<std::int32_t>(count);
      mesh_.points[count] = mesh_.points[v];
      on_surface_[count++] = on_surface_[v];
    }
    mesh_.points.resize(count);
    on_surface_.resize(count);
    for (Tet& tet : mesh_.tets) {
      for (std::int32_t& v : tet) v = index[v];
    }
  }

  /// Whether the tets fill the hull, each with a volume and a vertex inside, and end nowhere but on its faces.
  bool is_good() const {
    if (!(flattest_tet(mesh_) >= kZero) || !(std::fabs(volume_of(mesh_) - volume_) <= kSameVolume * volume_))
      return false;
    const auto is_outer = [&](std::int32_t v) { return on_surface_[v] != 0; };
    for (const Tet& tet : mesh_.tets) {
      if (std::all_of(tet.begin(), tet.end(), is_outer)) return false;
    }
    const std::vector<FaceUse> faces = sorted_faces(mesh_.tets);
    for (std::size_t i = 0; i < faces.size();) {
      std::size_t end = i + 1;
      while (end < faces.size() && faces[end].sorted == faces[i].sorted) ++end;
      if (end - i > 2 || (end - i == 2 && faces[i].even == faces[i + 1].even)) return false;
      const Triangle& triangle = faces[i].sorted;
      if (end - i == 1 && !std::all_of(triangle.begin(), triangle.end(), is_outer)) return false;
      i = end;
    }
    return true;
  }

  const Polyhedron& hull_;
  const double flat_;
  const std::int32_t first_corner_;
  std::vector<MedialVertex> vertices_;
  std::vector<std::uint8_t> on_surface_;  // of the mesh's points
  double volume_ = 0;
  TetMesh mesh_;
};

}  // namespace

double flattest_tet(const TetMesh& mesh, std::size_t first) {
  double least = 1;
  for (std::size_t t = first; t < mesh.tets.size(); ++t) {
    const Tet& tet = mesh.tets[t];
    least = std::min(least, six_volumes(mesh, tet) / edge_product(mesh, tet));
  }
  return least;
}

std::optional<TetMesh> exact_medial_mesh(const Polyhedron& hull) {
  const DualVertices vertices = dual_vertices(hull);
  return MedialMesh(hull, joined(vertices.inner, kSameVertex), corners_of(hull), kFlatPiece).make();
}

std::optional<TetMesh> medial_mesh(const Polyhedron& exact) {
  const double middle = exact.depth(exact.inside), error = std::min(kMaxError, kMaxErrorOfDepth * middle);
  std::optional<TetMesh> best;
  double best_quality = 0;
  for (const double shake : kShakes) {
    const Polyhedron hull = shaken(exact, shake * middle);
    const std::vector<MedialVertex> corners = corners_of(hull);
    std::vector<MedialVertex> inner = dual_vertices(hull).inner;
    take_out_corners(inner, hull, corners);
    std::vector<double> depths;
    for (const MedialVertex& vertex : inner) depths.push_back(hull.depth(vertex.position));
    for (const double part : kJoined) {
      const double distance = part * error;
      auto mesh = MedialMesh(hull, representatives(inner, depths, hull, distance), corners, kThinPiece)
                      .make_without_flat_tets(error);
      if (!mesh) continue;
      const double quality = flattest_tet(*mesh);
      if (quality <= best_quality) continue;
      best_quality = quality;
      best = std::move(mesh);
      if (quality >= kGood) return best;
    }
  }
  return best;
}

}  // namespace isopatch::detail
