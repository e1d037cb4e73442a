"""The nodes' executables.

Libraries start threads of their own as they are imported, and a signal kills a process in which one thread has not
blocked it. They are therefore blocked before anything is imported, and a node that is asked to stop meanwhile ends when
that is done, in silence.
"""

import signal
from functools import partial
from importlib import import_module

from reins.nodes.stop_signals import STOP_SIGNALS


def start(name: str) -> int:
    """Run one node; its exit status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    main = import_module(f"reins.nodes.{name}").main
    return 0 if signal.sigpending() & STOP_SIGNALS else int(main())


robot = partial(start, "robot")
safety = partial(start, "safety")
skills = partial(start, "skills")
planner = partial(start, "planner")
perception = partial(start, "perception")
teleop = partial(start, "teleop")
supervisor = partial(start, "supervisor")
blackbox = partial(start, "blackbox")
camera = partial(start, "camera")
sim_cameras = partial(start, "sim_cameras")
sim_viewer = partial(start, "sim_viewer")
