// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/polyhedron.h"

#include <cmath>

namespace isopatch::reference {
namespace {

Affine difference(const Affine& f, const Affine& g) {
  return {f.gradient - g.gradient, f.point, f.value - g.at(f.point)};
}

/// A prism with triangular ends and plane sides, corner k of one end joined to corner k of the other.
void add_prism(const SurfaceTriangle& a, const SurfaceTriangle& b, TetList& tets) {
  tets.push_back({a[0], a[1], a[2], b[0]});
  tets.push_back({a[1], a[2], b[0], b[1]});
  tets.push_back({a[2], b[0], b[1], b[2]});
}

/// The vertices of a tet by the sign of a function.
struct SortedTet {
  const TetVertices& tet;
  std::array<Real, 4> values;
  std::array<std::size_t, 4> order;  // from the front where it is positive, the others from the back
  std::size_t positive = 0;

  SortedTet(const TetVertices& vertices, const Affine& function) : tet(vertices) {
    std::size_t back = 4;
    for (std::size_t i = 0; i < 4; ++i) {
      values[i] = function.at(tet[i]);
      order[values[i] > 0 ? positive++ : --back] = i;
    }
  }
};

/// The part on the side of the first `count` vertices of `order`; the plane is between them and the others.
void add_part(const SortedTet& sorted, const std::array<std::size_t, 4>& order, std::size_t count, TetList& tets) {
  const auto corner = [&](std::size_t k) -> const Vector3& { return sorted.tet[order[k]]; };
  const auto cut = [&](std::size_t k, std::size_t l) -> Vector3 {
    const Real t = sorted.values[order[k]] / (sorted.values[order[k]] - sorted.values[order[l]]);
    return corner(k) + (corner(l) - corner(k)) * t;
  };
  switch (count) {
    case 1:
      tets.push_back({corner(0), cut(0, 1), cut(0, 2), cut(0, 3)});
      break;
    case 2:
      add_prism({corner(0), cut(0, 2), cut(0, 3)}, {corner(1), cut(1, 2), cut(1, 3)}, tets);
      break;
    case 3:
      add_prism({corner(0), corner(1), corner(2)}, {cut(0, 3), cut(1, 3), cut(2, 3)}, tets);
      break;
    case 4:
      tets.push_back(sorted.tet);
      break;
    default:
      break;
  }
}

}  // namespace

TetList positive_part(const TetList& tets, const Affine& function) {
  TetList kept;
  for (const TetVertices& tet : tets) {
    const SortedTet sorted(tet, function);
    add_part(sorted, sorted.order, sorted.positive, kept);
  }
  return kept;
}

Parts cut(const TetList& tets, const Affine& function) {
  Parts parts;
  for (const TetVertices& tet : tets) {
    const SortedTet sorted(tet, function);
    add_part(sorted, sorted.order, sorted.positive, parts.positive);
    const std::array<std::size_t, 4> reversed = {sorted.order[3], sorted.order[2], sorted.order[1], sorted.order[0]};
    add_part(sorted, reversed, 4 - sorted.positive, parts.others);
  }
  return parts;
}

TetList intersection(const TetList& tets, const TetVertices& tet) {
  TetList kept = tets;
  for (std::size_t i = 0; i < 4 && !kept.empty(); ++i) kept = positive_part(kept, barycentric(tet, i));
  return kept;
}

Real integral(const TetList& tets, const Affine& function) {
  Real sum = 0;
  for (const TetVertices& x : tets) {
    const Real volume = std::abs((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])) / 6;
    sum += volume * function.at((x[0] + x[1] + x[2] + x[3]) / 4);
  }
  return sum;
}

Real integral_of_minimum(const TetList& tets, const Affine& f, const Affine& g) {
  const Parts parts = cut(tets, difference(f, g));
  return integral(parts.positive, g) + integral(parts.others, f);
}

}  // namespace isopatch::reference
