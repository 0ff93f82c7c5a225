"""Behind isopatch.mujoco_warp."""
