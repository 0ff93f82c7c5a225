// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "host/cli/batch_report.h"
#include "host/cli/commands.h"
#include "host/cli/process/progress.h"
#include "host/cli/process/stage_times.h"
#include "host/cli/render/picture_frames.h"
#include "host/cli/rollout/rows.h"
#include "host/cli/rollout/start_states.h"
#include "host/cli/rollout/stepper.h"
#include "host/cli/states_file.h"
#include "host/cli/warnings.h"
#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/pictures/vtk_files.h"
#include "host/rollout/rollout_data.h"
#include "host/scene/enumerator_names.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/force_law/contact_state.h"
#include "isopatch/host_evaluator.h"
#include "isopatch/scene/scene_file.h"
#include "isopatch/simulator.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kRowsOfTable = 20;
constexpr std::int64_t kFrames = 60;  // two seconds of a film
constexpr std::int64_t kPicturedEnvironments = 4;
constexpr double kMaxSteps = 1e12;
constexpr double kSameTime = 1e-9;  // s

/// The enumerator whose name it is.
template <class Enumerator>
void read_name(const std::optional<std::string>& name, const std::vector<std::string>& names, Enumerator& to) {
  if (name) to = static_cast<Enumerator>(std::find(names.begin(), names.end(), *name) - names.begin());
}

/// The scene, stepped as the command line says.
SceneDescription scene_of(const RolloutArguments& arguments) {
  SceneDescription scene = read_scene(arguments.scene, arguments.data);
  RolloutOptions& rollout = scene.rollout;
  if (arguments.time_step) rollout.time_step = *arguments.time_step;
  if (arguments.duration) rollout.duration = *arguments.duration;
  if (arguments.tolerance) rollout.tolerance = *arguments.tolerance;
  if (!arguments.gravity.empty()) std::copy_n(arguments.gravity.begin(), 3, rollout.gravity.begin());
  if (arguments.polygons) rollout.polygon_capacity = *arguments.polygons;
  if (arguments.geometry_iterations) rollout.geometry_iterations = *arguments.geometry_iterations;
  if (arguments.relation_capacity) rollout.relation_capacity = *arguments.relation_capacity;
  read_name(arguments.integrator, kIntegratorNames, rollout.integrator);
  read_name(arguments.points, kContactPointsNames, rollout.points);
  return scene;
}

RowPlan plan_of(const RolloutArguments& arguments, const RolloutOptions& rollout) {
  RowPlan plan;
  if (arguments.steps) {
    plan.steps = *arguments.steps;
  } else {
    const double steps = std::round(rollout.duration / rollout.time_step);
    if (steps < 1 || steps > kMaxSteps) {
      const std::string location = arguments.duration ? "--duration" : arguments.scene + ": rollout.duration";
      throw_error("{}: {} s are {} time steps of {} s; it must be from 1 to {} of them", location, rollout.duration,
                  steps, rollout.time_step, kMaxSteps);
    }
    plan.steps = static_cast<std::int64_t>(steps);
  }
  if (arguments.every) {
    plan.every = *arguments.every;
    return plan;
  }
  // about as many as are looked at; a file and a check have every step
  const auto steps_for = [&plan](std::int64_t rows) {
    return std::max<std::int64_t>((plan.steps + rows - 1) / rows, 1);
  };
  const bool has_pictures = !arguments.vtk.empty();
  if (!arguments.output.empty() || arguments.check) {
    if (has_pictures) plan.rows_per_frame = steps_for(kFrames);
  } else {
    plan.every = steps_for(has_pictures ? kFrames : kRowsOfTable);
  }
  return plan;
}

/// No body that moves is a half space. Bodies are free by default, so an evaluation accepts one.
void check_free_bodies(const std::string& source, const SceneDescription& scene) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    if (degrees_of_freedom(body) == 0) continue;
    try {
      check_no_half_space(scene, body, text_of(body.motion.type));
    } catch (const Error& error) {
      throw_error("{}: bodies[{}]: {}", source, i, error.what());
    }
  }
}

/// Paths reach the end of the rollout.
void check_paths(const std::string& source, const SceneDescription& scene, double end) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    const std::vector<double>& times = body.motion.path.times;
    if (body.fixed || times.empty() || times.back() >= end - kSameTime) continue;
    throw_error(
        "{}: bodies[{}].motion.times: the path of {} ends at {} s, before the rollout, which ends at {} s; give it "
        "more rows, or take fewer --steps",
        source, i, in_quotes(body.name), times.back(), end);
  }
}

RowContents contents_of(const RolloutArguments& arguments, const Scene& scene) {
  const std::vector<Geometry>& geometries = scene.description().geometries;
  return {.energies = arguments.energies,
          .distances = measures_distances(scene),
          .is_flat = std::ranges::any_of(geometries, &Geometry::polygon),
          .memory = scene.contact_state_size() == kContactStateSize};
}

/// What is made of the rows, as the command line asks for it.
struct Recorders {
  std::optional<RolloutTable> table;
  std::optional<RolloutFile> file;
  std::optional<VtkSeries> pictures;
  std::optional<StepCheck> check;
  RowPlan plan;
  RowContents contents;

  Recorders(const RolloutArguments& arguments, const HostSimulator& simulator, const RolloutStart& start,
            const RowPlan& row_plan)
      : plan(row_plan), contents(contents_of(arguments, simulator.simulator().scene())) {
    const std::int64_t environments = start.num_environments();
    const Scene& scene = simulator.simulator().scene();
    if (arguments.output.empty() && !arguments.check) table.emplace(contents);
    if (!arguments.output.empty()) {
      file.emplace(plan, start.given, rollout_counts(scene), contents, arguments.output);
    }
    if (!arguments.vtk.empty()) {
      create_directory(arguments.vtk);
      pictures.emplace(rows_of(start.given, 0, std::min(environments, kPicturedEnvironments), ""));
    }
    if (arguments.check) check.emplace(simulator, start);
  }

  void add(const RolloutRow& row, std::int64_t steps, Progress& progress) {
    if (table) table->add(row);
    if (file) file->add(row);
    if (pictures && plan.is_frame(row.number)) pictures->add(row.time, row.state.poses, row.output.pair_wrench);
    if (check) check->compare(steps, row.state, progress);
  }
};

/// What is left of a rollout besides its rows.
struct End {
  std::vector<std::uint32_t> status;  // of each environment, or'ed over all steps
  std::int64_t lost;                  // environments that have a lost body
};

/// Takes all steps and hands over the rows. Of those that are only written, the last one alone is searched for lost
/// bodies, which takes an evaluation.
End run(const HostSimulator& simulator, const RolloutStart& start, const RowPlan& plan, Recorders& recorders) {
  const std::int64_t environments = start.num_environments(), work_of_step = recorders.check ? 3 : 1;
  Progress progress(work_of_step * plan.steps * environments, "steps");
  Stepper stepper(simulator, start);
  const RowContents& contents = recorders.contents;
  RolloutOutputArrays output(simulator.simulator().scene(), environments, contents.energies, false, contents.distances);
  leave_out_unwritten(output, contents, recorders.table.has_value());
  LostBodies lost_bodies(simulator.simulator().scene(), simulator.simulator().options(), start.given);
  std::int64_t lost = 0;
  for (std::int64_t row = 0, done = 0; row < plan.num_rows(); ++row) {
    const std::int64_t steps = plan.steps_before(row) - done;
    done += steps;
    stepper.advance(steps, output, progress);
    const double time = static_cast<double>(start.steps() + done) * simulator.simulator().rollout().time_step;
    const bool counts = recorders.table || row + 1 == plan.num_rows();
    lost = counts ? lost_bodies.count(stepper.state()) : -1;
    recorders.add({row, time, stepper.state(), output, lost}, steps, progress);
  }
  return {stepper.status(), lost};
}

void print_report(const RolloutArguments& arguments, const HostSimulator& simulator, const RowPlan& plan,
                  const Recorders& recorders, const End& end, const StageTimes& stages) {
  const RolloutOptions& rollout = simulator.simulator().rollout();
  print_heading(arguments, simulator.simulator().scene().description(), simulator.simulator().options());
  fmt::print("rollout           {} {} of {} s, {}\n\n", plan.steps, plan.steps == 1 ? "step" : "steps",
             rollout.time_step, name_in(kIntegratorNames, rollout.integrator));
  if (recorders.table) recorders.table->print();
  if (recorders.check) recorders.check->print();
  if (recorders.table || recorders.check) fmt::print("\n");

  const auto environments = static_cast<double>(end.status.size());
  const double seconds = std::max(stages.seconds("step"), 1e-9);
  print_environments(arguments, std::ssize(end.status));
  if (!recorders.check) {
    print_row("steps/s", fmt::format("{:.0f}", environments * static_cast<double>(plan.steps) / seconds));
  }
  print_row("rows", fmt::to_string(plan.num_rows()), plan.every == 1 ? "" : fmt::format("every {} steps", plan.every));
  if (recorders.pictures) {
    print_row("frames", fmt::to_string(plan.num_frames()),
              fmt::format("every {} steps, in {}", plan.every * plan.rows_per_frame, escaped(arguments.vtk)));
  }
  if (end.lost > 0) {
    print_row("lost", fmt::to_string(end.lost), "inside another body without contact, or past the speed limit");
  }
  print_status(arguments, "non-zero status", end.status);
  if (recorders.check) print_status(arguments, "with half steps", recorders.check->status());
  fmt::print("\n");
  stages.print();
}

}  // namespace

void rollout_command(const RolloutArguments& arguments) {
  const StandardArithmetic standard;
  StageTimes stages;
  if (!arguments.output.empty()) check_output("--output", arguments.output, {".npz"});
  const KeptInputs kept;
  SceneDescription description = scene_of(arguments);
  print_warnings(description);
  check_free_bodies(arguments.scene, description);
  const RowPlan plan = plan_of(arguments, description.rollout);
  stages.finish("load");

  const EvaluatorOptions options = evaluator_options(arguments);
  const HostSimulator simulator(Scene(std::move(description)), options);
  const Scene& scene = simulator.simulator().scene();
  for (const std::string& warning : warnings_of(scene)) print_warning(warning);
  const RolloutStart start = rollout_start(arguments, scene);
  if (!arguments.output.empty()) check_writable(arguments.output);  // now that the inputs are known
  check_paths(arguments.scene, scene.description(),
              static_cast<double>(start.steps() + plan.steps) * scene.description().rollout.time_step);
  Recorders recorders(arguments, simulator, start, plan);
  stages.finish("build");

  const End end = run(simulator, start, plan, recorders);
  stages.finish("step");

  if (recorders.pictures) recorders.pictures->write(HostEvaluator(scene, options), arguments.first, arguments.vtk);
  if (recorders.file) {
    const std::string reference = scene_reference(arguments.scene, arguments.output);
    write_output_file(arguments.output,
                      recorders.file->npz(end.status, step_slip_tolerance(scene.description()), reference));
  }
  stages.finish("write");
  print_report(arguments, simulator, plan, recorders, end, stages);
}

}  // namespace isopatch::cli
