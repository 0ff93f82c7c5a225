// SPDX-License-Identifier: Apache-2.0
//
// A part of the random_comparison program that takes about a minute.
#include <gtest/gtest.h>

#include "tests/support/contact_errors.h"
#include "tests/support/data_folder.h"
#include "tests/support/random_contacts.h"

namespace isopatch::random_contacts {
namespace {

/// Skips the test where the file is missing.
#define ISOPATCH_NEED(file) \
  if (!have_data_file(file)) GTEST_SKIP() << missing_data_file(file)

Errors compare_all(std::int64_t per_pair, Precision precision) {
  Errors all;
  const auto pairs = shape_pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Scene scene(two_bodies(shape(pairs[i].first, data_folder()), shape(pairs[i].second, data_folder()),
                                 contact_options(i, Rules::kFans)));
    all.append(compare(scene, make_contacts(scene, per_pair, 100 + i), {Backend::kCpu, precision, 0}));
  }
  all.sort();
  return all;
}

TEST(RandomContacts, FloatAgreesWithTheReference) {
  ISOPATCH_NEED("bubble.vtk");
  ISOPATCH_NEED("torus.vtk");
  const Errors errors = compare_all(300, Precision::kFloat);
  EXPECT_GT(errors.contacts, 3500);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("all", errors);
}

TEST(RandomContacts, DoubleAgreesWithTheReference) {
  ISOPATCH_NEED("bubble.vtk");
  ISOPATCH_NEED("torus.vtk");
  const Errors errors = compare_all(150, Precision::kDouble);
  EXPECT_GT(errors.contacts, 1700);
  EXPECT_TRUE(within(errors, kDoubleBounds)) << row("all", errors);
}

TEST(RandomContacts, APepperDroppedIntoABowlAgreesWithTheReference) {
  ISOPATCH_NEED("yellow_bell_pepper_no_stem_low.vtk");
  ISOPATCH_NEED("evo_bowl_coarse3k.vtk");
  const Scene scene(two_bodies(shape("pepper", data_folder()), shape("bowl", data_folder()), {}));
  const Errors errors =
      compare(scene, make_contacts(scene, 40, 7, Approach::kDrop), {Backend::kCpu, Precision::kFloat, 0});
  EXPECT_GT(errors.contacts, 30);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("pepper into the bowl", errors);
}

TEST(RandomContacts, APepperBetweenTwoBubblesAgreesWithTheReference) {
  ISOPATCH_NEED("yellow_bell_pepper_no_stem_low.vtk");
  ISOPATCH_NEED("bubble.vtk");
  const Scene scene(squeeze_scene(data_folder()));
  const Errors errors = compare(scene, make_squeezes(scene, 100, 8), {Backend::kCpu, Precision::kFloat, 0});
  EXPECT_GT(errors.contacts, 150);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("pepper between bubbles", errors);
}

}  // namespace
}  // namespace isopatch::random_contacts
