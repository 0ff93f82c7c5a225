// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/declarations.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "host/cli/environment_list.h"
#include "host/cli/usage/command_text.h"
#include "host/cli/usage/help_text.h"
#include "host/mesh/files/file_cursor.h"
#include "host/scene/enumerator_names.h"
#include "host/text/quote.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// Looks at the text, because CLI11 reads a number that does not fit its type as the largest value, and -1 as 2^64 - 1.
template <typename Number>
CLI::Validator whole(Number low, Number high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool read = error == std::errc() && end == text.data() + text.size();
        if (read && value >= low && value <= high) return std::string();
        return fmt::format("{} is not a whole number from {} to {}", in_quotes(text), low, high);
      },
      "");
}

const CLI::Validator kReal(
    [](const std::string& text) {
      double value = 0;
      const bool finite = parse_real(text, value) && std::isfinite(value);
      return finite ? "" : in_quotes(text) + " is not a finite number that a double can hold";
    },
    "");

CLI::Validator real_between(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        double value = 0;
        const bool inside = parse_real(text, value) && value >= low && value <= high;
        return inside ? "" : fmt::format("{} is not a number from {} to {}", in_quotes(text), low, high);
      },
      "");
}

/// Refuses an empty text, and for a path an option, which follows a variable of the shell that is not set.
CLI::Validator given(const std::string& value_text, bool is_option) {
  const bool is_path = path_kind(value_text) != PathKind::kNone;
  return CLI::Validator(
      [value_text, is_option, is_path](const std::string& text) {
        if (text.empty()) return empty_value(value_text, is_option);
        if (is_path && text.starts_with("--")) {
          return fmt::format("found the option {} instead of {}", in_quotes(text, '"'), value_text);
        }
        return std::string();
      },
      "");
}

/// Adds an option or argument whose value the help calls `value_text`.
template <class Value>
CLI::Option* add(CLI::App* command, const char* name, Value& value, const char* value_text, const char* description,
                 const CLI::Validator& check = {}) {
  CLI::Option* option = command->add_option(name, value, description)->option_text(value_text);
  return option->check(given(value_text, !option->get_positional()))->check(check);
}

void add_data_option(CLI::App* command, std::optional<std::string>& folder) {
  const CLI::Validator is_folder(
      [](const std::string& text) {
        std::error_code error;
        return std::filesystem::is_directory(text, error) ? "" : in_quotes(text) + " is not a folder";
      },
      "");
  add(command, "--data", folder, "DIR", "folder of relative paths of mesh files (default: that of the scene file)",
      is_folder);
}

/// The options that all commands with batches of environments have.
void add_batch_options(CLI::App* command, BatchArguments& arguments) {
  add(command, "scene", arguments.scene, "SCENE.json", "scene file (.json)")->required();
  add_data_option(command, arguments.data);
  add(command, "--backend", arguments.backend, "NAME",
      "auto (default: cuda if there is a device), cpu, cuda or reference",
      CLI::IsMember({"auto", "cpu", "cuda", "reference"}));
  add(command, "--precision", arguments.precision, "NAME", "float (default) or double",
      CLI::IsMember({"float", "double"}));
  add(command, "--envs", arguments.envs, "N", "environments: the scene and random variations of it",
      whole<std::int64_t>(1, 100'000'000));
  add(command, "--first", arguments.first, "K", "index of the first environment, to split a run (default 0)",
      whole<std::int64_t>(0, 1'000'000'000'000));
  add(command, "--seed", arguments.seed, "S", "seed of the variations (default 0)",
      whole<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()));
  add(command, "--threads", arguments.threads, "T", "threads of cpu and reference (default: all cores)",
      whole<int>(0, 4096));
}

/// Refuses --seed, which would have no effect on states from a file.
void add_states_option(CLI::App* command, BatchArguments& arguments, const char* description) {
  add(command, "--states", arguments.states, "FILE.npz", description)->excludes(command->get_option("--seed"));
}

void add_evaluate(CLI::App& app, EvaluateArguments& arguments) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "Evaluate contact in a scene");
  add_batch_options(evaluate, arguments);
  add_states_option(evaluate, arguments,
                    "states of the environments instead of variations; also a file with results, for its states");
  add(evaluate, "--dt", arguments.time_step, "H",
      "time step, s: of contacts with state (default 0: their friction holds no further), and how long rigid "
      "convex parts may move until they meet (default 0)",
      real_between(0, limits::kMaxTime));
  add(evaluate, "--output", arguments.output, "FILE", "results as .json or .npz");
  evaluate->add_flag("--energy", arguments.energy, "the elastic energy of each pair too");
  evaluate->add_flag("--part-pairs", arguments.part_pairs, "the wrench of each part pair too");
  CLI::Option* vtk = add(evaluate, "--vtk", arguments.vtk, "DIR",
                         "contact patches, bodies and contacts of rigid convex parts for ParaView");
  add(evaluate, "--patches", arguments.patches, "K", "environments to write with --vtk (default 4)",
      whole<std::int64_t>(0, 10'000))
      ->needs(vtk);
  add(evaluate, "--svg", arguments.svg, "FILE.svg", "picture of the patches of the first environment, for a browser");
  evaluate->callback([&arguments] { evaluate_command(arguments); });
}

void add_rollout(CLI::App& app, RolloutArguments& arguments) {
  CLI::App* rollout = app.add_subcommand("rollout", "Simulate a scene in time");
  add_batch_options(rollout, arguments);
  CLI::Option* steps =
      add(rollout, "--steps", arguments.steps, "K", "time steps (default: those of the duration); 0: only the start",
          whole<std::int64_t>(0, 1'000'000'000'000));
  const CLI::Validator is_time = real_between(limits::kMinTimeStep, limits::kMaxTime);
  add(rollout, "--duration", arguments.duration, "S", "duration, s, instead of --steps (default: the scene's)", is_time)
      ->excludes(steps);
  add(rollout, "--dt", arguments.time_step, "H", "time step, s (default: the scene's)", is_time);
  add(rollout, "--integrator", arguments.integrator, "NAME", "midpoint, euler or sdirk2 (default: the scene's)",
      CLI::IsMember(std::vector<std::string>(kIntegratorNames)));
  add(rollout, "--points", arguments.points, "NAME",
      "points of a polygon that carry its forces: matched, centroid or fan6 (default: the scene's)",
      CLI::IsMember(std::vector<std::string>(kContactPointsNames)));
  add(rollout, "--gravity", arguments.gravity, "X Y Z", "gravity, world frame, m/s^2 (default: the scene's)",
      real_between(-limits::kMaxAcceleration, limits::kMaxAcceleration))
      ->expected(3);
  add(rollout, "--tolerance", arguments.tolerance, "T", "tolerance of a solve (default: the scene's)",
      real_between(limits::kMinTolerance, limits::kMaxTolerance));
  add(rollout, "--polygons", arguments.polygons, "K",
      "most contact polygons of an environment (default: the scene's); 0: no limit",
      whole<int>(0, limits::kMaxPolygonCapacity));
  add(rollout, "--geometry-iterations", arguments.geometry_iterations, "K",
      "searches in a step until rigid convex parts do not overlap (default: the scene's)",
      whole<int>(1, limits::kMaxGeometryIterations));
  add(rollout, "--relation-capacity", arguments.relation_capacity, "K",
      "most contacts and relations of rigid convex parts of an environment (default: the scene's); 0: no limit",
      whole<int>(0, limits::kMaxRelationCapacity));
  rollout->add_flag("--energies", arguments.energies, "kinetic, potential and elastic energy too, in table and file");
  add(rollout, "--every", arguments.every, "M",
      "steps from row to row (default 1; for a table alone about 20 rows in all, with --vtk about 60)",
      whole<std::int64_t>(1, 1'000'000'000'000));
  add_states_option(
      rollout, arguments,
      "states to start from instead of variations; also a file with results: continues from its last row");
  add(rollout, "--output", arguments.output, "FILE.npz", "results of all rows, instead of a table");
  add(rollout, "--vtk", arguments.vtk, "DIR",
      "series of contact patches and bodies for ParaView; without --every about 60 frames");
  rollout->add_flag("--check", arguments.check,
                    "what half the time step changes: the largest difference of each body over all rows");
  rollout->callback([&arguments] { rollout_command(arguments); });
}

/// The options of render and view.
void add_picture_options(CLI::App* command, RenderArguments& arguments) {
  add(command, "source", arguments.source, "SCENE.json|RUN.npz",
      "scene file (.json), or what rollout --output has written (.npz)")
      ->required();
  add(command, "--states", arguments.states, "FILE.npz",
      "states of environments, or a rollout, which plays; with a scene file");
  add(command, "--envs", arguments.envs, "N",
      "environments: the scene and random variations of it, or the first rows of --states (default: 1; all rows)",
      whole<std::int64_t>(1, 100'000'000));
  const CLI::Validator is_list(
      [](const std::string& text) {
        const bool is_one = parsed_environments(text).has_value();
        return is_one ? "" : in_quotes(text) + " is no list of environments, as 3, 0,3,5 or 0-7";
      },
      "");
  add(command, "--env", arguments.env, "LIST",
      "draw these environments alone, as 3, 0,3,5 or 0-7; those of a rollout are chosen in the page (default: all; of "
      "a rollout 0)",
      is_list);
  add(command, "--every", arguments.every, "M", "rows of a rollout, or environments, from frame to frame (default 1)",
      whole<std::int64_t>(1, 1'000'000'000'000));
  add(command, "--seed", arguments.seed, "S", "seed of the variations (default 0)",
      whole<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()))
      ->excludes(command->get_option("--states"));
  add_data_option(command, arguments.data);
}

void add_render(CLI::App& app, RenderArguments& arguments) {
  CLI::App* render = app.add_subcommand("render", "Draw a scene or a rollout with its contact patches");
  add_picture_options(render, arguments);
  add(render, "-o,--output", arguments.output, "FILE",
      "a page (.html), binary glTF (.glb), or by the Python package a picture (.png) or film (.mp4, .gif) (default: a "
      "page beside the source)");
  render->callback([&arguments] { render_command(arguments); });
}

void add_view(CLI::App& app, RenderArguments& arguments) {
  CLI::App* view = app.add_subcommand("view", "Show a scene or a rollout with its contact patches in a browser");
  add_picture_options(view, arguments);
  view->callback([&arguments] { view_command(arguments); });
}

void add_field(CLI::App& app, FieldArguments& arguments) {
  CLI::App* field = app.add_subcommand("field", "Compute the extent field of a tet mesh and write it as point data");
  add(field, "input", arguments.input, "IN.vtk", "mesh (.vtk)")->required();
  add(field, "output", arguments.output, "OUT.vtk", "the checked mesh with its field (.vtk)")->required();
  add(field, "--kind", arguments.kind, "NAME", "distance (default) or laplace", CLI::IsMember({"distance", "laplace"}));
  add(field, "--name", arguments.name, "NAME", "name of the point data (default extent)");
  add(field, "--core-depth", arguments.core_depth, "D", "laplace: 1 on all vertices at least this deep, m", kReal);
  add(field, "--core-ball", arguments.core_ball, "X Y Z R", "laplace: 1 on all vertices in a ball, m", kReal)
      ->expected(4);
  add(field, "--core-vertices", arguments.core_vertices, "I...", "laplace: 1 on these vertices",
      whole<std::int32_t>(0, std::numeric_limits<std::int32_t>::max()));
  add(field, "--true-strain", arguments.true_strain, "S", "field = ln(1 - S e) / ln(1 - S)", kReal);
  add(field, "--power", arguments.power, "N", "field = e^N", kReal);
  field->callback([&arguments] { field_command(arguments); });
}

void add_tetrahedralize(CLI::App& app, TetrahedralizeArguments& arguments) {
  CLI::App* command = app.add_subcommand("tetrahedralize", "Fill a closed surface with tets, by TetGen or Gmsh");
  add(command, "input", arguments.input, "IN.obj", "surface (.obj, .stl, .ply, .off, .glb or .gltf)")->required();
  add(command, "output", arguments.output, "OUT.vtk", "tet mesh (.vtk)")->required();
  add(command, "--mesher", arguments.mesher, "NAME", "auto (default: the first that is there), tetgen or gmsh",
      CLI::IsMember({"auto", "tetgen", "gmsh"}));
  add(command, "--edge-length", arguments.edge_length, "L",
      "about that of the tets, m; longer edges of the surface are cut", kReal);
  add(command, "--triangles", arguments.triangles, "N",
      "coarsen the surface to about so many triangles, before --edge-length cuts them",
      whole<std::int64_t>(4, std::numeric_limits<std::int32_t>::max()));
  command->callback([&arguments] { tetrahedralize_command(arguments); });
}

void add_info(CLI::App& app, InfoArguments& arguments) {
  CLI::App* info = app.add_subcommand("info", "Describe a file of tets, of a surface, or a scene (.json)");
  add(info, "files", arguments.files, "FILE...", "files")->required();
  add(info, "--field", arguments.field, "NAME",
      "of tet meshes: distance (default), laplace or the name of their point data");
  add_data_option(info, arguments.data);
  add(info, "--within", arguments.within, "SHARE",
      "name the cheapest mesh of each geometry with forces within this share of those of a mesh 16 times as fine",
      kReal);
  info->callback([&arguments] { info_command(arguments.files, arguments.field, arguments.data, arguments.within); });
}

void add_help(CLI::App& app, std::string& command) {
  CLI::App* help = app.add_subcommand("help", "Print the help of a command");
  add(help, "command", command, kCommandValue, "name of the command (default: the help of isopatch itself)");
  help->callback([&app, &command] {
    const CLI::App* found = command.empty() ? &app : find_command(app, command);
    if (found == nullptr) throw Error(unknown_command(app, command));
    fmt::print("{}", help_text(*found));
  });
}

/// Not in the help: what `cmake --install` installs beside the program.
void add_generate(CLI::App& app, Arguments& arguments, const VersionText& version) {
  CLI::App* generate = app.add_subcommand("generate", "Print the manual page or the completions of a shell");
  generate->group("");
  add(generate, "what", arguments.generated, "NAME", "man, bash, zsh or fish",
      CLI::IsMember({"man", "bash", "zsh", "fish"}))
      ->required();
  add(generate, "--date", arguments.date, "DATE", "date of the manual page");
  generate->callback([&app, &arguments, version] {
    const ProgramText program = program_text(app, version());
    fmt::print("{}", arguments.generated == "man"    ? manual_page(program, arguments.date)
                     : arguments.generated == "bash" ? bash_completions(program)
                     : arguments.generated == "zsh"  ? zsh_completions(program)
                                                     : fish_completions(program));
  });
}

}  // namespace

void declare(CLI::App& app, Arguments& arguments, const VersionText& version) {
  app.description("Pressure-field contact between tetrahedral meshes, for many environments at once");
  app.name("isopatch");
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) { return help_text(*command); });
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  app.set_version_flag("--version", version, "print the version and what this build has");
  add_evaluate(app, arguments.evaluate);
  add_rollout(app, arguments.rollout);
  add_render(app, arguments.render);
  add_view(app, arguments.view);
  add_field(app, arguments.field);
  add_tetrahedralize(app, arguments.tetrahedralize);
  add_info(app, arguments.info);
  add_help(app, arguments.helped);
  add_generate(app, arguments, version);
}

}  // namespace isopatch::cli
