// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are not regular files, or claim more data than they have: refused at once, without allocating memory for
// it.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/numpy/npz.h"
#include "isopatch/isopatch.h"
#include "tests/support/message_check.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::run_program;
using testing::run_shell;

const std::string kScene = source_path("bench/scenes/sphere_on_box.json");
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// A string written `count` times.
std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

class InputFiles : public testing::FolderTest {
 protected:
  /// Every command that could read it ends with code 2 and one line that has `reason`.
  void expect_refused_everywhere(const std::string& kind, const std::string& reason) const {
    const std::string file = path(kind);
    for (const std::string& command :
         {"info " + file + ".vtk", "info " + file + ".vtu", "info " + file + ".msh", "info " + file + ".obj",
          "info " + file + ".stl", "info " + file + ".json", "evaluate " + file + ".json",
          "evaluate " + kScene + " --states " + file + ".npz", "field " + file + ".vtk " + path("out.vtk"),
          "tetrahedralize " + file + ".obj " + path("out.vtk")}) {
      const Outcome result = run_shell("timeout 20 " + program_path() + " " + command);
      EXPECT_EQ(result.code, 2) << command << "\n" << result.out;
      EXPECT_NE(result.out.find(reason), std::string::npos) << command << "\n" << result.out;
      EXPECT_EQ(result.out.find('\n'), result.out.size() - 1) << command << "\n" << result.out;
    }
  }

  /// Refused, for `reason`, with at most ten times the file and 64 MiB of data in memory.
  void expect_cheap(const std::string& name, const std::string& bytes, const std::string& reason) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory counts";
#endif
    const std::string file = write(name, bytes);
    const std::size_t most = 10 * bytes.size() + 64 * kMebibyte;
    std::string command = "info " + file;
    if (name.ends_with(".npz")) command = "evaluate " + kScene + " --states " + file + " --output " + path("o.json");
    const Outcome result =
        run_shell("ulimit -d " + std::to_string(most / 1024) + "; timeout 60 " + program_path() + " " + command);
    EXPECT_EQ(result.code, 2) << name << "\n" << result.out;
    EXPECT_NE(result.out.find(reason), std::string::npos) << name << "\n" << result.out;
    const std::size_t message = result.out.find("isopatch: error: ") + 17;  // of a surface, rows stand before it
    EXPECT_EQ(testing::message_problem(result.out.substr(message, result.out.size() - message - 1)), "") << result.out;
    std::filesystem::remove(file);
  }
};

const std::vector<std::string> kExtensions = {".vtk", ".vtu", ".msh", ".obj", ".stl", ".json", ".npz"};

TEST_F(InputFiles, APipeIsRefusedAndNotWaitedFor) {
  for (const std::string& extension : kExtensions) ASSERT_EQ(mkfifo(path("pipe" + extension).c_str(), 0600), 0);
  expect_refused_everywhere("pipe", ": not a regular file but a pipe");
}

TEST_F(InputFiles, ALinkToADeviceIsRefusedAndNotRead) {
  for (const std::string& extension : kExtensions)
    std::filesystem::create_symlink("/dev/zero", path("zero" + extension));
  expect_refused_everywhere("zero", ": not a regular file but a device");
}

TEST_F(InputFiles, AFolderAndASocketAreRefused) {
  for (const std::string& extension : kExtensions) std::filesystem::create_directory(path("folder" + extension));
  expect_refused_everywhere("folder", ": not a regular file but a directory");

  for (const std::string& extension : kExtensions) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string name = path("socket" + extension);
    ASSERT_LT(name.size(), sizeof address.sun_path);
    std::memcpy(address.sun_path, name.c_str(), name.size());
    const int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(socket_file, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    close(socket_file);
  }
  expect_refused_everywhere("socket", ": not a regular file but a socket");
}

TEST_F(InputFiles, ALargerOneThanTheLimitIsNotRead) {
  write("large.json", "");
  std::filesystem::resize_file(path("large.json"), 17 * kMebibyte);
  const Outcome result = run_program("evaluate " + path("large.json"));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("17825792 bytes; the limit is 16777216"), std::string::npos) << result.out;
}

// A deflated entry of an .npz archive.
std::string deflated(const std::string& data) {
  std::string compressed(compressBound(data.size()), '\0');
  uLongf size = compressed.size();
  compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
            data.size(), 9);
  return compressed.substr(2, size - 6);  // without zlib's header and checksum
}

std::string number(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 255);
  return text;
}

std::string archive(const std::string& name, const std::string& data, std::uint32_t wrong = 0) {
  const std::string compressed = deflated(data), file = name + ".npy";
  const std::size_t checksum = crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()) ^ wrong;
  const std::string common = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + number(checksum, 4) +
                             number(compressed.size(), 4) + number(data.size(), 4) + number(file.size(), 2) +
                             number(0, 2);
  const std::string local = number(0x04034b50, 4) + common + file + compressed;
  const std::string entry = number(0x02014b50, 4) + number(20, 2) + common + number(0, 14) + file;
  return local + entry + number(0x06054b50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(entry.size(), 4) +
         number(local.size(), 4) + number(0, 2);
}

std::string zeros(std::size_t environments, std::size_t width = 7) {
  const std::size_t bodies = 2;
  return npy_bytes({DType::kFloat64,
                    {static_cast<std::int64_t>(environments), bodies, static_cast<std::int64_t>(width)},
                    std::string(environments * bodies * width * sizeof(double), '\0')});
}

TEST_F(InputFiles, StatesAreCheckedBeforeTheyAreInflated) {
  const std::size_t many = 200 * kMebibyte / (14 * sizeof(double));
  expect_cheap("name.npz", archive("posess", zeros(many)), "posess: unknown array; did you mean");
  expect_cheap("shape.npz", archive("poses", zeros(many, 8)), "poses: must have shape (N, 2, 7)");
  expect_cheap("checksum.npz", archive("poses", zeros(many), 1), "poses: damaged archive: wrong checksum");
  expect_cheap("limit.npz", archive("poses", zeros(2 * many)), "256 MiB and 16 times the archive");
}

TEST_F(InputFiles, ASceneOfManySmallValuesIsRefusedBeforeItFillsTheMemory) {
  expect_cheap("numbers.json", "[" + times(4 * kMebibyte, "1,") + "1]", "more than 500000 values in one file");
  expect_cheap("objects.json", "[" + times(kMebibyte, "{\"a\":1},") + "1]", "more than 500000 values in one file");
  // once, the parser looked at all of the array again after each object in it: minutes
  const std::string begin = "{\"isopatch\":1,\"geometries\":{\"b\":{\"type\":\"half_space\"}},\"bodies\":[";
  expect_cheap("bodies.json", begin + times(400'000, "{},") + "{}]}", "400001 bodies; a scene has 1 to 64");
}

TEST_F(InputFiles, XmlOfManyElementsIsRefusedBeforeItFillsTheMemory) {
  expect_cheap("elements.vtu", "<a>" + times(kMebibyte, "<a/>") + "</a>", "too many elements and attributes: ");
  std::string attributes = "<a ";
  for (int i = 0; i < 300'000; ++i) attributes += "a" + std::to_string(i) + "=\"\" ";
  expect_cheap("attributes.vtu", attributes + "/>", "too many elements and attributes: ");
}

std::string vtu(std::size_t points, const std::string& arrays, const std::string& appended, bool compressed) {
  return "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\"" +
         std::string(compressed ? " compressor=\"vtkZLibDataCompressor\"" : "") +
         "><UnstructuredGrid><Piece NumberOfPoints=\"" + std::to_string(points) + "\" NumberOfCells=\"1\">" + arrays +
         "</Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_" + appended + "</AppendedData></VTKFile>";
}

TEST_F(InputFiles, CompressedArraysAreCountedBeforeTheyAreInflated) {
  const std::string points =
      "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points>"
      "<Cells></Cells>";
  for (const std::size_t count : {std::size_t{1'900'000}, std::size_t{20'000'000}}) {
    const std::string data(count * 12, '\0');
    std::string compressed(compressBound(data.size()), '\0');
    uLongf size = compressed.size();
    compress2(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
              data.size(), 9);
    compressed.resize(size);
    const std::string appended = number(1, 8) + number(data.size(), 8) + number(0, 8) + number(size, 8) + compressed;
    expect_cheap("zeros.vtu", vtu(count, points, appended, true),
                 count > 2'000'000 ? "6 million and one a byte of the file" : "without the array 'offsets'");
  }
}

TEST_F(InputFiles, ArraysThatShareTheirBytesCountEach) {
  constexpr std::size_t kPoints = 20'000;
  std::string data = number(kPoints * 8, 8) + std::string(kPoints * 8, '\0');
  const std::size_t points = data.size();
  data += number(kPoints * 24, 8) + std::string(kPoints * 24, '\0');
  const std::size_t cell = data.size();
  data += number(32, 8) + number(0, 8) + number(1, 8) + number(2, 8) + number(3, 8);
  data += number(8, 8) + number(4, 8) + number(8, 8) + number(10, 8);
  const auto array = [](const std::string& name, const std::string& type, std::size_t offset) {
    return "<DataArray Name=\"" + name + "\" type=\"" + type + "\" format=\"appended\" offset=\"" +
           std::to_string(offset) + "\"";
  };
  std::string arrays = "<Points>" + array("p", "Float64", points) + " NumberOfComponents=\"3\"/></Points><Cells>" +
                       array("connectivity", "Int64", cell) + "/>" + array("offsets", "Int64", cell + 40) + "/>" +
                       array("types", "Int64", cell + 56) + "/></Cells><PointData>";
  for (int i = 0; i < 2'500; ++i) arrays += array("a" + std::to_string(i), "Float64", 0) + "/>";
  expect_cheap("shared.vtu", vtu(kPoints, arrays + "</PointData>", data, false),
               "6 million and one a byte of the file");
}

TEST_F(InputFiles, ManyFieldsOfFewNodesAreRefused) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n50000\n";
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + " 0 0 0\n";
  text += "$EndNodes\n$Elements\n1\n1 4 0 0 1 2 3\n$EndElements\n";
  std::string none, few;
  for (int i = 0; i < 20'000; ++i) {
    const std::string begin = "$NodeData\n1\na" + std::to_string(i) + "\n0\n3\n0\n1\n";
    none += begin + "0\n$EndNodeData\n";
    few += begin + "4\n0 0 1 0 2 0 3 0\n$EndNodeData\n";
  }
  expect_cheap("none.msh", text + none + "x", "'x' where a section");
  expect_cheap("few.msh", text + few, "can be read from a file of");
}

TEST_F(InputFiles, LinesOfManyWordsAreRefused) {
  expect_cheap("face.obj", "v 0 0 0\nf " + times(4 * kMebibyte, "1 "), "a face of more than 4095 corners");
  expect_cheap("line.vtk",
               "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n" + times(4 * kMebibyte, "1 "),
               "more than 4096 words in one line");
}

TEST_F(InputFiles, MeshesThatAreRefusedTakeTenTimesTheirBytes) {
  const std::string corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  expect_cheap("faces.obj", corner + times(kMebibyte, "f 1 2 3\n"), "is a duplicate of triangle");
  expect_cheap("last.obj", corner + times(kMebibyte, "f 1 2 3\n") + "f 9 9 9\n", "has the vertex 9; the file has 3");
  expect_cheap("cells.vtk",
               "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
               "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 4000000 4000000\n" +
                   times(4'000'000, "4 "),
               "cell 0 has the point index 4");
}

}  // namespace
}  // namespace isopatch::cli
