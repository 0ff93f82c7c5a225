// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` prints of a scene: tables of geometries, bodies, masses, motions and pairs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/cli/commands.h"
#include "host/cli/info/contact_info.h"
#include "host/cli/info/polytope_info.h"
#include "host/cli/info_table.h"
#include "host/rollout/rollout_data.h"
#include "host/scene/enumerator_names.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_data.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::size_t kMaxLeftOut = 20;  // part pairs that are listed

bool has_parts(const Body& body) { return !body.parts.empty() || !is_identity(body.offset); }

bool has_parts(const SceneDescription& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return has_parts(body); });
}

bool has_half_space(const SceneDescription& scene, const Body& body) {
  const std::vector<PartKind> kinds = kinds_of(body, scene);
  return std::any_of(kinds.begin(), kinds.end(), [](const PartKind& kind) { return kind.half_space; });
}

void print_geometries(const Scene& built) {
  const SceneDescription& scene = built.description();
  Rows rows = {{"geometry", "kind", "tets", "points", "triangles", "volume m^3", "nodes", "depth"}};
  for (std::size_t i = 0; i < scene.geometries.size(); ++i) {
    const Geometry& geometry = scene.geometries[i];
    if (geometry.kind == GeometryKind::kHalfSpace) {
      const std::string kind =
          geometry.strain.empty() ? "half space" : fmt::format("half space of {} layers", geometry.strain.size() - 1);
      rows.push_back({escaped(geometry.name), kind, "-", "-", "-", "-", "-", "-"});
      continue;
    }
    if (geometry.polygon) {
      rows.push_back({escaped(geometry.name), "polygon", "-", fmt::to_string(geometry.mesh.points.size()), "-",
                      number(mass_properties(geometry).volume) + " m^2", "-", "-"});
      continue;
    }
    const Hierarchy& hierarchy =
        geometry.is_surface_mesh() ? built.data().geometries.surfaces[i] : built.data().geometries.solids[i];
    rows.push_back({escaped(geometry.name), geometry.is_surface_mesh() ? "surface" : "mesh",
                    fmt::to_string(geometry.mesh.tets.size()), fmt::to_string(geometry.mesh.points.size()),
                    fmt::to_string(geometry.surface.size()), number(geometry.report.volume),
                    fmt::to_string(hierarchy.nodes.size()), fmt::to_string(hierarchy.depth)});
  }
  print_table(rows);
}

/// Of the geometries, and of bodies that list parts, at 1 kg/m^3.
void print_mass_properties(const SceneDescription& scene) {
  Rows rows = {{"geometry", "center of mass m", "inertia kg m^2: xx", "yy", "zz", "xy", "xz", "yz"}};
  const auto add = [&](const std::string& name, const MassProperties& properties) {
    const auto [x, y, z, xx, yy, zz, xy, xz, yz] = mass_numbers(properties);
    rows.push_back({name, fmt::format("{} {} {}", x, y, z), xx, yy, zz, xy, xz, yz});
  };
  for (const Geometry& geometry : scene.geometries) {
    if (geometry.kind == GeometryKind::kMesh) add(escaped(geometry.name), mass_properties(geometry));
  }
  for (const Body& body : scene.bodies) {
    if (body.parts.empty() || has_half_space(scene, body)) continue;
    add("body " + escaped(body.name), mass_properties(scene, body));
  }
  if (rows.size() > 1) {
    fmt::print("\n");
    print_table(rows);
  }
}

std::string position_of(const std::array<double, 7>& pose) {
  return fmt::format("{:g} {:g} {:g}", pose[0], pose[1], pose[2]);
}

/// The angle of a pose's rotation.
std::string degrees_of(const std::array<double, 7>& pose) {
  constexpr double kDegrees = 180 / 3.141592653589793;
  return fmt::format("{:.4g}", 2 * kDegrees * std::atan2(std::hypot(pose[4], pose[5], pose[6]), std::fabs(pose[3])));
}

/// A row for each body; if one lists parts or has an offset, for each part.
void print_bodies(const SceneDescription& scene) {
  const bool with_parts = has_parts(scene);
  const bool with_sides =
      std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return body.one_sided; });
  Rows rows = {{"body", "geometry", "modulus Pa", "dissipation", "friction", "fixed"}};
  const auto add_columns = [&](std::vector<std::string>& row, const std::string& part, const std::string& position,
                               const std::string& degrees) {
    if (!with_parts) return;
    row.insert(row.begin() + 2, {position, degrees});
    row.insert(row.begin() + 1, part);
  };
  if (with_sides) rows[0].push_back("one-sided");
  add_columns(rows[0], "part", "position m", "turned deg");
  for (const Body& body : scene.bodies) {
    for (const Part& part : parts_of(body)) {
      rows.push_back({escaped(body.name), escaped(scene.geometries[part.geometry].name),
                      *part.rigid ? "rigid" : number(*part.modulus), number(*part.dissipation), number(*part.friction),
                      body.fixed ? "yes" : "no"});
      if (with_sides) rows.back().push_back(body.one_sided ? "yes" : "no");
      add_columns(rows.back(), body.parts.empty() ? "-" : escaped(part.name), position_of(part.pose),
                  degrees_of(part.pose));
    }
  }
  print_table(rows, with_parts ? 3 : 2);
}

bool says_how_it_moves(const Body& body) {
  return body.mass || body.density || body.center_of_mass || body.inertia || body.motion.type != MotionType::kFree;
}

/// Up to this speed, bodies that may meet do not pass through each other unseen in a step: beyond, kFastBody.
std::string safe_speed(const Scene& built, const Pair& pair) {
  const RolloutOptions& options = built.description().rollout;
  double thickness = HUGE_VAL;
  for (const int body : {pair.a, pair.b}) {
    const BodyView& view = built.data().bodies[static_cast<std::size_t>(body)];
    for (std::int32_t i = view.parts_begin; i < view.parts_end; ++i) {
      const auto& part = built.data().parts[static_cast<std::size_t>(i)];
      const GeometryView& geometry = built.data().geometries.views[part.geometry];
      if (geometry.field == nullptr && !geometry.half_space) return "-";
      thickness = std::min(thickness, part.rigid ? surface_thickness_of(geometry) : thickness_of(geometry));
    }
  }
  if (thickness == HUGE_VAL) return "-";
  return number((options.integrator == Integrator::kEuler ? 1 : options.max_substeps) * thickness / options.time_step);
}

void print_pairs(const Scene& built) {
  const SceneDescription& scene = built.description();
  const bool with_parts = has_parts(scene);
  const std::vector<PartPair> part_pairs = built.part_pairs();
  Rows rows = {{"pair", "", "dissipation", "friction"}};
  const bool with_speed = std::any_of(scene.bodies.begin(), scene.bodies.end(), says_how_it_moves);
  if (with_speed) rows[0].push_back("safe speed m/s");
  if (with_parts) rows[0].push_back("part pairs");
  const auto value = [](const std::optional<double>& own) { return own ? number(*own) : "of the bodies"; };
  for (std::size_t i = 0; i < scene.pairs->size(); ++i) {
    const Pair& pair = (*scene.pairs)[i];
    rows.push_back({escaped(scene.bodies[pair.a].name), escaped(scene.bodies[pair.b].name), value(pair.dissipation),
                    value(pair.friction)});
    if (with_speed) rows.back().push_back(safe_speed(built, pair));
    const auto is_of_pair = [&](const PartPair& parts) { return parts.pair == static_cast<int>(i); };
    if (with_parts) {
      rows.back().push_back(fmt::to_string(std::count_if(part_pairs.begin(), part_pairs.end(), is_of_pair)));
    }
  }
  print_table(rows);
}

/// The part pairs of all pairs that cannot touch.
Rows left_out(const SceneDescription& scene) {
  Rows rows;
  for (const Pair& pair : *scene.pairs) {
    const Body &a = scene.bodies[pair.a], &b = scene.bodies[pair.b];
    const std::vector<Part> parts_a = parts_of(a), parts_b = parts_of(b);
    const std::vector<PartKind> kinds_a = kinds_of(a, scene), kinds_b = kinds_of(b, scene);
    const auto name = [](const Body& body, const Part& part) {
      return escaped(body.parts.empty() ? body.name : body.name + ": " + part.name);
    };
    for (std::size_t i = 0; i < kinds_a.size(); ++i) {
      for (std::size_t k = 0; k < kinds_b.size(); ++k) {
        const ContactModels& models = models_of(pair, scene);
        if (model_of(models, kinds_a[i], kinds_b[k], kind_of(pair))) continue;
        const Incompatibility incompatibility =
            info_of(models.back()).incompatibility(kinds_a[i], kinds_b[k], kind_of(pair));
        rows.push_back({name(a, parts_a[i]), name(b, parts_b[k]), std::string(incompatibility.reason)});
      }
    }
  }
  return rows;
}

void print_left_out(const SceneDescription& scene) {
  Rows rows = left_out(scene);
  if (rows.empty()) return;
  rows.insert(rows.begin(), {"part pair left out", "", "reason"});
  print_first(std::move(rows), kMaxLeftOut, 3);
}

/// Of the bodies that forces can move.
void print_masses(const SceneDescription& scene) {
  Rows rows = {{"body", "mass kg", "center of mass m", "inertia kg m^2: xx", "yy", "zz", "xy", "xz", "yz"}};
  for (const Body& body : scene.bodies) {
    if (degrees_of_freedom(body) == 0 || has_half_space(scene, body)) continue;
    const MassProperties mass = body_mass(scene, body);
    const auto [x, y, z, xx, yy, zz, xy, xz, yz] = mass_numbers(mass);
    rows.push_back({escaped(body.name), number(mass.mass), fmt::format("{} {} {}", x, y, z), xx, yy, zz, xy, xz, yz});
  }
  if (rows.size() == 1) return;
  fmt::print("\n");
  print_table(rows, 1);
}

std::string motion_of(const Body& body) {
  if (body.fixed) return "fixed";
  const std::vector<double>& times = body.motion.path.times;
  return times.empty() ? name_in(kMotionTypeNames, body.motion.type)
                       : fmt::format("path to {} s", number(times.back()));
}

/// The values of a joint's drive that are not 0, and what else acts on the joint.
std::string drive_of(const SceneDescription& scene, const Motion& motion) {
  const Drive& drive = motion.drive;
  std::string text;
  const auto add = [&](const std::string& value) { text += (text.empty() ? "" : ", ") + value; };
  const auto add_rows = [&](const char* name, const std::vector<TimedValue>& rows) {
    if (rows.empty()) return;
    add(rows.size() == 1 ? fmt::format("{} {}", name, number(rows[0].value))
                         : fmt::format("{} in {} rows", name, rows.size()));
  };
  add_rows("force", drive.force);
  if (drive.stiffness != 0) add("stiffness " + number(drive.stiffness));
  if (drive.damping != 0) add("damping " + number(drive.damping));
  add_rows("target", drive.target);
  if (drive.force_limit) add("force limit " + number(*drive.force_limit));
  if (motion.mimic) {
    add(fmt::format("mimics {} x {}", number(motion.mimic->ratio), escaped(scene.bodies[motion.mimic->body].name)));
  }
  if (motion.lower) add("lower " + number(*motion.lower));
  if (motion.upper) add("upper " + number(*motion.upper));
  if (motion.friction != 0) add("joint friction " + number(motion.friction));
  if (motion.damping != 0) add("joint damping " + number(motion.damping));
  if (motion.armature != 0) add("armature " + number(motion.armature));
  return text.empty() ? "none" : text;
}

std::string parent_of(const SceneDescription& scene, const Motion& motion) {
  return motion.parent ? escaped(scene.bodies[*motion.parent].name) : "the world";
}

/// How the bodies move and what mass they have, if the scene says anything about it.
void print_motions(const SceneDescription& scene) {
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(), says_how_it_moves)) return;
  Rows rows = {{"body", "motion", "parent", "axis", "drive"}};
  for (const Body& body : scene.bodies) {
    const Motion& motion = body.motion;
    const auto& [x, y, z] = motion.axis;
    rows.push_back({escaped(body.name), motion_of(body)});
    std::vector<std::string> of_joint = {"-", "-", "-"};
    if (is_joint(motion)) {
      of_joint = {parent_of(scene, motion), fmt::format("{} {} {}", number(x), number(y), number(z)),
                  drive_of(scene, motion)};
    }
    rows.back().insert(rows.back().end(), of_joint.begin(), of_joint.end());
  }
  fmt::print("\n");
  print_table(rows, 5);
  print_masses(scene);
}

}  // namespace

void scene_info(const std::string& file, const std::optional<std::string>& data) {
  const Scene scene(read_scene(file, data));
  fmt::print("{}\n", escaped(file));
  print_geometries(scene);
  print_mass_properties(scene.description());
  fmt::print("\n");
  print_bodies(scene.description());
  print_motions(scene.description());
  fmt::print("\n");
  print_pairs(scene);
  print_contacts(scene);
  print_polytopes(scene);
  print_left_out(scene.description());
  print_warnings(warnings_of(scene));
}

}  // namespace isopatch::cli
