// SPDX-License-Identifier: Apache-2.0
//
// One environment's inputs, read from the caller's arrays and checked.
#pragma once

#include <cstdint>
#include <vector>

#include "host/reference/scene/vector.h"
#include "host/scene/contact_models.h"
#include "isopatch/scene/scene.h"
#include "isopatch/single_contact.h"
#include "isopatch/state.h"

namespace isopatch::reference {

struct BodyState {
  Transform X_WB;
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();
  std::vector<std::size_t> parts;  // indices into Environment::parts
};

struct PartState {
  Transform X_BG;
  bool rigid = false;
  double modulus = 0;
  double dissipation = 0;
  double friction = 0;
  double foundation_depth = 0;  // m; 0: the geometry's
  const Geometry* geometry = nullptr;
};

/// Two parts of the bodies of a pair, by their indices into Environment::parts.
struct PartIndices {
  std::size_t a, b;
};

struct Environment {
  std::vector<BodyState> bodies;
  std::vector<PartState> parts;
  std::vector<bool> enabled;  // by pair
  std::vector<ContactStateRow>
      memories;              // before the step, by the rows of part pairs; empty if no contact has a memory
  std::uint32_t status = 0;  // if it has a fault, the rest must not be used
};

Environment read_environment(const SceneDescription& scene, const State& state, std::int64_t index);

// in model_rules.cpp, which knows the models:

/// Whether two geometries that an environment gives to a part pair can touch.
bool can_touch(const Geometry& a, const Geometry& b, const Pair& pair, ContactModel model);

/// Whether RolloutReference steps the model.
bool is_stepped(ContactModel model);

/// Whether contacts of a pair in a model have a memory, of the numbers of ContactStateRow.
bool has_state(const SceneDescription& scene, std::size_t pair, ContactModel model);

/// The part pairs of a pair that are of this contact model, by the scene's geometries.
std::vector<PartIndices> part_pairs(const SceneDescription& scene, const Environment& environment, std::size_t pair,
                                    ContactModel model);

/// Calls visit(pair, model, part indices) for the rows of part pairs, in their order.
template <class Visit>
void for_each_row(const SceneDescription& scene, const Environment& environment, const Visit& visit) {
  for (std::size_t pair = 0; pair < scene.pairs->size(); ++pair) {
    for (std::size_t model = 0; model < detail::contact_models().size(); ++model) {
      const auto name = static_cast<ContactModel>(model);
      for (const PartIndices& parts : part_pairs(scene, environment, pair, name)) visit(pair, name, parts);
    }
  }
}

}  // namespace isopatch::reference
