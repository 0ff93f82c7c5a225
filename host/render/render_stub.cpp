// SPDX-License-Identifier: Apache-2.0
//
// In place of what makes files, in builds without the packages that it needs.
#include "host/render/glb.h"
#include "host/render/page.h"
#include "host/render/render.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

void require_render() {
  throw_error("render: this isopatch was built without {} (apt-get install {}, then configure and build again)",
              ISOPATCH_RENDER_WITHOUT, ISOPATCH_RENDER_WITHOUT);
}

std::vector<std::string> glbs_of(const SceneDescription& /*scene*/, const std::vector<Frames>& /*environments*/,
                                 const std::vector<FrameContact>& /*contacts*/, const std::string& /*title*/) {
  require_render();
  return {};
}

std::string page_of(const std::vector<std::string_view>& /*glbs*/, const std::vector<std::int64_t>& /*environments*/,
                    std::string_view /*title*/) {
  require_render();
  return {};
}

}  // namespace isopatch::detail
