// SPDX-License-Identifier: Apache-2.0
//
// The fat binary that nvcc puts into each object, a list of the forms in which it has the object's device code. NVIDIA
// does not document its format; what is read here is checked.
#pragma once

#include <string>

namespace isopatch::emulator {

/// The PTX for the newest architecture in the fat binary of this registration; empty if it has none. Throws
/// std::runtime_error where the format is not known, and for PTX that is compressed in a way
/// that this build cannot read.
std::string ptx_of(const void* registered);

/// The name of the source file of the PTX; empty if its line information does not have it.
std::string source_of(const std::string& ptx);

}  // namespace isopatch::emulator
