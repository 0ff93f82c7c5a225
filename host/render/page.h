// SPDX-License-Identifier: Apache-2.0
//
// A page that shows a picture in a browser, in one file that asks for nothing else: three.js (r111), its readers and
// the viewer of page/, and the picture, compressed, in base64.
#pragma once

#include <string>
#include <string_view>

namespace isopatch::detail {

/// Throws Error, which names `every`, if the page takes more than kMaxPictureBytes.
std::string page_of(std::string_view glb, std::string_view title);

}  // namespace isopatch::detail
