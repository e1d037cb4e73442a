"""The short prompt, for a small model that was trained on it: a scene in plain lines, then the instruction.

    #scene
    red block on table 45 30 1 left green block 1 green block 2
    green block 1 in blue bowl 62 22 was on table 45 10 2 left green block 2
    blue bowl on table 62 22 4 left green block 2 behind red block green block 1
    green block 2 on table 45 -30 3
    #keep green block 2
    #done
    ok pick green block 1
    failed place_in blue bowl: the fingers closed on nothing
    #task
    put the left green block in the bowl
    #plan

One line for each object, from left (+y) to right: its name (`kind_names.py`), where it is, x and y of its centre in the
base frame [cm]; "was" says where it was when the instruction was given, if that is another place. The rest of the line
is about that time, too, for that is what the words of the instruction mean: its place in the order of nearness to the
robot's base, what it is left of, what it is behind. What is gone comes last. Sections that have nothing to say are left
out. Instructions are in small letters, with names in place of ids.
"""

from collections.abc import Iterator, Mapping
from math import dist
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.facts import MOVED_LEAST
from reins.contracts.plan import SkillCall
from reins.contracts.relations import bottom
from reins.contracts.scene import Scene, SceneObject
from reins.language_models.model import COMPACT
from reins.language_models.plain import plain_text
from reins.planning.language.kind_names import KindNames
from reins.planning.language.plain import plain_colour, plain_label
from reins.planning.planner import History, StepRecord
from reins.skills.registry import SkillSpec

FORMAT: Final = COMPACT
"""The name of this format: a GGUF file says under the key `reins.prompt` that its model takes it."""

MOST_INSTRUCTION: Final = 400
"""Characters of an instruction; a longer one is not cut, because a cut could drop its exceptions."""

MOST_STEPS: Final = 12
"""Steps of the history that are told, the newest ones."""

MOST_REASON: Final = 80
"""Characters of a reason."""

TASK: Final = "#task\n"
"""What stands before the instruction; what is before it does not depend on the instruction."""

END: Final = "#plan\n"
"""How every prompt ends; the reply begins after it."""


def compact_prompt(instruction: str, scene: Scene, history: History, registry: Mapping[str, SkillSpec]) -> str:
    """The prompt, ending with END.

    Args:
        instruction: what the operator said.
        scene: what is seen now.
        history: the task so far.
        registry: the skills' declarations, for the order of arguments.

    Raises:
        ReinsError: the instruction is empty or longer than MOST_INSTRUCTION.
    """
    names = kind_names(scene, history.initial)
    lines = ["#scene", *_objects(scene, history.initial, names)]
    if history.forbidden:
        lines.append(f"#keep {', '.join(names.shown(name) for name in sorted(history.forbidden))}")
    if history.steps:
        lines += ["#done", *(_record(record, names, registry) for record in history.steps[-MOST_STEPS:])]
    if history.problems:
        lines += ["#wrong", names.told(plain_text(history.problems[0], 2 * MOST_REASON))]
    return "\n".join((*lines, f"{TASK}{names.told(plain_instruction(instruction))}", END))


def kind_names(scene: Scene, before: Scene) -> KindNames:
    """What the objects are called.

    Args:
        scene: what is seen now.
        before: what was seen when the instruction was given.
    """
    gone = [item for item in left_to_right(before) if item.id not in scene.objects]
    return KindNames({item.id: _kind(item) for item in (*left_to_right(scene), *gone)})


def plain_instruction(instruction: str) -> str:
    """The instruction as one plain line.

    Raises:
        ReinsError: it is empty or too long.
    """
    text = plain_text(instruction, MOST_INSTRUCTION + 1)
    if not text:
        raise ReinsError("the instruction is empty; say what to do")
    if len(text) > MOST_INSTRUCTION:
        raise ReinsError(f"the instruction is longer than {MOST_INSTRUCTION} characters; say it in parts")
    return text


def left_to_right(scene: Scene) -> list[SceneObject]:
    """The objects from left (+y) to right, a stack from below; no id decides it, for an id may be anybody's text."""
    return sorted(scene.objects.values(), key=lambda item: (-item.position[1], bottom(item), item.position[0]))


def place_of(object_id: str, scene: Scene) -> tuple[str, str]:
    """Where an object is: ("in", a container), ("on", a support or the table), ("held", "") or ("loose", "")."""
    places = {(relation.predicate, relation.object) for relation in scene.relations if relation.subject == object_id}
    if any(predicate == "held" for predicate, _ in places):
        return "held", ""
    return min((place for place in places if place[0] in ("in", "on")), default=("loose", ""))


def _objects(scene: Scene, before: Scene, names: KindNames) -> Iterator[str]:
    bearings = _bearings(before, names)
    for item in left_to_right(scene):
        old = before.objects.get(item.id)
        place = _place(item, scene, names)
        was = f" was {_place(old, before, names)}" if old is not None and _has_moved(old, item, before, scene) else ""
        yield f"{names.shown(item.id)} {place}{was}{bearings.get(item.id, '')}"
    for item in left_to_right(before):
        if item.id not in scene.objects:
            yield f"{names.shown(item.id)} gone was {_place(item, before, names)}{bearings.get(item.id, '')}"


def _bearings(scene: Scene, names: KindNames) -> dict[str, str]:
    """Of each object that is not held: its place in the order of nearness (+x), and what it is left of and behind.

    A small model compares numbers badly; which one is nearest, or behind the bowl, it can look up.
    """
    held = scene.held()
    order = sorted((item for item in scene.objects.values() if item.id != held), key=_nearness)
    there = {(relation.subject, relation.predicate, relation.object) for relation in scene.relations}
    row = [item.id for item in left_to_right(scene)]

    def of(item: SceneObject, word: str, predicate: str) -> str:
        found = [names.shown(other) for other in row if (item.id, predicate, other) in there]
        return f" {' '.join((word, *found))}" if found else ""

    return {
        item.id: f" {rank}{of(item, 'left', 'left_of')}{of(item, 'behind', 'behind')}"
        for rank, item in enumerate(order, 1)
    }


def _nearness(item: SceneObject) -> tuple[float, float, float]:
    return item.position[0], bottom(item), -item.position[1]


def _kind(item: SceneObject) -> str:
    return " ".join(filter(None, (plain_colour(item.colour), plain_label(item.label))))


def _place(item: SceneObject, scene: Scene, names: KindNames) -> str:
    predicate, other = place_of(item.id, scene)
    if predicate == "held":
        return predicate
    where = f"{predicate} {names.shown(other)}" if other else predicate
    return f"{where} {round(100 * item.position[0])} {round(100 * item.position[1])}"


def _has_moved(old: SceneObject, item: SceneObject, before: Scene, scene: Scene) -> bool:
    place, other = place_of(item.id, scene), place_of(item.id, before)
    return place != other or (place[0] != "held" and dist(old.position, item.position) >= MOVED_LEAST)


def _record(record: StepRecord, names: KindNames, registry: Mapping[str, SkillSpec]) -> str:
    call = call_words(record.call, names, registry)
    return f"ok {call}" if record.success else f"failed {call}: {names.told(plain_text(record.reason, MOST_REASON))}"


def call_words(call: SkillCall, names: KindNames, registry: Mapping[str, SkillSpec]) -> str:
    """A call as the skill's name and its arguments in the declared order."""
    order = [parameter.name for parameter in registry[call.skill].parameters]
    values = [call.arguments[name] for name in order if name in call.arguments]
    return " ".join((call.skill, *(names.shown(value) if isinstance(value, str) else f"{value:g}" for value in values)))
