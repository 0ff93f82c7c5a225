// SPDX-License-Identifier: Apache-2.0
//
// Sets of arrays in device memory. A set lists each array once, as a member that says its type, its name and how many
// elements it has:
//
//   struct BatchArrays : ArraysOf<BatchSize> {
//     using ArraysOf::ArraysOf;
//
//     std::int64_t* list = array(size().pairs);
//   };
//
// A size has a std::size_t for each number that calls differ in, and need(), which says in errors what has it; with
// shrink() it gives up what a call can do without, and returns false if there is no more of that.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// The numbers of a size.
template <class Size>
auto numbers_of(const Size& size) {
  return std::bit_cast<std::array<std::size_t, sizeof(Size) / sizeof(std::size_t)>>(size);
}

/// Whether a set of size `room` has room for `wanted`.
template <class Size>
bool fits(const Size& wanted, const Size& room) {
  const auto a = numbers_of(wanted), b = numbers_of(room);
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

/// Room for both.
template <class Size>
Size joined(const Size& one, const Size& other) {
  auto a = numbers_of(one);
  const auto b = numbers_of(other);
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), [](std::size_t x, std::size_t y) { return std::max(x, y); });
  return std::bit_cast<Size>(a);
}

/// Owns the memory of a set of arrays, each in an allocation of its size, so that what reads beyond it is found.
template <class Size>
class ArrayMemory {
 public:
  /// Allocates nothing: arrays are null, and counted.
  explicit ArrayMemory(const Size& size) : size_(size), allocates_(false) {}
  /// What fills arrays with zeros is enqueued on `stream`.
  ArrayMemory(const Size& size, cudaStream_t stream) : size_(size), stream_(stream) {}

  const Size& size() const { return size_; }
  std::size_t bytes() const { return bytes_; }

  void* allocate(std::size_t bytes, bool with_zeros) {
    bytes_ += bytes;
    if (!allocates_ || bytes == 0) return nullptr;
    void* const data = buffers_.emplace_back(bytes).data();
    if (with_zeros) ISOPATCH_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, stream_));
    return data;
  }

 private:
  Size size_;
  cudaStream_t stream_ = nullptr;
  bool allocates_ = true;
  std::size_t bytes_ = 0;
  std::vector<DeviceBuffer<std::byte>> buffers_;
};

/// The base of a set of arrays. Kernels take sets by value, as views.
template <class SizeOfSet>
class ArraysOf {
 public:
  using Size = SizeOfSet;

  explicit ArraysOf(ArrayMemory<Size>& memory) : memory_(&memory) {}

  /// The size that the arrays have.
  const Size& size() const { return memory_->size(); }

 protected:
  /// An array of the type of the pointer that it is written to; null without elements.
  struct NewArray {
    ArrayMemory<Size>* memory;
    std::size_t count;
    bool with_zeros;

    template <class T>
    operator T*() const {
      return static_cast<T*>(memory->allocate(count * sizeof(T), with_zeros));
    }
  };

  NewArray array(std::size_t count) const { return {memory_, count, false}; }
  NewArray zeros(std::size_t count) const { return {memory_, count, true}; }

 private:
  ArrayMemory<Size>* memory_;
};

/// A set of arrays with its memory.
template <class Arrays>
class DeviceArena {
 public:
  using Size = typename Arrays::Size;

  /// Shrinks the size if the device has too little memory for it. Throws Error if it has too little for the rest.
  DeviceArena(const Size& size, cudaStream_t stream) : memory_(affordable(size), stream), arrays_(memory_) {
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  }
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  const Arrays& operator*() const { return arrays_; }
  const Arrays* operator->() const { return &arrays_; }

  /// What the arrays of this size take.
  static std::size_t bytes(const Size& size) {
    ArrayMemory<Size> memory(size);
    const Arrays arrays(memory);
    return memory.bytes();
  }

 private:
  static Size affordable(Size size) {
    if constexpr (requires { size.shrink(); }) {
      while (!has_device_memory(bytes(size)) && size.shrink()) {
      }
    }
    require_device_memory(bytes(size), size.need());
    return size;
  }

  ArrayMemory<Size> memory_;
  const Arrays arrays_;
};

}  // namespace isopatch::detail
