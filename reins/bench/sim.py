"""How much of the bare physics rate is left once the robot driver drives it."""

import time
from collections.abc import Callable

import mujoco
import numpy as np

from reins.bench.report import Report
from reins.hardware.profile import load_profile
from reins.hardware.robot import SafeCommand
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

AMPLITUDE = 0.2
"""Amplitude of the test motion of every joint [rad]."""

ROUNDS = 5
"""The two are measured in turn, this often; the best round of each counts, so that another process's burst does not."""


def run_sim(robot: str, world: str, seconds: float) -> Report:
    """Compare `mj_step` alone with the driver's loop (write, step, read at the command rate) on the same model.

    Both run the same number of physics steps on the same model; the driver tracks a sine in every joint, the bare loop
    holds still controls.

    Args:
        robot: profile name.
        world: world name.
        seconds: simulated time of each round [s].
    """
    profile = load_profile(robot)
    driver = MujocoRobot(profile, load_world(world), seed=1)
    driver.connect()
    period = 1.0 / profile.rates.command
    periods = round(seconds / period)
    steps = round(period / driver.model.opt.timestep) * periods
    bare_data = mujoco.MjData(driver.model)
    rates: dict[str, list[float]] = {"bare": [], "loop": []}
    for _ in range(ROUNDS):
        mujoco.mj_resetData(driver.model, bare_data)
        bare_data.qpos[:] = driver.data.qpos
        bare_data.act[:] = driver.data.act
        bare_data.ctrl[:] = driver.data.ctrl
        rates["bare"].append(
            steps / _timed(lambda: _bare(driver.model, bare_data, steps))
        )
        rates["loop"].append(
            steps / _timed(lambda: _loop(driver, profile.home, period, periods))
        )
    driver.close()
    summary = {
        "episodes": ROUNDS,
        "steps_per_s": max(rates["loop"]),
        "bare_steps_per_s": max(rates["bare"]),
        "share": max(rates["loop"]) / max(rates["bare"]),
        "real_time_factor": max(rates["loop"]) * driver.model.opt.timestep,
    }
    rounds = [
        {"bare": bare, "loop": loop}
        for bare, loop in zip(rates["bare"], rates["loop"], strict=True)
    ]
    return Report(
        "sim", {"robot": robot, "world": world, "seconds": seconds}, summary, rounds
    )


def _timed(work: Callable[[], None]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _bare(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> None:
    for _ in range(steps):
        mujoco.mj_step(model, data)


def _loop(driver: MujocoRobot, home: np.ndarray, period: float, periods: int) -> None:
    reference = driver.read().position.copy()
    for index in range(periods):
        velocity = np.full(len(home), AMPLITUDE * np.cos(index * period))
        state = driver.read()
        driver.write(SafeCommand(index + 1, state.stamp, period, reference, velocity))
        driver.step(period)
        reference = reference + velocity * period
