"""The line by which the supervisor tells a runner how a node stands; any runner may show it."""

import re
from typing import Final

_LINE: Final = re.compile(r"node '(?P<node>[^']+)' is (?P<state>[a-z ]+)$")


def state_line(node: str, state: str) -> str:
    """ "node 'robot' is active"; read back by `parse_state_line`."""
    return f"node '{node}' is {state}"


def parse_state_line(line: str) -> tuple[str, str] | None:
    """Node and state, if the line ends with what `state_line` writes."""
    match = _LINE.search(line.rstrip())
    return (match["node"], match["state"]) if match else None
