// SPDX-License-Identifier: Apache-2.0
#include "host/cli/last_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/numpy/array_reader.h"

namespace isopatch::cli {

using namespace detail;

namespace {

const std::string kTime = "time";
constexpr const char* kState[] = {"poses", "velocities", "joints", "steps", "contact_state"};
constexpr const char* kOthers[] = {"time",           "status",     "pair_wrench", "kinetic_energy", "potential_energy",
                                   "elastic_energy", "iterations", "polygons"};

bool is_one_of(const std::string& name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The last of `rows` rows.
NpyArray last_row(const LazyArray& array, std::int64_t rows) {
  const NpyHeader& header = array.header();
  NpyArray row{header.type, {header.shape.begin() + 1, header.shape.end()}, ""};
  std::size_t before = header.bytes - header.bytes / static_cast<std::size_t>(rows);
  array.read([&](std::string_view piece) {
    const std::size_t skipped = std::min(before, piece.size());
    before -= skipped;
    row.bytes += piece.substr(skipped);
  });
  return row;
}

}  // namespace

bool is_rollout_file(const std::map<std::string, LazyArray>& arrays) { return arrays.contains(kTime); }

std::map<std::string, LazyArray> last_row_of(const std::map<std::string, LazyArray>& arrays,
                                             const std::string& source) {
  const ArrayReader reader(arrays, source);
  const std::vector<std::int64_t>& times = arrays.at(kTime).header().shape;
  if (times.size() != 1 || times[0] == 0) {
    reader.fail(kTime, fmt::format("must have shape (T) with T > 0, found {}", shape_text(times)));
  }

  std::map<std::string, LazyArray> last;
  for (const auto& [name, array] : arrays) {
    if (is_one_of(name, kOthers)) continue;
    if (!is_one_of(name, kState)) {
      last.emplace(name, array);
      continue;
    }
    const std::vector<std::int64_t>& shape = array.header().shape;
    if (shape.size() < 2 || shape[0] != times[0]) {
      reader.fail(name,
                  fmt::format("must have {} rows, one for each time, found shape {}", times[0], shape_text(shape)));
    }
    last.emplace(name, LazyArray(last_row(array, times[0]), source));
  }
  return last;
}

}  // namespace isopatch::cli
