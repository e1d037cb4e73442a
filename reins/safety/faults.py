"""What speaks against moving: late nodes, a silent robot, a robot with a fault. Each under a key that
stays the same."""

import math
from collections.abc import Mapping
from typing import Final

from reins.safety.clock import RobotClock
from reins.safety.mover import Measured
from reins.safety.watchdog import Watchdog

ROBOT_FAULT: Final = "robot_fault"
STATE_LOST: Final = "robot_state_lost"
HEARTBEAT_LOST: Final = "heartbeat_lost"


class FaultFinder:
    """Collects the faults that there are now.

    Args:
        watchdog: of the watched nodes.
        clock: of the robot.
        state_timeout: how long the robot may be silent [s].
    """

    def __init__(self, watchdog: Watchdog, clock: RobotClock, state_timeout: float) -> None:
        self._watchdog, self._clock, self._state_timeout = watchdog, clock, state_timeout

    def find(self, state: Measured | None, t: float) -> Mapping[tuple[str, str], str]:
        """Faults at steady time `t` [s]: (kind, who) → one sentence."""
        faults: dict[tuple[str, str], str] = {}
        for node, age in self._watchdog.late(t).items():
            silence = "never came or its process ended" if age == math.inf else f"is {age * 1e3:.0f} ms old"
            faults[HEARTBEAT_LOST, node] = f"the heartbeat of {node} {silence}"
        silent = self._clock.silence(t)
        if silent > self._state_timeout:
            silence = "yet" if silent == math.inf else f"for {silent * 1e3:.0f} ms"
            faults[STATE_LOST, "robot"] = f"no robot state {silence}"
        if state is not None and state.fault:
            faults[ROBOT_FAULT, "robot"] = f"the robot says: {state.fault}"
        return faults
