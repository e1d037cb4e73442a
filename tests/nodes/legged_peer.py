"""The robot node with a driver that is a body only; what its sensors say comes as JSON on the topic peer/changes.

A process of its own: `python legged_peer.py --ros-args …`.
"""

import json
import sys
from pathlib import Path

import numpy as np
from std_msgs.msg import String

from reins.nodes import drivers
from reins.nodes.qos import LATCHED
from reins.nodes.robot import RobotNode
from reins.nodes.running import run

sys.path.append(str(Path(__file__).parent.parent / "safety" / "legged"))

from kinematic_walker import KinematicWalker

BACKEND = "kinematic"
CHANGES = "peer/changes"


class Peer(RobotNode):
    """Its walker has the tilt, the feet or the battery that a test wants."""

    def configure(self) -> None:
        """As the robot node, and listen to the test."""
        super().configure()
        self.create_subscription(String, CHANGES, self._on_changes, LATCHED)

    def _on_changes(self, message: String) -> None:
        given = json.loads(message.data)
        assert isinstance(self._robot, KinematicWalker)
        self._robot.changes = {name: np.array(v) if isinstance(v, list) else v for name, v in given.items()}


if __name__ == "__main__":
    drivers.DRIVERS[BACKEND] = lambda profile, _world, _seed: KinematicWalker(profile)
    sys.exit(run(Peer))
