// SPDX-License-Identifier: Apache-2.0
//
// cycle_model: evaluates environments of a scene on the cuda backend, whose kernels' machine code is executed on a
// model of one processor, and writes what it took as JSON. Exits with status 1 where a byte of a result is not that of
// the CPU. predict.py drives it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cycle_model/processor.h"
#include "bench/device_arrays.h"
#include "isopatch/isopatch.h"
#include "tests/emulator/device.h"

namespace isopatch::cycle_model {
namespace {

/// Runs what the library launches on one processor, and notes what that took.
class Model final : public emulator::Engine {
 public:
  Model(const Timing& timing, const std::vector<std::string>& files) : timing_(timing) {
    for (const std::string& file : files) listings_.add(file);
  }

  int processors() const override { return 1; }

  int resident_blocks(const std::string& kernel, u32 block) const override {
    return cycle_model::resident_blocks(timing_, listings_.resources(kernel), block);
  }

  void launch(const std::string& name, u32 grid, u32 block, std::span<const std::byte> parameters,
              emulator::GlobalMemory& memory) override {
    const Kernel& kernel = listings_.kernel(name);
    const Sums sums = run(timing_, {&kernel, grid, block, parameters, &memory});
    launches_.push_back({{"kernel", name},
                         {"grid", grid},
                         {"block", block},
                         {"resident_blocks", cycle_model::resident_blocks(timing_, kernel, block)},
                         {"registers", kernel.registers},
                         {"shared_bytes", kernel.shared_bytes},
                         {"stack_bytes", kernel.stack_bytes},
                         {"cycles", sums.cycles},
                         {"issued", sums.issued},
                         {"lanes", sums.lanes},
                         {"passes", sums.passes},
                         {"lines", sums.lines},
                         {"missed_lines", sums.missed_lines}});
  }

  const nlohmann::json& launches() const { return launches_; }
  void forget_launches() { launches_.clear(); }

 private:
  Timing timing_;
  Listings listings_;
  nlohmann::json launches_ = nlohmann::json::array();
};

/// The scene in N environments. As in isopatch_bench, its first body is elsewhere in each of 17.
StateArrays make_states(const SceneDescription& scene, std::int64_t environments) {
  StateArrays states(scene, environments);
  for (std::int64_t e = 0; e < environments; ++e) {
    const double shift = 1e-4 * static_cast<double>(e % 17);
    double* pose = states.poses.data() + e * states.num_bodies * 7;
    pose[0] += shift;
    pose[1] -= shift;
  }
  return states;
}

ResultArrays make_results(const Scene& scene, std::int64_t environments) {
  ResultArrays results(scene, environments, {.patch = false});
  results.body_wrench.clear();
  results.status.clear();
  return results;
}

template <class T>
std::size_t differences(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const void *one = &a[i], *other = &b[i];
    count += std::memcmp(one, other, sizeof(T)) != 0;
  }
  return count;
}

}  // namespace

int predict(int argc, char** argv) {
  std::string path, timing_file, precision = "float";
  std::vector<std::string> listings;
  int environments = 62;
  double keep = 0;
  CLI::App app("Predicts the time of the kernels' machine code");
  app.add_option("scene", path, "scene file")->required();
  app.add_option("listings", listings, "files with disassembled kernels")->required();
  app.add_option("--environments", environments, "as many as one processor gets")->check(CLI::Range(1, 1 << 16));
  app.add_option("--precision", precision)->check(CLI::IsMember({"float", "double"}));
  app.add_option("--keep-candidates", keep, "margin, m; what is counted is a second call, which finds them kept");
  app.add_option("--timing", timing_file, "JSON file of values that were measured on a device");
  CLI11_PARSE(app, argc, argv);

  Timing timing;
  if (!timing_file.empty()) timing.read(timing_file);
  Model model(timing, listings);
  emulator::engine = &model;

  const SceneDescription description = read_scene(path);
  const Scene scene(description);
  const StateArrays states = make_states(description, environments);
  ResultArrays on_cpu = make_results(scene, environments), on_model = make_results(scene, environments);
  EvaluatorOptions options;
  options.precision = precision == "float" ? Precision::kFloat : Precision::kDouble;
  Evaluator(scene, options).evaluate(states.view(), on_cpu.view());

  options.backend = Backend::kCuda;
  bench::DeviceArrays arrays(states.view(), on_model.view(), scene);
  const Evaluator evaluator(scene, options);
  if (keep > 0) {
    CandidateCache candidates = evaluator.make_candidate_cache(environments, keep);
    evaluator.evaluate(arrays.state(), arrays.results(), candidates);
    arrays.fetch();  // waits for the launches
    model.forget_launches();
    evaluator.evaluate(arrays.state(), arrays.results(), candidates);
    arrays.fetch();
  } else {
    evaluator.evaluate(arrays.state(), arrays.results());
  }
  arrays.fetch();

  std::int64_t polygons = 0;
  for (const std::int32_t count : on_cpu.polygon_count) polygons += count;
  const std::size_t different = differences(on_cpu.pair_wrench, on_model.pair_wrench) +
                                differences(on_cpu.area, on_model.area) +
                                differences(on_cpu.polygon_count, on_model.polygon_count);
  const nlohmann::json report = {{"environments", environments}, {"pairs", on_cpu.polygon_count.size()},
                                 {"polygons", polygons},         {"different_values", different},
                                 {"launch_us", timing.launch},   {"launches", model.launches()}};
  std::printf("%s\n", report.dump(1).c_str());
  return different == 0 && polygons > 0 ? 0 : 1;
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
