"""Without ROS 2 or the built interfaces there is nothing to test here."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("rclpy") and find_spec("reins_msgs") else ["test_*.py"]
