"""Facts and skill calls in plain English, for thoughts, reasons, questions and refusals."""

from collections.abc import Iterable, Sequence
from typing import Final

from reins.contracts.facts import Fact
from reins.contracts.plan import SkillCall

_PHRASES: Final = {
    "in": "{0} is {n}in {1}",
    "on": "{0} is {n}on {1}",
    "beside": "{0} is {n}beside {1}",
    "left_of": "{0} is {n}left of {1}",
    "right_of": "{0} is {n}right of {1}",
    "behind": "{0} is {n}behind {1}",
    "in_front_of": "{0} is {n}in front of {1}",
    "moved": "{0} has {n}moved {1}",
    "is": "{0} is {n}{1}",
    "at": "{0} is {n}at {1}",
    "holding": "{0} is {n}held",
    "hand_empty": "the hand is {n}empty",
    "clear": "{0} has {a}thing on or in it",
    "room": "{0} has {r}room for more",
}


def fact_text(fact: Fact, negated: bool = False) -> str:
    """A fact as a clause: "red_block is in blue_bowl"; negated: "red_block is not in blue_bowl"."""
    arguments = ["anything" if argument == "*" else argument for argument in fact[1:]]
    phrase = _PHRASES.get(fact[0], "{n}" + " ".join(("{0}", fact[0].replace("_", " "), *arguments[1:])))
    return phrase.format(
        *arguments, n="not " if negated else "", a="some" if negated else "no", r="no " if negated else ""
    )


def call_text(call: SkillCall) -> str:
    """A call in words: "place_in blue_bowl"."""
    return " ".join((call.skill, *(str(value) for value in call.arguments.values())))


def listed(items: Iterable[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"; "nothing" if there are none."""
    every: Sequence[str] = tuple(items)
    if len(every) < 2:
        return every[0] if every else "nothing"
    return f"{', '.join(every[:-1])} {last} {every[-1]}"
