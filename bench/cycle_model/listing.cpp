// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/cycle_model/instruction.h"

namespace isopatch::cycle_model {

namespace {

using Labels = std::map<std::string, std::int32_t>;

bool starts(const std::string& text, const char* beginning) { return text.rfind(beginning, 0) == 0; }

/// The number behind a register's prefix, or `last` for its name that ends in Z or T.
std::int32_t number(const std::string& name, std::size_t prefix, int last) {
  if (name.size() == prefix + 1 && (name[prefix] == 'Z' || name[prefix] == 'T')) return last;
  return std::stoi(name.substr(prefix));
}

/// The parts between separators, none of which is inside of brackets.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// "R2.64+UR4+-0x10": what an address or an offset into the constants is the sum of.
void read_sum(const std::string& text, Operand& to) {
  for (std::string term : split(text, '+')) {
    const bool negative = !term.empty() && term[0] == '-';
    if (negative) term.erase(0, 1);
    if (term.empty()) continue;
    const std::vector<std::string> words = split(term, '.');
    if (term[0] == 'U') {
      to.uniform = number(words[0], 2, Operand::kZeroUniform);
    } else if (term[0] == 'R') {
      to.base = number(words[0], 1, Operand::kZeroRegister);
      for (const std::string& word : words) {
        if (word == "64") to.wide = true;
        if (word[0] == 'X' && word.size() > 1) to.scale = std::stoi(word.substr(1));
      }
    } else {
      to.offset += (negative ? -1 : 1) * std::stoll(term, nullptr, 0);
    }
  }
}

/// An operand; `encoded` has the bits of an immediate where the text would have to be rounded.
Operand read_operand(std::string text, bool is_float, bool is_double, std::uint32_t encoded, const Labels& labels) {
  Operand o;
  o.text = text;
  if (starts(text, "desc[")) text.erase(0, text.find(']') + 1);
  if (const auto at = text.find(".reuse"); at != std::string::npos) o.kept = true, text.erase(at, 6);
  if (text[0] == '`') {
    o.bank = Bank::kLabel;
    const auto found = labels.find(text.substr(2, text.find(')') - 2));
    o.index = found == labels.end() ? -1 : found->second;
    return o;
  }
  if (text[0] == '!' || text[0] == '~') o.inverted = true, text.erase(0, 1);
  const auto is_digit = [&](std::size_t at) { return at < text.size() && std::isdigit(text[at]) != 0; };
  const bool is_number = is_digit(0) || text[0] == '+' || starts(text, "INF") || starts(text, "QNAN") ||
                         (text[0] == '-' && (is_digit(1) || text.substr(1, 3) == "INF" || text.substr(1, 4) == "QNAN"));
  if (is_number) {
    o.bank = Bank::kImmediate;
    if (is_float) {
      o.bits = encoded;
    } else if (is_double) {
      o.bits = static_cast<std::uint64_t>(encoded) << 32;
    } else {
      o.bits = static_cast<std::uint32_t>(std::stoll(text, nullptr, 0));
    }
    return o;
  }
  if (text[0] == '-') o.negative = true, text.erase(0, 1);
  if (text[0] == '|') o.absolute = true, text = text.substr(1, text.size() - 2);
  if (text[0] == '[') {
    o.bank = Bank::kAddress;
    read_sum(text.substr(1, text.size() - 2), o);
  } else if (starts(text, "c[")) {
    o.bank = Bank::kConstant;
    o.index = std::stoi(text.substr(2), nullptr, 0);
    const auto second = text.find('[', 2) + 1;
    read_sum(text.substr(second, text.find(']', second) - second), o);
  } else if (text == "RZ" || (text[0] == 'R' && is_digit(1))) {
    o.bank = Bank::kRegister, o.index = number(text, 1, Operand::kZeroRegister);
  } else if (text == "URZ" || (starts(text, "UR") && is_digit(2))) {
    o.bank = Bank::kUniform, o.index = number(text, 2, Operand::kZeroUniform);
  } else if (text == "PT" || (text[0] == 'P' && is_digit(1))) {
    o.bank = Bank::kPredicate, o.index = number(text, 1, Operand::kTrue);
  } else if (text == "UPT" || (starts(text, "UP") && is_digit(2))) {
    o.bank = Bank::kUniformPredicate, o.index = number(text, 2, Operand::kTrue);
  } else if (text[0] == 'B' && is_digit(1)) {
    o.bank = Bank::kBarrier, o.index = std::stoi(text.substr(1));
  } else {
    o.bank = Bank::kSpecial;
  }
  return o;
}

/// "LOW HIGH TEXT": the two words of the encoding, in hexadecimal, and the text.
Instruction read_instruction(const std::string& line, const Labels& labels) {
  Instruction i;
  std::istringstream in(line);
  std::uint64_t low = 0, high = 0;
  std::string word;
  in >> std::hex >> low >> high >> word;
  i.text = line.substr(line.find(word, 34));  // behind two words of 16 digits

  // bits 105 to 125 of the encoding: stall (4), yield (1), scoreboards set (3, 3) and waited for (6), and operands
  // kept (4), which the text has too
  i.stall = static_cast<std::int32_t>(high >> 41 & 15);
  i.sets_on_result = static_cast<std::int32_t>(high >> 46 & 7);
  i.sets_on_read = static_cast<std::int32_t>(high >> 49 & 7);
  i.waits_for = static_cast<std::uint32_t>(high >> 52 & 63);

  i.guard = read_operand("PT", false, false, 0, labels);
  if (word[0] == '@') {
    i.guard = read_operand(word.substr(1), false, false, 0, labels);
    in >> word;
  }
  i.modifiers = split(word, '.');
  i.name = i.modifiers[0];
  i.modifiers.erase(i.modifiers.begin());

  std::string rest, operands;
  std::getline(in, rest);
  for (const char c : rest.substr(0, rest.find("(*"))) {
    if (c != ' ') operands += c;
  }
  const bool is_double = i.name[0] == 'D' && i.name != "DEPBAR";
  const bool is_float = i.name == "MUFU" || i.name == "HFMA2" || (i.name[0] == 'F' && i.name != "FLO");
  if (!operands.empty()) {
    for (const std::string& text : split(operands, ',')) {
      i.operands.push_back(read_operand(text, is_float, is_double, static_cast<std::uint32_t>(low >> 32), labels));
    }
  }
  i.run = find_operation(i);
  return i;
}

}  // namespace

bool Instruction::has(const char* modifier) const {
  for (const std::string& m : modifiers) {
    if (m == modifier) return true;
  }
  return false;
}

void Listings::add(const std::string& file) {
  std::ifstream in(file);
  Listing* to = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (starts(line, "kernel ")) {
      Kernel kernel;
      std::istringstream words(line.substr(7));
      std::string jumps;
      if (!(words >> kernel.name >> kernel.registers >> kernel.shared_bytes >> kernel.stack_bytes >> jumps)) {
        throw std::runtime_error(fmt::format("{}: not \"kernel NAME REGISTERS SHARED STACK JUMPS\": {}", file, line));
      }
      for (std::size_t at = 0; at + 8 <= jumps.size(); at += 8) {  // bytes from the least on
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          word |= static_cast<std::uint32_t>(std::stoul(jumps.substr(at + 2 * k, 2), nullptr, 16)) << 8 * k;
        }
        kernel.jumps.push_back(word);
      }
      to = &listings_[kernel.name];
      *to = {kernel, {}};
    } else if (to != nullptr) {
      to->lines.push_back(line);
    }
  }
  if (to == nullptr) throw std::runtime_error(fmt::format("{}: no kernels; predict.py makes such files", file));
}

const Kernel& Listings::kernel(const std::string& name) {
  resources(name);
  Listing& listing = listings_.at(name);
  if (!listing.kernel.code.empty()) return listing.kernel;
  Labels labels;
  std::int32_t at = 0;
  for (const std::string& line : listing.lines) {
    if (line.back() == ':') {
      labels[line.substr(0, line.size() - 1)] = at;
    } else {
      ++at;
    }
  }
  for (const std::string& line : listing.lines) {
    if (line.back() != ':') listing.kernel.code.push_back(read_instruction(line, labels));
  }
  return listing.kernel;
}

const Kernel& Listings::resources(const std::string& name) const {
  const auto found = listings_.find(name);
  if (found == listings_.end()) throw std::runtime_error("no machine code of the kernel " + name);
  return found->second.kernel;
}

}  // namespace isopatch::cycle_model
