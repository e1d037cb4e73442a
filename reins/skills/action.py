"""Actions of policies: from the network's output to joint velocities, as the policy's contract says."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
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
        self._most = np.ones(len(spec.scale))
        self._least = -self._most
        self._twist = spec.meaning == TOOL_TWIST
        if self._twist:
            check_twist(spec, profile)
        elif np.any(self._scale > profile.velocity):
            joint = profile.joint_names[int(np.argmax(self._scale - profile.velocity))]
            raise ReinsError(f"its action can command {joint} faster than the profile of '{profile.name}' allows")

    def clip(self, output: NDArray[np.float32]) -> FloatArray:
        """(k,) the network's output as an action in [-1, 1]."""
        action: FloatArray = np.minimum(np.maximum(output, self._least), self._most)
        return action

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
        self._scale = np.array(spec.scale)
        self._gripper = profile.gripper
        self._home = np.array(profile.home)
        self._lower, self._upper = profile.lower + JOINT_MARGIN, profile.upper - JOINT_MARGIN
        self._floor = np.array(profile.workspace.lower) + FLOOR
        self._ceiling = np.array(profile.workspace.upper) - FLOOR
        self._speed = SPEED_SHARE * profile.velocity
        self._ramp = RAMP_SHARE * profile.acceleration / profile.rates.command
        self._damping = DAMPING**2 * np.eye(6)
        self._twist = np.zeros(6)
        self.reset()

    def reset(self, velocity: FloatArray | None = None) -> None:
        """Begin at the commanded `velocity` (n,) [rad/s], at rest by default."""
        self._velocity = np.zeros_like(self._home) if velocity is None else velocity
        self._aim = self._velocity

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
        twist, scaled = self._twist, action * self._scale
        linear = share * scaled[:3]
        np.minimum(linear, WALL * (self._ceiling - position), out=linear)
        np.maximum(linear, WALL * (self._floor - position), out=linear)
        twist[:3] = linear
        # From the tool's z axis to straight down: the cross product of the two.
        twist[3], twist[4] = -UPRIGHT * rotation[1, 2], UPRIGHT * rotation[0, 2]
        twist[5] = share * scaled[3]
        pull = POSTURE * (self._home - joints)
        pull[-1] = 0.0  # how the wrist is turned is the policy's to say
        _, solved, _ = dposv(jacobian @ jacobian.T + self._damping, twist - jacobian @ pull)
        velocity = jacobian.T @ solved + pull
        # All joints slow down together, so that the hand keeps its way where the arm is stretched out.
        room = np.where(velocity > 0.0, self._upper - joints, joints - self._lower)
        np.maximum(room, 1e-6, out=room)
        velocity /= _excess(velocity / np.minimum(self._speed, WALL * room))
        lead = reference - joints
        most = LEAD[0] * _excess(lead / LEAD[0])
        if most > LEAD[0] and float(lead @ velocity) > 0.0:
            velocity *= max(0.0, (LEAD[1] - most) / (LEAD[1] - LEAD[0]))
        self._aim = velocity

    def brake(self) -> None:
        """Aim at a standstill."""
        self._aim = np.zeros_like(self._home)

    def step(self) -> FloatArray:
        """(n,) joint velocity for the next control period [rad/s]."""
        change = self._aim - self._velocity
        self._velocity = self._velocity + change / _excess(change / self._ramp)
        return self._velocity

    def gripper(self, action: FloatArray) -> GripperCommand:
        """What `action` (5,) asks of the gripper."""
        return GripperCommand(max(0.0, float(action[4]) * float(self._scale[4])), self._gripper.grasp_force)


def _excess(shares: FloatArray) -> float:
    """The largest magnitude of `shares` (n,) of their bounds, at least 1: what to divide by to respect them all."""
    if float(shares @ shares) <= 1.0:
        return 1.0  # a vector that short has no component beyond, and asking for the largest costs more
    return max(1.0, float(np.abs(shares).max()))
