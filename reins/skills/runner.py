"""SkillRunner: runs one skill at a time, to its end, its time limit or a cancel, and makes the commands for safety."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState
from reins.skills.controller import ControllerFactory, ControlOutput, SkillController, Status
from reins.skills.registry import Condition, SkillRegistry

SOURCE: Final = "skill"
"""The source that its commands name."""

BRAKING_SHARE: Final = 0.7
"""Share of the joints' acceleration limits that it brakes with."""

MOST_HELD: Final = 600.0
"""Longest time that a skill may be held, for a person who stands near the robot, before it fails [s]."""

EMPTY_HAND: Final = Condition(("hand_empty",))
"""The precondition that it checks itself: whoever calls a skill, what is held is not dropped."""


class SkillRunner:
    """Runs skills. Passive: one thread calls it, once per control period while a skill runs.

    Args:
        registry: the skills that exist.
        factories: which factory makes the controller of which skill.
        profile: the robot.
    """

    def __init__(
        self, registry: SkillRegistry, factories: Mapping[str, ControllerFactory], profile: RobotProfile
    ) -> None:
        self._registry, self._factories, self._profile = registry, dict(factories), profile
        self._period = 1.0 / profile.rates.command
        self._brake = BRAKING_SHARE * profile.acceleration * self._period
        self._sequence = 0
        self._controller: SkillController | None = None
        self._call: SkillCall | None = None
        self._velocity: FloatArray = np.zeros(len(profile.joints))
        self._began = self._limit = 0.0
        self._held, self._held_for, self._stepped = False, 0.0, 0.0
        self._ending = ""
        self._last: ControlOutput | None = None
        self._success: ControlOutput | None = None

    @property
    def busy(self) -> bool:
        """Whether a skill runs, or is being stopped."""
        return self._controller is not None

    @property
    def call(self) -> SkillCall | None:
        """The call that runs, or None."""
        return self._call

    def start(self, call: SkillCall, constraints: Sequence[Constraint], state: RobotState, scene: Scene) -> None:
        """Begin one skill.

        Args:
            call: the skill and its arguments.
            constraints: rules of the task.
            state, scene: newest.

        Raises:
            UnknownName: no such skill, argument or object; lists those that exist.
            ReinsError: another skill runs, the robot has a fault, or the call cannot be carried out here; says why.
        """
        if self._call is not None:
            raise ReinsError(f"{self._call} is running, and skills run one at a time; cancel it first")
        if state.fault:
            raise ReinsError(f"{call} was not started: {state.fault}")
        spec = self._registry[call.skill]
        if self._profile.kind not in spec.kinds:
            raise ReinsError(f"{spec.name} is for a robot of kind {' or '.join(spec.kinds)}, not {self._profile.kind}")
        if spec.name not in self._factories:
            raise ReinsError(f"nothing here carries out {spec.name} (configured: {', '.join(sorted(self._factories))})")
        values = spec.complete(call, scene)
        held = scene.held() if state.gripper_holding else None
        if held is not None and EMPTY_HAND in spec.preconditions:
            raise ReinsError(f"{call} was not started: the gripper holds {held}; put it down first")
        self._controller = self._factories[spec.name](spec.name, values, state, scene, constraints)
        self._call = call
        self._velocity = np.zeros(len(self._profile.joints))
        self._began, self._limit = state.stamp, spec.time_limit
        self._held_for, self._stepped = 0.0, state.stamp
        self._ending, self._last, self._success = "", None, None

    def cancel(self, reason: str = "cancelled") -> None:
        """Brake to a stand from the next step on; the skill then fails with `reason`. Without one, nothing happens."""
        if self.busy and not self._ending:
            self._ending = reason

    def hold(self, held: bool) -> None:
        """Whether safety holds the robot, because a person is too near. A skill waits meanwhile: it stands, its
        controller is not asked, and the time does not count, up to MOST_HELD."""
        self._held = held

    def drop(self) -> None:
        """Forget the skill at once, without a command: someone else has stopped the robot."""
        self._controller = self._call = None

    def step(self, state: RobotState, scene: Scene) -> tuple[JointCommand, ControlOutput]:
        """The command for the next control period, and how the skill stands.

        After an output that is not RUNNING the runner is free again; its command stands still.

        Raises:
            ReinsError: no skill runs.
        """
        if self._controller is None or self._call is None:
            raise ReinsError("no skill runs; start one first")
        passed, self._stepped = state.stamp - self._stepped, state.stamp
        self._held_for += passed if self._held else 0.0
        if not self._ending and state.stamp - self._began - self._held_for > self._limit:
            self._ending = f"{self._call.skill} took longer than its {self._limit:.0f} s"
        if not self._ending and self._held_for > MOST_HELD:
            self._ending = f"{self._call.skill} was held for longer than {MOST_HELD:.0f} s: a person is too near"
        if self._ending:
            output = self._stop()
        elif self._held:
            output = self._wait()
        else:
            own = state if not self._held_for else replace(state, stamp=state.stamp - self._held_for)
            output = self._run(self._controller, own, scene)
        self._velocity, self._last = output.velocity, output
        if output.status is not Status.RUNNING:
            self.drop()
        return self._command(state, output.velocity, output.gripper), output

    def _run(self, controller: SkillController, state: RobotState, scene: Scene) -> ControlOutput:
        output = self._success or controller.step(state, scene)  # one that has ended is not asked again
        if output.status is Status.RUNNING or np.all(np.abs(self._velocity) <= self._brake):
            return output
        if output.status is Status.FAILED:
            self._ending = output.reason
            self._last = output
            return self._stop()
        self._success = output
        return ControlOutput(self._slower(), output.gripper, Status.RUNNING, output.phase, output.progress)

    def _wait(self) -> ControlOutput:
        """Brake, or stand."""
        return ControlOutput(self._slower(), None, Status.RUNNING, "held", self._last.progress if self._last else 0.0)

    def _stop(self) -> ControlOutput:
        """Brake; fail with the reason once standing."""
        velocity = self._slower()
        phase, progress = (self._last.phase, self._last.progress) if self._last else ("start", 0.0)
        if np.any(velocity):
            return ControlOutput(velocity, None, Status.RUNNING, "stop", progress)
        return ControlOutput(velocity, None, Status.FAILED, phase, progress, self._ending)

    def _slower(self) -> FloatArray:
        """(n,) the last commanded velocity, one period of braking later [rad/s]."""
        return np.sign(self._velocity) * np.maximum(np.abs(self._velocity) - self._brake, 0.0)

    def _command(self, state: RobotState, velocity: FloatArray, gripper: GripperCommand | None) -> JointCommand:
        self._sequence += 1
        return JointCommand(
            source=SOURCE,
            sequence=self._sequence,
            stamp=state.stamp,
            period=self._period,
            joint_names=self._profile.joint_names,
            velocity=velocity,
            activation=self._began,
            gripper=gripper,
        )
