"""The services by which people and the planner set, list and remove constraints: safety/constraints/…"""

from collections.abc import Callable
from typing import Any, Protocol

from pydantic import ValidationError
from rclpy.node import Node
from reins_msgs.srv import ListConstraints, RemoveConstraint, SetConstraint

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint
from reins.nodes.convert_scene import constraint_from_msg, constraint_to_msg
from reins.safety.constraints import ConstraintSet
from reins.safety.rules import Rules


class Ask(Protocol):
    """Runs a function on the rules in the thread that owns them and gives what it returns; raises ReinsError."""

    def __call__(self, function: Callable[[Rules], Any], /) -> Any: ...


class RuleServices:
    """Wiring around one `Rules`.

    Args:
        node: the owner.
        ask: see `Ask`.
        constraints: those that the rules are about; looked at only, which needs no other thread.
    """

    def __init__(self, node: Node, ask: Ask, constraints: ConstraintSet) -> None:
        self._ask, self._constraints = ask, constraints
        node.create_service(SetConstraint, "safety/constraints/set", self._on_set)
        node.create_service(ListConstraints, "safety/constraints/list", self._on_list)
        node.create_service(RemoveConstraint, "safety/constraints/remove", self._on_remove)

    def _on_set(self, request: SetConstraint.Request, response: SetConstraint.Response) -> SetConstraint.Response:
        try:
            constraint = constraint_from_msg(request.constraint)
            named, remark = self._ask(lambda rules: _added(rules, constraint, request.requested_by))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            response.message = f"invalid constraint: {where}{': ' if where else ''}{first['msg']}"
        except ReinsError as error:
            response.message = str(error)
        else:
            response.accepted, response.id = True, named.id
            response.message = f"{named} ({named.id}){remark}"
        return response

    def _on_list(self, _request: ListConstraints.Request, response: ListConstraints.Response) -> Any:
        response.speed_scale = self._constraints.speed_scale
        response.constraints = [constraint_to_msg(constraint) for constraint in self._constraints.constraints]
        return response

    def _on_remove(
        self, request: RemoveConstraint.Request, response: RemoveConstraint.Response
    ) -> RemoveConstraint.Response:
        try:
            if request.id:
                gone = self._ask(lambda rules: rules.remove(request.id, request.requested_by))
                response.message = f"dropped: {gone}"
            else:
                count = self._ask(lambda rules: rules.clear(request.set_by, request.requested_by))
                response.message = f"dropped all that the {request.set_by} set: {count}"
        except ReinsError as error:
            response.message = str(error)
        else:
            response.accepted = True
        return response


def _added(rules: Rules, constraint: Constraint, requested_by: str) -> tuple[Constraint, str]:
    """The constraint with its id, and what to remark."""
    named = rules.add(constraint, requested_by)
    return named, rules.remark(named)
