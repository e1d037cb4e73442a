"""What an instruction means before anybody says it: acts, their order, rules, conditions, and what to answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal

from reins.contracts.plan import Constraint, Plan
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo
from reins.planning.goals import Displace, Goal, Task, Wish, goal_text, merge, staged
from reins.planning.planner import History
from reins.planning.pursuit import pursue
from reins.planning.words import call_text, listed
from reins.skills.registry import SkillSpec
from reins.training.planner.references import TABLE_REF, Ref, exactly

PACES: Final = {"careful": 0.5, "slow": 0.3, "very_slow": 0.2, "haste": 1.0}
"""Ways to ask for a speed, and the share of full speed that they mean; haste asks for more than the limits allow."""

FORBIDDEN: Final = "forbidden"
"""Topic of a refusal to touch what must not be touched. Its thought says first what was understood: only then can be
told what that touches."""

EFFORT: Final = 1_000
"""States that are looked at for the teacher's plan; a task that needs more is not asked for."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do.

    Attributes:
        kind: a key of `acts` in the phrases.
        wishes: what is wished; more than one where any of them will do, the teacher's choice first; none where it
            cannot be done or is not clear.
        theme: what it is done to.
        place: where.
        word: a side or a direction.
        length: how far [m]; 0 where that is not said.
        vague: the length is said as "a bit".
    """

    kind: str
    wishes: tuple[Wish, ...] = ()
    theme: Ref | None = None
    place: Ref | None = None
    word: str = ""
    length: float = 0.0
    vague: bool = False

    @property
    def refs(self) -> tuple[Ref, ...]:
        """All that it mentions."""
        return tuple(ref for ref in (self.theme, self.place) if ref is not None)


@dataclass(frozen=True, slots=True)
class Proviso:
    """A condition on the scene, and what to do where it is not so.

    Attributes:
        kind: a key of `conditions` in the phrases.
        holds: whether it is so.
        theme, place: what it is about.
        otherwise: what to do if not; None for nothing.
    """

    kind: str
    holds: bool
    theme: Ref | None = None
    place: Ref | None = None
    otherwise: Act | None = None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one instruction means in the scene in which it is given.

    Attributes:
        suite: name of the suite that it belongs to.
        acts: in the order in which they are to be done, or said.
        ordered: each one only after the one before.
        avoid: what must not be touched.
        pace: a key of PACES, or "".
        proviso: do it only if.
        answer: what a planner is to answer with.
        topic: of a question or a refusal: a key of `answers` in the phrases.
        offers: ids that a question names.
        about: words that a refusal names.
    """

    suite: str
    acts: tuple[Act, ...]
    ordered: bool = False
    avoid: tuple[Ref, ...] = ()
    pace: str = ""
    proviso: Proviso | None = None
    answer: Literal["steps", "question", "refusal"] = "steps"
    topic: str = ""
    offers: tuple[str, ...] = ()
    about: str = ""

    @property
    def composition(self) -> str:
        """Its make-up, by which compositions are held out: "in+push", "stack+avoid", "if+on"."""
        parts = ["if"] * (self.proviso is not None) + [act.kind for act in self.acts]
        return "+".join([*parts, *["avoid"] * bool(self.avoid), *[self.pace] * bool(self.pace)])

    @property
    def refs(self) -> tuple[Ref, ...]:
        """All that it mentions."""
        acts = [*self.acts]
        refs = [*self.avoid]
        if self.proviso is not None:
            acts += [self.proviso.otherwise] if self.proviso.otherwise is not None else []
            refs += [ref for ref in (self.proviso.theme, self.proviso.place) if ref is not None]
        return tuple(part for ref in (*refs, *(ref for act in acts for ref in act.refs)) for part in ref.mentioned())

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The rules that it sets."""
        rules = [Constraint(kind="avoid", object=name) for name in exactly(self.avoid)]
        if PACES.get(self.pace, 1.0) < 1.0:
            rules.append(Constraint(kind="speed", scale=PACES[self.pace]))
        return tuple(rules)

    def tasks(self) -> Iterator[Task]:
        """What is to be so, in every way that will do, the teacher's first; none if there is nothing to do."""
        acts = self.acts
        if self.proviso is not None and not self.proviso.holds:
            acts = () if self.proviso.otherwise is None else (self.proviso.otherwise,)
        for wishes in product(*(act.wishes for act in acts)) if acts else ():
            stages = merge(staged(replace(wish, after=self.ordered) for wish in wishes))
            task = Task(stages, self.constraints, "")
            yield replace(task, summary=thought_of(task))


def thought_of(task: Task) -> str:
    """What was understood, in few words: "red_block is in blue_bowl, then home; avoid plate; speed 0.5"."""
    parts = []
    for stage in task.stages:
        goals = [goal for goal in stage.goals if not _said_already(goal.fact, [other.fact for other in stage.goals])]
        parts.append(call_text(stage.act) if stage.act is not None else listed(map(_goal_words, goals)))
    return "; ".join((", then ".join(parts), *map(str, task.constraints)))


def plan_of(
    meaning: Meaning, scene: Scene, history: History, registry: Mapping[str, SkillSpec], words: str = ""
) -> Plan | None:
    """The teacher's plan.

    Args:
        meaning: of the instruction, in `history.initial`.
        scene: what is seen now.
        history: the task so far.
        registry: the skills' declarations.
        words: the question or the refusal, where that is the answer.

    Returns:
        None where the meaning asks for steps, and nothing leads there.
    """
    if meaning.answer == "question":
        return Plan(thought=f"unclear: {meaning.topic}", question=words)
    task = next(meaning.tasks(), None)
    if meaning.answer == "refusal":
        understood = f"{_told_apart(meaning)}{task.summary}; " if task and meaning.topic == FORBIDDEN else ""
        return Plan(thought=f"{understood}no: {meaning.topic}", refusal=words)
    if task is None:
        return Plan(thought="nothing to do", steps=(), constraints=meaning.constraints)
    try:
        steps = pursue(task, scene, history, registry, EFFORT)
    except CannotDo:
        return None
    return Plan(thought=_told_apart(meaning) + task.summary, steps=tuple(steps), constraints=meaning.constraints)


def _told_apart(meaning: Meaning) -> str:
    """What has to be found out first, landmarks before what they tell apart: "so: left_of red_bowl is blue_block: ".

    A model that says it can look at each in turn.
    """
    proviso = meaning.proviso
    parts = [] if proviso is None else ["so" if proviso.holds else "not so"]
    for ref in dict.fromkeys(meaning.refs):
        if ref.relation and len(ref.ids) == 1 and ref.parts and ref.parts[0] != TABLE_REF:
            parts.append(f"{ref.relation} {listed(ref.parts[0].ids)} is {ref.ids[0]}")
    return "".join(f"{part}: " for part in parts)


def _goal_words(goal: Goal) -> str:
    """A goal as a clause; of a push also how far."""
    if isinstance(goal, Displace):
        return f"{goal.object} moves {goal.direction} {100 * goal.distance:g} cm"
    return goal_text(goal)


def _said_already(fact: tuple[str, ...], others: list[tuple[str, ...]]) -> bool:
    """Whether "beside" goes without saying, because the side is said."""
    return fact[0] == "beside" and any(
        other[0] in ("left_of", "right_of", "behind", "in_front_of") and other[1:] == fact[1:] for other in others
    )
