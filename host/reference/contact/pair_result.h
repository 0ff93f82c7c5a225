// SPDX-License-Identifier: Apache-2.0
//
// What a contact model says of a pair, and the models of the reference.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/reference/scene/environment.h"
#include "isopatch/results.h"

namespace isopatch::reference {

struct Wrench {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
};

/// Four points of one cluster, in the frame of body a.
struct PatchPoints {
  std::array<Vector3, 4> points;
  Vector3 normal;  // of all four
  Real stiffness;  // of each, N/m
  std::array<Real, 4> distances;
};

/// A force, and its moment about its origin.
struct ElasticWrench {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

struct PatchContacts {
  std::vector<PatchPoints> clusters;
  ElasticWrench residual;  // the wrench of the pressure minus the wrench of the points
};

/// What a single contact has besides its wrench, world frame.
struct SingleContactRow {
  Real volume = 0;
  std::array<Real, 6> second_moments = {};  // xx yy zz xy xz yz
  Eigen::Matrix<Real, 6, 6> damping_matrix = Eigen::Matrix<Real, 6, 6>::Zero();
};

/// Contacts of rigid convex parts and the relations between them. Members index contacts, relations index members, of
/// these vectors.
struct PairRelations {
  std::vector<PotentialContact> contacts;
  std::vector<Relation> relations;
  std::vector<std::int32_t> members;

  /// Appends those of the next pair.
  void add(const PairRelations& next);
};

/// The results of a pair, world frame but for the patch. Zero if it was not evaluated.
struct PairResult {
  Wrench on_a, on_b;  // each about its body's origin
  Real area = 0, max_pressure = 0, energy = 0;
  Vector3 center_of_pressure = Vector3::Zero(), mean_normal = Vector3::Zero(), friction_force = Vector3::Zero();
  std::int32_t polygon_count = 0;
  std::vector<Polygon> polygons;          // in the order of packed arrays, if any rows are wanted
  std::vector<DiscreteContact> contacts;  // likewise
  PatchContacts patch;                    // in the frame of body a, if it is wanted
  Transform X_WA;
  std::vector<Wrench> of_part_pairs;             // on a
  std::vector<SingleContactRow> single_contact;  // of each part pair; empty if the model has none
  std::vector<Real> contact_state;               // of each part pair; empty if the model carries none
  std::uint32_t status = 0;                      // bits
  std::optional<Real> separation;                // m; none if the pair measures none
  Real overlap = 0;                              // m^3, of polygons m^2
  PairRelations relations;

  /// Adds the results of the pair's next model. Averages and patches stay those of the first.
  void add(const PairResult& next);
};

/// A pair of a valid environment, number `index` of the state, in one model. `results` say what is wanted.
struct PairInput {
  const SceneDescription& scene;
  const State& state;
  const Results& results;
  const Environment& environment;
  std::int64_t index;
  std::size_t pair;
  std::vector<PartIndices> part_pairs;  // of this model
  std::size_t first_row;                // of the first of them, among the part pairs of the scene
};

using EvaluatePair = PairResult (*)(const PairInput&);

/// The table of the reference's contact models, in the order of ContactModel. A new model is added in
/// contact_models.cpp.
std::span<const EvaluatePair> contact_models();

}  // namespace isopatch::reference
