// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/vtk_types.h"

namespace isopatch::detail {
namespace {

struct TypeName {
  const char* name;
  ValueType type;
};

/// Legacy files store vtkIdType as a 32-bit int.
constexpr TypeName kLegacyTypes[] = {{"bit", ValueType::kBit},
                                     {"unsigned_char", ValueType::kU8},
                                     {"char", ValueType::kI8},
                                     {"signed_char", ValueType::kI8},
                                     {"unsigned_short", ValueType::kU16},
                                     {"short", ValueType::kI16},
                                     {"unsigned_int", ValueType::kU32},
                                     {"int", ValueType::kI32},
                                     {"vtkidtype", ValueType::kI32},
                                     {"unsigned_long", ValueType::kU64},
                                     {"long", ValueType::kI64},
                                     {"vtktypeuint64", ValueType::kU64},
                                     {"vtktypeint64", ValueType::kI64},
                                     {"float", ValueType::kF32},
                                     {"double", ValueType::kF64}};

constexpr TypeName kXmlTypes[] = {
    {"uint8", ValueType::kU8},    {"int8", ValueType::kI8},    {"uint16", ValueType::kU16}, {"int16", ValueType::kI16},
    {"uint32", ValueType::kU32},  {"int32", ValueType::kI32},  {"uint64", ValueType::kU64}, {"int64", ValueType::kI64},
    {"float32", ValueType::kF32}, {"float64", ValueType::kF64}};

template <typename Names>
ValueType find(const FileCursor& in, std::string_view word, const Names& names, const char* examples) {
  const std::string lower = lower_case(word);
  for (const TypeName& known : names) {
    if (lower == known.name) return known.type;
  }
  in.fail("unsupported data type {}; a numeric type such as {} is needed", in_quotes(word), examples);
}

}  // namespace

ValueType legacy_type(const FileCursor& in, std::string_view word) {
  return find(in, word, kLegacyTypes, "float, double or int");
}

ValueType xml_type(const FileCursor& in, std::string_view word) {
  return find(in, word, kXmlTypes, "Float32, Float64 or Int64");
}

}  // namespace isopatch::detail
