"""Setpoints without a break to a real arm's driver, for minutes: period errors, what the driver costs, and faults.

The driver first, then the vendor's library alone does the same motion at the same rate, so that both see the same
machine. Without an address the robot is a peer: the vendor's protocol with our simulation behind it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import numpy as np

from reins.bench.report import Report
from reins.bench.stream.bare import BARE, errors_of
from reins.bench.stream.sway import sway_from
from reins.bench.stream.use import probe_use
from reins.contracts.errors import ReinsError, look_up
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.real import make_real
from reins.hardware.robot import FloatArray, Robot, SafeCommand
from reins.nodes.scheduling import make_ordinary, make_real_time, real_time_allowed
from reins.peers.process import PeerProcess
from reins.peers.robot import PEERS

BARE_SHARE: Final = 0.25
"""The library alone streams for this share of the time."""

RECOVERING: Final = 10.0
"""A driver that has not recovered from a fault after this long ends the measurement [s]."""

ENOUGH: Final = 10
"""Fewer periods make no figures."""

TOLD: Final = 1.0
"""Time between two calls of `on_second` [s]."""


class _Notes:
    """What is noted of every period."""

    def __init__(self) -> None:
        self.sent: list[float] = []
        self.costs: list[float] = []
        self.stamps: list[float] = []
        self.behind: list[float] = []
        self.faults: list[str] = []
        self.uses: list[float] = []
        self.waits: dict[str, float] = {}

    def watch(self, peer: Any) -> None:
        """How long the peer waited for commands since it was told to count."""
        said = peer.ask("look")
        self.waits = {"late_commands": said["late"], "longest_silence_ms": 1e3 * said["longest_silence"]}

    def figures(self, period: float) -> dict[str, Any]:
        """Their percentiles."""
        gaps = np.diff(self.sent)
        return {
            "periods": len(self.sent),
            "rate_hz": float(1.0 / gaps.mean()),
            "period_error": _percentiles(np.abs(gaps - period) / period),
            "cost_us": _percentiles(1e6 * np.array(self.costs)),
            "behind_rad": _percentiles(np.array(self.behind)),
            "control_errors": len(self.faults),
            **self.waits,
            **({"use_ms": _percentiles(1e3 * np.array(self.uses))} if self.uses else {}),
        }


def run_stream(
    robot: str, driver: str, address: str, minutes: float, on_second: Callable[[str], None] = lambda _: None
) -> Report:
    """Measure the driver, then the library.

    Args:
        robot: profile.
        driver: franka or ur.
        address: of the robot; a peer is started when it is empty.
        minutes: how long the driver streams.
        on_second: told about every second what is going on.

    Returns:
        summary: of `driver` and `library` `rate_hz`, `period_error` (share of the period), `cost_us` of a period's
        calls, `behind_rad` (largest joint, between setpoint and arm) and `control_errors`; of the driver also
        `state_period_error`; `overhead_us` of the driver over the library. With a peer also `use_ms`, from a setpoint
        until it is in use there, `late_commands` and `longest_silence_ms`, and `use_ratio` of the driver to the
        library. Percentiles as `p50`, `p99`, `max`.

    Raises:
        ReinsError: no such driver or profile, or the robot cannot be connected, streams nothing, or does not recover.
    """
    look_up("driver", driver, BARE)
    profile = load_profile(robot)
    period = 1.0 / profile.rates.command
    make_real_time()
    try:
        with _robot_at(driver, profile, address) as peer:
            where = address if peer is None else peer.address
            ours = _stream_driver(make_real(driver, profile, where), profile, peer, 60.0 * minutes, on_second)
            alone = _stream_bare(driver, profile, where, peer, 60.0 * minutes * BARE_SHARE, on_second)
    finally:
        make_ordinary()
    for side, notes in (("the driver", ours), ("the vendor's library alone", alone)):
        if len(notes.sent) < ENOUGH:
            raise ReinsError(f"{side} did not stream: {'; '.join(notes.faults) or 'there was no time for it'}")
    stamps = np.diff(ours.stamps)
    summary = {
        "driver": {**ours.figures(period), "state_period_error": _percentiles(np.abs(stamps - period) / period)},
        "library": alone.figures(period),
    }
    costs = {side: summary[side]["cost_us"] for side in ("driver", "library")}
    summary["overhead_us"] = {key: costs["driver"][key] - costs["library"][key] for key in ("p50", "p99")}
    if ours.uses and alone.uses:
        uses = {side: summary[side]["use_ms"] for side in ("driver", "library")}
        summary["use_ratio"] = {key: uses["driver"][key] / uses["library"][key] for key in ("p50", "p99")}
    settings = {
        "robot": robot,
        "driver": driver,
        "address": address or "peer",
        "minutes": minutes,
        "real_time_scheduling": real_time_allowed(),
    }
    return Report("stream", settings, summary, [{"fault": fault} for fault in ours.faults])


def _robot_at(driver: str, profile: RobotProfile, address: str) -> AbstractContextManager[Any]:
    if address:
        return nullcontext()
    (peering,) = (peering for peering in PEERS.values() if peering.driver == driver)
    peer: PeerProcess = peering.start(profile=profile.name, world="tabletop", seed=0, address="")
    return peer


def _stream_driver(
    robot: Robot, profile: RobotProfile, peer: Any, seconds: float, on_second: Callable[[str], None]
) -> _Notes:
    """Stream until the time is up; a fault is noted, recovered from, and the motion begins anew. Then step, where there
    is a peer that sees the steps."""
    notes, period, sequence = _Notes(), 1.0 / profile.rates.command, 0

    def send(position: FloatArray, velocity: FloatArray) -> None:
        nonlocal sequence
        sequence += 1
        robot.write(SafeCommand(sequence, 0.0, period, position, velocity, None))
        robot.step(period)

    robot.connect()
    try:
        if peer is not None:
            peer.ask("count")
        end = time.monotonic() + seconds
        while True:
            sway, begin = sway_from(profile, robot.read().position), time.monotonic()
            for due in _dues(period, end, "driver", on_second):
                t = due - begin
                position, velocity = sway.position(t), sway.velocity(t)
                called = time.perf_counter()
                send(position, velocity)
                state = robot.read()
                notes.costs.append(time.perf_counter() - called)
                notes.sent.append(time.monotonic())
                notes.stamps.append(state.stamp)
                notes.behind.append(float(np.abs(position - state.position).max()))
                if state.fault:
                    notes.faults.append(state.fault)
                    _recover(robot)
                    break
            else:
                if peer is not None:
                    notes.watch(peer)
                    notes.uses = probe_use(peer, send, robot.read().reference.copy(), period)
                return notes
    finally:
        robot.close()


def _recover(robot: Robot) -> None:
    robot.recover()
    end = time.monotonic() + RECOVERING
    while fault := robot.read().fault:
        if time.monotonic() > end:
            raise ReinsError(f"the robot did not recover within {RECOVERING:.0f} s: {fault}")
        time.sleep(0.01)


def _stream_bare(
    driver: str, profile: RobotProfile, address: str, peer: Any, seconds: float, on_second: Callable[[str], None]
) -> _Notes:
    """The same with the library alone; it ends with the first fault."""
    notes, period = _Notes(), 1.0 / profile.rates.command
    try:
        bare = BARE[driver](profile, address)
        if peer is not None:
            peer.ask("count")
        begin = time.monotonic()
        sway = sway_from(profile, bare.position())
        for due in _dues(period, begin + seconds, "library", on_second):
            t = due - begin
            position, velocity = sway.position(t), sway.velocity(t)
            called = time.perf_counter()
            bare.send(position, velocity)
            measured = bare.position()
            notes.costs.append(time.perf_counter() - called)
            notes.sent.append(time.monotonic())
            notes.behind.append(float(np.abs(position - measured).max()))
        if peer is not None and notes.sent:
            notes.watch(peer)
            notes.uses = probe_use(peer, bare.send, position, period)
        bare.close()
    except errors_of(driver) as error:
        notes.faults.append(str(error))
    return notes


def _dues(period: float, end: float, what: str, on_second: Callable[[str], None]) -> Iterator[float]:
    """When each period is due until `end` [s, steady clock], at an absolute pace; what was missed is left out."""
    due = told = time.monotonic()
    while due < end:
        time.sleep(max(0.0, due - time.monotonic()))
        yield due
        now, due = time.monotonic(), due + period
        due = due if due > now else now + period
        if due - told > TOLD:
            told = due
            on_second(what)


def _percentiles(values: np.ndarray) -> dict[str, float]:
    p50, p99, most = np.percentile(values, [50, 99, 100])
    return {"p50": float(p50), "p99": float(p99), "max": float(most)}
