// SPDX-License-Identifier: Apache-2.0
//
// What a contact model says of itself to scenes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

struct SceneData;
struct LawNumbers;  // of force_law/numbers.h
struct Softness;    // of contact/part_law.h

/// What decides whether two parts can touch: of a part, and of their pair.
struct PartKind {
  bool rigid, half_space;
  PrimitiveKind primitive = PrimitiveKind::kNone;
  bool has_faces = false;  // a convex mesh, a polygon or a half space
  bool polygon = false;
};
struct PairKind {
  bool has_stiffness = false;
  bool exact_spheres = false;
  bool inside = false;
};

/// Why two parts cannot touch: "both rigid", and "one must be compliant".
struct Incompatibility {
  std::string_view reason, remedy;  // empty if they can
};

/// The stiffness of a part pair's law, in N/m^exponent, and where it comes from.
struct LawStiffness {
  double value, exponent;
  std::string from;
};

struct ContactModelInfo {
  const char* name;      // in scene files
  int state_size = 0;    // doubles for each part pair of each environment that are carried from step to step
  int bristle_size = 0;  // the same of pairs with FrictionModel::kBristle
  Incompatibility (*incompatibility)(const PartKind& a, const PartKind& b, const PairKind& pair);
  const char* mixed_incompatibilities =
      "";                            // reasons and remedy for bodies whose parts are refused for several reasons
  bool has_patches = false;          // writes averages over patches, and patch contacts: of a pair, only one model can
  bool measures_distance = false;    // exerts no force, but says how far parts are apart, far ones too; has no steps
  bool has_law = false;              // its state, of its pairs that have one, is a ContactState of a PairForceLaw
  bool has_plates = false;           // a simulator takes each of its part pairs as a PlateContact
  bool has_exponent = false;         // its law's force is of a depth, to a power; else of a volume
  bool has_foundations = false;      // without a stiffness, the foundation depths of compliant parts give it
  bool touches_faces = false;        // of rigid parts, by GeometryView::shape; others are then of kDefaultModel
  bool is_drawn_as_octagon = false;  // as its four patch contacts, since it has no polygons

  /// What the spheres of a pair touch; null: no such rule.
  ShapeSet (*ball_touches)(const Pair& pair) = nullptr;

  /// Of a part pair with the scene's own geometries, by numbers of law_of(); null where there is none.
  LawStiffness (*stiffness_of)(const SceneView& scene, const PartPairView& parts, const LawNumbers& law,
                               const Softness& softness, bool is_given) = nullptr;

  /// Checks what pairs of the model need, and adds it to a scene that has all pairs; null: nothing. Throws Error.
  void (*prepare)(SceneData& data) = nullptr;

  /// Adds to what warnings_of() says of a scene; null: nothing.
  void (*warn)(const Scene& scene, std::vector<std::string>& warnings) = nullptr;
};

}  // namespace isopatch::detail
