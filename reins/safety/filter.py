"""The filter: the closest safe joint velocity to the one that was asked for.

How it decides, cheapest first:
1. A velocity within every limit passes unchanged, bit for bit.
2. One that is only too fast is slowed down as a whole, so that the tool stays on its path.
3. Otherwise a small QP finds the nearest velocity within the joint intervals, the walls of the workspace and the tool's
   speed limits: it slides along a limit instead of freezing at it.
4. Each of these answers carries a certificate: from it the arm can brake along its own direction without leaving the
   workspace. Since braking stays on that very path, a certificate stays valid until the next answer.
5. Where nothing else is left it brakes, within the acceleration limits.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.limits import braked, reachable, velocity_interval
from reins.safety.nearest import Bounds, NearestVelocity
from reins.safety.settings import SafetySettings
from reins.safety.workspace import WorkspaceGuard


class Limit(Enum):
    """What changed a command."""

    JOINT_SPEED = "joint speed"
    JOINT_POSITION = "joint position"
    JOINT_ACCELERATION = "joint acceleration"
    TOOL_SPEED = "tool speed"
    TOOL_TURN_RATE = "tool turn rate"
    WORKSPACE = "workspace"
    NO_SAFE_MOTION = "no safe motion, so it brakes"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the filter lets through.

    Attributes:
        velocity: (n,) safe joint velocity [rad/s]; the very array that was asked for when nothing was changed.
        limits: why it was changed; empty when it was not.
    """

    velocity: FloatArray
    limits: tuple[Limit, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it differs from what was asked for."""
        return bool(self.limits)


_CORRECTIONS: Final = 3
"""How often the walls are moved in for the curvature of the tool's path before the answer is shortened instead."""

_FRACTIONS: Final = (0.5, 0.25, 0.1)
"""Shares of the way from braking to the QP's answer that are tried when that answer has no certificate."""


class SafetyFilter:
    """Filters joint velocities of one arm. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot's limits.
        settings: the monitor's own.

    Raises:
        ReinsError: the robot's model cannot be loaded.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings) -> None:
        self._profile = profile
        self._hold = profile.rates.stale_after
        self._period = 1.0 / profile.rates.command
        self._lower = profile.lower + settings.position_margin
        self._upper = profile.upper - settings.position_margin
        self._kinematics = Kinematics(profile)
        self._guard = WorkspaceGuard(profile, settings, self._kinematics)
        self._nearest = NearestVelocity(len(profile.joints))

    def step(
        self, position: FloatArray, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float = 1.0
    ) -> Verdict:
        """The closest safe velocity to `wanted`, to act from now on.

        Args:
            position: (n,) reference now [rad].
            velocity: (n,) reference velocity until now [rad/s].
            wanted: (n,) what the source asks for [rad/s], finite.
            elapsed: how long `velocity` has acted [s].
            scale: share of the speed limits that is allowed, 0 < scale ≤ 1.
        """
        if not wanted.any() and not velocity.any():
            return Verdict(wanted)
        reach = reachable(velocity, self._profile.acceleration, elapsed, self._period)
        low, high = self._interval(position, reach, scale)
        pose, jacobian = self._kinematics.tool_jacobian(position)
        self._guard.place(pose.position)
        slower, limits = self._slowed(wanted, jacobian, scale)
        broken = self._broken(slower, reach, low, high, jacobian)
        if not broken and self._guard.can_stop(position, slower):
            return Verdict(slower, limits)
        workspace = self._profile.workspace
        bounds = Bounds(
            low,
            high,
            self._guard.slowest,
            self._guard.fastest,
            workspace.tool_speed * scale,
            workspace.tool_turn_rate * scale,
        )
        brake = self._braked(velocity, elapsed, low, high)
        safe, reasons = self._certified(position, slower, brake, jacobian, bounds)
        return Verdict(safe, tuple(dict.fromkeys((*limits, *broken, *reasons))))

    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray:
        """The velocity (n,) [rad/s] that brakes hardest along the path; arguments as in `step`."""
        if not velocity.any():
            return velocity
        reach = reachable(velocity, self._profile.acceleration, elapsed, self._period)
        low, high = self._interval(position, reach, 1.0)
        return self._braked(velocity, elapsed, low, high)

    def _braked(self, velocity: FloatArray, elapsed: float, low: FloatArray, high: FloatArray) -> FloatArray:
        return np.minimum(np.maximum(braked(velocity, self._profile.acceleration, elapsed), low), high)

    def _interval(
        self, position: FloatArray, reach: tuple[FloatArray, FloatArray], scale: float
    ) -> tuple[FloatArray, FloatArray]:
        return velocity_interval(
            position,
            reach,
            lower=self._lower,
            upper=self._upper,
            speed=self._profile.velocity * scale,
            acceleration=self._profile.acceleration,
            hold=self._hold,
        )

    def _slowed(self, wanted: FloatArray, jacobian: FloatArray, scale: float) -> tuple[FloatArray, tuple[Limit, ...]]:
        """`wanted`, as a whole slowed down to the speed limits of joints and tool; itself if it keeps them."""
        limits: tuple[Limit, ...] = ()
        excess = float((np.abs(wanted) / self._profile.velocity).max()) / scale
        if excess > 1.0:
            limits = (Limit.JOINT_SPEED,)
            wanted = wanted / excess
        twist = jacobian @ wanted
        linear, angular = twist[:3], twist[3:]
        fast = float(np.sqrt(linear @ linear)) / (self._profile.workspace.tool_speed * scale)
        turning = float(np.sqrt(angular @ angular)) / (self._profile.workspace.tool_turn_rate * scale)
        if max(fast, turning) > 1.0:
            limits = (*limits, Limit.TOOL_SPEED if fast >= turning else Limit.TOOL_TURN_RATE)
            wanted = wanted / max(fast, turning)
        return wanted, limits

    def _broken(
        self,
        wanted: FloatArray,
        reach: tuple[FloatArray, FloatArray],
        low: FloatArray,
        high: FloatArray,
        jacobian: FloatArray,
    ) -> tuple[Limit, ...]:
        """The limits of joints and walls that `wanted` does not keep."""
        limits: list[Limit] = []
        if (wanted < low).any() or (wanted > high).any():
            held = np.minimum(np.maximum(wanted, reach[0]), reach[1])
            if (held != wanted).any():
                limits.append(Limit.JOINT_ACCELERATION)
            if ((held < low) | (held > high)).any():
                limits.append(Limit.JOINT_POSITION)
        if not self._guard.allows(jacobian[:3] @ wanted):
            limits.append(Limit.WORKSPACE)
        return tuple(limits)

    def _certified(
        self, position: FloatArray, wanted: FloatArray, brake: FloatArray, jacobian: FloatArray, bounds: Bounds
    ) -> tuple[FloatArray, tuple[Limit, ...]]:
        """The nearest velocity within `bounds` from which the arm can stop inside the workspace; or `brake`."""
        answer = self._nearest.solve(wanted, jacobian, bounds)
        if answer is None:
            return brake, (Limit.NO_SAFE_MOTION,)
        if self._guard.can_stop(position, answer):
            return answer, ()
        for _ in range(_CORRECTIONS):
            self._guard.move_in(answer)
            bounds = replace(bounds, slowest=self._guard.slowest, fastest=self._guard.fastest)
            nearer = self._nearest.solve(wanted, jacobian, bounds)
            if nearer is None:
                break
            answer = nearer
            if self._guard.can_stop(position, answer):
                return answer, (Limit.WORKSPACE,)
        for fraction in _FRACTIONS:
            between = brake + fraction * (answer - brake)
            if self._guard.can_stop(position, between):
                return between, (Limit.WORKSPACE,)
        return brake, (Limit.WORKSPACE, Limit.NO_SAFE_MOTION)
