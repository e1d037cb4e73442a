"""Actions of policies: from the network's output to joint velocities, as the policy's contract says."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from scipy.linalg.lapack import dposv

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand
from reins.models.metadata import JOINT_VELOCITY, TOOL_TWIST, ActionSpec

MEANINGS: Final = (JOINT_VELOCITY, TOOL_TWIST)
"""What an action may mean."""

UPRIGHT: Final = 4.0
"""Gain from the tilt of the hand to the rate that turns it down again [1/s]."""

POSTURE: Final = 1.0
"""Gain from the distance to the home posture to the null-space velocity [1/s]."""

DAMPING: Final = 0.01
"""Damping factor of the inverse, in the units of a singular value: what it costs in tracking is below a percent."""

WALL: Final = 6.0
"""Gain from the distance to a wall of the workspace, or to a joint limit, to the fastest approach to it [1/s]; a third
of 1 / (two policy periods and the lag)."""

FLOOR: Final = 0.006
"""Distance that the tool keeps from the walls of the workspace [m]: the fingertips stay just above the table."""

JOINT_MARGIN: Final = 0.06
"""Distance kept from every joint limit [rad], as the scripts' differential kinematics does."""

LEAD: Final = (0.02, 0.05)
"""Lead of the joints' reference over the measured position at which the arm begins to wait for what holds it up, and at
which it stands still [rad]: what bounds the force of a contact."""

SPEED_SHARE: Final = 0.6
RAMP_SHARE: Final = 0.6
"""Shares of the joints' speed and acceleration limits that are used."""


def clipped(numbers: Iterable[float]) -> FloatArray:
    """(k,) what a network or an agent gives, as an action in [-1, 1]."""
    return np.array([1.0 if number > 1.0 else -1.0 if number < -1.0 else number for number in numbers])


class ActionDecoder:
    """Turns the network's output into joint velocities.

    Args:
        spec: of the policy's contract.
        profile: the robot.

    Raises:
        UnknownName: an action of a meaning that does not exist; lists those that do.
        ReinsError: an action that could command more than the robot's speed limits.
    """

    def __init__(self, spec: ActionSpec, profile: RobotProfile) -> None:
        if spec.meaning not in MEANINGS:
            raise UnknownName("action meaning", spec.meaning, MEANINGS)
        self._scale = np.array(spec.scale)
        self._twist = spec.meaning == TOOL_TWIST
        if self._twist:
            check_twist(spec, profile)
        elif np.any(self._scale > profile.velocity):
            joint = profile.joint_names[int(np.argmax(self._scale - profile.velocity))]
            raise ReinsError(f"its action can command {joint} faster than the profile of '{profile.name}' allows")

    def velocity(self, action: FloatArray) -> FloatArray:
        """(n,) joint velocity that an action means [rad/s].

        Raises:
            ReinsError: it means a tool twist, which needs a `TwistDecoder`.
        """
        if self._twist:
            raise ReinsError("a tool twist means no joint velocity without the arm's posture")
        velocity: FloatArray = action * self._scale
        return velocity


def check_twist(spec: ActionSpec, profile: RobotProfile) -> None:
    """Raise ReinsError, naming the limit, where a tool twist could ask for more than the profile allows."""
    *linear, turn, opening = spec.scale
    box = profile.workspace
    if float(np.linalg.norm(linear)) > box.tool_speed:
        raise ReinsError(f"its action can command the tool faster than the {box.tool_speed:g} m/s of '{profile.name}'")
    if turn > box.tool_turn_rate:
        raise ReinsError(f"its action can turn the tool faster than the {box.tool_turn_rate:g} rad/s of its profile")
    if opening > profile.gripper.max_width:
        raise ReinsError(f"its action can open the gripper wider than {profile.gripper.max_width:g} m")


class TwistDecoder:
    """Turns tool twists into joint velocities: aimed at the policy's rate, ramped at the robot's.

    The differential inverse kinematics is the scripts' one, with a fixed damping: it keeps the hand pointing down,
    pulls the null space to the home posture, slows down before the walls of the workspace and the joint limits. Between
    two aims the commanded velocity goes straight to the one aimed at, as fast as the joints' accelerations allow.

    Args:
        spec: of the policy's contract; its meaning is a tool twist.
        profile: the robot.

    Raises:
        ReinsError: it could command more than the profile allows; says what.
    """

    def __init__(self, spec: ActionSpec, profile: RobotProfile) -> None:
        check_twist(spec, profile)
        *scale, self._turn_scale, self._width_scale = spec.scale
        self._grasp_force = profile.gripper.grasp_force
        self._home = np.array(profile.home)
        self._posture = np.full(len(profile.home), POSTURE)
        self._posture[-1] = 0.0  # how the wrist is turned is the policy's to say
        # Python's own numbers: for three axes or seven joints, arrays cost more than what is computed.
        walls = [np.array(profile.workspace.lower) + FLOOR, np.array(profile.workspace.upper) - FLOOR]
        self._axes = np.transpose([scale, *walls]).tolist()
        bounds = [profile.lower + JOINT_MARGIN, profile.upper - JOINT_MARGIN, SPEED_SHARE * profile.velocity]
        self._joints = np.transpose(bounds).tolist()
        self._ramp = RAMP_SHARE * profile.acceleration / profile.rates.command
        self._damping = DAMPING**2 * np.eye(6)
        self.reset()

    def reset(self, velocity: FloatArray | None = None) -> None:
        """Begin at the commanded `velocity` (n,) [rad/s], at rest by default."""
        self._velocity = np.zeros_like(self._home) if velocity is None else velocity
        self._go_to(self._velocity)

    def aim(
        self,
        action: FloatArray,
        share: float,
        joints: FloatArray,
        reference: FloatArray,
        position: FloatArray,
        rotation: FloatArray,
        jacobian: FloatArray,
    ) -> None:
        """Aim at the joint velocity of `action`.

        Args:
            action: (5,) in [-1, 1].
            share: share of the speed scales that is allowed, 0 … 1.
            joints, reference: (n,) measured joint position and the one that is tracked [rad].
            position, rotation, jacobian: (3,), (3, 3), (6, n) of the tool there.
        """
        twist = self._twist(action.tolist(), share, position.tolist(), rotation)
        # dot, for @ takes twice as long on arrays this small.
        pull = self._posture * (self._home - joints)
        _, solved, _ = dposv(jacobian.dot(jacobian.T) + self._damping, twist - jacobian.dot(pull))
        velocity = solved.dot(jacobian) + pull
        # All joints slow down together, so that the hand keeps its way where the arm is stretched out.
        excess = self._excess(velocity.tolist(), joints.tolist())
        if excess > 1.0:
            velocity /= excess
        lead = reference - joints
        if lead.dot(lead) > LEAD[0] ** 2 and lead.dot(velocity) > 0.0:  # a vector shorter than that has no such part
            most = max(LEAD[0], _largest(lead))
            velocity *= max(0.0, (LEAD[1] - most) / (LEAD[1] - LEAD[0]))
        self._go_to(velocity)

    def brake(self) -> None:
        """Aim at a standstill."""
        self._go_to(np.zeros_like(self._home))

    def step(self) -> FloatArray:
        """(n,) joint velocity for the next control period [rad/s]."""
        self._periods -= 1.0
        self._velocity = self._velocity + self._change if self._periods > 0.0 else self._aim
        return self._velocity

    def _twist(self, action: list[float], share: float, position: list[float], rotation: FloatArray) -> FloatArray:
        """(6,) what the tool should do: `action` within the walls, and the hand turned to point down."""
        twist = []
        for part, place, (scale, low, high) in zip(action[:3], position, self._axes, strict=True):
            wanted, down, up = share * (part * scale), WALL * (low - place), WALL * (high - place)
            twist.append(down if wanted < down else up if wanted > up else wanted)  # what is no number stays none
        # From the tool's z axis to straight down: the cross product of the two.
        twist += -UPRIGHT * rotation.item(5), UPRIGHT * rotation.item(2), share * (action[3] * self._turn_scale)
        return np.array(twist)

    def _excess(self, velocity: list[float], joints: list[float]) -> float:
        """What to divide `velocity` (n,) [rad/s] by: every joint keeps its bound, a lower one near its limits."""
        most = 1.0
        for speed, joint, (lower, upper, bound) in zip(velocity, joints, self._joints, strict=True):
            room = WALL * (upper - joint if speed > 0.0 else joint - lower)
            share = abs(speed) / (bound if room > bound else max(room, WALL * 1e-6))
            if share > most:
                most = share
        return most

    def _go_to(self, velocity: FloatArray) -> None:
        """Go straight to `velocity` (n,) [rad/s], in as many periods as the joint takes that changes most."""
        self._aim = velocity
        self._change = velocity - self._velocity
        self._periods = _largest(self._change / self._ramp)
        if self._periods > 1.0:
            self._change /= self._periods

    def gripper(self, action: FloatArray) -> GripperCommand:
        """What `action` (5,) asks of the gripper."""
        return GripperCommand(max(0.0, action.item(4) * self._width_scale), self._grasp_force)


def _largest(numbers: FloatArray) -> float:
    """The largest magnitude of `numbers` (n,)."""
    values: list[float] = numbers.tolist()
    return max(map(abs, values))
