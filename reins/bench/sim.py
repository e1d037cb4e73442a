"""How much of the bare physics rate is left once the robot driver drives it."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.bench.bare_loop import BareLoop
from reins.bench.report import Record, Report
from reins.hardware.profile import load_profile
from reins.hardware.robot import SafeCommand
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

AMPLITUDE: Final = 0.2
"""Amplitude of the test motion of every joint [rad]."""

ROUNDS: Final = 5
"""The two are measured in turn, this often; the median of the rounds' shares counts."""


def run_sim(robot: str, world: str, seconds: float) -> Report:
    """Compare `mj_step` alone with the driver's loop (write, step, read at the command rate) on the same model.

    Both compute the same motion, for its contacts decide what a step costs: the driver tracks a sine in every joint,
    and the bare loop starts from the same state and gets the same actuator inputs, recorded beforehand.

    Args:
        robot: profile name.
        world: world name.
        seconds: simulated time of each round [s].
    """
    profile = load_profile(robot)
    period = 1.0 / profile.rates.command
    driver = MujocoRobot(profile, load_world(world), seed=1)
    commands = _sine(profile.home, round(seconds / period), period)
    driver.reset(driver.seed)
    bare = BareLoop(driver.model, driver.data, period)
    _drive(driver, commands, bare.note)
    rounds = []
    for _ in range(ROUNDS):
        bare_rate = bare.steps / float(bare.times().sum())
        rounds.append({"bare_steps_per_s": bare_rate, "steps_per_s": bare.steps / _drive(driver, commands)})
    driver.close()
    return report_shares({"robot": robot, "world": world, "seconds": seconds}, rounds, driver.model.opt.timestep)


def report_shares(settings: Record, rounds: Sequence[Mapping[str, float]], timestep: float) -> Report:
    """The figures of rounds, each with `steps_per_s` and `bare_steps_per_s`, of physics steps this long [s]."""
    ours, theirs, share = (
        float(np.median([figure(entry) for entry in rounds]))
        for figure in (
            lambda entry: entry["steps_per_s"],
            lambda entry: entry["bare_steps_per_s"],
            lambda entry: entry["steps_per_s"] / entry["bare_steps_per_s"],
        )
    )
    summary = {
        "episodes": len(rounds),
        "steps_per_s": ours,
        "bare_steps_per_s": theirs,
        "share": share,
        "real_time_factor": ours * timestep,
    }
    return Report("sim", settings, summary, rounds)


def _sine(home: NDArray[np.float64], periods: int, period: float) -> list[SafeCommand]:
    time_axis = np.arange(periods) * period
    return [
        SafeCommand(
            sequence=index + 1,
            stamp=t,
            period=period,
            position=home + AMPLITUDE * np.sin(t),
            velocity=np.full(len(home), AMPLITUDE * np.cos(t)),
        )
        for index, t in enumerate(time_axis)
    ]


def _drive(driver: MujocoRobot, commands: list[SafeCommand], note: Callable[[], None] | None = None) -> float:
    """Run the driver's loop from the start; returns wall time [s]. Calls `note` in each period."""
    driver.reset(driver.seed)
    begin = time.perf_counter()
    for command in commands:
        driver.write(command)
        if note is not None:
            note()
        driver.step(command.period)
        driver.read()
    return time.perf_counter() - begin
