// SPDX-License-Identifier: Apache-2.0
//
// Which folder may include which. Below include/isopatch/detail the order is
//
//   math <- simt <- scene <- bvh, force_law, polygon <- cells, pair <- contact <- pressure_field, single_contact,
//   polytope
//                                                           contact <- rollout
//                                                           polytope, rollout <- polytope_steps
//
// so contact models include neither each other nor rollout, and rollout includes no model: they meet in the backends,
// and in steps whose problem is another one.
// The CPU backend, the reference and the kernels have orders like it. The functions that find violations are shown to
// find them.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

const std::string kDetail = "include/isopatch/detail/";

/// Folders below a root, with their levels: each includes only from levels below its own. Files beside the folders are
/// the room "". Rooms of one level do not include each other.
struct Order {
  std::string root;
  std::map<std::string, int> levels;
};

const std::vector<Order>& orders() {
  static const std::vector<Order> of_roots = {{kDetail,
                                               {{"math", 0},
                                                {"simt", 1},
                                                {"scene", 2},
                                                {"bvh", 3},
                                                {"force_law", 3},
                                                {"polygon", 3},
                                                {"cells", 4},
                                                {"pair", 4},
                                                {"overlap", 5},
                                                {"contact", 5},
                                                {"pressure_field", 6},
                                                {"single_contact", 6},
                                                {"polytope", 6},
                                                {"rollout", 6},
                                                {"polytope_steps", 7}}},
                                              {"host/cpu/",
                                               {{"simd", 0},
                                                {"cells", 1},
                                                {"contact", 1},
                                                {"pressure_field", 2},
                                                {"single_contact", 2},
                                                {"polytope", 2},
                                                {"rollout", 2},
                                                {"isa", 3},  // a translation unit per instruction set, with all kernels
                                                {"", 4}}},
                                              {"host/reference/",
                                               {{"scene", 0},
                                                {"contact", 1},
                                                {"force_law", 1},
                                                {"pressure_field", 2},
                                                {"single_contact", 2},
                                                {"polytope", 2},
                                                {"rollout", 2},
                                                {"", 3}}},
                                              {"kernels/",
                                               {{"memory", 0},
                                                {"runtime", 1},
                                                {"algorithms", 2},
                                                {"scene", 2},
                                                {"contact", 3},
                                                {"pressure_field", 4},
                                                {"single_contact", 4},
                                                {"polytope", 4},
                                                {"rollout", 4},
                                                {"", 5}}}};
  return of_roots;
}

/// "scene" for "include/isopatch/detail/scene/environment.h"; nothing outside of the root.
std::optional<std::string> room_of(const std::string& path, const std::string& root) {
  if (!starts(path, root)) return {};
  const auto end = path.find('/', root.size());
  return end == std::string::npos ? "" : path.substr(root.size(), end - root.size());
}

/// Why the order of its rooms forbids an include; nothing if it does not.
std::optional<std::string> against_the_order(const std::string& from, const std::string& to) {
  for (const auto& [root, levels] : orders()) {
    const auto from_room = room_of(from, root), to_room = room_of(to, root);
    if (!from_room || !to_room || *from_room == *to_room) continue;
    const auto a = levels.find(*from_room), b = levels.find(*to_room);
    if (a == levels.end() || b == levels.end()) return "a room without a level: add it to rooms_test.cpp";
    const auto name = [&folder = root](const std::string& room) { return room.empty() ? folder : room; };
    if (a->second == b->second) return name(*from_room) + " and " + name(*to_room) + " do not include each other";
    if (a->second < b->second) return name(*from_room) + " comes before " + name(*to_room);
  }
  return {};
}

/// Why a file may not include another; nothing if it may. Both are paths from the root.
std::optional<std::string> forbidden(const std::string& from, const std::string& to) {
  if (auto reason = against_the_order(from, to)) return reason;
  if (starts(from, "include/") && !starts(from, kDetail) && starts(to, kDetail)) {
    return "a public header does not include private ones";
  }

  struct Rule {
    const char *from, *to;
  };
  static const Rule rules[] = {{"include/", "host/"},
                               {"include/", "kernels/"},
                               {"host/", "kernels/"},
                               {"kernels/", "host/cpu/"},
                               {"tests/", "bench/"}};
  for (const Rule& rule : rules) {
    if (starts(from, rule.from) && starts(to, rule.to)) {
      return std::string(rule.from) + " does not include " + rule.to;
    }
  }
  if (starts(to, "tests/") && !starts(from, "tests/") && !starts(from, "bench/")) {
    return "only tests and benchmarks include tests/";
  }
  if (starts(to, "bench/") && !starts(from, "bench/")) return "only benchmarks include bench/";
  return {};
}

/// One line for each include that breaks a rule.
std::vector<std::string> wrong_includes(const std::vector<Source>& sources) {
  std::set<std::string> paths;
  for (const Source& source : sources) paths.insert(source.path);
  std::vector<std::string> wrong;
  for (const Source& source : sources) {
    for (const Include& include : includes_of(source.text)) {
      if (include.path.empty()) continue;
      std::optional<std::string> reason;
      if (paths.count(include.path) == 0) {
        reason = "no such file: spell it from the root of the repository, or isopatch/...";
      } else {
        reason = forbidden(source.path, include.path);
      }
      if (reason) {
        wrong.push_back(source.path + ":" + std::to_string(include.line) + ": " + include.spelling + ": " + *reason);
      }
    }
  }
  return wrong;
}

TEST(Rooms, AreIncludedInTheirOrder) {
  const std::vector<Source> sources = project_sources();
  ASSERT_GT(sources.size(), 200u);
  const std::vector<std::string> wrong = wrong_includes(sources);
  EXPECT_TRUE(wrong.empty()) << all(wrong);
}

/// What is wrong if a file includes another; empty if nothing is.
std::string verdict(const std::string& from, const std::string& to, const std::string& line) {
  const std::vector<std::string> wrong = wrong_includes({{from, "#pragma once\n" + line + "\n"}, {to, ""}});
  EXPECT_LE(wrong.size(), 1u);
  return wrong.empty() ? "" : wrong[0];
}

std::string verdict(const std::string& from, const std::string& to) {
  const std::string public_root = "include/";
  return verdict(from, to, "#include \"" + (starts(to, public_root) ? to.substr(public_root.size()) : to) + "\"");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RoomsChecker, FindsAnIncludeAgainstTheOrderOfTheSharedArithmetic) {
  const auto detail = [](const std::string& from, const std::string& to) {
    return verdict(kDetail + from, kDetail + to);
  };
  EXPECT_EQ(detail("bvh/traverse.h", "scene/scene_view.h"), "");
  EXPECT_EQ(detail("pair/part_pairs.h", "polygon/clip.h"), "");
  EXPECT_EQ(detail("pressure_field/energy.h", "contact/sinks.h"), "");
  EXPECT_EQ(detail("pressure_field/energy.h", "cells/tet_filter.h"), "");
  EXPECT_EQ(detail("rollout/take_step.h", "contact/contact_key.h"), "");
  EXPECT_EQ(detail("bvh/traverse.h", "cells/node_test.h"),
            "include/isopatch/detail/bvh/traverse.h:2: isopatch/detail/cells/node_test.h: bvh comes "
            "before cells");
  EXPECT_NE(detail("math/vec.h", "simt/warp.h"), "");
  EXPECT_NE(detail("pair/part_pairs.h", "contact/sinks.h"), "");
  EXPECT_NE(detail("contact/sinks.h", "pressure_field/pair_context.h"), "");
  EXPECT_TRUE(contains(detail("bvh/node.h", "polygon/clip.h"), "do not include each other"));
  EXPECT_TRUE(contains(detail("polytope/features.h", "pressure_field/pressure.h"), "do not include each other"));
  EXPECT_TRUE(contains(detail("rollout/take_step.h", "pressure_field/pressure.h"), "do not include each other"));
  EXPECT_TRUE(contains(detail("single_contact/bristles.h", "rollout/take_step.h"), "do not include each other"));
  EXPECT_TRUE(contains(detail("fluids/drag.h", "math/vec.h"), "without a level"));
  EXPECT_TRUE(contains(detail("vec.h", "math/macros.h"), "without a level"));
}

TEST(RoomsChecker, FindsAnIncludeAgainstTheOrderOfTheCpuBackend) {
  EXPECT_EQ(verdict("host/cpu/rollout/find_contact.h", "host/cpu/simd/simd.h"), "");
  EXPECT_EQ(verdict("host/cpu/isa/baseline.cpp", "host/cpu/rollout/simd_points.h"), "");
  EXPECT_EQ(verdict("host/cpu/cpu_backend.cpp", "host/cpu/pressure_field/simd_kernels.h"), "");
  EXPECT_EQ(verdict("host/cpu/simd/simd.h", "host/cpu/pressure_field/simd_kernels.h"),
            "host/cpu/simd/simd.h:2: host/cpu/pressure_field/simd_kernels.h: simd comes before pressure_field");
  EXPECT_EQ(verdict("host/cpu/rollout/find_contact.h", "host/cpu/thread_workspace.h"),
            "host/cpu/rollout/find_contact.h:2: host/cpu/thread_workspace.h: rollout comes before host/cpu/");
  EXPECT_NE(verdict("host/cpu/pressure_field/simd_kernels.h", "host/cpu/rollout/simd_points.h"), "");
  EXPECT_NE(verdict("host/cpu/rollout/simd_points.h", "host/cpu/pressure_field/simd_kernels.h"), "");
}

TEST(RoomsChecker, FindsAnIncludeAgainstTheOrderOfTheReference) {
  EXPECT_EQ(verdict("host/reference/rollout/rigid_body.h", "host/reference/scene/vector.h"), "");
  EXPECT_EQ(verdict("host/reference/backend.cpp", "host/reference/pressure_field/body_pair.h"), "");
  EXPECT_EQ(verdict("host/reference/rollout/convex_problem.h", "host/reference/contact/contact_point.h"), "");
  EXPECT_EQ(verdict("host/reference/rollout_reference.cpp", "host/reference/pressure_field/evaluate_pair.h"), "");
  EXPECT_NE(verdict("host/reference/contact/contact_point.h", "host/reference/rollout/convex_problem.h"), "");
  EXPECT_NE(verdict("host/reference/rollout/rigid_body.h", "host/reference/pressure_field/body_pair.h"), "");
  EXPECT_NE(verdict("host/reference/pressure_field/body_pair.h", "host/reference/rollout/rigid_body.h"), "");
  EXPECT_NE(verdict("host/reference/scene/vector.h", "host/reference/pressure_field/polygon.h"), "");
  EXPECT_NE(verdict("host/reference/pressure_field/polygon.h", "host/reference/backend.h"), "");
}

TEST(RoomsChecker, FindsAnIncludeAgainstTheOrderOfTheKernels) {
  EXPECT_EQ(verdict("kernels/runtime/host_batch.h", "kernels/memory/stream.h"), "");
  EXPECT_EQ(verdict("kernels/rollout/step_call.h", "kernels/scene/device_scene.h"), "");
  EXPECT_EQ(verdict("kernels/cuda_backend.cu", "kernels/rollout/step_call.h"), "");
  EXPECT_NE(verdict("kernels/memory/stream.h", "kernels/runtime/device_guard.h"), "");
  EXPECT_NE(verdict("kernels/scene/device_scene.h", "kernels/algorithms/device_scan.h"), "");
  EXPECT_NE(verdict("kernels/scene/begin_environments.cuh", "kernels/batch_arrays.h"), "");
  EXPECT_NE(verdict("kernels/rollout/step_call.h", "kernels/pressure_field/device_call_memory.h"), "");
  EXPECT_NE(verdict("kernels/pressure_field/device_call_memory.h", "kernels/rollout/step_call.h"), "");
}

TEST(RoomsChecker, FindsAnIncludeAcrossABorder) {
  const std::string vec = kDetail + "math/vec.h", scene = "include/isopatch/scene/scene.h";
  EXPECT_NE(verdict(scene, vec), "");
  EXPECT_NE(verdict(scene, vec, "#include <isopatch/detail/math/vec.h>"), "");
  EXPECT_NE(verdict("include/isopatch/results/patch.h", vec), "");
  EXPECT_NE(verdict("include/isopatch/evaluator.h", vec), "");
  EXPECT_NE(verdict(scene, "host/arrays.h"), "");
  EXPECT_NE(verdict("host/evaluation/evaluator.cpp", "kernels/work.h", "  #include \"kernels/work.h\""), "");
  EXPECT_NE(verdict("kernels/cuda_backend.cu", "host/cpu/pool.h"), "");
  EXPECT_NE(verdict("host/evaluation/evaluator.cpp", "tests/support/scenes.h"), "");
  EXPECT_NE(verdict("tests/cli/a_test.cpp", "bench/device_arrays.h"), "");

  EXPECT_EQ(verdict(kDetail + "scene/scene_view.h", scene), "");
  EXPECT_EQ(verdict("include/isopatch/results/patch.h", "include/isopatch/error.h"), "");
  EXPECT_EQ(verdict("kernels/cuda_backend.cu", "host/arrays.h"), "");
  EXPECT_EQ(verdict("bench/a_bench.cpp", "tests/support/scenes.h"), "");
  EXPECT_EQ(verdict("host/evaluation/evaluator.cpp", scene), "");
}

TEST(RoomsChecker, FindsAnIncludeThatIsNotSpeltFromTheRoot) {
  EXPECT_NE(verdict("host/scene/scene.cpp", "host/scene/scene_data.h", "#include \"scene/scene_data.h\""), "");
  EXPECT_NE(verdict("host/scene/scene.cpp", "host/scene/scene_data.h", "#include \"scene_data.h\""), "");
  EXPECT_NE(verdict("host/scene/scene.cpp", "include/isopatch/scene/scene.h", "#include \"isopatch/scenes.h\""), "");
  EXPECT_EQ(verdict("host/scene/scene.cpp", "include/isopatch/scene/scene.h", "#include <vector>"), "");
}

}  // namespace
}  // namespace isopatch::structure
