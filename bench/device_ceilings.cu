// SPDX-License-Identifier: Apache-2.0
//
// device_ceilings: what the current device does at most, measured: rates of instructions, gathers of 16 bytes, code
// that does not fit the instruction caches, empty graphs, and the bandwidth of its memory. Prints JSON. The rates of
// isopatch_bench are to be read against these, and a cycle model takes its constants from them. With --name it prints
// the name of the device instead.
//
// It needs nothing else of this project: nvcc -O3 -std=c++17 -arch=native -o device_ceilings bench/device_ceilings.cu
//
// "per cycle" is what one processor (SM) does in one cycle of its clock, in threads: 128 is full rate.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

#define CHECK(call) check(call, #call)

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "device_ceilings: error: %s: %s\n", call, cudaGetErrorString(error));
  std::exit(1);
}

int processors = 0;

struct Json {
  bool first = true;
  void name(const std::string& name) {
    std::printf("%s\"%s\": ", first ? "{" : ",\n ", name.c_str());
    first = false;
  }
  void text(const std::string& of, const char* text) {
    name(of);
    std::printf("\"%s\"", text);
  }
  void value(const std::string& of, double number) {
    name(of);
    std::printf("%.4g", number);
    std::fflush(stdout);
  }
};

/// The shortest of several runs, in seconds.
double shortest(const std::function<void(cudaStream_t)>& run, int runs = 10) {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    CHECK(cudaEventRecord(begin, stream));
    run(stream);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::min(best, 1e-3 * static_cast<double>(milliseconds));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(stream));
  return best;
}

// --- cycles of a block, one on each processor
// -------------------------------------------------------------------------

struct Clocks {
  long long cycles, nanoseconds;
};

__device__ Clocks now() {
  Clocks c = {};
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c.nanoseconds));
  c.cycles = clock64();
  return c;
}

/// Between the first instruction of any thread of the block and the last.
template <class Work>
__device__ void timed(Clocks* elapsed, const Work& work) {
  __syncthreads();
  const Clocks begin = now();
  work();
  __syncthreads();
  const Clocks end = now();
  if (threadIdx.x == 0) elapsed[blockIdx.x] = {end.cycles - begin.cycles, end.nanoseconds - begin.nanoseconds};
}

/// The median over the processors, in the third launch.
Clocks cycles_of(const std::function<void(Clocks*)>& launch) {
  Clocks* device = nullptr;
  std::vector<Clocks> host(processors);
  CHECK(cudaMalloc(&device, host.size() * sizeof(Clocks)));
  for (int i = 0; i < 3; ++i) {
    launch(device);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(Clocks), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  std::sort(host.begin(), host.end(), [](const Clocks& a, const Clocks& b) { return a.cycles < b.cycles; });
  return host[host.size() / 2];
}

// --- instructions
// -----------------------------------------------------------------------------------------------------
//
// Each step is one instruction, of a chain that no compiler can shorten. There are several chains a thread, to hide the
// latency of each.

constexpr int kMaxThreads = 1024;
constexpr int kChains = 8, kUnrolled = 16, kRounds = 64;

struct Inputs {
  float a, b;
  double c, d;
  int p[4];  // 0 or 1
};

struct Ffma {
  using Number = float;
  static __device__ void step(float& x, float, const Inputs& in, int) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(in.a), "f"(in.b));
  }
};

struct Fmnmx {
  using Number = float;
  static __device__ void step(float& x, float other, const Inputs&, int i) {
    if (i % 2 == 0) {
      asm volatile("min.f32 %0, %0, %1;" : "+f"(x) : "f"(other));
    } else {
      asm volatile("max.f32 %0, %0, %1;" : "+f"(x) : "f"(other));
    }
  }
};

struct Fsel {
  using Number = float;
  static __device__ void step(float& x, float, const Inputs& in, int i) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; selp.f32 %0, %0, %1, p; }"
                 : "+f"(x)
                 : "f"(i % 2 == 0 ? in.a : in.b), "r"(in.p[i % 4]));
  }
};

struct Dfma {
  using Number = double;
  static __device__ void step(double& x, double, const Inputs& in, int) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(in.c), "d"(in.d));
  }
};

struct F2fToFloat {  // the result becomes the lower half of the next double
  using Number = float;
  static __device__ void step(float& x, float, const Inputs& in, int) {
    asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(x) : "d"(__hiloint2double(__float_as_int(in.a), __float_as_int(x))));
  }
};

struct F2fToDouble {  // the upper half of the result becomes the next float
  using Number = float;
  static __device__ void step(float& x, float, const Inputs&, int) {
    double wide = 0;
    asm volatile("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x));
    x = __int_as_float(__double2hiint(wide));
  }
};

template <class Instruction>
__global__ void __launch_bounds__(kMaxThreads) repeat(Clocks* elapsed, const float* numbers, float* sink) {
  using Number = typename Instruction::Number;
  Inputs in = {};
  in.a = numbers[threadIdx.x % 32], in.b = numbers[32 + threadIdx.x % 32];
  in.c = in.a, in.d = in.b;
  for (int i = 0; i < 4; ++i) in.p[i] = numbers[64 + i] > static_cast<float>(threadIdx.x % 7) ? 1 : 0;
  Number x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = static_cast<Number>(numbers[i] + static_cast<float>(threadIdx.x));
  timed(elapsed, [&] {
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i) {
#pragma unroll
        for (int k = 0; k < kChains; ++k) Instruction::step(x[k], x[(k + 1) % kChains], in, i);
      }
    }
  });
  Number sum = 0;
  for (int i = 0; i < kChains; ++i) sum += x[i];
  if (sum == static_cast<Number>(-1.25)) *sink = static_cast<float>(sum);  // keeps the work from being left out
}

/// Megahertz of the clock while it ran are left in `clock`.
template <class Instruction>
double per_cycle(double* clock = nullptr) {
  std::vector<float> host(128);
  for (int i = 0; i < 128; ++i) host[i] = 0.5f + 0.01f * static_cast<float>(i);
  for (int i = 0; i < 4; ++i) host[64 + i] = static_cast<float>(i) + 1.5f;
  float* numbers = nullptr;
  CHECK(cudaMalloc(&numbers, host.size() * sizeof(float)));
  CHECK(cudaMemcpy(numbers, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  const Clocks c = cycles_of(
      [&](Clocks* elapsed) { repeat<Instruction><<<processors, kMaxThreads>>>(elapsed, numbers, numbers + 100); });
  CHECK(cudaFree(numbers));
  if (clock != nullptr) *clock = 1e3 * static_cast<double>(c.cycles) / static_cast<double>(c.nanoseconds);
  return static_cast<double>(kMaxThreads) * kChains * kUnrolled * kRounds / static_cast<double>(c.cycles);
}

// --- gathers: 16 bytes of a node of its own for each thread, from the first-level cache
// ------------------------------------

constexpr unsigned kNodes = 1024;
constexpr int kLoads = 8;

template <bool kGeneric>
__device__ int4 load16(const char* at) {
  int4 v;
  if (kGeneric) {  // LD: the space of the address is found out at run time
    asm volatile("ld.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
  } else {  // LDG
    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(at)));
  }
  return v;
}

template <bool kGeneric, unsigned kStride>
__global__ void __launch_bounds__(kMaxThreads) gather(Clocks* elapsed, const char* nodes, int* sink) {
  unsigned node = (threadIdx.x * 2654435761u) >> 22, step = ((threadIdx.x * 40503u) & (kNodes - 1)) | 1u;
  int sum = load16<kGeneric>(nodes + threadIdx.x % kNodes * kStride).x;  // all nodes are in the cache after this
  timed(elapsed, [&] {
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        const int4 v = load16<kGeneric>(nodes + node * kStride);
        sum ^= v.x ^ v.y, sum ^= v.z ^ v.w;
        node = (node + step) & (kNodes - 1);
      }
    }
  });
  if (sum == -7) *sink = sum;
}

/// Cycles of a processor for one load of a warp; 4 would be 128 bytes a cycle.
template <bool kGeneric, unsigned kStride>
double gather_cycles() {
  char* nodes = nullptr;
  CHECK(cudaMalloc(&nodes, kNodes * kStride + 16));
  CHECK(cudaMemset(nodes, 0, kNodes * kStride + 16));
  CHECK(cudaFuncSetAttribute(gather<kGeneric, kStride>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1));
  int* sink = reinterpret_cast<int*>(nodes + kNodes * kStride);
  const Clocks c =
      cycles_of([&](Clocks* elapsed) { gather<kGeneric, kStride><<<processors, kMaxThreads>>>(elapsed, nodes, sink); });
  CHECK(cudaFree(nodes));
  return static_cast<double>(c.cycles) / (kRounds * kLoads * (kMaxThreads / 32.));
}

// --- straight-line code: an instruction has 16 bytes
// --------------------------------------------------------------------

constexpr int kPasses = 16;

#define EIGHT_FFMA                                               \
  "fma.rn.f32 %0, %0, %8, %9;\n\tfma.rn.f32 %1, %1, %8, %9;\n\t" \
  "fma.rn.f32 %2, %2, %8, %9;\n\tfma.rn.f32 %3, %3, %8, %9;\n\t" \
  "fma.rn.f32 %4, %4, %8, %9;\n\tfma.rn.f32 %5, %5, %8, %9;\n\t" \
  "fma.rn.f32 %6, %6, %8, %9;\n\tfma.rn.f32 %7, %7, %8, %9;\n\t"

template <int kKibibytes>
__global__ void straight_code(Clocks* elapsed, float a, float b, float* sink) {
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = static_cast<float>(threadIdx.x + i);
  timed(elapsed, [&] {
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
#pragma unroll
      for (int i = 0; i < kKibibytes; ++i) {  // 64 instructions each
        asm volatile(EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA EIGHT_FFMA
                     : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7])
                     : "f"(a), "f"(b));
      }
    }
  });
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum == -1.25f) *sink = sum;
}

/// Cycles for an instruction of a warp, on each of the four schedulers; 1 is full rate.
template <int kKibibytes>
double straight_cycles(int warps) {
  const Clocks c = cycles_of([&](Clocks* elapsed) {
    straight_code<kKibibytes><<<processors, 32 * warps>>>(elapsed, 0.999f, 0.001f, reinterpret_cast<float*>(elapsed));
  });
  return static_cast<double>(c.cycles) / (64. * kKibibytes * kPasses * warps / 4);
}

template <int kKibibytes>
void print_straight(Json& json) {
  for (const int warps : {4, 8, 16}) {
    json.value("cycles_an_instruction_" + std::to_string(kKibibytes) + "_kib_" + std::to_string(warps) + "_warps",
               straight_cycles<kKibibytes>(warps));
  }
}

// --- the whole device
// ----------------------------------------------------------------------------------------------------

__global__ void nothing() {}

/// Microseconds from the event before a graph of so many empty kernels to the event after it.
double empty_graph(int kernels) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kernels; ++i) nothing<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  const double seconds = shortest([&](cudaStream_t s) { CHECK(cudaGraphLaunch(instance, s)); }, 100);
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return 1e6 * seconds;
}

constexpr int kBlock = 256, kSteps = 4096;

template <class T>
__global__ void __launch_bounds__(kBlock) multiply_add(T* out, T factor, T term) {
  T x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = static_cast<T>(threadIdx.x + i);
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) x[i] = fma(x[i], factor, term);
  }
  T sum = 0;
  for (int i = 0; i < kChains; ++i) sum += x[i];
  if (sum == static_cast<T>(-1)) *out = sum;  // never: keeps the work from being left out
}

/// Multiply-adds a second.
template <class T>
double multiply_add_rate() {
  T* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(T)));
  const int blocks = processors * 8;
  const double seconds = shortest([&](cudaStream_t s) {
    multiply_add<T><<<blocks, kBlock, 0, s>>>(out, static_cast<T>(0.999), static_cast<T>(0.001));
  });
  CHECK(cudaFree(out));
  return static_cast<double>(blocks) * kBlock * kChains * kSteps / seconds;
}

/// Bytes read and written a second.
double copy_rate() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  unsigned char *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, kBytes));
  CHECK(cudaMalloc(&to, kBytes));
  const double seconds =
      shortest([&](cudaStream_t s) { CHECK(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, s)); });
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return 2 * static_cast<double>(kBytes) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp device = {};
  CHECK(cudaGetDeviceProperties(&device, 0));
  if (argc > 1 && std::strcmp(argv[1], "--name") == 0) {
    std::printf("%s\n", device.name);
    return 0;
  }
  processors = device.multiProcessorCount;

  Json json;
  json.text("device", device.name);
  json.value("processors", processors);
  json.value("float_multiply_adds_per_s", multiply_add_rate<float>());
  json.value("double_multiply_adds_per_s", multiply_add_rate<double>());
  json.value("copy_bytes_per_s", copy_rate());
  double clock = 0;
  json.value("ffma_per_cycle", per_cycle<Ffma>());
  json.value("fmnmx_per_cycle", per_cycle<Fmnmx>());
  json.value("fsel_per_cycle", per_cycle<Fsel>());
  json.value("f2f_to_float_per_cycle", per_cycle<F2fToFloat>());
  json.value("f2f_to_double_per_cycle", per_cycle<F2fToDouble>());
  json.value("dfma_per_cycle", per_cycle<Dfma>(&clock));
  json.value("clock_mhz", clock);
  json.value("ldg_128_stride_16_cycles", gather_cycles<false, 16>());
  json.value("ldg_128_stride_64_cycles", gather_cycles<false, 64>());
  json.value("ldg_128_stride_80_cycles", gather_cycles<false, 80>());
  json.value("ld_128_stride_64_cycles", gather_cycles<true, 64>());
  json.value("ld_128_stride_80_cycles", gather_cycles<true, 80>());
  print_straight<8>(json);
  print_straight<16>(json);
  print_straight<32>(json);
  print_straight<64>(json);
  print_straight<128>(json);
  print_straight<256>(json);
  for (const int kernels : {1, 2, 4}) json.value("graph_of_" + std::to_string(kernels) + "_us", empty_graph(kernels));
  std::printf("}\n");
  return 0;
}
