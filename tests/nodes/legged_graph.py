"""The nodes of a legged robot, each a process of its own, and a client that plays the skills and watches."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from legged_peer import BACKEND, CHANGES
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from numpy.typing import NDArray
from patience import HANGING, LATE, patient
from reins_msgs import msg as ros
from std_msgs.msg import String
from typing_extensions import Self

from reins.demo.session import free_domain
from reins.hardware.legged import BodyCommand, LeggedState, Posture
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.nodes import convert_legged as convert
from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, EVENTS, LATCHED

HERE = Path(__file__).parent
SOON = 20.0
"""Whatever a test waits for [s]."""

PERIOD = 0.02


class LeggedGraph:
    """The graph, up and armed; a context manager.

    Attributes:
        profile: the Go2's, with deadlines for a busy machine.
        states, sent, modes, events: what it said since the last `forget`.
        folder: where its black box writes.
    """

    def __init__(self, log: Path) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self.domain = free_domain()
        given = patient("go2")
        self.profile = load_profile(given["robot"], QuadrupedProfile)
        robot = {"robot": given["robot"]}
        deadlines = {"watched": "[robot, teleop]", "state_timeout": str(LATE), "heartbeat_timeout": HANGING}
        self.folder, self._log = log.parent, log.open("w")
        self._processes = {
            "robot": self._start([str(HERE / "legged_peer.py")], robot | {"backend": BACKEND}),
            "teleop": self._start_node("teleop", robot | {"pad": "'off'"}),
            "blackbox": self._start_node("blackbox", robot | {"folder": str(log.parent)}),
            "safety": self._start_node("safety", robot | deadlines),
        }
        self.client = GraphClient(domain=self.domain)
        self.states: list[LeggedState] = []
        self.sent: list[ros.SafeBodyCommand] = []
        self.states_armed = False
        self.modes: list[str] = []
        self.reason = ""
        self.events: list[ros.SafetyEvent] = []
        self._sequence = 0
        self._activation = 0.0

    def _start_node(self, name: str, parameters: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        code = f"from reins.nodes.start import {name}; raise SystemExit({name}())"
        return self._start(["-c", code], parameters)

    def _start(self, words: list[str], parameters: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        environment = os.environ | {"ROS_DOMAIN_ID": str(self.domain)}
        given = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
        return subprocess.Popen(
            [sys.executable, *words, "--ros-args", *given], env=environment, stdout=self._log, stderr=self._log
        )

    def __enter__(self) -> Self:
        try:
            for step in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
                for name in self._processes:
                    fields = {"transition": Transition(id=step)}
                    answer = self.client.call(ChangeState, f"{name}/change_state", name, fields, 4 * SOON)
                    assert answer.success, f"{name} refused"
            self.client.listen(ros.LeggedState, "robot_state", CONTROL, self._on_state)
            self.client.listen(ros.SafeBodyCommand, "command/safe", CONTROL, self.sent.append)
            self.client.listen(ros.SafetyState, "safety/state", LATCHED, self._on_mode)
            self.client.listen(ros.SafetyEvent, "safety/events", EVENTS, self.events.append)
            node = self.client.node
            self._skill = node.create_publisher(ros.BodyCommand, "command/skill", CONTROL)
            self._changes = node.create_publisher(String, CHANGES, LATCHED)
            self.mode("ready")
            self.arm()
            self.until(lambda: self._skill.get_subscription_count() > 0, "safety, that listens to skills")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        for process in self._processes.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(SOON)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(SOON)
        self._log.close()

    def _on_state(self, message: ros.LeggedState) -> None:
        self.states.append(convert.legged_state_from_msg(message))
        self.states_armed = message.armed

    def _on_mode(self, message: ros.SafetyState) -> None:
        self.modes.append(message.mode_name)
        self.reason = message.reason

    # What a test does.

    def forget(self) -> None:
        """What was said so far is of no interest."""
        for kept in (self.states, self.sent, self.events):
            del kept[:]

    def be_ready(self) -> None:
        """All is well, nobody drives, and the robot may move, whatever the test before left."""
        self.change()
        self.client.spin(0.3)
        self.until(lambda: self.modes[-1] not in ("active_skill", "active_teleop", "stopping"), "a mode that lasts")
        if self.modes[-1] == "hold":
            assert self.client.hand_back("the next test").accepted
        elif self.modes[-1] != "ready":
            self.reset()
        self.mode("ready")
        self.arm()
        self.forget()
        self.client.spin(0.1)

    def reset(self) -> None:
        """An operator clears the stop, once nothing speaks against it any more."""
        answers: list[str] = []

        def accepted() -> bool:
            answer = self.client.reset("a test")
            answers.append(answer.message)
            return answer.accepted

        self.until(accepted, f"a reset; {answers[-1:]}")

    def arm(self) -> None:
        """Until it is."""
        if not (self.states and self.states_armed):
            self.until(lambda: self.client.arm("a test", True).accepted, "an armed robot")
        self.until(lambda: self.states_armed, "a state that says so")

    def change(self, **fields: Any) -> None:
        """What the robot's sensors say from now on, besides what is so."""
        self._changes.publish(String(data=json.dumps(fields)))

    def stop_process(self, name: str, on: bool) -> None:
        """Freeze a node, or let it go on."""
        self._processes[name].send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def kill(self, name: str) -> None:
        """SIGKILL for one node."""
        self._processes[name].kill()

    def new_goal(self) -> None:
        """What a skill commands from now on serves a goal that begins now."""
        self.client.spin(0.1)
        self._activation = self.states[-1].stamp

    def command(self, velocity: Any, posture: Posture = Posture.STAND) -> ros.BodyCommand:
        """A skill's command of now; publish it with `publish`, changed or not."""
        self._sequence += 1
        stamp = self.states[-1].stamp
        command = BodyCommand("skill", self._sequence, stamp, PERIOD, np.array(velocity, float), self._activation)
        message = convert.body_command_to_msg(command)
        message.posture = int(posture)
        return message

    def publish(self, message: ros.BodyCommand) -> None:
        """As a skill would."""
        self._skill.publish(message)

    def walk(self, velocity: Any, until: Callable[[], bool], what: str) -> None:
        """A skill asks for a velocity until something is so."""

        def look() -> bool:
            self.publish(self.command(velocity))
            return until()

        self.until(look, what)

    def until(self, condition: Callable[[], bool], what: str, seconds: float = SOON) -> None:
        """Take messages, a period at a time, until `condition` holds."""
        end = time.monotonic() + seconds
        while not condition():
            kinds = [event.kind for event in self.events]
            assert time.monotonic() < end, f"{what}: not in {seconds:.0f} s; {self.modes} {self.reason} {kinds}"
            self.client.spin(PERIOD)

    def mode(self, name: str) -> None:
        """Wait until safety is in this mode."""
        self.until(lambda: self.modes[-1:] == [name], f"safety mode {name}")

    # What it looks at.

    def velocity(self) -> NDArray[np.float64]:
        """(3,) that safety let through last."""
        return convert.body_velocity_from_msg(self.sent[-1].velocity) if self.sent else np.zeros(3)

    def speed(self) -> float:
        """Of the body over the ground [m/s]."""
        return float(np.hypot(*self.states[-1].odometry.linear[:2]))

    def walks(self) -> bool:
        """Whether the body does."""
        return bool(self.states) and self.speed() > 0.1

    def stands(self) -> bool:
        """Whether it is told to stand on its legs, and does not move."""
        return not self.velocity().any() and self.sent[-1].posture == Posture.STAND and self.speed() < 0.01

    def sits(self) -> bool:
        """Whether it is told to sit, and does not move."""
        return not self.velocity().any() and self.sent[-1].posture == Posture.SIT and self.speed() < 0.01

    def told(self, kind: str) -> list[str]:
        """Reasons of the events of a kind."""
        return [event.reason for event in self.events if event.kind == kind]
