// SPDX-License-Identifier: Apache-2.0
#include "host/cli/warnings.h"

#include <fmt/format.h>

#include "host/mesh/scale.h"
#include "host/text/quote.h"

namespace isopatch::cli {

using namespace detail;

void print_warning(const std::string& warning) { fmt::print(stderr, "isopatch: warning: {}\n", message_text(warning)); }

void print_doubt_of_units(const std::string& file, double length) {
  const auto doubt = doubt_of_units(file, length);
  if (doubt) print_warning(fmt::format("{} In a scene, say {}", doubt->question, doubt->remedy));
}

}  // namespace isopatch::cli
