// SPDX-License-Identifier: Apache-2.0
//
// What scenes need to know of the contact models.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

struct LumpedNumbers;  // of lumped/lumped_numbers.h
struct Softness;       // of contact/part_law.h

/// What decides whether two parts can touch: of a part, and of their pair.
struct PartKind {
  bool rigid, half_space;
  PrimitiveKind primitive = PrimitiveKind::kNone;
  bool polytope = false;  // a convex mesh, a polygon or a half space
  bool polygon = false;
};
struct PairKind {
  bool has_stiffness = false;
  bool exact_spheres = false;
  bool inside = false;
};

/// Why two parts cannot touch: "both rigid", and "one must be compliant".
struct Refusal {
  std::string_view reason, remedy;  // empty if they can
};

/// The stiffness of a part pair's law, in N/m^exponent, and where it comes from.
struct LawStiffness {
  double value, exponent;
  const char* from;
};

struct ContactModelInfo {
  const char* name;      // in scene files
  int state_size = 0;    // doubles for each part pair of each environment that are carried from step to step
  int bristle_size = 0;  // the same of pairs with FrictionModel::kBristle
  Refusal (*refusal)(const PartKind& a, const PartKind& b, const PairKind& pair);
  const char* mixed_refusals = "";   // reasons and remedy for bodies whose parts are refused for several reasons
  bool has_patches = false;          // writes averages over patches, and patch contacts: of a pair, only one model can
  bool measures_distance = false;    // exerts no force, but says how far parts are apart, far ones too; has no steps
  bool has_law = false;              // its state, of its pairs that have one, is a ContactMemory of a LumpedPairLaw
  bool has_plates = false;           // a simulator takes each of its part pairs as a PlateContact
  bool has_exponent = false;         // its law's force is of a depth, to a power; else of a volume
  bool has_foundations = false;      // without a stiffness, the foundation depths of compliant parts give it
  bool has_polytopes = false;        // of rigid parts, made into PolytopeViews; others are then of kDefaultModel
  bool is_drawn_as_octagon = false;  // as its four patch contacts, since it has no polygons

  /// What the spheres of a pair touch; null: no such rule.
  ShapeSet (*ball_touches)(const Pair& pair) = nullptr;

  /// Of a part pair with the scene's own geometries, by numbers of law_of(); null where there is none.
  LawStiffness (*stiffness_of)(const SceneView& scene, const PartPairView& parts, const LumpedNumbers& law,
                               const Softness& softness, bool is_given) = nullptr;
};

/// Of scenes that name none: pressure fields.
inline constexpr ContactModel kDefaultModel{};

/// The models that there are, in the order of ContactModel.
std::span<const ContactModelInfo> contact_models();

/// Whether one of the models has something: any_of(models, &ContactModelInfo::has_polytopes).
bool any_of(const ContactModels& models, bool ContactModelInfo::*has);

/// The model's entry. Throws Error, with the names that there are, for a value beyond them.
const ContactModelInfo& info_of(ContactModel model);

/// Throws Error if the scene has a pair of a model beyond the first `count`, which `backend` has.
void require_models(const SceneView& scene, std::size_t count, const char* backend);

/// Throws as info_of() for one of the models, and if there are none.
void check_models(const ContactModels& models);

/// The models of a pair: its own, or else the scene's.
const ContactModels& models_of(const Pair& pair, const SceneDescription& scene);

PairKind kind_of(const Pair& pair);

/// How the contact of a pair holds against sliding: its own, or else the scene's.
FrictionModel friction_model_of(const Pair& pair, const SceneDescription& scene);

/// Doubles that a model carries for each part pair of a pair.
int state_size_of(const ContactModelInfo& model, const Pair& pair, const SceneDescription& scene);

/// The first of the models in which two parts can touch, if they can in any.
std::optional<ContactModel> model_of(const ContactModels& models, const PartKind& a, const PartKind& b,
                                     const PairKind& pair);

/// The model of each part pair of a pair, by part of a, then part of b; without one, its parts cannot touch.
std::vector<std::optional<ContactModel>> part_pair_models(const Pair& pair, const SceneDescription& scene);

/// S of Scene::contact_state_size() and Q of Scene::num_part_pairs(), of a scene that is not made yet.
int contact_state_size_of(const SceneDescription& scene);
int num_part_pairs_of(const SceneDescription& scene);

/// The names of all models, in their order.
std::vector<std::string> contact_model_names();

}  // namespace isopatch::detail
