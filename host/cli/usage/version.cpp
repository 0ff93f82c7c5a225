// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/version.h"

#include <fmt/format.h>

#include "isopatch/evaluator.h"

namespace isopatch::cli {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

#ifdef ISOPATCH_HAS_CVODE
constexpr const char* kCvode = "yes";
#else
constexpr const char* kCvode = "no";
#endif

std::string cuda_text() {
#ifdef ISOPATCH_HAS_CUDA
  const int devices = num_cuda_devices();
  return fmt::format("{}, {} {} found", ISOPATCH_CUDA_VERSION, devices, devices == 1 ? "device" : "devices");
#else
  return "no";
#endif
}

}  // namespace

std::string version_text() {
  return fmt::format("isopatch {}\ncompiler  {}\nCUDA      {}\nCVODE     {}", ISOPATCH_VERSION, kCompiler, cuda_text(),
                     kCvode);
}

}  // namespace isopatch::cli
