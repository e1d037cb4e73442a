"""What a task does next, on a scene: judge the last step, go on with the plan, or plan again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.actions import Action, Ask, Done, Limits
from reins.planning.advisor import Advisor
from reins.planning.approval import Approvals
from reins.planning.cadence import Occasions
from reins.planning.course import Course
from reins.planning.dialogue import Dialogue
from reins.planning.gaze import Gaze
from reins.planning.planner import History, unmet_effects
from reins.planning.reports import deeds
from reins.planning.stepping import Stepping
from reins.planning.tracing.trace import write_plan
from reins.skills.registry import SkillSpec


class Deciding:
    """The decisions of one task.

    Args:
        course: of the task.
        registry: the skills' declarations.
        limits: of the task.
        gaze: which scenes count.
        occasions: when the planner is asked though all goes well.
        approvals: what operators do not want.
        advisor: asks it then.
        dialogue: puts plans and questions to an operator.
        steps: the skills that run.
    """

    def __init__(
        self,
        course: Course,
        registry: Mapping[str, SkillSpec],
        limits: Limits,
        gaze: Gaze,
        occasions: Occasions,
        approvals: Approvals,
        advisor: Advisor,
        dialogue: Dialogue,
        steps: Stepping,
    ) -> None:
        self._course: Final = course
        self._registry: Final = registry
        self._limits: Final = limits
        self._gaze: Final = gaze
        self._occasions: Final = occasions
        self._approvals: Final = approvals
        self._advisor: Final = advisor
        self._dialogue: Final = dialogue
        self._steps: Final = steps

    def decide(self, scene: Scene, t: float) -> Action:
        """What to do now, at robot time `t` [s].

        Raises:
            ReinsError: the planner failed; says why.
        """
        course, rules = self._course, self._course.rules
        forbidden = rules.forbidden(scene)
        history = course.history or History(scene)
        course.history = replace(history, forbidden=forbidden, agreed=rules.agreed, left=())
        report = self._steps.report
        if report is not None and (action := self._steps.judge(report, course.history, scene, t)):
            return action
        if course.valid and (action := self._go_on(course.history, scene, t)):
            return action
        return self._plan_again(course.history, scene, t)

    def _go_on(self, history: History, scene: Scene, t: float) -> Action | None:
        """Follow the plan, or finish; None when the world no longer fits it."""
        course = self._course
        assert course.plan is not None and course.plan.steps is not None
        if course.planner.quick and not course.is_operators:
            self._advisor.shorten(course.plan.steps[course.step :], history, scene)
        if left := course.plan.steps[course.step :]:
            problems = course.rules.verify(course.plan, scene, course.step)
            objects = scene.objects.keys()
            if not problems and not course.is_operators and self._occasions.between(course.step, objects, t):
                return self._check_up(left, history, scene, t)
            if not problems:
                return self._steps.run(left[0], scene, t)
        else:
            problems = self._unmet(scene, history)
            if not problems:
                return course.end("succeeded", deeds(history))
        if not self._gaze.is_settled(t):
            return self._gaze.past(scene.stamp, t)
        course.leave(problems[0])
        return None

    def _check_up(self, left: Sequence[SkillCall], history: History, scene: Scene, t: float) -> Action:
        """Ask for another plan though what is left of this one can be done: that goes on unless a plan comes that may
        run, or an objection."""
        course = self._course
        course.stage = "planning"
        history = replace(history, left=tuple(left))
        turn = self._advisor.check_up(history, scene, t)
        if turn is None:
            return self._steps.run(left[0], scene, t)
        if turn.objection:
            return course.end("failed", turn.objection)
        if not turn.plan.steps:
            return course.end("succeeded", deeds(history))
        return self._ask(turn.plan, history, scene, t) or self._steps.run(turn.plan.steps[0], scene, t)

    def _plan_again(self, history: History, scene: Scene, t: float) -> Action:
        """Make a plan that the verifier accepts and start it, or end the task."""
        course = self._course
        while True:
            if course.trouble is not None:
                if self._is_stuck:
                    why = f"gave up after planning again {course.replans} times: {course.trouble}"
                    return course.end("failed", why)
                course.replans += 1
            course.stage = "planning"
            plan = self._proposal(history, scene, t)
            course.plan, course.step, course.made_in, course.is_operators = plan, 0, scene, False
            problems = course.rules.verify(plan, scene) or self._approvals.unwanted(plan)
            because = course.trouble or "; ".join(history.problems) or history.newest_answer
            write_plan(course.trace, plan, scene, because, problems, course.rules.standing)
            if plan.question is not None:
                return self._ask_back(plan.question, history, t)
            if plan.refusal is not None:
                return self._refused(plan.refusal, scene, t)
            if self._approvals.exhausted:
                return self._ask_back(self._approvals.exhausted, history, t)
            if not problems and plan.steps:
                return self._ask(plan, history, scene, t) or self._steps.run(plan.steps[0], scene, t)
            problems = problems or course.planner.unmet(course.instruction, scene, history)
            if not problems:
                return course.end("succeeded", deeds(history))
            course.history = history = history.rejected(problems)
            course.trouble = problems[0]
            if not course.planner.quick:  # each plan has its own time, and is for what is seen now
                return self._gaze.past(scene.stamp, t)

    @property
    def _is_stuck(self) -> bool:
        """Whether it has planned again, or the same step has failed, too often."""
        failures = max(self._course.failures.values(), default=0)
        return self._course.replans >= self._limits.replans or failures >= self._limits.same_failures

    def _proposal(self, history: History, scene: Scene, t: float) -> Plan:
        """What the planner would do: what it said in the middle of the step that was taken away for it, or says now."""
        turn, self._steps.turn = self._steps.turn, None
        if turn is not None:
            return turn.plan
        plan = self._course.planner.plan(self._course.instruction, scene, history)
        self._occasions.asked(scene.objects.keys(), t)
        return plan

    def _refused(self, refusal: str, scene: Scene, t: float) -> Action:
        """The planner has none; after something has moved only once all is seen."""
        if not self._steps.runs:
            return self._course.end("refused", refusal)
        self._course.trouble = None
        if not self._gaze.is_settled(t):
            return self._gaze.past(scene.stamp, t)
        if not self._steps.can_clear_view:
            return self._course.end("failed", refusal)
        return self._steps.clear_view(scene, t)

    def _ask(self, plan: Plan, history: History, scene: Scene, t: float) -> Ask | None:
        """Follow a plan, or ask first."""
        ask = self._dialogue.consider(plan, history, scene, t)
        if ask is not None:
            self._course.stage = "asking"
        return ask

    def _ask_back(self, question: str, history: History, t: float) -> Ask | Done:
        """Put a question to the operator, or end with it."""
        ask = self._dialogue.ask_back(question, history, t)
        if ask is None:
            return self._course.end("question", question)
        self._course.stage = "asking"
        return ask

    def _unmet(self, scene: Scene, history: History) -> list[str]:
        """What is not so although it was asked for. Of an operator's own plan, its effects are what was asked for."""
        if self._course.is_operators:
            return unmet_effects(scene, history, self._registry)
        return self._course.planner.unmet(self._course.instruction, scene, history)
