// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that run on the host and on the device. No header below include/ needs a CUDA header.
#if defined(__CUDACC__)
#define ISOPATCH_HD __host__ __device__ __forceinline__
#define ISOPATCH_UNROLL _Pragma("unroll")
#else
#define ISOPATCH_HD inline
#define ISOPATCH_UNROLL
#endif
