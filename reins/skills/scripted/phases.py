"""Phases, the steps of a scripted skill, and the sequence that runs them one after the other."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, GripperCommand, RobotState
from reins.skills.controller import ControlOutput, Status
from reins.skills.pose_ik import pose_error
from reins.skills.scripted.arm import Arm

RETARGET: Final = (0.006, 0.05)
"""A goal that moves by more than this is followed: [m], [rad]."""

CONTACT: Final = 0.006
"""Lead of the tool's reference over its position that counts as a contact [m]."""

PATIENCE: Final = 5
"""Control periods for which a guard must object before it counts."""

QUIET: Final = 0.15
"""Fingers that have not moved for this long rest [s]."""

LONG_QUIET: Final = 0.6
"""The same where they neither hold anything nor are where they should be [s]."""

GRIP_TOLERANCE: Final = 0.003
"""How near the fingers come to their target width [m]."""

Goal = Callable[[RobotState, Scene], ToolPose]
Check = Callable[[RobotState, Scene], str]


@dataclass(frozen=True, slots=True, eq=False)
class PhaseStep:
    """One step of a phase: joint velocity (n,) [rad/s], whether it is done, share done 0 … 1, why it failed."""

    velocity: FloatArray
    done: bool
    fraction: float
    failure: str = ""


class Phase(ABC):
    """One step of a scripted skill.

    Attributes:
        name: for feedback.
        weight: its share of the skill's duration, in any unit.
        gripper: what the gripper is asked for while it runs, or None to leave it.
    """

    def __init__(self, name: str, weight: float, gripper: GripperCommand | None = None) -> None:
        self.name, self.weight, self.gripper = name, weight, gripper

    @abstractmethod
    def begin(self, state: RobotState, scene: Scene) -> None:
        """Called once, right before the first step. Raises ReinsError when it cannot be done."""

    @abstractmethod
    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        """One control period. Raises ReinsError when it cannot go on."""


class MoveTool(Phase):
    """Move the tool on a straight line to a goal, which is found when the phase begins.

    Args:
        name: of the phase.
        arm: the arm.
        goal: gives the tool pose, from the newest state and scene.
        scale: scale of the speed.
        follow: find the goal again whenever the scene is seen anew.
        until_contact: a contact from below ends the motion early, as a success.
        guard: gives the reason why it must not go on, or an empty string; asked at every step.
    """

    def __init__(
        self,
        name: str,
        arm: Arm,
        goal: Goal,
        scale: float = 1.0,
        weight: float = 1.0,
        gripper: GripperCommand | None = None,
        follow: bool = False,
        until_contact: bool = False,
        guard: Callable[[RobotState], str] | None = None,
    ) -> None:
        super().__init__(name, weight, gripper)
        self._arm, self._goal, self._scale = arm, goal, scale
        self._follow, self._until_contact, self._guard = follow, until_contact, guard
        self._alarms = 0
        self._seen = 0.0
        self._target: ToolPose | None = None

    def begin(self, state: RobotState, scene: Scene) -> None:
        self._seen = scene.stamp
        self._target = self._goal(state, scene)
        self._arm.go_to(self._target, state, self._scale)

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        if self._follow and scene.stamp != self._seen:
            self._seen = scene.stamp
            self._retarget(self._goal(state, scene), state)
        velocity = self._arm.step(state)
        if failure := self._alarm(state):
            return PhaseStep(velocity, done=False, fraction=self._arm.fraction, failure=failure)
        if self._until_contact and self._arm.push(state)[2] < -CONTACT:
            self._arm.go_to(self._arm.tool(state), state)
            return PhaseStep(velocity, done=True, fraction=1.0)
        if self._arm.stuck:
            failure = f"the tool was held up {self._arm.error * 1e3:.0f} mm from where '{self.name}' wanted it"
            return PhaseStep(velocity, done=False, fraction=self._arm.fraction, failure=failure)
        return PhaseStep(velocity, self._arm.arrived(state), self._arm.fraction)

    def _alarm(self, state: RobotState) -> str:
        """What the guard says, once it has said so for PATIENCE steps on end."""
        failure = self._guard(state) if self._guard else ""
        self._alarms = self._alarms + 1 if failure else 0
        return failure if self._alarms >= PATIENCE else ""

    def _retarget(self, goal: ToolPose, state: RobotState) -> None:
        assert self._target is not None
        change = pose_error(goal, self._target)
        if np.linalg.norm(change[:3]) > RETARGET[0] or np.linalg.norm(change[3:]) > RETARGET[1]:
            self._target = goal
            self._arm.go_to(goal, state, self._scale)


class MoveJoints(Phase):
    """Move in joint space to `goal` (n,) [rad]."""

    def __init__(self, name: str, arm: Arm, goal: FloatArray, weight: float = 1.0) -> None:
        super().__init__(name, weight)
        self._arm, self._goal = arm, goal

    def begin(self, state: RobotState, scene: Scene) -> None:
        self._arm.go_to_joints(self._goal, state)

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        velocity = self._arm.step(state)
        failure = "something holds the arm up on its way" if self._arm.stuck else ""
        return PhaseStep(velocity, self._arm.arrived(state), self._arm.fraction, failure)


class Grip(Phase):
    """Open or close the gripper and wait until the fingers rest.

    Args:
        arm: holds its pose meanwhile.
        command: the gripper target.
        least: shortest time that it takes [s]; the fingers need some to begin.
        most: it ends then, whether the fingers rest or not [s]; what they did is for a check to say.
    """

    def __init__(
        self, name: str, arm: Arm, command: GripperCommand, least: float = 0.25, most: float = 3.0, weight: float = 0.5
    ) -> None:
        super().__init__(name, weight, command)
        self._arm, self._command, self._least, self._most = arm, command, least, most
        self._began = self._changed = self._width = 0.0

    def begin(self, state: RobotState, scene: Scene) -> None:
        self._arm.stay(state)
        self._began = self._changed = state.stamp
        self._width = state.gripper_width

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        velocity = self._arm.step(state)
        if abs(state.gripper_width - self._width) > 3e-4:
            self._width, self._changed = state.gripper_width, state.stamp
        elapsed = state.stamp - self._began
        there = state.gripper_holding or abs(state.gripper_width - self._command.width) < GRIP_TOLERANCE
        rests = elapsed >= self._least and state.stamp - self._changed >= (QUIET if there else LONG_QUIET)
        return PhaseStep(velocity, rests or elapsed > self._most, min(1.0, elapsed / max(self._least, QUIET)))


class Verify(Phase):
    """Ask once whether what should be true is true; the arm holds its pose.

    Args:
        check: gives the reason why not, or an empty string.
    """

    def __init__(self, name: str, arm: Arm, check: Check) -> None:
        super().__init__(name, 0.02)
        self._arm, self._check = arm, check

    def begin(self, state: RobotState, scene: Scene) -> None:
        self._arm.stay(state)

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        failure = self._check(state, scene)
        return PhaseStep(self._arm.step(state), not failure, 1.0, failure)


class PhaseSequence:
    """A scripted skill: phases one after the other; after a failure, the phases of its retreat.

    Args:
        arm: the arm that the phases move.
        phases: in order.
        retreat: run after a failure, before it is reported; a failure in them ends the skill at once.
    """

    def __init__(self, arm: Arm, phases: Sequence[Phase], retreat: Sequence[Phase] = ()) -> None:
        self._arm = arm
        self._phases, self._retreat = list(phases), list(retreat)
        self._total = sum(phase.weight for phase in phases)
        self._index = 0
        self._begun = False
        self._reason = ""

    def step(self, state: RobotState, scene: Scene) -> ControlOutput:
        """The command for the next control period."""
        while self._index < len(self._phases):
            phase = self._phases[self._index]
            result = self._step_phase(phase, state, scene)
            if result.failure:
                return self._fail(phase, result)
            if not result.done:
                return self._output(phase, result, Status.RUNNING)
            self._index, self._begun = self._index + 1, False
            if self._index == len(self._phases):
                return self._output(phase, result, Status.FAILED if self._reason else Status.SUCCEEDED)
        raise ReinsError("this skill has ended")

    def _step_phase(self, phase: Phase, state: RobotState, scene: Scene) -> PhaseStep:
        try:
            if not self._begun:
                self._begun = True
                phase.begin(state, scene)
            return phase.step(state, scene)
        except ReinsError as error:
            return PhaseStep(self._arm.velocity, done=False, fraction=0.0, failure=str(error))

    def _fail(self, phase: Phase, result: PhaseStep) -> ControlOutput:
        if self._reason or not self._retreat:
            self._index = len(self._phases)
            self._reason = self._reason or result.failure
            return self._output(phase, result, Status.FAILED)
        self._reason = result.failure
        self._phases, self._index, self._begun = self._retreat, 0, False
        return self._output(phase, result, Status.RUNNING)

    def _output(self, phase: Phase, result: PhaseStep, status: Status) -> ControlOutput:
        done = sum(before.weight for before in self._phases[: self._index])
        progress = (
            1.0 if status is Status.SUCCEEDED else min(1.0, (done + phase.weight * result.fraction) / self._total)
        )
        reason = self._reason if status is Status.FAILED else ""
        velocity = result.velocity if status is Status.RUNNING else np.zeros_like(result.velocity)
        return ControlOutput(velocity, phase.gripper, status, phase.name, progress, reason)
