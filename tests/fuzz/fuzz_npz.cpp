// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a states file: states of a scene of two bodies and one pair, or an Error. What is read must survive
// writing.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "host/cli/states_file.h"
#include "tests/fuzz/contact_fuzzing.h"
#include "tests/support/npz_arrays.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isopatch;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  SceneDescription scene;
  scene.bodies.resize(2);
  scene.pairs.emplace(1);
  fuzz::allow_error([&] {
    detail::NpyArray array = detail::parse_npy(bytes, "fuzz");
    if (detail::parse_npy(detail::npy_bytes(array), "again").bytes != array.bytes) std::abort();
  });
  fuzz::allow_error([&] {
    cli::states_from_arrays(detail::open_npz(std::make_shared<const std::string>(bytes), "fuzz"), scene, "fuzz");
  });
  return 0;
}
