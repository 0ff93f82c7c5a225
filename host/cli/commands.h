// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isopatch::cli {

/// What the commands that compute batches of environments have in common.
struct BatchArguments {
  std::string scene;
  std::optional<std::string> data;  // folder of mesh files; without it the scene file's
  std::string backend = "auto";
  std::string precision = "float";
  std::optional<std::int64_t> envs;  // without it 1, or all rows of the states file from `first` on
  std::int64_t first = 0;            // index of the first environment
  std::uint64_t seed = 0;
  int threads = 0;
  std::string states;
  std::string output;
  std::string vtk;
};

struct EvaluateArguments : BatchArguments {
  std::optional<double> time_step;  // s, of contacts with state; without it 0
  std::string svg;
  std::int64_t patches = 4;
  bool energy = false;
  bool part_pairs = false;
};

/// `isopatch evaluate`: evaluates a scene and writes results. Throws Error for bad input, Interrupted after a signal.
void evaluate_command(const EvaluateArguments& arguments);

struct RolloutArguments : BatchArguments {
  std::optional<std::int64_t> steps;  // without it the steps of the duration
  std::optional<double> duration;     // s; this and all up to `relation_capacity`: without them, what the scene says
  std::optional<double> time_step;    // s
  std::optional<std::string> integrator;  // "midpoint", "euler" or "sdirk2"
  std::optional<std::string> points;      // "matched", "centroid" or "fan6"
  std::vector<double> gravity;            // m/s^2, three or none
  std::optional<double> tolerance;        // of a solve
  std::optional<int> polygons;            // capacity of an environment
  std::optional<int> geometry_iterations;
  std::optional<int> relation_capacity;
  bool energies = false;              // kinetic, potential and elastic
  std::optional<std::int64_t> every;  // steps from row to row; without it 1, or for what is only looked at more
  bool check = false;                 // step also with half the time step
};

/// `isopatch rollout`: steps a scene in time. Throws Error for bad input, Interrupted after a signal.
void rollout_command(const RolloutArguments& arguments);

struct RenderArguments {
  std::string source;                // scene (.json), or results of a rollout (.npz) that lead to their scene
  std::optional<std::string> data;   // folder of mesh files; without it the scene file's
  std::string states;                // of environments, or results of a rollout
  std::optional<std::int64_t> envs;  // without it 1, or all rows of the states file
  std::string env;                   // those that are drawn, as "3" or "0,3-5"; empty: all, of a rollout 0
  std::int64_t every = 1;            // rows from one frame to the next
  std::uint64_t seed = 0;
  std::string output;  // of render; empty: a page beside the source
};

/// `isopatch render`: draws a scene with its contact patches. Throws Error for bad input, and in a build without the
/// packages that it needs, Interrupted after a signal.
void render_command(const RenderArguments& arguments);

/// `isopatch view`: the same as a page in a browser.
void view_command(const RenderArguments& arguments);

struct FieldArguments {
  std::string input;
  std::string output;
  std::string kind = "distance";
  std::string name = "extent";
  std::optional<double> core_depth;
  std::vector<double> core_ball;  // x, y, z, radius; empty without
  std::vector<std::int32_t> core_vertices;
  std::optional<double> true_strain;
  std::optional<double> power;
};

/// `isopatch field`: writes a mesh with a computed field and prints how good it is. Throws Error for bad input.
void field_command(const FieldArguments& arguments);

struct TetrahedralizeArguments {
  std::string input;
  std::string output;
  std::string mesher = "auto";
  std::optional<double> edge_length;
  std::optional<std::int64_t> triangles;  // the most that the surface may have
};

/// `isopatch tetrahedralize`: fills a closed surface with tets, none with all vertices on the surface, by a mesher
/// found on PATH. Throws Error for bad input, and if there is no mesher, Interrupted after a signal.
void tetrahedralize_command(const TetrahedralizeArguments& arguments);

/// `isopatch info`: describes meshes and scenes. `field` is the field of tet meshes: "distance", "laplace" or the name
/// of their point data, `data` the folder of the scenes' mesh files; without it, the folder of each scene. With
/// `within` it names the cheapest mesh whose forces are within that share.
void info_command(const std::vector<std::string>& files, const std::string& field = "distance",
                  const std::optional<std::string>& data = {}, std::optional<double> within = {});

/// The part of it for a scene file.
void scene_info(const std::string& file, const std::optional<std::string>& data);

}  // namespace isopatch::cli
