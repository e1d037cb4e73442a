"""`reins bench navigation`: a legged robot among things and people, told in words where to go."""
