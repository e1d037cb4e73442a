"""A closed loop around the safety monitor of a legged robot: body, driver host and monitor, a period late."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from kinematic_walker import KinematicWalker

from reins.contracts.event import SafetyEvent
from reins.contracts.scene import Scene, SceneObject, by_id
from reins.hardware.host import DriverHost
from reins.hardware.legged import BodyCommand, LeggedState, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.settings import LeggedSettings
from reins.safety.modes import Mode
from reins.safety.monitor import SafetyMonitor
from reins.safety.settings import SafetySettings

NODES = ("robot", "teleop")


class LeggedLoop:
    """Steps walker, host and monitor; keeps what they did.

    Attributes:
        alive: nodes whose heartbeats come.
        connected: whether robot states reach the monitor.
        blocked: whether safe commands reach the host.
    """

    def __init__(
        self,
        profile: QuadrupedProfile,
        settings: SafetySettings | None = None,
        legged: LeggedSettings | None = None,
    ) -> None:
        self.profile = profile
        self.period = 1.0 / profile.rates.command
        self.robot = KinematicWalker(profile)
        self.host = DriverHost(self.robot, profile)
        self.settings = settings or SafetySettings(heartbeat_timeout=0.18)
        self.monitor = SafetyMonitor(profile, self.settings, NODES, legged=legged)
        self.alive, self.connected, self.blocked = set(NODES), True, False
        self.t = 0.0
        self.state: LeggedState = self.robot.read()
        self.sent: list[SafeBodyCommand] = []
        self.states: list[LeggedState] = []
        self.events: list[SafetyEvent] = []
        self._pending: list[SafeBodyCommand] = []
        self._sequence = 0

    def is_in(self, mode: Mode) -> bool:
        """Whether the monitor is in that mode now."""
        return self.monitor.mode is mode

    def reason(self) -> str:
        """Why it is in its mode."""
        return self.monitor.status(self.t).reason

    def begin(self) -> "LeggedLoop":
        """Run until the monitor is ready, and arm."""
        self.steps(2)
        self.host.arm(publishers=1)
        self.steps(4)
        assert self.is_in(Mode.READY), self.reason()
        return self

    def walk(self, velocity: Any = (0.2, 0.0, 0.0)) -> "LeggedLoop":
        """Stand up for teleop and walk."""
        self.drive("teleop", velocity, round((self.profile.body.stand_up + 1.0) / self.period))
        return self

    def command(self, source: str, velocity: Any, activation: float | None = None, **changes: Any) -> BodyCommand:
        """A well-formed command of now."""
        self._sequence += 1
        command = BodyCommand(
            source=source,
            sequence=self._sequence,
            stamp=self.state.stamp,
            period=self.period,
            velocity=np.array(velocity, dtype=np.float64),
            activation=self.state.stamp if activation is None else activation,
        )
        return replace(command, **changes)

    def step(self, *commands: BodyCommand) -> list[SafeBodyCommand]:
        """One control period; the safe commands that came of it."""
        self.state = self.robot.read()
        self.states.append(self.state)
        for node in self.alive:
            self.monitor.on_heartbeat(node, self.t)
        if self.connected:
            self.monitor.on_state(self.state, self.t)
        safe = [self.monitor.on_command(command, self.t) for command in commands]
        safe.append(self.monitor.tick(self.t))
        return self._finish([command for command in safe if command is not None])

    def _finish(self, sent: Sequence[SafeBodyCommand]) -> list[SafeBodyCommand]:
        self.sent += sent
        for command in self._pending:
            self.host.apply(command)
        self._pending = [] if self.blocked else list(sent)
        self.host.step(self.period)
        self.t = round(self.t + self.period, 9)
        self.events += self.monitor.take_events()
        return list(sent)

    def send(self, command: SafeBodyCommand | None) -> None:
        """What the monitor answered with, between two steps, goes to the robot with the next."""
        if command is not None:
            self.sent.append(command)
            self._pending.append(command)

    def steps(self, count: int) -> None:
        """That many control periods without a command."""
        for _ in range(count):
            self.step()

    def drive(
        self, source: str, velocity: Any, count: int, activation: float | None = None, **changes: Any
    ) -> list[SafeBodyCommand]:
        """A source that asks for `velocity` in every period, as one goal."""
        begun = self.robot.read().stamp if activation is None else activation
        sent: list[SafeBodyCommand] = []
        for _ in range(count):
            self.state = self.robot.read()
            sent += self.step(self.command(source, velocity, begun, **changes))
        return sent

    def rest(self) -> None:
        """Run until the robot sits and its body stands still."""
        self.steps(round(3.0 / self.period))
        assert self.sent[-1].posture is Posture.SIT
        assert np.abs(self.robot.read().odometry.linear).max() < 1e-3

    def kinds(self) -> list[str]:
        """Kinds of the events so far."""
        return [event.kind for event in self.events]

    def see(self, *things: SceneObject) -> None:
        """A scene of now."""
        self.monitor.on_scene(Scene(self.state.stamp, "test", by_id(things)))


def thing(name: str, label: str, x: float, y: float = 0.0) -> SceneObject:
    """Half a metre wide and a metre high, standing on the ground at (x, y) before a base that is 0.3 m high."""
    return SceneObject(name, label, "grey", (x, y, 0.2), (0.0, 0.0, 0.0, 1.0), (0.5, 0.5, 1.0), 1.0, 0.0)
