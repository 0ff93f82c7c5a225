// SPDX-License-Identifier: Apache-2.0
//
// reference_pour: a pour by the reference, without friction. Reads from the input what bench/polytope_steps/pours.py
// writes, and prints what each step has left, when it was stuck and poses, as JSON.
#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/reference/polytope/complementarity.h"
#include "tests/reference/polytope/pour.h"

namespace isopatch::reference::polytope {
namespace {

using Json = nlohmann::json;

Vector3 vector_of(const Json& json) {
  Vector3 v = Vector3::Zero();
  for (std::size_t i = 0; i < json.size(); ++i) v[static_cast<Eigen::Index>(i)] = json.at(i).get<double>();
  return v;
}

ConvexShape shape_of(const Json& json, bool is_flat) {
  std::vector<Vector3> points;
  for (const Json& point : json) points.push_back(vector_of(point));
  return is_flat ? convex_polygon(points) : convex_hull(points);
}

Transform pose_of(const Json& json) {
  const auto q = [&](std::size_t i) { return Real{json.at(i).get<double>()}; };
  return {Eigen::Quaternion<Real>(q(3), q(4), q(5), q(6)).normalized().toRotationMatrix(), {q(0), q(1), q(2)}};
}

Json json_of(const Transform& pose) {
  const Eigen::Quaternion<Real> q(pose.rotation);
  Json json;
  for (const Real x : pose.translation) json.push_back(static_cast<double>(x));
  for (const Real x : {q.w(), q.x(), q.y(), q.z()}) json.push_back(static_cast<double>(x));
  return json;
}

PourOptions options_of(const Json& json) {
  static const std::map<std::string, RelationMode> modes = {{"exact", RelationMode::kExact},
                                                            {"unilateral", RelationMode::kUnilateral},
                                                            {"separating", RelationMode::kSeparating}};
  static const std::map<std::string, decltype(PourOptions::solve)> solvers = {
      {"global", [](const StepProblem& problem) { return global_step(problem); }},
      {"mlcp", [](const StepProblem& problem) { return complementary_step(problem, false); }},
      {"mlcp with cross impulses", [](const StepProblem& problem) { return complementary_step(problem, true); }}};
  const bool is_flat = json.at("is_flat");
  PourOptions options;
  options.container = {StepBody()};
  for (const Json& part : json.at("container")) {
    options.container[0].body.parts.push_back(shape_of(part, is_flat));
  }
  const Vector3 velocity = vector_of(json.at("velocity"));
  for (const Json& body : json.at("bodies")) {
    const ConvexShape shape = shape_of(body.at("points"), is_flat);
    const Transform pose = pose_of(body.at("pose"));
    options.poured.push_back(is_flat ? thrown_polygon(shape, pose, velocity)
                                     : thrown_polyhedron(shape, pose, velocity));
  }
  options.gravity = vector_of(json.at("gravity"));
  options.step = json.at("step").get<double>();
  options.every = json.at("every").get<double>();
  options.margin = json.at("margin").get<double>();
  options.mode = modes.at(json.at("relations"));
  options.solve = solvers.at(json.at("solver"));
  return options;
}

Json poured(const Json& json) {
  Pour pour(options_of(json));
  Json result = {{"steps", Json::array()}, {"poses", Json::array()}};
  const auto keep_poses = [&] {
    Json poses = Json::array();
    for (std::size_t i = 0; i < pour.num_in(); ++i) poses.push_back(json_of(pour.body(i).pose));
    result["poses"].push_back(poses);
  };
  const std::vector<int> kept = json.at("kept_steps");
  for (int taken = 1; taken <= json.at("num_steps").get<int>(); ++taken) {
    const std::optional<PouredStep> step = pour.step();
    if (!step) {
      keep_poses();
      break;
    }
    result["steps"].push_back({static_cast<double>(step->overlap), step->contacts, step->traps});
    if (std::find(kept.begin(), kept.end(), taken) != kept.end()) keep_poses();
  }
  return result;
}

}  // namespace
}  // namespace isopatch::reference::polytope

int main() {
  try {
    std::cout << isopatch::reference::polytope::poured(nlohmann::json::parse(std::cin)) << '\n';
  } catch (const std::exception& e) {
    std::cerr << "reference_pour: error: " << e.what() << '\n';
    return 2;
  }
}
