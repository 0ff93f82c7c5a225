// SPDX-License-Identifier: Apache-2.0
//
// The list of contact models. A program links another file in place of this one to add its own.
#include "host/scene/contact_models.h"

#include "host/scene/models/models.h"

namespace isopatch::detail {

std::span<const ContactModelInfo> contact_models() {
  static const std::vector<ContactModelInfo> models = library_models();
  return models;
}

}  // namespace isopatch::detail
