"""Tests against peers that have a clock of their own: they need the processor when the peer expects an answer."""

import os
from collections.abc import Iterator

import pytest

from reins.nodes.scheduling import set_scheduling


@pytest.fixture(autouse=True)
def _prompt() -> Iterator[None]:
    """Real-time priority where the machine allows it, for this thread and those that it starts."""
    set_scheduling(os.SCHED_FIFO, 40, [0])
    yield
    set_scheduling(os.SCHED_OTHER, 0, [0])
