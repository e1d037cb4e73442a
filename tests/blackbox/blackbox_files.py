"""Black box files without ROS: messages written by mcap-ros2-support, definitions from this repository."""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from mcap_ros2._dynamic import serialize_dynamic

from reins.blackbox.case import BODY, BODY_UNITS, Case, CauseEntry
from reins.blackbox.ring import Message
from reins.blackbox.schemas import schema_text
from reins.blackbox.writing import Topic, write

ROOT = Path(__file__).parents[2]

STANDARD = {
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec\n",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/Twist": "Vector3 linear\nVector3 angular\n",
}
"""Definitions that come with ROS 2."""

KINDS = {
    "robot_state": "RobotState",
    "command/skill": "JointCommand",
    "command/teleop": "JointCommand",
    "command/safe": "SafeCommand",
    "safety/state": "SafetyState",
    "safety/events": "SafetyEvent",
    "plan": "Plan",
    "planner/question": "PlanQuestion",
}

LEGGED_KINDS = KINDS | {
    "robot_state": "LeggedState",
    "command/skill": "BodyCommand",
    "command/teleop": "BodyCommand",
    "command/safe": "SafeBodyCommand",
}

STOP = 1_700_000_000_000_000_000
"""Log time of the stop [ns]."""

OFFSET = 1_600_000_000_000_000_000
"""System time minus steady time [ns]."""

JOINTS = ("shoulder", "elbow")

Row = tuple[str, float, dict[str, Any]]
"""Topic, time since the stop [s], fields."""


def shares(folder: Path) -> Callable[[str], Path]:
    """A place for packages: the standard ones are put into `folder`, reins_msgs is where it is."""
    for name, text in STANDARD.items():
        package, _, message = name.partition("/")
        (folder / package / "msg").mkdir(parents=True, exist_ok=True)
        (folder / package / "msg" / f"{message}.msg").write_text(text)
    return lambda package: ROOT / "ros2_ws/src/reins_msgs" if package == "reins_msgs" else folder / package


def case(**changes: Any) -> Case:
    """An emergency stop of a robot with two joints, driven by hand."""
    fields: dict[str, Any] = {
        "kind": "estop",
        "reason": "emergency stop by ann: hand in the cell",
        "stop": STOP,
        "mode": "active_teleop",
        "causes": (CauseEntry(stamp=STOP, kind="estop", source="safety/state", reason="emergency stop by ann"),),
        "robot": "two",
        "joint_names": JOINTS,
        "velocity_limits": (2.0, 4.0),
        "namespace": "",
        "span": 60.0,
        "written": "2026-01-02T03:04:05Z",
        "versions": {"reins": "0.1.0"},
    }
    return Case(**(fields | changes))


def walker(**changes: Any) -> Case:
    """The same of a robot that walks."""
    return case(robot="four", joint_names=BODY, velocity_limits=(1.5, 0.6, 1.5), units=BODY_UNITS, **changes)


def twist(x: float, y: float = 0.0, yaw: float = 0.0) -> dict[str, Any]:
    """A body's velocity."""
    return {"linear": {"x": x, "y": y, "z": 0.0}, "angular": {"x": 0.0, "y": 0.0, "z": yaw}}


def body(x: float, yaw: float, velocity: dict[str, Any]) -> dict[str, Any]:
    """Fields of a legged robot's state, at (x, 0)."""
    heading = {"x": 0.0, "y": 0.0, "z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
    pose = {"position": {"x": x, "y": 0.0, "z": 0.3}, "orientation": heading}
    return {"pose": pose, "twist": velocity, "position": [0.5] * 12, "velocity": [9.0] * 12}


def make_file(folder: Path, rows: Iterable[Row], about: Case | None = None, kinds: Mapping[str, str] = KINDS) -> Path:
    """Write rows as the node writes what came over the wire."""
    about = about or case()
    prefix = f"/{about.namespace}/" if about.namespace else "/"
    find = shares(folder / "share")
    topics = {prefix + name: _topic(kind, find) for name, kind in kinds.items()}
    messages: dict[str, list[Message]] = {name: [] for name in topics}
    encoders = {topic.kind: _encoder(topic) for topic in topics.values()}
    for name, time, fields in rows:
        stamp = STOP + round(time * 1e9)
        data = encoders[topics[prefix + name].kind](fields)
        messages[prefix + name].append(Message(stamp - OFFSET, stamp, data))
    path = folder / "blackbox_20260102T030405Z_estop.mcap"
    held = {name: tuple(kept) for name, kept in messages.items()}
    write(path, topics, held, OFFSET, about.as_metadata(), "reins tests")
    return path


def _topic(kind: str, find: Callable[[str], Path]) -> Topic:
    name = f"reins_msgs/msg/{kind}"
    return Topic(name, schema_text(name, find))


def _encoder(topic: Topic) -> Callable[[Any], bytes]:
    encoder: Callable[[Any], bytes] = serialize_dynamic(topic.kind, topic.schema)[topic.kind]
    return encoder


def state(velocity: list[float], position: list[float] | None = None) -> dict[str, Any]:
    """Fields of a robot state."""
    return {"position": position or [0.0, 0.0], "velocity": velocity, "armed": True}


def asked(velocity: list[float], source: str = "teleop") -> dict[str, Any]:
    """Fields of a command."""
    return {"source": source, "joint_names": list(JOINTS), "velocity": velocity}


def mode(name: str, rejected: int = 0, scale: float = 1.0) -> dict[str, Any]:
    """Fields of the safety monitor's state."""
    return {"mode_name": name, "reason": f"because of {name}", "rejected": rejected, "speed_scale": scale}


def event(kind: str, source: str, reason: str, severity: int = 0) -> dict[str, Any]:
    """Fields of an event."""
    return {"severity": severity, "kind": kind, "source": source, "reason": reason}


def driven_and_stopped() -> list[Row]:
    """Ann drives for a second at 1 rad/s, of which 0.5 rad/s are let through; the arm stands 30 ms after the stop."""
    rows: list[Row] = [("safety/state", -3.0, mode("ready")), ("safety/state", -1.0, mode("active_teleop", 1))]
    rows += [("safety/events", -1.0, event("in_charge", "teleop", "READY to ACTIVE_TELEOP: teleop is in charge"))]
    rows += [("safety/events", -0.9, event("limit_clipped", "teleop", "teleop was held to the limits: tool speed"))]
    for step in range(-100, 0):
        time = 0.01 * step
        rows.append(("command/teleop", time, asked([1.0, 0.0])))
        rows.append(("command/safe", time + 0.002, {"velocity": [0.5, 0.0]}))
        rows.append(("robot_state", time + 0.004, state([0.5, 0.0], [0.005 * step, 0.0])))
    rows += [
        ("safety/state", 0.0, mode("estop", 1)),
        ("safety/events", 0.001, event("estop", "ann", "emergency stop by ann: hand in the cell", 2)),
        ("robot_state", 0.01, state([0.25, 0.0], [0.004, 0.0])),
        ("robot_state", 0.02, state([0.011, 0.0], [0.005, 0.0])),
        ("robot_state", 0.03, state([0.009, 0.0], [0.005, 0.0])),
        ("robot_state", 0.04, state([0.0, 0.0], [0.005, 0.0])),
        ("safety/state", 0.5, mode("estop", 33)),
    ]
    return sorted(rows, key=lambda row: row[1])
