"""The JSON object in a model's reply. Whatever a model says is checked here before anything else looks at it."""

import json
import math
import re
from typing import Any, Final, Literal, NoReturn

from reins.contracts.errors import ReinsError
from reins.language_models.model import MOST_REPLY
from reins.language_models.plain import quoted, whole_signs

Fault = Literal["nothing", "prose", "cut", "broken"]

_THINKING: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
_QUOTED: Final = 60  # characters of a reply that are quoted in an error


class NoObject(ReinsError):
    """A reply without a JSON object in it that can be read.

    Args:
        fault: "nothing" was said, or only "prose"; an object was "cut" off, or is "broken".
        why: one sentence.
    """

    def __init__(self, fault: Fault, why: str) -> None:
        self.fault: Final = fault
        super().__init__(why)


def first_object(text: str) -> dict[str, Any]:
    """The first JSON object in a reply. What a model thinks aloud or writes around is ignored.

    Nothing is said twice in it, and neither true nor false, NaN nor infinity, for no schema of ours has them; and every
    sign of it is whole.

    Raises:
        NoObject: there is none; says why.
    """
    if len(text) > MOST_REPLY:
        raise NoObject("broken", f"the reply has {len(text)} characters; at most {MOST_REPLY} are read")
    begin = _begin(text)
    if begin < 0:
        said = _THINKING.sub("", text)
        fault: Fault = "prose" if said.strip() else "nothing"
        raise NoObject(fault, f"the reply has no JSON object in it: “{_quoted(said)}”")
    try:
        found, _ = _DECODER.raw_decode(text, begin)
        told = json.dumps(found, ensure_ascii=False)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "ends in the middle of its JSON" if is_cut else "is not valid JSON"
        raise NoObject(
            "cut" if is_cut else "broken",
            f"the reply {what}, at character {error.pos}: {error.msg}: “{_quoted(text[begin:])}”",
        ) from error
    except RecursionError:
        raise NoObject("broken", "the reply is nested too deeply to be read") from None
    except ValueError:  # Python reads no longer ones
        raise NoObject("broken", f"the reply has a number of thousands of digits: “{_quoted(text[begin:])}”") from None
    assert isinstance(found, dict), "what begins with a brace is an object"
    if whole_signs(told) != told:
        raise NoObject("broken", "the reply has half a sign in it, a surrogate without its other half")
    return found


def _begin(text: str) -> int:
    """Where the first object begins that is not thought aloud; -1 if there is none. What is within it is said."""
    at = 0
    while (thought := _THINKING.search(text, at)) is not None and thought.start() < text.find("{", at):
        at = thought.end()
    return text.find("{", at)


def _quoted(text: str) -> str:
    return quoted(text, _QUOTED)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Nothing is said twice, or readers could differ in which of the two they take."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NoObject("broken", f"the reply says '{_quoted(name)}' twice")
        if isinstance(value, bool):
            raise NoObject(
                "broken", f"the reply says '{_quoted(name)}' is {str(value).lower()}, and no such values are asked for"
            )
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise NoObject("broken", f"the reply has {_quoted(name)} in it, which is no number")


def _finite(said: str) -> float:
    return value if math.isfinite(value := float(said)) else _no_number(said)


_DECODER: Final = json.JSONDecoder(
    strict=False, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_number
)
