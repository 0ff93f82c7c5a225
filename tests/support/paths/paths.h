// SPDX-License-Identifier: Apache-2.0
//
// Paths of the build. They stand in one source, so that a compiler cache has all others for a checkout elsewhere.
#pragma once

#include <string>

namespace isopatch {

/// A path in the source tree; without a name its root.
std::string source_path(const std::string& name = "");

/// The command line of this build.
std::string program_path();

/// The folder of the meshes that are not part of this project, as the build was configured; empty if it was not said.
std::string configured_data_folder();

}  // namespace isopatch
