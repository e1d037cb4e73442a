"""Runs skills for the planner node: what does not answer in time is cancelled and confirmed stopped."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from action_msgs.srv import CancelGoal
from rclpy.action.client import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from reins_msgs.action import ExecuteSkill
from reins_msgs.srv import EmergencyStop

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.nodes.control_loop import Inbox
from reins.nodes.convert_scene import call_to_msg, constraint_to_msg
from reins.nodes.qos import CONTROL
from reins.nodes.waiting import first_of
from reins.nodes.wires import Wire

ACCEPTANCE: Final = 3.0
"""How long the skills node may take to accept a goal [s]."""

MARGIN: Final = 5.0
"""How much longer than the skill's own limit a result may take [s, robot time]."""

FROZEN: Final = 2.0
"""Robot time that stands still for this long [s] counts as a robot that is gone."""

CANCELLING: Final = 4.0
"""How long a cancelled skill may take to end [s]."""

STOPPING: Final = 3.0
"""How long the robot may take to stand after a cancel that nobody confirmed, before an emergency stop [s]."""

GLANCE: Final = 0.1
"""Time between two looks at whether the robot stands [s]."""

Tell = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class SkillEnd:
    """How a skill ended; `reason` is empty on success."""

    success: bool
    reason: str


class SkillClient:
    """One skill at a time.

    Args:
        node: its owner; everything is awaited on its executor.
        wire: of the robot.
        robot_time: robot time now [s].
        by_hand: whether an operator drives now, so that a robot that moves says nothing about a skill.
        held: whether safety holds the robot now, because a person is too near; the time does not count.
    """

    def __init__(
        self,
        node: Node,
        wire: Wire,
        robot_time: Callable[[], float],
        by_hand: Callable[[], bool],
        held: Callable[[], bool],
    ) -> None:
        self._wire = wire
        self._node, self._robot_time, self._by_hand, self._held = node, robot_time, by_hand, held
        self._client = ActionClient(node, ExecuteSkill, "skills/execute")
        self._cancel_all = node.create_client(CancelGoal, "skills/execute/_action/cancel_goal")
        self._estop = node.create_client(EmergencyStop, "safety/estop")
        self._states: Inbox[Any] = Inbox(node, wire.state, "robot_state", CONTROL)

    def destroy(self) -> None:
        """Close the action client; the node destroys the rest."""
        self._client.destroy()

    async def run(
        self, call: SkillCall, constraints: Sequence[Constraint], limit: float, tell: Tell, over: Future
    ) -> SkillEnd:
        """Run one skill to its end.

        Args:
            call, constraints: what to run.
            limit: the skill's own time limit [s, robot time].
            tell: told phase and progress (0 … 1) as they come.
            over: when this future is done the skill is cancelled.

        Raises:
            ReinsError: the skill could not be stopped, or nobody says that it has; the robot was stopped another way.
        """
        if not self._client.server_is_ready():
            await first_of(self._node, ACCEPTANCE, over)
            if not self._client.server_is_ready():
                return SkillEnd(False, "no skills node answers on skills/execute; is it up?")
        goal = ExecuteSkill.Goal(call=call_to_msg(call), constraints=[constraint_to_msg(c) for c in constraints])
        asked = self._client.send_goal_async(goal, lambda m: tell(m.feedback.phase, m.feedback.progress))
        await first_of(self._node, ACCEPTANCE, asked)
        if not asked.done():
            asked.add_done_callback(_cancel_late)
            await self._stop_unheard(f"{call} was not accepted within {ACCEPTANCE:g} s")
            return SkillEnd(False, f"the skills node did not accept {call} within {ACCEPTANCE:g} s")
        handle = asked.result()
        if not handle.accepted:
            return SkillEnd(False, f"the skills node rejected {call}; its log and safety/events say why")
        result = handle.get_result_async()
        why = await self._wait(result, limit, over)
        if not result.done():
            handle.cancel_goal_async()
            await first_of(self._node, CANCELLING, result)
            if not result.done():
                await self._stop_unheard(f"{call} {why} and did not end when cancelled")
                return SkillEnd(False, f"{call} {why} and did not end when cancelled")
        answer = result.result().result
        return SkillEnd(answer.success, answer.reason if not why or answer.success else f"{call} {why}")

    async def _wait(self, result: Future, limit: float, over: Future) -> str:
        """Wait for the result; empty when it came, else why it is waited for no longer."""
        begin = last = self._robot_time()
        moved = time.monotonic()
        while not result.done() and not over.done():
            await first_of(self._node, 1.0, result, over)
            now = self._robot_time()
            if now != last:
                begin += now - last if self._held() else 0.0
                last, moved = now, time.monotonic()
            elif time.monotonic() - moved > FROZEN:
                return f"was stopped: the robot's state is silent for {FROZEN:g} s"
            if now - begin > limit + MARGIN:
                return f"gave no result within {limit + MARGIN:g} s"
        return "was cancelled" if not result.done() else ""

    async def _stop_unheard(self, why: str) -> None:
        """Nobody confirms that the skill ended: cancel whatever runs, then look whether the robot stands.

        Raises:
            ReinsError: it does not, so it was stopped by an emergency stop. Or an operator drives, who is not stopped:
                safety lets no command of the old skill through after that.
        """
        self._node.get_logger().error(f"{why}: cancelling every skill")
        if self._cancel_all.service_is_ready():
            self._cancel_all.call_async(CancelGoal.Request())
        if self._by_hand():
            raise ReinsError(f"{why}; an operator drives by hand, and no command of the skill gets through any more")
        self._states.drain()
        standing, end = 0, time.monotonic() + STOPPING
        while standing < 3 and time.monotonic() < end:
            await first_of(self._node, GLANCE)
            states = self._states.drain()
            still = bool(states) and self._wire.stands(self._wire.state_from_msg(states[-1]))
            standing = standing + 1 if still else 0
        if standing >= 3:
            return
        reason = f"{why}, and the robot does not stand still"
        self._estop.call_async(EmergencyStop.Request(requested_by=self._node.get_name(), reason=reason))
        raise ReinsError(f"emergency stop: {reason}; look at the robot, then `reins reset`")


def _cancel_late(asked: Future) -> None:
    """A goal that is accepted after all is cancelled at once."""
    handle: Any = asked.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()
