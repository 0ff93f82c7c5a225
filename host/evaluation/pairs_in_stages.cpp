// SPDX-License-Identifier: Apache-2.0
#include "host/evaluation/pairs_in_stages.h"

namespace isopatch::detail {

std::atomic<std::int64_t>& pairs_in_stages() {
  static std::atomic<std::int64_t> count = 0;
  return count;
}

}  // namespace isopatch::detail
