// SPDX-License-Identifier: Apache-2.0
//
// A share of the random_comparison program that takes about a minute.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/contact_errors.h"
#include "tests/support/random_contacts.h"

namespace isopatch::random_contacts {
namespace {

bool have_mesh(const char* file) { return std::filesystem::exists(std::string(ISOPATCH_DATA_DIR) + "/" + file); }

Errors compare_all(std::int64_t per_pair, Precision precision) {
  Errors all;
  const auto pairs = shape_pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Scene scene(two_bodies(shape(pairs[i].first, ISOPATCH_DATA_DIR), shape(pairs[i].second, ISOPATCH_DATA_DIR),
                                 contact_options(i)));
    all.append(compare(scene, make_contacts(scene, per_pair, 100 + i), {Backend::kCpu, precision, 0, false}));
  }
  all.sort();
  return all;
}

TEST(RandomContacts, FloatAgreesWithTheReference) {
  if (!have_mesh("bubble.vtk") || !have_mesh("torus.vtk")) GTEST_SKIP() << "no meshes in " << ISOPATCH_DATA_DIR;
  const Errors errors = compare_all(300, Precision::kFloat);
  EXPECT_GT(errors.contacts, 3500);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("all", errors);
}

TEST(RandomContacts, DoubleAgreesWithTheReference) {
  if (!have_mesh("bubble.vtk") || !have_mesh("torus.vtk")) GTEST_SKIP() << "no meshes in " << ISOPATCH_DATA_DIR;
  const Errors errors = compare_all(150, Precision::kDouble);
  EXPECT_GT(errors.contacts, 1700);
  EXPECT_TRUE(within(errors, kDoubleBounds)) << row("all", errors);
}

TEST(RandomContacts, APepperDroppedIntoABowlAgreesWithTheReference) {
  if (!have_mesh("evo_bowl_coarse3k.vtk")) GTEST_SKIP() << "no meshes in " << ISOPATCH_DATA_DIR;
  const Scene scene(two_bodies(shape("pepper", ISOPATCH_DATA_DIR), shape("bowl", ISOPATCH_DATA_DIR), {}));
  const Errors errors =
      compare(scene, make_contacts(scene, 40, 7, Approach::kDrop), {Backend::kCpu, Precision::kFloat, 0, false});
  EXPECT_GT(errors.contacts, 30);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("pepper into the bowl", errors);
}

TEST(RandomContacts, APepperBetweenTwoBubblesAgreesWithTheReference) {
  if (!have_mesh("bubble.vtk")) GTEST_SKIP() << "no meshes in " << ISOPATCH_DATA_DIR;
  const Scene scene(squeeze_scene(ISOPATCH_DATA_DIR));
  const Errors errors = compare(scene, make_squeezes(scene, 100, 8), {Backend::kCpu, Precision::kFloat, 0, false});
  EXPECT_GT(errors.contacts, 150);
  EXPECT_TRUE(within(errors, kFloatBounds)) << row("pepper between bubbles", errors);
}

}  // namespace
}  // namespace isopatch::random_contacts
