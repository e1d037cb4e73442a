"""The checks of `reins doctor --robot …`: what lies between this machine and a robot, and how to mend it."""

import os
import resource
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import psutil

from reins.cli.checks import Finding, Health
from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.hardware.profile_base import Profile

PINGS: Final = 100
"""Packets of the measurement."""

EVERY: Final = 0.01
"""Time between two of them [s]."""

ANSWER: Final = 0.2
"""A packet without an answer for this long is lost [s]."""

PATIENCE: Final = 2.0
"""How long a port may take to answer [s]."""

MEDIAN: Final = 0.3e-3
"""A round trip whose median is longer is a slow network [s]. Source: Franka Robotics, FCI documentation, "Network
bandwidth, delay and jitter test"."""

LATE: Final = 1.0e-3
"""So is one whose 99th percentile is longer: a cycle of the robot [s]."""

TOO_LATE: Final = 3.0e-3
"""From there on no arm is driven over it [s]."""

ECHO: Final = struct.pack("!BBHHH", 8, 0, 0xF7FF, 0, 0)
"""An ICMP echo request without content; a datagram socket fills in identifier and checksum."""

REALTIME: Final = Path("/sys/kernel/realtime")
GOVERNORS: Final = "/sys/devices/system/cpu"
NETWORK: Final = Path("/sys/class/net")

LIKELY_PORT: Final = 443
"""Where a connection is tried whose refusal, too, measures the way [TCP]."""


@dataclass(frozen=True, slots=True)
class Port:
    """A service of a robot: its TCP port, what it is, and what to do when it does not answer."""

    number: int
    what: str
    remedy: str


PORTS: Final[dict[str, tuple[Port, ...]]] = {
    "franka": (
        Port(1337, "FCI", "activate FCI in Desk (joints unlocked, mode Execution), and see that the address is right"),
        Port(1338, "hand", "attach the hand and initialise it in Desk"),
    ),
    "ur": (
        Port(29999, "dashboard", "allow the dashboard server: Settings, Security, Services"),
        Port(30003, "real-time client", "allow the real-time client: Settings, Security, Services"),
        Port(30004, "RTDE", "allow RTDE: Settings, Security, Services"),
    ),
    "go2": (),
}
"""What each driver connects to; DDS has no port that would answer."""

LIBRARIES: Final = {"franka": "franky-control", "ur": "ur-rtde", "go2": "unitree-sdk2py-dimos"}
"""Distribution that each driver needs; `./run setup NAME` installs it."""


def route(address: str) -> list[Finding]:
    """The interface on which packets to the robot leave.

    Raises:
        ReinsError: the address is none, or nothing leads there.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            own = probe.getsockname()[0]
    except (OSError, UnicodeError) as error:
        raise ReinsError(
            f"no way to '{address}': {error}; give this computer an address in the robot's network, on the port that "
            "the robot is wired to"
        ) from None
    name = next((n for n, all_ in psutil.net_if_addrs().items() if any(a.address == own for a in all_)), "lo")
    speed = psutil.net_if_stats()[name].speed if name in psutil.net_if_stats() else 0
    told = f"from {own} over {name}" + (f", {speed} Mbit/s" if speed else "")
    if (NETWORK / name / "wireless").exists():
        return [Finding(Health.BAD, "route", f"{told}, wireless", "wire this computer to the robot's control box")]
    slow = 0 < speed < 100
    remedy = "a port of 100 Mbit/s or more" if slow else ""
    return [Finding(Health.WARNING if slow else Health.GOOD, "route", told, remedy)]


def trip(address: str) -> list[Finding]:
    """Round trips: their time, how much it varies, and how many were lost."""
    way, times = "ICMP", _echoes(address)
    if times is None:
        way, times = f"TCP, port {LIKELY_PORT}", _connects(address)
    got = np.array([seconds for seconds in times if seconds is not None])
    lost = len(times) - len(got)
    if not len(got):
        remedy = (
            "is the robot on, the cable in its control box, and the address right? A firewall may drop packets, too"
        )
        return [Finding(Health.BAD, "round trip", f"{way}: no answer to {len(times)} packets", remedy)]
    middle, late, jitter = np.median(got), np.percentile(got, 99), got.std()
    told = f"{way}: {1e3 * middle:.2f} ms in the middle, {1e3 * late:.2f} ms at the 99th percentile, "
    health = Health.BAD if late > TOO_LATE else Health.WARNING if late > LATE or middle > MEDIAN else Health.GOOD
    slow = "wire it directly, without a switch; turn off the network card's power saving and interrupt coalescing"
    loss = Health.GOOD if not lost else Health.WARNING if lost <= 0.01 * len(times) else Health.BAD
    return [
        Finding(health, "round trip", f"{told}jitter {1e3 * jitter:.2f} ms", slow),
        Finding(loss, "packet loss", f"{lost} of {len(times)}", "another cable, another port, no switch between"),
    ]


def _echoes(address: str) -> list[float | None] | None:
    """Times of ICMP echoes [s], None for each that was lost; None where this user may send none."""
    try:
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    except OSError:
        return None
    with probe:
        probe.settimeout(ANSWER)
        try:
            return _repeat(lambda: _echo(probe, address))
        except OSError:
            return None


def _echo(probe: socket.socket, address: str) -> float | None:
    while select.select([probe], [], [], 0.0)[0]:  # an answer that came too late for the one before
        probe.recv(1024)
    began = time.perf_counter()
    probe.sendto(ECHO, (address, 0))
    try:
        probe.recv(1024)
    except TimeoutError:
        return None
    return time.perf_counter() - began


def _connects(address: str) -> list[float | None]:
    """Times until a TCP connection is taken or refused [s]; three silent ones are enough to know."""

    def connect() -> float | None:
        began = time.perf_counter()
        try:
            socket.create_connection((address, LIKELY_PORT), ANSWER).close()
        except ConnectionRefusedError:
            pass
        except OSError:
            return None
        return time.perf_counter() - began

    return _repeat(connect)


def _repeat(once: Callable[[], float | None]) -> list[float | None]:
    times: list[float | None] = []
    while len(times) < PINGS and times[:3] != [None, None, None]:
        times.append(once())
        time.sleep(EVERY)
    return times


def ports(robot: str, address: str) -> list[Finding]:
    """Whether the robot's services answer."""
    found = []
    for port in PORTS[robot]:
        try:
            socket.create_connection((address, port.number), PATIENCE).close()
        except OSError as error:
            said = "refused" if isinstance(error, ConnectionRefusedError) else "no answer"
            found.append(Finding(Health.BAD, port.what, f"port {port.number}: {said}", port.remedy))
        else:
            found.append(Finding(Health.GOOD, port.what, f"port {port.number} answers"))
    return found


def library(robot: str) -> list[Finding]:
    """Whether the vendor's library is installed, and in which version."""
    name = LIBRARIES[robot]
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return [Finding(Health.BAD, "library", f"{name} is not installed", f"run `./run setup {robot}`")]
    return [Finding(Health.GOOD, "library", f"{name} {version}")]


def handshake(robot: str, profile: "Profile", address: str) -> list[Finding]:
    """Connect the driver for a moment: versions, mode and errors in the robot's words. Nothing moves."""
    from reins.nodes.drivers import make_robot

    try:
        with closing(make_robot(robot, profile, "", 0, address)) as driver:
            driver.connect()
            fault = driver.read().fault
    except ReinsError as error:
        return [Finding(Health.BAD, "driver", "does not connect", str(error))]
    if fault:
        return [Finding(Health.WARNING, "driver", "connects; the robot does not move now", fault)]
    return [Finding(Health.GOOD, "driver", "connects, versions fit, the robot is ready")]


def kernel() -> list[Finding]:
    """Real-time kernel, what this user may ask of it, and whether the processor saves power."""
    real_time = REALTIME.exists() and REALTIME.read_text().strip() == "1"
    priority, memory = (resource.getrlimit(which)[0] for which in (resource.RLIMIT_RTPRIO, resource.RLIMIT_MEMLOCK))
    allowed = os.geteuid() == 0 or priority >= 50 or priority == resource.RLIM_INFINITY
    locked = os.geteuid() == 0 or memory == resource.RLIM_INFINITY or memory >= 2**29
    limits = "in /etc/security/limits.d: @realtime - rtprio 99 and @realtime - memlock unlimited; join group realtime"
    return [
        Finding(
            Health.GOOD if real_time else Health.WARNING,
            "kernel",
            f"{os.uname().release}, {'PREEMPT_RT' if real_time else 'not real-time'}",
            "install a kernel with PREEMPT_RT; without it the arm may stop by itself, which is safe and tiresome",
        ),
        Finding(
            Health.GOOD if allowed and locked else Health.WARNING,
            "limits",
            f"real-time priority {'allowed' if allowed else 'not allowed'}, locked memory "
            f"{'allowed' if locked else 'too little'}",
            limits,
        ),
        _governor(),
    ]


def _governor() -> Finding:
    files = sorted(Path(GOVERNORS).glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = sorted({file.read_text().strip() for file in files})
    if not governors:
        return Finding(Health.GOOD, "processor", "no frequency scaling to be seen")
    saves = governors != ["performance"]
    remedy = "`cpupower frequency-set -g performance`" if saves else ""
    return Finding(Health.WARNING if saves else Health.GOOD, "processor", ", ".join(governors), remedy)


def checks(robot: str, profile: "Profile", address: str) -> Sequence[Callable[[], list[Finding]]]:
    """What to look at for a driver, in order; what needs an address is left out for one that has none."""
    ours: list[Callable[[], list[Finding]]] = [kernel]
    if robot in PORTS:
        steps = (lambda: route(address), lambda: trip(address), lambda: library(robot), lambda: ports(robot, address))
        ours = [*steps, *ours]
    return (*ours, lambda: handshake(robot, profile, address))
