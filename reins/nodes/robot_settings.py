"""Parameters of the robot node."""

from typing import Final, Literal

from pydantic import Field

from reins.hardware.braking import MARGIN
from reins.hardware.robot import StopCategory
from reins.locomotion.walks import SCRIPTED
from reins.nodes.parameters import Settings

SLOWEST: Final = 0.2
"""Real-time factor below which states come so rarely that the other nodes' deadlines on the steady clock would pass."""

FASTEST: Final = 4.0
"""Real-time factor above which no machine keeps up with the messages."""


class RobotSettings(Settings):
    """Parameters of the robot node."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    backend: str = Field("mujoco", description="driver behind the Robot interface")
    robot_ip: str = Field("", description="address of a real robot; simulations ignore it")
    world: str = Field(
        "tabletop",
        description="world of a simulation: a name, or the path of a YAML file",
    )
    walk: str = Field(
        SCRIPTED,
        description="what carries a robot with legs: scripted, the name of a walking policy that ships, or the path of "
        "a policy's ONNX file; arms ignore it",
    )
    seed: int = Field(
        0,
        ge=0,
        le=2**32 - 1,
        description="seed of the random poses of a simulated world",
    )
    real_time_factor: float = Field(
        1.0,
        ge=SLOWEST,
        le=FASTEST,
        description="simulated seconds per second; real robots ignore it",
    )
    safety_node: str = Field("safety", description="node whose end stops the robot before its silence would")
    stage: Literal["auto", "unarmed", "dry_run", "reduced", "full"] = Field(
        "auto", description="stage of bring-up; auto starts a simulation in full and a real arm in unarmed"
    )
    braking_margin: float = Field(
        MARGIN,
        ge=0.05,
        le=2.0,
        description="an arm that would stand later than its acceleration limits allow, by more than this, is cut: its "
        "stop becomes one of category 0 [s]",
    )
    estop_category: int = Field(
        StopCategory.CONTROLLED.value,
        ge=StopCategory.CUT.value,
        le=StopCategory.CONTROLLED.value,
        description="category of an emergency stop by IEC 60204-1: 1 brakes; 0 cuts the drives' power at once, or does "
        "what comes nearest to it on this robot",
    )
