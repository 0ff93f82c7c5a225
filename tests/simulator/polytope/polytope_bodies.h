// SPDX-License-Identifier: Apache-2.0
//
// Scenes of rigid polytopes that move, of density 1.
#pragma once

#include <string>
#include <vector>

#include "tests/support/rollouts.h"

namespace isopatch::test {

using Point2 = std::array<double, 2>;

inline std::vector<Point2> rectangle(double x0, double y0, double x1, double y1) {
  return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
}

struct PolytopeScene : SceneBuilder {
  PolytopeScene() { description.contact.model = ContactModel::kPolytope; }

  Body& add_polygon(const std::string& name, const std::vector<Point2>& corners,
                    const std::array<double, 7>& pose = {0, 0, 0, 1, 0, 0, 0}) {
    description.rollout.gravity = {0, -9.81, 0};
    Body& body = add(name, make_polygon(name, corners), pose);
    body.motion.type = MotionType::kPlanar;
    return rigid(body);
  }
  Body& add_fixed_polygon(const std::string& name, const std::vector<Point2>& corners) {
    return fixed(add(name, make_polygon(name, corners)));
  }
  Body& add_solid(const std::string& name, const Geometry& geometry,
                  const std::array<double, 7>& pose = {0, 0, 0, 1, 0, 0, 0}) {
    return rigid(add(name, geometry, pose));
  }
  Body& add_fixed_solid(const std::string& name, const Geometry& geometry,
                        const std::array<double, 7>& pose = {0, 0, 0, 1, 0, 0, 0}) {
    return fixed(add(name, geometry, pose));
  }

 private:
  static Body& rigid(Body& body) {
    body.rigid = true;
    body.density = 1;
    body.friction = 0;
    return body;
  }
  static Body& fixed(Body& body) {
    rigid(body).fixed = true;
    return body;
  }
};

}  // namespace isopatch::test
