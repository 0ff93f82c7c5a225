// SPDX-License-Identifier: Apache-2.0
//
// Warnings on standard error.
#pragma once

#include <string>

namespace isopatch::cli {

void print_warning(const std::string& warning);

/// Warns if a mesh file `length` [m] long may be in other units; a scene that names it can say in which.
void print_doubt_of_units(const std::string& file, double length);

}  // namespace isopatch::cli
