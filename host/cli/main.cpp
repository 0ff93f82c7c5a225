// SPDX-License-Identifier: Apache-2.0
//
// The isopatch command. Exit status: 0 done, 2 bad input or usage, 130 interrupted.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <new>

#include "host/cli/commands.h"
#include "host/cli/usage/usage_error.h"
#include "host/cli/usage/version.h"
#include "host/mesh/files/file_cursor.h"
#include "host/meshing/interrupt.h"
#include "host/text/quote.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace {

constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

/// Looks at the text, because CLI11 reads a number that does not fit its type as the largest value, and -1 as 2^64 - 1.
template <typename Number>
CLI::Validator whole(Number low, Number high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool read = error == std::errc() && end == text.data() + text.size();
        if (read && value >= low && value <= high) return std::string();
        return fmt::format("{} is not a whole number from {} to {}", isopatch::detail::in_quotes(text), low, high);
      },
      "");
}

const CLI::Validator kReal(
    [](const std::string& text) {
      double value = 0;
      const bool finite = isopatch::detail::parse_real(text, value) && std::isfinite(value);
      return finite ? "" : isopatch::detail::in_quotes(text) + " is not a finite number that a double can hold";
    },
    "");

CLI::Validator real_between(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        double value = 0;
        const bool inside = isopatch::detail::parse_real(text, value) && value >= low && value <= high;
        return inside ? ""
                      : fmt::format("{} is not a number from {} to {}", isopatch::detail::in_quotes(text), low, high);
      },
      "");
}

void add_data_option(CLI::App* command, std::optional<std::string>& folder) {
  command->add_option("--data", folder, "folder of relative paths of mesh files (default: that of the scene file)")
      ->option_text("DIR");
}

/// The options that all commands with batches of environments have.
void add_batch_options(CLI::App* command, isopatch::cli::BatchArguments& arguments) {
  command->add_option("scene", arguments.scene, "scene file (.json)")->required()->option_text("SCENE.json");
  add_data_option(command, arguments.data);
  command
      ->add_option("--backend", arguments.backend, "auto (default: cuda if there is a device), cpu, cuda or reference")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}))
      ->option_text("NAME");
  command->add_option("--precision", arguments.precision, "float (default) or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->option_text("NAME");
  command->add_option("--envs", arguments.envs, "environments: the scene and random variations of it")
      ->check(whole<std::int64_t>(1, 100'000'000))
      ->option_text("N");
  command->add_option("--first", arguments.first, "index of the first environment, to split a run (default 0)")
      ->check(whole<std::int64_t>(0, 1'000'000'000'000))
      ->option_text("K");
  command->add_option("--seed", arguments.seed, "seed of the variations (default 0)")
      ->check(whole<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()))
      ->option_text("S");
  command->add_option("--threads", arguments.threads, "threads of cpu and reference (default: all cores)")
      ->check(whole<int>(0, 4096))
      ->option_text("T");
}

/// Refuses --seed, which would have no effect on states from a file.
void add_states_option(CLI::App* command, isopatch::cli::BatchArguments& arguments, const char* description) {
  command->add_option("--states", arguments.states, description)
      ->excludes(command->get_option("--seed"))
      ->option_text("FILE.npz");
}

void add_evaluate(CLI::App& app, isopatch::cli::EvaluateArguments& arguments) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "Evaluate contact in a scene");
  add_batch_options(evaluate, arguments);
  add_states_option(evaluate, arguments,
                    "states of the environments instead of variations; also a file with results, for its states");
  evaluate->add_option("--output", arguments.output, "results as .json or .npz")->option_text("FILE");
  evaluate->add_flag("--energy", arguments.energy, "elastic energy too (always in results of up to 64 environments)");
  evaluate->add_flag("--part-pairs", arguments.part_pairs, "the wrench of each part pair too");
  CLI::Option* vtk = evaluate->add_option("--vtk", arguments.vtk, "contact patches and bodies for ParaView");
  vtk->option_text("DIR");
  evaluate->add_option("--patches", arguments.patches, "environments to write with --vtk (default 4)")
      ->check(whole<std::int64_t>(0, 10'000))
      ->needs(vtk)
      ->option_text("K");
}

void add_rollout(CLI::App& app, isopatch::cli::RolloutArguments& arguments) {
  CLI::App* rollout = app.add_subcommand("rollout", "Simulate a scene in time");
  add_batch_options(rollout, arguments);
  CLI::Option* steps =
      rollout->add_option("--steps", arguments.steps, "time steps (default: those of the duration); 0: only the start");
  steps->check(whole<std::int64_t>(0, 1'000'000'000'000))->option_text("K");
  rollout->add_option("--duration", arguments.duration, "duration, s, instead of --steps (default: the scene's)")
      ->check(real_between(isopatch::limits::kMinTimeStep, isopatch::limits::kMaxTime))
      ->excludes(steps)
      ->option_text("S");
  rollout->add_option("--dt", arguments.time_step, "time step, s (default: the scene's)")
      ->check(real_between(isopatch::limits::kMinTimeStep, isopatch::limits::kMaxTime))
      ->option_text("H");
  rollout->add_option("--integrator", arguments.integrator, "euler, sdirk2 or cvode (default: the scene's)")
      ->check(CLI::IsMember({"euler", "sdirk2", "cvode"}))
      ->option_text("NAME");
  rollout
      ->add_option("--points", arguments.points,
                   "points of a polygon that carry its forces: matched, centroid or fan6 (default: the scene's)")
      ->check(CLI::IsMember({"matched", "centroid", "fan6"}))
      ->option_text("NAME");
  rollout->add_option("--gravity", arguments.gravity, "gravity, world frame, m/s^2 (default: the scene's)")
      ->expected(3)
      ->check(real_between(-isopatch::limits::kMaxAcceleration, isopatch::limits::kMaxAcceleration))
      ->option_text("X Y Z");
  rollout->add_option("--tolerance", arguments.tolerance, "tolerance of a solve (default: the scene's)")
      ->check(real_between(isopatch::limits::kMinTolerance, isopatch::limits::kMaxTolerance))
      ->option_text("T");
  rollout
      ->add_option("--polygons", arguments.polygons,
                   "most contact polygons of an environment (default: the scene's); 0: no limit")
      ->check(whole<int>(0, isopatch::limits::kMaxPolygonCapacity))
      ->option_text("K");
  rollout
      ->add_option("--every", arguments.every,
                   "steps from row to row (default 1; for a table alone, about 20 rows in all)")
      ->check(whole<std::int64_t>(1, 1'000'000'000'000))
      ->option_text("M");
  add_states_option(
      rollout, arguments,
      "states to start from instead of variations; also a file with results: continues from its last row");
  rollout->add_option("--output", arguments.output, "results of all rows, instead of a table")->option_text("FILE.npz");
  rollout->add_option("--vtk", arguments.vtk, "series of contact patches and bodies for ParaView")->option_text("DIR");
  rollout->add_flag("--check", arguments.check,
                    "what half the time step changes: the largest difference of each body over all rows");
}

void add_field(CLI::App& app, isopatch::cli::FieldArguments& arguments) {
  CLI::App* field = app.add_subcommand("field", "Compute the extent field of a tet mesh and write it as point data");
  field->add_option("input", arguments.input, "mesh (.vtk)")->required()->option_text("IN.vtk");
  field->add_option("output", arguments.output, "the checked mesh with its field (.vtk)")
      ->required()
      ->option_text("OUT.vtk");
  field->add_option("--kind", arguments.kind, "distance (default) or laplace")
      ->check(CLI::IsMember({"distance", "laplace"}))
      ->option_text("NAME");
  field->add_option("--name", arguments.name, "name of the point data (default extent)")->option_text("NAME");
  field->add_option("--core-depth", arguments.core_depth, "laplace: 1 on all vertices at least this deep, m")
      ->check(kReal)
      ->option_text("D");
  field->add_option("--core-ball", arguments.core_ball, "laplace: 1 on all vertices in a ball, m")
      ->expected(4)
      ->check(kReal)
      ->option_text("X Y Z R");
  field->add_option("--core-vertices", arguments.core_vertices, "laplace: 1 on these vertices")
      ->check(whole<std::int32_t>(0, std::numeric_limits<std::int32_t>::max()))
      ->option_text("I...");
  field->add_option("--true-strain", arguments.true_strain, "field = ln(1 - S e) / ln(1 - S)")
      ->check(kReal)
      ->option_text("S");
  field->add_option("--power", arguments.power, "field = e^N")->check(kReal)->option_text("N");
}

void add_tetrahedralize(CLI::App& app, isopatch::cli::TetrahedralizeArguments& arguments) {
  CLI::App* command = app.add_subcommand("tetrahedralize", "Fill a closed surface with tets, by TetGen or Gmsh");
  command->add_option("input", arguments.input, "surface (.obj or .stl)")->required()->option_text("IN.obj");
  command->add_option("output", arguments.output, "tet mesh (.vtk)")->required()->option_text("OUT.vtk");
  command->add_option("--mesher", arguments.mesher, "auto (default: the first that is there), tetgen or gmsh")
      ->check(CLI::IsMember({"auto", "tetgen", "gmsh"}))
      ->option_text("NAME");
  command
      ->add_option("--edge-length", arguments.edge_length,
                   "about that of the tets, m; longer edges of the surface are cut")
      ->check(kReal)
      ->option_text("L");
}

int run(int argc, char** argv) {
  CLI::App app("Pressure-field contact between tetrahedral meshes, for many environments at once.", "isopatch");
  app.require_subcommand(1);
  app.set_version_flag("--version", &isopatch::cli::version_text, "print the version and what this build has");
  isopatch::cli::EvaluateArguments arguments;
  add_evaluate(app, arguments);
  isopatch::cli::RolloutArguments rollout;
  add_rollout(app, rollout);
  isopatch::cli::FieldArguments field;
  add_field(app, field);
  isopatch::cli::TetrahedralizeArguments tetrahedralize;
  add_tetrahedralize(app, tetrahedralize);
  std::vector<std::string> files;
  std::string info_field = "distance";
  std::optional<std::string> info_data;
  CLI::App* info = app.add_subcommand("info", "Describe meshes (.vtk, .vtu, .msh, .obj, .stl) and scenes (.json)");
  info->add_option("files", files, "files")->required()->option_text("FILE...");
  info->add_option("--field", info_field, "of tet meshes: distance (default), laplace or the name of their point data")
      ->option_text("NAME");
  add_data_option(info, info_data);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw isopatch::Error(isopatch::cli::usage_error(app, argc > 1 ? argv[1] : "", error));
  }
  if (app.got_subcommand("evaluate")) {
    isopatch::cli::evaluate_command(arguments);
  } else if (app.got_subcommand("rollout")) {
    isopatch::cli::rollout_command(rollout);
  } else if (app.got_subcommand("field")) {
    isopatch::cli::field_command(field);
  } else if (app.got_subcommand("tetrahedralize")) {
    isopatch::cli::tetrahedralize_command(tetrahedralize);
  } else {
    isopatch::cli::info_command(files, info_field, info_data);
  }
  return 0;
}

/// Throws if something could not be printed, as on a full disk.
void flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return;
  throw isopatch::Error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    isopatch::detail::handle_signals();
    const int code = run(argc, argv);
    flush_output();
    return code;
  } catch (const isopatch::detail::Interrupted&) {
    fmt::print(stderr, "isopatch: interrupted, nothing written\n");
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "isopatch: error: not enough memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "isopatch: error: {}\n", isopatch::detail::message_text(error.what()));
  }
  return kBadInput;
}
