"""A planner that is asked although its plan goes well: in the middle of a step, between two, and for a shorter way.

What it says is taken if it may run, and told if it is a doubt; only a plan that does something else ends a step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.advice import Advice, Consultation
from reins.planning.approval import Approvals, is_within
from reins.planning.cadence import Occasions
from reins.planning.check_up import doubt_of, objection_of
from reins.planning.course import Course
from reins.planning.planner import History
from reins.planning.reports import Report
from reins.planning.tracing.trace import write_plan
from reins.skills.registry import SkillSpec


@dataclass(frozen=True, slots=True)
class Turn:
    """Another plan than the one at hand.

    Attributes:
        why: the one at hand does not go on.
        plan: what the planner says instead.
        objection: why the task ends; empty where it goes on.
    """

    why: str
    plan: Plan
    objection: str = ""


class Advisor:
    """The planner of one task, as it is asked while all goes well.

    Args:
        course: of the task.
        registry: the skills' declarations.
        occasions: when to ask.
        approvals: what operators do not want.
    """

    def __init__(
        self,
        course: Course,
        registry: Mapping[str, SkillSpec],
        occasions: Occasions,
        approvals: Approvals,
    ) -> None:
        self._course: Final = course
        self._registry: Final = registry
        self._occasions: Final = occasions
        self._approvals: Final = approvals

    def consult(
        self, running: tuple[SkillCall, Scene], run: int, scene: Scene, progress: float, t: float
    ) -> Consultation | None:
        """A question about a skill that runs; None if there is no occasion, or what it is for is seen already.

        Args:
            running: the skill, and the scene that it began in.
            run: its number in the task.
            scene: the newest one.
            progress: of the skill, 0 … 1.
            t: robot time [s].
        """
        course, objects = self._course, scene.objects.keys()
        if not self._occasions.amid(progress, objects, t) or self._is_all_but_done(running, scene, t):
            return None
        assert course.history is not None and course.plan is not None and course.plan.steps is not None
        self._occasions.asked(objects, t)
        history = replace(course.history, left=course.plan.steps[course.step :])
        return Consultation(run, course.instruction, scene, history)

    def advised(self, advice: Advice, call: SkillCall) -> Turn | None:
        """What is to be done instead of a skill that runs; None where it goes on."""
        course, plan = self._course, advice.plan
        history, scene = advice.question.history, advice.question.scene
        if is_within(plan, history.left, course.rules.plan):
            course.made_in = scene
            write_plan(course.trace, plan, scene, f"{call} goes on", (), course.rules.standing, kind="advice")
            return None
        objection = objection_of(plan, course.made_in or scene, scene, history)
        problems = course.rules.verify(plan, scene) or self._approvals.unwanted(plan)
        if not objection and (doubt := doubt_of(plan, problems)):
            self._note(doubt, plan, problems, scene)
            return None
        why = objection or f"the planner had another plan in the middle of {call}"
        write_plan(course.trace, plan, scene, why, problems, course.rules.standing, kind="advice")
        return Turn(why, plan, objection)

    def check_up(self, history: History, scene: Scene, t: float) -> Turn | None:
        """Another plan though what is left of this one can be done; None where that goes on.

        It becomes the plan at hand, which may not run yet.
        """
        course = self._course
        plan = course.planner.plan(course.instruction, scene, history)
        self._occasions.asked(scene.objects.keys(), t)
        problems = course.rules.verify(plan, scene) or self._approvals.unwanted(plan)
        if plan.steps == ():
            problems = problems or course.planner.unmet(course.instruction, scene, history)
        objection = objection_of(plan, course.made_in or scene, scene, history)
        if not objection and (doubt := doubt_of(plan, problems)):
            self._note(doubt, plan, problems, scene)
            return None
        write_plan(course.trace, plan, scene, "", problems, course.rules.standing)
        course.plan, course.step, course.made_in, course.valid = plan, 0, scene, False
        return Turn("", plan, objection)

    def shorten(self, left: Sequence[SkillCall], history: History, scene: Scene) -> None:
        """Drop steps that have become needless, because somebody else did them or because another way has opened."""
        course = self._course
        plan = course.planner.plan(course.instruction, scene, history)
        if plan.steps is None or len(plan.steps) >= len(left) or course.rules.verify(plan, scene):
            return
        asks = self._approvals.reasons_to_ask(plan, course.rules.circumstances(scene)) is not None
        if not asks or is_within(plan, left, course.rules.plan):
            write_plan(course.trace, plan, scene, "there is a shorter way now", (), course.rules.standing)
            course.plan, course.step, course.rules.plan = plan, 0, plan.constraints
            course.made_in = scene

    def _is_all_but_done(self, running: tuple[SkillCall, Scene], scene: Scene, t: float) -> bool:
        """Whether the effects of the running skill are seen; one that has none is done when it ends."""
        call, before = running
        report = Report.of(call, self._registry[call.skill], True, "", before, t)
        return bool(report.expected) and not report.missing(scene)

    def _note(self, doubt: str, plan: Plan, problems: Sequence[str], scene: Scene) -> None:
        """Tell of a doubt; the plan at hand goes on."""
        note, course = f"{doubt}; the plan at hand went on", self._course
        if note not in course.notes:
            course.notes.append(note)
        write_plan(course.trace, plan, scene, doubt, problems, course.rules.standing, kind="doubt")
