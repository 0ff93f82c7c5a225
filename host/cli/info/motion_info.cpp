// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` prints of masses and motions.
#include <fmt/format.h>

#include <algorithm>

#include "host/cli/info/info_table.h"
#include "host/scene/motion_rules.h"
#include "host/scene_file/enumerator_names.h"
#include "host/text/quote.h"

namespace isopatch::cli {

using namespace detail;

namespace {

bool says_how_it_moves(const Body& body) {
  return body.mass || body.density || body.center_of_mass || body.inertia || body.motion.type != MotionType::kFree;
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

/// The values of a joint's drive that are not 0.
std::string drive_of(const Drive& drive) {
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
  if (drive.limit) add("limit " + number(*drive.limit));
  return text.empty() ? "none" : text;
}

std::string parent_of(const SceneDescription& scene, const Motion& motion) {
  return motion.parent ? escaped(scene.bodies[*motion.parent].name) : "the world";
}

}  // namespace

bool has_half_space(const SceneDescription& scene, const Body& body) {
  const std::vector<PartKind> kinds = kinds_of(body, scene);
  return std::any_of(kinds.begin(), kinds.end(), [](const PartKind& kind) { return kind.half_space; });
}

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
                  drive_of(motion.drive)};
    }
    rows.back().insert(rows.back().end(), of_joint.begin(), of_joint.end());
  }
  fmt::print("\n");
  print_table(rows, 5);
  print_masses(scene);
}

}  // namespace isopatch::cli
