"""What an instruction says must not be touched, read without a model: no reply can drop it.

A model may add constraints to these and never takes one away. What stands in quotes is text that somebody refers to (a
sign, a caption), not something that the operator asks for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene, SceneObject
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.lexicon import Kind, vocabulary
from reins.planning.english.meaning import read
from reins.skills.registry import SkillSpec

_QUOTED: Final = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|‘[^’]*’|「[^」]*」|『[^』]*』|(?<!\w)'[^']*'(?!\w)")
_APOSTROPHE: Final = re.compile(r"(?<=\w)’(?=\w)")
_CHINESE_NOT: Final = re.compile(
    r"(?:不要|别|不许|不能|不准|勿|禁止)(?:再)?(?:去)?(?:碰到|触碰|碰|动|推|拿|移动|接触|靠近)([^，。；！？,.;!?]*)"
)
_CHINESE_JOIN: Final = re.compile(r"[和或与、跟及]")
_CHINESE_CARE: Final = {"小心": 0.5, "轻轻": 0.5, "轻一点": 0.5, "慢慢": 0.3, "慢一点": 0.3, "缓慢": 0.3}
CHINESE_COLOURS: Final = {
    **{"红": "red", "绿": "green", "蓝": "blue", "黄": "yellow", "白": "white", "黑": "black"},
    **{"橙": "orange", "紫": "purple", "粉": "pink", "棕": "brown", "灰": "grey"},
}
CHINESE_KINDS: Final = {"方块": "block", "积木": "block", "木块": "block", "碗": "bowl", "盘": "plate", "碟": "plate"}
_END: Final = re.compile(r"[.;!?\n]|\bthen\b")
_PART: Final = re.compile(r",|\band\b|\bbut\b|\bwhile\b")
_WORD: Final = re.compile(r"\s+")


def said_constraints(instruction: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...]:
    """The constraints that the instruction states in words that are known.

    The whole is read if all of it is understood, else each clause that forbids something, and each adverb of care.

    Args:
        instruction: what the operator said.
        scene: the scene in which it was said.
        registry: the skills' declarations.
    """
    said = _QUOTED.sub(" ", _APOSTROPHE.sub("'", instruction)).lower()
    whole = _read(said, scene, registry)
    if whole is not None:
        return whole
    words = vocabulary(scene)
    forbidding = [phrase for phrase, (kind, _) in words.items() if kind is Kind.NOT]
    leaving = [phrase for phrase, (kind, value) in words.items() if kind is Kind.ALONE and value == "leave"]
    sweeping = [phrase for phrase, (kind, _) in words.items() if kind is Kind.ALL]
    found: list[Constraint] = []
    for clause in _clauses(said, [*forbidding, *leaving]):
        readings = (_read(f"go home, {part}", scene, registry) for part in _shorter(clause, sweeping))
        found += next((reading for reading in readings if reading), ())
    found += _chinese(said, scene)
    speeds = [float(value) for phrase, (kind, value) in words.items() if kind is Kind.ADVERB and _has(phrase, said)]
    return tightest([*found, *(Constraint(kind="speed", scale=scale) for scale in speeds)])


def _chinese(said: str, scene: Scene) -> list[Constraint]:
    """The same in Chinese: what follows "do not touch" in its clause, by colour and kind, and words of care.

    Exceptions ("nothing but the red one") are left to the model.
    """
    named = [
        item.id
        for match in _CHINESE_NOT.finditer(said)
        if "除" not in match[1]
        for item in scene.objects.values()
        for part in _CHINESE_JOIN.split(match[1])
        if _is_meant(part, item)
    ]
    rules = [Constraint(kind="avoid", object=name) for name in dict.fromkeys(named)]
    return rules + [Constraint(kind="speed", scale=scale) for word, scale in _CHINESE_CARE.items() if word in said]


def _is_meant(text: str, item: SceneObject) -> bool:
    """Whether a phrase names an object's colour, or its kind without any colour."""
    colours = {colour for sign, colour in CHINESE_COLOURS.items() if sign in text}
    kinds = {kind for sign, kind in CHINESE_KINDS.items() if sign in text}
    return (
        bool(colours or kinds) and item.colour in (colours or {item.colour}) and item.label in (kinds or {item.label})
    )


def tightest(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Each constraint once, and of the speeds the lowest."""
    kept = dict.fromkeys(rule.model_copy(update={"set_by": "planner", "id": ""}) for rule in constraints)
    speeds = [rule for rule in kept if rule.kind == "speed"]
    slowest = min(speeds, key=lambda rule: rule.scale, default=None)
    return tuple(rule for rule in kept if rule.kind != "speed" or rule is slowest)


def _read(text: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...] | None:
    """The constraints of a text that is understood; None of one that is not."""
    try:
        return read(text, scene, registry).constraints
    except (CannotDo, Unclear):
        return None


def _clauses(said: str, beginnings: list[str]) -> Iterator[str]:
    """What begins with one of the phrases, up to the end of its sentence."""
    starts = {
        match.start() for phrase in beginnings for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", said)
    }
    for start in sorted(starts):
        yield _END.split(said[start:], maxsplit=1)[0]


def _shorter(clause: str, sweeping: list[str]) -> Iterator[str]:
    """The clause, then ever shorter beginnings of it: what follows may be something else.

    One about all things is cut between its parts only, for what follows within a part is often an exception.
    """
    cut = _PART if any(_has(phrase, clause) for phrase in sweeping) else _WORD
    for end in (len(clause), *reversed([match.start() for match in cut.finditer(clause)])):
        yield clause[:end]


def _has(phrase: str, said: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", said) is not None
