// SPDX-License-Identifier: Apache-2.0
//
// Patch contacts of staged pairs, from polygons that the stage that integrates cells lists.
#pragma once

#include "kernels/pressure_field/call.h"

namespace isopatch::detail {

/// The stage that integrates cells, for a call that lists polygons: as integrate_cells_kernel().
template <class T, bool with_patch>
void (*integrating_and_listing_kernel())(PressureFieldCall);

/// Patch contacts of the staged pairs whose polygons are all listed, and the list of the other pairs.
void write_listed_patches(const PressureFieldCall& call, cudaStream_t stream);

/// Loads the kernels of both on the current device, so that no call has to.
void load_listed_polygons(Precision precision);

}  // namespace isopatch::detail
