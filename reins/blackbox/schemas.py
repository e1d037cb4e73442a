"""Message definitions as an MCAP file holds them (`ros2msg`): the .msg file, then those of all types that it uses.

Format: https://mcap.dev/spec/registry#ros2msg
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError

SEPARATOR: Final = "=" * 80
"""Line between two definitions."""

PRIMITIVES: Final = frozenset(
    ["bool", "byte", "char", "float32", "float64", "string", "wstring"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
"""Types that need no definition."""

_FIELD = re.compile(r"^\s*([A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[A-Za-z]\w*")
"""Type of a line that declares a field or a constant, without bounds and brackets."""

ShareDirectory = Callable[[str], Path]
"""Gives the folder of a ROS package in which its `msg/` lies; raises ReinsError for a package that is not there."""


def schema_text(kind: str, share_directory: ShareDirectory) -> str:
    """The definition of a message with all that it uses.

    Args:
        kind: as "reins_msgs/msg/RobotState" or "reins_msgs/RobotState".
        share_directory: where packages are.

    Raises:
        ReinsError: a package or a .msg file is missing.
    """
    first = _short(kind)
    texts = {first: _definition(first, share_directory)}
    waiting = [first]
    while waiting:
        for used in _used(waiting.pop(0), texts, share_directory):
            texts[used] = _definition(used, share_directory)
            waiting.append(used)
    parts = [texts.pop(first)]
    parts += [f"{SEPARATOR}\nMSG: {name}\n{text}" for name, text in texts.items()]
    return "\n".join(parts)


def _used(name: str, known: dict[str, str], share_directory: ShareDirectory) -> Iterator[str]:
    """Types that `name` uses and that are not known yet, each once."""
    package = name.partition("/")[0]
    found = dict.fromkeys(_types(known[name], package))
    return (used for used in found if used not in known)


def _types(text: str, package: str) -> Iterator[str]:
    for line in text.splitlines():
        match = _FIELD.match(line.partition("#")[0])
        if match is None or match.group(1) in PRIMITIVES:
            continue
        word = match.group(1)
        yield _short(word if "/" in word else f"{package}/{word}")


def _short(kind: str) -> str:
    """As "package/Name"."""
    return kind.replace("/msg/", "/")


def _definition(name: str, share_directory: ShareDirectory) -> str:
    package, _, message = name.partition("/")
    path = share_directory(package) / "msg" / f"{message}.msg"
    try:
        return path.read_text(encoding="utf-8").rstrip() + "\n"
    except OSError as error:
        raise ReinsError(f"the definition of message {name} cannot be read: {error}") from error
