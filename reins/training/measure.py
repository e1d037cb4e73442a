"""Measures a reach policy in MuJoCo, on goals that it was not trained on, through the arm that runs it in a skill."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState, SafeCommand
from reins.models.metadata import Measurement
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world
from reins.skills.onnx_factory import PolicyArm
from reins.skills.policy import OnnxPolicy, PolicySlot
from reins.skills.pose_ik import pose_error
from reins.training.reach_task import ReachTask

WORLD: Final = "tabletop"

LOWEST: Final = 0.12
"""Lowest goal [m]: the world's objects stay untouched."""

TIME_LIMIT: Final = 8.0
"""Longest that one reach may take [s]."""

WITHIN: Final = (0.010, 0.05)
"""How close to its goal the tool must come to rest: [m], [rad]."""

CRITERION: Final = (
    f"tool at rest within {WITHIN[0] * 1e3:.0f} mm and {WITHIN[1]} rad of its goal in {TIME_LIMIT:.0f} s, "
    "no limit exceeded"
)


@dataclass(frozen=True, slots=True)
class ReachOutcome:
    """How one reach ended: arrived in time, final distance [m] and angle [rad], duration [s], limits exceeded."""

    arrived: bool
    distance: float
    angle: float
    duration: float
    violations: int

    @property
    def success(self) -> bool:
        """Whether it meets CRITERION."""
        return self.arrived and self.distance <= WITHIN[0] and self.angle <= WITHIN[1] and self.violations == 0


class ReachMeter:
    """Runs reaches on the simulated robot, each from the posture where the one before ended.

    Args:
        profile: the robot.
        policy: what moves it.
        seed: of the world.
    """

    def __init__(self, profile: RobotProfile, policy: OnnxPolicy, seed: int) -> None:
        self._profile, self._slot = profile, PolicySlot(policy, profile)
        self._robot = MujocoRobot(profile, load_world(WORLD), seed)
        self._robot.connect()
        self._kinematics = Kinematics(profile)
        self._period = 1.0 / profile.rates.command
        self._sequence = 0
        self._pending = self._next(np.array(profile.home), np.zeros(len(profile.joints)))

    @property
    def position(self) -> FloatArray:
        """(n,) where the arm is [rad]."""
        return self._robot.read().position

    def restart(self) -> None:
        """Put the arm back to its home pose."""
        self._robot.reset(self._robot.seed)
        self._pending = self._next(self.position, np.zeros(len(self._profile.joints)))

    def reach(self, goal: ToolPose) -> ReachOutcome:
        """One reach from where the arm is to `goal`."""
        arm = PolicyArm(self._profile, self._slot)
        state = self._robot.read()
        began, reference = state.stamp, state.position
        arm.go_to(goal, state)
        before, violations, arrived = np.zeros(len(reference)), 0, False
        while not arrived and state.stamp - began < TIME_LIMIT:
            velocity = arm.step(state)
            violations += self._violations(state, before, velocity)
            self._step(self._next(reference, velocity))
            reference, before = reference + velocity * self._period, velocity
            state = self._robot.read()
            arrived = arm.arrived(state)
        for _ in range(20):
            self._step(self._next(reference, np.zeros(len(reference))))
        error = pose_error(goal, self._kinematics.tool_pose(self._robot.read().position))
        distance, angle = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
        return ReachOutcome(arrived, distance, angle, state.stamp - began, violations)

    def _next(self, position: FloatArray, velocity: FloatArray) -> SafeCommand:
        self._sequence += 1
        return SafeCommand(self._sequence, self._robot.read().stamp, self._period, position, velocity)

    def _step(self, command: SafeCommand) -> None:
        """One period: what was computed in the last one acts in this one."""
        self._robot.write(self._pending)
        self._pending = command
        self._robot.step(self._period)

    def _violations(self, state: RobotState, before: FloatArray, velocity: FloatArray) -> int:
        """How many limits of the profile this step exceeds."""
        profile, slack = self._profile, 1.0 + 1e-9
        tool, jacobian = self._kinematics.tool_jacobian(state.position)
        box = profile.workspace
        exceeded = (
            np.any(np.abs(velocity) > slack * profile.velocity),
            np.any(np.abs(velocity - before) > slack * profile.acceleration * self._period),
            np.linalg.norm(jacobian[:3] @ velocity) > slack * box.tool_speed,
            np.any(state.position < profile.lower) or np.any(state.position > profile.upper),
            np.any(tool.position < box.lower) or np.any(tool.position > box.upper),
        )
        return sum(bool(item) for item in exceeded)


def measure(
    profile: RobotProfile, policy: OnnxPolicy, episodes: int, seed: int
) -> tuple[Measurement, list[ReachOutcome]]:
    """Reach `episodes` random goals, one after the other, drawn from `seed`, and sum up."""
    task, random = ReachTask(profile), np.random.default_rng(seed)
    meter = ReachMeter(profile, policy, seed)
    outcomes: list[ReachOutcome] = []
    while len(outcomes) < episodes:
        goal = task.goal_from(meter.position, random, LOWEST)
        if goal is None:
            meter.restart()
        else:
            outcomes.append(meter.reach(goal))
    measurement = Measurement(
        environment=f"MuJoCo, world {WORLD}",
        episodes=len(outcomes),
        success_rate=sum(outcome.success for outcome in outcomes) / len(outcomes),
        criterion=CRITERION,
        limit_violations=sum(outcome.violations for outcome in outcomes),
    )
    return measurement, outcomes
