"""The peer's process.

    python -m reins.peers.go2.robot ADDRESS DOMAIN PROFILE GROUND [TRAIT …]

Traits: `hold` (motors go on with what they were told last for ever, as the vendor's simulator has it; otherwise they
damp after 0.2 s, which is this peer's choice: Unitree does not say what theirs do), `no_switcher`, `sport` (its own
motion service is active). The clock behind `tick` is the machine's, as a robot's is its own: time that this process
loses is lost to physics alone.
"""

import select
import sys
import time
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from scipy.spatial.transform import Rotation

from reins.hardware.legs import up_of
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.peers.go2.faults import Line
from reins.peers.go2.motors import Motors
from reins.peers.go2.topics import Topics
from reins.peers.process import WORLD
from reins.peers.requests import Request, become_prompt, next_request, tell, ticks
from reins.sim.legged.ground import GroundSpec, load_ground

PERIOD: Final = 0.006
"""Between two states [s]; a Go2 sends 500 in a second, which saturates this interpreter."""

TELLING: Final = 3
"""States between two lines that tell the truth, where that is asked for."""

WATCHDOG: Final = 0.2
"""After which motors that are told nothing damp, without the trait `hold` [s]."""

CHARGE: Final = 90
"""Of the battery [%]."""


class Peer:
    """A Go2 that speaks DDS and does what is asked on stdin."""

    def __init__(
        self, address: str, domain: int, profile: QuadrupedProfile, ground: GroundSpec, traits: set[str]
    ) -> None:
        self._ground = ground
        self._motors = Motors(profile, ground, None if "hold" in traits else WATCHDOG)
        self._topics = Topics(domain, address, "no_switcher" not in traits)
        self._topics.mode = "normal" if "sport" in traits else ""
        self._line = Line(0)
        self._born, self._tick = time.monotonic(), 0
        self._rival = self._telling = False
        self._heard = self._turns = 0
        self._truth = self._motors.engine.truth()

    def run(self) -> None:
        """Until stdin ends."""
        for due in ticks(PERIOD):
            now = time.monotonic()
            self._turn(now)
            self._turns += 1
            if self._telling and self._turns % TELLING == 0:
                tell({WORLD: self._look()})
            left = due - time.monotonic()
            ready, _, _ = select.select([sys.stdin], [], [], max(0.0, left))
            if ready:
                request = next_request()
                if request is None:
                    return
                self._do(request)
                tell(self._look())

    def _turn(self, now: float) -> None:
        faults = self._line.faults
        command = self._topics.take_command()
        if command is not None and not self._line.loses():
            self._motors.tell(command)
            self._heard += 1
        self._motors.advance(PERIOD)
        self._topics.serve(faults.cut)
        self._topics.compete(self._rival)
        if not faults.stuck:
            self._tick = int(1e3 * (now - self._born)) % 2**32
        state = self._topics.blank()
        self._truth = self._motors.fill(state)
        state.tick, state.bms_state.soc = self._tick, CHARGE
        if faults.not_finite:
            state.motor_state[4].q = float("nan")
        if not self._line.loses():
            self._line.post(self._topics.sealed(state, self._line.corrupts()), now)
        for message in self._line.arrived(now):
            self._topics.send(message)

    def _do(self, request: Request) -> None:
        """Raises KeyError for what is not known."""
        what = request["do"]
        faults = self._line.faults
        if what in asdict(faults):
            setattr(faults, what, request["value"])
        elif what == "reset":
            self._motors.reset(request["seed"])
        elif what == "fall":
            self._motors.fall(request["roll"])
        elif what == "push":
            self._motors.engine.push(np.array(request["change"]))
        elif what == "mode":
            self._topics.mode = request["name"]
        elif what == "rival":
            self._rival = request["value"]
        elif what == "tell":
            self._telling = request["value"]
        elif what == "off":
            self._motors.off = request["motor"]
        elif what == "reboot":
            self._born = time.monotonic()
        elif what != "look":
            raise KeyError(what)

    def _look(self) -> dict[str, Any]:
        truth = self._truth
        x, y, z = truth.position.tolist()
        return {
            "position": [x, y, z],
            "height": z - self._ground.height_at(x, y),
            "up": float(up_of(truth.orientation)[2]),
            "orientation": truth.orientation.tolist(),
            "linear": truth.linear.tolist(),
            "body_linear": Rotation.from_quat(truth.orientation).inv().apply(truth.linear).tolist(),
            "rates": truth.rates.tolist(),
            "joints": truth.joints.tolist(),
            "speeds": truth.speeds.tolist(),
            "torques": truth.torques.tolist(),
            "heard": self._heard,
            "wrong": self._topics.wrong,
            "told": self._motors.told,
            "mode": self._topics.mode,
        }


def main(words: list[str]) -> None:
    """Run the peer with these arguments."""
    address, domain, profile, ground, *traits = words
    peer = Peer(address, int(domain), load_profile(profile, QuadrupedProfile), load_ground(ground), set(traits))
    become_prompt()
    tell({})
    peer.run()


if __name__ == "__main__":
    main(sys.argv[1:])
