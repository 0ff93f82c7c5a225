// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/rows.h"

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/cli/results_file.h"
#include "host/cli/states_file.h"
#include "host/text/throw_error.h"
#include "isopatch/status.h"

namespace isopatch::cli {

using namespace detail;

namespace {

double length(const double* v) { return std::hypot(v[0], v[1], v[2]); }

/// What a line has of all environments.
struct Sums {
  double environments = 0;  // that are not frozen
  double kinetic = 0, potential = 0, elastic = 0, linear = 0, angular = 0, iterations = 0, polygons = 0;
  double relations = 0, traps = 0, overlap = 0;
  double contacts = 0, stuck = 0;  // of those with a memory
  std::int32_t most_iterations = 0;

  void add(const RolloutRow& row, std::size_t e) {
    const RolloutOutputArrays& output = row.output;
    ++environments;
    if (!output.kinetic_energy.empty()) {
      const std::size_t pairs = output.elastic_energy.size() / row.state.status.size();
      kinetic += output.kinetic_energy[e];
      potential += output.potential_energy[e];
      for (std::size_t pair = 0; pair < pairs; ++pair) elastic += output.elastic_energy[e * pairs + pair];
    }
    linear += length(&output.momentum[6 * e]);
    angular += length(&output.momentum[6 * e + 3]);
    iterations += output.solver_iterations[e];
    polygons += output.num_polygons[e];
    most_iterations = std::max(most_iterations, output.solver_iterations[e]);
    if (!output.num_relations.empty()) {
      const std::size_t pairs = output.overlap.size() / row.state.status.size();
      relations += output.num_relations[e];
      traps += output.num_traps[e];
      for (std::size_t pair = 0; pair < pairs; ++pair) overlap += output.overlap[e * pairs + pair];
    }
    const std::vector<double>& states = row.state.contact_state;
    const std::size_t numbers = states.size() / row.state.status.size();
    for (std::size_t i = e * numbers; i + 8 <= (e + 1) * numbers; i += 8) {
      contacts += states[i] > 0;
      stuck += states[i + 6] > 0.5;
    }
  }
};

bool is_energy(const ArrayInfo& info) { return std::string_view(info.name).ends_with("_energy"); }

/// Whether an array is of rigid convex parts.
bool is_of_relations(const ArrayInfo& info) {
  constexpr std::string_view kNames[] = {"separation", "overlap", "num_potential_contacts", "num_relations",
                                         "num_traps"};
  return std::ranges::find(kNames, info.name) != std::end(kNames);
}

/// Whether an array has a row for each time.
bool has_rows(const ArrayInfo& info, const RowContents& contents) {
  if (is_energy(info)) return contents.energies;
  if (is_of_relations(info)) return contents.distances;
  constexpr std::string_view kNames[] = {
      "poses",         "velocities",        "joints",          "step_count",        "pair_wrench",
      "contact_state", "joint_limit_force", "joints_at_limit", "joint_drive_force", "joint_wrench",
      "joint_rates",   "loop_gap",          "num_polygons",    "solver_iterations"};
  return std::ranges::find(kNames, info.name) != std::end(kNames);
}

template <class T>
void append(NpyArray& array, const T* values, std::size_t count) {
  array.bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

}  // namespace

void leave_out_unwritten(RolloutOutputArrays& output, const RowContents& contents, bool with_table) {
  for_each_rollout_output(
      [&](const ArrayInfo& info, auto& array) {
        if (!has_rows(info, contents) && !(with_table && std::string_view(info.name) == "momentum")) array = {};
      },
      output);
}

void RolloutTable::add(const RolloutRow& row) {
  Sums sums;
  for (std::size_t e = 0; e < row.state.status.size(); ++e) {
    if ((row.state.status[e] & kFrozen) == 0) sums.add(row, e);
  }
  const double n = std::max(sums.environments, 1.0);
  const double total = sums.kinetic + sums.potential + sums.elastic;
  std::string line = fmt::format("{:>10.6g}", row.time);
  if (contents_.energies) {
    line += fmt::format("{:>12.4g}{:>12.5g}{:>12.4g}{:>12.5g}", sums.kinetic / n, sums.potential / n, sums.elastic / n,
                        total / n);
  }
  line += fmt::format("{:>12.4g}{:>12.4g}{:>8.1f}{:>6}{:>10.1f}", sums.linear / n, sums.angular / n,
                      sums.iterations / n, sums.most_iterations, sums.polygons / n);
  if (contents_.distances) {
    line += fmt::format("{:>10.1f}{:>7.2f}{:>10.2g}", sums.relations / n, sums.traps / n, sums.overlap / n);
  }
  if (contents_.memory) line += fmt::format("{:>10.1f}{:>8.1f}", sums.contacts / n, sums.stuck / n);
  lines_.push_back(line + fmt::format("{:>6}", row.lost));
}

void RolloutTable::print() const {
  const auto print_heading = [&](const char* time, const std::array<const char*, 4>& energies,
                                 const std::array<const char*, 5>& others, const std::array<const char*, 3>& relations,
                                 const std::array<const char*, 2>& memory, const char* lost) {
    fmt::print("{:>10}", time);
    if (contents_.energies) fmt::print("{:>12}{:>12}{:>12}{:>12}", energies[0], energies[1], energies[2], energies[3]);
    fmt::print("{:>12}{:>12}{:>8}{:>6}{:>10}", others[0], others[1], others[2], others[3], others[4]);
    if (contents_.distances) fmt::print("{:>10}{:>7}{:>10}", relations[0], relations[1], relations[2]);
    if (contents_.memory) fmt::print("{:>10}{:>8}", memory[0], memory[1]);
    fmt::print("{:>6}\n", lost);
  };
  print_heading("time", {"kinetic", "potential", "elastic", "total"},
                {"momentum", "angular", "iter-", "most", "polygons"}, {"relations", "traps", "overlap"},
                {"contacts", "stuck"}, "lost");
  print_heading("s", {"J", "J", "J", "J"}, {"N s", "N m s", "ations", "", ""},
                {"", "", contents_.is_flat ? "m^2" : "m^3"}, {"", ""}, "");
  for (const std::string& line : lines_) fmt::print("{}\n", line);
}

RolloutFile::RolloutFile(const RowPlan& plan, const StateArrays& given, const ArrayCounts& counts,
                         const RowContents& contents, const std::string& path)
    : given_(given) {
  const std::int64_t rows = plan.num_rows(), num_environments = given.num_environments;
  const RolloutStateArrays state;
  const RolloutOutputArrays output;
  double bytes = 0;
  arrays_["time"] = {DType::kFloat64, {rows}, ""};
  const auto add_array = [&](const ArrayInfo& info, const auto& array) {
    using Element = typename std::remove_cvref_t<decltype(array)>::value_type;
    NpyArray*& rows_of = rows_of_.emplace_back(nullptr);
    if (!has_rows(info, contents)) return;
    if ((info.per == Per::kJoint || info.per == Per::kLoop) && counts[info.per] == 0) return;
    if (info.width == 0 && counts.contact_state == 0) return;
    bytes += static_cast<double>(rows) * static_cast<double>(num_environments * counts.row(info)) * sizeof(Element);
    rows_of = &arrays_[info.name];
    *rows_of = {kDType<Element>, shape_of(info, counts, {rows, num_environments}), ""};
  };
  for_each_rollout_state(add_array, state);
  for_each_rollout_output(add_array, output);
  for_each_parameter_input(
      [&](const ArrayInfo& info, const auto& values) {
        using Element = typename std::remove_cvref_t<decltype(values)>::value_type;
        if (values.empty()) return;
        bytes += static_cast<double>(rows) * static_cast<double>(values.size() * sizeof(Element));
        arrays_[info.name] = {kDType<Element>, shape_of(info, counts, {rows, num_environments}), ""};
      },
      given_);
  if (bytes > static_cast<double>(kMaxArchiveBytes)) {
    throw_error(
        "--output {}: {} rows of {} environments take {:.1f} GiB, more than the 4 GiB of an .npz archive; take fewer "
        "rows by --every, or fewer environments at a time by --first",
        path, rows, num_environments, bytes / (1 << 30));
  }
}

void RolloutFile::add(const RolloutRow& row) {
  append(arrays_.at("time"), &row.time, 1);
  auto to = rows_of_.begin();
  const auto add_row = [&](const ArrayInfo&, const auto& values) {
    if (*to != nullptr) append(**to, values.data(), values.size());
    ++to;
  };
  for_each_rollout_state(add_row, row.state);
  for_each_rollout_output(add_row, row.output);
  for_each_parameter_input(
      [&](const ArrayInfo& info, const auto& values) {
        if (!values.empty()) append(arrays_.at(info.name), values.data(), values.size());
      },
      given_);
}

std::string RolloutFile::npz(const std::vector<std::uint32_t>& status, double slip_tolerance,
                             const std::string& scene) {
  arrays_[kRecordedSlipTolerance] = npy_array(DType::kFloat64, {1}, std::vector{slip_tolerance});
  arrays_["scene"] = {DType::kUint8, {std::ssize(scene)}, scene};
  arrays_["status"] = npy_array(DType::kUint32, {std::ssize(status)}, status);
  return npz_bytes(std::exchange(arrays_, {}));
}

}  // namespace isopatch::cli
