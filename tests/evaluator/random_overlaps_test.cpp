// SPDX-License-Identifier: Apache-2.0
//
// The status bit of a missing contact surface, compared with the energy of random overlaps: whatever overlaps has
// energy.
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

// Without a polygon, some pressure in the overlap, which the energy integrates, is an overlap without a surface.
TEST(NoContactSurface, IsReportedWhereThereIsEnergyAndNoPolygon) {
  for (const bool filter : {false, true}) {
    SceneDescription description = balls_in_a_ball();
    const Scene scene(description);
    description.contact.gradient_filter = filter;
    const Scene asked(description);
    const Batch batch = random_batch(scene, 200, 51, 0.18);
    const EvaluatorOptions reference = {Backend::kReference, Precision::kDouble, 2};
    const UnwrittenResults truth = evaluate(scene, batch, reference, Outputs::kWrench);
    const UnwrittenResults same = evaluate(asked, batch, reference, Outputs::kWrench);
    int enclosed = 0, touching = 0, apart = 0;
    for (std::size_t e = 0; e < truth.status.size(); ++e) {
      bool expected = false;
      for (std::size_t i = 2 * e; i < 2 * e + 2; ++i) {
        expected = expected || (truth.polygon_count[i] == 0 && truth.energy[i] > 0);
        touching += truth.polygon_count[i] > 0 ? 1 : 0;
        apart += truth.energy[i] > 0 ? 0 : 1;
      }
      enclosed += expected ? 1 : 0;
      ASSERT_EQ(but_far_side(truth.status[e]), expected ? kNoContactSurface : kOk) << "environment " << e;
      ASSERT_EQ(but_far_side(same.status[e]), but_far_side(truth.status[e])) << "environment " << e;
    }
    EXPECT_GT(enclosed, 30);
    EXPECT_GT(touching, 50);
    EXPECT_GT(apart, 50);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const Outputs outputs : {Outputs::kWrench, Outputs::kPolygons}) {
        const UnwrittenResults found = evaluate(asked, batch, {Backend::kCpu, precision, 2}, outputs);
        EXPECT_EQ(found.status, same.status) << "filter " << filter;
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test
