// SPDX-License-Identifier: Apache-2.0
//
// Compression besides zlib, by libraries that a build may have or not.
#pragma once

#include <string>
#include <string_view>

namespace isopatch::detail {

extern const bool kHasLz4, kHasLzma;

/// Decompresses a block of LZ4, or a stream of LZMA in the .xz format, that fills `content` exactly; false if it is
/// another one, or without the library.
bool decompress_lz4(std::string_view block, std::string& content);
bool decompress_lzma(std::string_view block, std::string& content);

}  // namespace isopatch::detail
