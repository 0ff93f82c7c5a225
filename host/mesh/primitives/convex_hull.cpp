// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/convex_hull.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

/// Owns Qhull's memory.
class Qhull {
 public:
  Qhull() { qh_zero(&qh_, stderr); }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0;
    int total = 0;
    qh_memfreeshort(&qh_, &current, &total);
  }

  /// Qhull's exit code; its messages go to `messages`.
  int run(std::vector<double>& coordinates, int dimension, std::string command, FILE* messages) {
    const auto count = static_cast<int>(coordinates.size() / static_cast<std::size_t>(dimension));
    return qh_new_qhull(&qh_, dimension, count, coordinates.data(), False, command.data(), nullptr, messages);
  }

  qhT* get() { return &qh_; }

 private:
  qhT qh_{};
};

/// Closes the stream of Qhull's messages.
struct FileCloser {
  void operator()(FILE* file) const { std::fclose(file); }
};

std::vector<HullFacet> facets_of(qhT* qh, int dimension) {
  std::vector<HullFacet> facets;
  facetT* facet = nullptr;
  FORALLfacets {
    HullFacet found;
    found.normal.assign(facet->normal, facet->normal + dimension);
    found.offset = -facet->offset;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(facet->vertices) found.vertices.push_back(qh_pointid(qh, vertex->point));
    facets.push_back(std::move(found));
  }
  return facets;
}

}  // namespace

std::vector<HullFacet> convex_hull(std::vector<double> coordinates, int dimension) {
  const auto size = static_cast<std::size_t>(dimension);
  if (coordinates.size() < size * (size + 1)) return {};

  std::string message;
  // where merging of facets fails, joggled input needs none; its seed is fixed
  for (const char* command : {"qhull", "qhull QJ"}) {
    char* text = nullptr;
    std::size_t length = 0;
    std::unique_ptr<FILE, FileCloser> messages(open_memstream(&text, &length));
    if (!messages) throw Error("convex hull: out of memory");
    Qhull owner;
    const int exit_code = owner.run(coordinates, dimension, command, messages.get());
    std::fflush(messages.get());
    message = text == nullptr ? "" : std::string(text, length);
    messages.reset();
    std::free(text);
    if (exit_code == qh_ERRsingular) return {};
    if (exit_code == qh_ERRnone) return facets_of(owner.get(), dimension);
  }
  throw_error("convex hull: Qhull failed: {}", message.substr(0, 200));
}

}  // namespace isopatch::detail
