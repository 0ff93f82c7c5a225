// SPDX-License-Identifier: Apache-2.0
//
// What the arrays of calls are, in words. A and B are the first and the second body of a pair. After an edit
// scripts/array_tables.py --update writes what is made of it.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/python/bindings/array_lists.h"
#include "host/python/bindings/array_table.h"

namespace isopatch::python {
namespace {

constexpr const char* kScenes = "the scene's";

constexpr ArrayDescription kDescriptions[] = {
    {"inputs", "poses", "Position x y z and orientation, body to world; quaternions are normalised"},
    {"inputs", "velocities", "Linear of the body's origin and angular, world frame", "at rest"},
    {"inputs", "modulus", "Elastic modulus of each part, above 0", kScenes},
    {"inputs", "dissipation", "Dissipation of each part, at least 0; overrides a pair's own too", kScenes},
    {"inputs", "friction", "Coefficient of friction of each part, at least 0; overrides a pair's own too", kScenes},
    {"inputs", "geometry_index",
     "Index into the scene's geometries; a part with an offset can have only its own or one of its `alternatives`",
     kScenes},
    {"inputs", "pair_mask", "0 or False leaves the pair out: its results are zero", "all pairs"},
    {"inputs", "contact_state", "What an earlier evaluation returned as its `contact_state`", kScenes},

    {"outputs", "pair_wrench", "Force on A and torque on it about its origin, world frame"},
    {"outputs", "part_pair_wrench", "What each of the scene's part pairs adds to `pair_wrench`, about the same point"},
    {"outputs", "body_wrench", "Sum over the body's pairs, about its own origin"},
    {"outputs", "status", "0 if all is well"},
    {"outputs", "area", "Of the contact patch"},
    {"outputs", "center_of_pressure", "∫ x p dS / ∫ p dS, world frame; 0 without contact"},
    {"outputs", "mean_normal", "Mean of the normal over the area, from B into A; 0 without contact"},
    {"outputs", "max_pressure", "The largest pressure at a corner of a polygon"},
    {"outputs", "friction_force", "The tangential part of the force on A"},
    {"outputs", "polygon_count", "Polygons whose area is not 0"},
    {"outputs", "energy", "Elastic energy"},
    {"outputs", "polygons", "Corners, pressures, normal and area, pair and both parts; in no particular order"},
    {"outputs", "polygons_needed",
     "The capacity that all polygons need; required with `polygons`, and can be requested alone"},
    {"outputs", "contacts",
     "The same polygons as springs and dampers at their centroids: point, normal, area, pressure, stiffness, distance, "
     "dissipation, friction, pair and both parts"},
    {"outputs", "contacts_needed",
     "The capacity that all contacts need; required with `contacts`, and can be requested alone"},
    {"outputs", "packed_polygons", "The polygons of all environments, one environment after another"},
    {"outputs", "polygon_offsets",
     "At which row each environment begins, and at the end how many rows there are; required with `packed_polygons`, "
     "and can be requested alone"},
    {"outputs", "polygon_environments", "The environment of each row of `packed_polygons`; optional"},
    {"outputs", "packed_contacts", "The contacts of all environments, one environment after another"},
    {"outputs", "contact_offsets",
     "At which row each environment begins, and at the end how many rows there are; required with `packed_contacts`, "
     "and can be requested alone"},
    {"outputs", "contact_environments", "The environment of each row of `packed_contacts`; optional"},
    {"outputs", "patch_point",
     "World frame; a patch has four points in each of at most K = `max_clusters` clusters of its normals"},
    {"outputs", "patch_normal", "The normal of all four points, from B into A"},
    {"outputs", "patch_stiffness", "Of each point"},
    {"outputs", "patch_distance", "The normal force of a point is stiffness · −distance"},
    {"outputs", "patch_residual",
     "Force on A and torque about its origin, of the pressure without damping and friction, that the points do not "
     "carry"},
    {"outputs", "patch_count", "How many of the K clusters have points; the values of the others are 0"},
    {"outputs", "contact_state", "What the contact models carry to the next evaluation; S is 0 if they carry nothing"},
    {"outputs", "volume", "Of what both parts of a volumetric contact have in common; 0 of a point contact"},
    {"outputs", "second_moments",
     "The integral of (x - p)(x - p)^T over that volume, p its centroid, world frame: xx yy zz xy xz yz"},
    {"outputs", "damping_matrix",
     "Minus the derivative of force and torque at the contact's point by the relative twist there, row by row; 0 of "
     "pressure fields"},
    {"outputs", "separation",
     "How far the nearest two rigid convex parts are apart, at most their distance; negative: how deep they overlap; 0 "
     "of "
     "other pairs"},
    {"outputs", "overlap", "What the rigid convex parts of both bodies have in common; m^2 of polygons"},
    {"outputs", "potential_contacts",
     "What may touch of rigid convex parts, each once, by pair, parts, kind and features"},
    {"outputs", "relations", "Which of these contacts must keep a gap, at least one of each relation"},
    {"outputs", "relation_members", "The contacts of each relation, as indices into the environment's"},
    {"outputs", "relations_needed",
     "The capacities that would have been enough: of contacts, relations and members; required with any of these, and "
     "may be asked for alone"},
    {"outputs", "pair_stiffness",
     "Minus the derivative of the wrench at rest on A, about its origin, by the pose of A, row by row"},
    {"outputs", "pair_stiffness_b", "The same of this wrench by the pose of B"},
    {"outputs", "pair_damping",
     "Minus the derivative of the wrench on A, about its origin, by the velocity of A, row by row"},
    {"outputs", "pair_damping_b", "The same of this wrench by the velocity of B"},
    {"outputs", "pair_damping_secant",
     "The damping with the direction and the limit of friction held: symmetric, without negative eigenvalues"},

    {"state", "poses", "Body to world"},
    {"state", "velocities", "Linear of the body's origin and angular, world frame"},
    {"state", "joints", "Position and rate of each joint, in the order of the bodies"},
    {"state", "joint_rates",
     "The rate that the last step left: what was written to `joints` since then, and to velocities of prescribed "
     "bodies, is felt as a change of momentum; NaN: bodies on joints begin with the velocities that follow"},
    {"state", "step_count", "Steps since time 0: the time is step_count * time_step"},
    {"state", "status", "An environment with FROZEN keeps its state until it is reset"},
    {"state", "contact_state", "What the contact models carry from step to step; S is 0 if they carry nothing"},

    {"step_inputs", "body_wrench", "External force, and torque about the centre of mass, world frame", "0"},
    {"step_inputs", "joint_force", "Of the drives", kScenes},
    {"step_inputs", "joint_target", "Position and rate of the drives", kScenes},
    {"step_inputs", "gravity", "World frame", kScenes},
    {"step_inputs", "mass_scale", "By which mass and inertia are multiplied", "1"},

    {"step_outputs", "pair_wrench",
     "Impulse on A over the length of the step, and its torque about A's origin, world frame"},
    {"step_outputs", "body_wrench", "The same of all pairs of a body, about its origin"},
    {"step_outputs", "kinetic_energy", "After the step, of the bodies with degrees of freedom"},
    {"step_outputs", "potential_energy", "Of gravity; 0 at the world's origin"},
    {"step_outputs", "pair_wrench_mean", "Mean of `pair_wrench` over all steps of the call"},
    {"step_outputs", "joint_limit_force",
     "Of the stops of joints over the step, along the joint: positive at a lower one"},
    {"step_outputs", "joints_at_limit", "At which stops joints are: -1 at the lower one, 1 at the upper one, else 0"},
    {"step_outputs", "joint_drive_force", "Of the drives of joints over the step, along the joint"},
    {"step_outputs", "joint_wrench",
     "Of a joint's parent on its child over the step, and the moment about the joint's anchor, world frame"},
    {"step_outputs", "loop_gap", "By how much the bodies of a loop are apart after the step, a from b, world frame"},
    {"step_outputs", "elastic_energy", "After the step; this and the outputs of patches take one more evaluation"},
    {"step_outputs", "area", "Of the contact patch, after the step"},
    {"step_outputs", "center_of_pressure", "∫ x p dS / ∫ p dS after the step, world frame; 0 without contact"},
    {"step_outputs", "mean_normal",
     "Mean of the normal over the area, from B into A, after the step; 0 without contact"},
    {"step_outputs", "max_pressure", "The largest pressure at a corner of a polygon, after the step"},
    {"step_outputs", "polygon_count", "Contact polygons of the pair, after the step"},
    {"step_outputs", "separation",
     "How far the nearest two rigid parts are apart after the step, or how deep the deepest overlap"},
    {"step_outputs", "overlap", "The volume that rigid parts have in common after the step, of polygons m^2"},
    {"step_outputs", "momentum", "Linear; angular about the world's origin"},
    {"step_outputs", "solver_iterations", "Of Newton's method, in all solves"},
    {"step_outputs", "num_polygons", "Of all pairs, as many as the step used"},
    {"step_outputs", "polygons_needed", "The capacity that would have been enough"},
    {"step_outputs", "num_potential_contacts", "Of rigid convex parts, as many as the step used"},
    {"step_outputs", "num_relations", "Of these contacts, likewise"},
    {"step_outputs", "num_traps", "Relations that hold after the step although one of their contacts does not"},
};

constexpr bool is_listed(const ArrayDescription& description) {
  const auto is_in = [&](std::string_view list, const auto& arrays) {
    return description.list == list && std::any_of(arrays.begin(), arrays.end(), [&](const ArrayInfo& info) {
             return std::string_view(info.name) == description.name;
           });
  };
  return is_in("inputs", kInputs) || is_in("outputs", kOutputs) || is_in("state", kState) ||
         is_in("step_inputs", kStepInputs) || is_in("step_outputs", kStepOutputs);
}
static_assert(std::all_of(std::begin(kDescriptions), std::end(kDescriptions), is_listed),
              "a description is of an array that is not in its list");

}  // namespace

const ArrayDescription* description_of(const char* list, const char* name) {
  for (const ArrayDescription& known : kDescriptions) {
    if (std::string_view(known.list) == list && std::string_view(known.name) == name) return &known;
  }
  return std::string_view(list) == "step_inputs" ? description_of("inputs", name) : nullptr;
}

}  // namespace isopatch::python
