// SPDX-License-Identifier: Apache-2.0
//
// The point and cell data of VtkReader.

#include "host/mesh/files/vtk/vtk_reader.h"
#include "host/mesh/files/vtk/vtk_types.h"

namespace isopatch::detail {
namespace {

/// Array names are percent-encoded: "%20" is a space.
std::string decode_name(std::string_view encoded) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string name;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] == '%' && i + 2 < encoded.size() && digit(encoded[i + 1]) >= 0 && digit(encoded[i + 2]) >= 0) {
      name += static_cast<char>(16 * digit(encoded[i + 1]) + digit(encoded[i + 2]));
      i += 2;
    } else {
      name += encoded[i];
    }
  }
  return name;
}

}  // namespace

void VtkReader::begin_attributes(const Words& words, Attributes owner, std::int64_t count, bool known) {
  need_words(words, 2, 2, owner == Attributes::kPoints ? "POINT_DATA count" : "CELL_DATA count");
  const std::int64_t given = in_.count(words[1], "the number of values");
  if (!known) in_.fail("{} before what it belongs to; POINTS and CELLS must come first", in_quotes(words[0]));
  if (given != count) in_.fail("{} for {} values; the mesh has {}", in_quotes(words[0]), given, count);
  owner_ = owner;
  owner_count_ = count;
}

bool VtkReader::read_attribute(const std::string& keyword, const Words& words) {
  if (keyword == "scalars") {
    read_scalars(words);
  } else if (keyword == "vectors" || keyword == "normals") {
    need_words(words, 3, 3, "VECTORS name type");
    skip_array(words, legacy_type(in_, words[2]), 3);
  } else if (keyword == "tensors" || keyword == "tensors6") {
    need_words(words, 3, 3, "TENSORS name type");
    skip_array(words, legacy_type(in_, words[2]), keyword == "tensors" ? 9 : 6);
  } else if (keyword == "global_ids" || keyword == "pedigree_ids" || keyword == "edge_flags") {
    need_words(words, 3, 3, "GLOBAL_IDS name type");
    skip_array(words, legacy_type(in_, words[2]), 1);
  } else if (keyword == "texture_coordinates") {
    need_words(words, 4, 4, "TEXTURE_COORDINATES name dimension type");
    skip_array(words, legacy_type(in_, words[3]), in_.count(words[2], "the dimension"));
  } else if (keyword == "color_scalars") {
    need_words(words, 3, 3, "COLOR_SCALARS name components");
    skip_array(words, ValueType::kU8, in_.count(words[2], "the number of components"));
  } else if (keyword == "lookup_table") {
    need_words(words, 3, 3, "LOOKUP_TABLE name size");
    in_.skip_values(ValueType::kU8, in_.count(words[2], "the size of the table"), 4, "LOOKUP_TABLE");
  } else {
    return false;
  }
  return true;
}

void VtkReader::skip_array(const Words& words, ValueType type, std::int64_t components) {
  in_.skip_values(type, owner_count_, components, std::string(words[0]).c_str());
}

void VtkReader::read_scalars(const Words& words) {
  need_words(words, 3, 4, "SCALARS name type components");
  const std::string name = decode_name(words[1]);
  const ValueType type = legacy_type(in_, words[2]);
  const std::int64_t components = words.size() == 4 ? in_.count(words[3], "the number of components") : 1;

  const Words table = in_.words();
  if (table.size() != 2 || lower_case(table[0]) != "lookup_table") {
    in_.fail("{} after SCALARS; 'LOOKUP_TABLE default' is needed", in_quotes(table.empty() ? "" : table[0]));
  }
  if (owner_ == Attributes::kPoints && components == 1 && type != ValueType::kBit) {
    read_point_field(name, type);
  } else {
    in_.skip_values(type, owner_count_, components, "SCALARS");
  }
}

void VtkReader::read_field(const Words& words) {
  need_words(words, 3, 3, "FIELD name count");
  const std::int64_t arrays = in_.count(words[2], "the number of field arrays");
  for (std::int64_t i = 0; i < arrays; ++i) read_field_array();
}

void VtkReader::read_field_array() {
  Words words = in_.words();
  if (!words.empty() && lower_case(words[0]) == "metadata" && words.size() == 1) {
    skip_metadata();
    words = in_.words();
  }
  if (words.empty()) in_.fail("the file ends where a field array is expected");
  need_words(words, 4, 4, "name components tuples type");
  const std::int64_t components = in_.count(words[1], "the number of components");
  const std::int64_t tuples = in_.count(words[2], "the number of tuples");
  const ValueType type = legacy_type(in_, words[3]);
  if (owner_ != Attributes::kNone && tuples != owner_count_) {
    in_.fail("field array {} has {} tuples; {} are needed", in_quotes(words[0]), tuples, owner_count_);
  }
  if (owner_ == Attributes::kPoints && components == 1 && type != ValueType::kBit) {
    read_point_field(decode_name(words[0]), type);
  } else {
    in_.skip_values(type, tuples, components, "FIELD");
  }
}

void VtkReader::read_point_field(const std::string& name, ValueType type) {
  if (mesh_.point_data.count(name) > 0) in_.fail("a second point data array {}; names must differ", in_quotes(name));
  in_.expect_values(type, owner_count_, 1, "point data");
  std::vector<double> values(static_cast<std::size_t>(owner_count_));
  for (double& value : values) value = in_.real(type);
  mesh_.point_data.emplace(name, std::move(values));
}

}  // namespace isopatch::detail
