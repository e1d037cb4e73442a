"""Runs one skill at a time, to its end, its time limit or a cancel, and makes the commands for safety.

`Runner` is what all kinds of robot have in common; `SkillRunner` is an arm's, and `reins.skills.legged` has its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Generic, Protocol, TypeVar

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.plan import ArgumentValue, Constraint, SkillCall
from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.robot import FloatArray, JointCommand, RobotState
from reins.skills.controller import ControllerFactory, ControlOutput, Status
from reins.skills.registry import Condition, SkillRegistry, SkillSpec

SOURCE: Final = "skill"
"""The source that its commands name."""

BRAKING_SHARE: Final = 0.7
"""Share of the joints' acceleration limits that it brakes with."""

MOST_HELD: Final = 600.0
"""Longest time that a skill may be held, for a person who stands near the robot, before it fails [s]."""

EMPTY_HAND: Final = Condition(("hand_empty",))
"""The precondition that it checks itself: whoever calls a skill, what is held is not dropped."""


class Timed(Protocol):
    """A state of any robot, as far as a runner looks at it."""

    @property
    def stamp(self) -> float: ...

    @property
    def fault(self) -> str: ...


class Step(Protocol):
    """A controller's output for any robot, as far as a runner looks at it."""

    @property
    def velocity(self) -> FloatArray: ...

    @property
    def status(self) -> Status: ...

    @property
    def phase(self) -> str: ...

    @property
    def progress(self) -> float: ...

    @property
    def reason(self) -> str: ...


StateT = TypeVar("StateT", bound=Timed)
StepT = TypeVar("StepT", bound=Step)
CommandT = TypeVar("CommandT")
_State = TypeVar("_State", contravariant=True)
_Step = TypeVar("_Step", covariant=True)


class Steps(Protocol[_State, _Step]):
    """A controller of any robot's skills."""

    def step(self, state: _State, scene: Scene) -> _Step:
        """The command for the next control period."""
        ...


class Makes(Protocol[_State, _Step]):
    """A factory of such controllers; raises ReinsError when a call cannot be carried out."""

    def __call__(
        self,
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: _State,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> Steps[_State, _Step]: ...


class Runner(ABC, Generic[StateT, StepT, CommandT]):
    """Runs skills. Passive: one thread calls it, once per control period while a skill runs.

    Args:
        registry: the skills that exist.
        factories: which factory makes the controller of which skill.
        profile: the robot.
        acceleration: (n,) limits of what its skills command the velocity of, joints or the body [per s²].
    """

    def __init__(
        self,
        registry: SkillRegistry,
        factories: Mapping[str, Makes[StateT, StepT]],
        profile: Profile,
        acceleration: FloatArray,
    ) -> None:
        self._registry, self._factories, self._profile = registry, dict(factories), profile
        self._period = 1.0 / profile.rates.command
        self._brake = BRAKING_SHARE * acceleration * self._period
        self._sequence = 0
        self._controller: Steps[StateT, StepT] | None = None
        self._call: SkillCall | None = None
        self._velocity: FloatArray = np.zeros(len(acceleration))
        self._began = self._limit = 0.0
        self._held, self._held_for, self._stepped = False, 0.0, 0.0
        self._ending = ""
        self._last: StepT | None = None
        self._success: StepT | None = None

    @property
    def busy(self) -> bool:
        """Whether a skill runs, or is being stopped."""
        return self._controller is not None

    @property
    def call(self) -> SkillCall | None:
        """The call that runs, or None."""
        return self._call

    def start(self, call: SkillCall, constraints: Sequence[Constraint], state: StateT, scene: Scene) -> None:
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
        if objection := self._objection(spec, state, scene):
            raise ReinsError(f"{call} was not started: {objection}")
        self._controller = self._factories[spec.name](spec.name, values, state, scene, constraints)
        self._call = call
        self._velocity = np.zeros(len(self._velocity))
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

    def step(self, state: StateT, scene: Scene) -> tuple[CommandT, StepT]:
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
            output = self._run(self._controller, self._without_holds(state, self._held_for), scene)
        self._velocity, self._last = output.velocity, output
        if output.status is not Status.RUNNING:
            self.drop()
        return self._command(state, output), output

    @abstractmethod
    def _objection(self, spec: SkillSpec, state: StateT, scene: Scene) -> str:
        """Why the robot's state speaks against a skill; empty if it does not."""

    @abstractmethod
    def _without_holds(self, state: StateT, held: float) -> StateT:
        """The state as a controller is shown it, after holds of `held` [s] in all."""

    @abstractmethod
    def _output(
        self, velocity: FloatArray, status: Status, phase: str, progress: float, reason: str, last: StepT | None
    ) -> StepT:
        """An output of the runner's own, which changes nothing else of the `last` one."""

    @abstractmethod
    def _command(self, state: StateT, output: StepT) -> CommandT:
        """The command of an output; it takes the next number."""

    def _run(self, controller: Steps[StateT, StepT], state: StateT, scene: Scene) -> StepT:
        output = self._success or controller.step(state, scene)  # one that has ended is not asked again
        if output.status is Status.RUNNING or np.all(np.abs(self._velocity) <= self._brake):
            return output
        if output.status is Status.FAILED:
            self._ending = output.reason
            self._last = output
            return self._stop()
        self._success = output
        return self._ended(output)

    def _ended(self, output: StepT) -> StepT:
        """A success that waits until the robot stands."""
        return self._output(self._slower(), Status.RUNNING, output.phase, output.progress, "", output)

    def _wait(self) -> StepT:
        """Brake, or stand."""
        progress = self._last.progress if self._last else 0.0
        return self._output(self._slower(), Status.RUNNING, "held", progress, "", self._last)

    def _stop(self) -> StepT:
        """Brake; fail with the reason once standing."""
        velocity, last = self._slower(), self._last
        phase, progress = (last.phase, last.progress) if last else ("start", 0.0)
        if np.any(velocity):
            return self._output(velocity, Status.RUNNING, "stop", progress, "", last)
        return self._output(velocity, Status.FAILED, phase, progress, self._ending, last)

    def _slower(self) -> FloatArray:
        """(n,) the last commanded velocity, one period of braking later."""
        return np.sign(self._velocity) * np.maximum(np.abs(self._velocity) - self._brake, 0.0)


class SkillRunner(Runner[RobotState, ControlOutput, JointCommand]):
    """Runs an arm's skills.

    Args:
        registry: the skills that exist.
        factories: which factory makes the controller of which skill.
        profile: the robot.
    """

    def __init__(
        self, registry: SkillRegistry, factories: Mapping[str, ControllerFactory], profile: RobotProfile
    ) -> None:
        super().__init__(registry, factories, profile, profile.acceleration)
        self._joint_names = profile.joint_names

    def _objection(self, spec: SkillSpec, state: RobotState, scene: Scene) -> str:
        held = scene.held() if state.gripper_holding else None
        if held is not None and EMPTY_HAND in spec.preconditions:
            return f"the gripper holds {held}; put it down first"
        return ""

    def _without_holds(self, state: RobotState, held: float) -> RobotState:
        """A motion goes on where it was: its time stood still."""
        return replace(state, stamp=state.stamp - held) if held else state

    def _output(
        self,
        velocity: FloatArray,
        status: Status,
        phase: str,
        progress: float,
        reason: str,
        last: ControlOutput | None,
    ) -> ControlOutput:
        """The gripper is left as it is."""
        return ControlOutput(velocity, None, status, phase, progress, reason)

    def _ended(self, output: ControlOutput) -> ControlOutput:
        """What the hand was told last is told until then."""
        return replace(super()._ended(output), gripper=output.gripper)

    def _command(self, state: RobotState, output: ControlOutput) -> JointCommand:
        self._sequence += 1
        return JointCommand(
            source=SOURCE,
            sequence=self._sequence,
            stamp=state.stamp,
            period=self._period,
            joint_names=self._joint_names,
            velocity=output.velocity,
            activation=self._began,
            gripper=output.gripper,
        )
