"""Perception: camera images to scenes.

Imports contracts, hardware (interface, profile, kinematics), language_models; never the simulation and never ROS.
"""
