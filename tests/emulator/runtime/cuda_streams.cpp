// SPDX-License-Identifier: Apache-2.0
//
// Streams, graphs and events of the emulated CUDA runtime.
#include "tests/emulator/runtime/runtime.h"

using namespace isopatch::emulator;

namespace {

cudaStreamCaptureStatus status_of(const CUstream_st& stream) {
  if (stream.capture == 0) return cudaStreamCaptureStatusNone;
  return runtime().open_captures[stream.capture].is_invalid ? cudaStreamCaptureStatusInvalidated
                                                            : cudaStreamCaptureStatusActive;
}

/// Runs the nodes of a graph in one of their possible orders.
cudaError_t run(const GraphBody& graph) {
  std::set<std::size_t> waiting, done;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) waiting.insert(i);
  while (!waiting.empty()) {
    std::vector<std::size_t> able;
    for (const std::size_t i : waiting) {
      const std::set<std::size_t>& after = graph.nodes[i].after;
      if (std::includes(done.begin(), done.end(), after.begin(), after.end())) able.push_back(i);
    }
    const std::size_t next = able[runtime().random() % able.size()];
    const cudaError_t error = graph.nodes[next].work();
    if (error != cudaSuccess) return error;
    waiting.erase(next);
    done.insert(next);
  }
  return cudaSuccess;
}

cudaError_t create(cudaStream_t* stream, unsigned flags) {
  runtime().current();
  *stream = new CUstream_st;
  (*stream)->device = caller.device();
  (*stream)->non_blocking = flags == cudaStreamNonBlocking;
  runtime().streams.insert(*stream);
  return cudaSuccess;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): names that are NVIDIA's

// --- streams ---------------------------------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const auto lock = entered(__func__);
  return create(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const auto lock = entered(__func__);
  return create(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const auto lock = entered(__func__);
  runtime().current();
  runtime().run_stream(*stream);
  runtime().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  const auto lock = entered(__func__);
  const CUstream_st& stream = runtime().stream(handle);
  if (stream.capture != 0) return refused_in(stream, cudaErrorStreamCaptureUnsupported);
  *device = stream.device;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const auto lock = entered(__func__);
  const CUstream_st& stream = runtime().stream(handle);
  if (stream.capture != 0) return refused_in(stream, cudaErrorStreamCaptureUnsupported);
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  if (legacy_meets_capture(stream)) return result(cudaErrorStreamCaptureImplicit);
  runtime().run_stream(stream);
  return result(in_order());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  const auto lock = entered(__func__);
  CUstream_st& stream = runtime().stream(handle);
  const std::shared_ptr<EventState> state = event->state;
  if (state->capture != 0) {  // the stream joins the capture
    for (const CUstream_st* other : runtime().streams) {
      if (other->capture == state->capture) stream.graph = other->graph;
    }
    stream.capture = state->capture;
    stream.last.insert(state->nodes.begin(), state->nodes.end());
    return cudaSuccess;
  }
  if (stream.capture != 0) return refused_in(stream, cudaErrorStreamCaptureIsolation);
  if (state->done == state->recorded) return cudaSuccess;
  return enqueue(handle, [state, wanted = state->recorded] { return state->done < wanted ? kNotYet : cudaSuccess; });
}

// --- captures and graphs ---------------------------------------------------------------------------------------------

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const auto lock = entered(__func__);
  *status = status_of(runtime().stream(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t*) {
  const auto lock = entered(__func__);
  const CUstream_st& stream = runtime().stream(handle);
  *status = status_of(stream);
  if (id != nullptr) *id = stream.capture;
  if (graph != nullptr) *graph = stream.graph;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const auto lock = entered(__func__);
  std::swap(caller.mode, *mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const auto lock = entered(__func__);
  stream->capture = ++runtime().captures;
  stream->graph = new CUgraph_st;
  stream->last.clear();
  runtime().open_captures[stream->capture] = {std::this_thread::get_id(), mode};
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const auto lock = entered(__func__);
  const unsigned long long number = stream->capture;
  const OpenCapture capture = runtime().open_captures[number];
  if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id()) {
    return result(cudaErrorStreamCaptureWrongThread);
  }
  *graph = stream->graph;
  for (CUstream_st* s : runtime().streams) {
    if (s->capture == number) s->capture = 0, s->graph = nullptr, s->last.clear();
  }
  runtime().open_captures.erase(number);
  if (!capture.is_invalid) return cudaSuccess;
  delete std::exchange(*graph, nullptr);
  return result(cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  const auto lock = entered(__func__);
  *executable = new CUgraphExec_st{graph->body};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const auto lock = entered(__func__);
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const auto lock = entered(__func__);
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const auto lock = entered(__func__);
  return enqueue(stream, [body = executable->body] { return run(*body); });
}
cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned, unsigned) {
  const auto lock = entered(__func__);
  *object = new CUuserObject_st{std::shared_ptr<void>(data, destroy)};
  return cudaSuccess;
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned) {
  const auto lock = entered(__func__);
  delete object;
  return cudaSuccess;
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned flags) {
  const auto lock = entered(__func__);
  graph->body->objects.push_back(object->object);
  if (flags == cudaGraphUserObjectMove) delete object;
  return cudaSuccess;
}

// --- events ----------------------------------------------------------------------------------------------------------

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const auto lock = entered(__func__);
  runtime().current();
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const auto lock = entered(__func__);
  runtime().current();
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const auto lock = entered(__func__);
  runtime().current();
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const auto lock = entered(__func__);
  const CUstream_st& stream = runtime().stream(handle);
  const std::shared_ptr<EventState> state = event->state;
  state->capture = stream.capture;
  state->nodes = stream.last;
  if (stream.capture != 0) return cudaSuccess;
  return enqueue(handle, [state, number = ++state->recorded] {
    state->done = number;
    state->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const auto lock = entered(__func__);
  const std::shared_ptr<EventState> state = event->state;
  if (state->capture != 0 || is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  runtime().run_until([&] { return state->done == state->recorded; });
  return result(in_order());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const auto lock = entered(__func__);
  *milliseconds = std::chrono::duration<float, std::milli>(end->state->time - begin->state->time).count();
  return cudaSuccess;
}

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
