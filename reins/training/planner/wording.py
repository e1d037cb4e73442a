"""The little language of phrases: choices, things that may be left out, and names that are filled in."""

import re
from collections.abc import Mapping
from random import Random
from typing import Final

_CHOICE: Final = re.compile(r"\{([^{}\[\]]*)\}")
_MAYBE: Final = re.compile(r"\[([^{}\[\]]*)\]")
_SLOT: Final = re.compile(r"<([a-z_0-9]+)>")
_SAID: Final = 0.5


def spoken(phrase: str | list[str], rng: Random, values: Mapping[str, str]) -> str:
    """A phrase with its choices made and its names filled in. What is left out together with an empty value is so:
    "[<colour>] <label>" has no colour where that is "".

    Raises:
        KeyError: a name has no value.
    """
    text = rng.choice(phrase) if isinstance(phrase, list) else phrase
    while True:
        chosen = _CHOICE.sub(lambda found: rng.choice(found.group(1).split("|")), text, count=1)
        if chosen == text:
            chosen = _MAYBE.sub(lambda found: _maybe(found.group(1), rng, values), text, count=1)
        if chosen == text:
            break
        text = chosen
    return _SLOT.sub(lambda found: values[found.group(1)], text)


def _maybe(inner: str, rng: Random, values: Mapping[str, str]) -> str:
    """What stands in brackets: always said if it has a name with a value in it, never if that is empty."""
    names = _SLOT.findall(inner)
    if names:
        return inner if all(values.get(name) for name in names) else ""
    return inner if rng.random() < _SAID else ""
