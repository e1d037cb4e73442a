"""A closed loop around the safety monitor for tests: robot, driver host and monitor, with the graph's
one-period delay."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reins.contracts.event import SafetyEvent
from reins.hardware.host import DriverHost
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import (
    FloatArray,
    JointCommand,
    Robot,
    RobotSpec,
    RobotState,
    SafeCommand,
    StopCategory,
)
from reins.safety.modes import Mode
from reins.safety.monitor import SafetyMonitor
from reins.safety.settings import SafetySettings

PERIOD = 0.01
NODES = ("robot", "skills", "teleop", "planner")

SETTINGS = SafetySettings(heartbeat_timeout=0.09)
"""A short deadline, so that a silent node is a matter of a few periods."""


class KinematicRobot:
    """A robot that tracks every setpoint exactly; while it is `blocked` it stands."""

    def __init__(self, profile: RobotProfile, position: FloatArray | None = None) -> None:
        self._profile = profile
        self._reference = (profile.home if position is None else position).copy()
        self._velocity = np.zeros(len(profile.joints))
        self._time, self._sequence, self._fault = 0.0, 0, ""
        self.blocked = False
        self.gripper_width = 0.04
        self.gripper_commands: list[float] = []

    @property
    def spec(self) -> RobotSpec:
        """What it is."""
        return RobotSpec(self._profile.name, "arm", True, self._profile.joint_names, True, ())

    def connect(self) -> None:
        """Nothing to do."""

    def read(self) -> RobotState:
        """Exactly the reference."""
        n = len(self._profile.joints)
        return RobotState(
            self._time,
            self._reference.copy(),
            self._velocity.copy(),
            np.zeros(n),
            self._reference.copy(),
            self.gripper_width,
            False,
            self._sequence,
            self._fault,
        )

    def write(self, command: SafeCommand) -> None:
        """Track it."""
        if self.blocked:
            self._velocity = np.zeros_like(self._velocity)
        if self._fault or self.blocked:
            return
        self._reference, self._velocity = command.position.copy(), command.velocity.copy()
        self._sequence = command.sequence
        if command.gripper is not None:
            self.gripper_commands.append(command.gripper.width)

    def step(self, dt: float) -> None:
        """Let time pass."""
        self._time = round(self._time + dt, 9)
        self._reference = self._reference + self._velocity * dt

    def put(self, position: FloatArray) -> None:
        """Someone moves it by hand; it stands there until the next setpoint."""
        self._reference, self._velocity = position.copy(), np.zeros_like(self._velocity)

    def shift_clock(self, jump: float) -> None:
        """Its clock jumps [s]."""
        self._time += jump

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stand still at once."""
        self._velocity = np.zeros_like(self._velocity)
        self._fault = reason

    def recover(self) -> None:
        """Clear the fault and hold still."""
        self._velocity = np.zeros_like(self._velocity)
        self._fault = ""

    def close(self) -> None:
        """Nothing to do."""


class Loop:
    """Steps robot, host and monitor; keeps what they did.

    Attributes:
        alive: nodes whose heartbeats come.
        connected: whether robot states reach the monitor.
    """

    def __init__(
        self,
        profile: RobotProfile,
        robot: Robot | None = None,
        settings: SafetySettings | None = None,
        watched: Sequence[str] = NODES,
    ) -> None:
        self.profile = profile
        self.robot = robot or KinematicRobot(profile)
        self.host = DriverHost(self.robot, profile)
        self.monitor = SafetyMonitor(profile, settings or SETTINGS, watched)
        self.alive = set(watched)
        self.connected = True
        self.t = 0.0
        self.stamp = 0.0
        self.state = self.robot.read()
        self.sent: list[SafeCommand] = []
        self.states: list[RobotState] = []
        self.events: list[SafetyEvent] = []
        self._pending: list[SafeCommand] = []
        self._sequence = 0

    @property
    def mode(self) -> Mode:
        """The monitor's."""
        return self.monitor.mode

    def is_in(self, mode: Mode) -> bool:
        """Whether the monitor is in that mode now."""
        return self.monitor.mode is mode

    def restart(self) -> None:
        """A new monitor, as after the safety node was started again."""
        self.monitor = SafetyMonitor(self.profile, SETTINGS, NODES)
        self.host.recover()

    def begin(self) -> "Loop":
        """Run until the monitor is ready, and arm."""
        self.steps(2)
        self.host.arm(publishers=1)
        self.steps(2)
        assert self.mode is Mode.READY, self.monitor.status(self.t)
        return self

    def command(self, source: str, velocity: Any, activation: float | None = None, **changes: Any) -> JointCommand:
        """A well-formed command of now; a number is the velocity of every joint."""
        self._sequence += 1
        command = JointCommand(
            source=source,
            sequence=self._sequence,
            stamp=self.state.stamp,
            period=PERIOD,
            joint_names=self.profile.joint_names,
            velocity=np.full(len(self.profile.joints), velocity) if np.isscalar(velocity) else np.asarray(velocity),
            activation=self.state.stamp if activation is None else activation,
        )
        return replace(command, **changes)

    def step(self, *commands: JointCommand) -> list[SafeCommand]:
        """One control period; the safe commands that came of it."""
        self.state = self.robot.read()
        self.states.append(self.state)
        for node in self.alive:
            self.monitor.on_heartbeat(node, self.t)
        if self.connected:
            self.monitor.on_state(self.state, self.t)
        safe = [self.monitor.on_command(command, self.t) for command in commands]
        safe.append(self.monitor.tick(self.t))
        return self.finish([command for command in safe if command is not None])

    def send(self, command: SafeCommand) -> None:
        """A safe command between two steps."""
        self.sent.append(command)
        self._pending.append(command)

    def finish(self, sent: list[SafeCommand]) -> list[SafeCommand]:
        """Let the robot move on by a period, with what was sent a period ago."""
        self.sent += sent
        for command in self._pending:
            self.host.apply(command)
        self._pending = sent
        self.host.step(PERIOD)
        self.t = round(self.t + PERIOD, 9)
        self.events += self.monitor.take_events()
        return sent

    def lose_pending(self) -> None:
        """What was sent last does not reach the robot."""
        self._pending = []

    def steps(self, count: int) -> None:
        """That many control periods without a command."""
        for _ in range(count):
            self.step()

    def drive(self, source: str, velocity: Any, count: int, activation: float | None = None) -> list[SafeCommand]:
        """A source that asks for `velocity` in every period, as one goal."""
        begun = self.robot.read().stamp if activation is None else activation
        sent: list[SafeCommand] = []
        for _ in range(count):
            self.state = self.robot.read()
            sent += self.step(self.command(source, velocity, begun))
        return sent

    def kinds(self) -> list[str]:
        """Kinds of the events so far."""
        return [event.kind for event in self.events]

    def moved_since(self, count: int) -> float:
        """How far the arm went in the last `count` periods, the most of any joint [rad]."""
        positions = np.array([state.position for state in self.states[-count:]])
        return float(np.abs(positions - positions[0]).max())
