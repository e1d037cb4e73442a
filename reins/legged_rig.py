"""The rig of a legged robot: the same cores as the ROS 2 graph, in lock-step, without ROS; see `reins.rig`.

The legs are physics and a gait, the safety monitor is the graph's own, and scenes are the simulator's truth, or what
the camera in the head has seen. A command that was computed from the state of one period acts in the next, as there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from typing_extensions import Self

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import Scene
from reins.hardware.host import DriverHost
from reins.hardware.legged import BodyCommand, LeggedState, SafeBodyCommand
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.legged_eyes import STATE, open_legged_eyes
from reins.locomotion.walks import SCRIPTED, make_legs
from reins.planning.actions import Done, Look, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import Cancellable
from reins.rig import WATCHED, Journal, RigResult
from reins.safety.constraints import PLANNER
from reins.safety.monitor import SafetyMonitor
from reins.safety.settings import SafetySettings
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.simulators import make_walker
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput
from reins.skills.legged.factory import LeggedFactory
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.legged.runner import LeggedRunner
from reins.skills.legged.stances import posture_of


@dataclass(frozen=True, slots=True)
class LeggedRigSettings:
    """What the rig runs.

    Attributes:
        robot: profile name.
        backend: physics engine.
        walk: what carries the robot, as `reins.locomotion.walks.make_legs` takes it.
        planner: a name of `reins.planning.factory.WALKING`.
        language: of planners that ask a language model.
        perception: a name of `reins.legged_eyes.BACKENDS`.
        scene_rate: how often it is looked what stands about [Hz], robot time.
        task_time_limit: a task that takes longer fails [s], robot time.
    """

    robot: str = "go2"
    backend: str = "mujoco"
    walk: str = SCRIPTED
    planner: str = "symbolic"
    language: LanguageSettings = field(default_factory=LanguageSettings)
    perception: str = STATE
    scene_rate: float = 5.0
    task_time_limit: float = 300.0


@dataclass(frozen=True, slots=True, eq=False)
class LeggedTick:
    """What one control period looked like, for audits and recordings."""

    state: LeggedState
    command: SafeBodyCommand | None
    scene: Scene


class LeggedRig:
    """The whole stack on one simulated legged robot, which begins lying at the origin.

    Args:
        settings: backends.
        ground: what it walks on, and what stands there.
        seed: of the direction that it begins in.

    Attributes:
        on_tick: called after every control period.

    Raises:
        ReinsError: an unknown robot, backend, walk or planner; says which exist.
    """

    def __init__(self, settings: LeggedRigSettings, ground: GroundSpec, seed: int) -> None:
        self.settings, self.ground = settings, ground
        self.profile = load_profile(settings.robot, QuadrupedProfile)
        self._planner = make_planner(settings.planner, LEGGED_SKILLS, settings.language, kind=self.profile.kind)
        if isinstance(self._planner, Cancellable):
            self._planner.warm_up()
        self.on_tick: Callable[[LeggedTick], None] | None = None
        self._period = 1.0 / self.profile.rates.command
        factory = LeggedFactory(self.profile)
        self._runner = LeggedRunner(LEGGED_SKILLS, dict.fromkeys(factory.skills, factory), self.profile)
        self._monitor: SafetyMonitor[LeggedState, BodyCommand, SafeBodyCommand] = SafetyMonitor(
            self.profile, SafetySettings(), WATCHED
        )
        self.robot = make_walker(settings.backend, self.profile, ground, seed, make_legs(settings.walk, self.profile))
        self._eyes = open_legged_eyes(settings.perception, self.profile, ground)
        self._host: DriverHost[LeggedState, SafeBodyCommand] = DriverHost(self.robot, self.profile)
        self._journal = Journal()
        self._pending: SafeBodyCommand | None = None
        self._held_to: tuple[Constraint, ...] = ()
        self._looked = float("-inf")
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the robot, and the planner's model."""
        self.robot.close()
        self._eyes.close()
        if isinstance(self._planner, Cancellable):
            self._planner.close()

    @property
    def state(self) -> LeggedState:
        """What the robot measures now; in simulation that is true."""
        return self._state

    @property
    def scene(self) -> Scene:
        """What is known to stand about."""
        return self._scene

    def run(self, instruction: str) -> RigResult:
        """Carry out one instruction, closed loop, to its end."""
        begin = self._state.stamp
        self._journal = Journal()
        executor = TaskExecutor(self._planner, LEGGED_SKILLS, instruction)
        while True:
            action = executor.next(self._scene, self._state.stamp)
            if isinstance(action, Done):
                break
            if self._state.stamp - begin > self.settings.task_time_limit:
                executor.cancel(f"the task took longer than {self.settings.task_time_limit:.0f} s")
            elif isinstance(action, Look):
                self._look_again()
            elif isinstance(action, RunSkill):
                output = self.run_skill(action.call, action.constraints)
                success = output.status is Status.SUCCEEDED
                self._journal.skills.append((action.call, success))
                executor.skill_finished(success, output.reason, self._state.stamp)
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

    def run_skill(self, call: SkillCall, constraints: Sequence[Constraint] = ()) -> BodyOutput:
        """Carry out one skill to its end; the constraints stay in force until other ones follow."""
        self._hold_to(constraints)
        try:
            self._runner.start(call, constraints, self._state, self._scene)
        except ReinsError as error:
            posture = posture_of(self._state, self.profile)
            return BodyOutput(np.zeros(3), posture, Status.FAILED, "start", 0.0, str(error))
        while True:
            output = self._tick(running=True)
            if output is not None and output.status is not Status.RUNNING:
                return output

    def wait(self, duration: float) -> None:
        """Let `duration` [s] of robot time pass with nothing commanded."""
        end = self._state.stamp + duration
        while self._state.stamp < end:
            self._tick(running=False)

    def _start(self) -> None:
        self.robot.connect()
        self._state = self._host.read()
        self._host.arm(publishers=1)
        self._monitor.on_state(self._state, self._state.stamp)
        self._look()
        self._tick(running=False)

    def _tick(self, *, running: bool) -> BodyOutput | None:
        """One control period; returns the skill's output if one is running."""
        state, t = self._state, self._state.stamp
        for node in WATCHED:
            self._monitor.on_heartbeat(node, t)
        self._monitor.on_state(state, t)
        output, safe = None, None
        if running:
            self._runner.hold(self._monitor.status(t).speed_scale == 0.0)
            command, output = self._runner.step(state, self._scene)
            safe = self._monitor.on_command(command, t)
        if safe is None:
            safe = self._monitor.tick(t)
        self._journal.events.extend(self._monitor.take_events())
        if self._pending is not None:
            self._host.apply(self._pending)
        self._pending = safe
        self._host.step(self._period)
        self._state = self._host.read()
        self._eyes.follow(self._state)
        if self._state.stamp - self._looked >= 1.0 / self.settings.scene_rate:
            self._look()
        if self.on_tick is not None:
            self.on_tick(LeggedTick(state, safe, self._scene))
        return output

    def _look(self) -> None:
        """See what stands about."""
        self._looked = self._state.stamp
        self._scene = self._eyes.look(self.robot, self._state)
        self._monitor.on_scene(self._scene)

    def _look_again(self) -> None:
        """Let time pass until there is a newer scene."""
        before = self._scene.stamp
        while self._scene.stamp <= before:
            self._tick(running=False)

    def _hold_to(self, constraints: Sequence[Constraint]) -> None:
        """Have the safety monitor keep exactly these, as the planner node does."""
        wanted = tuple(constraints)
        if wanted == self._held_to:
            return
        self._monitor.rules.clear("planner", PLANNER)
        for constraint in wanted:
            self._monitor.rules.add(constraint, PLANNER)
        self._held_to = wanted
