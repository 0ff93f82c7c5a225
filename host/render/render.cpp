// SPDX-License-Identifier: Apache-2.0
#include "host/render/render.h"

namespace isopatch::detail {

void require_render() {}

}  // namespace isopatch::detail
