// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace isopatch::detail {

/// `bytes` without what `first` has too, as the meshes of bodies in the pictures of several environments. Pieces follow
/// each other: three numbers of 32 bits, low byte first, where in `first` a shared part begins, how many bytes it has,
/// and how many follow that are not shared; and these. Both have less than 4 GB.
std::string without_shared(std::string_view bytes, std::string_view first);

}  // namespace isopatch::detail
