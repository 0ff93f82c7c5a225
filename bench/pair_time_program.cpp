// SPDX-License-Identifier: Apache-2.0
//
// pair_time: evaluates a scene as often as its input says, and prints how long that took. Other programs drive it over
// a pipe, so that two contact codes can take turns on one core; instructions are counted with it too.
//
//   pair_time SCENE.json                     reads a number n from each line of the input, evaluates n times, prints
//                                            the seconds of this thread's processor time and of the clock
//   pair_time SCENE.json --repeat n          evaluates n times and ends
//   pair_time SCENE.json --write-meshes DIR  writes the geometries as DIR/NAME.vtk with point data 'extent'
// with [--precision float|double] [--envs N] [--threads T] [--vectors best|none|baseline|avx512]
//      [--step S]    bodies move by S seconds from call to call, ten calls forth and ten back
//      [--keep M]    candidates are kept, with a margin of at most M metres
//      [--polygons K]  polygons are written too, for which there is room for K in an environment
//      [--energy]      elastic energies are computed too
#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "isopatch/isopatch.h"

using namespace isopatch;

namespace {

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void write_meshes(const SceneDescription& scene, const std::string& directory) {
  for (const Geometry& geometry : scene.geometries) {
    if (geometry.kind != GeometryKind::kMesh) continue;
    TetMesh mesh = geometry.mesh;
    mesh.point_data["extent"] = geometry.extent;
    write_vtk(mesh, directory + "/" + geometry.name + ".vtk");
  }
}

// The scene's state in N environments. Every body moves along its own x and against its y by a little more in each
// next one, as in isopatch_bench, so that they do not share their branches; the first is the scene as it is.
StateArrays make_states(const SceneDescription& scene, std::int64_t environments) {
  StateArrays states(scene, environments);
  for (std::int64_t e = 0; e < environments; ++e) {
    for (std::int64_t b = 0; b < states.num_bodies; b += 2) {
      const double shift = 1e-4 * static_cast<double>(e % 17);
      double* pose = states.poses.data() + (e * states.num_bodies + b) * 7;
      pose[0] += shift;
      pose[1] -= shift;
    }
  }
  return states;
}

// The states that calls take in turn: ten steps forth and ten back, or one state if there are none.
std::vector<StateArrays> make_path(const StateArrays& start, double step) {
  std::vector<StateArrays> path = {start};
  if (step == 0) return path;
  constexpr int kForth = 10;
  for (int i = 1; i < 2 * kForth; ++i) {
    const double time = step * (i <= kForth ? i : 2 * kForth - i);
    StateArrays state = start;
    for (std::size_t body = 0; body < state.poses.size() / 7; ++body) {
      double* const pose = state.poses.data() + 7 * body;
      const double* const velocity = state.velocities.data() + 6 * body;
      const Eigen::Vector3d turn = time * Eigen::Vector3d(velocity[3], velocity[4], velocity[5]);
      const Eigen::Quaterniond before(pose[3], pose[4], pose[5], pose[6]);
      const Eigen::Quaterniond after = Eigen::AngleAxisd(turn.norm(), turn.stableNormalized()) * before;
      for (int k = 0; k < 3; ++k) pose[k] += time * velocity[k];
      pose[3] = after.w(), pose[4] = after.x(), pose[5] = after.y(), pose[6] = after.z();
    }
    path.push_back(std::move(state));
  }
  return path;
}

int run(int argc, char** argv) {
  const std::map<std::string, detail::Vectors> widths = {{"best", detail::Vectors::kBest},
                                                         {"none", detail::Vectors::kNone},
                                                         {"baseline", detail::Vectors::kBaseline},
                                                         {"avx512", detail::Vectors::kAvx512}};
  std::string path, precision = "float", vectors = "best", directory;
  int environments = 1, repeat = 0, threads = 1, polygon_capacity = 0;
  double step = 0, margin = 0;
  bool with_energy = false;
  CLI::App app("Evaluates a scene and says how long it took");
  app.add_option("scene", path, "scene file")->required();
  app.add_option("--precision", precision)->check(CLI::IsMember({"float", "double"}));
  app.add_option("--vectors", vectors)->check(CLI::IsMember(widths));
  app.add_option("--envs", environments, "environments, each a little apart")->check(CLI::Range(1, 1 << 20));
  app.add_option("--threads", threads, "1 unless said otherwise")->check(CLI::Range(1, 1024));
  app.add_option("--step", step, "s between calls")->check(CLI::NonNegativeNumber);
  app.add_option("--keep", margin, "m: keep candidates with a margin of at most so much")->check(CLI::PositiveNumber);
  app.add_option("--polygons", polygon_capacity, "write polygons too, in room for so many in an environment")
      ->check(CLI::PositiveNumber);
  app.add_flag("--energy", with_energy, "compute elastic energies too");
  app.add_option("--repeat", repeat, "evaluate so often and end")->check(CLI::Range(1, 1 << 30));
  app.add_option("--write-meshes", directory, "write the geometries there and end");
  CLI11_PARSE(app, argc, argv);

  const SceneDescription description = read_scene(path);
  if (!directory.empty()) {
    write_meshes(description, directory);
    return 0;
  }
  const Scene scene(description);
  detail::CpuOptions options;
  options.precision = precision == "float" ? Precision::kFloat : Precision::kDouble;
  options.num_threads = threads;
  options.vectors = widths.at(vectors);
  const Evaluator evaluator = detail::make_evaluator(scene, options);
  const std::vector<StateArrays> steps = make_path(make_states(description, environments), step);
  ResultArrays arrays(scene, environments,
                      {.patch = false, .energy = with_energy, .capacity = {{"polygons", polygon_capacity}}});
  arrays.body_wrench.clear();
  arrays.status.clear();
  std::vector<State> states;
  for (const StateArrays& of_step : steps) states.push_back(of_step.view());
  const Results results = arrays.view();
  std::optional<CandidateCache> candidates;
  if (margin > 0) candidates.emplace(evaluator.make_candidate_cache(environments, margin));
  std::size_t next = 0;
  const auto evaluate = [&] {
    const State& state = states[next];
    next = (next + 1) % states.size();
    candidates ? evaluator.evaluate(state, results, *candidates) : evaluator.evaluate(state, results);
  };

  if (repeat > 0) {
    for (int i = 0; i < repeat; ++i) evaluate();
    std::int64_t polygons = 0;
    for (const std::int32_t count : arrays.polygon_count) polygons += count;
    std::printf("%zu pairs, %lld polygons\n", arrays.polygon_count.size(), static_cast<long long>(polygons));
    return 0;
  }
  for (long n = 0; std::cin >> n;) {
    const auto start = std::chrono::steady_clock::now();
    const double start_processor = processor_seconds();
    for (long i = 0; i < n; ++i) evaluate();
    const double processor = processor_seconds() - start_processor;
    const std::chrono::duration<double> clock = std::chrono::steady_clock::now() - start;
    std::printf("%.9g %.9g\n", processor, clock.count());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "pair_time: error: " << e.what() << '\n';
    return 2;
  }
}
