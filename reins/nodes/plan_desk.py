"""Where a plan waits for an operator: a latched topic that shows it, a service that takes the answer.

A question of the planner waits here, too: it is a plan that has nothing but that question, and is answered in words.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from rclpy.node import Node
from rclpy.task import Future
from reins_msgs import msg as ros
from reins_msgs.srv import AnswerPlan

from reins.contracts.errors import ReinsError, look_up
from reins.contracts.scene import Scene
from reins.nodes.convert import fill_time
from reins.nodes.convert_scene import plan_from_msg, plan_to_msg
from reins.nodes.qos import LATCHED
from reins.nodes.task import RunningTask
from reins.nodes.waiting import first_of
from reins.planning.actions import Ask
from reins.planning.approval import Answer, Approve, Edit, Leave, Reject, Reply, Reword

FEEDBACK: Final = 1.0
"""Time between two feedbacks of a plan that waits [s]."""

Request = AnswerPlan.Request

REPLY: Final = "reply"
LEAVE: Final = "leave"
"""Verdicts on a question of the planner."""

READERS: Final[dict[str, Callable[[Any], Answer]]] = {
    Request.APPROVE: lambda asked: Approve(asked.requested_by),
    Request.EDIT: lambda asked: Edit(plan_from_msg(asked.plan), asked.requested_by),
    Request.REWORD: lambda asked: Reword(asked.text, asked.requested_by),
    Request.REJECT: lambda asked: Reject(asked.text, asked.requested_by),
    REPLY: lambda asked: Reply(asked.text, asked.requested_by),
    LEAVE: lambda asked: Leave(asked.requested_by),
}
"""How each verdict is read."""

FOLLOWS: Final = {
    Request.APPROVE: "approved; it runs",
    Request.EDIT: "your plan runs in place of it",
    Request.REWORD: "planning for the new instruction",
    Request.REJECT: "turned down",
    REPLY: "the task goes on with your answer",
    LEAVE: "the task ends with its question",
}
"""What happens after each verdict."""


class PlanDesk:
    """One plan at a time.

    Args:
        node: its owner; everything is awaited on its executor.
        robot_time: robot time now [s].
        scene: what is seen now.
    """

    def __init__(self, node: Node, robot_time: Callable[[], float], scene: Callable[[], Scene | None]) -> None:
        self._node, self._robot_time, self._scene = node, robot_time, scene
        self._shown = node.create_publisher(ros.PlanQuestion, "planner/question", LATCHED)
        node.create_service(AnswerPlan, "planner/answer", self._on_answer)
        self._task: RunningTask | None = None
        self._answered = Future()

    async def wait(self, task: RunningTask, ask: Ask, limit: float) -> None:
        """Show a plan until it is answered or the task is interrupted; after `limit` [s] nobody has answered."""
        self._task, self._answered = task, Future()
        end = time.monotonic() + limit
        self._shown.publish(self._question(task, ask, limit))
        try:
            while task.executor.asked is ask and not task.interrupted.done():
                left = end - time.monotonic()
                if left <= 0.0:
                    task.executor.unanswered(limit)
                    return
                task.tell_question(self._robot_time(), left, ask.question)
                await first_of(self._node, min(FEEDBACK, left), self._answered, task.interrupted)
        finally:
            self._task = None
            self._shown.publish(ros.PlanQuestion())

    def _question(self, task: RunningTask, ask: Ask, limit: float) -> ros.PlanQuestion:
        now = self._robot_time()
        message = ros.PlanQuestion(number=ask.number, instruction=task.executor.instruction, limit=limit)
        fill_time(message.header.stamp, now)
        message.plan, message.risks = plan_to_msg(ask.plan, now), list(ask.risks)
        return message

    def _on_answer(self, request: AnswerPlan.Request, response: AnswerPlan.Response) -> AnswerPlan.Response:
        try:
            response.message = self._take(request)
            response.accepted = True
        except (ReinsError, ValueError) as error:  # a ValueError says what is wrong with the plan in the request
            response.message = " ".join(str(error).split())
        return response

    def _take(self, request: AnswerPlan.Request) -> str:
        """Give an answer to the task; what follows from it.

        Raises:
            ReinsError: it cannot be taken; says why.
            ValueError: its plan is none.
        """
        task = self._task
        ask = task.executor.asked if task is not None else None
        if task is None or ask is None or task.interrupted.done():
            raise ReinsError("no plan waits for an answer")
        if not request.requested_by:
            raise ReinsError("requested_by is empty; say who answers")
        if request.number not in (0, ask.number):
            raise ReinsError(f"plan {request.number} no longer waits for an answer; plan {ask.number} does")
        answer = look_up("verdict", request.verdict, READERS)(request)
        task.executor.answer(answer, self._scene(), self._robot_time())
        self._answered.set_result(None)
        self._node.get_logger().info(f"plan {ask.number}: {request.verdict} by {request.requested_by} {request.text}")
        return FOLLOWS[request.verdict]
