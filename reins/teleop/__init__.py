"""Joystick, keyboard and cmd_vel to joint or body velocities, with a dead-man switch. Passive cores; no ROS, no clock.

May import hardware (interface, profile, kinematics) and contracts. `terminal` and `gamepad` alone touch the outside
world.
"""
