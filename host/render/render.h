// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// Throws Error, which names the packages, if this build was made without them and so cannot draw.
void require_render();

}  // namespace isopatch::detail
