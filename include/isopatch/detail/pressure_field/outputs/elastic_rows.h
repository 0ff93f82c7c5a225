// SPDX-License-Identifier: Apache-2.0
//
// Polygons under their elastic pressure, of which patch contacts are made.
#pragma once

#include "isopatch/detail/contact/patch_contacts.h"
#include "isopatch/detail/pressure_field/outputs/contact_output.h"

namespace isopatch::detail {

template <class T, class Polygon>
ISOPATCH_HD ElasticPolygon make_elastic_polygon(const PairContext& f, const ContactPlane<T>& plane, const Polygon& s,
                                                const AreaMoments<T>& found) {
  const auto number = [](T value) { return static_cast<double>(value); };
  const double one = number(found.one), x = number(found.x) / one, y = number(found.y) / one;  // in units of the radius
  const double radius = number(plane.radius), square = radius * radius, area = square * one;
  const double X = radius * (number(s.middle_x) + x), Y = radius * (number(s.middle_y) + y);
  ElasticPolygon out;
  out.xx = square * std::fma(-x, x, number(found.xx) / one);
  out.xy = square * std::fma(-x, y, number(found.xy) / one);
  out.yy = square * std::fma(-y, y, number(found.yy) / one);
  out.u = rotate(f.frame.X_WM, plane.axes.u);
  out.v = rotate(f.frame.X_WM, plane.axes.v);
  out.normal = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);
  const Vec3d origin = rotate(f.frame.X_WM, plane.origin) + (f.frame.X_WM.translation - f.frame.p_WoA);
  out.centroid = fma(X, out.u, fma(Y, out.v, origin));
  out.force = area * std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure));
  out.x = area * std::fma(plane.pressure_u, out.xx, plane.pressure_v * out.xy);
  out.y = area * std::fma(plane.pressure_u, out.xy, plane.pressure_v * out.yy);
  out.stiffness = resists(f, plane) ? area * effective_gradient(f, plane) : 0.0;
  return out;
}

/// A sink of polygons under their elastic pressure.
template <class T, class Destination>
struct ElasticRows {
  const Destination& to;

  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, const FoundPolygon<T>& p) const {
    if (ElasticPolygon* const record = to.append(warp, p.environment, p.key())) {
      *record = make_elastic_polygon(p.context, p.plane, p.sides.segments, area_moments(p.sides));
    }
  }
};

}  // namespace isopatch::detail
