"""What GraphWatch makes of what it hears."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from reins_msgs import msg as ros

from reins.nodes.client import GraphClient
from reins.nodes.watch import GraphStatus, GraphWatch


class Ears:
    """A client that keeps the callbacks, so that a test can say what is heard."""

    def __init__(self, state: str = "RobotState") -> None:
        self.hear: dict[str, Callable[[Any], None]] = {}
        self.kinds: dict[str, type] = {}
        self.state = state

    def listen(self, kind: type, topic: str, _qos: object, callback: Callable[[Any], None]) -> None:
        self.hear[topic], self.kinds[topic] = callback, kind

    def types_of(self, topic: str) -> set[str]:
        assert topic == "robot_state"
        return {f"reins_msgs/msg/{self.state}"} if self.state else set()


def heard_states(monkeypatch: pytest.MonkeyPatch, *times: float) -> GraphStatus:
    """A watch that was there from second 0 on, and heard robot states at these times."""
    ears = Ears()
    watch = GraphWatch(cast(GraphClient, ears))
    ears.hear["heartbeat"](ros.Heartbeat(node="safety"))
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


@pytest.mark.parametrize("kind", [ros.RobotState, ros.LeggedState])
def test_it_listens_to_a_robot_of_either_kind_once_that_is_found(kind: type) -> None:
    ears = Ears(state="")
    watch = GraphWatch(cast(GraphClient, ears))
    ears.hear["heartbeat"](ros.Heartbeat(node="robot"))
    assert "robot_state" not in ears.kinds
    for ears.state in ("SomethingElse", kind.__name__, ""):
        ears.hear["heartbeat"](ros.Heartbeat(node="robot"))
    assert ears.kinds["robot_state"] is kind
    ears.hear["robot_state"](kind(armed=True, fault="none of yours"))
    assert (watch.status.armed, watch.status.fault) == (True, "none of yours")
