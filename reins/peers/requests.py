"""A peer's side of its pipes: requests come on stdin, answers and the world's truth go out on stdout."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from reins.peers.process import WORLD
from reins.peers.wire import world_to_json
from reins.sim.world_state import WorldState

BEHIND: Final = 1.0
"""Farther behind the clock than this, lost time is let go [s]."""

PRIORITY: Final = 50
"""A robot's computer does not wait for other processes of this machine: SCHED_FIFO, where that is allowed."""

Request = dict[str, Any]
Actions = dict[str, Callable[[Request], None]]
"""What can be asked for, by its word."""


def become_prompt() -> None:
    """Have the processor when it is needed, where the user may."""
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))


def tell(said: Request) -> None:
    """One line on stdout."""
    print(json.dumps(said), flush=True)


def tell_world(truth: WorldState) -> None:
    """What is true now."""
    tell({WORLD: world_to_json(truth)})


def next_request() -> Request | None:
    """The request that has come; None when stdin has ended."""
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def ticks(period: float) -> Iterator[float]:
    """When each cycle is due on the steady clock [s], at an absolute pace; time lost for long is let go.

    Args:
        period: of the cycles [s].
    """
    due = time.monotonic()
    while True:
        due += period
        now = time.monotonic()
        due = now if now - due > BEHIND else due
        yield due
