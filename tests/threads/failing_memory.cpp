// SPDX-License-Identifier: Apache-2.0
#include "tests/threads/failing_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> armed = false, every_later_one = false;
std::atomic<std::int64_t> allocations = 0, first_failure = 0;

bool fails() {
  if (!armed) return false;
  const std::int64_t number = allocations++;
  return number == first_failure || (every_later_one && number > first_failure);
}

}  // namespace

namespace isopatch::test {

FailingMemory::FailingMemory(std::int64_t first, bool all) {
  allocations = 0, first_failure = first, every_later_one = all;
  armed = true;
}
FailingMemory::~FailingMemory() { armed = false; }
bool FailingMemory::has_failed() const { return allocations > first_failure; }

}  // namespace isopatch::test

void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return fails() ? nullptr : std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void* operator new(std::size_t size) {
  if (void* const found = operator new(size, std::nothrow)) return found;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const auto to = static_cast<std::size_t>(alignment);
  return fails() ? nullptr : std::aligned_alloc(to, (size + to - 1) / to * to);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* const found = operator new(size, alignment, std::nothrow)) return found;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
