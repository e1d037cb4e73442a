"""Carries out one instruction in a closed loop: look, plan, act, look again, replan when the world disagrees.

Passive: it owns no thread and reads no clock. The planner node and the rig ask `next` what to do, do it, and report by
`skill_finished`. Every path ends in `Done`: looks, replans and repeated failures are all bounded. While an operator
drives by hand it is paused: `pause`, and after the hand-back `resume`; then it looks, tells what changed, plans anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reins.contracts.errors import ReinsError
from reins.contracts.facts import Fact, facts_of
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import TABLE, Scene
from reins.planning.actions import Action, Done, Limits, Look, Outcome, RunSkill, Stage
from reins.planning.cadence import Cadence
from reins.planning.changes import changes_text
from reins.planning.planner import History, Planner, StepRecord
from reins.planning.simulation import expected_facts
from reins.planning.tracing.trace import UNTRACED, Trace, scene_entry
from reins.planning.verifier import avoided, verify
from reins.planning.words import call_text, fact_text, listed
from reins.skills.registry import SkillSpec

CLEAR_VIEW: Final = SkillCall(skill="home")
"""What is done when the arm hides what has to be seen."""


@dataclass(frozen=True, slots=True)
class _Report:
    """A skill that ran and whose effects are still to be seen."""

    call: SkillCall
    success: bool
    reason: str
    before: Scene
    ended: float
    expected: frozenset[Fact]


class TaskExecutor:
    """One task.

    Args:
        planner: makes the plans and judges the goals; `next` calls it and takes as long as it does.
        registry: the skills' declarations.
        instruction: what the operator said.
        limits: bounds of the task.
        trace: takes what happens.
        cadence: how often the planner is asked while all goes well.
    """

    def __init__(
        self,
        planner: Planner,
        registry: Mapping[str, SkillSpec],
        instruction: str,
        limits: Limits | None = None,
        trace: Trace = UNTRACED,
        cadence: Cadence | None = None,
    ) -> None:
        self.instruction: Final = instruction
        self.plan: Plan | None = None
        """The plan that is being followed, or the last one."""
        self.step = 0
        """Index of the current step in the plan."""
        self.replans = 0
        """How often it planned again because the world disagreed."""
        self.stage: Stage = "looking"
        self.standing: tuple[Constraint, ...] = ()
        """What others hold the robot to, beside the plan's own constraints; whoever drives the task says so."""
        self.blind = ""
        """Why no scene comes, where that is known; whoever drives the task says so."""
        self.notes: list[str] = []
        """What changed while an operator drove, a sentence for each time; they go into the result's reason as well."""
        self._planner = planner
        self._registry = registry
        self._limits = limits or Limits()
        self._trace = trace
        self._cadence = cadence or Cadence()
        self._planned = (0.0, frozenset[str]())  # when the plan was made, and the objects that were there
        self._history: History | None = None
        self._failures: dict[str, int] = {}
        self._moved = False  # a skill has run, well or badly
        self._runs = 0  # how many were begun
        self._left: Scene | None = None  # what an operator found who took over; None once the changes are told
        self._valid = False  # whether the plan may go on
        self._trouble: str | None = None  # why it may not; None where planning again is not held against the task
        self._running: tuple[SkillCall, Scene] | None = None
        self._clearing = False  # the running skill only clears the view
        self._cleared = False  # it has been cleared since the last step
        self._constraints: tuple[Constraint, ...] = ()
        self._agreed: dict[Constraint, None] = {}  # the constraints of all plans so far, in order
        self._report: _Report | None = None
        self._newer_than: float | None = None
        self._waiting_since = 0.0
        self._settled_at = float("-inf")
        self._done: Done | None = None

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints of the plan that is being followed."""
        return self._constraints

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
        if self._newer_than is None:
            self._newer_than, self._waiting_since = t, t
        if scene is None or scene.stamp <= self._newer_than:
            if t - self._waiting_since > self._limits.look:
                why = self.blind or "is perception running?"
                return self._end("failed", f"no new scene for {self._limits.look:.0f} s; {why}")
            return Look(self._newer_than)
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
            interrupted: it did not fail but was taken away, by teleop or by a stop. That does not count against the
                limits, and it plans anew. Call `next` again only when control was handed back.

        Raises:
            ReinsError: no skill is running.
        """
        if self._running is None:
            raise ReinsError("no skill is running, so none can have finished")
        (call, before), self._running = self._running, None
        if self._done is not None:
            return
        self._look_past(t, t)
        self.stage = "checking"
        if interrupted:
            self._valid, self._trouble = False, None
        elif not self._clearing:
            spec = self._registry[call.skill]
            expected = expected_facts(spec, spec.with_defaults(call.arguments), before.held())
            self._report = _Report(call, success, reason, before, t, expected)
            self._settled_at = t + self._limits.settle
        self._clearing = False

    def pause(self, scene: Scene | None) -> None:
        """An operator drives by hand. Nothing is done or judged until `resume`, and nothing counts against the limits.

        Args:
            scene: what is seen now; what the operator does to it is told after the hand-back.

        Raises:
            ReinsError: a skill is still running; end it and report it first.
        """
        self._check_idle()
        self.stage = "paused"
        self._left = self._left or scene
        if scene is not None and self._history is None:
            self._history = History(scene)
        report, self._report = self._report, None
        if report is not None and scene is not None and self._history is not None:
            seen = report.success and report.expected <= facts_of(scene, report.before)
            record = StepRecord(report.call, True, "", report.before, scene)
            self._history = self._history.then(record) if seen else self._history
        self._valid, self._trouble = False, None

    def resume(self, t: float) -> None:
        """Control was handed back at robot time `t` [s]: look for as long as effects may take to be seen, plan anew."""
        self.stage = "looking"
        self._settled_at = t + 2.0 * self._limits.settle
        self._cleared = False
        self._newer_than, self._waiting_since = t + self._limits.settle, t

    def cancel(self, reason: str) -> None:
        """End the task; whoever drives it stops a running skill. A task that is over stays as it is."""
        self._end("cancelled", reason)

    def _decide(self, scene: Scene, t: float) -> Action:
        if self._history is None:
            self._history = History(scene)
        forbidden = avoided(self.standing) & set(scene.objects)
        self._history = replace(self._history, forbidden=forbidden, agreed=tuple(self._agreed), left=())
        if self._left is not None:
            self.notes.append(changes_text(self._left, scene))
            self._left = None
        if self._report is not None and (action := self._judge(self._report, self._history, scene, t)):
            return action
        if self._valid and (action := self._go_on(self._history, scene, t)):
            return action
        return self._plan_again(self._history, scene, t)

    def _judge(self, report: _Report, history: History, scene: Scene, t: float) -> Action | None:
        """Whether the effects of a skill are seen; None once that is settled."""
        missing = report.expected - facts_of(scene, report.before)
        if report.success and missing:
            if t < self._settled_at:
                return self._look_past(scene.stamp, t)
            if self._can_clear_view and _hidden(missing, scene, report.ended):
                return self._clear_view(scene)
        success = report.success and not missing
        reason = report.reason or f"{listed(fact_text(fact, negated=True) for fact in sorted(missing))} afterwards"
        record = StepRecord(report.call, success, "" if success else reason, report.before, scene)
        self._history = history.then(record)
        self._trace.write("step", t=t, call=str(report.call), success=success, reason=record.reason)
        self._report = None
        if success:
            self.step += 1
        else:
            self._valid, self._trouble = False, f"{report.call} failed: {reason}"
            name = str(report.call)
            self._failures[name] = self._failures.get(name, 0) + 1
        return None

    def _go_on(self, history: History, scene: Scene, t: float) -> Action | None:
        """Follow the plan, or finish; None when the world no longer fits it."""
        assert self.plan is not None and self.plan.steps is not None
        if self._planner.quick:
            self._shorten(self.plan.steps[self.step :], history, scene)
        if self.step < len(self.plan.steps):
            problems = self._verify(self.plan, scene, self.step)
            if not problems and self._is_due(scene, t):
                self._valid, self._trouble = False, None
                self._history = replace(history, left=self.plan.steps[self.step :])
                return None
            if not problems:
                return self._run(self.plan.steps[self.step], scene)
        else:
            problems = self._planner.unmet(self.instruction, scene, history)
            if not problems:
                return self._end("succeeded", _deeds(history))
        if t < self._settled_at:
            return self._look_past(scene.stamp, t)
        self._valid, self._trouble = False, problems[0]
        return None

    def _is_due(self, scene: Scene, t: float) -> bool:
        """Whether to ask for another plan, though this one can go on."""
        made, seen = self._planned
        return self._cadence.is_due(self.step, t - made, scene.objects.keys() - seen)

    def _shorten(self, left: Sequence[SkillCall], history: History, scene: Scene) -> None:
        """Drop steps that have become needless, because somebody else did them or because another way has opened."""
        plan = self._planner.plan(self.instruction, scene, history)
        if plan.steps is not None and len(plan.steps) < len(left) and not self._verify(plan, scene):
            self.plan, self.step, self._constraints = plan, 0, plan.constraints

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
            self.plan, self.step = self._planner.plan(self.instruction, scene, history), 0
            self._planned = (t, frozenset(scene.objects))
            problems = self._verify(self.plan, scene)
            self._trace.write("plan", t=t, scene=scene_entry(scene), plan=_plan_entry(self.plan), problems=problems)
            if self.plan.question is not None:
                return self._end("question", self.plan.question)
            if self.plan.refusal is not None:
                if not self._moved:
                    return self._end("refused", self.plan.refusal)
                self._trouble = None
                if t < self._settled_at:
                    return self._look_past(scene.stamp, t)
                if not self._can_clear_view:
                    return self._end("failed", self.plan.refusal)
                return self._clear_view(scene)
            if not problems and self.plan.steps:
                self._valid, self._trouble = True, None
                self._constraints = self.plan.constraints
                self._agreed.update(dict.fromkeys(self._constraints))
                return self._run(self.plan.steps[0], scene)
            problems = problems or self._planner.unmet(self.instruction, scene, history)
            if not problems:
                return self._end("succeeded", _deeds(history))
            self._history = history = history.rejected(problems)
            self._trouble = problems[0]

    def _verify(self, plan: Plan, scene: Scene, start: int = 0) -> list[str]:
        """What is wrong with a plan, the constraints of others included as far as they are about this scene."""
        here = [c for c in self.standing if c.kind != "avoid" or c.object in scene.objects]
        bound = plan.model_copy(update={"constraints": (*plan.constraints, *here)})
        return verify(bound, scene, self._registry, start)

    def _run(self, call: SkillCall, scene: Scene) -> RunSkill | Done:
        self._runs += 1
        if self._runs > self._limits.steps:
            return self._end("failed", f"gave up after {self._limits.steps} skills")
        self.stage, self._moved = "acting", True
        self._running, self._clearing, self._cleared = (call, scene), False, False
        self._trace.write("run", t=scene.stamp, call=str(call))
        return RunSkill(call, (*self._constraints, *self.standing))

    @property
    def _can_clear_view(self) -> bool:
        return not self._cleared and CLEAR_VIEW.skill in self._registry

    def _clear_view(self, scene: Scene) -> RunSkill | Done:
        """Move the arm out of the way once, to see what it may hide."""
        action = self._run(CLEAR_VIEW, scene)
        self._clearing = self._cleared = True
        return action

    def _look_past(self, stamp: float, t: float) -> Look:
        self._newer_than, self._waiting_since = stamp, t
        return Look(stamp)

    def _check_idle(self) -> None:
        if self._running is not None:
            raise ReinsError(f"{self._running[0]} is still running: report it with skill_finished first")

    def _end(self, outcome: Outcome, reason: str) -> Done:
        if self._done is None:
            notes = self.notes if outcome in ("succeeded", "failed") else []
            self._done = Done(outcome, "; ".join((reason, *notes)), self.plan)
            self._trace.write("end", outcome=outcome, reason=self._done.reason, replans=self.replans)
        return self._done


def _plan_entry(plan: Plan) -> dict[str, Any]:
    """A plan as plain data, without what it does not say."""
    return plan.model_dump(mode="json", exclude_defaults=True)


def _hidden(facts: frozenset[Fact], scene: Scene, since: float) -> bool:
    """Whether some object that the facts are about has not been seen since then."""
    names = {name for fact in facts if fact[0] not in ("holding", "moved") for name in fact[1:] if name != TABLE}
    names |= {fact[1] for fact in facts if fact[0] == "moved"}
    return any(name not in scene.objects or scene.objects[name].last_seen <= since for name in names)


def _deeds(history: History) -> str:
    """What was done, for the result."""
    done = [call_text(record.call) for record in history.steps if record.success]
    return f"done: {listed(done)}" if done else "nothing to do: it is so already"
