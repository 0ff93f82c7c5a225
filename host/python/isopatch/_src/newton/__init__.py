"""Behind isopatch.newton."""
