// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <stdexcept>

namespace isopatch::cycle_model {

namespace {

std::vector<Cost> guesses() {
  std::vector<Cost> costs = {{"others", Unit::kAlu, 2, 12}};
  const auto add = [&](Unit unit, std::int64_t interval, std::int64_t latency,
                       std::initializer_list<const char*> names) {
    for (const char* name : names) costs.push_back({name, unit, interval, latency});
  };
  add(Unit::kFloat, 1, 12, {"FFMA", "FADD", "FMUL", "HFMA2"});
  add(Unit::kMultiply, 2, 12, {"IMAD"});  // half of the float unit, which can go on
  add(Unit::kAlu, 2, 12, {"FSEL", "FMNMX", "FSETP"});
  add(Unit::kDouble, 2, 12, {"DADD", "DMUL", "DFMA", "DSETP"});
  add(Unit::kSpecial, 8, 22, {"MUFU", "F2F", "F2I", "I2F", "POPC", "BREV", "FLO"});
  add(Unit::kMemory, 2, 41, {"LD", "ST"});  // generic addresses take longer
  add(Unit::kMemory, 2, 38, {"LDG", "LDL", "STG", "STL"});
  add(Unit::kMemory, 2, 29, {"LDS", "STS", "ATOMS"});
  add(Unit::kMemory, 2, 24, {"SHFL"});
  add(Unit::kMemory, 2, 32, {"REDUX", "MATCH"});
  add(Unit::kMemory, 2, 420, {"ATOM", "ATOMG", "RED", "REDG"});
  add(Unit::kMemory, 2, 25, {"S2R", "S2UR"});
  add(Unit::kMemory, 2, 28, {"LDC"});
  add(Unit::kUniform, 2, 12, {"U", "R2UR", "VOTEU"});  // U: all whose name begins so
  add(Unit::kBranch, 1, 500, {"MEMBAR"});
  add(Unit::kBranch, 1, 12, {"BRA", "BSSY", "BSYNC", "BREAK", "CALL", "RET", "EXIT", "WARPSYNC", "NOP", "YIELD"});
  add(Unit::kBranch, 1, 12, {"ERRBAR", "CGAERRBAR", "CCTL", "DEPBAR", "BMOV", "BRX", "BAR", "ENDCOLLECTIVE"});
  return costs;
}

template <class F>
void for_each_count(Timing& t, F f) {
  f("taken_branch", t.taken_branch);
  f("memory_start", t.memory_start);
  f("operand_read", t.operand_read);
  f("second_level", t.second_level);
  f("memory", t.memory);
  f("constants", t.constants);
  f("fetch_next", t.fetch_next);
  f("fetch_jump", t.fetch_jump);
  f("fetch_second_level", t.fetch_second_level);
  f("fetch_second_level_jump", t.fetch_second_level_jump);
  f("begin_kernel", t.begin_kernel);
  f("store_queue", t.store_queue);
  f("processors", t.processors);
  f("warps", t.warps);
  f("registers", t.registers);
  f("most_blocks", t.most_blocks);
  f("fast_memory", t.fast_memory);
  f("fetch_buffer", t.fetch_buffer);
  f("instruction_cache", t.instruction_cache);
  f("constant_cache", t.constant_cache);
  f("second_level_size", t.second_level_size);
  f("memory_queue", t.memory_queue);
  f("banks", t.banks);
  f("lines_a_cycle", t.lines_a_cycle);
  f("register_banks", t.register_banks);
}

template <class F>
void for_each_rate(Timing& t, F f) {
  f("read_port", t.read_port);
  f("write_port", t.write_port);
  f("second_level_rate", t.second_level_rate);
  f("memory_rate", t.memory_rate);
  f("same_word", t.same_word);
  f("launch", t.launch);
  f("first_launch", t.first_launch);
}

}  // namespace

Timing::Timing() : costs(guesses()) {}

void Timing::read(const std::string& file) {
  try {
    take(nlohmann::json::parse(std::ifstream(file)).get<nlohmann::json::object_t>());
  } catch (const std::exception& e) {
    throw std::runtime_error(file + ": " + e.what());
  }
}

void Timing::take(nlohmann::json::object_t values) {
  const auto take_one = [&](const char* name, auto& to) {
    const auto found = values.find(name);
    if (found == values.end()) return;
    found->second.get_to(to);
    values.erase(found);
  };
  for_each_count(*this, take_one);
  for_each_count(*this, [](const char* name, std::int64_t count) {
    if (count < 1) throw std::runtime_error(fmt::format("{} is {}; at least 1 is needed", name, count));
  });
  for_each_rate(*this, take_one);
  std::map<std::string, std::map<std::string, std::int64_t>> instructions;
  take_one("instructions", instructions);
  for (auto& [name, value] : instructions) {
    const auto found =
        std::find_if(costs.begin(), costs.end(), [&name = name](const Cost& c) { return c.name == name; });
    if (found == costs.end()) throw std::runtime_error(fmt::format("the instruction \"{}\" is not known", name));
    for (const auto& [key, cycles] : value) {
      if (key != "interval" && key != "latency") throw std::runtime_error(fmt::format("\"{}\" is not known", key));
      (key == "interval" ? found->interval : found->latency) = cycles;
    }
  }
  if (!values.empty()) throw std::runtime_error(fmt::format("\"{}\" is not known", values.begin()->first));
}

const Cost& Timing::cost_of(const Instruction& i) const {
  const Cost* found = &costs.front();
  for (const Cost& cost : costs) {
    if (cost.name == i.name) return cost;
    if (cost.name == "U" && i.name[0] == 'U') found = &cost;
  }
  return *found;
}

}  // namespace isopatch::cycle_model
