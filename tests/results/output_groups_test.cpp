// SPDX-License-Identifier: Apache-2.0
//
// The outputs by group: what a group needs, and that a function can take one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isopatch/arrays.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"
#include "isopatch/rollout_state.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

constexpr bool counts_patches(const PatchContactOutputs<OutputViews>& outputs) {
  return outputs.patch_count.data != nullptr;
}

TEST(OutputGroups, AreBasesOfTheResults) {
  std::int32_t count = 0;
  Results results;
  EXPECT_FALSE(counts_patches(results));
  results.patch_count = &count;
  EXPECT_TRUE(counts_patches(results));
}

TEST(OutputGroups, KeepTheOrderOfFiles) {
  std::vector<std::string> names;
  Results results;
  for_each_output([&](const ArrayInfo& info, const auto&) { names.emplace_back(info.name); }, results);
  const std::vector<std::string> expected = {"pair_wrench",
                                             "part_pair_wrench",
                                             "body_wrench",
                                             "status",
                                             "area",
                                             "center_of_pressure",
                                             "mean_normal",
                                             "max_pressure",
                                             "friction_force",
                                             "polygon_count",
                                             "energy",
                                             "polygons",
                                             "polygons_needed",
                                             "contacts",
                                             "contacts_needed",
                                             "packed_polygons",
                                             "polygon_offsets",
                                             "polygon_environments",
                                             "packed_contacts",
                                             "contact_offsets",
                                             "contact_environments",
                                             "patch_point",
                                             "patch_normal",
                                             "patch_stiffness",
                                             "patch_distance",
                                             "patch_residual",
                                             "patch_count",
                                             "contact_state",
                                             "volume",
                                             "second_moments",
                                             "damping_matrix",
                                             "separation",
                                             "overlap",
                                             "potential_contacts",
                                             "relations",
                                             "relation_members",
                                             "relations_needed",
                                             "pair_stiffness",
                                             "pair_stiffness_b",
                                             "pair_damping",
                                             "pair_damping_b",
                                             "pair_damping_secant"};
  EXPECT_EQ(names, expected);
}

/// What is computed for one output of each name.
Outputs needed_for(const std::string& name) {
  double memory[16] = {};
  Results results;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        if (info.name == name) array.data = reinterpret_cast<decltype(array.data)>(memory);
      },
      results);
  return detail::needed_outputs(results);
}

TEST(OutputGroups, DecideWhatIsComputed) {
  for (const char* name :
       {"pair_wrench", "part_pair_wrench", "body_wrench", "status", "area", "polygon_count", "energy", "patch_point",
        "patch_count", "contact_state", "volume", "second_moments", "damping_matrix", "separation", "overlap"}) {
    EXPECT_EQ(needed_for(name), Outputs::kWrench) << name;
  }
  for (const char* name : {"center_of_pressure", "mean_normal", "max_pressure", "friction_force"}) {
    EXPECT_EQ(needed_for(name), Outputs::kPatch) << name;
  }
  for (const char* name : {"polygons", "contacts_needed", "packed_polygons", "contact_offsets", "pair_damping"}) {
    EXPECT_EQ(needed_for(name), Outputs::kAll) << name;
  }
}

TEST(OutputGroups, AreWantedIfOneOfTheirArraysIsAskedFor) {
  double energy = 0;
  Results results;
  results.energy = &energy;
  EXPECT_TRUE(is_wanted(results, OutputGroup::kEnergy));
  EXPECT_FALSE(is_wanted(results, OutputGroup::kPatch));
  EXPECT_FALSE(is_wanted(results, OutputGroup::kPatchContacts));
}

TEST(ParameterInputs, AreTheSameOfAStateAndOfARollout) {
  std::vector<std::string> of_state, of_rollout;
  const auto names_in = [](std::vector<std::string>& names) {
    return [&](const ArrayInfo& info, const auto&) { names.emplace_back(info.name); };
  };
  ParameterInputs<InputViews> parameters;
  std::vector<std::string> all;
  for_each_parameter_input(names_in(all), parameters);
  State state;
  RolloutInput input;
  for_each_input(names_in(of_state), state);
  for_each_rollout_input(names_in(of_rollout), input);
  ASSERT_EQ(all.size(), 5u);
  const auto size = static_cast<std::ptrdiff_t>(all.size());
  const auto of_motion = of_state.begin() + 2;  // poses and velocities
  EXPECT_EQ(std::vector<std::string>(of_motion, of_motion + size), all);
  EXPECT_EQ(std::vector<std::string>(of_rollout.end() - size, of_rollout.end()), all);
}

}  // namespace
}  // namespace isopatch::test
