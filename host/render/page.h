// SPDX-License-Identifier: Apache-2.0
//
// A page that shows a picture in a browser, in one file that asks for nothing else: three.js (r111), its readers and
// the viewer of page/, and the pictures of the environments, compressed, in base64, one after another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch::detail {

/// The page of environments with these numbers, of which it shows one at a time. Throws Error, which names `every`, if
/// it takes more than kMaxPictureBytes.
std::string page_of(const std::vector<std::string_view>& glbs, const std::vector<std::int64_t>& environments,
                    std::string_view title);

}  // namespace isopatch::detail
