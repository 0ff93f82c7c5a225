// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fiber_evaluation.h"

namespace isopatch::test {

template void evaluate_energy_on_fibers(FiberGroup<32>&, detail::Workspace<32>&, const detail::SceneView&, const State&,
                                        const Results&, std::int64_t, int);

}  // namespace isopatch::test
