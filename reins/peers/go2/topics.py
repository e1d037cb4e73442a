"""The robot's side of its DDS topics."""

import copy
import json
from typing import Any, Final

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from unitree_sdk2py.idl.default import unitree_go_msg_dds__LowCmd_, unitree_go_msg_dds__LowState_
from unitree_sdk2py.idl.unitree_api.msg.dds_ import Request_, Response_, ResponseHeader_, ResponseStatus_
from unitree_sdk2py.idl.unitree_go.msg.dds_ import LowCmd_, LowState_
from unitree_sdk2py.utils.crc import CRC

SERVICE: Final = "rt/api/motion_switcher"
CHECK_MODE: Final = 1001
RELEASE_MODE: Final = 1003
UNKNOWN: Final = 3203
"""Numbers of two questions, and of the answer to all others, in the SDK."""

SETTINGS: Final = (
    '<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface address="{}"/></Interfaces></General></Domain>'
    "</CycloneDDS>"
)


class Topics:
    """Low-level topics and the motion switcher of one robot.

    Args:
        domain: of DDS.
        address: of the network interface.
        has_switcher: whether the motion switcher answers.

    Attributes:
        mode: name of the motion service that is active; empty for none.
        wrong: commands with a wrong checksum that came.
    """

    def __init__(self, domain: int, address: str, has_switcher: bool) -> None:
        self._domain = Domain(domain, SETTINGS.format(address))
        self._participant = DomainParticipant(domain)
        one, few = Qos(Policy.History.KeepLast(1)), Qos(Policy.History.KeepLast(4))
        self._states = DataWriter(self._participant, self._topic("rt/lowstate", LowState_))
        self._commands = DataReader(self._participant, self._topic("rt/lowcmd", LowCmd_), one)
        self._questions = self._answers = None
        if has_switcher:
            self._questions = DataReader(self._participant, self._topic(f"{SERVICE}/request", Request_), few)
            self._answers = DataWriter(self._participant, self._topic(f"{SERVICE}/response", Response_))
        self._checksum = CRC().Crc
        self._state = unitree_go_msg_dds__LowState_()
        self._rival: Any = None
        self.mode, self.wrong = "", 0

    def take_command(self) -> Any | None:
        """The newest LowCmd_ that came, with a good checksum."""
        samples = [sample for sample in self._commands.take(1) if sample.sample_info.valid_data]
        if not samples:
            return None
        if samples[0].crc != self._checksum(samples[0]):
            self.wrong += 1
            return None
        return samples[0]

    def blank(self) -> Any:
        """A LowState_ to be filled."""
        return copy.deepcopy(self._state)

    def sealed(self, state: Any, wrong: bool) -> Any:
        """The state with its checksum, or another one."""
        state.crc = self._checksum(state) ^ int(wrong)
        return state

    def send(self, state: Any) -> None:
        """Publish a LowState_."""
        self._states.write(state)

    def serve(self, deaf: bool) -> None:
        """Answer what is asked of the motion switcher, unless the robot hears nothing."""
        if self._questions is None or self._answers is None:
            return
        for question in self._questions.take(4):
            if question.sample_info.valid_data and not deaf:
                self._answers.write(self._answer(question))

    def compete(self, wanted: bool) -> None:
        """Be another program that commands the motors, too, for as long as it is wanted."""
        if not wanted:
            self._rival = None
            return
        if self._rival is None:
            participant = DomainParticipant(self._participant.domain_id)
            self._rival = DataWriter(participant, Topic(participant, "rt/lowcmd", LowCmd_))
        self._rival.write(self._sealed_command())

    def _sealed_command(self) -> Any:
        command = unitree_go_msg_dds__LowCmd_()
        command.crc = self._checksum(command)
        return command

    def _answer(self, question: Any) -> Any:
        number = question.header.identity.api_id
        if number == RELEASE_MODE:
            self.mode = ""
        data = json.dumps({"form": "0", "name": self.mode}) if number == CHECK_MODE else ""
        code = 0 if number in (CHECK_MODE, RELEASE_MODE) else UNKNOWN
        return Response_(ResponseHeader_(question.header.identity, ResponseStatus_(code)), data, [])

    def _topic(self, name: str, kind: Any) -> Any:
        return Topic(self._participant, name, kind)
