// SPDX-License-Identifier: Apache-2.0
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/files/byte_writer.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::bytes_of;
using testing::contains;
using testing::error_of;
using testing::exact;

/// Which of the formats to write.
struct Format {
  bool version_4;
  bool binary;
  std::endian order = std::endian::little;
};

constexpr Format kFormats[] = {{false, false}, {false, true}, {false, true, std::endian::big},
                               {true, false},  {true, true},  {true, true, std::endian::big}};

class MshText {
 public:
  explicit MshText(Format format) : format_(format) {
    text_ = std::string("$MeshFormat\n") + (format.version_4 ? "4.1 " : "2.2 ") + (format.binary ? "1 8\n" : "0 8\n");
    if (format.binary) text_ += bytes_of(std::int32_t{1}, format.order) + "\n";
    text_ += "$EndMeshFormat\n";
  }

  /// Tags are 10 + 3 i, in two blocks in version 4, one of them with parameters.
  static std::int64_t tag(std::size_t node) { return 10 + 3 * static_cast<std::int64_t>(node); }

  void nodes(const std::vector<Point3>& points) {
    text_ += "$Nodes\n";
    if (format_.version_4) {
      const std::size_t half = points.size() / 2;
      for (const std::size_t x : {std::size_t{2}, points.size(), std::size_t{10}, points.size() * 3 + 10}) size(x);
      end_line();
      block(points, 0, half, true);
      block(points, half, points.size(), false);
    } else {
      text_ += std::to_string(points.size()) + "\n";
      for (std::size_t i = 0; i < points.size(); ++i) {
        integer(tag(i));
        for (const double x : points[i]) real(x);
        end_line();
      }
    }
    text_ += "\n$EndNodes\n";
  }

  /// The tets, and before them two triangles that a reader leaves out.
  void elements(const std::vector<Tet>& tets) {
    text_ += "$Elements\n";
    const std::vector<std::vector<std::int64_t>> triangles = {{tag(0), tag(1), tag(2)}, {tag(0), tag(1), tag(2)}};
    std::vector<std::vector<std::int64_t>> cells;
    for (const Tet& t : tets) {
      cells.emplace_back();
      for (const std::int32_t v : t) cells.back().push_back(tag(static_cast<std::size_t>(v)));
    }
    const std::size_t count = triangles.size() + cells.size();
    if (format_.version_4) {
      for (const std::size_t x : {std::size_t{2}, count, std::size_t{1}, count}) size(x);
      end_line();
    } else {
      text_ += std::to_string(count) + "\n";
    }
    elements_of(2, triangles);
    elements_of(4, cells);
    text_ += "\n$EndElements\n";
  }

  void node_data(const std::string& name, const std::vector<double>& values, int components = 1) {
    text_ += "$NodeData\n1\n\"" + name + "\"\n1\n0.5\n4\n0\n" + std::to_string(components) + "\n" +
             std::to_string(values.size() / static_cast<std::size_t>(components)) + "\n0\n";
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % static_cast<std::size_t>(components) == 0) integer(tag(i / static_cast<std::size_t>(components)));
      real(values[i]);
      if ((i + 1) % static_cast<std::size_t>(components) == 0) end_line();
    }
    text_ += "\n$EndNodeData\n";
  }

  void section(const std::string& name, const std::string& content) {
    text_ += "$" + name + "\n" + content + "\n$End" + name + "\n";
  }

  const std::string& text() const { return text_; }

 private:
  void integer(std::int64_t x) {
    text_ += format_.binary ? bytes_of(static_cast<std::int32_t>(x), format_.order) : std::to_string(x) + " ";
  }
  void size(std::size_t x) {
    text_ += format_.binary ? bytes_of(static_cast<std::uint64_t>(x), format_.order) : std::to_string(x) + " ";
  }
  void real(double x) { text_ += format_.binary ? bytes_of(x, format_.order) : exact(x) + " "; }
  void end_line() {
    if (!format_.binary) text_ += "\n";
  }

  void block(const std::vector<Point3>& points, std::size_t begin, std::size_t end, bool parametric) {
    for (const std::int64_t x : {2, 7, parametric ? 1 : 0}) integer(x);
    size(end - begin);
    end_line();
    for (std::size_t i = begin; i < end; ++i) size(static_cast<std::size_t>(tag(i))), end_line();
    for (std::size_t i = begin; i < end; ++i) {
      for (const double x : points[i]) real(x);
      if (parametric) real(0.25), real(-0.5);  // u and v on the surface
      end_line();
    }
  }

  void elements_of(std::int64_t type, const std::vector<std::vector<std::int64_t>>& cells) {
    if (format_.version_4) {
      for (const std::int64_t x : {type == 4 ? std::int64_t{3} : std::int64_t{2}, std::int64_t{1}, type}) integer(x);
      size(cells.size());
      end_line();
    } else if (format_.binary) {
      for (const std::int64_t x : {type, static_cast<std::int64_t>(cells.size()), std::int64_t{2}}) integer(x);
    }
    std::int64_t element = type * 100;
    for (const std::vector<std::int64_t>& cell : cells) {
      if (format_.version_4) {
        size(static_cast<std::size_t>(element++));
        for (const std::int64_t v : cell) size(static_cast<std::size_t>(v));
      } else {
        integer(element++);
        if (!format_.binary) integer(type), integer(2);
        for (const std::int64_t v : {std::int64_t{1}, std::int64_t{5}}) integer(v);  // physical and elementary tag
        for (const std::int64_t v : cell) integer(v);
      }
      end_line();
    }
  }

  Format format_;
  std::string text_;
};

std::string write(Format format, const TetMesh& mesh) {
  MshText text(format);
  text.section("PhysicalNames", "1\n3 1 \"solid\"");
  if (format.version_4) text.section("Entities", format.binary ? std::string("\0\n$\1", 4) : "0 0 0 0");
  text.nodes(mesh.points);
  text.elements(mesh.tets);
  for (const auto& [name, values] : mesh.point_data) text.node_data(name, values);
  text.section("ElementData", format.binary ? std::string(7, '\0') : "1 2 3");
  return text.text();
}

TetMesh sphere_with_field() {
  TetMesh mesh = make_sphere_mesh(0.05, 2);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (Point3& p : mesh.points) p[0] += 1e-3 * unit(random) / 3;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    mesh.point_data["a view"].push_back(unit(random) * 1e-300);
    mesh.point_data["extent"].push_back(unit(random));
  }
  return mesh;
}

TEST(MshReader, GivesBackEveryBitOfEveryFormat) {
  const TetMesh mesh = sphere_with_field();
  for (const Format format : kFormats) {
    SCOPED_TRACE(std::string(format.version_4 ? "4.1" : "2.2") + (format.binary ? " binary" : " ASCII") +
                 (format.order == std::endian::big ? " big" : ""));
    const TetMesh back = parse_msh(write(format, mesh), "m");
    EXPECT_EQ(back.points, mesh.points);
    EXPECT_EQ(back.tets, mesh.tets);
    EXPECT_EQ(back.point_data, mesh.point_data);
    EXPECT_EQ(back.notes, std::vector<std::string>{"left out of the file: 2 triangles"});
  }
}

TEST(MshReader, TellsTheUserWhatIsLeftOut) {
  MshText text({true, false});
  text.nodes(testing::two_tets().points);
  text.elements(testing::two_tets().tets);
  const Geometry geometry = make_tet_mesh("m", parse_msh(text.text(), "m"));
  ASSERT_FALSE(geometry.warnings.empty());
  EXPECT_EQ(geometry.warnings[0], "m: left out of the file: 2 triangles");
}

TEST(MshReader, TakesScalarNodeDataOnly) {
  for (const Format format : kFormats) {
    MshText text(format);
    text.nodes(testing::two_tets().points);
    text.elements(testing::two_tets().tets);
    text.node_data("velocity", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 3);
    text.node_data("extent", {0, 0, 0, 0, 1});
    const TetMesh mesh = parse_msh(text.text(), "m");
    EXPECT_EQ(mesh.point_data.size(), 1U);
    EXPECT_EQ(mesh.point_data.at("extent"), (std::vector<double>{0, 0, 0, 0, 1}));
  }
}

TEST(MshReader, LeavesOutAFieldThatDoesNotCoverTheTets) {
  MshText text({true, true});
  text.nodes(testing::two_tets().points);
  text.elements(testing::two_tets().tets);
  text.node_data("part", {1, 2, 3});
  const TetMesh mesh = parse_msh(text.text(), "m");
  EXPECT_TRUE(mesh.point_data.empty());
  ASSERT_EQ(mesh.notes.size(), 2U);
  EXPECT_EQ(mesh.notes[1], "$NodeData 'part' has no value for 2 nodes of tets and was left out");
}

TEST(MshReader, ReadsWindowsLineEndsAndAByteOrderMark) {
  for (const bool version_4 : {false, true}) {
    std::string text = write({version_4, false}, testing::two_tets());
    for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.replace(i, 1, "\r\n");
    EXPECT_EQ(parse_msh(text, "m").tets, testing::two_tets().tets);
    EXPECT_EQ(parse_msh("\xEF\xBB\xBF" + text, "m").tets, testing::two_tets().tets);
  }
}

TEST(MshReader, NamesFileLineElementAndNode) {
  std::string text = write({false, false}, testing::two_tets());
  const std::size_t last = text.find("401 4 2 1 5 13 16 19 22");
  ASSERT_NE(last, std::string::npos);
  text.replace(last, 23, "401 4 2 1 5 13 16 19 99");
  EXPECT_EQ(error_of([&] { parse_msh(text, "a.msh"); }),
            "a.msh:22: element 401 has the node 99; $Nodes has no such tag");
}

TEST(MshReader, SaysWhatAFileWithoutTetsHas) {
  MshText text({true, true});
  text.nodes(testing::two_tets().points);
  text.elements({});
  EXPECT_TRUE(contains(error_of([&] { parse_msh(text.text(), "m"); }),
                       "the mesh has no tets, elements of type 4; at least one is needed, the file has 2 triangles"));
}

/// Of version 2, ASCII or binary: nodes with parameters where `parametric`, and tets with their groups.
std::string version_2(bool binary, bool parametric, const TetMesh& mesh, const std::vector<std::int32_t>& groups) {
  std::string text = std::string("$MeshFormat\n2.2 ") + (binary ? "1 8\n" + bytes_of(std::int32_t{1}) + "\n" : "0 8\n");
  text += std::string("$EndMeshFormat\n") + (parametric ? "$ParametricNodes\n" : "$Nodes\n");
  const auto integer = [&](std::int64_t x) {
    text += binary ? bytes_of(static_cast<std::int32_t>(x)) : std::to_string(x) + " ";
  };
  const auto real = [&](double x) { text += binary ? bytes_of(x) : exact(x) + " "; };
  text += std::to_string(mesh.points.size()) + "\n";
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    integer(MshText::tag(i));
    for (const double x : mesh.points[i]) real(x);
    const std::size_t dimension = i % 4;
    if (parametric) integer(static_cast<std::int64_t>(dimension)), integer(7);
    for (std::size_t k = 0; parametric && k < dimension && dimension < 3; ++k) real(0.25);  // none in a volume
    if (!binary) text += "\n";
  }
  text += std::string(parametric ? "$EndParametricNodes" : "$EndNodes") + "\n$Elements\n";
  text += std::to_string(mesh.tets.size()) + "\n";
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto element = static_cast<std::int64_t>(t + 1);
    if (binary) {
      for (const std::int64_t x : {std::int64_t{4}, std::int64_t{1}, std::int64_t{2}, element}) integer(x);
    } else {
      for (const std::int64_t x : {element, std::int64_t{4}, std::int64_t{2}}) integer(x);
    }
    integer(groups[t]), integer(1);
    for (const std::int32_t v : mesh.tets[t]) integer(MshText::tag(static_cast<std::size_t>(v)));
    if (!binary) text += "\n";
  }
  return text + "$EndElements\n";
}

TEST(MshReader, ReadsNodesWithParameters) {
  const TetMesh mesh = testing::two_tets();
  for (const bool binary : {false, true}) {
    const TetMesh back = parse_msh(version_2(binary, true, mesh, {1, 1}), "m");
    EXPECT_EQ(back.points, mesh.points);
    EXPECT_EQ(back.tets, mesh.tets);
  }
}

TEST(MshReader, CountsATetOfSeveralGroupsOnce) {
  const TetMesh mesh = testing::two_tets();
  TetMesh listed = mesh;
  for (const Tet& tet : mesh.tets) listed.tets.push_back({tet[1], tet[2], tet[0], tet[3]});
  listed.tets.push_back(mesh.tets[0]);
  for (const bool binary : {false, true}) {
    const TetMesh back = parse_msh(version_2(binary, false, listed, {1, 1, 2, 2, 3}), "m");
    EXPECT_EQ(back.tets, mesh.tets);
    EXPECT_EQ(back.notes, std::vector<std::string>{"3 tets are in several groups and count once"});
  }
  // twice in the same group is a mistake
  const std::string message = error_of([&] {
    make_tet_mesh("m", parse_msh(version_2(false, false, listed, {1, 1, 2, 2, 1}), "m"));
  });
  EXPECT_TRUE(contains(message, "is a duplicate of tet 0")) << message;
}

TEST(MshReader, ReadsTetsOfSecondOrderByTheirCorners) {
  std::vector<Point3> points = testing::one_tet().points;
  points.insert(points.begin(), {9, 9, 9});
  for (int i = 0; i < 6; ++i) points.push_back({0.5, 0.5, 0});
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 11 1 11\n3 1 0 11\n";
  for (std::size_t i = 0; i < points.size(); ++i) text += std::to_string(i + 1) + "\n";
  for (const Point3& p : points) text += exact(p[0]) + " " + exact(p[1]) + " " + exact(p[2]) + "\n";
  text += "$EndNodes\n$Elements\n1 1 1 1\n3 1 11 1\n1 2 3 4 5 6 7 8 9 10 11\n$EndElements\n";
  text += "$NodeData\n1\n\"p\"\n1\n0\n3\n0\n1\n4\n2 0\n3 1\n4 2\n5 3\n$EndNodeData\n";
  const TetMesh mesh = parse_msh(text, "m");
  EXPECT_EQ(mesh.points, testing::one_tet().points);
  EXPECT_EQ(mesh.tets, testing::one_tet().tets);
  EXPECT_EQ(mesh.point_data.at("p"), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.notes, std::vector<std::string>{"1 tets of second order were read by their corners"});
}

TEST(MshReader, RefusesOtherVolumesBesideTets) {
  std::string text = version_2(false, false, testing::two_tets(), {1, 1});
  text.replace(text.find("$Elements\n2\n"), 12, "$Elements\n3\n9 7 2 1 1 10 13 16 19 22\n");
  EXPECT_TRUE(contains(error_of([&] { parse_msh(text, "m"); }),
                       "beside its tets the mesh has 1 pyramids; of volumes only tets can be read: in Python"));
}

TEST(MshReader, NamesOtherFormatsOfThisExtensionAndWhatConvertsThem) {
  const auto error = [](const std::string& text) { return error_of([&] { parse_msh(text, "m"); }); };
  for (const std::string text : {"(0 \"GAMBIT to Fluent File\")\n(2 3)\n", "\n(2 3)\n", "(0 grid)(2 3)"}) {
    EXPECT_TRUE(contains(error(text), "a mesh of ANSYS Fluent")) << error(text);
    EXPECT_TRUE(contains(error(text), "converts its first zone"));
  }
  std::string mujoco;
  for (const std::int32_t number : {4, 0, 4, 4}) mujoco.append(reinterpret_cast<const char*>(&number), 4);
  mujoco.resize(16 + 4 * 12 + 4 * 8 + 4 * 12);
  EXPECT_TRUE(contains(error(mujoco), "a surface mesh of MuJoCo")) << error(mujoco);
  EXPECT_TRUE(contains(error(mujoco + '\0'), "a Gmsh file begins with '$MeshFormat'")) << "another length";
  EXPECT_TRUE(contains(error("$NOD\n1\n1 0 0 0\n$ENDNOD\n"), "gmsh in.msh -save -format msh41 -o out.msh converts it"));
  EXPECT_TRUE(contains(error("$MeshFormat\n4 0 8\n$EndMeshFormat\n"), "2.2 and 4.1 can be read: gmsh in.msh"));
}

TEST(MshReader, SurvivesTruncationAndChangedBytes) {
  TetMesh mesh = testing::two_tets();
  mesh.point_data["extent"] = {0, 0, 0, 0, 1};
  for (const Format format : kFormats) {
    testing::expect_survival(write(format, mesh), {"\0009- \n\xff", 6}, 1,
                             [](const std::string& bytes) { make_tet_mesh("m", parse_msh(bytes, "m")); });
  }
  for (const bool binary : {false, true}) {
    testing::expect_survival(version_2(binary, true, mesh, {1, 2}), {"\0009- \n\xff", 6}, 1,
                             [](const std::string& bytes) { make_tet_mesh("m", parse_msh(bytes, "m")); });
  }
}

}  // namespace
}  // namespace isopatch
