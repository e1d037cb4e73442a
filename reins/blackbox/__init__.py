"""The black box: the last minute of a graph kept in memory, written at every stop, and explained afterwards.

Imports contracts only, and no ROS: `nodes/blackbox.py` feeds it, `reins blackbox` reads what it wrote on any machine.
"""
