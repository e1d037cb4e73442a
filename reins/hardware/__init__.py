"""Robots: the interface, the profiles (limits with their sources), kinematics, the driver host, the real drivers.

`robot`, `legged`, `profile` with `profile_base` and `quadruped`, `kinematics` and `host` are the interface that
simulators share; no simulator imports a driver here.
"""
