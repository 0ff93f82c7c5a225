// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a PLY file.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/mesh_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isopatch;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::allow_error([&] { fuzz::exercise(parse_ply(bytes, "fuzz")); });
  return 0;
}
