// SPDX-License-Identifier: Apache-2.0
//
// The contact law.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isopatch/scene/contact_force_law.h"

namespace isopatch {

/// How the contact of two bodies is modelled.
enum class ContactModel : std::uint8_t {
  kPressureField,  ///< each body has a pressure field, and both are equal on the contact surface
  kVolumetric,     ///< a single contact of what two parts have in common
  kPoint,          ///< a single contact of a ball with a shape, by its exact depth
  kPolytope        ///< rigid convex polytopes: how far they are apart, or how deep they overlap; impulses in steps
};

/// Contact models in order of preference: each part pair is of the first in which its parts can touch. A single one
/// converts to such a list. After kPolytope, which is for two rigid parts, others may be pressure fields.
struct ContactModels : std::vector<ContactModel> {
  using std::vector<ContactModel>::vector;
  /// The list of one model.
  ContactModels(ContactModel only) : vector{only} {}

  /// Compares the lists.
  friend bool operator==(const ContactModels&, const ContactModels&) = default;
};

/// Which contacts of rigid polytopes constrain their motion: those of which at least one must keep a gap.
enum class ContactRelations : std::uint8_t {
  kExact,       ///< relations that hold just where polytopes do not overlap
  kLnc,         ///< of vertices on faces, and of edges far from their ends alone: allows overlaps at corners (locally
                ///< non-convex)
  kUnilateral,  ///< every contact by itself, as in most textbooks: forbids what is free at corners
  kSeparating   ///< of the feature alone that separates most now, as in most engines
};

/// Normal traction sigma from pressure p and separating speed v_n.
enum class DissipationModel : std::uint8_t {
  kHuntCrossley,  ///< sigma = p max(0, 1 - d v_n), d in s/m
  kPfc            ///< sigma = p max(0, 1 - chi (g/E) v_n), chi in s (PFC eq. 3)
};

/// Rule for damping and friction. The static normal part is exact under all of them.
enum class Quadrature : std::uint8_t {
  kExact,     ///< damping exact; friction in closed form where its direction turns within a polygon, else as kFan3
  kCentroid,  ///< one point per polygon (VL)
  kFan3,      ///< triangles about the centroid, 3 points each, degree 2 (PFC fig. 5)
  kFan6       ///< the same with 6 points, degree 4
};

inline constexpr double kUsualSlipTolerance = 1e-4;      ///< of evaluations, m/s
inline constexpr double kUsualStepSlipTolerance = 1e-5;  ///< of the steps of a rollout, m/s

/// What contacts with state have in common, of the models kVolumetric and kPoint and of pressure fields with bristles:
/// ContactForceLaw says what it means.
struct ForceLawOptions {
  FrictionModel friction_model = FrictionModel::kCoulomb;  ///< of the pairs that have none of their own
  BristleFriction bristle = {};                            ///< likewise
  BristleFlow bristle_flow = BristleFlow::kNearLimit;      ///< likewise
  OverlapNormal normal = OverlapNormal::kArea;             ///< of an overlap
  double small_speed = 1e-3;                               ///< m/s, > 0
  ImpactLatch latch = ImpactLatch::kFirst;                 ///< which approach sets the damping of a restitution
  double relaxation_time = 0;                              ///< s, >= 0
};

/// Of rigid polytopes. A radius is the largest distance of a part's vertex from its body's centre of mass.
struct PolytopeOptions {
  std::optional<double> margin = {};  ///< m, >= 0: how near features must be for a contact, on top of what the bodies
                                      ///< move in a time step; without it 0.02 of the smaller radius of two parts
  std::optional<double> tolerance = {};  ///< m, > 0: a gap above -tolerance touches; without it 1e-6 of that radius
  ContactRelations relations = ContactRelations::kExact;  ///< which contacts constrain motion
};

/// The contact law of all pairs.
struct ContactOptions {
  DissipationModel dissipation_model = DissipationModel::kHuntCrossley;  ///< how motion along the normal is damped
  Quadrature quadrature = Quadrature::kExact;                            ///< how damping and friction are integrated
  std::optional<double> slip_tolerance = {};  ///< v_s, m/s, > 0: friction is reduced below about this speed; without it
                                              ///< kUsualSlipTolerance, and kUsualStepSlipTolerance in steps
  bool gradient_filter = false;  ///< drop polygons whose normal is more than 5 pi/8 from either body's inward gradient
  ContactModels model = ContactModel::kPressureField;  ///< of the pairs that have none of their own
  ForceLawOptions force_law = {};                      ///< of contacts with state
  PolytopeOptions polytope = {};                       ///< of rigid polytopes
};

}  // namespace isopatch
