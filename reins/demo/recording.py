"""What happened during one task: everything that the report and the video are made from."""

from dataclasses import dataclass, field, replace

import numpy as np

from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray, RobotState
from reins.nodes.outcomes import TaskProgress
from reins.sim.world_state import WorldState


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of the task: what stage it was in, which step, from when to when (robot time) [s]."""

    stage: str
    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class ModeChange:
    """The safety monitor went into a mode at robot time `stamp` [s]."""

    stamp: float
    mode: str
    reason: str


@dataclass(slots=True)
class Recording:
    """A sink for `reins.nodes.recorder` and for a task's feedback. Times are robot time [s].

    `calls` are the skills that ran, in order; `caption` is what perception said last.
    """

    states: list[RobotState] = field(default_factory=list)
    worlds: list[WorldState] = field(default_factory=list)
    events: list[SafetyEvent] = field(default_factory=list)
    modes: list[ModeChange] = field(default_factory=list)
    plans: list[tuple[float, Plan]] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    calls: list[SkillCall] = field(default_factory=list)
    caption: str = ""

    @property
    def now(self) -> float:
        """Robot time of the newest state; 0 before the first."""
        return self.states[-1].stamp if self.states else 0.0

    @property
    def start(self) -> float:
        """Robot time of the first state; 0 if there is none."""
        return self.states[0].stamp if self.states else 0.0

    def on_state(self, state: RobotState) -> None:
        """Keep it, unless time stood still or went back."""
        if not self.states or state.stamp > self.states[-1].stamp:
            self.states.append(state)

    def on_world(self, world: WorldState) -> None:
        """Keep it, unless time stood still or went back."""
        if not self.worlds or world.stamp > self.worlds[-1].stamp:
            self.worlds.append(world)

    def on_event(self, event: SafetyEvent) -> None:
        """Keep it."""
        self.events.append(event)

    def on_mode(self, stamp: float, mode: str, reason: str) -> None:
        """Keep changes only."""
        if not self.modes or self.modes[-1].mode != mode:
            self.modes.append(ModeChange(stamp, mode, reason))

    def on_scene(self, scene: Scene) -> None:
        """Keep the caption of the newest."""
        self.caption = scene.caption

    def on_plan(self, stamp: float, plan: Plan) -> None:
        """Keep it, unless it is the one before."""
        if not self.plans or self.plans[-1][1] != plan:
            self.plans.append((stamp, plan))

    def on_progress(self, progress: TaskProgress) -> None:
        """The task says where it is: lengthen the current interval, or begin one."""
        stage, text = progress.stage, progress.step_text
        last = self.intervals[-1] if self.intervals else None
        if last is not None:
            self.intervals[-1] = replace(last, end=self.now)
        if last is None or (last.stage, last.text) != (stage, text):
            self.intervals.append(Interval(stage, text, self.now, self.now))
            if stage == "acting" and text and progress.plan is not None and progress.plan.steps:
                self.calls.append(progress.plan.steps[progress.step])

    def finish(self) -> None:
        """The task ended: the last interval lasts until now."""
        if self.intervals:
            self.intervals[-1] = replace(self.intervals[-1], end=self.now)

    def times(self) -> FloatArray:
        """(t,) stamps of the states."""
        return np.array([state.stamp for state in self.states])

    def positions(self) -> FloatArray:
        """(t, n) joint positions [rad]."""
        return np.array([state.position for state in self.states])

    def velocities(self) -> FloatArray:
        """(t, n) joint velocities [rad/s]."""
        return np.array([state.velocity for state in self.states])

    def widths(self) -> FloatArray:
        """(t,) distance between the fingers [m]."""
        return np.array([state.gripper_width for state in self.states])

    def text_at(self, stamp: float) -> str:
        """What the task was doing at a time."""
        for interval in reversed(self.intervals):
            if interval.start <= stamp:
                return interval.text or interval.stage
        return ""
