"""How answers are put in one language: sentences with gaps, as data, and lists of names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


def is_chinese(text: str) -> bool:
    """Whether a text is to be read, and answered, as Chinese: one character is enough."""
    return _HAN.search(text) is not None


@dataclass(frozen=True, slots=True)
class Wording:
    """Says things in one language.

    Attributes:
        sentences: by key, with gaps for `str.format`.
        comma: between the names of a list.
        last_and, last_or: before the last one, with the spaces that they take; "a、b" has the comma there, too.
        nothing: a list without names.
    """

    sentences: Mapping[str, str]
    comma: str = ", "
    last_and: str = " and "
    last_or: str = " or "
    nothing: str = "nothing"

    def say(self, key: str, **parts: object) -> str:
        """The sentence of that key, its gaps filled."""
        return self.sentences[key].format(**parts)

    def listed(self, names: Iterable[str]) -> str:
        """All of these."""
        return self._list(names, self.last_and)

    def either(self, names: Iterable[str]) -> str:
        """One of these."""
        return self._list(names, self.last_or)

    def _list(self, names: Iterable[str], last: str) -> str:
        *others, end = tuple(names) or (self.nothing,)
        return f"{self.comma.join(others)}{last}{end}" if others else end
