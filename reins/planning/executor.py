"""Carries out one instruction in a closed loop: look, plan, act, look again, replan when the world disagrees.

Passive: it owns no thread and reads no clock. The planner node and the rig ask `next` what to do, do it, and report by
`skill_finished`. Every path ends in `Done`: looks, replans and repeated failures are all bounded. While an operator
drives by hand it is paused: `pause`, and after the hand-back `resume`; then it looks, tells what changed, plans anew.
A plan that has to be approved first is an `Ask`, and so is a question of the planner where an operator is there to
answer (`Limits.questions`): `answer` or `unanswered` says how that went, and then it looks again.
While a skill runs, `consult` says whether the planner is to be asked about it, and `advised` takes what that says.

Its parts share a `Course`, how far the task is: `Stepping` has the skill that runs, `Deciding` what comes next,
`Advisor` asks a planner whose plan goes well, and `Dialogue` the operator.
"""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Action, Ask, Limits, Outcome, Stage
from reins.planning.advice import Advice, Consultation
from reins.planning.advisor import Advisor
from reins.planning.approval import Answer, ApprovalMode, Approvals
from reins.planning.cadence import Cadence, Occasions
from reins.planning.changes import changes_text
from reins.planning.course import Course
from reins.planning.deciding import Deciding
from reins.planning.dialogue import Dialogue
from reins.planning.gaze import Gaze
from reins.planning.planner import Planner
from reins.planning.reach import Reach
from reins.planning.rules import TaskRules
from reins.planning.stepping import Stepping
from reins.planning.tracing.trace import UNTRACED, Trace
from reins.skills.registry import SkillSpec


class TaskExecutor:
    """One task.

    Args:
        planner: makes the plans and judges the goals; `next` calls it and takes as long as it does.
        registry: the skills' declarations.
        instruction: what the operator said.
        limits: bounds of the task.
        trace: takes what happens.
        cadence: how often the planner is asked while all goes well.
        approve: which plans run unasked.
        reach: the robot's workspace, if plans are to be checked against it.
    """

    def __init__(
        self,
        planner: Planner,
        registry: Mapping[str, SkillSpec],
        instruction: str,
        limits: Limits | None = None,
        trace: Trace = UNTRACED,
        cadence: Cadence | None = None,
        approve: ApprovalMode = "always",
        reach: Reach | None = None,
    ) -> None:
        self.rules: Final = TaskRules(registry, reach)
        """What the task is held to; whoever drives it says what others hold the robot to."""
        self.blind = ""
        """Why no scene comes, where that is known; whoever drives the task says so."""
        self._course: Final = Course(instruction, planner, self.rules, trace)
        self._limits: Final = limits or Limits()
        self._gaze: Final = Gaze(self._limits)
        self._left: Scene | None = None  # what an operator found who took over; None once the changes are told
        course, occasions = self._course, Occasions(cadence or Cadence())
        self._approvals: Final = Approvals(approve, self._limits.rejections, trace)
        self._advisor: Final = Advisor(course, registry, occasions, self._approvals)
        self._dialogue: Final = Dialogue(course, self._approvals, self._limits.questions)
        self._steps: Final = Stepping(course, registry, self._limits, self._gaze, occasions)
        self._deciding: Final = Deciding(
            course,
            registry,
            self._limits,
            self._gaze,
            occasions,
            self._approvals,
            self._advisor,
            self._dialogue,
            self._steps,
        )

    @property
    def instruction(self) -> str:
        """What is to be done; an operator who is asked may say it in other words."""
        return self._course.instruction

    @property
    def plan(self) -> Plan | None:
        """The plan that is being followed, or the last one."""
        return self._course.plan

    @property
    def step(self) -> int:
        """Index of the current step in the plan."""
        return self._course.step

    @property
    def stage(self) -> Stage:
        """What is being done."""
        return self._course.stage

    @property
    def replans(self) -> int:
        """How often it planned again because the world disagreed."""
        return self._course.replans

    @property
    def notes(self) -> list[str]:
        """What changed while an operator drove, and what a planner doubted, a sentence each; they go into the result's
        reason as well."""
        return self._course.notes

    @property
    def asked(self) -> Ask | None:
        """The question that waits for an operator, or None."""
        return self._approvals.open

    @property
    def over(self) -> bool:
        """Whether the task has ended."""
        return self._course.done is not None

    @property
    def current(self) -> SkillCall | None:
        """The skill that runs now, or None."""
        return self._steps.running[0] if self._steps.running else None

    def next(self, scene: Scene | None, t: float) -> Action:
        """What to do now.

        Args:
            scene: the newest scene, or None if there is none yet.
            t: robot time [s].

        Raises:
            ReinsError: a skill is still running; report it first. Or the task is paused; resume it first.
        """
        if self._course.done is not None:
            return self._course.done
        self._steps.check_idle()
        if self.stage == "paused":
            raise ReinsError("the task is paused while an operator drives: resume it after the hand-back")
        if self.asked is not None:
            return self.asked
        look = self._gaze.look(scene, t)
        if look is not None and self._gaze.waits_too_long(t):
            why = self.blind or "is perception running?"
            return self._course.end("failed", f"no new scene for {self._limits.look:.0f} s; {why}")
        if look is not None or scene is None:
            return look or self._gaze.past(t, t)
        try:
            if self._left is not None:
                self.notes.append(changes_text(self._left, scene))
                self._left = None
            return self._deciding.decide(scene, t)
        except ReinsError as error:
            return self._course.end("failed", str(error))

    def skill_finished(self, success: bool, reason: str, t: float, *, interrupted: bool = False) -> None:
        """Report how the running skill ended.

        Args:
            success: as the skill says; whether its effects are seen is checked besides.
            reason: why not, one sentence; empty on success.
            t: robot time [s].
            interrupted: it did not fail but was taken away, by teleop, by a stop, or because `advised` said so; only
                the last counts against the limits. It plans anew. Call `next` again only when control was handed back.

        Raises:
            ReinsError: no skill is running.
        """
        self._steps.finished(success, reason, t, interrupted)

    def consult(self, scene: Scene, progress: float, t: float) -> Consultation | None:
        """A question to put to the planner about the skill that runs; None if there is no occasion.

        There is none where what the skill is for is seen already: it is about to end.

        Args:
            scene: the newest one.
            progress: of the skill, 0 … 1.
            t: robot time [s].
        """
        steps = self._steps
        if steps.running is None or steps.clearing or self._course.is_operators or self.over:
            return None
        return self._advisor.consult(steps.running, steps.runs, scene, progress, t)

    def advised(self, advice: Advice) -> bool:
        """Take what the planner says about the skill that runs; whether to take that away, and report it interrupted.

        A plan that does nothing beyond what is left of the one at hand lets it go on, and so does a doubt, which is
        told. Another plan ends the skill and is followed if it still passes then; it counts as planning again.
        """
        steps = self._steps
        if steps.running is None or advice.question.run != steps.runs or self.over:
            return False  # too late
        turn = self._advisor.advised(advice, steps.running[0])
        if turn is None:
            return False
        if turn.objection:
            self._course.end("failed", turn.objection)
        steps.turn = turn
        return True

    def pause(self, scene: Scene | None) -> None:
        """An operator drives by hand. Nothing is done or judged until `resume`, and nothing counts against the limits.

        Args:
            scene: what is seen now; what the operator does to it is told after the hand-back.

        Raises:
            ReinsError: a skill is still running; end it and report it first.
        """
        self._steps.check_idle()
        self._approvals.withdraw("taken over by hand")
        self._course.stage = "paused"
        self._left = self._left or scene
        self._steps.taken(scene)

    def resume(self, t: float) -> None:
        """Control was handed back at robot time `t` [s]: look for as long as effects may take to be seen, plan anew."""
        self._course.stage = "looking"
        self._steps.cleared = False
        self._gaze.settle(t + self._limits.settle)
        self._gaze.past(t + self._limits.settle, t)

    def answer(self, answer: Answer, scene: Scene | None, t: float) -> None:
        """An operator answers the question that is open.

        Args:
            answer: what they say.
            scene: what is seen now; a plan of the operator's is verified against it.
            t: robot time [s]. What follows is decided on a newer scene.

        Raises:
            ReinsError: nothing is asked, or the plan does not pass; says why. The question stays open then.
        """
        ending = self._dialogue.answer(answer, scene, t)
        self._course.stage = "looking"
        self._gaze.past(t, t)
        self._steps.cleared = self._steps.cleared or not self._course.valid  # the arm stays where it is
        if ending is not None:
            self._course.end(*ending)

    def unanswered(self, limit: float) -> None:
        """Nobody answered within `limit` [s]: that turns a plan down, and ends the task; a question is its end."""
        outcome, reason = self._dialogue.unanswered(limit)
        self.cancel(reason, outcome)

    def cancel(self, reason: str, outcome: Outcome = "cancelled") -> None:
        """End the task; whoever drives it stops a running skill. A task that is over stays as it is.

        A `next` that another thread waits for has no say in it any more, and tells the trace no other end.
        """
        self._approvals.withdraw(reason)
        self._course.end(outcome, reason)
