// SPDX-License-Identifier: Apache-2.0
//
// cycle_model: calls the cuda backend for environments of a scene, whose kernels' machine code is executed on a model
// of some processors, and writes what it took as JSON. Exits with status 1 where a byte of a result is not the
// CPU's, or nothing touches. predict.py drives it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/cycle_model/calls.h"

namespace isopatch::cycle_model {
namespace {

struct Options {
  std::string scene, timing;
  std::vector<std::string> listings;
  std::optional<Integrator> integrator;
  Call call;

  void add_to(CLI::App& app) {
    static const std::map<std::string, Precision> precisions = {{"float", Precision::kFloat},
                                                                {"double", Precision::kDouble}};
    static const std::map<std::string, detail::PairStages> stages = {{"size", detail::PairStages::kBySize},
                                                                     {"one", detail::PairStages::kOne},
                                                                     {"several", detail::PairStages::kSeveral}};
    static const std::map<std::string, Integrator> integrators = {
        {"euler", Integrator::kEuler}, {"midpoint", Integrator::kMidpoint}, {"sdirk2", Integrator::kSdirk2}};
    std::vector<std::string> names = evaluation_names();
    for (const std::string& name : rollout_names()) names.push_back(name);
    app.add_option("scene", scene, "scene file")->required();
    app.add_option("listings", listings, "files with disassembled kernels")->required();
    app.add_option("--call", call.name, "what is evaluated, or a step")->check(CLI::IsMember(names));
    app.add_option("--environments", call.environments, "as many as the processors get")->check(CLI::Range(1, 1 << 16));
    app.add_option("--processors", call.processors, "that are executed, of all of the device")
        ->check(CLI::Range(1, 1 << 10));
    app.add_option("--precision", call.precision)->transform(CLI::CheckedTransformer(precisions));
    app.add_option("--stages", call.stages, "kernels of a pair: as its size says, one or several")
        ->transform(CLI::CheckedTransformer(stages));
    app.add_option("--keep-candidates", call.margin, "margin, m; what is counted is a second call, which finds them");
    app.add_option("--integrator", integrator, "in place of the scene's")
        ->transform(CLI::CheckedTransformer(integrators));
    app.add_option("--variety", call.variety, "how environments differ: near, turned or mixed")
        ->transform(CLI::CheckedTransformer(bench::varieties()));
    app.add_option("--steps-before", call.steps_before, "of a rollout, on the CPU")->check(CLI::NonNegativeNumber);
    app.add_option("--steps", call.steps)->check(CLI::PositiveNumber);
    app.add_option("--timing", timing, "JSON file of values that were measured on a device");
  }

  SceneDescription read() const {
    SceneDescription description = read_scene(scene);
    if (integrator) description.rollout.integrator = *integrator;
    return description;
  }
};

nlohmann::json report(const Model& model, const Call& call, const Found& found, const Timing& timing) {
  return {{"call", call.name},
          {"environments", call.environments},
          {"steps", call.steps},
          {"pairs", found.pairs},
          {"polygons", found.polygons},
          {"iterations", found.iterations},
          {"compared_values", found.values.compared},
          {"different_values", found.values.different},
          {"first_different", found.values.first},
          {"touching", found.touching},
          {"processors", call.processors},
          {"launch_us", timing.launch},
          {"first_launch_us", timing.first_launch},
          {"launches", model.launches()},
          {"executed", model.executed()}};
}

}  // namespace

int predict(int argc, char** argv) {
  Options options;
  CLI::App app("Predicts the time of the kernels' machine code");
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);

  Timing timing;
  if (!options.timing.empty()) timing.read(options.timing);
  Model model(timing, options.listings, options.call.processors);
  emulator::engine = &model;

  const std::vector<std::string> rollouts = rollout_names();
  const bool steps = std::find(rollouts.begin(), rollouts.end(), options.call.name) != rollouts.end();
  const SceneDescription scene = options.read();
  options.call.scene = std::filesystem::path(options.scene).stem().string();
  const Found found = steps ? step(model, scene, options.call) : evaluate(model, scene, options.call);
  std::printf("%s\n", report(model, options.call, found, timing).dump(1).c_str());
  return found.values.different == 0 && found.touching > 0 ? 0 : 1;
}

}  // namespace isopatch::cycle_model

int main(int argc, char** argv) {
  try {
    return isopatch::cycle_model::predict(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cycle_model: error: %s\n", e.what());
    return 2;
  }
}
