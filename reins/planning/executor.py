"""Carries out one instruction in a closed loop: look, plan, act, look again, replan when the world disagrees.

Passive: it owns no thread and reads no clock. The planner node and the rig ask `next` what to do, do it, and report by
`skill_finished`. Every path ends in `Done`: looks, replans and repeated failures are all bounded. While an operator
drives by hand it is paused: `pause`, and after the hand-back `resume`; then it looks, tells what changed, plans anew.
A plan that has to be approved first is an `Ask`: `answer` or `unanswered` says how that went, and then it looks again.
While a skill runs, `consult` says whether the planner is to be asked about it, and `advised` takes what that says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Action, Ask, Done, Limits, Outcome, RunSkill, Stage
from reins.planning.advice import Advice, Consultation
from reins.planning.approval import Answer, ApprovalMode, Approvals, Approve, Edit, Reword, is_within
from reins.planning.cadence import Cadence, Occasions
from reins.planning.changes import changes_text
from reins.planning.check_up import doubt_of, objection_of
from reins.planning.gaze import Gaze
from reins.planning.planner import History, Planner, memory_of, unmet_effects
from reins.planning.reach import Reach
from reins.planning.reports import CLEAR_VIEW, Report, deeds, is_hidden
from reins.planning.rules import TaskRules
from reins.planning.tracing.trace import UNTRACED, Trace, write_plan
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
        self.instruction = instruction
        """What is to be done; an operator who is asked may say it in other words."""
        self.plan: Plan | None = None
        """The plan that is being followed, or the last one."""
        self.step = 0
        """Index of the current step in the plan."""
        self.replans = 0
        """How often it planned again because the world disagreed."""
        self.stage: Stage = "looking"
        self.rules: Final = TaskRules(registry, reach)
        """What the task is held to; whoever drives it says what others hold the robot to."""
        self.blind = ""
        """Why no scene comes, where that is known; whoever drives the task says so."""
        self.notes: list[str] = []
        """What changed while an operator drove, and what a planner doubted, a sentence each; they go into the result's
        reason as well."""
        self._planner = planner
        self._memory: Final = memory_of(planner)  # before this task
        self._registry = registry
        self._limits = limits or Limits()
        self._trace = trace
        self._occasions: Final = Occasions(cadence or Cadence())
        self._approvals: Final = Approvals(approve, self._limits.rejections, trace)
        self._is_operators = False  # the plan is an operator's own: it is followed to its end as it is
        self._made_in: Scene | None = None  # the scene that the plan was made for
        self._history: History | None = None
        self._failures: dict[str, int] = {}
        self._moved = False  # a skill has run, well or badly
        self._runs = 0  # how many were begun
        self._left: Scene | None = None  # what an operator found who took over; None once the changes are told
        self._valid = False  # whether the plan may go on
        self._trouble: str | None = None  # why it may not; None where planning again is not held against the task
        self._running: tuple[SkillCall, Scene] | None = None
        self._turn: tuple[str, Plan] | None = None  # why the running skill is taken away, and the plan to follow then
        self._clearing = False  # the running skill only clears the view
        self._cleared = False  # it has been cleared since the last step
        self._report: Report | None = None
        self._gaze: Final = Gaze(self._limits)
        self._done: Done | None = None

    @property
    def asked(self) -> Ask | None:
        """The question that waits for an operator, or None."""
        return self._approvals.open

    @property
    def over(self) -> bool:
        """Whether the task has ended."""
        return self._done is not None

    @property
    def current(self) -> SkillCall | None:
        """The skill that runs now, or None."""
        return self._running[0] if self._running else None

    def next(self, scene: Scene | None, t: float) -> Action:
        """What to do now.

        Args:
            scene: the newest scene, or None if there is none yet.
            t: robot time [s].

        Raises:
            ReinsError: a skill is still running; report it first. Or the task is paused; resume it first.
        """
        if self._done is not None:
            return self._done
        self._check_idle()
        if self.stage == "paused":
            raise ReinsError("the task is paused while an operator drives: resume it after the hand-back")
        if self.asked is not None:
            return self.asked
        look = self._gaze.look(scene, t)
        if look is not None and self._gaze.waits_too_long(t):
            why = self.blind or "is perception running?"
            return self._end("failed", f"no new scene for {self._limits.look:.0f} s; {why}")
        if look is not None or scene is None:
            return look or self._gaze.past(t, t)
        try:
            return self._decide(scene, t)
        except ReinsError as error:
            return self._end("failed", str(error))

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
        if self._running is None:
            raise ReinsError("no skill is running, so none can have finished")
        (call, before), self._running = self._running, None
        if self._done is not None:
            return
        self._gaze.past(t, t)
        self.stage = "checking"
        if interrupted:
            self._valid, self._trouble = False, self._turn[0] if self._turn else None
        else:
            self._turn = None  # it has ended by itself, and what was to be done instead is of no use any more
            if not self._clearing:
                self._report = Report.of(call, self._registry[call.skill], success, reason, before, t)
                self._gaze.settle(t)
        self._clearing = False

    def consult(self, scene: Scene, progress: float, t: float) -> Consultation | None:
        """A question to put to the planner about the skill that runs; None if there is no occasion.

        There is none where what the skill is for is seen already: it is about to end.

        Args:
            scene: the newest one.
            progress: of the skill, 0 … 1.
            t: robot time [s].
        """
        if self._running is None or self._clearing or self._is_operators or self.over:
            return None
        if not self._occasions.amid(progress, scene.objects.keys(), t) or self._is_all_but_done(scene, t):
            return None
        assert self._history is not None and self.plan is not None and self.plan.steps is not None
        self._occasions.asked(scene.objects.keys(), t)
        history = replace(self._history, left=self.plan.steps[self.step :])
        return Consultation(self._runs, self.instruction, scene, history)

    def advised(self, advice: Advice) -> bool:
        """Take what the planner says about the skill that runs; whether to take that away, and report it interrupted.

        A plan that does nothing beyond what is left of the one at hand lets it go on, and so does a doubt, which is
        told. Another plan ends the skill and is followed if it still passes then; it counts as planning again.
        """
        question, plan = advice.question, advice.plan
        if self._running is None or question.run != self._runs or self.over:
            return False  # too late
        call, history, scene = self._running[0], question.history, question.scene
        if is_within(plan, history.left, self.rules.plan):
            self._made_in = scene
            write_plan(self._trace, plan, scene, f"{call} goes on", (), self.rules.standing, kind="advice")
            return False
        objection = objection_of(plan, self._made_in or scene, scene, history)
        problems = self.rules.verify(plan, scene) or self._approvals.unwanted(plan)
        if not objection and (doubt := doubt_of(plan, problems)):
            self._note(doubt, plan, problems, scene)
            return False
        why = objection or f"the planner had another plan in the middle of {call}"
        write_plan(self._trace, plan, scene, why, problems, self.rules.standing, kind="advice")
        if objection:
            self._end("failed", objection)
        self._turn = why, plan
        return True

    def pause(self, scene: Scene | None) -> None:
        """An operator drives by hand. Nothing is done or judged until `resume`, and nothing counts against the limits.

        Args:
            scene: what is seen now; what the operator does to it is told after the hand-back.

        Raises:
            ReinsError: a skill is still running; end it and report it first.
        """
        self._check_idle()
        self._turn = None
        self._approvals.withdraw("taken over by hand")
        self.stage = "paused"
        self._left = self._left or scene
        if scene is not None and self._history is None:
            self._history = History(scene)
        report, self._report = self._report, None
        if report is not None and scene is not None and self._history is not None:
            record = report.judged(scene)
            self._history = self._history.then(record) if record.success else self._history
        self._valid, self._trouble = False, None

    def resume(self, t: float) -> None:
        """Control was handed back at robot time `t` [s]: look for as long as effects may take to be seen, plan anew."""
        self.stage = "looking"
        self._cleared = False
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
        plan = self._approvals.answered(answer, self.rules, scene, t)
        self.stage = "looking"
        self._gaze.past(t, t)
        if isinstance(answer, Approve | Edit):
            self._is_operators = isinstance(answer, Edit)
            self._follow(plan)
            return
        self._valid, self._trouble = False, None
        self._cleared = True  # the arm stays where it is
        if isinstance(answer, Reword):
            self._start_over(answer.instruction)
        else:
            self._turn_down(answer.reason.strip())

    def unanswered(self, limit: float) -> None:
        """Nobody answered within `limit` [s]: that turns the plan down, and ends the task."""
        self.cancel(f"nobody approved the plan within {limit:g} s, which counts as turned down")

    def ending(self, done: Done) -> dict[str, Any]:
        """How the task ended, as a trace tells it: with the plans that were remembered, and those that were not."""
        hits, misses = (now - then for now, then in zip(memory_of(self._planner), self._memory, strict=True))
        remembered = {"cache_hits": hits, "cache_misses": misses} if hits or misses else {}
        return {"outcome": done.outcome, "reason": done.reason, "replans": self.replans, **remembered}

    def cancel(self, reason: str, outcome: Outcome = "cancelled") -> None:
        """End the task; whoever drives it stops a running skill. A task that is over stays as it is.

        A `next` that another thread waits for has no say in it any more, and tells the trace no other end.
        """
        self._approvals.withdraw(reason)
        self._end(outcome, reason)

    def _decide(self, scene: Scene, t: float) -> Action:
        if self._history is None:
            self._history = History(scene)
        forbidden = self.rules.forbidden(scene)
        self._history = replace(self._history, forbidden=forbidden, agreed=self.rules.agreed, left=())
        if self._left is not None:
            self.notes.append(changes_text(self._left, scene))
            self._left = None
        if self._report is not None and (action := self._judge(self._report, self._history, scene, t)):
            return action
        if self._valid and (action := self._go_on(self._history, scene, t)):
            return action
        return self._plan_again(self._history, scene, t)

    def _judge(self, report: Report, history: History, scene: Scene, t: float) -> Action | None:
        """Whether the effects of a skill are seen; None once that is settled."""
        missing = report.missing(scene)
        if report.success and missing:
            if not self._gaze.is_settled(t):
                return self._gaze.past(scene.stamp, t)
            if self._can_clear_view and is_hidden(missing, scene, report.ended):
                return self._clear_view(scene, t)
        record = report.judged(scene)
        self._history = history.then(record)
        self._trace.write("step", t=t, call=str(report.call), success=record.success, reason=record.reason)
        self._report = None
        if record.success:
            self.step += 1
        else:
            self._valid, self._trouble = False, f"{report.call} failed: {record.reason}"
            name = str(report.call)
            self._failures[name] = self._failures.get(name, 0) + 1
        return None

    def _go_on(self, history: History, scene: Scene, t: float) -> Action | None:
        """Follow the plan, or finish; None when the world no longer fits it."""
        assert self.plan is not None and self.plan.steps is not None
        if self._planner.quick and not self._is_operators:
            self._shorten(self.plan.steps[self.step :], history, scene)
        if self.step < len(self.plan.steps):
            problems = self.rules.verify(self.plan, scene, self.step)
            if not problems and not self._is_operators and self._occasions.between(self.step, scene.objects.keys(), t):
                return self._check_up(self.plan.steps[self.step :], history, scene, t)
            if not problems:
                return self._run(self.plan.steps[self.step], scene, t)
        else:
            problems = self._unmet(scene, history)
            if not problems:
                return self._end("succeeded", deeds(history))
        if not self._gaze.is_settled(t):
            return self._gaze.past(scene.stamp, t)
        self._valid, self._trouble = False, problems[0]
        return None

    def _check_up(self, left: Sequence[SkillCall], history: History, scene: Scene, t: float) -> Action:
        """Ask for another plan though what is left of this one can be done: that goes on unless a plan comes that may
        run, or an objection."""
        self.stage = "planning"
        history = replace(history, left=tuple(left))
        plan = self._planner.plan(self.instruction, scene, history)
        self._occasions.asked(scene.objects.keys(), t)
        problems = self.rules.verify(plan, scene) or self._approvals.unwanted(plan)
        if plan.steps == ():
            problems = problems or self._planner.unmet(self.instruction, scene, history)
        objection = objection_of(plan, self._made_in or scene, scene, history)
        if not objection and (doubt := doubt_of(plan, problems)):
            self._note(doubt, plan, problems, scene)
            return self._run(left[0], scene, t)
        write_plan(self._trace, plan, scene, "", problems, self.rules.standing)
        self.plan, self.step, self._made_in, self._valid = plan, 0, scene, False
        if objection:
            return self._end("failed", objection)
        if not plan.steps:
            return self._end("succeeded", deeds(history))
        return self._ask(plan, history, scene, t) or self._run(plan.steps[0], scene, t)

    def _is_all_but_done(self, scene: Scene, t: float) -> bool:
        """Whether the effects of the running skill are seen; one that has none is done when it ends."""
        assert self._running is not None
        call, before = self._running
        report = Report.of(call, self._registry[call.skill], True, "", before, t)
        return bool(report.expected) and not report.missing(scene)

    def _note(self, doubt: str, plan: Plan, problems: Sequence[str], scene: Scene) -> None:
        """Tell of a doubt; the plan at hand goes on."""
        note = f"{doubt}; the plan at hand went on"
        if note not in self.notes:
            self.notes.append(note)
        write_plan(self._trace, plan, scene, doubt, problems, self.rules.standing, kind="doubt")

    def _shorten(self, left: Sequence[SkillCall], history: History, scene: Scene) -> None:
        """Drop steps that have become needless, because somebody else did them or because another way has opened."""
        plan = self._planner.plan(self.instruction, scene, history)
        if plan.steps is None or len(plan.steps) >= len(left) or self.rules.verify(plan, scene):
            return
        asks = self._approvals.reasons_to_ask(plan, self.rules.circumstances(scene)) is not None
        if not asks or is_within(plan, left, self.rules.plan):
            write_plan(self._trace, plan, scene, "there is a shorter way now", (), self.rules.standing)
            self.plan, self.step, self.rules.plan = plan, 0, plan.constraints
            self._made_in = scene

    def _plan_again(self, history: History, scene: Scene, t: float) -> Action:
        """Make a plan that the verifier accepts and start it, or end the task."""
        while True:
            if self._trouble is not None:
                if (
                    self.replans >= self._limits.replans
                    or max(self._failures.values(), default=0) >= self._limits.same_failures
                ):
                    return self._end("failed", f"gave up after planning again {self.replans} times: {self._trouble}")
                self.replans += 1
            self.stage = "planning"
            self.plan, self.step = self._proposal(history, scene, t), 0
            self._made_in = scene
            self._is_operators = False
            problems = self.rules.verify(self.plan, scene) or self._approvals.unwanted(self.plan)
            because = self._trouble or "; ".join(history.problems)
            write_plan(self._trace, self.plan, scene, because, problems, self.rules.standing)
            if self.plan.question is not None:
                return self._end("question", self.plan.question)
            if self.plan.refusal is not None:
                if not self._moved:
                    return self._end("refused", self.plan.refusal)
                self._trouble = None
                if not self._gaze.is_settled(t):
                    return self._gaze.past(scene.stamp, t)
                if not self._can_clear_view:
                    return self._end("failed", self.plan.refusal)
                return self._clear_view(scene, t)
            if self._approvals.exhausted:
                return self._end("question", self._approvals.exhausted)
            if not problems and self.plan.steps:
                return self._ask(self.plan, history, scene, t) or self._run(self.plan.steps[0], scene, t)
            problems = problems or self._planner.unmet(self.instruction, scene, history)
            if not problems:
                return self._end("succeeded", deeds(history))
            self._history = history = history.rejected(problems)
            self._trouble = problems[0]
            if not self._planner.quick:  # each plan has its own time, and is for what is seen now
                return self._gaze.past(scene.stamp, t)

    def _proposal(self, history: History, scene: Scene, t: float) -> Plan:
        """What the planner would do: what it said in the middle of the step that was taken away for it, or says now."""
        turn, self._turn = self._turn, None
        if turn is not None:
            return turn[1]
        plan = self._planner.plan(self.instruction, scene, history)
        self._occasions.asked(scene.objects.keys(), t)
        return plan

    def _ask(self, plan: Plan, history: History, scene: Scene, t: float) -> Ask | None:
        """Follow a plan, or ask first. What may run already is not asked about again, unless something failed."""
        may_run = self._trouble is None and is_within(plan, history.left, self.rules.plan)
        ask = None if may_run else self._approvals.consider(plan, self.rules.circumstances(scene), t)
        if ask is None:
            self._follow(plan)
        else:
            self.stage = "asking"
        return ask

    def _follow(self, plan: Plan) -> None:
        """This is the plan from now on, and it may run."""
        self.plan, self.step = plan, 0
        self._valid, self._trouble = True, None
        self.rules.follow(plan)

    def _turn_down(self, reason: str) -> None:
        """The operator does not want this plan: make another one with the reason in mind, or end."""
        if not reason:
            self._end("cancelled", "the operator turned the plan down")
            return
        assert self._history is not None
        self.rules.say(reason, self._history.initial)
        self._history = self._history.rejected([f"the operator turned it down: {reason}"])

    def _start_over(self, instruction: str) -> None:
        """The operator has said it in other words: a new task, from what is seen next."""
        self.instruction = " ".join(instruction.split())
        self._history = None
        self._failures.clear()
        self.rules.start_over()

    def _unmet(self, scene: Scene, history: History) -> list[str]:
        """What is not so although it was asked for. Of an operator's own plan, its effects are what was asked for."""
        if self._is_operators:
            return unmet_effects(scene, history, self._registry)
        return self._planner.unmet(self.instruction, scene, history)

    def _run(self, call: SkillCall, scene: Scene, t: float, is_aside: bool = False) -> RunSkill | Done:
        self._runs += 1
        if self._runs > self._limits.steps:
            return self._end("failed", f"gave up after {self._limits.steps} skills")
        self.stage, self._moved = "acting", True
        self._running, self._clearing, self._cleared = (call, scene), False, False
        self._turn = None
        self._occasions.begins(t)
        self._trace.write("run", t=scene.stamp, call=str(call), step=None if is_aside else self.step)
        return RunSkill(call, (*self.rules.own, *self.rules.standing))

    @property
    def _can_clear_view(self) -> bool:
        return not self._cleared and CLEAR_VIEW.skill in self._registry

    def _clear_view(self, scene: Scene, t: float) -> RunSkill | Done:
        """Move the arm out of the way once, to see what it may hide."""
        action = self._run(CLEAR_VIEW, scene, t, is_aside=True)
        self._clearing = self._cleared = True
        return action

    def _check_idle(self) -> None:
        if self._running is not None:
            raise ReinsError(f"{self._running[0]} is still running: report it with skill_finished first")

    def _end(self, outcome: Outcome, reason: str) -> Done:
        if self._done is None:
            notes = self.notes if outcome in ("succeeded", "failed") else []
            self._done = Done(outcome, "; ".join((reason, *notes)), self.plan)
            self._trace.write("end", **self.ending(self._done))
        return self._done
