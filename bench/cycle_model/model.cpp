// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/model.h"

namespace isopatch::cycle_model {

Model::Model(const Timing& timing, const std::vector<std::string>& listings, int processors)
    : timing_(timing), memory_(timing_, processors) {
  for (const std::string& file : listings) listings_.add(file);
}

int Model::resident_blocks(const std::string& kernel, u32 block, u32 dynamic_shared) const {
  const Kernel& resources = listings_.resources(kernel);
  return cycle_model::resident_blocks(timing_, resources, block, resources.shared_with(dynamic_shared));
}

void Model::launch(const std::string& name, u32 grid, u32 block, std::span<const std::byte> parameters,
                   emulator::GlobalMemory& memory, u32 dynamic_shared) {
  const Kernel& kernel = listings_.kernel(name);
  const Launch launch = {&kernel, grid, block, parameters, &memory, dynamic_shared};
  const Sums sums = run(timing_, launch, memory_);
  nlohmann::json waits;
  for (std::size_t i = 0; i < kWaits.size(); ++i) waits[kWaits[i]] = sums.waits[i];
  launches_.push_back({{"kernel", name},
                       {"grid", grid},
                       {"block", block},
                       {"resident_blocks", resident_blocks(name, block, dynamic_shared)},
                       {"registers", kernel.registers},
                       {"shared_bytes", launch.shared_bytes()},
                       {"stack_bytes", kernel.stack_bytes},
                       {"cycles", sums.cycles},
                       {"issued", sums.issued},
                       {"lanes", sums.lanes},
                       {"passes", sums.passes},
                       {"lines", sums.lines},
                       {"missed_lines", sums.missed_lines},
                       {"second_level_bytes", sums.second_level_bytes},
                       {"memory_bytes", sums.memory_bytes},
                       {"waits", waits}});
  std::vector<bool>& executed = executed_[name];
  executed.resize(sums.executed.size());
  for (std::size_t i = 0; i < executed.size(); ++i) executed[i] = executed[i] || sums.executed[i];
}

nlohmann::json Model::executed() const {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [kernel, executed] : executed_) {
    std::string letters;
    for (const bool is : executed) letters += is ? 'x' : '-';
    all[kernel] = letters;
  }
  return all;
}

}  // namespace isopatch::cycle_model
