"""The skills of a task as they run: one at a time, and what each was for has to be seen before it counts."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Action, Done, Limits, RunSkill
from reins.planning.advisor import Turn
from reins.planning.cadence import Occasions
from reins.planning.course import Course
from reins.planning.gaze import Gaze
from reins.planning.planner import History
from reins.planning.reports import CLEAR_VIEW, Report, is_hidden
from reins.skills.registry import SkillSpec


class Stepping:
    """The skill that runs, and the one that ran last.

    Args:
        course: of the task.
        registry: the skills' declarations.
        limits: of the task.
        gaze: which scenes count.
        occasions: are told when a step begins.

    Attributes:
        running: the skill that runs and the scene that it began in, or None.
        runs: how many were begun.
        clearing: the running skill only clears the view.
        cleared: it has been cleared since the last step.
        report: the last skill, until its effects are seen or missed; None once that is settled.
        turn: the plan for which the running skill is taken away.
    """

    def __init__(
        self,
        course: Course,
        registry: Mapping[str, SkillSpec],
        limits: Limits,
        gaze: Gaze,
        occasions: Occasions,
    ) -> None:
        self.running: tuple[SkillCall, Scene] | None = None
        self.runs = 0
        self.clearing = self.cleared = False
        self.report: Report | None = None
        self.turn: Turn | None = None
        self._course: Final = course
        self._registry: Final = registry
        self._limits: Final = limits
        self._gaze: Final = gaze
        self._occasions: Final = occasions

    @property
    def can_clear_view(self) -> bool:
        """Whether it helps to move the arm out of the way."""
        return not self.cleared and CLEAR_VIEW.skill in self._registry

    def check_idle(self) -> None:
        """Raise ReinsError while a skill runs."""
        if self.running is not None:
            raise ReinsError(f"{self.running[0]} is still running: report it with skill_finished first")

    def run(self, call: SkillCall, scene: Scene, t: float, is_aside: bool = False) -> RunSkill | Done:
        """Begin a skill, unless that would be one too many; `is_aside` where it is no step of the plan."""
        course, self.runs = self._course, self.runs + 1
        if self.runs > self._limits.steps:
            return course.end("failed", f"gave up after {self._limits.steps} skills")
        course.stage = "acting"
        self.running, self.clearing, self.cleared = (call, scene), False, False
        self.turn = None
        self._occasions.begins(t)
        course.trace.write("run", t=scene.stamp, call=str(call), step=None if is_aside else course.step)
        return RunSkill(call, (*course.rules.own, *course.rules.standing))

    def clear_view(self, scene: Scene, t: float) -> RunSkill | Done:
        """Move the arm out of the way once, to see what it may hide."""
        action = self.run(CLEAR_VIEW, scene, t, is_aside=True)
        self.clearing = self.cleared = True
        return action

    def finished(self, success: bool, reason: str, t: float, interrupted: bool) -> None:
        """The running skill has ended; see `TaskExecutor.skill_finished`."""
        if self.running is None:
            raise ReinsError("no skill is running, so none can have finished")
        (call, before), self.running = self.running, None
        if self._course.done is not None:
            return
        self._gaze.past(t, t)
        self._course.stage = "checking"
        if interrupted:
            self._course.leave(self.turn.why if self.turn else None)
        else:
            self.turn = None  # it has ended by itself, and what was to be done instead is of no use any more
            if not self.clearing:
                self.report = Report.of(call, self._registry[call.skill], success, reason, before, t)
                self._gaze.settle(t)
        self.clearing = False

    def judge(self, report: Report, history: History, scene: Scene, t: float) -> Action | None:
        """Whether the effects of a skill are seen; None once that is settled."""
        missing = report.missing(scene)
        if report.success and missing:
            if not self._gaze.is_settled(t):
                return self._gaze.past(scene.stamp, t)
            if self.can_clear_view and is_hidden(missing, scene, report.ended):
                return self.clear_view(scene, t)
        self._course.record(history, report.judged(scene), t)
        self.report = None
        return None

    def taken(self, scene: Scene | None) -> None:
        """An operator has taken over: what has succeeded by then counts, and nothing else is judged."""
        course, self.turn = self._course, None
        if scene is not None and course.history is None:
            course.history = History(scene)
        report, self.report = self.report, None
        if report is not None and scene is not None and course.history is not None:
            record = report.judged(scene)
            course.history = course.history.then(record) if record.success else course.history
        course.leave(None)
