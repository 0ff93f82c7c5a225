// Steps a cube by an integrator of its own, with the contact of Isopatch made implicit: it comes to rest on a table,
// slides to a stop, and is held by two pads. Fails unless each is as the closed form says.
#include <isopatch/isopatch.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

using namespace isopatch;

namespace {

constexpr double kSide = 0.05, kMass = 0.1, kGravity = 9.81;            // m, kg, m/s^2
constexpr double kFriction = 0.5, kStep = 5e-4, kSlipTolerance = 1e-5;  // 1, s, m/s

/// Body 0 moves, the others are fixed: explicit Euler for the position, after the velocity.
class Stepper {
 public:
  explicit Stepper(const SceneDescription& description)
      : evaluator_(Scene(description), {.precision = Precision::kDouble}),
        states_(description, 1),
        results_(evaluator_.scene(), 1, {.capacity = {{"packed_contacts", 1000}}}) {
    for (std::size_t i = 0; i < 6; ++i) inertia_[7 * i] = i < 3 ? kMass : kMass * kSide * kSide / 6;
  }

  void step() {
    evaluator_.evaluate(states_.view(), results_.view());
    double* pose = states_.poses.data();
    double* velocity = states_.velocities.data();
    std::array<double, 6> v, wrench;
    for (std::size_t i = 0; i < 6; ++i) v[i] = velocity[i], wrench[i] = results_.body_wrench[i];

    const auto count = static_cast<std::size_t>(results_.contact_offsets[1]);
    const ContactMatrices contact = contact_matrices(std::span(results_.packed_contacts).first(count),
                                                     {pose[0], pose[1], pose[2]}, v, kSlipTolerance);
    const std::array<double, 6> weight = {0, 0, -kMass * kGravity};
    const std::vector<double> implicit =
        implicit_wrench({kStep, inertia_, contact.stiffness, contact.damping, wrench, v, weight});
    for (std::size_t i = 0; i < 6; ++i) velocity[i] += kStep * (implicit[i] + weight[i]) / inertia_[7 * i];

    for (std::size_t i = 0; i < 3; ++i) pose[i] += kStep * velocity[i];
    const double *w = velocity + 3, *q = pose + 3;  // the evaluator normalises q
    const double turn[4] = {-w[0] * q[1] - w[1] * q[2] - w[2] * q[3], w[0] * q[0] + w[1] * q[3] - w[2] * q[2],
                            w[1] * q[0] + w[2] * q[1] - w[0] * q[3], w[2] * q[0] + w[0] * q[2] - w[1] * q[1]};
    for (std::size_t i = 0; i < 4; ++i) pose[3 + i] += kStep / 2 * turn[i];
  }

  Point3 position() const { return {states_.poses[0], states_.poses[1], states_.poses[2]}; }

 private:
  Evaluator evaluator_;
  StateArrays states_;
  ResultArrays results_;
  std::array<double, 36> inertia_ = {};
};

/// Where the cube, the first of `bodies`, is after a second.
Point3 moved(const std::vector<Body>& bodies) {
  SceneDescription scene;
  scene.geometries = {make_box("cube", {kSide, kSide, kSide}), make_half_space("table", 0.1),
                      make_box("pad", {0.01, 0.03, 0.03})};
  scene.bodies = bodies;
  scene.contact.slip_tolerance = kSlipTolerance;
  Stepper stepper(scene);
  for (int i = 0; i < 2000; ++i) stepper.step();
  return stepper.position();
}

bool is_near(const char* what, double found, double expected, double tolerance) {
  std::printf("%s %.7g m, expected %.7g m\n", what, found, expected);
  return std::fabs(found - expected) <= tolerance;
}

}  // namespace

int main() {
  Body cube = {.name = "cube", .geometry = 0, .modulus = 1e6, .dissipation = 5, .friction = kFriction};
  Body table = {.name = "table", .geometry = 1, .rigid = true, .fixed = true, .friction = kFriction};
  const double depth =
      kMass * kGravity / (cube.modulus / (kSide / 2) * kSide * kSide);  // pressure: E depth / half side
  cube.pose[2] = kSide / 2 + 0.001;
  const bool rests = is_near("rests at a depth of", kSide / 2 - moved({cube, table})[2], depth, 1e-3 * depth);

  cube.pose[2] = kSide / 2 - depth;
  cube.velocity[0] = 1;
  const double way = 1 / (2 * kFriction * kGravity);
  const bool stops = is_near("slides", moved({cube, table})[0], way, 0.01 * way);

  cube.velocity[0] = 0;
  Body left = {.name = "left", .geometry = 2, .rigid = true, .fixed = true, .friction = kFriction, .pose = cube.pose};
  Body right = left;
  right.name = "right";
  right.pose[0] = kSide / 2 + 0.005 - 1e-4;  // 0.1 mm into the cube
  left.pose[0] = -right.pose[0];
  const bool holds = is_near("is held at", moved({cube, left, right})[2], cube.pose[2], 1e-5);
  return rests && stops && holds ? 0 : 1;
}
