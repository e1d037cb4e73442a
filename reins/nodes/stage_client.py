"""Asks the robot node of a graph for its stage of bring-up, and for another one."""

from dataclasses import dataclass

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.hardware.stages import Stage
from reins.nodes.client import DISCOVERY, GraphClient
from reins.nodes.outcomes import Reply
from reins.nodes.qos import CONTROL, LATCHED
from reins.nodes.stages import MEASURED, STAGE


@dataclass(slots=True)
class DryRun:
    """Joint positions by name [rad]: where the arm is, and where it would be."""

    measured: dict[str, float]
    shown: dict[str, float]


class StageClient:
    """Every method raises ReinsError when nobody answers.

    Args:
        client: of that graph.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self._heard: list[str] = []
        client.listen(String, STAGE, LATCHED, lambda message: self._heard.append(message.data))

    def stage(self) -> Stage:
        """The stage that the robot is in."""
        waited = 0.0
        while not self._heard:
            if waited > DISCOVERY:
                raise ReinsError("no robot tells its stage; start a graph with `reins up`, or look with `reins status`")
            self._client.spin(0.1)
            waited += 0.1
        return Stage(self._heard[-1])

    def enter(self, stage: Stage) -> Reply:
        """Ask for another stage; the robot refuses one that is not next, and while it is armed."""
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=stage.value)
        fields = {"parameters": [Parameter(name="stage", value=value)]}
        result = self._client.call(SetParameters, "robot/set_parameters", "robot", fields).results[0]
        return Reply(result.successful, result.reason or f"stage '{stage.value}'")

    def watch(self) -> DryRun:
        """What the arm's joints are and what a dry run shows in their place; filled while the client spins."""
        seen = DryRun({}, {})
        self._client.listen(JointState, MEASURED, CONTROL, lambda m: seen.measured.update(_by_name(m)))
        self._client.listen(JointState, "joint_states", CONTROL, lambda m: seen.shown.update(_by_name(m)))
        return seen


def _by_name(message: JointState) -> dict[str, float]:
    return dict(zip(message.name, message.position, strict=True))
