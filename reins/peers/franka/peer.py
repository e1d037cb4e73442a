"""The Franka peer's loop: requests, protocol, physics, once per cycle of the robot."""

import selectors
import sys
import time
from collections.abc import Collection
from typing import Any, Final

from reins.hardware.profile import RobotProfile
from reins.peers.franka.arm import TICK, PeerArm, TorquePhysics
from reins.peers.franka.server import PeerServer
from reins.peers.requests import Actions, Request, next_request, tell, ticks
from reins.peers.world import PeerWorld
from reins.sim.world import load_world

LOOK: Final = 5
"""Cycles between two looks for a request."""


class Peer:
    """One robot at one address.

    Args:
        profile: the robot.
        address: where it answers.
        world: name of what is around it.
        seed: of the poses of the world's objects.
        traits: `no_hand` leaves the hand out, `old` has another version of the protocol, `watched` tells the world's
            truth.

    Raises:
        ReinsError: there is no such world, or its objects do not fit on the table.
        OSError: the address is taken, or none of this machine's.
    """

    def __init__(self, profile: RobotProfile, address: str, world: str, seed: int, traits: Collection[str]) -> None:
        physics = TorquePhysics(profile, load_world(world))
        self._world = PeerWorld(world, physics, seed)
        self._arm = PeerArm(physics, profile)
        self._server = PeerServer(self._arm, address, traits, profile)
        self._server.init()
        self._watched = "watched" in traits
        self._cut = False
        self._ticks = 0
        self._log: list[tuple[float, ...]] | None = None
        self._actions: Actions = {
            "look": lambda request: None,
            "cut": lambda request: self._set_cut(True),
            "restore": lambda request: self._set_cut(False),
            "reflex": lambda request: self._server.raise_reflex(request["name"]),
            "user_stop": lambda request: self._server.press_user_stop(),
            "release": lambda request: setattr(self._server, "user_stopped", False),
            "unhome": lambda request: self._server.forget_homing(),
            "log": lambda request: setattr(self, "_log", []),
            "log_use": lambda request: setattr(self._server, "used", []),
            "count": lambda request: self._server.silences.begin(),
            "set_table": lambda request: self._world.set_table(request["seed"]),
        }

    def run(self) -> None:
        """Until stdin ends."""
        selector = selectors.DefaultSelector()
        selector.register(sys.stdin, selectors.EVENT_READ)
        tell({"ready": self._server.hostname})
        for due in ticks(TICK):
            if self._ticks % LOOK == 0 and selector.select(0.0):
                request = next_request()
                if request is None:
                    return
                tell(self._answer(request))
            self._tick()
            time.sleep(max(0.0, due - time.monotonic()))

    def _tick(self) -> None:
        if not self._cut:
            self._server.process_commands()  # first, so that a client that has left is none
            self._server.refuse_others()
        else:
            self._server._post_process_commands()
        self._server.watch()
        self._arm.step()
        self._world.tick(self._watched)
        if not self._cut:
            self._server.send_state()
        if self._log is not None:
            state = self._arm.inner_state
            self._log.append((time.monotonic(), *state.q, *state.dq))
        self._ticks += 1

    def _set_cut(self, cut: bool) -> None:
        self._cut = cut

    def _answer(self, request: Request) -> dict[str, Any]:
        if request["do"] == "read_log":
            rows, self._log = self._log, None
            return {"rows": rows}
        if request["do"] == "read_use":
            used, self._server.used = self._server.used, None
            return {"rows": used}
        self._actions[request["do"]](request)
        state = self._arm.inner_state
        return {
            "ticks": self._ticks,
            "reflex": self._server.reflex,
            "mode": self._server.mode.value,
            "q": list(state.q),
            "dq": list(state.dq),
            "mass": self._arm.m_load,
            "homings": self._server.homings,
            **self._server.silences.told(),
        }
