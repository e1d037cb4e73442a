"""A body that walks as it is told, exactly or late, and a judge that knows nothing of the filter."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reins.hardware.legged import BodyCommand, LeggedState, Odometry, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.filter import LeggedFilter
from reins.safety.legged.keep_outs import KeepOut
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.verdict import BodyVerdict

SETTINGS = LeggedSettings()
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def heading(yaw: float) -> FloatArray:
    """Quaternion of a turn about z."""
    return np.array([0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])


def tilted(angle: float, direction: float = 0.0) -> FloatArray:
    """Quaternion of a tilt about a horizontal axis."""
    return np.array(
        [np.cos(direction) * np.sin(angle / 2), np.sin(direction) * np.sin(angle / 2), 0, np.cos(angle / 2)]
    )


def standing(profile: QuadrupedProfile, stamp: float = 100.0, **changes: Any) -> LeggedState:
    """A healthy robot that stands at the origin; odometry can be changed by `place`, `yaw` and `moving`."""
    n = len(profile.joints)
    place, yaw, moving = (changes.pop(name, 0.0) for name in ("place", "yaw", "moving"))
    position = np.array([*np.broadcast_to(place, 2), 0.3])
    velocity = np.broadcast_to(moving, 3)
    odometry = Odometry(position, heading(yaw), np.array([*velocity[:2], 0.0]), np.array([0.0, 0.0, velocity[2]]))
    state = LeggedState(
        stamp=stamp,
        orientation=UPRIGHT,
        position=profile.home.copy(),
        velocity=np.zeros(n),
        effort=np.zeros(n),
        contact=np.ones(len(profile.feet), dtype=bool),
        battery=1.0,
        odometry=odometry,
        height=(profile.height.lowest + profile.height.highest) / 2,
        temperature=np.full(n, 40.0),
    )
    return replace(state, **changes)


def wish(velocity: Sequence[float] | FloatArray, stamp: float = 100.0, **changes: Any) -> BodyCommand:
    """A command of a skill."""
    made = BodyCommand("skill", 1, stamp, 0.02, np.asarray(velocity, dtype=np.float64), stamp - 1.0)
    return replace(made, **changes)


def disc(x: float, y: float, radius: float, name: str = "disc") -> KeepOut:
    """A round region."""
    return KeepOut(name, np.array([x, y]), 0.0, np.zeros(2), radius)


def box(x: float, y: float, yaw: float, half: tuple[float, float], name: str = "box") -> KeepOut:
    """A rectangle."""
    return KeepOut(name, np.array([x, y]), yaw, np.array(half), 0.0)


def distance_to(shape: KeepOut, points: FloatArray) -> FloatArray:
    """(m,) signed distance of (m, 2) points, by rotating one rectangle at a time: another way than the filter's."""
    local = (points - shape.centre) @ np.array(
        [[np.cos(shape.heading), -np.sin(shape.heading)], [np.sin(shape.heading), np.cos(shape.heading)]]
    )
    nearest = np.clip(local, -shape.half, shape.half)
    outside = np.linalg.norm(local - nearest, axis=1)
    inside = np.min(shape.half - np.abs(local), axis=1)
    return np.where(outside > 0.0, outside, -np.maximum(inside, 0.0)) - shape.radius


def path(place: FloatArray, yaw: float, velocity: FloatArray, times: FloatArray) -> FloatArray:
    """(m, 2) places after a body velocity (3,) was kept for `times` (m,) [s], by the textbook's integral."""
    vx, vy, turn = velocity
    if abs(turn) < 1e-7:
        middle = yaw + turn * times / 2
        sin, cos = times * np.sin(middle), times * np.cos(middle)
    else:
        end = yaw + turn * times
        sin, cos = (np.cos(yaw) - np.cos(end)) / turn, (np.sin(end) - np.sin(yaw)) / turn
    return place + np.stack([cos * vx - sin * vy, sin * vx + cos * vy], axis=-1)


def moved(place: FloatArray, yaw: float, velocity: FloatArray, time: float) -> tuple[FloatArray, float]:
    """Place (2,) and heading after a body velocity (3,) was kept for `time` [s]."""
    return path(place, yaw, velocity, np.array([time]))[0], float(yaw + velocity[2] * time)


class Walker:
    """A robot and its filter in a loop.

    Args:
        profile: the robot.
        keep_outs: around it.
        lag: time constant with which the body follows [s]; 0 follows at once.
    """

    def __init__(
        self,
        profile: QuadrupedProfile,
        keep_outs: Sequence[KeepOut] = (),
        lag: float = 0.0,
        settings: LeggedSettings = SETTINGS,
    ) -> None:
        self.profile, self.keep_outs, self.lag = profile, keep_outs, lag
        self.filter = LeggedFilter(profile, settings)
        self.filter.surround(keep_outs)
        self.period = 1.0 / profile.rates.command
        self.margin = settings.walking_margin
        self.time, self.place, self.yaw = 100.0, np.zeros(2), 0.0
        self.velocity = np.zeros(3)
        """What was let through last."""
        self.acted = self.period
        """How long it has acted [s]."""
        self.moving = np.zeros(3)
        """What the body does."""
        self.changes: dict[str, Any] = {}
        """What the states say besides."""
        self.verdicts: list[BodyVerdict] = []

    def state(self) -> LeggedState:
        """Measured now."""
        # The filter is told of a body that follows at once that it stands: its place is then exactly where it is.
        moving = self.moving if self.lag else np.zeros(3)
        return standing(self.profile, self.time, place=self.place, yaw=self.yaw, moving=moving, **self.changes)

    def stand_up(self) -> "Walker":
        """Wait until it may walk."""
        for _ in range(int(self.profile.body.stand_up / self.period) + 2):
            self.drive((0.0, 0.0, 0.0))
        assert self.verdicts[-1].posture is Posture.STAND and not self.verdicts[-1].changed
        return self

    def drive(
        self,
        velocity: Sequence[float] | FloatArray,
        elapsed: float | None = None,
        scale: float = 1.0,
        posture: Posture = Posture.STAND,
    ) -> BodyVerdict:
        """One command; `elapsed` is how long it acts until the next, a period unless it says otherwise."""
        step = self.period if elapsed is None else elapsed
        wanted = wish(velocity, self.time, posture=posture)
        verdict = self.filter.step(self.state(), self.velocity, wanted, self.acted, scale)
        self._follow(verdict, step)
        return verdict

    def brake(self, elapsed: float | None = None, **how: bool) -> BodyVerdict:
        """As `drive`, but braking."""
        step = self.period if elapsed is None else elapsed
        verdict = self.filter.brake(self.state(), self.velocity, self.acted, **how)
        self._follow(verdict, step)
        return verdict

    def clearance(self) -> float:
        """How far the footprint is from the nearest keep-out, less the margin [m]."""
        footprint = self.profile.body.footprint + self.margin
        distances = [float(distance_to(shape, self.place[None])[0]) for shape in self.keep_outs]
        return min(distances, default=9.0) - footprint

    def _follow(self, verdict: BodyVerdict, time: float) -> None:
        self.verdicts.append(verdict)
        self.velocity, self.acted = verdict.velocity, time
        if self.lag == 0.0:
            self.place, self.yaw = moved(self.place, self.yaw, self.velocity, time)
            self.moving = self.velocity
        else:
            for _ in range(10):
                self._lag_behind(time / 10)
        self.time += time

    def _lag_behind(self, step: float) -> None:
        """First-order lag: exact for the velocity, and for the place with its mean over the step."""
        before = self.moving
        self.moving = self.velocity + np.exp(-step / self.lag) * (before - self.velocity)
        mean = self.velocity + (before - self.moving) * self.lag / step
        self.place, self.yaw = moved(self.place, self.yaw, mean, step)
