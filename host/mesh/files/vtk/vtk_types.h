// SPDX-License-Identifier: Apache-2.0
//
// The names of data types in VTK's legacy and XML files.
#pragma once

#include <string_view>

#include "host/mesh/files/file_cursor.h"

namespace isopatch::detail {

/// The type with a name of legacy files, such as "float", or of XML files, such as "Float32". A name that is unknown or
/// not numeric is an error at the last line that `in` has read.
ValueType legacy_type(const FileCursor& in, std::string_view word);
ValueType xml_type(const FileCursor& in, std::string_view word);

}  // namespace isopatch::detail
