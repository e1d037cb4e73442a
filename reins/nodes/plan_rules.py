"""The plan's constraints, in force at the safety node while a task runs: set before anything moves, then removed."""

from collections.abc import Sequence
from typing import Any, Final

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from reins_msgs.srv import ListConstraints, RemoveConstraint, SetConstraint

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint
from reins.nodes.convert_scene import constraint_from_msg, constraint_to_msg
from reins.nodes.waiting import first_of
from reins.safety.constraints import PLANNER

ANSWER: Final = 3.0
"""How long the safety node may take to answer [s]."""


class PlanRules:
    """Sets and removes the planner's constraints. What an operator removes meanwhile is not set again.

    Args:
        node: its owner; everything is awaited on its executor.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        group = ReentrantCallbackGroup()
        self._set = node.create_client(SetConstraint, "safety/constraints/set", callback_group=group)
        self._remove = node.create_client(RemoveConstraint, "safety/constraints/remove", callback_group=group)
        self._list = node.create_client(ListConstraints, "safety/constraints/list", callback_group=group)
        self._held: dict[str, Constraint] = {}

    async def standing(self) -> tuple[Constraint, ...]:
        """The constraints in force that others set.

        Raises:
            ReinsError: the safety node does not answer.
        """
        asked = await self._ask(self._list, ListConstraints.Request())
        if asked is None or not asked.done():
            raise ReinsError(f"the safety node did not say within {ANSWER:g} s which constraints are in force")
        every = map(constraint_from_msg, asked.result().constraints)
        return tuple(constraint for constraint in every if constraint.id not in self._held)

    async def hold(self, constraints: Sequence[Constraint]) -> None:
        """See to it that exactly these are in force, of those that this object set.

        Raises:
            ReinsError: the safety node refuses one, or does not answer; says which and why.
        """
        wanted = [constraint.model_copy(update={"set_by": "planner", "id": ""}) for constraint in constraints]
        for constraint in wanted:
            if constraint not in self._held.values():
                await self._add(constraint)
        for name in [name for name, held in self._held.items() if held not in wanted]:
            await self._drop(name)

    async def release(self) -> str:
        """Remove them all; why that did not work, one sentence, or "". What was not removed stays for an operator."""
        complaints = []
        for name in list(self._held):
            complaints.append(await self._drop(name))
        return "; ".join(filter(None, complaints))

    async def _add(self, constraint: Constraint) -> None:
        request = SetConstraint.Request(constraint=constraint_to_msg(constraint), requested_by=PLANNER)
        asked = await self._ask(self._set, request)
        if asked is None or not asked.done():
            if asked is not None:
                asked.add_done_callback(self._drop_late)
            raise ReinsError(
                f"nothing is moved: the safety node did not take the constraint '{constraint}' within {ANSWER:g} s"
            )
        answer = asked.result()
        if not answer.accepted:
            raise ReinsError(f"nothing is moved: the safety node refuses '{constraint}': {answer.message}")
        self._held[answer.id] = constraint

    async def _drop(self, name: str) -> str:
        constraint = self._held.pop(name)
        asked = await self._ask(self._remove, RemoveConstraint.Request(id=name, requested_by=PLANNER))
        if asked is None or not asked.done():
            return f"the constraint '{constraint}' ({name}) stays, for safety does not answer; remove it by hand"
        answer = asked.result()
        return "" if answer.accepted else f"the constraint '{constraint}' ({name}) was not removed: {answer.message}"

    def _drop_late(self, asked: Future) -> None:
        """A constraint that is set after all is removed again."""
        answer: Any = asked.result()
        if answer is not None and answer.accepted:
            self._remove.call_async(RemoveConstraint.Request(id=answer.id, requested_by=PLANNER))

    async def _ask(self, client: Client, request: Any) -> Future | None:
        """Ask and wait, at most ANSWER; None where there is nobody to ask."""
        if not client.service_is_ready():
            await first_of(self._node, ANSWER / 2)
        if not client.service_is_ready():
            return None
        asked: Future = client.call_async(request)
        await first_of(self._node, ANSWER, asked)
        return asked
