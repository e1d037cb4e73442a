"""Instructions to stages of goals: what is to be so, in which order, and what to leave alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reins.contracts.plan import Constraint
from reins.contracts.scene import TABLE, Scene
from reins.planning.answers import CannotDo
from reins.planning.english.grammar import parse
from reins.planning.english.phrases import Utterance
from reins.planning.english.reader import Reader, Wish
from reins.planning.english.reference import Referents
from reins.planning.english.tokens import tokenise
from reins.planning.goals import Goal, Stage, merge, subject
from reins.planning.words import call_text, fact_text, listed
from reins.skills.library import DIRECTIONS
from reins.skills.registry import SkillSpec


@dataclass(frozen=True, slots=True)
class Task:
    """What an instruction means in a scene.

    Attributes:
        stages: what is to be so, one after the other; at least one.
        constraints: what to avoid, how fast.
        summary: the above in a sentence.
    """

    stages: tuple[Stage, ...]
    constraints: tuple[Constraint, ...]
    summary: str

    @property
    def objects(self) -> frozenset[str]:
        """Ids of all objects that it is about."""
        goals = (goal for stage in self.stages for goal in (*stage.goals, *stage.kept))
        names = {name for goal in goals for name in goal.fact[1:]} - {TABLE, *DIRECTIONS}
        calls = (stage.act for stage in self.stages if stage.act is not None)
        targets = {str(call.arguments["target"]) for call in calls if "target" in call.arguments}
        return frozenset(names | targets | {rule.object for rule in self.constraints if rule.object})


def read(instruction: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> Task:
    """Understand an instruction.

    Args:
        instruction: controlled English.
        scene: the scene in which it was given.
        registry: the skills' declarations.

    Raises:
        CannotDo: a word, an object or a place that does not exist or does not fit; says what does.
        Unclear: it can mean several things; asks.
    """
    said = parse(tokenise(instruction, scene))
    rules = [replace(phrase, quantity="all") if phrase.quantity == "a" else phrase for phrase in said.avoid]
    late = [phrase for phrase in rules if phrase.pronoun or phrase.other]  # these need to know what was spoken of
    avoid = [name for phrase in rules if phrase not in late for name in Referents(scene).resolve(phrase)]
    reader = Reader(scene, registry, frozenset(avoid))
    wishes = [reader.clause(clause) for clause in said.clauses]
    avoid += [name for phrase in late for name in reader.referents.resolve(phrase)]
    if TABLE in avoid:
        raise CannotDo("I cannot avoid the table: everything stands on it")
    stages = merge(_staged(wishes))
    constraints = [Constraint(kind="avoid", object=name) for name in dict.fromkeys(avoid)]
    if said.speed < 1.0:
        constraints.append(Constraint(kind="speed", scale=said.speed))
    return Task(stages, tuple(constraints), _summary(stages, avoid, said))


def _staged(wishes: Iterable[Wish]) -> tuple[Stage, ...]:
    """What is wished together makes one stage, unless it cannot be so at one time or its order matters."""
    stages: list[Stage] = []
    for wish in wishes:
        last = stages[-1] if stages else None
        if wish.after or last is None or last.act is not None or wish.act is not None or _apart(last.goals, wish.goals):
            stages.append(Stage(goals=wish.goals, act=wish.act))
        else:
            stages[-1] = Stage(goals=(*last.goals, *wish.goals))
    return tuple(stages)


def _apart(one: Sequence[Goal], other: Sequence[Goal]) -> bool:
    """Whether goals have to be reached one after the other: what is held or pushed, or two about the same object."""
    passing = any(goal.fact[0] in ("holding", "moved") for goal in one) or any(
        goal.fact[0] == "moved" for goal in other
    )
    return passing or bool({subject(goal) for goal in one} & {subject(goal) for goal in other})


def _summary(stages: Sequence[Stage], avoid: Sequence[str], said: Utterance) -> str:
    parts = [
        call_text(stage.act) if stage.act is not None else listed(fact_text(goal.fact) for goal in stage.goals)
        for stage in stages
    ]
    text = f"wanted: {', then '.join(parts)}"
    if avoid:
        text += f"; not to be touched: {listed(avoid)}"
    if said.speed < 1.0:
        text += f"; at {said.speed:.0%} of full speed"
    return "; ".join((text, *said.notes))
