"""Calibration: the lens of a camera, and where it is mounted, from pictures of a printed board.

Imports contracts and hardware; never ROS.
"""
