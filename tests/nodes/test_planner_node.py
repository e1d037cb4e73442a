"""The planner node, by itself: a task that is over is not planned for, and a trace that breaks off is told."""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from faulty_server import hangs, serving
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.utilities import try_shutdown

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.scene import Scene
from reins.demo.session import free_domain
from reins.language_models.model import Cancelled
from reins.nodes.planner import PlannerNode
from reins.planning.planner import History

pytestmark = pytest.mark.ros

LIMIT = 10.0
"""Longest wait in these tests [s]."""


class Goal(SimpleNamespace):
    """What the node asks of a goal, and what it says of it."""

    def __init__(self, instruction: str) -> None:
        super().__init__(request=SimpleNamespace(instruction=instruction, approve=""), is_cancel_requested=False)
        self.ends: list[str] = []
        self.succeed = lambda: self.ends.append("succeeded")
        self.abort = lambda: self.ends.append("aborted")


@pytest.fixture
def made(tmp_path: Path) -> Iterator[PlannerNode]:
    """A node that is not configured, with its traces in a folder of the test."""
    rclpy.init(domain_id=free_domain())
    node = PlannerNode()
    set_parameters(node, trace_folder=str(tmp_path))
    yield node
    node.trigger_cleanup()
    node.destroy_node()
    try_shutdown()


def set_parameters(node: PlannerNode, **parameters: Any) -> None:
    results = node.set_parameters([Parameter(name, value=value) for name, value in parameters.items()])
    assert all(result.successful for result in results)


def configure(node: PlannerNode) -> list[str]:
    """What the node tells from then on, beside its log."""
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    told: list[str] = []

    def tell(severity: Severity, kind: str, reason: str) -> None:
        told.append(f"{kind}: {reason}")

    node._tell = tell  # type: ignore[method-assign]
    return told


def carry_out(node: PlannerNode, goal: Goal) -> Any:
    """The result of a task that waits for nothing."""
    working = node._execute(goal)
    with pytest.raises(StopIteration) as end:
        working.send(None)
    return end.value.value


def test_a_trace_that_breaks_off_is_told_at_the_end(made: PlannerNode) -> None:
    told, goal = configure(made), Goal("")
    made._task = made._begin(goal)
    assert told == []
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        made._trace._file = full
        assert carry_out(made, goal).outcome == "refused"
    assert told == ["no_trace: the trace of this task has no end: No space left on device"]
    assert goal.ends == ["aborted"]


def test_a_trace_that_is_whole_is_not_told_of_and_one_that_never_was_is_told_once(
    made: PlannerNode, tmp_path: Path
) -> None:
    told, goal = configure(made), Goal("")
    made._task = made._begin(goal)
    carry_out(made, goal)
    assert told == []
    for path in tmp_path.iterdir():
        path.unlink()
    tmp_path.rmdir()
    tmp_path.touch()
    made._task = made._begin(goal)
    carry_out(made, goal)
    (trouble,) = told
    assert trouble.startswith(f"no_trace: no trace is written to {tmp_path}")


def test_a_task_that_ends_before_its_planner_is_asked_holds_up_no_model(made: PlannerNode) -> None:
    begin, ended, raised = threading.Event(), threading.Event(), list[Exception]()

    def late(_scene: Scene | None, _t: float) -> None:
        begin.wait(LIMIT)
        scene = Scene(1.0, "state")
        try:
            task.executor._course.planner.plan(task.executor.instruction, scene, History(scene))
        except ReinsError as error:
            raised.append(error)
        ended.set()

    with serving(hangs) as server:
        set_parameters(made, backend="openai", base_url=server.url, model="m", answer_limit=LIMIT)
        configure(made)
        task = made._begin(Goal("put the red block in the blue bowl"))
        task.executor.next = late  # type: ignore[method-assign,assignment]
        task.end("cancelled by the operator", failed=False)
        with pytest.raises(StopIteration):
            made._next(task).send(None)
        begin.set()
        assert ended.wait(LIMIT)
        assert [type(error) for error in raised] == [Cancelled] and server.bodies == []
