"""Runs ROS 2 XML launch files where the `ros2` command is not installed: the subset of elements that reins uses.

Plain Python over files and processes; imports contracts only, never rclpy. `reins.cli` and the supervisor node use it.
"""
