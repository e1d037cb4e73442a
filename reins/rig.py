"""The rig: the same cores as the ROS 2 graph, in lock-step, without ROS. Deterministic by seed, faster than real time.

One control period goes through the same stations as in the graph: robot state, skill, safety monitor, driver host. A
command that was computed from the state of one period acts in the next, as it does over the network.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from typing_extensions import Self

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene
from reins.hardware.host import DriverHost
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import JointCommand, RobotState, SafeCommand
from reins.planning.actions import Ask, Done, Limits, Look, RunSkill
from reins.planning.approval import Answer, ApprovalMode
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import Cancellable
from reins.planning.reach import Reach
from reins.planning.tracing.notebook import Notebook
from reins.planning.tracing.trace import UNTRACED, Trace
from reins.planning.why.account import explain
from reins.planning.why.question import is_about_the_past
from reins.rig_eyes import open_eyes
from reins.safety.constraints import PLANNER
from reins.safety.filter import SafetyFilter
from reins.safety.modes import Mode
from reins.safety.monitor import SafetyMonitor
from reins.safety.motion import FilterMaker
from reins.safety.settings import SafetySettings
from reins.sim.simulators import make_simulator
from reins.sim.world import WorldSpec, load_world
from reins.sim.world_state import WorldState
from reins.skills.controller import ControlOutput, Status
from reins.skills.factory import make_factories
from reins.skills.library import SKILLS
from reins.skills.runner import SkillRunner

WATCHED: Final = ("robot", "skills")
"""The nodes whose heartbeats the rig's safety monitor watches; in lock-step they never miss one."""


@dataclass(frozen=True, slots=True)
class RigSettings:
    """What the rig runs.

    Attributes:
        robot: profile name.
        backend: simulator behind the Robot interface.
        world: world name or file.
        planner, skills, perception: backends, as the launch files name them.
        language: of planners that ask a language model.
        cadence: how often the planner is asked while all goes well.
        approve: which plans run unasked.
        approve_limit: a plan that waits for an answer for longer counts as turned down [s], robot time; a question that
            does ends the task.
        questions: how many questions of the planner the approver may answer in one task; the next one ends it.
        camera_rate: how often the cameras are looked through [Hz], robot time.
        task_time_limit: a task that takes longer fails [s], robot time.
        make_filter: makes the safety filter; another one only to measure what it costs.
    """

    robot: str = "franka"
    backend: str = "mujoco"
    world: str = "tabletop"
    planner: str = "symbolic"
    language: LanguageSettings = field(default_factory=LanguageSettings)
    cadence: Cadence = field(default_factory=Cadence)
    skills: str = "scripted"
    perception: str = "geometric"
    approve: ApprovalMode = "always"
    approve_limit: float = 120.0
    questions: int = 0
    camera_rate: float = 2.0
    task_time_limit: float = 240.0
    make_filter: FilterMaker = SafetyFilter


@dataclass(frozen=True, slots=True)
class RigResult:
    """How a task ended.

    Attributes:
        outcome: "succeeded", "failed", "refused", "question" or "cancelled", as the task itself says; "answered" if it
            was no task, but a question about the last one.
        reason: one sentence.
        plan: the last plan.
        replans: how often it planned again.
        duration: robot time it took [s].
        skills: what ran, with its success, in order.
        events: what the safety monitor did.
    """

    outcome: str
    reason: str
    plan: Plan | None
    replans: int
    duration: float
    skills: Sequence[tuple[SkillCall, bool]]
    events: Sequence[SafetyEvent]


@dataclass(frozen=True, slots=True, eq=False)
class Tick:
    """What one control period looked like, for audits and recordings."""

    state: RobotState
    command: SafeCommand | None
    scene: Scene


class Operator(Protocol):
    """Someone who may take over by hand, asked in every control period."""

    def command(self, state: RobotState) -> JointCommand | None:
        """A command of source "teleop" while the dead-man is held, else None."""

    def hands_back(self, state: RobotState) -> bool:
        """Whether control is handed back now; asked while nobody holds the dead-man."""


class Approver(Protocol):
    """Someone who is asked about plans, and answers a planner's questions, in every control period while one waits."""

    def answer(self, ask: Ask, refused: str) -> Answer | None:
        """Their answer, or None as long as they think; `refused` says why their last one was not taken."""


@dataclass(slots=True)
class Journal:
    """What has happened in a task: the skills that ran, with their success, and what the safety monitor did."""

    skills: list[tuple[SkillCall, bool]] = field(default_factory=list)
    events: list[SafetyEvent] = field(default_factory=list)


def never(_: ControlOutput) -> bool:
    """No skill is taken away."""
    return False


class Rig:
    """The whole stack on one simulated robot.

    Args:
        settings: backends and world.
        seed: seed of the world's random poses.
        on_tick: called after every control period.
        operator: may take over by hand, which pauses the task; nobody by default.
        trace: takes what happens in a task.
        approver: is asked about plans, as `settings.approve` says; nobody by default, so that such plans are not done.

    Raises:
        ReinsError: an unknown robot, world or backend; says which exist.
    """

    def __init__(
        self,
        settings: RigSettings,
        seed: int,
        on_tick: Callable[[Tick], None] | None = None,
        operator: Operator | None = None,
        trace: Trace = UNTRACED,
        approver: Approver | None = None,
    ) -> None:
        self.settings = settings
        self.profile: RobotProfile = load_profile(settings.robot)
        self.world: WorldSpec = load_world(settings.world)
        self._period = 1.0 / self.profile.rates.command
        self._on_tick, self._operator, self._approver = on_tick, operator, approver
        self._trace = Notebook(trace.write)
        self._reach = Reach(self.profile.workspace.lower, self.profile.workspace.upper)
        self._planner = make_planner(settings.planner, SKILLS, settings.language, trace=self._trace, reach=self._reach)
        if isinstance(self._planner, Cancellable):
            self._planner.warm_up()
        self._runner = SkillRunner(SKILLS, make_factories(settings.skills, self.profile), self.profile)
        self._monitor = SafetyMonitor(self.profile, SafetySettings(), WATCHED, settings.make_filter)
        self.robot = make_simulator(settings.backend, self.profile, self.world, seed)
        self._eyes = open_eyes(settings.perception, self.profile, self.world)
        self._host = DriverHost(self.robot, self.profile)
        self._journal = Journal()
        self._pending: SafeCommand | None = None
        self._held_to: tuple[Constraint, ...] = ()
        self._last_look = float("-inf")
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the renderer, the robot and the planner's model."""
        self._eyes.close()
        self.robot.close()
        if isinstance(self._planner, Cancellable):
            self._planner.close()

    @property
    def world_state(self) -> WorldState:
        """Truth, for measuring success; no core sees it unless the "state" perception is chosen."""
        return self.robot.world_state()

    @property
    def scene(self) -> Scene:
        """What perception knows now."""
        return self._scene

    def run(self, instruction: str) -> RigResult:
        """Carry out one instruction, closed loop, to its end. A question about the last one is answered instead."""
        if is_about_the_past(instruction):
            answer = explain(self._trace.story(), instruction, SKILLS)
            return RigResult("answered", answer, None, 0, 0.0, (), ())
        begin = self._state.stamp
        self._journal = Journal()
        self._trace.clear()
        self._trace.write("task", instruction=instruction, planner=self._planner.name)
        cadence, approve, reach = self.settings.cadence, self.settings.approve, self._reach
        limits = Limits(questions=self.settings.questions)
        executor = TaskExecutor(self._planner, SKILLS, instruction, limits, self._trace, cadence, approve, reach)
        while True:
            action = executor.next(self._scene, self._state.stamp)
            if isinstance(action, Done):
                break
            if self._state.stamp - begin > self.settings.task_time_limit:
                executor.cancel(f"the task took longer than {self.settings.task_time_limit:.0f} s")
            elif isinstance(action, Look):
                self._look_again()
            elif isinstance(action, RunSkill):
                self._carry_out(executor, action.call, action.constraints)
            elif isinstance(action, Ask):
                self._ask(executor, action)
            if self._taken:
                self._pause(executor, begin + self.settings.task_time_limit)
        self._hold_to(())
        return RigResult(
            outcome=action.outcome,
            reason=action.reason,
            plan=action.plan,
            replans=executor.replans,
            duration=self._state.stamp - begin,
            skills=tuple(self._journal.skills),
            events=tuple(self._journal.events),
        )

    def run_skill(
        self, call: SkillCall, constraints: Sequence[Constraint] = (), ends: Callable[[ControlOutput], bool] = never
    ) -> ControlOutput:
        """Carry out one skill to its end; the constraints stay in force until other ones follow.

        Args:
            call, constraints: what to do.
            ends: whether to take the skill away, asked in every control period.
        """
        self._hold_to(constraints)
        try:
            self._runner.start(call, constraints, self._state, self._scene)
        except ReinsError as error:
            return self._refused(str(error))
        while True:
            output = self._tick(running=True)
            if output is not None and output.status is not Status.RUNNING:
                return output
            if self._taken:
                self._runner.drop()
                return self._refused("the operator drives by hand")
            if output is not None and ends(output):
                self._runner.drop()
                return self._refused("the planner has another plan")

    def wait(self, duration: float) -> None:
        """Let `duration` [s] of robot time pass with nothing commanded."""
        end = self._state.stamp + duration
        while self._state.stamp < end:
            self._tick(running=False)

    def _carry_out(self, executor: TaskExecutor, call: SkillCall, constraints: Sequence[Constraint]) -> None:
        turned = False

        def ends(output: ControlOutput) -> bool:
            nonlocal turned
            turned = self._is_advised_against(executor, output.progress)
            return turned

        output = self.run_skill(call, constraints, ends)
        success = output.status is Status.SUCCEEDED
        self._journal.skills.append((call, success))
        executor.skill_finished(success, output.reason, self._state.stamp, interrupted=self._taken or turned)

    def _is_advised_against(self, executor: TaskExecutor, progress: float) -> bool:
        """Whether the planner, if it is time to ask it, has another plan than the skill that runs.

        The world stands still while it thinks; in the graph it does not.
        """
        question = executor.consult(self._scene, progress, self._state.stamp)
        if question is None:
            return False
        try:
            return executor.advised(question.put_to(self._planner))
        except ReinsError:
            return False  # without advice it goes on

    def _ask(self, executor: TaskExecutor, ask: Ask) -> None:
        """Stand still until the plan is answered for, but no longer than the limit, and not while somebody drives."""
        end, refused = self._state.stamp + self.settings.approve_limit, ""
        while executor.asked is ask and not self._taken:
            self._tick(running=False)
            if self._state.stamp >= end:
                executor.unanswered(self.settings.approve_limit)
            elif self._approver is not None and (answer := self._approver.answer(ask, refused)) is not None:
                try:
                    executor.answer(answer, self._scene, self._state.stamp)
                except ReinsError as error:
                    refused = str(error)

    @property
    def _taken(self) -> bool:
        """Whether an operator drives by hand, or has not handed back yet."""
        return self._monitor.mode in (Mode.ACTIVE_TELEOP, Mode.HOLD)

    def _pause(self, executor: TaskExecutor, end: float) -> None:
        """Let the operator drive until the hand-back, or until robot time `end` [s]."""
        executor.pause(self._scene)
        while self._taken and self._state.stamp < end:
            self._tick(running=False)
        if self._taken:
            executor.cancel("an operator drove by hand and did not hand back in time")
        executor.resume(self._state.stamp)

    def _hold_to(self, constraints: Sequence[Constraint]) -> None:
        """Have the safety monitor keep exactly these, as the planner node does."""
        wanted = tuple(constraints)
        if wanted == self._held_to:
            return
        self._monitor.rules.clear("planner", PLANNER)
        for constraint in wanted:
            self._monitor.rules.add(constraint, PLANNER)
        self._held_to = wanted

    def _start(self) -> None:
        self.robot.connect()
        self._state = self._host.read()
        self._host.arm(publishers=1)
        self._look()
        self._tick(running=False)

    def _tick(self, *, running: bool) -> ControlOutput | None:
        """One control period; returns the skill's output if one is running."""
        state, t = self._state, self._state.stamp
        for node in WATCHED:
            self._monitor.on_heartbeat(node, t)
        self._monitor.on_state(state, t)
        self._eyes.follow(state)
        output, safe = None, None
        if running:
            self._runner.hold(self._monitor.status(t).speed_scale == 0.0)
            command, output = self._runner.step(state, self._scene)
            safe = self._monitor.on_command(command, t)
        if self._operator is not None:
            if (by_hand := self._operator.command(state)) is not None:
                safe = self._monitor.on_command(by_hand, t) or safe
            elif self._monitor.mode is Mode.HOLD and self._operator.hands_back(state):
                self._monitor.hand_back("operator", t)
        if safe is None:
            safe = self._monitor.tick(t)
        self._journal.events.extend(self._monitor.take_events())
        if self._pending is not None:
            self._host.apply(self._pending)
        self._pending = safe
        self._host.step(self._period)
        self._state = self._host.read()
        if self._state.stamp - self._last_look >= 1.0 / self.settings.camera_rate:
            self._look()
        if self._on_tick is not None:
            self._on_tick(Tick(state, safe, self._scene))
        return output

    def _look(self) -> None:
        """Give the newest images to perception."""
        self._last_look = self._state.stamp
        self._scene = self._eyes.look(self.robot, self._state)
        self._monitor.on_scene(self._scene)

    def _look_again(self) -> None:
        """Let time pass until there is a newer scene."""
        before = self._scene.stamp
        while self._scene.stamp <= before:
            self._tick(running=False)

    def _refused(self, reason: str) -> ControlOutput:
        return ControlOutput(
            np.zeros(len(self.profile.joints)),
            None,
            Status.FAILED,
            "start",
            0.0,
            reason,
        )
