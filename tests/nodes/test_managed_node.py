"""What every node does with parameters, transitions and signals."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from pydantic import Field
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.utilities import try_shutdown
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.demo.session import free_domain
from reins.nodes.base import ManagedNode
from reins.nodes.middleware import avoid_shared_memory
from reins.nodes.parameters import Settings
from reins.nodes.running_clock import RunningClock

pytestmark = pytest.mark.ros

SUCCESS, FAILURE, ERROR = (
    TransitionCallbackReturn.SUCCESS,
    TransitionCallbackReturn.FAILURE,
    TransitionCallbackReturn.ERROR,
)


class ToySettings(Settings):
    """All kinds of parameters."""

    rate: float = Field(10.0, gt=0.0, le=100.0, description="rate [Hz]")
    count: int = Field(3, ge=0, description="how many")
    mode: Literal["a", "b"] = Field("a", description="which")
    names: list[str] = Field([], description="names")
    world: str = Field("here", description="where")


class Toy(ManagedNode[ToySettings]):
    """Notes what happens to it."""

    def __init__(self) -> None:
        super().__init__("toy", ToySettings, live=frozenset({"rate"}))
        self.did: list[str] = []
        self.broken = ""

    def configure(self) -> None:
        self.publisher = self.create_publisher(String, "toys", 1)
        self.create_timer(1.0, lambda: None)
        self.create_service(ChangeState, "other", lambda _request, response: response)
        self._happen("configure")
        if self.settings.world == "nowhere":
            raise ReinsError("no world 'nowhere'")

    def activate(self) -> None:
        self._happen("activate")

    def deactivate(self) -> None:
        self._happen("deactivate")

    def cleanup(self) -> None:
        self._happen("cleanup")

    def settings_changed(self) -> None:
        self._happen(f"rate {self.settings.rate}")

    def _happen(self, what: str) -> None:
        self.did.append(what)
        if what == self.broken:
            raise ZeroDivisionError(what)


Maker = Callable[..., Toy]


@pytest.fixture
def make() -> Iterator[Maker]:
    nodes: list[Toy] = []

    def toy(*given: str) -> Toy:
        words = [word for pair in given for word in ("-p", pair)]
        rclpy.init(args=["--ros-args", *words], domain_id=free_domain())
        nodes.append(Toy())
        return nodes[-1]

    yield toy
    for node in nodes:
        node.close()
        node.destroy_node()
    try_shutdown()


def counts(node: Toy) -> tuple[int, int, int]:
    return len(list(node.publishers)), len(list(node.timers)), len(list(node.services))


def test_transitions_call_the_hooks_and_cleanup_undoes_configure(make: Maker) -> None:
    node = make()
    before = counts(node)
    assert node.trigger_configure() == SUCCESS
    assert counts(node) == tuple(number + 1 for number in before)
    assert (node.trigger_activate(), node.state) == (SUCCESS, "active")
    assert node.trigger_deactivate() == SUCCESS
    assert node.trigger_cleanup() == SUCCESS
    assert node.did == ["configure", "activate", "deactivate", "cleanup"]
    assert counts(node) == before


def test_close_stops_from_every_state(make: Maker) -> None:
    node = make()
    node.trigger_configure()
    node.trigger_activate()
    node.close()
    assert node.did[2:] == ["deactivate", "cleanup"]
    assert node.state == "finalized"


def test_a_reason_fails_the_transition_and_it_can_be_tried_again(
    make: Maker, capfd: pytest.CaptureFixture[str]
) -> None:
    node = make("world:=nowhere")
    before = counts(node)
    assert (node.trigger_configure(), node.state) == (FAILURE, "unconfigured")
    assert "cannot configure: no world 'nowhere'" in capfd.readouterr().err
    assert counts(node) == before
    node.set_parameters([Parameter("world", value="here")])
    assert node.trigger_configure() == SUCCESS


@pytest.mark.parametrize("where", ["configure", "activate"])
def test_a_fault_is_told_and_leads_back_to_unconfigured(
    make: Maker, capfd: pytest.CaptureFixture[str], where: str
) -> None:
    node = make()
    node.broken = where
    if where == "activate":
        node.trigger_configure()
    assert (node.trigger_configure() if where == "configure" else node.trigger_activate()) == ERROR
    assert node.state == "unconfigured"
    assert f"fault in {where}: ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rate:=0.0", "parameter 'rate': Input should be greater than 0 (got 0.0)"),
        ("rate:=fast", "parameter 'rate': Input should be a valid number (got 'fast')"),
        ("count:=1.5", "parameter 'count'"),
        ("mode:=c", "parameter 'mode': Input should be 'a' or 'b' (got 'c')"),
        ("wrold:=here", "no parameter 'wrold'; did you mean 'world'? (known: count, mode, names, rate, world)"),
    ],
)
def test_wrong_parameters_are_named(make: Maker, capfd: pytest.CaptureFixture[str], given: str, said: str) -> None:
    node = make(given)
    assert (node.trigger_configure(), node.state) == (FAILURE, "unconfigured")
    assert said in capfd.readouterr().err


def test_whole_numbers_and_lists_are_taken_as_they_are_meant(make: Maker) -> None:
    node = make("rate:=5", "names:=[alpha, beta]")
    assert node.trigger_configure() == SUCCESS
    assert (node.settings.rate, node.settings.names) == (5.0, ["alpha", "beta"])


def test_parameters_change_when_they_may(make: Maker) -> None:
    node = make()
    assert node.set_parameters([Parameter("mode", value="b")])[0].successful
    assert not node.set_parameters([Parameter("mode", value="c")])[0].successful
    node.trigger_configure()
    refused = node.set_parameters([Parameter("world", value="there")])[0]
    assert not refused.successful
    assert "read when the node is configured" in refused.reason
    assert not node.set_parameters([Parameter("rate", value=1000.0)])[0].successful
    assert node.set_parameters([Parameter("rate", value=20.0)])[0].successful
    assert node.did[-1] == "rate 20.0"
    assert node.settings.mode == "b"


def test_a_transition_that_is_not_possible_is_refused(make: Maker, capfd: pytest.CaptureFixture[str]) -> None:
    node = make()
    request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVATE))
    response = ChangeState.Response(success=True)
    node._service_change_state.callback(request, response)
    assert not response.success
    assert node.state == "unconfigured"


PROGRAM = """
import sys
from reins.nodes.base import ManagedNode
from reins.nodes.running import run
from reins.nodes.parameters import Settings
class Toy(ManagedNode[Settings]):
    def __init__(self):
        super().__init__("toy", Settings)
        self.create_timer(0.01, self.once)
        self.told = False
    def once(self):
        if not self.told:
            self.told = True
            print("spins", flush=True)
        if len(sys.argv) > 1:
            raise ZeroDivisionError("in a callback")
    def cleanup(self):
        print("cleanup", flush=True)
    def configure(self):
        pass
sys.exit(run(Toy))
"""


def started(*words: str) -> "subprocess.Popen[str]":
    environment = dict(os.environ) | {"ROS_DOMAIN_ID": str(free_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "spins\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_node_cleanly_and_a_second_one_does_no_harm(number: signal.Signals) -> None:
    process = started()
    process.send_signal(number)
    process.send_signal(number)
    output, _ = process.communicate(timeout=10)
    assert (process.returncode, "Traceback" in output) == (0, False), output


@pytest.fixture
def teleop() -> Iterator["subprocess.Popen[str]"]:
    """A node as its executable runs it: what it imports starts threads before the node can do anything about it."""
    environment = dict(os.environ) | {"ROS_DOMAIN_ID": str(free_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    code = "from reins.nodes.start import teleop; raise SystemExit(teleop())"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    yield process
    process.kill()
    process.communicate()


def blocking(pid: int) -> bool:
    """Whether its main thread blocks SIGINT."""
    status = Path(f"/proc/{pid}/status").read_text()
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigBlk"))
    return bool(int(mask, 16) >> (signal.SIGINT - 1) & 1)


@pytest.mark.parametrize("after", [0.0, 3.0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_terminal_and_a_launcher_may_both_ask_a_node_to_stop(
    teleop: "subprocess.Popen[str]", number: signal.Signals, after: float
) -> None:
    deadline = time.monotonic() + 10.0
    while not blocking(teleop.pid) and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(after)  # while it is being imported, and when it runs
    for _ in range(5):
        if teleop.poll() is None:
            teleop.send_signal(number)
        time.sleep(0.02)
    output, _ = teleop.communicate(timeout=15)
    assert (teleop.returncode, "Traceback" in output) == (0, False), output


def test_a_fault_in_a_callback_ends_the_process_with_its_traceback() -> None:
    process = started("fail")
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 1
    assert "ZeroDivisionError: in a callback" in output


def test_stalls_of_the_watchdog_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = RunningClock(0.02)
    begin = clock.now()
    for gap, stall in ((0.005, 0.0), (0.02, 0.0), (0.32, 0.3), (0.005, 0.0)):
        now[0] += gap
        assert clock.tick() == pytest.approx(stall)
    assert clock.now() - begin == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}),
        ({"FASTDDS_BUILTIN_TRANSPORTS": "LARGE_DATA"}, {"FASTDDS_BUILTIN_TRANSPORTS": "LARGE_DATA"}),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"}),
        (
            {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "FASTRTPS_DEFAULT_PROFILES_FILE": "mine.xml"},
            {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "FASTRTPS_DEFAULT_PROFILES_FILE": "mine.xml"},
        ),
    ],
)
def test_the_users_own_middleware_settings_stay(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], asked: dict[str, str]
) -> None:
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_BUILTIN_TRANSPORTS", "FASTRTPS_DEFAULT_PROFILES_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    avoid_shared_memory()
    assert {name: os.environ.get(name) for name in asked} == asked


def test_a_process_started_by_one_that_avoids_shared_memory_avoids_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTRTPS_DEFAULT_PROFILES_FILE", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    avoid_shared_memory()
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    avoid_shared_memory()
    assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SYSTEM_DEFAULT"


def test_what_is_done_already_is_not_done_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTRTPS_DEFAULT_PROFILES_FILE", raising=False)
    monkeypatch.delenv("FASTDDS_BUILTIN_TRANSPORTS", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    avoid_shared_memory()
    avoid_shared_memory()
    assert "FASTDDS_BUILTIN_TRANSPORTS" not in os.environ


def test_logging_from_another_thread_does_not_hold_it_up(make: Maker, capfd: pytest.CaptureFixture[str]) -> None:
    from rclpy.executors import SingleThreadedExecutor

    from reins.contracts.event import Severity

    node = make()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    took: list[float] = []

    def work() -> None:
        begin = time.monotonic()
        for severity in Severity:
            node.log(severity, f"{severity.name} told")
        took.append(time.monotonic() - begin)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert took[0] < 0.05
    for _ in range(10):
        executor.spin_once(timeout_sec=0.05)
    text = capfd.readouterr().err
    assert all(f"{severity.name} told" in text for severity in Severity)
    executor.shutdown()
