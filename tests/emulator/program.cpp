// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/emulator/calls.h"
#include "tests/emulator/instructions.h"
#include "tests/emulator/locations.h"
#include "tests/emulator/text.h"

namespace isopatch::emulator {

namespace {

/// The last number in brackets: bytes of an array, registers of a kind.
std::int64_t count_in(const std::string& text, char bracket) {
  return to_integer(text.substr(text.rfind(bracket) + 1));
}

bool is_number(const std::string& word) { return std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-'; }

struct Type {
  std::uint8_t bytes;
  bool is_signed;
};

std::optional<Type> memory_type(const std::string& name) {
  if (name.size() < 2 || std::string_view("bsuf").find(name[0]) == std::string_view::npos) return {};
  const std::int64_t bits = to_integer(name.substr(1));
  return Type{static_cast<std::uint8_t>(bits / 8), name[0] == 's'};
}

/// Not what only moves bits.
bool computes_in_double(const std::string& name) {
  if (name.find("f64") == std::string::npos) return false;
  const std::string operation = name.substr(0, name.find('.'));
  return operation != "ld" && operation != "st" && operation != "mov" && operation != "selp" && operation != "neg" &&
         operation != "abs";
}

class Reader {
 public:
  explicit Reader(const std::string& name) { program_.name = name; }

  /// Pieces of the text of a program, each with the number of lines before it.
  struct Piece {
    std::int32_t lines_before;
    std::string_view text;
  };

  Program read(const std::vector<Piece>& pieces) {
    std::vector<NumberedLine> lines;
    for (const auto& [lines_before, text] : pieces) {
      std::int32_t number = lines_before;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        lines.emplace_back(++number, trimmed(std::string(line.substr(0, line.find("//")))));
        at = end + 1;
      }
    }
    for (const auto& [number, line] : lines) locations_.read_table(line);
    for (const auto& [number, line] : without_calls(lines)) {
      line_ = number;
      try {
        read_line(line);
      } catch (const std::exception& e) {
        throw std::runtime_error(fmt::format("{}:{}: {}: {}", program_.name, line_, line, e.what()));
      }
    }
    program_.locations = std::move(locations_).all();
    return std::move(program_);
  }

 private:
  struct Register {
    Slot slot;
    std::uint8_t bytes;  // Form::kMask for a predicate
  };

  std::vector<NumberedLine> without_calls(const std::vector<NumberedLine>& lines) const {
    try {
      return inline_calls(lines);
    } catch (const std::exception& e) {
      throw std::runtime_error(fmt::format("{}: {}", program_.name, e.what()));
    }
  }

  /// A block can be on one line, "{ .reg .pred p; @p add.s32 %r1, %r1, 1; }", or end behind its last statement.
  void read_line(const std::string& line) {
    if (depth_ > 0 && line[0] != '{' && line.ends_with("; }")) {
      read_statement(line.substr(0, line.size() - 2));
      return read_statement("}");
    }
    if (depth_ == 0 || line.size() < 2 || line[0] != '{') return read_statement(line);
    read_statement("{");
    std::istringstream in(line.substr(1));
    for (std::string statement; std::getline(in, statement, ';');) {
      statement = trimmed(statement);
      if (!statement.empty()) read_statement(statement == "}" ? statement : statement + ";");
    }
  }

  void read_statement(const std::string& line) {
    const auto entry = line.find(".entry ");
    if (entry != std::string::npos) return begin_kernel(line.substr(entry + 7));
    if (line.starts_with(".extern .shared")) {
      dynamic_.insert(named_bytes(words_of(line)).first);
      return;
    }
    if (line.empty() || (depth_ == 0 && !line.starts_with(".param") && line != "{")) return;
    if (line.starts_with(".param")) return read_parameter(line);
    if (line == "{") {
      if (!entered_) return;
      ++depth_;
    } else if (line == "}") {
      if (--depth_ == 0) end_kernel();
    } else if (line.starts_with(".loc\t")) {
      location_ = locations_.read_position(line);
    } else if (line.starts_with(kCalled)) {
      locations_.enter(line.substr(std::string_view(kCalled).size()), location_);
    } else if (line == kReturned) {
      location_ = locations_.leave();
    } else if (line.starts_with(".pragma")) {
      const auto at = line.find("used_bytes_mask ");
      if (at != std::string::npos) used_bytes_ = static_cast<std::uint32_t>(to_integer(line.substr(at + 16)));
    } else if (line[0] == '.') {
      read_declaration(line);
    } else if (line.back() == ':') {
      labels_[line.substr(0, line.size() - 1)] = static_cast<std::int32_t>(kernel_.code.size());
    } else {
      read_instruction(line.substr(0, line.find(';')));
    }
  }

  void begin_kernel(const std::string& name) {
    kernel_ = Kernel();
    kernel_.name = name.substr(0, name.find('('));
    registers_.clear();
    symbols_.clear();
    constants_.clear();
    labels_.clear();
    jumps_.clear();
    entered_ = true;
  }

  void end_kernel() {
    for (const auto& [at, label] : jumps_) {
      if (!labels_.contains(label)) throw std::runtime_error("no label " + label);
      kernel_.code[at].target = labels_[label];
    }
    find_reconvergence(kernel_.code);
    for (const auto& [key, slot] : constants_) {
      const std::uint8_t bytes = key.second == Form::kMask ? 4 : key.second;
      kernel_.constants.push_back({slot, key.first, bytes});
    }
    program_.kernels.push_back(std::move(kernel_));
    entered_ = false;
  }

  void read_parameter(const std::string& line) {  // a struct or a scalar
    const Words words = words_of(line);
    const auto [name, size] = named_bytes(words);
    const std::uint32_t alignment = line.find(".align") == std::string::npos
                                        ? static_cast<std::uint32_t>(size)
                                        : static_cast<std::uint32_t>(count_after(line, ".align "));
    kernel_.parameter_bytes = (kernel_.parameter_bytes + alignment - 1) / alignment * alignment;
    symbols_[name] = kernel_.parameter_bytes;
    kernel_.parameters.push_back({kernel_.parameter_bytes, static_cast<std::uint32_t>(size)});
    kernel_.parameter_bytes += static_cast<std::uint32_t>(size);
  }

  void read_declaration(const std::string& line) {
    const Words words = words_of(line);
    if (words[0] == ".reg") {
      const std::uint8_t bytes =
          words[1] == ".pred" ? Form::kMask : std::max<std::uint8_t>(2, memory_type(words[1].substr(1))->bytes);
      const std::string& name = words[2];
      const auto many = name.find('<');
      if (many == std::string::npos) {
        registers_[name] = {kernel_.num_slots++, bytes};
        return;
      }
      for (std::int64_t n = 0; n < count_in(name, '<'); ++n) {
        registers_[name.substr(0, many) + std::to_string(n)] = {kernel_.num_slots++, bytes};
      }
    } else if (words[0] == ".shared" || words[0] == ".local" || words[0] == kCallLocal) {
      std::uint32_t& total = words[0] == ".shared" ? kernel_.shared_bytes : kernel_.local_bytes;
      const std::uint32_t before = total;
      const auto alignment = static_cast<std::uint32_t>(count_after(line, ".align "));
      const auto [name, size] = named_bytes(words);
      total = (total + alignment - 1) / alignment * alignment;
      symbols_[name] = total;
      total += static_cast<std::uint32_t>(size);
      if (words[0] == kCallLocal) kernel_.call_bytes += total - before;
    } else {
      throw std::runtime_error("a directive that is not known");
    }
  }

  static Words words_of(const std::string& line) {
    Words words;
    std::istringstream in(line.substr(0, line.find_first_of(";,")));
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }
  static std::int64_t count_after(const std::string& line, const std::string& what) {
    return to_integer(line.substr(line.find(what) + what.size()));
  }
  /// ".b8 name[bytes]", or ".u32 name".
  static std::pair<std::string, std::int64_t> named_bytes(const Words& words) {
    const std::string& name = words.back();
    const auto bracket = name.find('[');
    if (name.ends_with("[]")) return {name.substr(0, bracket), 0};
    if (bracket != std::string::npos) return {name.substr(0, bracket), count_in(name, '[')};
    return {name, memory_type(words[words.size() - 2].substr(1))->bytes};
  }

  void read_instruction(std::string text) {
    Instruction i;
    i.line = line_;
    i.location = location_;
    i.used_bytes = std::exchange(used_bytes_, ~0u);
    if (text[0] == '@') {
      i.unless = text[1] == '!';
      const auto end = text.find_first_of(" \t");
      i.guard = registers_.at(text.substr(i.unless ? 2 : 1, end - (i.unless ? 2 : 1))).slot;
      text = trimmed(text.substr(end));
    }
    const auto end = text.find_first_of(" \t");
    std::string name = text.substr(0, end);
    Words operands = end == std::string::npos ? Words() : split(text.substr(end));
    i.in_double = computes_in_double(name);
    if (name == "bra" || name == "bra.uni") {
      i.flow = Flow::kBranch;
      jumps_.emplace_back(kernel_.code.size(), operands.at(0));
    } else if (name == "ret") {
      i.flow = Flow::kExit;
    } else if (name.starts_with("ld.") || name.starts_with("st.")) {
      read_access(i, name, operands);
    } else {
      const bool moves = name == "mov.b64" || name == "mov.b32";
      if (moves && operands.at(1)[0] == '{') {
        name = "pack" + name.substr(3);
        operands = {operands[0], split(inside(operands[1])).at(0), split(inside(operands[1])).at(1)};
      } else if (moves && operands.at(0)[0] == '{') {
        name = "unpack" + name.substr(3);
        operands = {split(inside(operands[0])).at(0), split(inside(operands[0])).at(1), operands[1]};
      } else if (name.starts_with("mov.") && find_form(operands.at(1)) != nullptr) {  // of "%tid.x", say
        name = operands[1];
        operands.pop_back();
      } else if (name == "cvt.s64.s32" && has_bytes(operands.at(1), 8)) {  // a source may be wider than its type
        name = "cvt.s64.low_s32";
      }
      read_plain(i, name, operands);
    }
    kernel_.code.push_back(i);
  }

  void read_plain(Instruction& i, const std::string& name, Words& operands) {
    const Form* form = find_form(name);
    if (form == nullptr) throw std::runtime_error("the instruction is not known");
    i.run = form->run;
    if (name.starts_with("atom.")) {
      i.space = name.starts_with("atom.shared.") ? Space::kShared : Space::kGlobal;
      kernel_.has_generic_atomics |= i.space == Space::kGlobal && !name.starts_with("atom.global.");
      read_address(i, operands.at(1));
      operands.erase(operands.begin() + 1);
    }
    if (name.starts_with("prefetch.")) operands.clear();
    constexpr const char* kNone = "_";
    if (name.starts_with("shfl.") && operands.size() == 5) operands.insert(operands.begin() + 1, kNone);
    if (operands.size() != form->operands.size()) throw std::runtime_error("has too few or too many operands");
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] != kNone) i.slots.at(k) = operand(operands[k], form->operands[k]);
    }
  }

  /// "ld.shared.v2.f32 {%f1, %f2}, [%r1+8]", and the like.
  void read_access(Instruction& i, const std::string& name, const Words& operands) {
    const bool loads = name.starts_with("ld.");
    std::istringstream parts(name.substr(3));
    std::optional<Type> type;
    for (std::string part; std::getline(parts, part, '.');) {
      if (part == "global") {
        i.space = Space::kGlobal;
      } else if (part == "shared") {
        i.space = Space::kShared;
      } else if (part == "local") {
        i.space = Space::kLocal;
      } else if (part == "param") {
        i.space = Space::kParameter;
      } else if (part == "v2" || part == "v4") {
        i.elements = static_cast<std::uint8_t>(part[1] - '0');
      } else if (!(type = memory_type(part)) || type->bytes == 0) {
        throw std::runtime_error("the instruction is not known");
      }
    }
    read_address(i, operands.at(loads ? 1 : 0));
    const std::string& values = operands.at(loads ? 0 : 1);
    const Words names = values[0] == '{' ? split(inside(values)) : Words{values};
    if (names.size() != i.elements) throw std::runtime_error("has too few or too many elements");
    std::uint8_t bytes = std::max<std::uint8_t>(2, type.value().bytes);  // a number's
    if (const auto found = registers_.find(names[0]); found != registers_.end()) bytes = found->second.bytes;
    for (std::size_t k = 0; k < names.size(); ++k) i.slots[k] = operand(names[k], bytes);
    i.run = find_access(loads, type->bytes, type->is_signed, bytes);
  }

  /// "[name+offset]" or "[offset]"; a symbol is the number of its first byte.
  void read_address(Instruction& i, const std::string& word) {
    const std::string text = inside(word);
    const auto plus = text.find('+');
    const std::string name = text.substr(0, plus);
    i.offset = plus == std::string::npos ? 0 : to_integer(text.substr(plus + 1));
    if (const auto symbol = address_of(name)) {
      i.offset += *symbol;
    } else {
      const Register& base = registers_.at(name);
      i.base = base.slot;
      i.base_bytes = base.bytes;
    }
  }

  /// The number of a symbol's first byte, if there is one of this name.
  std::optional<std::uint32_t> address_of(const std::string& name) const {
    if (dynamic_.contains(name)) return kernel_.dynamic_begin();  // arrays are declared before they are used
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second);
  }

  bool has_bytes(const std::string& name, std::uint8_t bytes) const {
    const auto found = registers_.find(name);
    return found != registers_.end() && found->second.bytes == bytes;
  }

  /// A register, a number or the address of a symbol, with `bytes` a lane.
  Slot operand(const std::string& word, std::uint8_t bytes) {
    if (const auto found = registers_.find(word); found != registers_.end()) {
      if (found->second.bytes != bytes) throw std::runtime_error(word + " has another width");
      return found->second.slot;
    }
    if (word[0] == '%') throw std::runtime_error("no register " + word);
    std::uint64_t bits = 0;
    if (const auto symbol = address_of(word)) {
      bits = *symbol;
    } else if (word.starts_with("0f") || word.starts_with("0d")) {
      bits = std::stoull(word.substr(2), nullptr, 16);
    } else if (is_number(word)) {
      bits = static_cast<std::uint64_t>(to_integer(word));
      if (bytes == Form::kMask && bits != 0) bits = ~std::uint64_t(0);
    } else {
      throw std::runtime_error("no symbol " + word);
    }
    const auto [found, is_new] = constants_.emplace(std::make_pair(bits, bytes), kernel_.num_slots);
    if (is_new) ++kernel_.num_slots;
    return found->second;
  }

  Program program_;
  std::int32_t line_ = 0, location_ = -1;
  Locations locations_;
  std::uint32_t used_bytes_ = ~0u;
  std::set<std::string> dynamic_;  // arrays of shared memory whose size a launch says

  // of the kernel
  Kernel kernel_;
  bool entered_ = false;
  int depth_ = 0;
  std::map<std::string, Register> registers_;
  std::map<std::string, std::uint32_t> symbols_;
  std::map<std::pair<std::uint64_t, std::uint8_t>, Slot> constants_;
  std::map<std::string, std::int32_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
};

}  // namespace

Program read_program(const std::string& name, const std::string& ptx) { return Reader(name).read({{0, ptx}}); }

ProgramText::ProgramText(std::string name, std::string ptx) : name_(std::move(name)), ptx_(std::move(ptx)) {
  constexpr std::string_view kEntry = ".entry ", kEnd = "\n}\n";
  for (std::size_t at = ptx_.find(kEntry); at != std::string::npos; at = ptx_.find(kEntry, at)) {
    const std::size_t line = ptx_.rfind('\n', at) + 1, first = at + kEntry.size();
    const std::size_t brace = ptx_.find(kEnd, at);
    if (brace == std::string::npos) throw std::runtime_error(name_ + ": a kernel without an end");
    at = brace + kEnd.size();
    kernels_[ptx_.substr(first, ptx_.find('(', first) - first)] = {line, at};
  }
}

std::vector<std::string> ProgramText::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, range] : kernels_) names.push_back(name);
  return names;
}

Program ProgramText::read(const std::string& kernel) const {
  std::vector<Range> others;
  for (const auto& [name, range] : kernels_) {
    if (name != kernel) others.push_back(range);
  }
  std::sort(others.begin(), others.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });

  std::vector<Reader::Piece> pieces;
  std::size_t at = 0;
  std::int32_t lines = 0;
  const auto lines_in = [&](std::size_t begin, std::size_t end) {
    return static_cast<std::int32_t>(std::count(ptx_.data() + begin, ptx_.data() + end, '\n'));
  };
  others.push_back({ptx_.size(), ptx_.size()});
  for (const auto& [begin, end] : others) {
    pieces.push_back({lines, std::string_view(ptx_).substr(at, begin - at)});
    lines += lines_in(at, end);
    at = end;
  }
  return Reader(name_).read(pieces);
}

Program ProgramText::read_parameters(const std::string& kernel) const {
  const std::size_t begin = kernels_.at(kernel).begin, body = ptx_.find("\n{", begin);
  return Reader(name_).read({{0, ptx_.substr(begin, body - begin)}, {0, "{\n}\n"}});
}

}  // namespace isopatch::emulator
