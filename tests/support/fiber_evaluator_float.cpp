// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fiber_evaluation.h"

namespace isopatch::test {

template class FiberEvaluator<float, 32>;

}  // namespace isopatch::test
