"""What GraphWatch makes of what it hears."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from reins_msgs import msg as ros

from reins.nodes.client import GraphClient
from reins.nodes.watch import GraphStatus, GraphWatch


class Ears:
    """A client that keeps the callbacks, so that a test can say what is heard."""

    def __init__(self) -> None:
        self.hear: dict[str, Callable[[Any], None]] = {}

    def listen(self, _kind: type, topic: str, _qos: object, callback: Callable[[Any], None]) -> None:
        self.hear[topic] = callback


def heard_states(monkeypatch: pytest.MonkeyPatch, *times: float) -> GraphStatus:
    """A watch that was there from second 0 on, and heard robot states at these times."""
    ears = Ears()
    watch = GraphWatch(cast(GraphClient, ears))
    for time in times:
        monkeypatch.setattr("reins.nodes.watch.time.monotonic", lambda time=time: time)
        ears.hear["robot_state"](ros.RobotState())
    return watch.status


@pytest.mark.parametrize(
    "times, rate",
    [
        ([], 0.0),
        ([4.0], 0.0),
        ([4.0, 4.01, 4.02, 4.03], 100.0),  # those three seconds went to finding the robot
        ([0.0, 0.5, 1.0], 2.0),
    ],
)
def test_the_rate_of_states_is_that_of_the_robot_however_late_it_was_found(
    monkeypatch: pytest.MonkeyPatch, times: list[float], rate: float
) -> None:
    status = heard_states(monkeypatch, *times)
    assert status.states == len(times)
    assert status.state_rate() == pytest.approx(rate)
