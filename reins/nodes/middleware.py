"""How a process joins the ROS graph: over UDP, unless it moves pictures.

Fast DDS's shared memory transport makes a sender wait for a receiver: a third of a second when a process joins that is
slow to answer, as any command line tool is on a busy machine, and as long as it takes when a receiver was interrupted
while it took a message. rclpy holds the interpreter meanwhile, so that a control loop and its heartbeat stand still.
Over the loopback, UDP is as quick for small messages, and never waits.

Fast DDS reads its profiles once in a process, when the first node joins. A process that avoids shared memory only after
that has the settings and not the profile, and hears nobody on the local host.
"""

import os
from importlib.resources import files
from typing import Final

from rclpy.utilities import get_rmw_implementation_identifier

FAST_DDS: Final = ("rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")
"""Middleware that this is about; others are left as they are."""

RANGE, LOCALHOST, SYSTEM_DEFAULT = "ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", "SYSTEM_DEFAULT"
TRANSPORTS, PROFILES = "FASTDDS_BUILTIN_TRANSPORTS", "FASTRTPS_DEFAULT_PROFILES_FILE"
OTHER_PROFILES: Final = ("FASTDDS_DEFAULT_PROFILES_FILE", "ROS_STATIC_PEERS")
"""Settings of the user's own, beside PROFILES, that this must not override."""


def avoid_shared_memory() -> None:
    """Make this process's environment ask for UDP alone. Call it before the first rclpy.init of the process; the user's
    own settings stay.

    With discovery on the local host alone rmw_fastrtps adds shared memory whatever is asked for; the profile beside
    this file then does the same as it does without that.
    """
    if get_rmw_implementation_identifier() not in FAST_DDS:
        return
    environment, ours = os.environ, str(files("reins.nodes") / "fastdds_localhost.xml")
    others = [environment.get(name) for name in (PROFILES, *OTHER_PROFILES)]
    if environment.get(RANGE, "") != LOCALHOST:
        if environment.get(PROFILES) != ours:  # else it is done: here, or in a process that started this one
            environment.setdefault(TRANSPORTS, "UDPv4")
    elif not any(value and value != ours for value in others):
        environment[RANGE] = SYSTEM_DEFAULT
        environment[PROFILES] = ours
