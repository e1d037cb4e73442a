"""Asks the planner about a skill while it runs, in a thread beside it, and takes the skill away where that says so."""

from collections.abc import Callable

from rclpy.node import Node

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.language_models.model import Cancel
from reins.nodes.task import RunningTask
from reins.nodes.waiting import Thinking
from reins.planning.advice import Advice
from reins.planning.planner import Planner


class Advising:
    """The advice about one skill of a task. Nobody waits for it: it is looked at whenever there is a scene.

    Args:
        node: whose log tells when there is no advice.
        task: that the skill belongs to.
        planner_until: the planner, for questions that end when a cancel is given.
    """

    def __init__(self, node: Node, task: RunningTask, planner_until: Callable[[Cancel], Planner]) -> None:
        self._node, self._task, self._planner_until = node, task, planner_until
        self._cancel = Cancel()
        self._thinking: Thinking[Advice] | None = None
        self._progress = 0.0

    def progressed(self, progress: float) -> None:
        """The skill has come so far, of 0 … 1."""
        self._progress = progress

    def look(self, scene: Scene, t: float) -> None:
        """There is a newer scene at robot time `t` [s]: take advice that has come, or ask for some if it is time to."""
        if self._thinking is not None:
            self._take(self._thinking)
            return
        question = self._task.executor.consult(scene, self._progress, t)
        if question is not None:
            planner = self._planner_until(self._cancel)
            self._thinking = Thinking(self._node, lambda: question.put_to(planner))

    def end(self) -> None:
        """The skill has ended; advice about it is of no use any more."""
        self._cancel.give()

    def _take(self, thinking: Thinking[Advice]) -> None:
        if not thinking.done.done():
            return
        self._thinking = None
        try:
            advice = thinking.result()
        except ReinsError as error:
            self._node.get_logger().warning(f"no advice: {error}")
            return
        if self._task.executor.advised(advice):
            self._task.turn()
