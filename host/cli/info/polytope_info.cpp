// SPDX-License-Identifier: Apache-2.0
#include "host/cli/info/polytope_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "host/cli/info/contact_info.h"
#include "host/cli/info_table.h"
#include "host/scene/enumerator_names.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/detail/polytope/reach.h"

namespace isopatch::cli {

using namespace detail;

namespace {

const PolytopeView& shape_of_part(const SceneView& scene, const PartView& part) {
  return *scene.geometries[part.geometry].shape;
}

/// Of the parts in pairs of polytopes. What bounds a polygon are its faces.
Rows rows_of_parts(const Scene& built) {
  const SceneData& data = built.data();
  std::set<std::int32_t> parts;
  for (const PairView& view : data.pairs) {
    if (view.model != kPolytopeModel) continue;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      parts.insert({data.part_pairs[i].a, data.part_pairs[i].b});
    }
  }
  const std::vector<std::string> names = names_of_parts(built.description());
  Rows rows = {{"polytope", "vertices", "faces", "edges", "radius m"}};
  for (const std::int32_t index : parts) {
    const PolytopeView& shape = shape_of_part(data.view, data.parts[index]);
    const double radius = data.part_radii[index];
    rows.push_back({names[index], fmt::to_string(shape.num_vertices), fmt::to_string(shape.num_faces),
                    fmt::to_string(shape.num_edges), std::isfinite(radius) ? number(radius) : "-"});
  }
  return rows;
}

/// The values of a pair's part pairs.
struct Range {
  double low = INFINITY, high = 0;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string text() const { return low == high ? number(low) : number(low) + " to " + number(high); }
};

Rows rows_of_pairs(const Scene& built) {
  const SceneDescription& scene = built.description();
  const SceneData& data = built.data();
  Rows rows = {{"pair of polytopes", "", "margin m", "tolerance m", "relations"}};
  for (const PairView& view : data.pairs) {
    if (view.model != kPolytopeModel) continue;
    Range margin, tolerance;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      const PartPairView& parts = data.part_pairs[i];
      const RelationOptions options =  // of bodies at rest, whose reach is the margin
          relation_options(data.view.polytopes, 0, {0, 0}, data.part_radii[parts.a], {0, 0}, data.part_radii[parts.b]);
      margin.add(options.reach);
      tolerance.add(options.tolerance);
    }
    rows.push_back({escaped(scene.bodies[view.a].name), escaped(scene.bodies[view.b].name), margin.text(),
                    tolerance.text(), name_in(kContactRelationsNames, scene.contact.polytope.relations)});
  }
  return rows;
}

}  // namespace

void print_polytopes(const Scene& built) {
  if (!measures_distances(built)) return;
  print_first(rows_of_parts(built), kMaxContactRows, 1);
  print_first(rows_of_pairs(built), kMaxContactRows);
}

}  // namespace isopatch::cli
