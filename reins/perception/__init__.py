"""Perception: camera images to scenes.

Imports contracts, hardware (interface, profile, kinematics); never the simulation and never ROS.
"""
