// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cctype>
#include <fstream>
#include <initializer_list>
#include <limits>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/message_check.h"
#include "tests/support/temporary_folder.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;

const std::string kHeader = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string kPoints = "POINTS 5 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n";
const std::string kCells = "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n";

template <typename T>
std::string big_endian(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof(T), raw);
    if constexpr (std::endian::native == std::endian::little) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

const std::string kBinaryHeader = "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n";
const std::string kBinaryTypes = "\nCELL_TYPES 2\n" + big_endian<std::int32_t>({10, 10});

void expect_two_tets(const TetMesh& mesh) {
  EXPECT_EQ(mesh.points, testing::two_tets().points);
  EXPECT_EQ(mesh.tets, testing::two_tets().tets);
}

TEST(VtkReader, ReadsAscii) {
  const TetMesh mesh = parse_vtk(kHeader + kPoints + kCells, "m");
  expect_two_tets(mesh);
  EXPECT_TRUE(mesh.point_data.empty());
}

TEST(VtkReader, ReadsWindowsLineEndsLowerCaseAndAByteOrderMark) {
  std::string text = kHeader + kPoints + kCells;
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.replace(i, 1, "\r\n");
  expect_two_tets(parse_vtk(text, "m"));
  text = kHeader + kPoints + kCells;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  expect_two_tets(parse_vtk(text, "m"));
  expect_two_tets(parse_vtk("\xEF\xBB\xBF" + text, "m"));
}

TEST(VtkReader, ReadsBinary) {
  const std::string cells = "\nCELLS 2 10\n" + big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4});
  const std::string doubles = "POINTS 5 double\n" + big_endian<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  const std::string floats = "POINTS 5 float\n" + big_endian<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  for (const std::string& points : {doubles, floats}) {
    const std::string extent = "\nPOINT_DATA 5\nSCALARS extent float\nLOOKUP_TABLE default\n" +
                               big_endian<float>({0, 0.5, -1, 2, 1}) + "\nFIELD FieldData 2\nids 1 5 short\n" +
                               big_endian<std::int16_t>({1, -2, 3, 4, 5}) + "\nflags 1 5 unsigned_char\n\1\2\3\4\xff\n";
    const TetMesh mesh = parse_vtk(kBinaryHeader + points + cells + kBinaryTypes + extent, "m");
    expect_two_tets(mesh);
    EXPECT_EQ(mesh.point_data.at("extent"), (std::vector<double>{0, 0.5, -1, 2, 1}));
    EXPECT_EQ(mesh.point_data.at("ids"), (std::vector<double>{1, -2, 3, 4, 5}));
    EXPECT_EQ(mesh.point_data.at("flags"), (std::vector<double>{1, 2, 3, 4, 255}));
  }
}

TEST(VtkReader, ReadsVersion51) {
  std::string header = kHeader;
  header.replace(header.find("3.0"), 3, "5.1");
  const std::string cells =
      "METADATA\nINFORMATION 0\n\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8 \nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4 "
      "\n"
      "CELL_TYPES 2\n10\n10\n";
  expect_two_tets(parse_vtk(header + kPoints + cells, "m"));

  std::string binary = kBinaryHeader;
  binary.replace(binary.find("3.0"), 3, "5.1");
  expect_two_tets(parse_vtk(
      binary + "POINTS 5 float\n" + big_endian<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) +
          "\nMETADATA\nINFORMATION 0\n\nCELLS 3 8\nOFFSETS vtktypeint64\n" + big_endian<std::int64_t>({0, 4, 8}) +
          "\nCONNECTIVITY vtktypeint64\n" + big_endian<std::int64_t>({0, 1, 2, 3, 1, 2, 3, 4}) + kBinaryTypes,
      "m"));
}

TEST(VtkReader, TakesScalarFieldsAndReadsOverTheRest) {
  const std::string data =
      "CELL_DATA 2\nSCALARS region int 1\nLOOKUP_TABLE colours\n1\n2\nLOOKUP_TABLE colours 1\n0 0 1 1\n"
      "VECTORS v float\n0 0 1\n0 0 1\n"
      "POINT_DATA 5\nFIELD FieldData 3\ndepth%20now 1 5 float\n0 0 0 0 1\nMETADATA\nCOMPONENT_NAMES\nX\n\n"
      "pairs 2 5 int\n1 2 3 4 5 6 7 8 9 10\nlast 1 5 double\n1e-400 +2 3 4 5\n"
      "NORMALS n double\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\nTEXTURE_COORDINATES t 2 float\n0 1 0 1 0 1 0 1 0 1\n"
      "SCALARS rgb float 3\nLOOKUP_TABLE default\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\nSCALARS extent double\n"
      "LOOKUP_TABLE default\n0 0 0 0 1\n";
  const TetMesh mesh = parse_vtk(kHeader + kPoints + kCells + data, "m");
  EXPECT_EQ(mesh.point_data.size(), 3U);
  EXPECT_EQ(mesh.point_data.at("depth now"), (std::vector<double>{0, 0, 0, 0, 1}));
  EXPECT_EQ(mesh.point_data.at("last"), (std::vector<double>{0, 2, 3, 4, 5}));
  EXPECT_EQ(mesh.point_data.at("extent").back(), 1);
}

const std::string kMixed =
    "CELLS 9 43\n1 0\n2 0 1\n3 0 1 2\n4 0 1 2 3\n4 0 1 4 2\n4 1 2 3 4\n5 0 1 4 2 0\n3 0 1 2\n8 0 1 2 0 1 2 0 1\n"
    "CELL_TYPES 9\n1\n3\n5\n10\n9\n10\n7\n6\n23\n";
const std::string kMixedNote =
    "left out of the file: 1 cells of type 1 (vertices), 1 cells of type 3 (lines), 1 cells of type 5 (triangles), 1 "
    "cells "
    "of type 6 (triangle strips), 1 cells of type 7 (polygons), 1 cells of type 9 (quadrilaterals), 1 cells of type 23 "
    "(quadrilaterals of higher order)";

TEST(VtkReader, LeavesOutCellsOfFewerDimensionsWithANote) {
  const TetMesh mesh = parse_vtk(kHeader + kPoints + kMixed, "m");
  expect_two_tets(mesh);
  EXPECT_EQ(mesh.notes, std::vector<std::string>{kMixedNote});

  std::string header = kHeader;
  header.replace(header.find("3.0"), 3, "5.1");
  const TetMesh same = parse_vtk(header + kPoints +
                                     "CELLS 4 11\nOFFSETS vtktypeint64\n0 3 7 11\nCONNECTIVITY vtktypeint64\n"
                                     "0 1 2 0 1 2 3 1 2 3 4\nCELL_TYPES 3\n5\n10\n10\n",
                                 "m");
  expect_two_tets(same);
  EXPECT_EQ(same.notes, std::vector<std::string>{"left out of the file: 1 cells of type 5 (triangles)"});
}

TEST(VtkReader, RefusesVolumesThatAreNotTetsAtTheirLine) {
  const std::string cells = "CELLS 2 11\n4 0 1 2 3\n5 1 2 3 4 0\nCELL_TYPES 2\n10\n14\n";
  EXPECT_TRUE(contains(error_of([&] { parse_vtk(kHeader + kPoints + cells, "m"); }),
                       "m:13: cell 1 has 5 points; only tets, with 4, can be read, not pyramids, type 14: in Python, "
                       "pyvista.read('in.vtk').triangulate()"));
}

TEST(VtkReader, SaysThatAFileOfSurfaceCellsIsASurface) {
  const std::string cells = "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n";
  const std::string message = error_of([&] { parse_vtk(kHeader + kPoints + cells, "m"); });
  EXPECT_TRUE(contains(message,
                       "the mesh has no tets, cells of type 10; at least one is needed, the file has 1 cells of "
                       "type 5 (triangles); a surface mesh is read from .obj"))
      << message;
}

TEST(VtkReader, ReadsTetsOfSecondOrderByTheirCornersAndDropsTheOtherPoints) {
  std::string points = "POINTS 14 double\n9 9 9\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  for (int i = 0; i < 9; ++i) points += "0.5 0.5 0\n";
  const std::string data = "POINT_DATA 14\nSCALARS p double\nLOOKUP_TABLE default\n9 0 1 2 3 9 9 9 9 9 9 9 9 9\n";
  const TetMesh mesh =
      parse_vtk(kHeader + points + "CELLS 1 11\n10 1 2 3 4 5 6 7 8 9 10\nCELL_TYPES 1\n24\n" + data, "m");
  EXPECT_EQ(mesh.points, testing::one_tet().points);
  EXPECT_EQ(mesh.tets, testing::one_tet().tets);
  EXPECT_EQ(mesh.point_data.at("p"), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.notes, std::vector<std::string>{"1 tets of higher order were read by their corners"});
}

TEST(VtkReader, ReadsOverText) {
  const std::string after = "extent 1 5 double\n0 0 0 0 1\n";
  const std::string metadata = "\nMETADATA\nINFORMATION 1\nNAME UNITS LOCATION vtkDataArray\nDATA m\n\n";
  const std::string lines = "FIELD FieldData 3\nlabel 1 5 string\n\nfirst%20one\nLOOKUP_TABLE\n\nlast\n" + metadata +
                            "kinds 1 5 variant\n13 a\n13 b\n11 0.5\n13 \n13 e\n" + after;
  const TetMesh mesh = parse_vtk(kHeader + kPoints + kCells + "POINT_DATA 5\n" + lines, "m");
  EXPECT_EQ(mesh.point_data.at("extent").back(), 1);
  EXPECT_EQ(mesh.point_data.size(), 1U);

  // in binary a length of 1, 2, 4 or 8 bytes, which its highest bits say, comes before each
  const std::string bytes = std::string(1, '\xC3') + "ab\n" + '\x80' + '\x02' + "cd" + std::string("\x40\0\0\1e", 5) +
                            std::string("\0\0\0\0\0\0\0\1f", 9) + '\xC0';
  const std::string binary = kBinaryHeader + "FIELD FieldData 1\nTIME 1 1 double\n" + big_endian<double>({0.5}) +
                             "\nPOINTS 5 float\n" + big_endian<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) +
                             "\nCELLS 2 10\n" + big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4}) +
                             kBinaryTypes + "\nPOINT_DATA 5\nFIELD FieldData 2\nlabel 1 5 string\n" + bytes +
                             "\nextent 1 5 unsigned_long\n" + big_endian<std::uint64_t>({0, 0, 0, 0, 1}) + "\n";
  EXPECT_EQ(parse_vtk(binary, "m").point_data.at("extent").back(), 1);
}

TEST(VtkReader, NamesOtherDatasets) {
  const auto error = [](const std::string& kind) {
    return error_of([&] { parse_vtk("# vtk DataFile Version 3.0\nt\nASCII\nDATASET " + kind + "\n", "m"); });
  };
  EXPECT_TRUE(
      contains(error("POLYDATA"), "the dataset is 'POLYDATA'; 'DATASET UNSTRUCTURED_GRID' is needed; a surface"));
  EXPECT_TRUE(contains(error("RECTILINEAR_GRID"), "cast_to_unstructured_grid()"));
}

TEST(VtkReader, NamesFileAndLine) {
  const std::string message =
      error_of([] { parse_vtk(kHeader + kPoints + "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 9\n", "a.vtk"); });
  EXPECT_EQ(message, "a.vtk:13: cell 1 has the point index 9; it must lie in [0, 4]");
}

TEST(VtkReader, ClipsHostileWordsInMessages) {
  const std::string message = error_of([] { parse_vtk(kHeader + std::string(100000, '\x01'), "m"); });
  EXPECT_EQ(testing::message_problem(message), "");
  EXPECT_TRUE(contains(message, R"('\x01\x01)")) << message;
}

// Every prefix and every single changed byte must give a mesh or an Error: no crash, no other exception.
TEST(VtkReader, SurvivesTruncationAndChangedBytes) {
  const std::string binary = kBinaryHeader + "POINTS 5 float\n" +
                             big_endian<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) + "\nCELLS 2 10\n" +
                             big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4}) + kBinaryTypes;
  const std::string mixed =
      kHeader + kPoints + kMixed + "CELL_DATA 9\nFIELD f 1\nt 1 9 string\na\nb\nc\nd\ne\nf\ng\nh\ni\n";
  const std::string text = binary + "\nPOINT_DATA 5\nFIELD f 1\nt 1 5 string\n\xC1x\xC1y\x80\1z\xC1x\xC0\n";
  for (const std::string& good : {kHeader + kPoints + kCells, binary, mixed, text}) {
    testing::expect_survival(good, {"\0009- \n\xff", 6}, 1, [](const std::string& bytes) { parse_vtk(bytes, "m"); });
  }
}

TEST(VtkReader, NamesAFileThatCannotBeRead) {
  EXPECT_TRUE(contains(error_of([] { read_vtk("/nowhere/mesh.vtk"); }), "/nowhere/mesh.vtk: no such file"));
  EXPECT_TRUE(contains(error_of([] { read_vtk(::testing::TempDir()); }), "not a regular file but a directory"));
}

TEST(VtkWriter, GivesBackEveryBit) {
  TetMesh mesh = make_sphere_mesh(0.05, 2);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (Point3& p : mesh.points) p[1] = unit(random) / 3;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    mesh.point_data["extent"].push_back(unit(random));
    mesh.point_data["100% of \"x\""].push_back(unit(random) * 1e-300);
  }
  mesh.point_data["extent"][0] = std::numeric_limits<double>::denorm_min();
  const testing::TemporaryFolder folder;
  write_vtk(mesh, folder.path("m.vtk"));
  const TetMesh back = read_vtk(folder.path("m.vtk"));
  EXPECT_EQ(back.points, mesh.points);
  EXPECT_EQ(back.tets, mesh.tets);
  EXPECT_EQ(back.point_data, mesh.point_data);
}

TEST(VtkWriter, NamesWhatItCannotWrite) {
  EXPECT_TRUE(
      contains(error_of([] { write_vtk(testing::one_tet(), "/nowhere/m.vtk"); }), "/nowhere/m.vtk: cannot be written"));
  TetMesh mesh = testing::one_tet();
  mesh.point_data["p"] = {1};
  EXPECT_TRUE(contains(error_of([&] { write_vtk(mesh, "m.vtk"); }), "point data 'p' has 1 values"));
}

}  // namespace
}  // namespace isopatch
