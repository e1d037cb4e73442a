"""Every parameter of the safety monitor: type, default, bounds and meaning, written once.

The safety node declares its ROS parameters from this model and the docs list them from it. Limits of the robot itself
are in its profile; these are the monitor's own.
"""

import math
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reins.contracts.errors import ReinsError


def parse_deadline(entry: str) -> tuple[str, float]:
    """`"planner=0.5"` as ("planner", 0.5).

    Raises:
        ReinsError: not of that form, or the deadline is not a positive number of seconds.
    """
    node, _, text = entry.partition("=")
    try:
        deadline = float(text)
    except ValueError:
        deadline = 0.0
    if not node or not 0.0 < deadline < math.inf:
        raise ReinsError(f"'{entry}' is not a deadline; write NODE=SECONDS, e.g. planner=0.5")
    return node, deadline


def _are_deadlines(entries: list[str]) -> list[str]:
    try:
        for entry in entries:
            parse_deadline(entry)
    except ReinsError as error:
        raise ValueError(str(error)) from error
    return entries


class SafetySettings(BaseModel):
    """Parameters of the safety monitor. Times in seconds, angles in radians, lengths in metres."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speed_scale: float = Field(
        default=1.0,
        gt=0.0,
        le=1.0,
        description="Share of the profile's joint and tool speed limits that is allowed; the operator's own setting.",
    )
    position_margin: float = Field(
        default=0.01,
        ge=0.0,
        le=0.5,
        description="The reference stays this far inside the profile's joint position limits [rad].",
    )
    tool_deceleration: float = Field(
        default=3.0,
        gt=0.0,
        le=50.0,
        description="Deceleration with which the tool approaches a wall of the workspace, and links each other, the "
        "table or a keep-out [m/s²]; lower is gentler.",
    )
    self_margin: float = Field(
        default=0.005,
        ge=0.0,
        le=0.2,
        description="Smallest distance between links of the arm that no single joint connects [m].",
    )
    table_margin: float = Field(
        default=0.0,
        ge=0.0,
        le=0.2,
        description="Smallest distance of the arm from the table and the profile's fixtures [m].",
    )
    keep_out_margin: float = Field(
        default=0.01,
        ge=0.0,
        le=0.5,
        description="Smallest distance of the arm, and of what it holds, from keep-outs and objects to avoid [m].",
    )
    held_margin: float = Field(
        default=-0.005,
        ge=-0.05,
        le=0.2,
        description="Smallest distance of what the hand holds from table and fixtures [m]; below 0, because its box is "
        "known by sight only, and it is put down there.",
    )
    source_silence: float = Field(
        default=0.06,
        ge=0.01,
        le=1.0,
        description="A source in charge that is silent for longer is braked to a standstill [s]; teleop then holds.",
    )
    source_release: float = Field(
        default=0.3,
        ge=0.01,
        le=10.0,
        description="A skill that is silent for longer gives up control [s], robot standing still.",
    )
    command_max_age: float = Field(
        default=0.1,
        gt=0.0,
        le=1.0,
        description="A command computed from a robot state that is older than this is rejected as stale [s].",
    )
    command_max_lead: float = Field(
        default=0.05,
        ge=0.0,
        le=1.0,
        description="A command from a robot state that much newer than the newest known is still taken [s].",
    )
    max_period: float = Field(
        default=0.1,
        gt=0.0,
        le=1.0,
        description="A command that is meant to hold for longer than this is rejected [s].",
    )
    state_timeout: float = Field(
        default=0.15,
        gt=0.0,
        le=5.0,
        description="No robot state for longer than this is a stop [s]. The end of the robot node is noticed at once.",
    )
    heartbeat_timeout: float = Field(
        default=1.0,
        gt=0.0,
        le=60.0,
        description="A watched node without a heartbeat for longer than this is a stop [s]. It is for nodes that hang "
        "and for those of other machines; the end of a process of this machine is noticed at once.",
    )
    heartbeat_deadlines: Annotated[list[str], AfterValidator(_are_deadlines)] = Field(
        default=[],
        description="Other deadlines for single nodes, each NODE=SECONDS, e.g. planner=0.5.",
    )
    clock_jump: float = Field(
        default=0.5,
        gt=0.0,
        le=60.0,
        description="Robot time that goes back, or forward by more than this between two states, is a stop [s].",
    )
    following_error: float = Field(
        default=0.25,
        gt=0.0,
        le=3.0,
        description="A joint that is farther than this from its reference while a source drives is a stop [rad].",
    )
    takeover_leash: float = Field(
        default=0.02,
        ge=0.0,
        le=0.5,
        description="At takeover the reference is drawn in, smoothly, to within this of the measured position [rad].",
    )
    human_stop_distance: float = Field(
        default=0.3,
        ge=0.0,
        le=10.0,
        description="With a person at this distance or nearer the robot holds [m]; see safety/human_distance.",
    )
    human_slow_distance: float = Field(
        default=1.5,
        gt=0.0,
        le=20.0,
        description="From this distance of a person on the tool may be slowed evenly down to the stop distance [m]; it "
        "must be greater than that. Where stopping in time needs a lower speed, that counts, at any distance.",
    )
    human_reaction: float = Field(
        default=0.1,
        ge=0.0,
        le=2.0,
        description="Time from a person's motion to the robot's braking: sensor, network and control [s].",
    )
    human_speed: float = Field(
        default=1.6,
        ge=0.0,
        le=5.0,
        description="How fast a person may come nearer [m/s]; ISO 13855 says 1.6 for walking.",
    )
    human_timeout: float = Field(
        default=0.3,
        gt=0.0,
        le=5.0,
        description="A human-distance sensor that has spoken and is silent for longer holds the robot [s].",
    )
    event_window: float = Field(
        default=1.0,
        gt=0.0,
        le=60.0,
        description="The same event again within this time is counted, not told again [s].",
    )

    def deadline(self, node: str) -> float:
        """How long `node` may go without a heartbeat [s]."""
        return dict(map(parse_deadline, self.heartbeat_deadlines)).get(node, self.heartbeat_timeout)
