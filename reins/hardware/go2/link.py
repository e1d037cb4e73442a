"""One connection to a Go2: its DDS domain on one network interface, and the topics that the driver needs."""

import socket
from threading import Lock
from typing import Any, Final
from weakref import WeakValueDictionary

from reins.contracts.errors import ReinsError
from reins.hardware.go2.library import Library

STATE: Final = "rt/lowstate"
COMMAND: Final = "rt/lowcmd"
ASK: Final = "rt/api/motion_switcher/request"
ANSWER: Final = "rt/api/motion_switcher/response"
"""Names of topics. Source: Unitree's SDK2."""

SETTINGS: Final = (
    '<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface address="{address}"/></Interfaces></General>'
    "</Domain></CycloneDDS>"
)
"""Of Cyclone DDS: one interface, and nothing else of this machine."""

STATES: Final = 2
"""States that are kept between two looks: where the last one is no good, the one before may be. Each costs 1 ms."""

QUEUE: Final = 8
"""Answers, and messages of other programs, that are kept between two looks."""

_DOMAINS: Final[WeakValueDictionary[tuple[int, str], Any]] = WeakValueDictionary()
_LOCK: Final = Lock()


def way_to(address: str) -> str:
    """The address of this machine by which messages to a robot leave.

    Raises:
        ReinsError: nothing leads there.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return str(probe.getsockname()[0])
    except (OSError, UnicodeError) as error:
        raise ReinsError(
            f"no way to the Go2 at '{address}': {error}; give this computer an address in the robot's network, "
            "192.168.123.x with mask 255.255.255.0, on the port that the robot is wired to"
        ) from None


class Link:
    """Reads and writes; no method blocks.

    Args:
        library: of the SDK.
        domain: DDS domain of the robot.
        interface: address of this machine in the robot's network.

    Raises:
        ReinsError: the domain cannot be opened.
    """

    def __init__(self, library: Library, domain: int, interface: str) -> None:
        dds, policy = library, library.qos.Policy
        self._exception = dds.core.DDSException
        latest, some = (dds.qos.Qos(policy.History.KeepLast(depth)) for depth in (STATES, QUEUE))
        others = dds.qos.Qos(policy.History.KeepLast(QUEUE), policy.IgnoreLocal.Participant)
        reliable = dds.qos.Qos(policy.Reliability.Reliable(0), policy.History.KeepLast(QUEUE))
        prompt = dds.qos.Qos(policy.Reliability.Reliable(0), policy.History.KeepLast(1))
        try:
            self._domain = _domain(dds, domain, interface)
            self._participant = dds.domain.DomainParticipant(domain)
            state, command, ask, answer = (
                dds.topic.Topic(self._participant, name, kind)
                for name, kind in (
                    (STATE, dds.low.LowState_),
                    (COMMAND, dds.low.LowCmd_),
                    (ASK, dds.api.Request_),
                    (ANSWER, dds.api.Response_),
                )
            )
            self._states = dds.sub.DataReader(self._participant, state, latest)
            self._others = dds.sub.DataReader(self._participant, command, others)
            self._answers = dds.sub.DataReader(self._participant, answer, some)
            self._questions = dds.pub.DataWriter(self._participant, ask, reliable)
        except self._exception as error:
            raise ReinsError(f"DDS domain {domain} cannot be opened on {interface}: {error.msg}") from None
        self._make_writer = lambda: dds.pub.DataWriter(self._participant, command, prompt)
        self._commands: Any = None

    def take_states(self) -> list[Any]:
        """The newest LowState_ that were not taken yet, the last one first."""
        return self._valid(self._states)[::-1]

    def take_other(self) -> Any | None:
        """A LowCmd_ of another program, if one came."""
        return next(iter(self._valid(self._others)), None)

    def take_answers(self) -> list[Any]:
        """What services answered, whoever asked them."""
        return self._valid(self._answers)

    def ask(self, question: Any) -> None:
        """Send a Request_ to the motion switcher."""
        self._send(self._questions, question)

    def command(self, message: Any) -> None:
        """Send a LowCmd_; only the first one makes this program a publisher of rt/lowcmd."""
        if self._commands is None:
            self._commands = self._make_writer()
        self._send(self._commands, message)

    def close(self) -> None:
        """Leave the domain. Safe to call twice."""
        self._states = self._others = self._answers = self._questions = self._commands = None
        self._make_writer = lambda: None
        self._participant = self._domain = None

    @staticmethod
    def _valid(reader: Any) -> list[Any]:
        """What came, without the notices of writers that are gone."""
        return [sample for sample in reader.take(QUEUE) if sample.sample_info.valid_data]

    def _send(self, writer: Any, message: Any) -> None:
        try:
            writer.write(message)
        except self._exception:  # the network is gone for a moment, or for good: then states stay away, too
            return


def _domain(dds: Library, number: int, interface: str) -> Any:
    """A domain with these settings, one for all drivers of this process: Cyclone DDS allows no second one."""
    with _LOCK:
        domain = _DOMAINS.get((number, interface))
        if domain is None:
            domain = _DOMAINS[number, interface] = dds.domain.Domain(number, SETTINGS.format(address=interface))
        return domain
