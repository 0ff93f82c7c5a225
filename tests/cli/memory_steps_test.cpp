// SPDX-License-Identifier: Apache-2.0
//
// Fifty steps of every kind of contact with state have the hash of the library's, in one run and in two.
#include "host/scene/enumerator_names.h"
#include "tests/cli/rollout_fixture.h"
#include "tests/support/hash.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::RolloutArrays;
using testing::row_of;
using testing::values;

constexpr std::int64_t kCount = 7;

class MemorySteps : public testing::FolderTest {
 protected:
  RolloutArrays arrays(const std::string& arguments, const std::string& name) const {
    const std::string scene = source_path("tests/scenes/remembering.json");
    const Outcome result =
        testing::run_program("rollout --backend cpu " + scene + " --envs 7 --output " + path(name) + " " + arguments);
    EXPECT_EQ(result.code, 0) << result.out;
    return parse_npz(read(name), name);
  }
  static RolloutStateArrays states(const RolloutArrays& file, std::int64_t row) {
    RolloutStateArrays states(Scene(test::remembering_scene()), kCount);
    states.poses = values<double>(row_of(file.at("poses"), row));
    states.velocities = values<double>(row_of(file.at("velocities"), row));
    states.contact_state = values<double>(row_of(file.at("contact_state"), row));
    return states;
  }
};

TEST_F(MemorySteps, HaveOneHashInOneRunAndInTwo) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    const std::string same = std::string("--integrator ") + name_in(kIntegratorNames, integrator);
    SCOPED_TRACE(same);
    const RolloutArrays whole = arrays(same + " --seed 5 --threads 3 --steps 50 --every 50", "whole.npz");
    SceneDescription description = test::remembering_scene();
    description.rollout.integrator = integrator;
    RolloutStateArrays stepped = states(whole, 0);
    Simulator(Scene(description)).step(stepped.view(), {}, {}, 50);
    const auto expected = test::state_hashes(stepped);
    EXPECT_EQ(test::state_hashes(states(whole, 1)), expected);

    arrays(same + " --seed 5 --threads 1 --steps 25 --every 5", "first.npz");
    const RolloutArrays second = arrays(same + " --steps 25 --every 25 --states " + path("first.npz"), "second.npz");
    EXPECT_EQ(test::state_hashes(states(second, 1)), expected);
  }
}

}  // namespace
}  // namespace isopatch::cli
