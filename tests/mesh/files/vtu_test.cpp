// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/files/byte_writer.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::bytes_of;
using testing::contains;
using testing::error_of;
using testing::exact;

/// How to write a file's arrays.
struct Format {
  std::string format;    // "ascii", "binary" or "appended"
  std::string encoding;  // of appended data
  bool compressed = false;
  bool wide_header = false;
  bool joined = false;  // base64 of sizes and data in one piece
  std::endian order = std::endian::little;
};

std::vector<Format> all_formats() {
  std::vector<Format> formats = {{"ascii", ""}};
  for (const bool compressed : {false, true}) {
    for (const bool wide : {false, true}) {
      for (const std::endian order : {std::endian::little, std::endian::big}) {
        formats.push_back({"binary", "", compressed, wide, false, order});
        formats.push_back({"appended", "raw", compressed, wide, false, order});
        formats.push_back({"appended", "base64", compressed, wide, false, order});
        if (!compressed) formats.push_back({"binary", "", compressed, wide, true, order});
      }
    }
  }
  return formats;
}

std::string describe(const Format& f) {
  return f.format + " " + f.encoding + (f.compressed ? " compressed" : "") + (f.wide_header ? " UInt64" : "") +
         (f.joined ? " joined" : "") + (f.order == std::endian::big ? " big" : "");
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * static_cast<unsigned>(k)) & 63U];
  }
  return text;
}

class VtuText {
 public:
  explicit VtuText(Format format) : format_(std::move(format)) {}

  template <typename T>
  std::string array(const std::string& name, const char* type, const std::vector<T>& values, int components = 1) {
    std::string text = "<DataArray type=\"" + std::string(type) + "\" Name=\"" + name + "\"";
    if (components != 1) text += " NumberOfComponents='" + std::to_string(components) + "'";
    text += " format=\"" + format_.format + "\"";
    if (format_.format == "ascii") {
      text += ">\n";
      for (const T value : values) text += (sizeof(T) == 1 ? std::to_string(+value) : exact(double(value))) + " ";
      return text + "\n</DataArray>\n";
    }
    std::string data;
    for (const T value : values) data += bytes_of(value, format_.order);
    if (format_.format == "binary") return text + ">\n  " + encoded(data) + "\n</DataArray>\n";
    text += " offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
    appended_ += encoded(data);
    return text;
  }

  std::string file(const std::string& piece, const std::string& counts) const {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!-- a <comment> -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\"";
    text += std::string(" byte_order=\"") + (format_.order == std::endian::big ? "Big" : "Little") + "Endian\"";
    text += std::string(" header_type=\"") + (format_.wide_header ? "UInt64\"" : "UInt32\"");
    if (format_.compressed) text += " compressor=\"vtkZLibDataCompressor\"";
    text += ">\n<UnstructuredGrid>\n<Piece " + counts + ">\n" + piece + "</Piece>\n</UnstructuredGrid>\n";
    if (!appended_.empty())
      text += "<AppendedData encoding=\"" + format_.encoding + "\">\n _" + appended_ + "\n</AppendedData>\n";
    return text + "</VTKFile>\n";
  }

 private:
  std::string size(std::size_t x) const {
    return format_.wide_header ? bytes_of(static_cast<std::uint64_t>(x), format_.order)
                               : bytes_of(static_cast<std::uint32_t>(x), format_.order);
  }

  std::string encoded(const std::string& data) const {
    std::string head, body = data;
    if (format_.compressed) {
      constexpr std::size_t kBlock = 1000;
      const std::size_t blocks = (data.size() + kBlock - 1) / kBlock;
      head = size(blocks) + size(kBlock) + size(data.size() % kBlock);
      body.clear();
      for (std::size_t i = 0; i < data.size(); i += kBlock) {
        const std::string block = data.substr(i, kBlock);
        uLongf length = compressBound(static_cast<uLong>(block.size()));
        std::string compressed(length, '\0');
        EXPECT_EQ(compress(reinterpret_cast<Bytef*>(compressed.data()), &length,
                           reinterpret_cast<const Bytef*>(block.data()), static_cast<uLong>(block.size())),
                  Z_OK);
        compressed.resize(length);
        head += size(length);
        body += compressed;
      }
    } else {
      head = size(data.size());
    }
    if (format_.format == "appended" && format_.encoding == "raw") return head + body;
    return format_.joined ? base64(head + body) : base64(head) + base64(body);
  }

  Format format_;
  std::string appended_;
};

/// The mesh as Float64 and Int64, with two triangles among its tets.
std::string write(const Format& format, const TetMesh& mesh) {
  VtuText text(format);
  std::vector<double> coordinates;
  for (const Point3& p : mesh.points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  std::vector<std::int64_t> connectivity = {0, 1, 2}, offsets = {3};
  std::vector<std::uint8_t> types = {5};
  for (const Tet& t : mesh.tets) {
    connectivity.insert(connectivity.end(), t.begin(), t.end());
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    types.push_back(10);
  }
  connectivity.insert(connectivity.end(), {2, 1, 0});
  offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  types.push_back(5);

  std::string piece = "<PointData Scalars=\"extent\">\n";
  for (const auto& [name, values] : mesh.point_data) piece += text.array(name, "Float64", values);
  piece += text.array("normals", "Float32", std::vector<float>(3 * mesh.points.size(), 0.5F), 3);
  piece += "</PointData>\n<CellData>\n" + text.array("region", "UInt8", types) + "</CellData>\n<Points>\n";
  piece += text.array("Points", "Float64", coordinates, 3) + "</Points>\n<Cells>\n";
  piece += text.array("connectivity", "Int64", connectivity) + text.array("offsets", "Int64", offsets) +
           text.array("types", "UInt8", types) + "</Cells>\n";
  return text.file(piece, "NumberOfPoints=\"" + std::to_string(mesh.points.size()) + "\" NumberOfCells=\"" +
                              std::to_string(types.size()) + "\"");
}

TEST(VtuReader, GivesBackEveryBitOfEveryFormat) {
  TetMesh mesh = make_sphere_mesh(0.05, 2);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (Point3& p : mesh.points) p[0] += 1e-3 * unit(random) / 3;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    mesh.point_data["depth"].push_back(unit(random) * 1e-300);
    mesh.point_data["extent"].push_back(unit(random));
  }
  for (const Format& format : all_formats()) {
    SCOPED_TRACE(describe(format));
    const TetMesh back = parse_vtu(write(format, mesh), "m");
    EXPECT_EQ(back.points, mesh.points);
    EXPECT_EQ(back.tets, mesh.tets);
    EXPECT_EQ(back.point_data, mesh.point_data);
    EXPECT_EQ(back.notes, std::vector<std::string>{"left out of the file: 2 cells of type 5"});
  }
}

TEST(VtuReader, DecodesNames) {
  TetMesh mesh = testing::two_tets();
  mesh.point_data["a &lt;b&gt; &amp;lt; &quot;c&apos;"] = {1, 2, 3, 4, 5};
  EXPECT_EQ(parse_vtu(write({"ascii", ""}, mesh), "m").point_data.count("a <b> &lt; \"c'"), 1U);
}

TEST(VtuReader, ReadsWhatAnotherProgramWrote) {
  // by hand after a file of ParaView: the header and the data of an array are encoded apart
  const std::string text = R"(<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
  <UnstructuredGrid><FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii"> 0 </DataArray></FieldData>
    <Piece NumberOfPoints="4" NumberOfCells="1">
      <PointData></PointData><CellData/>
      <Points><DataArray type="Float32" Name="Points" NumberOfComponents="3" format="binary" RangeMin="0" RangeMax="1">
MAAAAA==AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/
        <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2"></InformationKey>
      </DataArray></Points>
      <Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
        <DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">10<InformationKey name="k"><Value index="0">1</Value></InformationKey></DataArray></Cells>
    </Piece></UnstructuredGrid></VTKFile>)";
  const TetMesh mesh = parse_vtu(text, "m");
  EXPECT_EQ(mesh.points, testing::one_tet().points);
  EXPECT_EQ(mesh.tets, testing::one_tet().tets);
}

TEST(VtuReader, NamesFileLineAndArray) {
  std::string text = write({"ascii", ""}, testing::two_tets());
  const std::size_t at = text.find("0 1 2 0 1 2 3 ");
  ASSERT_NE(at, std::string::npos);
  std::string bad = text;
  bad.replace(at, 14, "0 1 2 0 1 2 x ");
  EXPECT_TRUE(contains(error_of([&] { parse_vtu(bad, "a.vtu"); }), ": 'x' is not a whole number"));
  bad = text;
  bad.replace(at, 14, "0 1 2 0 1 2 9 ");
  EXPECT_TRUE(
      contains(error_of([&] { parse_vtu(bad, "a.vtu"); }), ": cell 1 has the point index 9; it must lie in [0, 4]"));
  bad = text;
  bad.replace(at, 14, "0 1 2 0 1 2 3 4 ");
  EXPECT_TRUE(contains(error_of([&] { parse_vtu(bad, "a.vtu"); }), "array 'connectivity' has more than its"));
}

TEST(VtuReader, RefusesWhatItWouldMisread) {
  const auto error = [](const std::string& text) { return error_of([&] { parse_vtu(text, "a.vtu"); }); };
  const std::string good = write({"appended", "raw"}, testing::two_tets());
  ASSERT_EQ(parse_vtu(good, "m").tets, testing::two_tets().tets);

  std::string bad = good;
  bad[bad.find("<Points>") - 1] = '\0';
  EXPECT_TRUE(contains(error(bad), ": a zero byte in XML"));
  bad = good;
  bad.insert(bad.find("NumberOfPoints"), "NumberOfPoints='4' ");
  EXPECT_TRUE(contains(error(bad), ":5: <Piece> has the attribute 'NumberOfPoints' twice"));
  EXPECT_TRUE(contains(error(good.substr(0, good.size() - 20)), ": <AppendedData> without </AppendedData>"));
  EXPECT_TRUE(contains(error(good + "text"), "a DOCTYPE, text or an element beside <VTKFile>"));
  EXPECT_TRUE(contains(error("<!-- only a comment -->"), "the file has no element"));
  EXPECT_TRUE(contains(error("<VTKFile><a></VTKFile>"), "a.vtu:1: Start-end tags mismatch at "));
}

TEST(VtuReader, LimitsTheElementsAndAttributesThatItKeeps) {
  std::string deep, wide = "<VTKFile ";
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  for (int i = 0; i < 1'000'000; ++i) wide += "a='' ";
  for (const std::string& text : {deep, wide}) {
    EXPECT_TRUE(contains(error_of([&] { parse_vtu(text, "m"); }), "too many elements and attributes: "));
  }
  // as deep as the limit allows
  EXPECT_TRUE(contains(error_of([&] { parse_vtu(deep.substr(0, 3 * 40'000), "m"); }), "Start-end tags mismatch"));
}

TEST(VtuReader, SurvivesTruncationAndChangedBytes) {
  TetMesh mesh = testing::two_tets();
  mesh.point_data["extent"] = {0, 0, 0, 0, 1};
  const std::vector<Format> formats = {
      {"ascii", ""}, {"binary", "", true}, {"appended", "raw"}, {"appended", "base64", true, true}};
  for (const Format& format : formats) {
    testing::expect_survival(write(format, mesh), {"\0009< \"\xff", 6}, 2,
                             [](const std::string& bytes) { make_tet_mesh("m", parse_vtu(bytes, "m")); });
  }
}

}  // namespace
}  // namespace isopatch
