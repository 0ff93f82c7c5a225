// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "host/meshing/coarsening.h"
#include "isopatch/evaluator.h"

namespace isopatch::cli {

/// The version, the compiler, and what the program that includes this was built with.
inline std::string version_text() {
#ifdef __clang__
  const char* const compiler = "clang " __clang_version__;
#else
  const char* const compiler = "GCC " __VERSION__;
#endif
#ifdef ISOPATCH_HAS_RENDER
  const char* const render = "yes";
#else
  const char* const render = "no";
#endif
  std::string cuda = "no";
#ifdef ISOPATCH_HAS_CUDA
  const int devices = num_cuda_devices();
  cuda = devices > 0
             ? fmt::format("{}, {} {} found", ISOPATCH_CUDA_VERSION, devices, devices == 1 ? "device" : "devices")
             : fmt::format("{}, not used: {}", ISOPATCH_CUDA_VERSION, cuda_problem());
#endif
  return fmt::format("isopatch {}\ncompiler  {}\nCUDA      {}\nrender    {}\ncoarsens  {}", ISOPATCH_VERSION, compiler,
                     cuda, render, detail::kCanCoarsen ? "yes" : "no");
}

}  // namespace isopatch::cli
