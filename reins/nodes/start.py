"""The nodes' executables. While a node is being imported, Ctrl-C ends the process at once and in silence, where Python
would print a traceback; from then on `running.run` takes the signals."""

import signal
from functools import partial
from importlib import import_module


def start(name: str) -> int:
    """Run one node; its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(import_module(f"reins.nodes.{name}").main())


robot = partial(start, "robot")
safety = partial(start, "safety")
skills = partial(start, "skills")
planner = partial(start, "planner")
perception = partial(start, "perception")
teleop = partial(start, "teleop")
supervisor = partial(start, "supervisor")
blackbox = partial(start, "blackbox")
sim_cameras = partial(start, "sim_cameras")
sim_viewer = partial(start, "sim_viewer")
