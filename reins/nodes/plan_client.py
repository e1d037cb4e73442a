"""What an operator says to the planner of a graph: answers to plans that wait, why-questions, the end of a task."""

import time
from collections.abc import Callable
from typing import Final

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from reins_msgs import msg as ros
from reins_msgs.srv import AnswerPlan, Explain

from reins.nodes.client import GraphClient
from reins.nodes.convert_scene import plan_from_msg, plan_to_msg
from reins.nodes.outcomes import PlanQuestion, Reply
from reins.nodes.qos import LATCHED
from reins.planning.approval import Answer, Edit, Leave, Reject, Reword
from reins.planning.approval import Reply as Words

ARRIVAL: Final = 3.0
"""How long a latched question may take to arrive [s]."""


class PlanClient:
    """Asks the planner node of a graph. Every method raises ReinsError when nobody answers.

    Args:
        client: of that graph.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client

    def watch(self, on_question: Callable[[PlanQuestion | None], None]) -> None:
        """Tell of every plan that waits for an answer from now on, and of None when it waits no longer."""
        self._client.listen(ros.PlanQuestion, "planner/question", LATCHED, lambda m: on_question(question_from_msg(m)))

    def waiting(self) -> PlanQuestion | None:
        """The plan that waits now, or None."""
        heard: list[PlanQuestion | None] = []
        tap = self._client.listen(
            ros.PlanQuestion, "planner/question", LATCHED, lambda message: heard.append(question_from_msg(message))
        )
        end = time.monotonic() + ARRIVAL
        while not heard and time.monotonic() < end:
            self._client.step(ARRIVAL)
        self._client.ignore(tap)
        return heard[-1] if heard else None

    def answer(self, answer: Answer, number: int = 0) -> Reply:
        """Answer the question of that number, or whichever is open if it is 0."""
        fields: dict[str, object] = {"number": number, "requested_by": answer.by, "verdict": "approve"}
        if isinstance(answer, Edit):
            fields |= {"verdict": "edit", "plan": plan_to_msg(answer.plan, 0.0)}
        elif isinstance(answer, Reword):
            fields |= {"verdict": "reword", "text": answer.instruction}
        elif isinstance(answer, Reject):
            fields |= {"verdict": "reject", "text": answer.reason}
        elif isinstance(answer, Words):
            fields |= {"verdict": "reply", "text": answer.text}
        elif isinstance(answer, Leave):
            fields |= {"verdict": "leave"}
        reply = self._client.call(AnswerPlan, "planner/answer", "planner", fields)
        return Reply(reply.accepted, reply.message)

    def explain(self, question: str) -> str:
        """Why the robot did what it did in the newest task."""
        return str(self._client.call(Explain, "planner/explain", "planner", {"question": question}).answer)

    def abort(self) -> Reply:
        """Cancel the task that runs, whoever gave it; the arm brakes."""
        cancel = {"goal_info": GoalInfo()}  # an id of zeros means every goal
        reply = self._client.call(CancelGoal, "planner/execute_task/_action/cancel_goal", "planner", cancel)
        if reply.goals_canceling:
            return Reply(True, "the task is cancelled")
        return Reply(False, "no task runs")


def question_from_msg(message: ros.PlanQuestion) -> PlanQuestion | None:
    """A plan that waits; None of a message that says that none does."""
    if message.number == 0:
        return None
    plan = plan_from_msg(message.plan)
    return PlanQuestion(message.number, message.instruction, plan, tuple(message.risks), message.limit)
