// SPDX-License-Identifier: Apache-2.0
//
// What compiled programs of XLA know by a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace isopatch::python {

/// Objects with numbers, which are not used a second time. Threads may share it.
template <class T>
class Registry {
 public:
  /// The number of an object, which is kept alive from then on.
  std::int64_t add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const auto known = find_object(object.get());
    if (known != objects_.end()) return known->first;
    objects_.emplace(next_, std::move(object));
    return next_++;
  }

  /// The object with a number; null if there is none.
  std::shared_ptr<const T> find(std::int64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Lets go of an object, if it is here.
  void release(const T& object) {
    std::shared_ptr<T> last;  // destroyed when nothing is locked, since that may wait for Python
    const std::lock_guard lock(mutex_);
    const auto known = find_object(&object);
    if (known == objects_.end()) return;
    last = std::move(known->second);
    objects_.erase(known);
  }

  /// Lets go of all objects.
  void clear() {
    std::map<std::int64_t, std::shared_ptr<T>> last;  // destroyed when nothing is locked, as in release()
    const std::lock_guard lock(mutex_);
    last.swap(objects_);
  }

 private:
  auto find_object(const T* object) {
    return std::find_if(objects_.begin(), objects_.end(),
                        [&](const auto& entry) { return entry.second.get() == object; });
  }

  mutable std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<T>> objects_;
  std::int64_t next_ = 0;
};

}  // namespace isopatch::python
