// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays of a call, whose rows all models append to (isopatch/detail/contact/packed_row_list.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "host/evaluation/packed_output.h"
#include "kernels/algorithms/device_scan.h"
#include "kernels/contact/contact_model.h"
#include "kernels/memory/device_arena.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

/// How much memory packed arrays need.
struct PackedRowSize {
  std::size_t counts = 0;                  // of rows: one more than there are environments; 0: none
  std::size_t polygons = 0, contacts = 0;  // rows that their lists have room for

  std::size_t scan_bytes() const {
    return counts == 0 ? 0 : exclusive_sums_bytes(static_cast<std::int64_t>(counts) - 1);
  }
};

/// Loads the kernels of the functions below on the current device, so that no call has to.
void load_packed_rows();

/// Makes the lists of rows ready for the models. Does nothing without packed arrays.
void begin_packed_rows(const BatchCall& call, cudaStream_t stream);

struct ScanMemory {
  std::byte* bytes;
  std::size_t size;
};

/// Packed arrays, from what the models counted and listed. If there are more rows than the lists have room for, the
/// models list the rows of environments where some fit once more; the first model, which has most rows, is the last.
void write_packed_rows(const BatchCall& call, ScanMemory scan,
                       std::span<const std::unique_ptr<CudaContactModel>> models, cudaStream_t stream);

}  // namespace isopatch::detail
