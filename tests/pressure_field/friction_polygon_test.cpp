// SPDX-License-Identifier: Apache-2.0
//
// Damping and friction over one polygon by the exact rule, against values computed with graded Gauss quadrature and
// against the adaptive integrals of the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "host/reference/pressure_field/traction.h"
#include "isopatch/detail/pressure_field/integrals/polygon_integrals.h"

namespace isopatch::detail {
namespace {

struct Point {
  double x, y;
};

/// In the plane z = 0. Affine functions by their value at the origin and two slopes.
struct Problem {
  std::vector<Point> polygon;  // counter-clockwise
  std::array<double, 3> pressure = {1, 0, 0};
  Point velocity = {0, 0};  // at the origin
  double spin = 0;
  std::array<double, 3> factor = {1, 0, 0};
  double slip_tolerance = 1e-3;

  double pressure_at(Point p) const { return pressure[0] + pressure[1] * p.x + pressure[2] * p.y; }
  double factor_at(Point p) const { return factor[0] + factor[1] * p.x + factor[2] * p.y; }
};

/// About the origin.
struct Wrench {
  double x = 0, y = 0, n = 0, moment_x = 0, moment_y = 0, moment_n = 0;
};

template <class T>
Wrench integrate(const Problem& problem, int rule) {
  const int count = static_cast<int>(problem.polygon.size());
  Point middle = {0, 0};
  for (const Point& p : problem.polygon) {
    middle.x += p.x / count;
    middle.y += p.y / count;
  }
  Segments<T> s = {};
  for (int i = 0; i < count; ++i) {
    const Point a = problem.polygon[static_cast<std::size_t>(i)];
    const Point b = problem.polygon[static_cast<std::size_t>((i + 1) % count)];
    s.x0[i] = static_cast<T>(a.x - middle.x);
    s.y0[i] = static_cast<T>(a.y - middle.y);
    s.x1[i] = static_cast<T>(b.x - middle.x);
    s.y1[i] = static_cast<T>(b.y - middle.y);
  }
  PlaneFields<T> fields;
  fields.pressure = static_cast<T>(problem.pressure_at(middle));
  fields.pressure_x = static_cast<T>(problem.pressure[1]);
  fields.pressure_y = static_cast<T>(problem.pressure[2]);
  fields.u = static_cast<T>(problem.velocity.x - problem.spin * middle.y);
  fields.v = static_cast<T>(problem.velocity.y + problem.spin * middle.x);
  fields.spin = static_cast<T>(problem.spin);
  fields.factor = static_cast<T>(problem.factor_at(middle));
  fields.factor_x = static_cast<T>(problem.factor[1]);
  fields.factor_y = static_cast<T>(problem.factor[2]);
  PairLaw law = {};
  law.quadrature = rule;
  law.friction = law.traction_friction = 1;
  law.slip_tolerance = problem.slip_tolerance;

  const PlaneWrench<T> w = integrate_motion(law, true, SidesInPlace<T>{s, count}, area_moments(s, count), fields,
                                            PlaneWrench<T>{}, HardInPlace{});
  Wrench out = {w.u, w.v, w.n, w.moment_u, w.moment_v, w.moment_n};
  out.moment_x += middle.y * out.n;
  out.moment_y -= middle.x * out.n;
  out.moment_n += middle.x * out.y - middle.y * out.x;
  return out;
}

/// By the reference, to 1e-10 of the normal force.
Wrench true_wrench(const Problem& problem) {
  using namespace isopatch::reference;
  ContactPolygon polygon;
  for (const Point& p : problem.polygon) polygon.vertices.push_back(Vector3(p.x, p.y, 0));
  polygon.normal = Vector3(0, 0, 1);
  polygon.pressure = {Vector3(problem.pressure[1], problem.pressure[2], 0), Vector3::Zero(), problem.pressure[0]};
  ContactLaw law;
  law.dissipation = 1;  // so that v_n = 1 - factor
  law.friction = 1;
  law.slip_tolerance = problem.slip_tolerance;
  law.velocity = Vector3(problem.velocity.x, problem.velocity.y, 1 - problem.factor[0]);
  law.angular_velocity = Vector3(-problem.factor[2], problem.factor[1], problem.spin);
  PatchSum sum;
  add_polygon(polygon, law, sum);
  const auto d = [](Real x) { return static_cast<double>(x); };
  return {d(sum.force.x()),  d(sum.force.y()),  d(sum.force.z()),
          d(sum.torque.x()), d(sum.torque.y()), d(sum.torque.z())};
}

const std::vector<Point> kSquare = {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}};
const std::vector<Point> kTriangle = {{0, 0}, {1, 0}, {.2, .7}};
const std::vector<Point> kSliver = {{-1, 0}, {1, -.01}, {1, .01}};

struct Case {
  const char* name;
  Problem problem;
  Wrench expected;  // without the moments of the normal force
};

const double kRootTwo = std::numbers::sqrt2;
const std::vector<Case> kCases = {
    {"a square that spins about its middle",
     {.polygon = kSquare, .spin = 1, .slip_tolerance = 1e-12},
     {0, 0, 1, 0, 0, -(kRootTwo + std::log(1 + kRootTwo)) / 6}},
    {"a square with a slope of pressure",
     {kSquare, {1, 1, 1}, {.2, .1}, 1, {1, 0, 0}, 1e-3},
     {-.176430198, -.354322799, 1, 0, 0, -.337583308}},
    {"a centre on an edge",
     {kTriangle, {1, -.5, .25}, {0, -.4}, 1, {1, 0, 0}, 1e-6},
     {.211285182, .023392098, .300416667, 0, 0, -.091924809}},
    {"a centre in a corner",
     {kTriangle, {1, -.5, .25}, {0, 0}, -2, {1, 0, 0}, 1e-6},
     {-.162166806, .225390753, .300416667, 0, 0, .145191642}},
    {"a large slip tolerance",
     {kTriangle, {1, -.5, .25}, {.1, -.3}, 1, {1, 0, 0}, .6},
     {.063629118, -.027986275, .300416667, 0, 0, -.055370424}},
    {"a slope of damping",
     {kTriangle, {1, -.5, .25}, {.1, -.3}, 1, {.8, .4, -.3}, .01},
     {.111151159, -.058016476, .262368750, 0, 0, -.102638635}},
    {"damping that ends within the polygon",
     {kSquare, {1, .5, .3}, {.2, .1}, 1, {.1, 1, .4}, 1e-3},
     {-.016358144, -.178012299, .219333333, 0, 0, -.083976793}},
    {"a sliver", {kSliver, {1, .9, 0}, {0, .3}, -1, {1, 0, 0}, 1e-4}, {0, .011124430, .026, 0, 0, .013222121}},
};

TEST(FrictionPolygon, HasTheTrueIntegral) {
  constexpr double kPrinted = 1e-9;  // digits of the values above
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const Wrench& w : {integrate<double>(c.problem, kExactRule), true_wrench(c.problem)}) {
      EXPECT_NEAR(w.x, c.expected.x, kPrinted);
      EXPECT_NEAR(w.y, c.expected.y, kPrinted);
      EXPECT_NEAR(w.n, c.expected.n, kPrinted);
      EXPECT_NEAR(w.moment_n, c.expected.moment_n, kPrinted);
    }
    constexpr double kFloatRounding = 1e-6;
    const Wrench w = integrate<float>(c.problem, kExactRule);
    EXPECT_NEAR(w.x, c.expected.x, kFloatRounding);
    EXPECT_NEAR(w.y, c.expected.y, kFloatRounding);
    EXPECT_NEAR(w.n, c.expected.n, kFloatRounding);
    EXPECT_NEAR(w.moment_n, c.expected.moment_n, kFloatRounding);
  }
}

TEST(FrictionPolygon, IsThatOfThePointsWhereTheCentreIsFar) {
  const Problem far = {kTriangle, {1, -.5, .25}, {3, 1}, 1, {1, 0, 0}, 1e-3};
  const Wrench exact = integrate<double>(far, kExactRule), points = integrate<double>(far, 3);
  EXPECT_EQ(exact.x, points.x);
  EXPECT_EQ(exact.y, points.y);
  EXPECT_EQ(exact.moment_n, points.moment_n);
  EXPECT_NEAR(exact.y, -.133355321, 1e-9);
}

class RandomProblem {
 public:
  enum Kind { kNoDamping, kRocking, kKink };

  explicit RandomProblem(unsigned seed) : random_(seed) {}

  /// 3 to 8 corners on a stretched circle; the centre of slip within it or up to 100 radii away.
  Problem make(Kind kind) {
    Problem out;
    const int corners = 3 + static_cast<int>(uniform(0, 6));
    std::vector<double> angles;
    for (int i = 0; i < corners; ++i) angles.push_back(2 * std::numbers::pi * (i + uniform(0, .9)) / corners);
    const double stretch = std::pow(30, -uniform(0, 1)), turn = uniform(0, 2 * std::numbers::pi);
    for (const double a : angles) {
      const double x = std::cos(a), y = stretch * std::sin(a);
      out.polygon.push_back({x * std::cos(turn) - y * std::sin(turn), x * std::sin(turn) + y * std::cos(turn)});
    }

    out.pressure = {0, uniform(-1, 1), uniform(-1, 1)};
    double least = 1e9;
    for (const Point& p : out.polygon) least = std::min(least, out.pressure_at(p));
    out.pressure[0] = -least + (uniform(0, 1) < .5 ? 0 : uniform(0, 2));

    out.spin = uniform(0, 1) < .5 ? 1 : -1;
    const double distance = uniform(0, 1) < .5 ? uniform(0, 1) : std::pow(10, uniform(-2, 2));
    const double direction = uniform(0, 2 * std::numbers::pi);
    const Point center = {distance * std::cos(direction), distance * std::sin(direction)};
    out.velocity = {out.spin * center.y, -out.spin * center.x};
    out.slip_tolerance = std::pow(10, uniform(-6, 2)) * std::max(distance, .1);

    if (kind != kNoDamping) {
      const double a = uniform(0, 2 * std::numbers::pi), slope = kind == kRocking ? uniform(0, .9) : uniform(1.2, 4);
      out.factor = {1, slope * std::cos(a), slope * std::sin(a)};
    }
    return out;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::mt19937 random_;
};

/// The largest errors over random polygons: of friction over the normal force or of its moment over that times the
/// radius, and of the normal part likewise.
struct Errors {
  double friction = 0, normal = 0;

  void add(const Wrench& w, const Wrench& truth) {
    friction = std::max({friction, std::hypot(w.x - truth.x, w.y - truth.y) / truth.n,
                         std::fabs(w.moment_n - truth.moment_n) / truth.n});
    normal = std::max({normal, std::fabs(w.n - truth.n) / truth.n,
                       std::hypot(w.moment_x - truth.moment_x, w.moment_y - truth.moment_y) / truth.n});
  }
};

constexpr std::array<int, 4> kRules = {kExactRule, 3, 6, kCentroidRule};

std::array<Errors, 4> worst_errors(RandomProblem::Kind kind, int count) {
  RandomProblem random(5);
  std::array<Errors, 4> worst;
  for (int i = 0; i < count; ++i) {
    const Problem problem = random.make(kind);
    const Wrench truth = true_wrench(problem);
    if (truth.n < 1e-6) continue;  // damping takes all of it
    for (std::size_t k = 0; k < kRules.size(); ++k) worst[k].add(integrate<double>(problem, kRules[k]), truth);
  }
  return worst;
}

// The bounds are those of README.md in detail/pressure_field.
TEST(FrictionPolygon, ErrsByLittleOverRandomPolygons) {
  const auto [exact, fan3, fan6, centroid] = worst_errors(RandomProblem::kNoDamping, 2000);
  EXPECT_LT(exact.friction, 0.0012);
  EXPECT_NEAR(fan3.friction, 0.24, 0.005);
  EXPECT_NEAR(fan6.friction, 0.13, 0.005);
  EXPECT_NEAR(centroid.friction, 1.4, 0.05);
  for (const Errors& rule : {exact, fan3, fan6}) EXPECT_LT(rule.normal, 1e-12);
}

TEST(FrictionPolygon, ErrsByLittleWhereDampingVaries) {
  const Errors exact = worst_errors(RandomProblem::kRocking, 500)[0];
  EXPECT_LT(exact.friction, 0.0016);
  EXPECT_LT(exact.normal, 1e-12);
}

TEST(FrictionPolygon, ErrsByLittleWhereDampingEnds) {
  const Errors exact = worst_errors(RandomProblem::kKink, 500)[0];
  EXPECT_LT(exact.friction, 0.0035);
  EXPECT_LT(exact.normal, 1e-9);
}

}  // namespace
}  // namespace isopatch::detail
