// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "host/mesh/files/vtk/decompress.h"
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
    EXPECT_EQ(back.notes, std::vector<std::string>{"left out of the file: 2 cells of type 5 (triangles)"});
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

/// Pieces of ascii arrays: "points", "connectivity", "offsets", "types", and more elements of the piece.
struct Piece {
  std::string points, connectivity, offsets, types, more;
  int num_points, num_cells;
};

std::string in_pieces(const std::vector<Piece>& pieces, const std::string& attributes = "") {
  std::string text = "<VTKFile type='UnstructuredGrid' " + attributes + ">\n<UnstructuredGrid>\n";
  for (const Piece& piece : pieces) {
    const auto array = [](const std::string& name, const std::string& type, const std::string& content) {
      return "<DataArray type='" + type + "' Name='" + name + "' NumberOfComponents='" +
             (name == "Points" ? "3" : "1") + "'>" + content + "</DataArray>\n";
    };
    text += "<Piece NumberOfPoints='" + std::to_string(piece.num_points) + "' NumberOfCells='" +
            std::to_string(piece.num_cells) + "'>\n<Points>" + array("Points", "Float64", piece.points) +
            "</Points>\n<Cells>\n" + array("connectivity", "Int64", piece.connectivity) +
            array("offsets", "Int64", piece.offsets) + array("types", "UInt8", piece.types) + "</Cells>\n" +
            piece.more + "</Piece>\n";
  }
  return text + "</UnstructuredGrid>\n</VTKFile>\n";
}

const Piece kLower = {"0 0 0 1 0 0 0 1 0 0 0 1", "0 1 2 3", "4", "10", "", 4, 1};
const Piece kUpper = {"1 1 1 0 0 1 0 1 0 1 0 0", "3 2 1 0", "4", "10", "", 4, 1};

TEST(VtuReader, JoinsPiecesAndMergesTheirPoints) {
  Piece lower = kLower, upper = kUpper, empty = {"", "", "", "", "", 0, 0};
  lower.more =
      "<PointData><DataArray type='Float32' Name='p'>0 1 2 3</DataArray>"
      "<DataArray type='Float32' Name='q'>0 1 2 3</DataArray></PointData>";
  upper.more = "<PointData><DataArray type='Float32' Name='p'>4 3 2 1</DataArray></PointData>";
  const TetMesh mesh = parse_vtu(in_pieces({lower, empty, upper}), "m");
  EXPECT_EQ(mesh.points, testing::two_tets().points);
  EXPECT_EQ(mesh.tets, testing::two_tets().tets);
  EXPECT_EQ(mesh.point_data, (std::map<std::string, std::vector<double>>{{"p", {0, 1, 2, 3, 4}}}));
  ASSERT_EQ(mesh.notes.size(), 2U);
  EXPECT_EQ(mesh.notes[0], "the point data 'q' are not in every piece and were left out");
  EXPECT_EQ(mesh.notes[1], "3 points were merged with those at the same place, as of the 3 pieces");
}

TEST(VtuReader, LeavesOutGhostsOfOtherPieces) {
  Piece upper = kUpper;
  upper.points += " 0 0 0";
  upper.connectivity += " 4 3 2 1";
  upper.offsets += " 8";
  upper.types += " 10";
  upper.num_points = 5, upper.num_cells = 2;
  upper.more = "<CellData><DataArray type='UInt8' Name='vtkGhostType'>0 1</DataArray></CellData>";
  const TetMesh mesh = parse_vtu(in_pieces({kLower, upper}), "m");
  EXPECT_EQ(mesh.tets, testing::two_tets().tets);
  EXPECT_EQ(mesh.notes[0], "1 cells are copies of others, by vtkGhostType, and left out");
}

TEST(VtuReader, ReadsTetsOfSecondOrderByTheirCorners) {
  const Piece piece = {"9 9 9 0 0 0 1 0 0 0 1 0 0 0 1 5 5 5", "1 2 3 4 5 5 5 5 5 5", "10", "24", "", 6, 1};
  const TetMesh mesh = parse_vtu(in_pieces({piece}), "m");
  EXPECT_EQ(mesh.points, testing::one_tet().points);
  EXPECT_EQ(mesh.tets, testing::one_tet().tets);
  EXPECT_EQ(mesh.notes, std::vector<std::string>{"1 tets of higher order were read by their corners"});
}

TEST(VtuReader, RefusesOtherVolumesBesideTets) {
  const Piece piece = {"0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", "0 1 2 3 0 1 2 3 4", "4 9", "10 14", "", 5, 2};
  EXPECT_TRUE(contains(error_of([&] { parse_vtu(in_pieces({piece}), "m"); }),
                       "beside its tets the mesh has 1 cells of type 14 (pyramids); of volumes only tets can be read"));
}

TEST(VtuReader, ReadsOverText) {
  Piece piece = kLower;
  piece.more =
      "<PointData><Array type='String' Name='a' NumberOfTuples='4'>97 0 98 0 0 99 0</Array>"
      "<DataArray type='String' Name='b'>97 0 0 0 0</DataArray><DataArray type='Int32' Name='c'>1 2 3 4</DataArray>"
      "</PointData>";
  EXPECT_EQ(parse_vtu(in_pieces({piece}), "m").point_data.size(), 1U);
}

/// One tet, its points compressed: the sizes, then a block.
std::string compressed_points(const std::string& compressor, const std::string& base64_text) {
  std::string text = in_pieces({kLower}, "compressor='" + compressor + "' header_type='UInt32'");
  const std::string plain = "<DataArray type='Float64' Name='Points' NumberOfComponents='3'>" + kLower.points;
  const std::size_t at = text.find(plain);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, plain.size(),
                      "<DataArray type='Float32' Name='Points' NumberOfComponents='3' format='binary'>" + base64_text);
}

TEST(VtuReader, ReadsLz4AndLzmaOrNamesThem) {
  // written by Python's lzma, and as an LZ4 block of literals alone
  const std::string lzma =
      "AQAAADAAAAAAAAAARAAAAA==/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AAvAAtdAABszlC6/jLHhAAAAAD+wqOFAAEjMOby9riQ"
      "QpkNAQAAAAABWVo=";
  const std::string lz4 =
      "AQAAADAAAAAAAAAAMgAAAA==8CEAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8=";
  const auto check = [](bool can_read, const std::string& name, const std::string& content) {
    const std::string text = compressed_points("vtk" + name + "DataCompressor", content);
    if (can_read) {
      EXPECT_EQ(parse_vtu(text, "m").points, testing::one_tet().points);
      const std::string bad =
          compressed_points("vtk" + name + "DataCompressor", content.substr(0, 20) + "gAAA" + content.substr(24));
      EXPECT_NE(error_of([&] { parse_vtu(bad, "m"); }), "");
    } else {
      EXPECT_TRUE(
          contains(error_of([&] { parse_vtu(text, "m"); }),
                   "the array is compressed by " + name + ", whose library this build was made without; in Python"));
    }
  };
  check(detail::kHasLzma, "LZMA", lzma);
  check(detail::kHasLz4, "LZ4", lz4);
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
  testing::expect_survival(in_pieces({kLower, kUpper}), {"\0009< \"\xff", 6}, 2,
                           [](const std::string& bytes) { make_tet_mesh("m", parse_vtu(bytes, "m")); });
}

}  // namespace
}  // namespace isopatch
