"""What an operator sets at run time: constraints and the speed scale, asked of the safety node."""

from dataclasses import dataclass

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from reins_msgs.srv import ListConstraints, RemoveConstraint, SetConstraint

from reins.contracts.plan import Constraint
from reins.nodes.client import GraphClient
from reins.nodes.convert_scene import constraint_from_msg, constraint_to_msg
from reins.nodes.outcomes import Reply


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """The constraints, oldest first, and the share of the speed limits that all of them leave, 0 … 1."""

    constraints: tuple[Constraint, ...]
    speed_scale: float


class RulesClient:
    """Asks the safety node of a graph. Every method raises ReinsError when nobody answers.

    Args:
        client: of that graph.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client

    def list(self) -> RulesInForce:
        """What is in force."""
        answer = self._client.call(ListConstraints, "safety/constraints/list", "safety", {})
        return RulesInForce(tuple(map(constraint_from_msg, answer.constraints)), answer.speed_scale)

    def add(self, constraint: Constraint, who: str) -> Reply:
        """Add one; the message has its id."""
        fields = {"constraint": constraint_to_msg(constraint), "requested_by": who}
        answer = self._client.call(SetConstraint, "safety/constraints/set", "safety", fields)
        return Reply(answer.accepted, answer.message)

    def remove(self, constraint_id: str, who: str) -> Reply:
        """Remove one."""
        return self._remove(id=constraint_id, requested_by=who)

    def clear(self, set_by: str, who: str) -> Reply:
        """Remove all that "operator" or "planner" set."""
        return self._remove(set_by=set_by, requested_by=who)

    def set_speed(self, scale: float) -> Reply:
        """Set the operator's share of the speed limits, 0 < scale ≤ 1."""
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=scale)
        fields = {"parameters": [Parameter(name="speed_scale", value=value)]}
        result = self._client.call(SetParameters, "safety/set_parameters", "safety", fields).results[0]
        return Reply(result.successful, result.reason)

    def _remove(self, **fields: object) -> Reply:
        answer = self._client.call(RemoveConstraint, "safety/constraints/remove", "safety", fields)
        return Reply(answer.accepted, answer.message)
