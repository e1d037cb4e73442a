"""A graph of one's own: started in a ROS domain that nobody uses, and stopped again whatever happens."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError
from reins.nodes.client import GraphClient
from reins.nodes.watch import GraphWatch

DOMAINS: Final = range(1, 100)
"""ROS domains whose ports lie below Linux's ephemeral range."""

FIRST_PORT: Final = 7400
PORTS_PER_DOMAIN: Final = 250
"""RTPS 2.5, 9.6.1.1: domain d uses the UDP ports from FIRST_PORT + PORTS_PER_DOMAIN * d on."""

START_LIMIT: Final = 90.0
"""How long a graph may take until a task can be done [s]; two slow cores need a quarter of it."""

STOP_LIMIT: Final = 20.0
"""How long it may take to end after SIGINT [s]."""

LAST_LINES: Final = 12
"""Lines of the log that are shown when the graph fails."""

PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True, slots=True)
class Session:
    """A running graph, a client of it, its ROS domain and the file that takes its output."""

    client: GraphClient
    domain: int
    log: Path


def free_domain() -> int:
    """A ROS domain on which no process of this machine has an open port; differs from process to process."""
    taken = _open_udp_ports()
    start = os.getpid() % len(DOMAINS)
    for offset in range(len(DOMAINS)):
        domain = DOMAINS[(start + offset) % len(DOMAINS)]
        first = FIRST_PORT + PORTS_PER_DOMAIN * domain
        if not any(first <= port < first + PORTS_PER_DOMAIN for port in taken):
            return domain
    raise ReinsError("every ROS domain from 1 to 99 is in use on this machine")


def _open_udp_ports() -> set[int]:
    ports: set[int] = set()
    for table in ("/proc/net/udp", "/proc/net/udp6"):
        if Path(table).exists():
            rows = Path(table).read_text(encoding="ascii").splitlines()[1:]
            ports.update(int(row.split()[1].rpartition(":")[2], 16) for row in rows)
    return ports


@contextmanager
def graph(
    launch: str, arguments: Mapping[str, str], log: Path, on_change: Callable[[list[str]], None]
) -> Iterator[Session]:
    """Start a graph, wait until a task can be done, give it to the body, stop it.

    Args:
        launch: name or path of a launch file.
        arguments: for it.
        log: file that takes the graph's output.
        on_change: told what is still missing, whenever that changes.

    Raises:
        ReinsError: the graph does not come up in time, or ends by itself; with the last lines that it wrote.
    """
    domain = free_domain()
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(domain),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(log.parent / "ros-log"),
    }
    os.environ.update(ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST", ROS_LOG_DIR=environment["ROS_LOG_DIR"])
    words = [f"{name}:={value}" for name, value in arguments.items()]
    command = [sys.executable, "-m", "reins.cli", "up", launch, *words]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
    try:
        with GraphClient(domain=domain) as client:
            _wait_until_ready(client, process, log, on_change)
            yield Session(client, domain, log)
    finally:
        _stop(process)


def _end_with_parent() -> None:
    """Runs in the child: SIGINT for it when this process dies, so that no graph is left behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))


def _wait_until_ready(
    client: GraphClient, process: "subprocess.Popen[bytes]", log: Path, on_change: Callable[[list[str]], None]
) -> None:
    watch = GraphWatch(client)
    end = time.monotonic() + START_LIMIT
    try:
        while not watch.wait_until_ready(1.0, on_change):
            if process.poll() is not None:
                raise ReinsError(f"the graph ended while it started (exit status {process.returncode}):\n{_tail(log)}")
            if time.monotonic() > end:
                missing = ", ".join(watch.status.missing())
                raise ReinsError(f"the graph is not ready after {START_LIMIT:g} s; missing: {missing}\n{_tail(log)}")
    finally:
        watch.close()


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:])


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(STOP_LIMIT)
