// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "isopatch/error.h"

namespace isopatch::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls that must throw Error, and are counted.
class Misuses {
 public:
  ~Misuses() { ::testing::Test::RecordProperty("calls", count_); }

  void expect_error(const std::string& what, const std::function<void()>& call) {
    ++count_;
    try {
      call();
    } catch (const Error& error) {
      EXPECT_GT(std::string(error.what()).size(), 15U) << what;
      return;
    } catch (const std::exception& other) {
      ADD_FAILURE() << what << ": not an Error: " << other.what();
      return;
    }
    ADD_FAILURE() << what << ": no Error";
  }

  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace isopatch::test
