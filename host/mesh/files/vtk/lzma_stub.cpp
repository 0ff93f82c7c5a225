// SPDX-License-Identifier: Apache-2.0
//
// Without the library of LZMA.
#include "host/mesh/files/vtk/decompress.h"

namespace isopatch::detail {

const bool kHasLzma = false;

bool decompress_lzma(std::string_view, std::string&) { return false; }

}  // namespace isopatch::detail
