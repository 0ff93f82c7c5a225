// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/cycle_model/processor.h"
#include "tests/emulator/device.h"

namespace isopatch::cycle_model {

/// Runs what the library launches on some processors, and notes what that took.
class Model final : public emulator::Engine {
 public:
  Model(const Timing& timing, const std::vector<std::string>& listings, int processors);

  int processors() const override { return memory_.processors(); }
  int resident_blocks(const std::string& kernel, u32 block, u32 dynamic_shared) const override;
  void launch(const std::string& name, u32 grid, u32 block, std::span<const std::byte> parameters,
              emulator::GlobalMemory& memory, u32 dynamic_shared) override;

  /// What all processors of the device have of something, as a share for those that are executed.
  std::int64_t share_of(std::int64_t of_device) const { return of_device * processors() / timing_.processors; }

  /// What each launch took, since the last forget_launches().
  const nlohmann::json& launches() const { return launches_; }
  void forget_launches() { launches_.clear(); }

  /// Of each kernel that was ever launched, a letter for each instruction: 'x' if it was executed, else '-'.
  nlohmann::json executed() const;

 private:
  Timing timing_;
  MemorySystem memory_;
  Listings listings_;
  nlohmann::json launches_ = nlohmann::json::array();
  std::map<std::string, std::vector<bool>> executed_;  // by kernel
};

}  // namespace isopatch::cycle_model
