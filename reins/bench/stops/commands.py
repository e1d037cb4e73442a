"""Faults of the commands on their way from the skill: corrupted, late, lost, sent again, out of order."""

import copy
import math
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Final

from reins_msgs import msg as ros

from reins.bench.stops.fault import SILENT, Fault, shifted
from reins.bench.stops.moving import SKILL, MovingGraph, Tamper, as_it_is
from reins.hardware.profile import RobotProfile

LATE: Final = 0.3
"""How late delayed commands are: older than `command_max_age` [s]."""

A_LITTLE: Final = 0.03
"""How late they may be without harm [s]."""

FAR: Final = 60
"""How far in the future a goal begins that does not begin before the trial is over [s]."""

NO_NUMBERS: Final = {"NaN": math.nan, "infinity": math.inf, "minus infinity": -math.inf}

ABSURD: Final = 1e300
"""A speed that is a number all the same [rad/s]."""

Spoil = Callable[[ros.JointCommand], None]
MakeTamper = Callable[[MovingGraph], Tamper]


def command_faults(profile: RobotProfile) -> Iterator[Fault]:
    """All of them, for a robot."""
    yield from _without_numbers(profile)
    yield from _malformed(profile)
    yield from _mistimed()
    yield from _bridged()


def _refused(reason: str, source: str = "skill") -> str:
    return rf"command_rejected \({source}\): .*{reason}"


def _fault(name: str, make: MakeTamper, told: str, row: str) -> Fault:
    """Of every command from then on, until the next trial."""
    inject = partial(_tamper, make)
    return Fault(f"commands {name}", inject, SILENT, (told,), sources=(SKILL,), row=f"commands {row}")


def _tamper(make: MakeTamper, graph: MovingGraph) -> None:
    """On top of what becomes of the commands already."""
    before, after = graph.tamper, make(graph)
    graph.tamper = lambda command: [made for one in before(command) for made in after(one)]


def _spoilt(name: str, spoil: Spoil, told: str, row: str = "") -> Fault:
    return _fault(name, lambda _graph: _spoiling(spoil), told, row or name)


def _spoiling(spoil: Spoil) -> Tamper:
    def tamper(command: ros.JointCommand) -> list[ros.JointCommand]:
        spoil(command)
        return [command]

    return tamper


def _without_numbers(profile: RobotProfile) -> Iterator[Fault]:
    """NaN and infinities in each field that is a float, and in that of each joint."""
    for words, value in NO_NUMBERS.items():
        row = "with NaN" if math.isnan(value) else "with infinity"
        for index, joint in enumerate(profile.joint_names):
            told = _refused(rf"velocity of {re.escape(joint)} is {value}")
            yield _spoilt(f"with {words} for {joint}", partial(_set_velocity, index, value), told, row)
        for field, unit in (("period", "s"), ("gripper_width", "m"), ("gripper_force", "N")):
            told = _refused(rf"{field.replace('_', ' ')} {value} {unit} is not in")
            yield _spoilt(f"with {words} as {field}", partial(_set, field, value), told, row)


def _malformed(profile: RobotProfile) -> Iterator[Fault]:
    """Finite, and wrong all the same."""
    n, row = len(profile.joints), "of the wrong form"
    yield _spoilt("with a negative period", partial(_set, "period", -0.01), _refused("period -0.01 s is not in"), row)
    yield _spoilt("with an endless period", partial(_set, "period", 1e9), _refused("period 1000000000.0 s"), row)
    for field, value in (("gripper_width", -1.0), ("gripper_width", 10.0), ("gripper_force", 1e6)):
        told = _refused(rf"{field.replace('_', ' ')} {re.escape(str(value))}")
        yield _spoilt(f"with {field} {value:g}", partial(_set, field, value), told, row)
    yield _spoilt("too short", _shorten, _refused(rf"shape \({n - 1},\) instead of"), row)
    yield _spoilt("too long", _lengthen, _refused(rf"shape \({n + 2},\) instead of"), row)
    yield _spoilt("with a joint missing", _lose_joint, _refused(f"{n - 1} joint names instead of {n}"), row)
    yield _spoilt("with nothing in them", _empty, _refused(f"0 joint names instead of {n}"), row)
    yield _spoilt("of an unknown joint", _rename, _refused("unknown joint names stranger"), row)
    yield _spoilt("in another joint order", _swap, _refused("joint names in another order"))
    for who in ("somebody", "teleop"):
        told = _refused(rf"source '{who} on \S*command/skill'", "unknown")
        yield _spoilt(f"of {who}", partial(_set, "source", who), told, "of another sender")


def _mistimed() -> Iterator[Fault]:
    """Well-formed, and of another time, or order, or not there."""
    row = "of another time"
    yield _spoilt("from the past", partial(_shift_stamp, -1), _refused("computed from a robot state"), row)
    yield _spoilt("from the future", partial(_shift_stamp, 2), _refused("ms ahead of the robot"), row)
    yield _spoilt("of an old goal", partial(_shift_goal, -1), _refused("belongs to an older goal"), row)
    yield _spoilt("of a goal to come", partial(_shift_goal, FAR), _refused("its goal begins"), row)
    yield _fault("dropped", lambda _graph: lambda _command: [], r"source_silent \(skill\): ", "dropped")
    yield _fault("repeated", _repeated, _refused(r"sequence (\d+) after \1"), "repeated")
    yield _fault("delayed", lambda _graph: _delayed(LATE), _refused("computed from a robot state"), "delayed")
    yield _fault("in reverse order", _backwards, _refused(r"sequence \d+ after \d+"), "in reverse order")


def _bridged() -> Iterator[Fault]:
    """What must not stop the arm: `source_silence` bridges it."""
    yield _harmless("one command dropped", _once(lambda _command: []))
    yield _harmless("one command late", _one_late, _refused(r"sequence \d+ after \d+"))
    yield _harmless("one command with NaN", _once(_spoiling(partial(_set_velocity, 0, math.nan))), _refused("is nan"))
    yield _harmless(
        "one command of absurd speed", _once(_spoiling(partial(_set_velocity, 0, ABSURD))), r"limit_clipped"
    )
    yield _harmless("each command sent twice", lambda _graph: _twice, _refused(r"sequence (\d+) after \1"))
    yield _harmless("each command a little late", lambda _graph: _delayed(A_LITTLE))


def _harmless(name: str, make: MakeTamper, *told: str) -> Fault:
    row = "one command dropped, late or corrupted, or all sent twice: nothing stops"
    return Fault(name, partial(_tamper, make), SILENT, told, sources=(SKILL,), row=row, stops=False)


def _set(field: str, value: float | str, command: ros.JointCommand) -> None:
    command.has_gripper = field.startswith("gripper")
    setattr(command, field, value)


def _set_velocity(index: int, value: float, command: ros.JointCommand) -> None:
    if index < len(command.velocity):  # another fault may have made it shorter
        command.velocity[index] = value


def _shorten(command: ros.JointCommand) -> None:
    command.velocity = command.velocity[:-1]


def _lengthen(command: ros.JointCommand) -> None:
    """By more than `_shorten` takes: several faults at once must not mend each other."""
    command.velocity = [*command.velocity, 0.0, 0.0]


def _lose_joint(command: ros.JointCommand) -> None:
    command.joint_names = command.joint_names[:-1]


def _empty(command: ros.JointCommand) -> None:
    command.joint_names, command.velocity = [], []


def _rename(command: ros.JointCommand) -> None:
    command.joint_names = ["stranger", *command.joint_names[1:]]


def _swap(command: ros.JointCommand) -> None:
    names = command.joint_names
    command.joint_names = [*reversed(names[:2]), *names[2:]]


def _shift_stamp(seconds: int, command: ros.JointCommand) -> None:
    command.header.stamp = shifted(command.header.stamp, seconds)


def _shift_goal(seconds: int, command: ros.JointCommand) -> None:
    command.activation = shifted(command.activation, seconds)


def _repeated(graph: MovingGraph) -> Tamper:
    """The last one that was as it should be, again and again."""
    heard = copy.deepcopy(graph.heard)
    return lambda _command: [copy.deepcopy(heard)]


def _delayed(by: float) -> Tamper:
    waiting: list[tuple[float, ros.JointCommand]] = []

    def tamper(command: ros.JointCommand) -> list[ros.JointCommand]:
        now = time.monotonic()
        waiting.append((now + by, command))
        due = [late for at, late in waiting if at <= now]
        del waiting[: len(due)]
        return due

    return tamper


def _backwards(graph: MovingGraph) -> Tamper:
    """Down from the last number that was heard: each command has a lower one than that before it."""
    numbers = count(graph.heard.sequence, -1)

    def tamper(command: ros.JointCommand) -> list[ros.JointCommand]:
        command.sequence = max(0, next(numbers))
        return [command]

    return tamper


def _once(change: Tamper) -> MakeTamper:
    """Of the next command alone."""

    def make(_graph: MovingGraph) -> Tamper:
        left = [change]
        return lambda command: (left.pop() if left else as_it_is)(command)

    return make


def _one_late(_graph: MovingGraph) -> Tamper:
    """One comes after the next one, and instead of that after it."""
    kept: list[ros.JointCommand] = []

    def keep(command: ros.JointCommand) -> list[ros.JointCommand]:
        kept.append(command)
        return []

    steps: list[Tamper] = [lambda _command: kept, as_it_is, keep]
    return lambda command: (steps.pop() if steps else as_it_is)(command)


def _twice(command: ros.JointCommand) -> list[ros.JointCommand]:
    return [command, copy.deepcopy(command)]
