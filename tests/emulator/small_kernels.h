// SPDX-License-Identifier: Apache-2.0
//
// Kernels of a few instructions, for tests of the emulated device.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/emulator/device.h"

namespace isopatch::emulator {

/// A kernel with one pointer, %rd1, the index of the lane, %r1, and 256 bytes of shared memory.
inline Program program(const std::string& body, const std::string& functions = "") {
  return read_program("kernel.ptx", R"(.version 8.0
.target sm_90
.address_size 64
)" + functions + R"(.visible .entry kernel(
	.param .u64 kernel_param_0
)
{
	.reg .pred 	%p<9>;
	.reg .b32 	%r<9>;
	.reg .f32 	%f<9>;
	.reg .b64 	%rd<9>;
	.shared .align 4 .b8 box[256];
	.local .align 4 .b8 	frame[16];
	ld.param.u64 	%rd1, [kernel_param_0];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd2, %r1, 4;
	add.s64 	%rd3, %rd1, %rd2;
	shl.b32 	%r2, %r1, 2;
	mov.u32 	%r3, box;
	add.s32 	%r4, %r3, %r2;
)" + body + "\n\tret;\n}\n");
}

/// Runs it in one block on an array of as many numbers 0, 1, ...
inline std::vector<std::uint32_t> run(const std::string& body, std::uint32_t threads = 32,
                                      const std::string& functions = "") {
  const Program loaded = program(body, functions);
  Device device;
  device.load(loaded);
  std::vector<std::uint32_t> numbers(threads);
  for (std::uint32_t i = 0; i < threads; ++i) numbers[i] = i;
  const std::size_t size = numbers.size() * sizeof(std::uint32_t);
  void* memory = device.memory().allocate(size);
  device.memory().written(memory, size);
  std::memcpy(memory, numbers.data(), size);
  std::array<std::byte, 8> parameters;
  std::memcpy(parameters.data(), &memory, 8);
  device.launch(device.kernel("kernel"), 1, threads, parameters);
  std::memcpy(numbers.data(), memory, size);
  return numbers;
}

}  // namespace isopatch::emulator
