// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/scenes.h"

namespace isopatch::test {

/// The force [N] on the first of two bodies in double precision, with the gradient filter or without.
inline Point3 force_on_first(SceneDescription description, bool filter) {
  description.contact.gradient_filter = filter;
  const Scene scene(std::move(description));
  const StateArrays state(scene.description(), 1);
  ResultArrays results(scene, 1);
  EvaluatorOptions options;
  options.precision = Precision::kDouble;
  Evaluator(scene, options).evaluate(state.view(), results.view());
  return {results.pair_wrench[0], results.pair_wrench[1], results.pair_wrench[2]};
}

}  // namespace isopatch::test
