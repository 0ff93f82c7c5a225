// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::cli {

/// Writes a page as NAME.html to a new folder for temporary files, and returns its path.
std::string write_temporary_page(const std::string& name, const std::string& page);

/// Opens a file with $BROWSER or the system's program for that, which goes on by itself. Returns why it could not be
/// opened, or nothing.
std::string open_in_browser(const std::string& path);

}  // namespace isopatch::cli
