"""Real cameras: calibration files, where cameras are mounted, pictures from OpenCV, and the calibration of both.

Imports contracts and hardware (profile, kinematics) only.
"""
