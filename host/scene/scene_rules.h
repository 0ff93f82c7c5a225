// SPDX-License-Identifier: Apache-2.0
//
// The rules of a scene, each stated once. Their Errors say what is wrong and what would be right, without the location:
// Scene puts the name of the object before it, and the reader of scene files the location in the file.
#pragma once

#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/scene/contact_models.h"
#include "isopatch/limits.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// The values that a quantity may have.
struct Range {
  double low, high;
  const char* unit;
};
inline constexpr Range kModulusRange = {limits::kMinModulus, limits::kMaxModulus, " Pa"};
inline constexpr Range kDissipationRange = {0, limits::kMaxDissipation, ""};
inline constexpr Range kFrictionRange = {0, limits::kMaxFriction, ""};
inline constexpr Range kPositionRange = {-limits::kMaxPosition, limits::kMaxPosition, " m"};
inline constexpr Range kVelocityRange = {-limits::kMaxVelocity, limits::kMaxVelocity, " m/s"};
inline constexpr Range kAngularVelocityRange = {-limits::kMaxAngularVelocity, limits::kMaxAngularVelocity, " rad/s"};
inline constexpr Range kFoundationDepthRange = {limits::kMinThickness, limits::kMaxThickness, " m"};
inline constexpr Range kMarginRange = {0, limits::kMaxCoordinate, " m"};
inline constexpr Range kGapToleranceRange = {limits::kMinGapTolerance, limits::kMaxCoordinate, " m"};
inline constexpr Range kSlipToleranceRange = {limits::kMinSlipTolerance, limits::kMaxSlipTolerance, " m/s"};
inline constexpr Range kExponentRange = {1, 64, ""};

void check_range(double value, const Range& range);

/// In (0, 1].
void check_restitution(double value);

/// The quaternion of a pose can be normalised.
void check_orientation(const std::array<double, 7>& pose);

void check_num_bodies(std::size_t count);

/// No body before has the name of this one, and no part of a body that of another; without a name all may be.
void check_name(const Body& body, std::span<const Body> before);
void check_name(const Part& part, std::span<const Part> before);

/// Of one body. A body that lists none has one.
void check_num_parts(std::size_t count);

/// Of all bodies together.
void check_num_parts_of_all(std::size_t count);

/// A compliant part has tets to press on. `name` is the name of the part or its body.
void check_geometry_of(bool rigid, const std::string& name, const Geometry& geometry);

/// The kinds of a body's parts. All indices are in range.
std::vector<PartKind> kinds_of(const Body& body, const SceneDescription& scene);

/// Whether any two parts, of two bodies, can touch in one of the models, in a pair that says no more.
bool can_touch(const ContactModels& models, const std::vector<PartKind>& a, const std::vector<PartKind>& b);

/// The bodies of a pair are two.
void check_two_bodies(const Pair& pair, const SceneDescription& scene);

/// The bodies of a pair can touch: they are two, and a contact model of the pair lets two of their parts touch; one
/// that the pair itself names, if it does. All indices and the models are in range.
void check_bodies_of(const Pair& pair, const SceneDescription& scene);

/// The law of a pair's contacts with state, without the materials; a stiffness that the pair does not give is 1.
ContactForceLaw force_law_of(const Pair& pair, const SceneDescription& scene);

/// What a pair says of contacts with state fits its models and its law, and its contact states can be some that a
/// step left. All indices and the models are in range.
void check_law_of(const Pair& pair, const SceneDescription& scene);

/// The same of the contact law of all pairs.
void check_law_of(const ContactOptions& contact);

/// Whether SceneDescription::exclude has the two bodies.
bool is_excluded(const SceneDescription& scene, const Pair& pair);

/// Pairs of bodies, in either order.
class DistinctPairs {
 public:
  /// Throws for a pair that was added before.
  void add(const Pair& pair, const SceneDescription& scene);

 private:
  std::set<std::pair<int, int>> seen_;
};

}  // namespace isopatch::detail
