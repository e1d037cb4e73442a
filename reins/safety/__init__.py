"""The last word on every command: checks, limits, filter, arbitration and stops. Passive cores; no ROS, no clock.

May import hardware (interface, profile, kinematics) and contracts. `SafetyMonitor` is what the safety node and the rig
drive.
"""
