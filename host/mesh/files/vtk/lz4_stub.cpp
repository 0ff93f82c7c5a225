// SPDX-License-Identifier: Apache-2.0
//
// Without the library of LZ4.
#include "host/mesh/files/vtk/decompress.h"

namespace isopatch::detail {

const bool kHasLz4 = false;

bool decompress_lz4(std::string_view, std::string&) { return false; }

}  // namespace isopatch::detail
