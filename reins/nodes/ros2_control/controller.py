"""What a controller says of itself through its parameters: whether it is loaded, what it takes, and its joints."""

from collections.abc import Sequence
from typing import Final

from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters

from reins.hardware.ros2_control import Controls, Ros2ControlDrive
from reins.hardware.streaming.session import SessionLost
from reins.nodes.ros2_control.link import Link, absolute

ANSWER: Final = 3.0
"""How long a controller may take to be found and to answer [s]."""

TOPIC: Final = {Controls.TRAJECTORY: "joint_trajectory", Controls.POSITION: "commands", Controls.VELOCITY: "commands"}
"""Last part of the topic that a controller takes setpoints from."""


def topic_of(drive: Ros2ControlDrive) -> str:
    """The topic of the controller that takes the setpoints."""
    return f"{absolute(drive.controller)}/{TOPIC[drive.controls]}"


def ask_order(link: Link, drive: Ros2ControlDrive, names: Sequence[str]) -> list[int]:
    """Place of each of the controller's joints in `names`, in the controller's order.

    Args:
        link: to ask over.
        drive: which controller, and what it is held for.
        names: (n,) joints in ros2_control, in the profile's order.

    Raises:
        SessionLost: it does not answer, is another kind of controller, or has other joints; says which.
    """
    who = f"controller '{drive.controller}'"
    joints = list(_parameter(link, drive.controller, "joints").string_array_value)
    if not joints:
        raise SessionLost(f"{who} has no parameter 'joints': it is none that takes setpoints of joints")
    _require_kind(link, drive, who)
    if unlike := set(joints) ^ set(names):
        more, less = sorted(unlike & set(joints)), sorted(unlike & set(names))
        raise SessionLost(
            f"{who} drives other joints than the profile: "
            + "; ".join(f"{what} {', '.join(some)}" for what, some in (("also", more), ("not", less)) if some)
        )
    return [list(names).index(joint) for joint in joints]


def _require_kind(link: Link, drive: Ros2ControlDrive, who: str) -> None:
    if drive.controls is Controls.TRAJECTORY:
        if not _parameter(link, drive.controller, "command_interfaces").string_array_value:
            raise SessionLost(f"{who} is no joint_trajectory_controller; the profile's ros2_control.controls says so")
        return
    takes = _parameter(link, drive.controller, "interface_name").string_value
    if takes != drive.controls.value:
        raise SessionLost(
            f"{who} forwards '{takes or 'nothing'}', and the profile's ros2_control.controls is "
            f"'{drive.controls.value}'"
        )


def _parameter(link: Link, controller: str, name: str) -> ParameterValue:
    service = f"{absolute(controller)}/get_parameters"
    answer = link.ask(GetParameters, service, GetParameters.Request(names=[name]), ANSWER)
    if answer is None:
        raise SessionLost(
            f"no controller '{controller}' answers within {ANSWER:.0f} s; load and activate it "
            "(`ros2 control list_controllers`), or name another one in the profile's part ros2_control"
        )
    return answer.values[0] if answer.values else ParameterValue(type=ParameterType.PARAMETER_NOT_SET)
