// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/output_name.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "host/files/output_file.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::cli {

using namespace detail;

void check_output(const std::string& what, const std::string& path, const std::vector<std::string>& extensions) {
  if (std::none_of(extensions.begin(), extensions.end(), [&](const auto& end) { return path.ends_with(end); })) {
    throw_error("{} {}: the name must end in {}", what, in_quotes(path), fmt::join(extensions, " or "));
  }
  check_writable(path);
}

}  // namespace isopatch::cli
