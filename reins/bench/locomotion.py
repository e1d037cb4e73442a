"""How well legs carry a body: random velocity commands with pushes, through the driver, in any simulator."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from reins.bench.report import Report, success_interval
from reins.contracts.errors import ReinsError, look_up
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.walks import make_legs
from reins.safety.legged.limits import tilt_of, yaw_of
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import ENGINES, make_walker
from reins.training.locomotion.commands import WINDOW, draw_velocity
from reins.training.workers import begin_worker

DDS: Final = "dds"
"""Name of the Go2 behind its DDS topics: the real driver, and the peer."""

SHARE: Final = 10
"""Episodes that a process takes at once."""

LEGGED_GYM: Final = "legged_gym:"
"""What a path has in front of it whose ONNX file is a policy of others, in the layout of `reins.bench.legged_gym`."""

WALKING: Final = 10.0
"""How long an episode walks, after it has stood up [s]."""

CHANGE: Final = 5.0
"""When in it the command changes [s]."""

SETTLING: Final = 1.0
"""From its beginning, for which no velocity error counts [s]."""

PUSHES: Final = 2
"""In an episode."""

PUSH: Final = (0.3, 0.7)
"""Least and largest change of the base's velocity at a push, in any direction on the ground [m/s]."""

STOP_GIVES: Final = 0.02
"""How far a joint may be pressed beyond its limit by the weight on it [rad]."""

SUNK: Final = 0.5
"""A base lower than this share of the least height of a robot on its legs has fallen at once …"""

LOW: Final = 0.5
"""… and one that is lower than that height for longer than this [s]."""


@dataclass(frozen=True, slots=True)
class WalkEpisode:
    """One episode.

    Attributes:
        simulator, seed: where, and what it was drawn from.
        commands: the two that were given [m/s, m/s, rad/s].
        fell: when it fell, or the driver stopped it, after it had stood up [s]; None if neither happened.
        linear, turn: mean error of the velocity over the ground [m/s] and of the yaw rate [rad/s]; from a fall on the
            robot stands still, whatever is commanded.
        power: mean of the joints' mechanical power, work that they take from the body counted as well [W].
        violations: states in which a joint was beyond a limit of position, speed or torque.
        fault: why the driver stopped it, if it did; empty otherwise.
    """

    simulator: str
    seed: int
    commands: tuple[tuple[float, ...], ...]
    fell: float | None
    linear: float
    turn: float
    power: float
    violations: int
    fault: str = ""


class Walker(Protocol):
    """A robot that can be put down, connected, commanded and pushed."""

    def reset(self, seed: int) -> None:
        """Lying, in the direction that `seed` draws."""

    def connect(self) -> None:
        """Connect, and hold still."""

    def read(self) -> LeggedState:
        """How it is now."""
        ...

    def write(self, command: SafeBodyCommand) -> None:
        """Do this from now on."""

    def step(self, dt: float) -> None:
        """Let `dt` [s] pass."""

    def push(self, change: FloatArray) -> None:
        """Change the velocity of the base at once by (3,) [m/s], world frame."""

    def close(self) -> None:
        """Release it."""


def make_measured(name: str, robot: str, ground: str, walk: str, seed: int) -> Walker:
    """The robot of that name: that of an engine, or `dds`.

    Raises:
        UnknownName: no such simulator, robot, walk or ground; lists those that exist.
        ReinsError: it is not installed.
    """
    look_up("simulator", name, {**ENGINES, DDS: None})
    if name == DDS:
        from reins.bench.dds_walker import DdsWalker  # needs ROS for a free domain, and the SDK, when it is asked for

        if walk.startswith(LEGGED_GYM):
            raise ReinsError(f"'{walk}' is measured in {' and '.join(ENGINES)} only: the driver of {DDS} knows our own")
        return DdsWalker(robot, ground, walk)
    profile = load_profile(robot, QuadrupedProfile)
    if walk.startswith(LEGGED_GYM):
        from reins.bench.legged_gym import legged_gym_legs  # ONNX Runtime takes a while; a trot needs none

        profile, legs = legged_gym_legs(profile, Path(walk.removeprefix(LEGGED_GYM)))
    else:
        legs = make_legs(walk, profile)
    return make_walker(name, profile, load_ground(ground), seed, legs)


def run_locomotion(
    robot: str,
    sims: Sequence[str],
    walk: str,
    ground: str,
    episodes: int,
    seed: int,
    advance: Callable[[WalkEpisode], None] = lambda _episode: None,
    jobs: int = 1,
) -> Report:
    """Run the suite in every simulator and sum up; `jobs` processes share the episodes, but for those in real time.

    Raises:
        UnknownName: no such robot, simulator, walk or ground; lists those that exist.
        ReinsError: the robot has no legs, or a simulator is not installed.
    """
    load_profile(robot, QuadrupedProfile)
    load_ground(ground)  # an unknown one is told before anything runs
    done: list[WalkEpisode] = []
    began = time.monotonic()
    for name in sims:
        seeds = range(seed, seed + episodes)
        processes = 1 if name == DDS else min(jobs, math.ceil(episodes / SHARE))
        for episode in _shared(processes, seeds, robot, name, walk, ground):
            done.append(episode)
            advance(episode)
    by_sim = {name: summarise([episode for episode in done if episode.simulator == name]) for name in sims}
    summary: dict[str, Any] = {**summarise(done), "seconds": time.monotonic() - began}
    if len(sims) > 1:
        summary["by_simulator"] = by_sim
    settings = {
        "robot": robot,
        "sim": ",".join(sims),
        "walk": walk,
        "ground": ground,
        "episodes": episodes,
        "seed": seed,
        "push": list(PUSH),
    }
    return Report("locomotion", settings, summary, [asdict(episode) for episode in done])


def _shared(processes: int, seeds: range, robot: str, name: str, walk: str, ground: str) -> Iterator[WalkEpisode]:
    """The episodes of these seeds, in their order, by so many processes."""
    if processes < 2:
        yield from _episodes(robot, name, walk, ground, seeds)
        return
    shares = [seeds[first : first + SHARE] for first in range(0, len(seeds), SHARE)]
    with ProcessPoolExecutor(processes, get_context("spawn"), begin_worker) as pool:
        listed = partial(_listed, robot, name, walk, ground)
        yield from chain.from_iterable(pool.map(listed, shares))


def _listed(robot: str, name: str, walk: str, ground: str, seeds: range) -> list[WalkEpisode]:
    return list(_episodes(robot, name, walk, ground, seeds))


def _episodes(robot: str, name: str, walk: str, ground: str, seeds: range) -> Iterator[WalkEpisode]:
    """One after the other, of one robot."""
    profile = load_profile(robot, QuadrupedProfile)
    walker = make_measured(name, robot, ground, walk, seeds[0])
    try:
        for seed in seeds:
            yield run_episode(walker, profile, name, seed)
    finally:
        walker.close()


def beside(report: Report, other: Report) -> Report:
    """Two walks on the same episodes: the figures of the first, those of the second as `beside`, and all episodes."""
    episodes = [{"walk": each.settings["walk"], **episode} for each in (report, other) for episode in each.episodes]
    settings = {**report.settings, "beside": other.settings["walk"]}
    return Report(report.suite, settings, {**report.summary, "beside": other.summary}, episodes)


def summarise(episodes: Sequence[WalkEpisode]) -> dict[str, Any]:
    """The figures of some episodes."""
    upright = sum(episode.fell is None for episode in episodes)
    linear, turn = np.mean([(episode.linear, episode.turn) for episode in episodes], axis=0)
    return {
        "episodes": len(episodes),
        "no_fall_rate": upright / len(episodes),
        "no_fall_interval": list(success_interval(upright, len(episodes))),
        "velocity_error": {"linear": float(linear), "turn": float(turn)},
        "power": float(np.mean([episode.power for episode in episodes])),
        "violations": sum(episode.violations for episode in episodes),
        "faults": sum(bool(episode.fault) for episode in episodes),
    }


def run_episode(walker: Walker, profile: QuadrupedProfile, simulator: str, seed: int) -> WalkEpisode:
    """Stand up, walk, be pushed."""
    random = np.random.default_rng(seed)
    commands = [draw_velocity(profile.body.velocity, random) for _ in range(2)]
    pushes = random.uniform(SETTLING, WALKING - SETTLING, PUSHES)
    period = 1.0 / profile.rates.command
    walker.reset(seed)
    walker.connect()
    drive = _Drive(walker, profile, period)
    for _ in range(round(profile.body.stand_up / period)):
        drive.step(np.zeros(3))
    judge, fell, fault, violations = _Judge(profile, period), None, "", 0
    rows: list[FloatArray] = []
    power: list[float] = []
    for number in range(round(WALKING / period)):
        now = number * period
        for _ in np.flatnonzero((pushes >= now) & (pushes < now + period)):
            angle, size = random.uniform(-np.pi, np.pi), random.uniform(*PUSH)
            walker.push(size * np.array([np.cos(angle), np.sin(angle), 0.0]))
        state = drive.step(commands[int(now >= CHANGE)])
        rows.append(np.concatenate([_velocity(state), drive.told]))
        power.append(float(np.abs(state.effort * state.velocity).sum()))
        violations += _is_beyond(state, profile)
        fault = state.fault
        if judge.has_fallen(state):
            fell = now
            break
    while len(rows) < round(WALKING / period):  # nobody walks any more, and the commands go on
        drive.ramp(commands[int(len(rows) * period >= CHANGE)])
        rows.append(np.concatenate([np.zeros(3), drive.told]))
    linear, turn = _errors(np.array(rows), period)
    told = tuple(tuple(float(part) for part in command) for command in commands)
    return WalkEpisode(simulator, seed, told, fell, linear, turn, float(np.mean(power)), violations, fault)


class _Drive:
    """Commands a driver as safety does: ramped within the profile's acceleration.

    Attributes:
        told: (3,) last command [m/s, m/s, rad/s].
    """

    def __init__(self, walker: Walker, profile: QuadrupedProfile, period: float) -> None:
        self._walker, self._period = walker, period
        self._most = profile.acceleration * period
        self._sequence = 0
        self.told = np.zeros(3)

    def step(self, wanted: FloatArray) -> LeggedState:
        """One period towards `wanted`; the state after it."""
        self.ramp(wanted)
        self._sequence += 1
        stamp = self._walker.read().stamp
        self._walker.write(SafeBodyCommand(self._sequence, stamp, self._period, self.told, Posture.STAND))
        self._walker.step(self._period)
        return self._walker.read()

    def ramp(self, wanted: FloatArray) -> None:
        """One period's change of what is told towards `wanted`."""
        self.told = self.told + np.clip(wanted - self.told, -self._most, self._most)


class _Judge:
    """Whether a robot that has stood up is down again: rolled over, sunk, lower than on its legs for long, or stopped
    by its driver, which sits it down."""

    def __init__(self, profile: QuadrupedProfile, period: float) -> None:
        self._profile, self._period = profile, period
        self._low = 0.0

    def has_fallen(self, state: LeggedState) -> bool:
        """In the state after another period."""
        profile = self._profile
        height = profile.height.lowest if state.height is None else state.height
        self._low = self._low + self._period if height < profile.height.lowest else 0.0
        sunk = height < SUNK * profile.height.lowest or self._low > LOW + 1e-9
        return bool(state.fault) or sunk or tilt_of(state.orientation) >= profile.tilt.stop


def _velocity(state: LeggedState) -> FloatArray:
    """(3,) over the ground, forward and left as the body heads, and its yaw rate."""
    odometry = state.odometry
    turn = Rotation.from_quat(odometry.orientation)
    x, y, _ = turn.apply(odometry.linear)
    yaw = yaw_of(odometry.orientation)
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([cos * x + sin * y, cos * y - sin * x, turn.apply(odometry.angular)[2]])


def _is_beyond(state: LeggedState, profile: QuadrupedProfile) -> bool:
    """Whether a joint is beyond a limit; the stop that it lies on gives a little."""
    place = (state.position < profile.lower - STOP_GIVES) | (state.position > profile.upper + STOP_GIVES)
    hard = np.abs(state.effort) > profile.effort + 1e-6
    return bool((place | hard | (np.abs(state.velocity) > profile.velocity)).any())


def _errors(rows: FloatArray, period: float) -> tuple[float, float]:
    """Mean velocity errors [m/s, rad/s] of (t, 6) velocities and commands."""
    window, settling = round(WINDOW / period), round(SETTLING / period)
    sums = np.cumsum(rows, axis=0)
    means = (sums[window:] - sums[:-window])[settling:] / window
    wrong = means[:, :3] - means[:, 3:]
    return float(np.hypot(wrong[:, 0], wrong[:, 1]).mean()), float(np.abs(wrong[:, 2]).mean())
