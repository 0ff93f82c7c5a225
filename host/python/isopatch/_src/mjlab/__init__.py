"""Behind isopatch.mjlab."""
