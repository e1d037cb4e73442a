"""Follows reference motions with the arm: bumpless start, waiting where the arm lags, joint velocities out."""

from typing import Final

import numpy as np

from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.differential_ik import DifferentialIk
from reins.skills.pose_ik import PoseSolver, pose_error
from reins.skills.reference import JointMotion, MotionLimits, ToolMotion

FEEDBACK: Final = 5.0
"""Gain from tool or joint error to corrective velocity [1/s]; ten times below 1 / (two control periods and the lag)."""

CORRECTION: Final = (0.06, 0.4)
"""Fastest correction on top of the reference's own velocity: [m/s], [rad/s]."""

LAG: Final = (0.015, 0.045)
"""Tool error at which the reference begins to wait, and at which it stands still [m]; a radian counts as 0.2 m."""

WAIT_RATE: Final = 6.0
"""How fast the reference's pace may change [1/s]."""

TURN_LENGTH: Final = 0.2
"""Length that makes an angle comparable to a distance [m/rad]."""

JOINT_SHARE: Final = (0.3, 0.3, 0.2)
"""Shares of the joints' speed, acceleration and jerk limits that motions in joint space use."""

FADE: Final = 0.3
"""Time before the end of a motion from which the null space comes to rest, so that the arm does at its goal [s]."""

STILL: Final = 0.05
"""Measured joint speed below which the arm rests [rad/s]."""

STUCK_AFTER: Final = 1.5
"""How long the arm may fail to follow or to settle before it counts as stuck [s]."""


class Arm:
    """One arm following one motion at a time. Owned by one skill; reads no clock.

    Args:
        profile: the robot.
        scale: scale of every speed, 0 … 1, from the task's speed constraints.

    Attributes:
        tolerance: how close to its goal the tool must come to rest [m]; a radian counts as TURN_LENGTH.
    """

    tolerance = 0.003

    def __init__(self, profile: RobotProfile, scale: float = 1.0) -> None:
        self.profile = profile
        self.limits = MotionLimits().scaled(scale)
        self.ik = DifferentialIk(profile)
        self.solver = PoseSolver(profile, self.ik.kinematics)
        self._scale = scale
        self._period = 1.0 / profile.rates.command
        self._velocity = np.zeros(len(profile.joints))
        self._motion: ToolMotion | JointMotion | None = None
        self._limits = self.limits
        self._time = 0.0
        self._pace = 1.0
        self._stamp: float | None = None
        self._late = 0.0
        self._error = 0.0

    def tool(self, state: RobotState) -> ToolPose:
        """Measured pose of the tool in the base frame."""
        return self.ik.tool_pose(state.position)

    def push(self, state: RobotState) -> FloatArray:
        """(3,) how far the tool's reference is ahead of its measured position [m]; grows against a contact."""
        return self.ik.tool_pose(state.reference).position - self.ik.tool_pose(state.position).position

    def go_to(self, goal: ToolPose, state: RobotState, scale: float = 1.0) -> None:
        """Start a straight tool motion to `goal`, from the motion under way or else from the measured pose.

        Args:
            goal: tool pose in the base frame.
            state: newest state.
            scale: further scale of the speed for this motion.
        """
        self._limits = self.limits.scaled(scale)
        start, twist = self.tool(state), np.zeros(6)
        if isinstance(self._motion, ToolMotion) and self._error < LAG[1]:
            start, twist = self._motion.at(self._time)
            twist = self._pace * twist if self.remaining > 0.0 else np.zeros(6)
        self._begin(ToolMotion(start, goal, twist, self._limits))

    def go_to_joints(self, goal: FloatArray, state: RobotState) -> None:
        """Start a motion in joint space to `goal` (n,) [rad] from the measured position, at rest."""
        profile, scale = self.profile, self._scale
        self._limits = self.limits
        jerk = np.array([joint.jerk for joint in profile.joints])
        speed, acceleration, jerk_share = JOINT_SHARE
        self._begin(
            JointMotion(
                state.position,
                np.zeros(len(goal)),
                goal,
                speed * scale * profile.velocity,
                acceleration * scale**2 * profile.acceleration,
                jerk_share * scale**3 * jerk,
            )
        )

    def stay(self, state: RobotState) -> None:
        """Hold the goal of the motion that ended, or the measured pose where there was none."""
        if self._motion is None:
            self.go_to(self.tool(state), state)

    def release(self) -> None:
        """Something else moves the arm now: the next motion starts from the measured pose, at rest."""
        self._motion = None
        self._velocity = np.zeros_like(self._velocity)

    @property
    def velocity(self) -> FloatArray:
        """(n,) the last velocity that it asked for [rad/s]."""
        return self._velocity

    @property
    def duration(self) -> float:
        """How long the motion under way takes [s], 0 without one."""
        return self._motion.duration if self._motion else 0.0

    @property
    def fraction(self) -> float:
        """How far along its motion it is, 0 … 1."""
        return min(1.0, self._time / self.duration) if self.duration > 0.0 else 1.0

    @property
    def remaining(self) -> float:
        """Time that is left of the motion under way [s]."""
        return max(0.0, self.duration - self._time)

    @property
    def error(self) -> float:
        """Distance of the tool from its reference at the last step [m]; a radian counts as TURN_LENGTH."""
        return self._error

    @property
    def stuck(self) -> bool:
        """Whether it has failed to follow or to settle for longer than STUCK_AFTER."""
        return self._late > STUCK_AFTER and self._error > self.tolerance

    def arrived(self, state: RobotState) -> bool:
        """Whether the motion has ended and the tool rests within `tolerance` of its goal."""
        still = float(np.max(np.abs(state.velocity))) < STILL
        return self.remaining == 0.0 and still and self._error <= self.tolerance

    def step(self, state: RobotState) -> FloatArray:
        """(n,) joint velocity for the next period [rad/s]; asked again for the same state, it answers the same."""
        if state.stamp == self._stamp:
            return self._velocity
        dt = self._elapsed(state.stamp)
        ahead = state.position + self._period * self._velocity
        lower, upper = self.ik.bounds(ahead, self._velocity, self._period, self._scale)
        self._velocity = self._wanted(state, ahead, dt, lower, upper)
        return self._velocity

    def _wanted(
        self, state: RobotState, ahead: FloatArray, dt: float, lower: FloatArray, upper: FloatArray
    ) -> FloatArray:
        """(n,) joint velocity within the bounds that follows the motion [rad/s].

        Args:
            state: newest state.
            ahead: (n,) joint position at the time from which the velocity will act [rad].
            dt: robot time since the last step [s].
            lower, upper: (n,) bounds [rad/s].
        """
        if isinstance(self._motion, ToolMotion):
            twist = self._follow_tool(self._motion, ahead, dt)
            pull = min(1.0, self.remaining / FADE) * self.ik.posture_velocity(ahead, self.profile.home)
            velocity = self.ik.solve(ahead, twist, pull, lower, upper)
        elif self._motion is not None:
            velocity = np.clip(self._follow_joints(self._motion, ahead, dt), lower, upper)
        else:
            return np.clip(np.zeros_like(ahead), lower, upper)
        settling = self.remaining == 0.0 and self._error > self.tolerance
        self._late = self._late + dt if self._pace < 0.2 or settling else 0.0
        return velocity

    def _begin(self, motion: ToolMotion | JointMotion) -> None:
        self._motion = motion
        self._time = 0.0
        self._late = 0.0

    def _elapsed(self, stamp: float) -> float:
        """Robot time since the last step [s], at most three periods, so that a gap does not make the reference jump."""
        before, self._stamp = self._stamp, stamp
        if before is None:
            return self._period
        return float(np.clip(stamp - before, 0.0, 3.0 * self._period))

    def _advance(self, dt: float, lag: float) -> None:
        """Let the reference go on by `dt`, slower where the arm lags behind it."""
        begins, stands = LAG
        wanted = float(np.clip((stands - lag) / (stands - begins), 0.0, 1.0))
        self._pace += float(np.clip(wanted - self._pace, -WAIT_RATE * dt, WAIT_RATE * dt))
        self._time += self._pace * dt
        self._error = lag

    def _follow_tool(self, motion: ToolMotion, position: FloatArray, dt: float) -> FloatArray:
        """(6,) twist that follows the motion: its own velocity and a bounded correction, within the speed limits."""
        pose = self.ik.tool_pose(position)
        error = pose_error(motion.at(self._time)[0], pose)
        self._advance(dt, _length(error))
        goal, twist = motion.at(self._time)
        error = pose_error(goal, pose)
        linear = self._pace * twist[:3] + _capped(FEEDBACK * error[:3], CORRECTION[0])
        angular = self._pace * twist[3:] + _capped(FEEDBACK * error[3:], CORRECTION[1])
        return np.concatenate((_capped(linear, self._limits.speed), _capped(angular, self._limits.turn_speed)))

    def _follow_joints(self, motion: JointMotion, position: FloatArray, dt: float) -> FloatArray:
        """(n,) joint velocity that follows the motion, slower where the tool would exceed its speed [rad/s]."""
        before, velocity = motion.at(self._time)
        speed = float(np.linalg.norm(self.ik.kinematics.tool_jacobian(position)[1][:3] @ velocity))
        share = min(1.0, self._limits.speed / max(speed, 1e-9))
        self._advance(share * dt, TURN_LENGTH * float(np.max(np.abs(before - position))))
        goal, velocity = motion.at(self._time)
        correction = np.clip(FEEDBACK * (goal - position), -CORRECTION[1], CORRECTION[1])
        return share * self._pace * velocity + correction


def _length(error: FloatArray) -> float:
    """Size of a (6,) pose error [m]; a radian counts as TURN_LENGTH."""
    return float(np.linalg.norm(error[:3]) + TURN_LENGTH * np.linalg.norm(error[3:]))


def _capped(vector: FloatArray, length: float) -> FloatArray:
    """`vector`, shortened to at most `length`."""
    size = float(np.linalg.norm(vector))
    return vector if size <= length else vector * (length / size)
