// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that run on the host and on the device. No header below include/ needs a CUDA header.
#if defined(__CUDACC__)
#define ISOPATCH_HD __host__ __device__ __forceinline__
#define ISOPATCH_HD_LARGE ISOPATCH_HD
#define ISOPATCH_HD_CALLED inline __host__ __device__ __noinline__
#define ISOPATCH_HD_APART inline __host__ __device__ __noinline__
#define ISOPATCH_HD_MEMBER __host__ __device__ __noinline__
#define ISOPATCH_UNROLL _Pragma("unroll")
#define ISOPATCH_UNROLL_ON_GPU _Pragma("unroll")
#define ISOPATCH_NO_UNROLL _Pragma("unroll 1")
#else
#define ISOPATCH_NO_UNROLL
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ISOPATCH_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOPATCH_SANITIZED
#endif
#endif
// Small vectors pass in registers only where calls are inlined, and compilers' own limits prevent that here. With a
// sanitizer's checks in every line inlining takes a compiler many minutes, so it is off there. SimdVectors keep it: a
// function of theirs that is not inlined could be linked into code for a machine without those instructions.
#if defined(ISOPATCH_SANITIZED) && !defined(ISOPATCH_SIMD)
#define ISOPATCH_HD inline
#else
#define ISOPATCH_HD inline __attribute__((always_inline))
#endif
// For code off the hot path that many places need: a GPU calls it, as a kernel whose code does not fit its cache of
// instructions waits for them. It takes values, or references to global memory: a GPU has no addresses of registers.
#define ISOPATCH_HD_CALLED ISOPATCH_HD
// For much code beside which a call costs little: once in a source instead of wherever it is called. It is not shared
// by sources, since these may be compiled for different instruction sets. A GPU has no cheap calls.
#define ISOPATCH_HD_LARGE [[maybe_unused]] static __attribute__((noinline))
// For what few scenes have, so that the code of others stays small: called on the GPU too. Such a function takes what
// is in registers by value, since a GPU would write to memory what a reference is to.
#define ISOPATCH_HD_APART ISOPATCH_HD_LARGE
// The same of members of a class.
#define ISOPATCH_HD_MEMBER __attribute__((noinline))
#if defined(ISOPATCH_SIMD) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ISOPATCH_UNROLL _Pragma("GCC unroll 8")
#define ISOPATCH_UNROLL_ON_GPU _Pragma("GCC unroll 1")  // nvcc would unroll by itself
#elif defined(ISOPATCH_SIMD) && defined(__clang__)
#define ISOPATCH_UNROLL _Pragma("unroll")
#else
#define ISOPATCH_UNROLL
#endif
#if !defined(ISOPATCH_UNROLL_ON_GPU)
#define ISOPATCH_UNROLL_ON_GPU
#endif
#endif
