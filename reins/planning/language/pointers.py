"""What objects are called in the short prompt: one sign each, for a small model to point with.

A model that has to find an object and then spell its id errs in the spelling, and learns slowly: an id is several
tokens, and ids of look-alikes begin alike. A sign is one token, stands right behind the object's colour and label, and
is copied whole. In its thought a model says colour and label once more before the sign, so that it puts the operator's
words into those of the prompt first, and then only has to go on as the prompt does. Signs are Greek letters: neither
English nor Chinese instructions have them, so they can be told from words wherever they stand, and put back into ids in
whatever the model says.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count, product
from typing import Final

from reins.contracts.plan import Plan
from reins.planning.language.plain import NAME, UNNAMED, renamed

SIGNS: Final = "αβγδεζηθικλμνξοπρστυφχψω"
"""The first two dozen objects; later ones have several signs."""

_SIGN: Final = re.compile(f"[{SIGNS}]+")
_SPOKEN: Final = re.compile(r"[0-9_]")
_NO_SIGNS: Final = str.maketrans(dict.fromkeys(SIGNS + SIGNS.upper() + "ς", " "))


class Pointers:
    """Signs for objects.

    Args:
        kinds: id → what tells the object from others, e.g. "red block", in the order in which the prompt tells of them.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        ids = list(kinds)
        self._signs = dict(zip(ids, _signs(), strict=False))
        self._ids = {sign: name for name, sign in self._signs.items()}
        self._told = {name: f"{kinds[name]} {sign}".lstrip() for name, sign in self._signs.items()}
        spoken = sorted((name for name in ids if NAME.fullmatch(name) and _SPOKEN.search(name)), key=len, reverse=True)
        named = "|".join(map(re.escape, spoken))
        self._names = re.compile(f"(?<![a-z0-9_])(?:{named})(?![a-z0-9_])") if spoken else None

    def shown(self, object_id: str) -> str:
        """The sign of an object; what is not among them, such as the table, is called by its name."""
        if object_id in self._signs:
            return self._signs[object_id]
        return object_id if NAME.fullmatch(object_id) else UNNAMED

    def told(self, text: str) -> str:
        """A text in small letters with signs in place of ids, and without any signs of its own.

        An id that is a word, without a digit or an underscore, stays: nobody knows whether it is meant as one.
        """
        clean = " ".join(text.lower().translate(_NO_SIGNS).split())
        return clean if self._names is None else self._names.sub(lambda found: self._signs[found[0]], clean)

    def point(self, plan: Plan) -> Plan:
        """A plan as a model is to say it: signs in place of ids, in its words with colour and label before them."""
        return renamed(plan, self.shown, self._pointed)

    def restore(self, plan: Plan) -> Plan:
        """The plan with the objects' ids in place of their signs, in its words too."""
        return renamed(plan, lambda sign: self._ids.get(sign, sign), self._spelt)

    def _pointed(self, text: str) -> str:
        return text if self._names is None else self._names.sub(lambda found: self._told[found[0]], text)

    def _spelt(self, text: str) -> str:
        for name, told in self._told.items():
            text = re.sub(f"{re.escape(told)}(?![{SIGNS}])", lambda _, name=name: name, text)
        return _SIGN.sub(lambda found: self._ids.get(found[0], found[0]), text)


def _signs() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(SIGNS, repeat=length))
