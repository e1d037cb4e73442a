"""Reads a black box file back, without ROS: the definitions of the messages are in the file."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from mcap.reader import McapReader, make_reader
from mcap.well_known import Profile
from mcap_ros2.decoder import DecoderFactory
from numpy.typing import NDArray

from reins.blackbox.case import Case
from reins.blackbox.writing import METADATA
from reins.contracts.errors import ReinsError

MAGIC: Final = b"\x89MCAP0\r\n"
"""First and last bytes of every MCAP file."""

Array: TypeAlias = NDArray[np.float64]


@dataclass(slots=True)
class Series:
    """Rows over time: times (t,) since the stop [s]; sent (t,), the same by the publisher's clock; values (t, n)."""

    times: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def array(self, joints: int) -> Array:
        """(t, joints); NaN where a row has another length."""
        rows = [row if len(row) == joints else [np.nan] * joints for row in self.values]
        return np.array(rows, dtype=np.float64).reshape(len(rows), joints)

    def add(self, time: float, sent: float, row: Any) -> None:
        """One more row."""
        self.times.append(time)
        self.sent.append(sent)
        self.values.append(row)


class Mode(NamedTuple):
    """The safety monitor told its mode, `time` since the stop [s]."""

    time: float
    mode: str
    reason: str
    speed_scale: float
    rejected: int


class Event(NamedTuple):
    """Something was stopped, clipped, refused or changed, `time` since the stop [s]."""

    time: float
    severity: int
    kind: str
    source: str
    reason: str


class Note(NamedTuple):
    """Something in words, `time` since the stop [s]."""

    time: float
    text: str


@dataclass(slots=True)
class Recording:
    """What a file holds. All times are seconds since the stop, so what led to it is negative.

    Attributes:
        path: of the file.
        case: why it was written.
        begin, end: of the messages.
        position, velocity: of the joints, as measured [rad, rad/s]; of a robot that walks, place and heading of its
            body in the odometry frame, and its velocity in its own [m, rad, m/s, rad/s].
        reference: positions of the joints that the driver tracked [rad]; a robot that walks has none.
        asked: velocities that each source wanted, of joints or body.
        safe: velocities that the safety monitor let through, of joints or body.
        modes: of the safety monitor.
        events: in order.
        plans: in words.
        questions: plans that waited for an operator's answer, in words; an empty text where none waits any more.
        topics: messages of each topic.
    """

    path: Path
    case: Case
    begin: float = 0.0
    end: float = 0.0
    position: Series = field(default_factory=Series)
    velocity: Series = field(default_factory=Series)
    reference: Series = field(default_factory=Series)
    asked: dict[str, Series] = field(default_factory=dict)
    safe: Series = field(default_factory=Series)
    modes: list[Mode] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    plans: list[Note] = field(default_factory=list)
    questions: list[Note] = field(default_factory=list)
    topics: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Recording:
    """Read a file.

    Raises:
        ReinsError: there is no such file, it is not an MCAP file, it is cut short or damaged, or the black box did not
            write it.
    """
    try:
        with path.open("rb") as stream:
            _check_ends(path, stream)
            reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
            recording = Recording(path, _case(path, reader))
            _fill(recording, reader)
    except OSError as error:
        raise ReinsError(f"cannot read {path}: {error.strerror or error}") from error
    except ReinsError:
        raise
    except Exception as error:  # the parsers of MCAP, of definitions and of CDR raise anything for damaged bytes
        said = str(error).partition("\n")[0]
        raise ReinsError(f"{path} is damaged: {type(error).__name__} while reading it ({said})") from error
    return recording


def _check_ends(path: Path, stream: Any) -> None:
    begin = stream.read(len(MAGIC))
    size = stream.seek(0, 2)
    if begin != MAGIC:
        raise ReinsError(f"{path} is not an MCAP file" + (": it is empty" if not size else ""))
    stream.seek(max(0, size - len(MAGIC)))
    if size < 2 * len(MAGIC) or stream.read(len(MAGIC)) != MAGIC:
        raise ReinsError(f"{path} is cut short: it has no end; was it copied whole?")
    stream.seek(0)


def _case(path: Path, reader: McapReader) -> Case:
    for record in reader.iter_metadata():
        if record.name == METADATA:
            try:
                return Case.from_metadata(record.metadata)
            except ReinsError as error:
                raise ReinsError(f"{path} is of another version, or damaged: {error}") from error
    profile = reader.get_header().profile
    what = f"profile '{profile}'" if profile and profile != Profile.ROS2 else "a recording of something else"
    raise ReinsError(f"{path} is an MCAP file, but the black box of reins did not write it ({what})")


def _fill(recording: Recording, reader: McapReader) -> None:
    summary = reader.get_summary()
    if summary is None or summary.statistics is None:
        raise ReinsError(f"{recording.path} is damaged: it has no summary")
    zero, statistics = recording.case.stop, summary.statistics
    if statistics.message_count:
        recording.begin = (statistics.message_start_time - zero) * 1e-9
        recording.end = (statistics.message_end_time - zero) * 1e-9
    counts = statistics.channel_message_counts
    recording.topics = {channel.topic: counts.get(number, 0) for number, channel in summary.channels.items()}
    prefix = f"/{recording.case.namespace}/" if recording.case.namespace else "/"
    takers = {prefix + name: take for name, take in TAKERS.items()}
    for name, time, sent, message in _messages(reader, list(takers), zero):
        takers[name](recording, time, sent, message)


def _messages(reader: McapReader, topics: list[str], zero: int) -> Iterator[tuple[str, float, float, Any]]:
    for _schema, channel, message, decoded in reader.iter_decoded_messages(topics=topics):
        yield channel.topic, (message.log_time - zero) * 1e-9, (message.publish_time - zero) * 1e-9, decoded


def _take_state(recording: Recording, time: float, sent: float, message: Any) -> None:
    if hasattr(message, "twist"):
        recording.position.add(time, sent, _place(message.pose, recording.position))
        recording.velocity.add(time, sent, _velocity(message.twist))
        return
    recording.position.add(time, sent, message.position)
    recording.velocity.add(time, sent, message.velocity)
    recording.reference.add(time, sent, message.reference)


def _take_asked(recording: Recording, time: float, sent: float, message: Any) -> None:
    recording.asked.setdefault(message.source, Series()).add(time, sent, _velocity(message.velocity))


def _take_safe(recording: Recording, time: float, sent: float, message: Any) -> None:
    recording.safe.add(time, sent, _velocity(message.velocity))


def _velocity(given: Any) -> Any:
    """Of joints as it is; of a body the three numbers of its twist that are BODY."""
    return [given.linear.x, given.linear.y, given.angular.z] if hasattr(given, "linear") else given


def _place(pose: Any, before: Series) -> list[float]:
    """x, y [m] and the heading [rad], which goes on beyond a half turn from the one before."""
    turn = pose.orientation
    heading = math.atan2(2.0 * (turn.x * turn.y + turn.w * turn.z), turn.w**2 + turn.x**2 - turn.y**2 - turn.z**2)
    last = before.values[-1][2] if before.values else heading
    return [pose.position.x, pose.position.y, last + math.remainder(heading - last, math.tau)]


def _take_mode(recording: Recording, time: float, _sent: float, message: Any) -> None:
    recording.modes.append(
        Mode(time, str(message.mode_name).lower(), message.reason, message.speed_scale, message.rejected)
    )


def _take_event(recording: Recording, time: float, _sent: float, message: Any) -> None:
    recording.events.append(Event(time, message.severity, message.kind, message.source, message.reason))


def _take_plan(recording: Recording, time: float, _sent: float, message: Any) -> None:
    recording.plans.append(Note(time, _plan(message)))


def _take_question(recording: Recording, time: float, _sent: float, message: Any) -> None:
    said = f"“{message.instruction}”: {_plan(message.plan)}" if message.number else ""
    recording.questions.append(Note(time, f"{said} ({'; '.join(message.risks)})" if message.risks else said))


def _plan(message: Any) -> str:
    steps = [f"{step.skill}({', '.join(_argument(a) for a in step.arguments)})" for step in message.steps]
    said = " → ".join(steps) or message.question or message.refusal or "nothing left to do"
    rules = ", ".join(_rule(constraint) for constraint in message.constraints)
    return f"{said}, with {rules}" if rules else said


def _rule(constraint: Any) -> str:
    value = f"{constraint.scale:.0%}" if constraint.kind == "speed" else constraint.object
    return f"{constraint.kind} {value}".rstrip()


def _argument(argument: Any) -> str:
    return f"{argument.number:g}" if argument.is_number else str(argument.text)


TAKERS: Final[dict[str, Callable[[Recording, float, float, Any], None]]] = {
    "robot_state": _take_state,
    "command/skill": _take_asked,
    "command/teleop": _take_asked,
    "command/safe": _take_safe,
    "safety/state": _take_mode,
    "safety/events": _take_event,
    "plan": _take_plan,
    "planner/question": _take_question,
}
"""What is done with the messages of each topic; the others are there for Foxglove."""
