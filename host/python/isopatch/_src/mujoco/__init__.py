"""Behind isopatch.mujoco."""
