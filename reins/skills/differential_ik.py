"""Differential inverse kinematics: a tool twist to joint velocities that respect every joint limit with room to spare.

Passive and stateless but for its scratch memory: the last commanded velocity is an argument. The shares in `IkSettings`
keep the commands far enough inside the profile's limits that the safety filter has nothing to change.
"""

from dataclasses import dataclass

import daqp
import numpy as np

from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray


@dataclass(frozen=True, slots=True)
class IkSettings:
    """How the differential inverse kinematics uses the robot's limits.

    Attributes:
        velocity_share: share of each joint's speed limit that it may use.
        acceleration_share: share of each joint's acceleration limit that it may use.
        braking_share: share that it counts on for stopping before a position limit; less than `acceleration_share`.
        limit_margin: distance kept from every position limit [rad].
        posture_gain: pull of the null space towards the preferred posture [1/s].
        posture_speed: fastest null-space motion per joint [rad/s].
        damping: damping factor far from singularities, in the units of a singular value.
        singular_damping: damping factor reached at a singularity.
        singular_below: smallest singular value under which the damping grows.
    """

    velocity_share: float = 0.6
    acceleration_share: float = 0.7
    braking_share: float = 0.35
    limit_margin: float = 0.06
    posture_gain: float = 1.5
    posture_speed: float = 0.4
    damping: float = 0.003
    singular_damping: float = 0.04
    singular_below: float = 0.06


class DifferentialIk:
    """Turns a tool twist into joint velocities. One instance per thread.

    Args:
        profile: the robot.
        settings: shares of its limits.
    """

    def __init__(self, profile: RobotProfile, settings: IkSettings | None = None) -> None:
        self.settings = settings or IkSettings()
        self.kinematics = Kinematics(profile)
        self._profile = profile
        self._lower = profile.lower + self.settings.limit_margin
        self._upper = profile.upper - self.settings.limit_margin

    def bounds(
        self, position: FloatArray, last_velocity: FloatArray, period: float, scale: float = 1.0
    ) -> tuple[FloatArray, FloatArray]:
        """Slowest and fastest joint velocity that may be commanded next.

        Args:
            position: (n,) joint position [rad].
            last_velocity: (n,) last commanded velocity [rad/s].
            period: control period [s].
            scale: further scale of the joint speed limits, 0 … 1.

        Returns:
            lower (n,), upper (n,) [rad/s], lower ≤ upper: never a larger change than the acceleration allows; inside
            that, never faster than the speed limit nor than what still stops before the position limit.
        """
        settings, profile = self.settings, self._profile
        speed = settings.velocity_share * scale * profile.velocity
        braking = settings.braking_share * profile.acceleration
        step = settings.acceleration_share * profile.acceleration * period
        upper = np.minimum(speed, _approach_speed(self._upper - position, braking, period))
        lower = np.maximum(-speed, -_approach_speed(position - self._lower, braking, period))
        slowest, fastest = last_velocity - step, last_velocity + step
        return np.clip(lower, slowest, fastest), np.clip(upper, slowest, fastest)

    def posture_velocity(self, position: FloatArray, posture: FloatArray) -> FloatArray:
        """(n,) velocity from `position` towards `posture` [rad/s]; `solve` uses its part in the null space."""
        return self.settings.posture_gain * posture_pull(position, posture)

    def solve(
        self,
        position: FloatArray,
        twist: FloatArray,
        posture_velocity: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> FloatArray:
        """Joint velocity within the bounds whose tool motion is closest to `twist`, in its direction.

        Args:
            position: (n,) joint position [rad].
            twist: (6,) tool velocity wanted, linear [m/s] then angular [rad/s], base frame.
            posture_velocity: (n,) velocity whose part in the null space is wanted too, up to `posture_speed` [rad/s].
            lower, upper: (n,) bounds [rad/s].

        Returns:
            (n,) joint velocity [rad/s]. Where the bounds are too tight the tool slows down along the same twist.
        """
        _, jacobian = self.kinematics.tool_jacobian(position)
        gram = jacobian @ jacobian.T
        damping = self._damping(gram)
        inverse = np.linalg.solve(gram + damping * np.eye(6), jacobian).T
        null = posture_velocity - inverse @ (jacobian @ posture_velocity)
        null *= min(1.0, self.settings.posture_speed / max(float(np.max(np.abs(null))), 1e-9))
        free: FloatArray = inverse @ twist + null
        if np.all(free >= lower) and np.all(free <= upper):
            return free
        return _slowed(jacobian, twist, null, damping, lower, upper)

    def step(
        self,
        position: FloatArray,
        twist: FloatArray,
        posture: FloatArray,
        last_velocity: FloatArray,
        period: float,
        scale: float = 1.0,
    ) -> FloatArray:
        """Joint velocity (n,) for the next period [rad/s]: `bounds`, `posture_velocity` and `solve` in one call."""
        lower, upper = self.bounds(position, last_velocity, period, scale)
        return self.solve(position, twist, self.posture_velocity(position, posture), lower, upper)

    def tool_pose(self, position: FloatArray) -> ToolPose:
        """Pose of the tool at joint `position` (n,) [rad]."""
        return self.kinematics.tool_pose(position)

    def _damping(self, gram: FloatArray) -> float:
        """Squared damping factor: grows smoothly as the smallest singular value of the Jacobian vanishes."""
        settings = self.settings
        smallest = float(np.sqrt(max(np.linalg.eigvalsh(gram)[0], 0.0)))
        near = max(0.0, 1.0 - smallest / settings.singular_below)
        return settings.damping**2 + (near * settings.singular_damping) ** 2


def posture_pull(position: FloatArray, posture: FloatArray) -> FloatArray:
    """(n,) way from `position` to `posture` [rad], without the last joint's.

    The last joint turns the tool about its own axis: how far it is from home says which way the tool is turned, and
    nothing about where the elbow should be.
    """
    pull = posture - position
    pull[-1] = 0.0
    return pull


def _approach_speed(distance: FloatArray, braking: FloatArray, period: float) -> FloatArray:
    """Highest speed towards a limit `distance` away from which uniform `braking` stops in time.

    One period passes before the command acts and one more before it can be changed, so two periods of travel are kept.
    Past the limit the speed is negative: it moves back.

    Source: v²/(2a) + 2 v T = d, solved for v.
    """
    reserve = 2.0 * braking * period
    room = np.maximum(distance, 0.0)
    return np.where(distance >= 0.0, np.sqrt(reserve**2 + 2.0 * braking * room) - reserve, distance)


def _slowed(
    jacobian: FloatArray,
    twist: FloatArray,
    posture_velocity: FloatArray,
    damping: float,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The bounded problem: min |J v - s t|² + damping |v - p|² + w (1 - s)² over joint velocity v and speed share s.

    The weight w is small beside the tracking term, so that the direction of the tool is kept and its speed gives way.
    """
    n = jacobian.shape[1]
    weight = 1e-3 * float(twist @ twist) + 1e-9
    hessian = np.empty((n + 1, n + 1))
    hessian[:n, :n] = jacobian.T @ jacobian + damping * np.eye(n)
    hessian[:n, n] = hessian[n, :n] = -jacobian.T @ twist
    hessian[n, n] = twist @ twist + weight
    linear = np.append(-damping * posture_velocity, -weight)
    solution: FloatArray
    solution, _, flag, _ = daqp.solve(
        hessian, linear, np.empty((0, n + 1)), np.append(upper, 1.0), np.append(lower, 0.0)
    )
    if flag < 1:
        return np.clip(np.zeros(n), lower, upper)
    return np.clip(solution[:n], lower, upper)
