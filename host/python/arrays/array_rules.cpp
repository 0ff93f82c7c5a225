// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/array_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace isopatch::python {
namespace {

/// What arrays with some elements are called, what an argument's conversion to them is called, and their types.
struct ElementTypes {
  const char* name;
  const char* convert;
  dlpack::DataType type, other;  // the same if there is one
};

constexpr ElementTypes kElementTypes[] = {  // in the order of Element
    {"float32 or float64", "float64", dlpack::kFloat64, {dlpack::kFloat, 32, 1}},
    {"float64", "float64", dlpack::kFloat64, dlpack::kFloat64},
    {"int32", "int32", dlpack::kInt32, dlpack::kInt32},
    {"uint32", "uint32", dlpack::kUint32, dlpack::kUint32},
    {"int64", "int64", dlpack::kInt64, dlpack::kInt64},
    {"bool or uint8", "bool", {dlpack::kBool, 8, 1}, {dlpack::kUint, 8, 1}}};
static_assert(std::size(kElementTypes) == static_cast<std::size_t>(Element::kMask) + 1);

constexpr RowAxes kRowAxes[] = {  // in the order of Per
    {{"N"}, "environments"},
    {{"N", "B"}, "environments, bodies"},
    {{"N", "C"}, "environments, parts"},
    {{"N", "P"}, "environments, pairs"},
    {{"N", "Q"}, "environments, part pairs"},
    {{"N", "J"}, "environments, joints"},
    {{"N", "L"}, "environments, loops"},
    {{"N", "P", "K"}, "environments, pairs, clusters"}};
constexpr RowAxes kBufferAxes = {{"N", "capacity"}, "environments, rows"};
constexpr RowAxes kOffsetAxes = {{"N + 1"}, "environments + 1"};
constexpr RowAxes kPackedAxes = {{"capacity"}, "rows"};

std::string list(const std::int64_t* values, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + (values[i] < 0 ? std::string("N") : std::to_string(values[i]));
  }
  return text + "]";
}

/// "[N, 2, 7] (environments, bodies, 7)"
std::string described(const ArrayInfo& info, const std::int64_t* dimensions, int count) {
  std::string text = list(dimensions, count) + " (" + row_axes(info).words;
  if (info.width == kPointsOfCluster * 3) text += ", " + std::to_string(kPointsOfCluster) + ", 3";
  if (info.width != 1 && info.width != kPointsOfCluster * 3) {
    text += ", " + (info.width == 0 ? std::string("numbers of the contact models") : std::to_string(info.width));
  }
  return text + ")";
}

[[noreturn]] void fail_shape(const ArrayView& view, const Argument& argument, const ArrayInfo& info,
                             const std::int64_t* dimensions, int count) {
  std::string advice;
  bool same_row = view.ndim == count;
  for (int i = 1; same_row && i < count; ++i) same_row = view.shape[i] == dimensions[i];
  bool lacks_axis = view.ndim == count - 1;
  for (int i = 0; lacks_axis && i + 1 < count; ++i) lacks_axis = view.shape[i] == dimensions[i + 1];
  if (lacks_axis && dimensions[0] > 1) {
    advice =
        fmt::format("; broadcast_to({}, {}) repeats a row in all environments", argument.name, list(dimensions, count));
  } else if (lacks_axis) {
    advice = fmt::format("; the first axis is of the environments: {}[None] has one", argument.name);
  } else if (same_row && view.shape[0] == 1 && dimensions[0] > 1) {
    advice = "; one row for all environments is a row repeated by broadcast_to() or expand()";
  } else if (same_row && dimensions[0] >= 0) {
    advice = "; all arrays of a call have as many environments as its poses";
  }
  argument.wrong_value("expected the shape {}, found {}{}", described(info, dimensions, count),
                       list(view.shape, std::min(view.ndim, ArrayView::kMaxDimensions)), advice);
}

}  // namespace

const RowAxes& row_axes(const ArrayInfo& info) {
  return info.is_buffer()           ? kBufferAxes
         : info.per == Per::kOffset ? kOffsetAxes
         : info.is_packed()         ? kPackedAxes
                                    : kRowAxes[static_cast<std::size_t>(info.per)];
}

void check_element(const ArrayView& view, const Argument& argument, Element element) {
  const ElementTypes& want = kElementTypes[static_cast<std::size_t>(element)];
  if (view.type == want.type || view.type == want.other) return;
  if (view.type.lanes == 0 && array_type_of(view.object).is_numpy) {  // structures, objects, foreign byte order
    argument.wrong_type("expected {} in the machine's byte order, found {}; {}.astype(\"{}\") converts it", want.name,
                        view.type_name(), argument.name, want.convert);
  }
  argument.wrong_type("expected {}, found {}; convert it, in NumPy by {}.astype(\"{}\")", want.name, view.type_name(),
                      argument.name, want.convert);
}

int shape_of(const ArrayInfo& info, const CallShape& shape, std::int64_t (&dimensions)[ArrayView::kMaxDimensions]) {
  int count = 0;
  if (info.is_packed()) {
    const std::int64_t rows = info.has_capacity() ? shape.counts[info.per] : shape.environments + 1;
    dimensions[count++] = shape.environments < 0 ? -1 : rows;
  } else {
    dimensions[count++] = shape.environments;
    if (info.per == Per::kCluster) {
      dimensions[count++] = shape.counts[Per::kPair];
      dimensions[count++] = shape.counts.clusters;
    } else if (info.per != Per::kEnvironment) {
      ArrayInfo single = info;  // a row of one element each
      single.width = 1;
      dimensions[count++] = shape.counts.row(single);
    }
  }
  if (info.width == kPointsOfCluster * 3) {
    dimensions[count++] = kPointsOfCluster;
    dimensions[count++] = 3;
  } else if (info.width != 1) {
    dimensions[count++] = info.width == 0 ? shape.counts.contact_state : info.width;
  }
  return count;
}

std::int64_t check_layout(const ArrayView& view, const Argument& argument, const ArrayInfo& info,
                          const CallShape& shape) {
  std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
  const int count = shape_of(info, shape, dimensions);
  bool same = view.ndim == count;
  for (int i = 0; same && i < count; ++i) same = dimensions[i] < 0 || view.shape[i] == dimensions[i];
  if (!same) fail_shape(view, argument, info, dimensions, count);

  std::int64_t row = 1;  // elements of a row, and by it the stride of each axis
  bool contiguous = true;
  for (int i = count - 1; i >= 1; --i) {
    contiguous = contiguous && (view.shape[i] <= 1 || view.strides[i] == row);
    row *= view.shape[i];
  }
  if (row == 0 || view.shape[0] == 0 || (contiguous && view.shape[0] == 1)) return row;
  if (!contiguous || view.strides[0] < 0) {
    argument.wrong_value(
        "expected contiguous rows in C order, one after another, found an array of the shape {} with the strides {} in "
        "elements; numpy.ascontiguousarray({}) has such rows, in torch {}.contiguous()",
        list(view.shape, count), fmt::format("[{}]", fmt::join(view.strides, view.strides + count, ", ")),
        argument.name, argument.name);
  }
  return view.strides[0];
}

void check_writable(const ArrayView& view, const Argument& argument) {
  if (!view.read_only) return;
  if (array_type_of(view.object).is_immutable) {
    argument.wrong_value("expected an array that can be written, found one of JAX, which never can; leave out `out`");
  }
  argument.wrong_value("expected an array that can be written, found a read-only one; give a copy");
}

ResetMask::ResetMask(nb::handle mask, const Placement& placement, const CallShape& shape) {
  if (mask.is_none()) return;
  const Argument argument{"reset", "mask"};
  view_.read(mask.ptr(), argument, placement);
  set_array(rows_, view_, argument, {"mask", "uint8", Per::kEnvironment, 1, "0 or 1"}, shape);
  if (rows_.stride != 1) argument.wrong_value("expected contiguous elements, found some with gaps; give a copy");
}

}  // namespace isopatch::python
