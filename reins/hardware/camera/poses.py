"""Where the cameras of a profile are at any recent moment, and what time it is on the robot's clock."""

from bisect import bisect_left
from collections import deque
from typing import Final, Protocol

import numpy as np

from reins.contracts.errors import look_up
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.hardware.robot import FloatArray

KEPT: Final = 400
"""States that are remembered: 4 s at 100 Hz, longer than any picture is on its way."""

BEYOND: Final = 0.05
"""A picture this much newer than the newest state still gets that state's pose [s]: five states at 100 Hz, in which the
hand of an arm at 0.25 m/s moves by 12 mm."""

BACK: Final = 1.0
"""A clock that goes back by more than this was started again [s]."""

SAMPLES: Final = 200
"""Arrivals that tell how two clocks differ: a few seconds, in which they drift by microseconds."""


class Mounts(Protocol):
    """Where cameras are that a robot's profile knows."""

    @property
    def names(self) -> frozenset[str]:
        """Cameras whose mount is known."""
        ...

    def note(self, stamp: float, position: FloatArray) -> None:
        """The robot was at joint `position` (n,) [rad] at robot time `stamp` [s]."""

    def at(self, name: str, stamp: float) -> FloatArray | None:
        """(4, 4) pose of a camera's optical frame in the base frame; None where the robot's is not known for that time.

        Raises:
            UnknownName: the profile has no such camera.
        """
        ...


def mounts_of(profile: Profile) -> Mounts | None:
    """Those of a robot's cameras; None if its profile knows none."""
    if isinstance(profile, QuadrupedProfile):
        return InTheHead(profile)
    return CameraPoses(profile) if isinstance(profile, RobotProfile) and profile.cameras else None


class InTheHead:
    """The camera in a quadruped's head, which is part of its body.

    Args:
        profile: the robot.
    """

    names: Final = frozenset({HEAD})

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._pose = profile.build.camera.pose

    def note(self, stamp: float, position: FloatArray) -> None:
        """No joint moves it."""

    def at(self, name: str, stamp: float) -> FloatArray | None:
        """Always there."""
        return look_up("camera in the profile", name, {HEAD: self._pose})


class CameraPoses:
    """Poses of the cameras of one arm. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot, with its cameras.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._mounts = {camera.name: camera for camera in profile.cameras}
        self._poses = {camera.name: camera.pose for camera in profile.cameras}
        self._kinematics = Kinematics(profile) if any(c.mount == "tool" for c in profile.cameras) else None
        self._states: deque[tuple[float, FloatArray]] = deque(maxlen=KEPT)

    @property
    def names(self) -> frozenset[str]:
        """Cameras whose mount is known."""
        return frozenset(self._mounts)

    def note(self, stamp: float, position: FloatArray) -> None:
        """The robot was at joint `position` (n,) [rad] at robot time `stamp` [s]."""
        if self._states and stamp <= self._states[-1][0]:
            if stamp > self._states[-1][0] - BACK:
                return
            self._states.clear()
        self._states.append((stamp, position))

    def at(self, name: str, stamp: float) -> FloatArray | None:
        """(4, 4) pose of a camera's optical frame in the base frame; None where the robot's is not known for that time.

        Raises:
            UnknownName: the profile has no such camera.
        """
        mount = look_up("camera in the profile", name, self._mounts)
        if mount.mount == "base" or self._kinematics is None:
            return self._poses[name]
        position = self._position(stamp)
        if position is None:
            return None
        tool = self._kinematics.tool_pose(position)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = tool.rotation, tool.position
        return np.asarray(pose @ self._poses[name])

    def _position(self, stamp: float) -> FloatArray | None:
        if not self._states or not self._states[0][0] <= stamp <= self._states[-1][0] + BEYOND:
            return None
        index = bisect_left(self._states, stamp, key=lambda state: state[0])
        if index == len(self._states):
            return self._states[-1][1]
        later, after = self._states[index]
        if index == 0 or later == stamp:
            return after
        earlier, before = self._states[index - 1]
        share = (stamp - earlier) / (later - earlier)
        return (1.0 - share) * before + share * after


class RobotClock:
    """Robot time of moments on another clock, from when robot states arrive.

    A message can only be late: the arrival that was least so tells the difference of the clocks.
    """

    def __init__(self) -> None:
        self._differences: deque[float] = deque(maxlen=SAMPLES)

    def note(self, stamp: float, arrived: float) -> None:
        """A state of robot time `stamp` [s] arrived at `arrived` on the other clock [s]."""
        difference = stamp - arrived
        if self._differences and abs(difference - self._differences[-1]) > BACK:
            self._differences.clear()
        self._differences.append(difference)

    def robot_time(self, moment: float) -> float | None:
        """Robot time at `moment` on the other clock [s]; None before a state has arrived."""
        return moment + max(self._differences) if self._differences else None
