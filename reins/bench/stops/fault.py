"""What a fault is: how it is made, how soon the arm must stand after it, and what the graph must say of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from builtin_interfaces.msg import Time

from reins.bench.stops.moving import SKILL, SPEED, TELEOP, MovingGraph
from reins.hardware.profile import RobotProfile
from reins.nodes.heartbeat import HEARTBEAT_RATE
from reins.safety.settings import SafetySettings
from reins.teleop.settings import TeleopSettings

Act = Callable[[MovingGraph], None]

IN_MOTION: Final = 0.3
"""How long the arm moves before the fault, so that it does not hit the first command [s]."""

FOLLOWS: Final = 0.05
"""How much later than its reference the simulated arm stands at the most, trembling included [s]."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """How soon the arm must begin to brake.

    Attributes:
        seconds: after the fault, by the robot's profile [s].
        why: what it is made of.
    """

    seconds: Callable[[RobotProfile], float]
    why: str

    def stands(self, profile: RobotProfile) -> float:
        """How soon the arm must stand: braking from the speed at which it is driven comes on top [s]."""
        braking = SPEED / min(joint.acceleration for joint in profile.joints)
        return self.seconds(profile) + braking + FOLLOWS


_SAFETY, _TELEOP = SafetySettings(), TeleopSettings()


def _periods(profile: RobotProfile) -> float:
    """Two control periods [s]."""
    return 2.0 / profile.rates.command


AT_ONCE: Final = Deadline(_periods, "two control periods")
DEATH: Final = Deadline(lambda _: 0.1, "100 ms after the end of any process")
SILENT: Final = Deadline(lambda p: _SAFETY.source_silence + _periods(p), "source_silence, two control periods")
STICK_LOST: Final = Deadline(lambda _: _TELEOP.joy_timeout + 2.0 / _TELEOP.rate, "joy_timeout, two periods of teleop")
STALE: Final = Deadline(lambda p: p.rates.stale_after + _periods(p), "the driver host's stale_after, two periods")
HANGS: Final = Deadline(lambda _: _SAFETY.heartbeat_timeout + 2.0 / HEARTBEAT_RATE, "heartbeat_timeout, two beats")
UNSEEN: Final = Deadline(lambda _: 2.0, "ten pictures of a camera, in front of which the hand has to move first")


def shifted(stamp: Time, seconds: int) -> Time:
    """The same time of another second; 0 where that would be before it, for the graph is young."""
    return Time() if stamp.sec + seconds < 0 else Time(sec=stamp.sec + seconds, nanosec=stamp.nanosec)


def nothing(_graph: MovingGraph) -> None:
    """No act."""


def by_skill(graph: MovingGraph) -> None:
    """A skill drives."""
    graph.drive()
    time.sleep(IN_MOTION)


def by_stick(graph: MovingGraph) -> None:
    """The operator drives."""
    graph.drive_by_stick()
    time.sleep(IN_MOTION)


BEGINS: Final = {SKILL: by_skill, TELEOP: by_stick}
"""How the arm is set in motion, by who drives."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault.

    Attributes:
        name: kind and what it hits.
        inject: makes it happen, and leaves with the graph what takes it back; the arm must go on standing then.
        deadline: by which the arm must brake; of no account where it does not stop.
        told: patterns, each of which an event of the graph must fit, as "kind (source): reason".
        begin: leads the graph, which is ready, to where the fault hits it.
        sources: who may drive in random sequences that it is part of; none where it happens by itself only.
        row: of the table, which several faults may share; its name where this is empty.
        stops: whether it stops the arm. One that is bridged must not.
        one_of: of these patterns only one must fit.
        always: pattern of an event that tells it whatever else goes wrong at the same time; empty if there is none.
        printed: what a node or the launcher prints of it where another fault has stopped everything before.
        ends_graph: the graph ends with it.
        ends_safety: nobody is left who would stop the arm for what went wrong before, but the driver host.
        cameras: the graph renders.
        parts: names of those that a sequence is made of.
    """

    name: str
    inject: Act
    deadline: Deadline
    told: tuple[str, ...]
    begin: Act = by_skill
    sources: tuple[str, ...] = ()
    row: str = ""
    stops: bool = True
    one_of: tuple[str, ...] = ()
    always: str = ""
    printed: str = ""
    ends_graph: bool = False
    ends_safety: bool = False
    cameras: bool = False
    parts: tuple[str, ...] = ()
