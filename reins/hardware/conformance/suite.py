"""The list of checks, and how they are run one after the other."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.conformance import connecting, moving, standing, stopping
from reins.hardware.conformance.check import Broken, Entry, Need
from reins.hardware.conformance.under_test import UnderTest

CHECKS: Final[tuple[Entry, ...]] = (
    Entry("identity", "name, kind and joint order are the profile's", standing.identity),
    Entry("units", "radians, rad/s, N·m, metres", standing.units),
    Entry("limits", "it stands inside the profile's limits", standing.limits),
    Entry("freshness", "states are fresh, robot time goes on", standing.freshness),
    Entry("hold", "holds still when no command comes", standing.hold_without_command),
    Entry("rates", "read and write do not block", standing.rates, moves=True),
    Entry("wrong_length", "refuses a setpoint of wrong length", standing.refuse_wrong_length, moves=True),
    Entry("not_finite", "refuses a setpoint that is not finite", standing.refuse_not_finite, moves=True),
    Entry("jump", "refuses a setpoint that jumps", standing.refuse_jump, moves=True),
    Entry("first_reason", "a stop during a stop keeps the first reason", stopping.first_reason_stays),
    Entry("bumpless_start", "the first command does not jerk", moving.bumpless_start, moves=True),
    Entry("joint_order", "each joint moves as told, no other does", moving.joint_order, moves=True),
    Entry("tracking", "follows the commands closely", moving.tracking, moves=True),
    Entry("late_command", "a late command neither stops nor jerks it", moving.late_command, moves=True),
    Entry("stop_controlled", "stop of category 1", stopping.controlled_stop, moves=True),
    Entry("stop_cut", "stop of category 0", stopping.cut_stop, moves=True),
    Entry("stale_command", "stops by itself when commands end", stopping.stale_command_stop, moves=True),
    Entry("recovery", "recovers, holds, moves again", stopping.recovery, moves=True),
    Entry("gripper", "goes to widths, holds nothing", moving.gripper, moves=True, needs=(Need.GRIPPER,)),
    Entry("close_twice", "can be closed twice", connecting.close_twice),
    Entry("reconnect", "connects again after closing", connecting.reconnect, moves=True),
    Entry("two_clients", "a second client is refused", connecting.two_clients, True, (Need.NETWORK,)),
    Entry("own_fault", "the robot's own fault is told and lasts", connecting.own_fault, True, (Need.TAMPERING,)),
    Entry("network_cut", "a network cut in motion", connecting.network_cut, True, (Need.NETWORK, Need.TAMPERING)),
)
"""Of an arm, in the order in which they are run: what must hold before the next ones may move it comes first."""


class Ending(str, Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Result:
    """How one check ended. `seconds` is time of this machine, `detail` what was measured or why it failed."""

    name: str
    says: str
    ending: Ending
    detail: str
    seconds: float

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"ending": self.ending.value, "passed": self.ending is Ending.PASSED}


def choose(names: Sequence[str], checks: Sequence[Entry] = CHECKS) -> tuple[Entry, ...]:
    """The checks of these names in the order of their list, all of them for none.

    Raises:
        UnknownName: no such check.
    """
    by_name = {entry.name: entry for entry in checks}
    wanted = {look_up("check", name, by_name).name for name in names}
    return tuple(entry for entry in checks if not wanted or entry.name in wanted)


def run_checks(
    subject: UnderTest[Any, Any, Any],
    entries: Sequence[Entry] = CHECKS,
    before: Callable[[Entry], bool] = lambda entry: True,
) -> Iterator[Result]:
    """Run checks on a subject that is open.

    Args:
        subject: the robot; a check may leave another driver of it in there.
        entries: the checks.
        before: asked before each check; False leaves it out.

    Yields:
        One result for each check; after a robot that cannot be prepared for the next one, the others are left out.
    """
    lost = ""
    for entry in entries:
        missing = [need.value for need in entry.needs if not _has(subject, need)]
        if lost or missing or not before(entry):
            yield _result(entry, Ending.LEFT_OUT, lost or "; ".join(missing) or "not wanted", 0.0)
            continue
        began = time.monotonic()
        try:
            subject.prepare(drive=entry.moves)
        except ReinsError as error:
            lost = f"not run, because before '{entry.name}' {error}"
            yield _result(entry, Ending.FAILED, str(error), time.monotonic() - began)
            continue
        try:
            ending, detail = Ending.PASSED, entry.run(subject)
        except (Broken, ReinsError) as error:
            ending, detail = Ending.FAILED, str(error) + _excuse(subject)
        yield _result(entry, ending, detail, time.monotonic() - began)


def _excuse(subject: UnderTest[Any, Any, Any]) -> str:
    """What may be this machine's fault and not the driver's."""
    if subject.stalled < 0.5 * subject.profile.rates.stale_after:
        return ""
    return (
        f" (this machine kept the checks from commanding for {1e3 * subject.stalled:.0f} ms; "
        "close other programs or allow real-time priority, and run them again)"
    )


def _result(entry: Entry, ending: Ending, detail: str, seconds: float) -> Result:
    return Result(entry.name, entry.says, ending, detail, round(seconds, 3))


def _has(subject: UnderTest[Any, Any, Any], need: Need) -> bool:
    if need is Need.GRIPPER:
        return subject.robot.spec.has_gripper
    if need is Need.NETWORK:
        return subject.networked
    return subject.tampering is not None
