// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace isopatch::detail {

/// The page without a picture, compressed by gzip when the program was built: see embed_page.cmake.
extern const unsigned char kPageBytes[];
extern const std::size_t kPageByteCount;
extern const std::size_t kPageSize;  // of the page itself

}  // namespace isopatch::detail
