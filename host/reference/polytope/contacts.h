// SPDX-License-Identifier: Apache-2.0
//
// Potential contacts of two convex shapes in the world: gap, normal, point and applicability (A geometrically exact
// contact model for polytopes in multirigid-body simulation, eqs. 28 to 31).
#pragma once

#include <optional>
#include <tuple>

#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

enum class ContactKind { kVertexOnFace = 0, kFaceUnderVertex = 1, kEdgeOnEdge = 2 };

/// Which features of the shapes a and b face each other. In the order in which contacts are listed.
struct FeaturePair {
  ContactKind kind = ContactKind::kVertexOnFace;
  int feature_a = 0, feature_b = 0;

  bool operator==(const FeaturePair&) const = default;
  bool operator<(const FeaturePair& other) const {
    return std::tie(kind, feature_a, feature_b) < std::tie(other.kind, other.feature_a, other.feature_b);
  }
};

struct Contact {
  FeaturePair features;
  Vector3 point = Vector3::Zero();   // of edges the middle of the points in which their lines are closest
  Vector3 normal = Vector3::Zero();  // unit, from b into a
  Real gap = 0;                      // to the whole plane of a face; between the lines of two edges
  Real applicability = 0;            // smallest sine by which the features face each other
};

/// Nothing if the features are edges that are parallel to 1e-6: vertices speak for them.
std::optional<Contact> find_contact(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features);

/// The smallest sine between a plane with this normal and the edges that leave a vertex (eqs. 29, 30).
Real vertex_applicability(const ConvexShape& shape, int vertex, const Vector3& normal);

/// The derivative of a gap by the velocity and angular velocity of a's body and then of b's, about points of theirs.
using GapRow = Eigen::Matrix<Real, 12, 1>;
GapRow gap_row(const Contact& contact, const Vector3& center_a, const Vector3& center_b);

}  // namespace isopatch::reference::polytope
