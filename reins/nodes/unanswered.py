"""A task's client without anybody who answers questions: the task ends with its first one, as its result."""

from collections.abc import Callable

from reins.nodes.outcomes import TaskProgress


class Unanswered:
    """Tells the planner, whenever it asks, that nobody is here to answer. A plan that waits is left to wait.

    Args:
        leave: tells it so.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave, self._is_asked = leave, False

    def hear(self, progress: TaskProgress) -> None:
        """How the task goes."""
        plan = progress.plan
        self._is_asked = progress.stage == "asking" and plan is not None and plan.question is not None

    def look(self) -> None:
        """Called again and again; may call the graph, which `hear` may not."""
        if self._is_asked:
            self._is_asked = False
            self._leave()
