// SPDX-License-Identifier: Apache-2.0
//
// A description of a robot in XML, in place of a scene, is named as what it is.
#include <string>

#include <gtest/gtest.h>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

const std::string kAdvice =
    R"(, and scenes are JSON: name the mesh files of its links in "geometries" of a scene, and the links in "bodies"; )"
    "see host/scene_file/README.md";

const std::string kBridge =
    ", and scenes are JSON: load it with MuJoCo, whose contacts isopatch.mujoco.Bridge replaces by patches, or name "
    "the "
    R"(mesh files of its links in "geometries" of a scene; see host/python/MUJOCO.md)";

/// The error of a text, after the name of its file.
std::string error_of(const std::string& text, const std::string& file = "s.json") {
  try {
    parse_scene(text, "", file);
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.size());
  }
  return "no error";
}

TEST(RobotFile, IsNamedByItsRoot) {
  EXPECT_EQ(error_of("<robot name='arm'/>"), ": is a robot in URDF" + kBridge);
  EXPECT_EQ(error_of("\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <mujoco/> -->\n<robot>"),
            ": is a robot in URDF" + kBridge);
  EXPECT_EQ(error_of("\n <mujoco model='arm'></mujoco>"), ": is a model in MuJoCo's MJCF" + kBridge);
  EXPECT_EQ(error_of("<mujocoinclude/>"), ": is a model in MuJoCo's MJCF" + kBridge);
  EXPECT_EQ(error_of("<sdf version='1.7'/>"), ": is XML, \"<sdf>\"" + kAdvice);
  EXPECT_EQ(error_of("<"), ": is XML" + kAdvice);
}

TEST(RobotFile, IsNamedByItsEndingIfItIsNotXml) {
  EXPECT_EQ(error_of("", "a.urdf"), ": is named like a robot in URDF" + kBridge);
  EXPECT_EQ(error_of("robot", "a.mjcf"), ": is named like a model in MuJoCo's MJCF" + kBridge);
  EXPECT_EQ(error_of(" ", "a.xml"), ": is named like XML" + kAdvice);
}

TEST(RobotFile, MayBeAMeshInstead) {
  const std::string advice =
      R"(: is named like a mesh, and scenes are JSON: name it as "file" of a geometry; isopatch info describes it, )"
      "isopatch tetrahedralize fills one with tets";
  EXPECT_EQ(error_of("v 0 0 0\n", "a.obj"), advice);
  EXPECT_EQ(error_of("<VTKFile/>", "a.vtu"), advice);
}

TEST(RobotFile, IsNotASceneOfAnyName) {
  const std::string scene = R"({"isopatch": 1, "geometries": {"b": {"type": "sphere", "radius": 1}}, "bodies": []})";
  for (const char* name : {"a.json", "a.xml", "a.urdf"}) {
    EXPECT_EQ(error_of(scene, name), ": bodies: 0 bodies; a scene has 1 to 64") << name;
  }
  EXPECT_EQ(error_of("robot").find("URDF"), std::string::npos);
}

TEST(RobotFile, IsTheSameErrorOfEveryCommand) {
  const std::string file = source_path("tests/broken/scenes/robot.urdf");
  for (const char* command : {"evaluate ", "rollout ", "info "}) {
    const Outcome result = run_program(command + file);
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_EQ(result.out, "isopatch: error: " + file + ": is a robot in URDF" + kBridge + "\n") << command;
  }
}

}  // namespace
}  // namespace isopatch::testing
