// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/separation.h"

#include <algorithm>
#include <cstddef>

namespace isopatch::reference::polytope {
namespace {

constexpr Real kApplicable = -1e-12L;

int lowest_vertex(const ConvexShape& shape, const Vector3& normal) {
  const auto lowest =
      std::min_element(shape.vertices.begin(), shape.vertices.end(),
                       [&](const Vector3& x, const Vector3& y) { return normal.dot(x) < normal.dot(y); });
  return static_cast<int>(lowest - shape.vertices.begin());
}

}  // namespace

std::vector<Contact> separating_contacts(const ConvexShape& a, const ConvexShape& b) {
  std::vector<Contact> contacts;
  const auto faces = [&](const ConvexShape& one, const ConvexShape& other, ContactKind kind) {
    for (std::size_t f = 0; f < other.faces.size() && !one.vertices.empty(); ++f) {
      const int v = lowest_vertex(one, other.faces[f].normal), face = static_cast<int>(f);
      const bool is_of_a = kind == ContactKind::kVertexOnFace;
      contacts.push_back(*find_contact(a, b, {kind, is_of_a ? v : face, is_of_a ? face : v}));
    }
  };
  faces(a, b, ContactKind::kVertexOnFace);
  faces(b, a, ContactKind::kFaceUnderVertex);
  for (std::size_t e = 0; e < a.edges.size(); ++e) {
    for (std::size_t f = 0; f < b.edges.size(); ++f) {
      const auto contact = find_contact(a, b, {ContactKind::kEdgeOnEdge, static_cast<int>(e), static_cast<int>(f)});
      if (contact && contact->applicability >= kApplicable) contacts.push_back(*contact);
    }
  }
  return contacts;
}

Contact separation(const ConvexShape& a, const ConvexShape& b) {
  const std::vector<Contact> contacts = separating_contacts(a, b);
  return *std::max_element(contacts.begin(), contacts.end(),
                           [](const Contact& x, const Contact& y) { return x.gap < y.gap; });
}

}  // namespace isopatch::reference::polytope
