"""The words of the navigation tasks, in every language in which they can be asked."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import UnknownName

LANGUAGES: Final = ("en", "zh")

BOTH: Final = "both"
"""Instead of one of them: the tasks are in each of them in turn."""

Words = Mapping[str, str]
"""By language, what means the same."""

FORMS: Final[Mapping[str, Words]] = {
    "around": {"en": "Walk around {box} to {door}, then sit", "zh": "绕过{box}走到{door}，然后坐下"},
    "past": {"en": "Go past the person to {door} and sit down", "zh": "从人旁边走过，走到{door}坐下"},
    "door": {"en": "{verb} {door}", "zh": "{verb}{door}"},
    "tour": {
        "en": "Go to {first} and then to {last}, then lie down",
        "zh": "走到{first}，再走到{last}，然后趴下",
    },
    "marker": {
        "en": "Stand up, look around, then walk to {marker} and wait for 2 seconds",
        "zh": "站起来，环顾四周，然后走到{marker}那里等两秒",
    },
    "course": {"en": "Walk {far} {direction}", "zh": "{direction}走{far}"},
    "turn": {"en": "Turn {side} by {angle}, then sit down", "zh": "{side}转{angle}，然后坐下"},
    "distance": {
        "en": "{said}, and keep {distance} away from the person",
        "zh": "{said}，和人保持{distance}的距离",
    },
}
"""Sentences with gaps; the last one goes on with any other."""

GO_TO: Final[tuple[Words, ...]] = (
    {"en": "Go to", "zh": "去"},
    {"en": "Walk over to", "zh": "走到"},
    {"en": "Please walk to", "zh": "请走到"},
)

DIRECTIONS: Final[Mapping[str, Words]] = {
    "forward": {"en": "forward", "zh": "往前"},
    "back": {"en": "back", "zh": "往后"},
    "left": {"en": "to the left", "zh": "往左"},
    "right": {"en": "to the right", "zh": "往右"},
}

SIDES: Final[Mapping[str, Words]] = {"left": {"en": "left", "zh": "向左"}, "right": {"en": "right", "zh": "向右"}}

DISTANCES: Final[Mapping[float, Words]] = {
    1.0: {"en": "a metre", "zh": "一米"},
    1.2: {"en": "1.2 metres", "zh": "1.2米"},
    1.5: {"en": "1.5 metres", "zh": "一米五"},
}
"""What is asked to be kept away from a person, of the footprint [m]."""

_COLOURS: Final = {"red": "红", "green": "绿", "blue": "蓝", "yellow": "黄", "purple": "紫", "white": "白"}
_LABELS: Final = {"door": "门", "box": "箱子", "marker": "标记"}

COLOURS: Final = tuple(_COLOURS)
"""Of things; two things of a kind never share one."""


def called(name: str) -> Words:
    """A thing by its name, which is its colour and its label."""
    colour, label = name.split("_")
    return {"en": f"the {colour} {label}", "zh": f"{_COLOURS[colour]}色的{_LABELS[label]}"}


def metres(far: float) -> Words:
    """A length [m]."""
    return {"en": f"{far:g} {'metre' if far == 1.0 else 'metres'}", "zh": f"{far:g}米"}


def degrees(angle: int) -> Words:
    """An angle [°]."""
    return {"en": f"{angle} degrees", "zh": f"{angle}度"}


def say(form: str, **parts: Words) -> Words:
    """A sentence of FORMS, its gaps filled, in every language."""
    return {
        language: FORMS[form][language].format(**{gap: words[language] for gap, words in parts.items()})
        for language in LANGUAGES
    }


def language_of(number: int, asked: str) -> str:
    """The language of the task of that number, where one of LANGUAGES is asked for, or BOTH.

    Raises:
        UnknownName: something else is.
    """
    if asked == BOTH:
        return LANGUAGES[number % len(LANGUAGES)]
    if asked not in LANGUAGES:
        raise UnknownName("language", asked, (*LANGUAGES, BOTH))
    return asked
