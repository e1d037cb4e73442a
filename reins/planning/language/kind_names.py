"""What objects are called in the short prompt: by colour and label, with a number where several look alike.

Ids are whatever perception makes of them. A small model spells badly, but it puts an operator's words into these names
almost as it translates, without having to find an id first; only of look-alikes it has to find out which one is meant.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from reins.contracts.plan import Plan
from reins.planning.language.plain import NAME, TAKEN, UNNAMED, renamed

_SPOKEN: Final = re.compile(r"[0-9_]")


class KindNames:
    """Names for objects.

    Args:
        kinds: id → colour and label, e.g. "red block", in the order in which the prompt tells of them.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        said = {name: UNNAMED if kind in TAKEN or not kind else kind for name, kind in kinds.items()}
        alike, so_far = Counter(said.values()), Counter[str]()
        self._shown: dict[str, str] = {}
        for name, kind in said.items():
            so_far[kind] += 1
            self._shown[name] = f"{kind} {so_far[kind]}" if alike[kind] > 1 else kind
        self._ids = {shown: name for name, shown in self._shown.items()}
        self._spoken_ids = _any_of([name for name in kinds if NAME.fullmatch(name) and _SPOKEN.search(name)])
        self._spoken_names = _any_of(list(self._ids))

    def shown(self, object_id: str) -> str:
        """What an object is called; what is not among them, such as the table, keeps its name."""
        if object_id in self._shown:
            return self._shown[object_id]
        return object_id if NAME.fullmatch(object_id) else UNNAMED

    def told(self, text: str) -> str:
        """A text in small letters with names in place of ids.

        An id that is a word, without a digit or an underscore, stays: nobody knows whether it is meant as one.
        """
        return self._named(text.lower())

    def point(self, plan: Plan) -> Plan:
        """A plan as a model is to say it: names in place of ids, in its words too."""
        return renamed(plan, self.shown, self._named)

    def restore(self, plan: Plan) -> Plan:
        """The plan with the objects' ids in place of their names, in its words too."""
        return renamed(plan, lambda shown: self._ids.get(shown, shown), self._spelt)

    def _named(self, text: str) -> str:
        return self._spoken_ids.sub(lambda found: self._shown[found[0]], text)

    def _spelt(self, text: str) -> str:
        return self._spoken_names.sub(lambda found: self._ids[found[0]], text)


def _any_of(names: list[str]) -> "re.Pattern[str]":
    """Finds any of these, the longest first, that is no part of a longer word; where there are none, nothing."""
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"(?<![a-z0-9_])(?:{longest_first})(?![a-z0-9_])" if names else "(?!)")
