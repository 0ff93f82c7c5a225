// SPDX-License-Identifier: Apache-2.0
//
// A page that shows a picture in a browser, in one file that asks for nothing else: three.js (r111), its readers and
// the viewer of page/, and the pictures of the environments, compressed, in base64, one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch::detail {

/// The page of environments with these numbers, of which it shows one at a time. Throws Error, which names `every`, if
/// it takes more than kMaxPictureBytes.
std::string page_of(const std::vector<std::string_view>& glbs, const std::vector<std::int64_t>& environments,
                    std::string_view title);

/// `bytes` without what `first` has too, as the meshes of bodies in the pictures of several environments. Pieces follow
/// each other: three numbers of 32 bits, low byte first, where in `first` a shared part begins, how many bytes it has,
/// and how many follow that are not shared; and these. Both have less than 4 GB.
std::string without_shared(std::string_view bytes, std::string_view first);

/// The page without a picture, compressed by gzip when the program was built: see embed_page.cmake.
extern const unsigned char kPageBytes[];
extern const std::size_t kPageByteCount;
extern const std::size_t kPageSize;  // of the page itself

}  // namespace isopatch::detail
