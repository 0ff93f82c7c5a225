// SPDX-License-Identifier: Apache-2.0
//
// The declarations of DLPack 1.3 that are used here, as its header dlpack.h (https://github.com/dmlc/dlpack, Apache
// 2.0) has them; names are in the style of this project.
#pragma once

#include <cstdint>

namespace isopatch::python::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

enum TypeCode : std::uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Device {
  DeviceType type;
  std::int32_t index;
};

struct DataType {
  std::uint8_t code;  // TypeCode
  std::uint8_t bits;
  std::uint16_t lanes;

  bool operator==(const DataType&) const = default;
};

constexpr DataType kFloat64{kFloat, 64, 1}, kInt32{kInt, 32, 1}, kUint32{kUint, 32, 1}, kInt64{kInt, 64, 1};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: contiguous
  std::uint64_t byte_offset;
};

/// What a capsule named "dltensor" holds.
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major, minor;
};

constexpr std::uint64_t kReadOnly = 1;  // a flag

/// What a capsule named "dltensor_versioned" holds.
struct VersionedTensor {
  Version version;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  Tensor tensor;
};

/// The beginning of every version of an exchange table, from the newest to the oldest.
struct ExchangeHeader {
  Version version;
  ExchangeHeader* previous;
};

/// The attribute `__dlpack_c_exchange_api__` of an array's type is a capsule "dlpack_exchange_api" with this table,
/// which lives as long as the process. Functions return 0, or -1 with Python's error set.
struct ExchangeTable {
  ExchangeHeader header;
  int (*allocate)(Tensor* prototype, VersionedTensor** out, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*managed_from_object)(void* object, VersionedTensor** out);
  int (*object_from_managed)(VersionedTensor* tensor, void** out);
  int (*tensor_from_object)(void* object, Tensor* out);  // borrowed from the object; may be null
  int (*current_stream)(DeviceType type, std::int32_t index, void** out);
};

}  // namespace isopatch::python::dlpack
