"""How much of the bare physics rate is left once the driver of a simulated legged robot drives it."""

import time
from collections.abc import Callable
from typing import Final

import numpy as np

from reins.bench.bare_loop import BareLoop
from reins.bench.report import Report
from reins.bench.sim import ROUNDS, report_shares
from reins.hardware.legged import Gait, Posture, SafeBodyCommand
from reins.hardware.legs import LegControl, Sense, Targets
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.walks import SCRIPTED, make_legs
from reins.sim.legged.ground import load_ground
from reins.sim.legged.mujoco_legs import MujocoLegs
from reins.sim.legged.walker import SimulatedWalker

VELOCITY: Final = np.array([0.6, 0.1, 0.3])
"""That it walks at [m/s, m/s, rad/s]."""


def run_legged_sim(profile: QuadrupedProfile, ground: str, seconds: float) -> Report:
    """Compare `mj_step` alone with the driver's loop (write, step, read at the command rate) on the same model.

    Both compute the same walk, for its contacts decide what a step costs: the trot's targets are recorded beforehand,
    and both get them, so what carries the robot costs neither of them anything.

    Args:
        profile: the robot.
        ground: a name, or the path of a YAML file.
        seconds: simulated time of each round [s].

    Raises:
        UnknownName: no such ground; lists those that exist.
    """
    spec, period = load_ground(ground), 1.0 / profile.rates.command
    engine, tape = MujocoLegs(profile, spec), _Tape(make_legs(SCRIPTED, profile))
    walker = SimulatedWalker(profile, spec, 1, engine, tape)
    _drive(walker, round(2.0 * profile.body.stand_up / period), period, np.zeros(3))
    bare = BareLoop(engine.model, engine.data, period)
    tape.begin(playing=False)
    periods = round(seconds / period)
    _drive(walker, periods, period, VELOCITY, bare.note)
    rounds = []
    for _ in range(ROUNDS):
        bare_rate = bare.steps / float(bare.times().sum())
        bare.rewind()
        tape.begin(playing=True)
        rounds.append(
            {"bare_steps_per_s": bare_rate, "steps_per_s": bare.steps / _drive(walker, periods, period, VELOCITY)}
        )
    walker.close()
    return report_shares({"robot": profile.name, "ground": ground, "seconds": seconds}, rounds, engine.timestep)


class _Tape:
    """Legs that are recorded, and then do the same again without being asked; implements LegControl."""

    def __init__(self, legs: LegControl) -> None:
        self._legs, self.period = legs, legs.period
        self._targets: list[Targets] = []
        self._playing, self._next = False, 0

    def begin(self, playing: bool) -> None:
        """Play from the beginning, or record anew."""
        self._playing, self._next = playing, 0
        if not playing:
            self._targets.clear()

    def reset(self, sense: Sense) -> None:
        """The robot lies on the ground."""
        self._legs.reset(sense)

    def step(self, sense: Sense, velocity: FloatArray, posture: Posture, gait: Gait) -> Targets:
        """What the joints do next."""
        if not self._playing:
            self._targets.append(self._legs.step(sense, velocity, posture, gait))
            return self._targets[-1]
        self._next += 1
        return self._targets[self._next - 1]


def _drive(
    walker: SimulatedWalker,
    periods: int,
    period: float,
    velocity: FloatArray,
    note: Callable[[], None] = lambda: None,
) -> float:
    """Run the driver's loop; returns wall time [s]. Calls `note` after each period's inputs have been given."""
    sequence = walker.read().sequence
    commands = [
        SafeBodyCommand(sequence + number + 1, number * period, period, velocity, Posture.STAND)
        for number in range(periods)
    ]
    begin = time.perf_counter()
    for command in commands:
        walker.write(command)
        walker.step(period)
        note()
        walker.read()
    return time.perf_counter() - begin
