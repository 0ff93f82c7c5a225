// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/gltf/gltf_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <numeric>

#include "host/files/input_file.h"
#include "host/mesh/files/vtk/vtu_data.h"
#include "host/text/quote.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr std::string_view kMagic = "glTF";
constexpr std::string_view kJsonChunk = "JSON", kBinaryChunk{"BIN\0", 4};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Component {
  std::size_t number;
  ValueType type;
  double largest;  // which becomes 1 if normalized
};

constexpr Component kComponents[] = {{5120, ValueType::kI8, 127},    {5121, ValueType::kU8, 255},
                                     {5122, ValueType::kI16, 32767}, {5123, ValueType::kU16, 65535},
                                     {5125, ValueType::kU32, 0},     {5126, ValueType::kF32, 0}};

const Component& component(std::size_t number) {
  return *std::find_if(std::begin(kComponents), std::end(kComponents),
                       [&](const auto& c) { return c.number == number; });
}

/// Extensions that change how a file is to be read, but not its triangles.
bool is_harmless(const std::string& extension) {
  constexpr std::string_view kHarmless[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",
                                            "MSFT_texture_",  "KHR_lights_",  "KHR_mesh_quantization"};
  return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                     [&](auto name) { return extension.starts_with(name); });
}

/// The beginning of a value's text, or what it is.
std::string shown(const Json& value) {
  if (value.is_structured()) return fmt::format("an {}", value.type_name());
  return in_quotes(value.dump(-1, ' ', true, Json::error_handler_t::replace));
}

/// With %20 and the like replaced.
std::string decoded(std::string_view uri) {
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    const char* const begin = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(begin, begin + 2, value, 16).ptr == begin + 2) {
      path += static_cast<char>(value);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

}  // namespace

GltfFile::GltfFile(const std::string& bytes, const std::string& source) : source_(source), size_(bytes.size()) {
  std::string_view text = std::string_view(bytes).substr(text_begin(bytes));
  if (text.starts_with(kMagic)) text = split_binary(text);
  json_ = Json::parse(text, nullptr, false);
  if (!json_.is_object()) fail("no glTF: neither its JSON nor the bytes 'glTF' at the beginning");
  if (!json_.contains("asset")) fail("no glTF: \"asset\" is missing");
  const Json version = json_["asset"].is_object() ? json_["asset"].value("version", Json()) : Json();
  if (!version.is_string() || !version.get<std::string>().starts_with("2.")) {
    fail("the version of glTF is {}; 2.0 can be read", shown(version));
  }
  for (const Json& name : list(json_, "extensionsRequired")) {
    const std::string extension = name.is_string() ? name.get<std::string>() : "";
    if (is_harmless(extension)) continue;
    fail("the file needs the extension {}, which is not read; export it without compression or extensions",
         in_quotes(extension));
  }
  buffers_.resize(count("buffers"));
}

/// Returns the chunk of JSON.
std::string_view GltfFile::split_binary(std::string_view bytes) {
  FileCursor in(bytes, source_, kMagic.size());
  in.set_binary(true);
  in.set_byte_order(std::endian::little);
  const std::int64_t version = in.integer(ValueType::kU32);
  if (version != 2) in.fail("version {} of binary glTF; 2 can be read", version);
  const std::int64_t length = in.integer(ValueType::kU32);
  if (static_cast<std::uint64_t>(length) > bytes.size()) {
    in.fail("the file is {} bytes long, and says that it has {}", bytes.size(), length);
  }
  std::string_view json;
  while (in.bytes_left() >= 8) {
    const std::int64_t size = in.integer(ValueType::kU32);
    const std::string_view kind = bytes.substr(in.position(), 4);
    in.skip_values(ValueType::kU8, 4, 1, "the kind of a chunk");
    const std::size_t begin = in.position();
    in.skip_values(ValueType::kU8, size, 1, "a chunk");
    const std::string_view chunk = bytes.substr(begin, static_cast<std::size_t>(size));
    if (kind == kJsonChunk && json.empty()) json = chunk;
    if (kind == kBinaryChunk && !has_binary_) {
      binary_ = chunk;
      has_binary_ = true;
    }
  }
  return json;
}

const Json& GltfFile::list(const Json& object, const char* key) const {
  static const Json kEmpty = Json::array();
  if (!object.is_object()) fail("{} where an object is expected", object.type_name());
  const auto found = object.find(key);
  if (found == object.end()) return kEmpty;
  if (!found->is_array()) fail("\"{}\" is a {}; a list is needed", key, found->type_name());
  return *found;
}

std::size_t GltfFile::index(const Json& object, const char* key, std::size_t count) const {
  if (!object.is_object()) fail("{} where an object is expected", object.type_name());
  const auto found = object.find(key);
  if (found == object.end()) fail("\"{}\" is missing", key);
  return index_of(*found, key, count);
}

std::size_t GltfFile::index_of(const Json& value, const char* key, std::size_t count) const {
  if (!value.is_number_unsigned()) fail("\"{}\" is {}; a whole number from 0 is needed", key, shown(value));
  const auto index = value.get<std::uint64_t>();
  if (index >= count) fail("\"{}\" is {}; it must be less than {}", key, index, count);
  return static_cast<std::size_t>(index);
}

std::size_t GltfFile::length(const Json& object, const char* key) const {
  return object.contains(key) ? index(object, key, limits::kMaxMeshBytes + 1) : 0;
}

std::vector<std::size_t> GltfFile::indices(const Json& object, const char* key, std::size_t count) const {
  std::vector<std::size_t> found;
  for (const Json& value : list(object, key)) found.push_back(index_of(value, key, count));
  return found;
}

double GltfFile::number(const Json& value, const char* key) const {
  if (!value.is_number()) fail("\"{}\" has {}; numbers are needed", key, shown(value));
  return value.get<double>();
}

GltfFile::Accessor GltfFile::accessor(const Json& object, const char* key, const char* type, std::size_t components) {
  const Json& found = list(json_, "accessors")[index(object, key, count("accessors"))];
  if (found.is_object() && found.contains("sparse")) fail("\"{}\" is sparse, which is not read", key);
  const Json& view = list(json_, "bufferViews")[index(found, "bufferView", count("bufferViews"))];
  if (const Json kind = found.value("type", Json()); kind != type) fail("\"{}\" is of another type than {}", key, type);
  Accessor accessor = {};
  accessor.component = index(found, "componentType", 5127);
  if (std::none_of(std::begin(kComponents), std::end(kComponents),
                   [&](const auto& c) { return c.number == accessor.component; })) {
    fail("\"{}\" has the component type {}, which glTF does not know", key, accessor.component);
  }
  accessor.normalized = found.value("normalized", Json(false)) == Json(true);
  accessor.count = length(found, "count");
  accessor.buffer = index(view, "buffer", buffers_.size());
  const std::size_t element = components * bytes_per_value(component(accessor.component).type);
  const std::size_t stride = length(view, "byteStride"), inner = length(found, "byteOffset");
  accessor.stride = stride > 0 ? stride : element;
  accessor.offset = length(view, "byteOffset") + inner;
  const std::size_t size = length(view, "byteLength"), whole = buffer(accessor.buffer).size();
  if (accessor.stride < element) fail("\"byteStride\" is {}; \"{}\" needs {}", stride, key, element);
  const std::size_t needed =  // below 2^63, as each length is at most kMaxMeshBytes
      accessor.count == 0 ? 0 : inner + (accessor.count - 1) * accessor.stride + element;
  if (needed > size || length(view, "byteOffset") + size > whole) {
    fail("\"{}\" needs {} bytes of a view of {}, in a buffer of {}", key, needed, size, whole);
  }
  return accessor;
}

void GltfFile::read_points(const Json& primitive, std::vector<Point3>& points) {
  if (!primitive.is_object() || !primitive.contains("attributes")) fail("a primitive has no \"attributes\"");
  const Accessor positions = accessor(primitive["attributes"], "POSITION", "VEC3", 3);
  if (points.size() + positions.count > static_cast<std::size_t>(limits::kMaxElements)) {
    fail("more than {} points cannot be indexed", limits::kMaxElements);
  }
  const Component& kind = component(positions.component);
  const double unit = positions.normalized && kind.largest > 0 ? 1 / kind.largest : 1;
  FileCursor in = cursor(positions);
  const std::size_t gap = positions.stride - 3 * bytes_per_value(kind.type);
  for (std::size_t i = 0; i < positions.count; ++i) {
    if (i > 0) in.skip_values(ValueType::kU8, static_cast<std::int64_t>(gap), 1, "the stride");
    Point3 point;
    for (double& x : point) x = std::max(unit * in.coordinate(kind.type, i), positions.normalized ? -1 : -kInfinity);
    points.push_back(point);
  }
}

std::vector<std::int32_t> GltfFile::read_corners(const Json& primitive, std::int32_t points) {
  std::vector<std::int32_t> corners;
  if (!primitive.contains("indices")) {
    corners.resize(static_cast<std::size_t>(points));
    std::iota(corners.begin(), corners.end(), 0);
    return corners;
  }
  const Accessor indices = accessor(primitive, "indices", "SCALAR", 1);
  const Component& kind = component(indices.component);
  if (kind.type != ValueType::kU8 && kind.type != ValueType::kU16 && kind.type != ValueType::kU32) {
    fail("\"indices\" has the component type {}; 5121, 5123 or 5125 is needed", indices.component);
  }
  FileCursor in = cursor(indices);
  const std::size_t gap = indices.stride - bytes_per_value(kind.type);
  for (std::size_t i = 0; i < indices.count; ++i) {
    if (i > 0) in.skip_values(ValueType::kU8, static_cast<std::int64_t>(gap), 1, "the stride");
    const std::int64_t corner = in.integer(kind.type);
    if (corner >= points) in.fail("corner {} has the vertex {}; it must lie in [0, {}]", i, corner, points - 1);
    corners.push_back(static_cast<std::int32_t>(corner));
  }
  return corners;
}

FileCursor GltfFile::cursor(const Accessor& values) {
  FileCursor in(buffer(values.buffer), fmt::format("{}: buffer {}", source_, values.buffer), values.offset);
  in.set_binary(true);
  in.set_byte_order(std::endian::little);
  return in;
}

std::string_view GltfFile::buffer(std::size_t index) {
  const Json& buffer = list(json_, "buffers")[index];
  if (!buffer.is_object() || !buffer.contains("uri")) {
    if (index > 0 || !has_binary_) fail("buffer {} has neither a \"uri\" nor a chunk of a binary file", index);
    return binary_;
  }
  std::optional<std::string>& bytes = buffers_[index];
  if (!bytes) {
    bytes = load(buffer, index);
    size_ += bytes->size();
  }
  return *bytes;
}

std::string GltfFile::load(const Json& buffer, std::size_t index) const {
  if (!buffer["uri"].is_string()) fail("the \"uri\" of buffer {} is no string", index);
  const auto& uri = buffer["uri"].get_ref<const std::string&>();
  const std::size_t size = length(buffer, "byteLength");
  if (uri.starts_with("data:")) {
    const std::size_t begin = uri.find(";base64,");
    if (begin == std::string::npos) fail("buffer {} is data that is not in base64", index);
    const FileCursor in(uri, fmt::format("{}: buffer {}", source_, index));
    return VtuBytes(std::string_view(uri).substr(begin + 8), true, in, 0).take(size);
  }
  if (uri.find("://") != std::string::npos) fail("buffer {} is at {}; only files are read", index, in_quotes(uri));
  const std::filesystem::path path = std::filesystem::path(source_).parent_path() / decoded(uri);
  std::string bytes = read_input_file(path.string(), limits::kMaxMeshBytes);
  if (bytes.size() < size) fail("buffer {} has {} bytes; {} has {}", index, size, in_quotes(uri), bytes.size());
  return bytes;
}

}  // namespace isopatch::detail
