// SPDX-License-Identifier: Apache-2.0
//
// What benchmarks of evaluations have in common: their scenes, and batches of environments of one.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/batches/variety.h"
#include "bench/evaluations/bench_meshes.h"
#include "isopatch/isopatch.h"
#include "tests/support/data_folder.h"

namespace isopatch::bench {

struct BenchScene {
  std::string name;
  SceneDescription scene;            // bodies at a pose that gives the kind of contact the name says
  std::int64_t most_cuda = 0;        // environments; more would take too long
  std::int64_t others_compared = 0;  // as many as others evaluate at once
  double shift = 1e-4;               // of the first body from one environment to the next, m
  Variety variety = Variety::kNear;
};

inline std::array<double, 7> pose(Point3 position, Point3 axis = {0, 0, 1}, double angle = 0) {
  const double length = std::hypot(axis[0], axis[1], axis[2]), s = std::sin(angle / 2) / length;
  return {position[0], position[1], position[2], std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
}

inline Body body(int index, int geometry, std::array<double, 7> at, double modulus) {
  Body b;
  b.name = std::string("body ") + std::to_string(index);
  b.geometry = geometry;
  b.modulus = modulus;
  b.friction = 0.5;
  b.dissipation = 1;
  b.pose = at;
  return b;
}

/// The first body moves over the second.
inline BenchScene two_bodies(std::string name, Geometry a, Geometry b, std::array<double, 7> at,
                             std::int64_t most_cuda = 65536) {
  SceneDescription d;
  d.geometries = {std::move(a), std::move(b)};
  d.bodies = {body(0, 0, at, 1e5), body(1, 1, pose({0, 0, 0}), 2e5)};
  d.bodies[0].velocity = {0.1, 0, -0.05, 0, 0, 3};
  d.pairs = {{0, 1, {}, {}}};
  return {std::move(name), std::move(d), most_cuda};
}

/// A compliant nut on the thread of a rigid bolt, touching all along it: the shapes and the pose of
/// bench/scenes/nut_on_bolt.json, which has 24 segments.
inline BenchScene nut_on_bolt(int segments = 24) {
  Nut nut;
  nut.segments = segments;
  Bolt bolt;
  bolt.segments = segments;
  bolt.thread.clearance = 4.2e-5;
  BenchScene s = two_bodies("nut_on_bolt", make_nut("nut", nut), make_surface_mesh("bolt", make_bolt_surface(bolt)),
                            pose({0, 0, 0.0148}), 1024);
  s.scene.bodies[0].modulus = 1e8;
  s.scene.bodies[0].velocity = {0, 0, 0, 0, 0, -1};
  s.scene.bodies[1].rigid = true;
  s.others_compared = 200;
  s.shift = 1e-7;
  if (segments != 24) s.name += "_" + std::to_string(segments);
  return s;
}

/// The sphere and the box that bench/drake times as "sphere on box".
inline BenchScene sphere512_on_box44() {
  return two_bodies("sphere512_on_box44", make_tet_mesh("sphere", make_octahedron_sphere(0.05, 3)),
                    make_tet_mesh("box", bisected(make_box_mesh({0.2, 0.25, 0.1}), 44)),
                    pose({0.01, -0.02, 0.093}, {0.3, 1, 0.2}, 0.5));
}

/// A dense clip: nearly every pair of tets that is tested has a polygon (13 of 16), and here a wrench with damping and
/// friction is integrated over each. In sphere1280_on_half_space it is every tet that is tested.
inline BenchScene four_tets_on_four_tets() {
  return two_bodies("four_tets_on_four_tets", make_tet_mesh("upper", make_four_tets(0.1)),
                    make_tet_mesh("lower", make_four_tets(0.1)), pose({0.003, 0.002, -0.03}, {1, 0.01, 0}, 2.9));
}

/// Eight boxes, each turned and tilted a little on the one below, on a rigid floor: 8 pairs touch of 36.
inline BenchScene box_stack() {
  SceneDescription d;
  d.geometries = {make_box("box", {0.1, 0.12, 0.08}), make_half_space("floor", 0.1)};
  for (int i = 0; i < 8; ++i) {
    d.bodies.push_back(
        body(i, 0, pose({0.002 * (i % 3), 0, 0.039 + 0.078 * i}, {0.1, 0.1 * (i % 2), 1}, 0.2 * i), 1e5));
  }
  d.bodies.push_back(body(8, 1, pose({0, 0, 0}), 1e5));
  d.bodies.back().rigid = true;
  d.pairs = all_pairs(d);
  return {"box24_stack_of_8", std::move(d), 16384};
}

inline std::optional<BenchScene> pepper_in_bowl() {
  const char *pepper = "yellow_bell_pepper_no_stem_low.vtk", *bowl = "evo_bowl_coarse3k.vtk";
  for (const char* file : {pepper, bowl}) {
    if (have_data_file(file)) continue;
    std::fprintf(stderr, "pepper_in_bowl is left out: %s\n", missing_data_file(file).c_str());
    return {};
  }
  return two_bodies("pepper_in_bowl", make_tet_mesh("pepper", read_vtk(data_file(pepper))),
                    make_tet_mesh("bowl", read_vtk(data_file(bowl))), pose({0, 0, -0.0275}, {0, 0, 1}, 0.3), 16384);
}

inline std::vector<BenchScene> bench_scenes() {
  const Point3 axis = {0.3, 1, 0.2};
  const auto sphere = [](int subdivisions) { return make_sphere("sphere", 0.05, subdivisions); };
  std::vector<BenchScene> scenes = {
      sphere512_on_box44(),
      four_tets_on_four_tets(),
      two_bodies("box24_on_box24", make_box("box", {0.1, 0.11, 0.12}), make_box("box", {0.12, 0.13, 0.14}),
                 pose({0.03, 0.03, 0.11}, {0.2, 1, 0.3}, 0.15)),
      two_bodies("sphere320_on_box24", sphere(2), make_box("box", {0.2, 0.25, 0.1}),
                 pose({0.01, -0.02, 0.085}, axis, 0.5)),
      two_bodies("sphere320_on_sphere320", sphere(2), sphere(2), pose({0.01, 0.005, 0.0885}, axis, 0.5)),
      two_bodies("sphere1280_on_sphere1280", sphere(3), sphere(3), pose({0.01, 0.005, 0.0888}, axis, 0.5)),
      two_bodies("sphere5120_on_sphere5120_deep", sphere(4), sphere(4), pose({0.024, 0.016, 0.07456}, axis, 0.5), 256),
      two_bodies("sphere1280_on_half_space", sphere(3), make_half_space("floor", 0.1), pose({0, 0, 0.015}, axis, 0.5)),
      box_stack(),
      nut_on_bolt(),
  };
  if (auto scene = pepper_in_bowl()) scenes.push_back(std::move(*scene));
  std::vector<BenchScene> varied;
  for (const char* name : {"sphere512_on_box44", "sphere1280_on_sphere1280"}) {
    const auto near = std::find_if(scenes.begin(), scenes.end(), [&](const BenchScene& s) { return s.name == name; });
    for (const Variety variety : {Variety::kTurned, Variety::kMixed}) {
      varied.push_back(*near);
      varied.back().name += suffix_of(variety);
      varied.back().variety = variety;
    }
  }
  scenes.insert(scenes.end(), varied.begin(), varied.end());
  return scenes;
}

struct Batch {
  Scene scene;
  StateArrays states;
  ResultArrays results;

  Batch(const BenchScene& s, std::int64_t environments, const ResultSelection& selection = {.patch = false})
      : scene(s.scene),
        states(make_states(s.name, scene, s.variety, environments, s.shift)),
        results(scene, environments, selection) {
    results.body_wrench.clear();
    results.status.clear();
  }
};

inline benchmark::Counter rate(double amount) { return {amount, benchmark::Counter::kIsIterationInvariantRate}; }

/// Registers cpu benchmarks of 16 and 4096 environments, on one thread and on all: run(state, environments, threads).
inline void register_on_cpu(const std::string& name, std::int64_t most,
                            const std::function<void(benchmark::State&, std::int64_t, int)>& run) {
  for (const std::int64_t n : {std::int64_t{16}, std::int64_t{4096}}) {
    if (n > 16 && most < n) continue;
    const int threads = n == 16 ? 1 : 0;  // one core, then all
    benchmark::RegisterBenchmark((name + std::to_string(n)).c_str(), [=](benchmark::State& s) { run(s, n, threads); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

/// Registers a cuda benchmark of each size that is not too large, which says itself how long it took.
inline void register_on_cuda(const std::string& name, std::int64_t most, const std::vector<std::int64_t>& sizes,
                             const std::function<void(benchmark::State&, std::int64_t)>& run) {
  for (const std::int64_t n : sizes) {
    if (n > most) continue;
    benchmark::RegisterBenchmark((name + std::to_string(n)).c_str(), [=](benchmark::State& s) { run(s, n); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace isopatch::bench
