// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_memory.h"

#include "host/scene_file/enumerator_names.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

const std::vector<std::string> kMemoryKeysOfContact = {"friction_model", "bristle", "bristle_flow",   "normal",
                                                       "small_speed",    "latch",   "relaxation_time"};
const std::vector<std::string> kMemoryKeysOfPair = {"friction_model", "bristle",      "bristle_flow",  "stiffness",
                                                    "exponent",       "restitution",  "exact_spheres", "inside",
                                                    "spin_radius",    "contact_state"};

namespace {

/// Only the keys that are given change.
void read_bristle(const JsonValue& value, BristleFriction& bristle) {
  value.allow({"stiffness", "damping", "viscous", "stribeck_velocity", "dwell_time", "static_ratio"});
  if (const auto field = value.optional("stiffness")) bristle.stiffness = field->positive();
  if (const auto field = value.optional("damping")) bristle.damping = field->positive();
  if (const auto field = value.optional("viscous")) bristle.viscous = field->not_negative();
  read_number(value, "stribeck_velocity", kSlipToleranceRange, bristle.stribeck_velocity);
  if (const auto field = value.optional("dwell_time")) bristle.dwell_time = field->not_negative();
  if (const auto field = value.optional("static_ratio")) {
    bristle.static_ratio = field->number();
    if (bristle.static_ratio < 1) field->fail("must be at least 1, found {}", bristle.static_ratio);
  }
}

}  // namespace

void read_memory_keys(const JsonValue& value, ContactOptions& contact) {
  read_name(value, "friction_model", kFrictionModelNames, contact.friction_model);
  if (const auto field = value.optional("bristle")) read_bristle(*field, contact.bristle);
  read_name(value, "bristle_flow", kBristleFlowNames, contact.bristle_flow);
  read_name(value, "normal", kOverlapNormalNames, contact.normal);
  read_number(value, "small_speed", kSlipToleranceRange, contact.small_speed);
  read_name(value, "latch", kImpactLatchNames, contact.latch);
  if (const auto field = value.optional("relaxation_time")) contact.relaxation_time = field->not_negative();
}

void read_memory_keys(const JsonValue& value, const ContactOptions& contact, Pair& pair) {
  if (value.optional("friction_model")) {
    read_name(value, "friction_model", kFrictionModelNames, pair.friction_model.emplace());
  }
  if (const auto field = value.optional("bristle")) read_bristle(*field, pair.bristle.emplace(contact.bristle));
  if (value.optional("bristle_flow")) read_name(value, "bristle_flow", kBristleFlowNames, pair.bristle_flow.emplace());
  if (const auto field = value.optional("stiffness")) pair.stiffness = field->positive();
  read_number(value, "exponent", kExponentRange, pair.exponent);
  if (const auto field = value.optional("restitution")) {
    pair.restitution = field->number();
    with_location(*field, [&] { check_restitution(*pair.restitution); });
  }
  if (const auto field = value.optional("exact_spheres")) pair.exact_spheres = field->boolean();
  if (const auto field = value.optional("inside")) pair.inside = field->boolean();
  if (const auto field = value.optional("spin_radius")) pair.spin_radius = field->not_negative();
  const auto states = value.optional("contact_state");
  if (!states) return;
  const std::vector<JsonValue> rows = states->elements();
  if (!rows.empty() && rows[0].is_array()) {
    for (const JsonValue& row : rows) pair.contact_state.push_back(row.numbers<8>());
  } else {
    pair.contact_state.push_back(states->numbers<8>());
  }
}

}  // namespace isopatch::detail
