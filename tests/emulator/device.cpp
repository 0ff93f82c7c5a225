// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/device.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace isopatch::emulator {

namespace {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

std::string Launch::location_of(const Instruction& i) const {
  std::string text = fmt::format("{}, {}:{}", demangled(kernel->name), program->name, i.line);
  for (std::int32_t l = i.location; l >= 0; l = program->locations[static_cast<std::size_t>(l)].caller) {
    const Location& location = program->locations[static_cast<std::size_t>(l)];
    text += fmt::format(" {} {}:{}", l == i.location ? "from" : "in", location.file, location.line);
  }
  return text;
}

namespace {

struct Sum {
  Count count;
  std::uint64_t in_double = 0;

  void add(const Count& c, const Instruction& i) {
    count.issued += c.issued, count.lanes += c.lanes, count.transactions += c.transactions;
    if (i.in_double) in_double += c.issued;
  }
  nlohmann::json json(const std::string& name) const {
    return {{"name", demangled(name)},
            {"issued", count.issued},
            {"in_double", in_double},
            {"lanes", count.lanes},
            {"transactions", count.transactions}};
  }
};

/// A block and its warps that have not ended: those that can go on, and those at a barrier of the block.
struct Block {
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps, waiting;

  Block(const Launch& launch, std::uint32_t number) : shared(launch.kernel->shared_with(launch.dynamic_shared)) {
    for (std::uint32_t first = 0; first < launch.block; first += kLanes) {
      warps.push_back(std::make_unique<Warp>(launch, shared, number, first));
    }
  }

  /// Lets a warp go on by up to `most` instructions. When no other is left, those at the barrier pass it.
  void advance(std::size_t index, int most) {
    const bool more = warps[index]->advance(most);
    if (more && !warps[index]->waits()) return;
    if (more) waiting.push_back(std::move(warps[index]));
    warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(index));
    if (!warps.empty()) return;
    for (const auto& warp : waiting) warp->pass_block_barrier();
    warps.swap(waiting);
  }
};

}  // namespace

void Device::load(const Program& program) {
  for (const Kernel& kernel : program.kernels) {
    kernels_[kernel.name] = {&program, &kernel, std::vector<Count>(kernel.code.size()), 0};
  }
}

const Kernel& Device::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) throw std::out_of_range("no PTX of the kernel " + demangled(name));
  return *found->second.kernel;
}

void Device::launch(const Kernel& kernel, std::uint32_t grid, std::uint32_t block,
                    std::span<const std::byte> parameters, std::uint32_t dynamic_shared) {
  Loaded& to = kernels_.at(kernel.name);
  ++to.launches;
  const Launch launch = {to.program, &kernel,   parameters,           &memory_,      grid,
                         block,      to.counts, counts_transactions_, dynamic_shared};
  constexpr std::size_t kResident = kProcessors * kBlocksPerProcessor;
  std::vector<std::unique_ptr<Block>> resident;
  std::uint32_t next = grid - std::min(grid, most_blocks_);
  while (next < grid || !resident.empty()) {
    while (next < grid && resident.size() < kResident) resident.push_back(std::make_unique<Block>(launch, next++));
    const std::size_t b = random_() % resident.size();
    const std::size_t w = random_() % resident[b]->warps.size();
    resident[b]->advance(w, 1 + static_cast<int>(random_() % 4000));
    if (resident[b]->warps.empty()) resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(b));
  }
}

std::map<std::string, std::uint32_t> Device::local_memory() const {
  std::map<std::string, std::uint32_t> bytes;
  for (const auto& [name, loaded] : kernels_)
    bytes[demangled(name)] = loaded.kernel->local_bytes - loaded.kernel->call_bytes;
  return bytes;
}

std::vector<std::string> Device::kernels_with_generic_atomics() const {
  std::vector<std::string> found;
  for (const auto& [name, loaded] : kernels_) {
    if (loaded.kernel->has_generic_atomics) found.push_back(demangled(name));
  }
  return found;
}

std::string Device::profile() const {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& [name, of] : kernels_) {
    if (of.launches == 0) continue;
    Sum total;
    std::map<std::string, Sum> by_function, by_line;
    for (std::size_t at = 0; at < of.counts.size(); ++at) {
      const Instruction& i = of.kernel->code[at];
      total.add(of.counts[at], i);
      std::set<std::string> functions, lines;  // each once, however often it calls itself
      for (std::int32_t l = i.location; l >= 0;) {
        const Location& location = of.program->locations[static_cast<std::size_t>(l)];
        if (!location.function.empty()) functions.insert(location.function);
        lines.insert(fmt::format("{}:{}", location.file, location.line));
        l = location.caller;
      }
      for (const std::string& f : functions) by_function[f].add(of.counts[at], i);
      for (const std::string& l : lines) by_line[l].add(of.counts[at], i);
    }
    nlohmann::json kernel = total.json(of.kernel->name);
    kernel["launches"] = of.launches;
    kernel["instructions"] = of.kernel->code.size();
    for (const auto& [key, sums] : {std::pair("functions", &by_function), std::pair("lines", &by_line)}) {
      kernel[key] = nlohmann::json::array();
      for (const auto& [of_what, sum] : *sums) {
        if (sum.count.issued > 0) kernel[key].push_back(sum.json(of_what));
      }
    }
    kernels.push_back(std::move(kernel));
  }
  return nlohmann::json{{"kernels", kernels}}.dump(1);
}

}  // namespace isopatch::emulator
