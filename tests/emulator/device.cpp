// SPDX-License-Identifier: Apache-2.0
#include "emulator/device.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <regex>
#include <set>

namespace isopatch::emulator {

namespace {

std::string without_hashes(const std::string& name) {
  static const std::regex hash("(_GLOBAL__N__)[0-9a-f]{8}(_.*?_)[0-9a-f]{8}");
  return std::regex_replace(name, hash, "$1$2");
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

std::string Launch::place_of(const Instruction& i) const {
  std::string place = fmt::format("{}, {}:{}", demangled(kernel->name), program->file, i.line);
  for (std::int32_t l = i.location; l >= 0; l = program->locations[static_cast<std::size_t>(l)].caller) {
    const Location& location = program->locations[static_cast<std::size_t>(l)];
    place += fmt::format(" {} {}:{}", l == i.location ? "from" : "in", location.file, location.line);
  }
  return place;
}

namespace {

/// A block and its warps that have not ended.
struct Block {
  SharedMemory shared;
  std::vector<std::unique_ptr<Warp>> warps;

  Block(const Launch& launch, std::uint32_t number) : shared(launch.kernel->shared_bytes) {
    for (std::uint32_t first = 0; first < launch.block; first += kLanes) {
      warps.push_back(std::make_unique<Warp>(launch, shared, number, first));
    }
  }
};

}  // namespace

Device::Device(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    for (const Kernel& kernel : program.kernels) {
      kernels_[without_hashes(kernel.name)] = {&program, &kernel, std::vector<Count>(kernel.code.size()), 0};
    }
  }
}

const Kernel& Device::kernel(const std::string& name) const {
  const auto found = kernels_.find(without_hashes(name));
  if (found == kernels_.end()) throw std::out_of_range("no PTX of the kernel " + demangled(name));
  return *found->second.kernel;
}

void Device::launch(const Kernel& kernel, std::uint32_t grid, std::uint32_t block,
                    std::span<const std::byte> parameters) {
  Loaded& to = kernels_.at(without_hashes(kernel.name));
  ++to.launches;
  const Launch launch = {to.program, &kernel, parameters, &memory_, grid, block, to.counts, counts_transactions_};
  constexpr std::size_t kResident = kProcessors * kBlocksPerProcessor;
  std::vector<std::unique_ptr<Block>> resident;
  std::uint32_t next = 0;
  while (next < grid || !resident.empty()) {
    while (next < grid && resident.size() < kResident) resident.push_back(std::make_unique<Block>(launch, next++));
    const std::size_t b = random_() % resident.size();
    auto& warps = resident[b]->warps;
    const std::size_t w = random_() % warps.size();
    const bool more = warps[w]->advance(1 + static_cast<int>(random_() % 4000));
    if (!more) warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(w));
    if (warps.empty()) resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(b));
  }
}

std::string Device::profile() const {
  std::string text;
  for (const auto& [name, of] : kernels_) {
    Count total;
    std::map<std::string, Count> by_function;
    std::map<std::string, std::uint64_t> by_name;
    for (std::size_t at = 0; at < of.counts.size(); ++at) {
      const Count& c = of.counts[at];
      const auto add = [&](Count& sum) {
        sum.issued += c.issued, sum.lanes += c.lanes, sum.transactions += c.transactions;
      };
      add(total);
      std::set<std::string> functions;
      for (std::int32_t l = of.kernel->code[at].location; l >= 0;
           l = of.program->locations[static_cast<std::size_t>(l)].caller) {
        const Location& location = of.program->locations[static_cast<std::size_t>(l)];
        if (!location.function.empty()) functions.insert(location.function);
      }
      for (const std::string& f : functions) add(by_function[f]);
    }
    if (of.launches == 0) continue;
    text += fmt::format(
        "{}: {} launches, {} warp instructions, {:.1f} lanes active, {} transactions\n", demangled(name), of.launches,
        total.issued, static_cast<double>(total.lanes) / static_cast<double>(std::max<std::uint64_t>(1, total.issued)),
        total.transactions);
    std::vector<std::pair<std::string, Count>> sorted(by_function.begin(), by_function.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.issued > b.second.issued; });
    for (const auto& [function, c] : sorted) {
      if (c.issued == 0) break;
      text += fmt::format("  {:>14} {:>5.1f} {:>12}  {}\n", c.issued,
                          static_cast<double>(c.lanes) / static_cast<double>(c.issued), c.transactions,
                          demangled(function));
    }
  }
  return text;
}

}  // namespace isopatch::emulator
