"""Instructions to stages of goals: what is to be so, in which order, and what to leave alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reins.contracts.plan import Constraint
from reins.contracts.scene import TABLE, Scene
from reins.planning.answers import CannotDo
from reins.planning.english.grammar import parse
from reins.planning.english.phrases import Utterance
from reins.planning.english.reader import Reader
from reins.planning.english.reference import Referents
from reins.planning.english.tokens import tokenise
from reins.planning.goals import Stage, Task, merge, staged
from reins.planning.words import call_text, fact_text, listed
from reins.skills.registry import SkillSpec


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
    stages = merge(staged(wishes))
    constraints = [Constraint(kind="avoid", object=name) for name in dict.fromkeys(avoid)]
    if said.speed < 1.0:
        constraints.append(Constraint(kind="speed", scale=said.speed))
    return Task(stages, tuple(constraints), _summary(stages, avoid, said))


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
