// SPDX-License-Identifier: Apache-2.0
#include "isopatch/error.h"

#include <utility>

#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch {

using namespace detail;

Error::Error(const std::string& message, ErrorKind kind, ErrorParts parts)
    : std::runtime_error(message_text(message)), kind_(kind) {
  for (std::string* part : {&parts.where, &parts.found, &parts.wanted}) *part = message_text(*part);
  parts_ = std::make_shared<const ErrorParts>(std::move(parts));
}

Error detail::with_location(const std::string& location, const Error& error) {
  ErrorParts parts = error.parts();
  if (error.kind() != ErrorKind::kFile) {
    const std::size_t end = location.find_last_not_of(": ");
    const std::string name = end == std::string::npos ? "" : location.substr(0, end + 1);
    parts.where = parts.where.empty() ? name : location + parts.where;
  }
  return Error(location + error.what(), error.kind(), std::move(parts));
}

Error detail::wrong_value(const std::string& location, const std::string& found, const std::string& wanted) {
  return Error(location + " is " + found + "; " + wanted, ErrorKind::kInput, {location, found, wanted});
}

}  // namespace isopatch
