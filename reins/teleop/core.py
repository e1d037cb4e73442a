"""Teleop: what the operator wants to joint or body velocities, while the dead-man is held.

Passive: `t` is a steady time [s] of the caller's, for deadlines and smoothing; commands carry robot time. E-stop, reset
and hand-back are requests for the safety node, which the caller passes on.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Generic, overload

import numpy as np

from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.legged import BodyCommand, LeggedState
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray, JointCommand, RobotState
from reins.teleop.arm import ArmTeleop
from reins.teleop.body import BodyTeleop
from reins.teleop.cmd_vel import CmdVelReader
from reins.teleop.complaints import Complaints
from reins.teleop.intent import Action, Intent
from reins.teleop.joystick import JoystickReader
from reins.teleop.keyboard import KeyboardReader
from reins.teleop.mapping import JoyMapping, KeyMapping, load_joy_mapping, load_key_mapping
from reins.teleop.motion import SHARES, CommandT, StateT, TeleopMotion
from reins.teleop.settings import TeleopSettings

TRIMS: Final = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
"""Shares of the fastest motion that the speed buttons step through."""

START_TRIM: Final = 3
"""Which of them it starts with."""

JOYSTICK: Final = "joystick"
GAMEPAD: Final = "gamepad"
"""Names of the sticks."""

CMD_VEL: Final = "cmd_vel"
"""Name of the stream of twists, as of its topic."""

REQUESTS: Final = (Action.ESTOP, Action.RESET, Action.HAND_BACK)
"""Actions that the safety node carries out."""

COMPLAINT_PAUSE: Final = 2.0
"""A stick or stream is complained of again for the same reason once it was well for longer, and for another one if the
last complaint is longer ago [s]."""

_MOST_KEPT: Final = 100
"""Requests and events kept for a caller that does not collect them; the oldest go first."""


class TeleopCore(Generic[StateT, CommandT]):
    """Sticks, keyboard and cmd_vel to commands. Any may drive; the first stick whose dead-man is held does, then the
    keyboard, then cmd_vel.

    There are two sticks: a joystick that comes as sensor_msgs/Joy, and a gamepad that is read directly.

    Args:
        profile: the robot; its kind decides which commands come out.
        mapping: of the joystick.
        keys: of the keyboard; the one that ships with reins by default.
        settings: speeds, deadlines, smoothing.
        gamepad: mapping of the gamepad; the one that ships with reins by default.
    """

    @overload
    def __init__(
        self: "TeleopCore[RobotState, JointCommand]",
        profile: RobotProfile,
        mapping: JoyMapping,
        keys: KeyMapping | None = ...,
        settings: TeleopSettings | None = ...,
        gamepad: JoyMapping | None = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: "TeleopCore[LeggedState, BodyCommand]",
        profile: QuadrupedProfile,
        mapping: JoyMapping,
        keys: KeyMapping | None = ...,
        settings: TeleopSettings | None = ...,
        gamepad: JoyMapping | None = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: "TeleopCore[Any, Any]",
        profile: Profile,
        mapping: JoyMapping,
        keys: KeyMapping | None = ...,
        settings: TeleopSettings | None = ...,
        gamepad: JoyMapping | None = ...,
    ) -> None: ...

    def __init__(
        self,
        profile: Profile,
        mapping: JoyMapping,
        keys: KeyMapping | None = None,
        settings: TeleopSettings | None = None,
        gamepad: JoyMapping | None = None,
    ) -> None:
        self._settings = settings or TeleopSettings()
        self._motion: TeleopMotion[StateT, CommandT] = _motion_of(profile, self._settings)
        mappings = {JOYSTICK: mapping, GAMEPAD: gamepad or load_joy_mapping("gamepad")}
        self._sticks = {name: JoystickReader(m, self._settings.joy_timeout) for name, m in mappings.items()}
        self._keyboard = KeyboardReader(
            keys or load_key_mapping("keyboard"), self._settings.key_timeout, self._settings.key_delay
        )
        self._cmd_vel = CmdVelReader(self._settings.cmd_vel_timeout)
        self._trim = START_TRIM
        self._smooth = np.zeros(SHARES)
        self._smoothed_at = 0.0
        self._driving = False
        self._activation = 0.0
        self._sequence = 0
        self._complaints = {who: Complaints(COMPLAINT_PAUSE) for who in (*self._sticks, CMD_VEL)}
        self._stamp = 0.0
        self._requests: deque[Action] = deque(maxlen=_MOST_KEPT)
        self._events: deque[SafetyEvent] = deque(maxlen=_MOST_KEPT)

    def on_joy(
        self,
        axes: Sequence[float],
        buttons: Sequence[int],
        t: float,
        stick: str = JOYSTICK,
        objection: str = "",
    ) -> None:
        """One sensor_msgs/Joy, or one reading of the gamepad (`stick` is GAMEPAD).

        One that does not fit the mapping, or that the caller has an `objection` to, is told once, and counts as a
        released dead-man; its e-stop counts even so.
        """
        actions, complaint = self._sticks[stick].on_message(axes, buttons, t, objection)
        self._complain(stick, "joystick_unusable", complaint, t)
        for action in actions:
            self._act(action)

    def on_unplugged(self, stick: str) -> None:
        """A stick is gone; if its dead-man was held, the robot holds."""
        if self._sticks[stick].lose():
            self._tell(Severity.WARN, "joystick_lost", f"the {stick} was unplugged while its dead-man was held")

    def on_cmd_vel(self, twist: Sequence[float], t: float) -> None:
        """One twist (6,), linear [m/s] then angular [rad/s], of the body; it drives until `cmd_vel_timeout` is over.

        One that makes no sense for the robot is told once, and ends the stream.
        """
        complaint = self._motion.objection_to_velocity or self._cmd_vel.on_message(twist, t)
        self._complain(CMD_VEL, "cmd_vel_unusable", complaint, t)

    def on_key(self, key: str, t: float) -> None:
        """One key press, or repeat, of the terminal."""
        for action in self._keyboard.on_key(key, t):
            self._act(action)

    def step(self, state: StateT, t: float) -> CommandT | None:
        """The command for the next period; call it `settings.rate` times a second.

        Returns:
            A command while the dead-man is held. When it is let go or lost, one last command that stands still, so that
            braking begins at once; then None.
        """
        self._stamp = state.stamp
        for name, stick in self._sticks.items():
            if stick.check_silence(t):
                self._tell(Severity.WARN, "joystick_lost", f"no message of the {name} while its dead-man was held")
        if self._cmd_vel.check_silence(t):
            self._tell(Severity.WARN, "cmd_vel_silent", "cmd_vel fell silent in motion; the robot holds")
        intent = self._intent(t)
        if not intent.held:
            return self._let_go(state)
        if not self._driving:
            self._driving, self._activation = True, state.stamp
            self._smooth, self._smoothed_at = np.zeros(SHARES), t
            self._motion.begin(state)
        return self._command(state, intent, self._smoothed(intent, t))

    def take_requests(self) -> list[Action]:
        """E-stop, reset and hand-back, in the order in which they were pressed since the last call."""
        requests = list(self._requests)
        self._requests.clear()
        return requests

    def take_events(self) -> list[SafetyEvent]:
        """What happened since the last call, oldest first."""
        events = list(self._events)
        self._events.clear()
        return events

    @property
    def summary(self) -> str:
        """How it is set, for the operator's eyes."""
        return f"moves {self._motion.summary} at {TRIMS[self._trim]:.0%}"

    def _act(self, action: Action) -> None:
        if action in REQUESTS:
            self._requests.append(action)
        elif action is Action.FASTER:
            self._trim = min(self._trim + 1, len(TRIMS) - 1)
        elif action is Action.SLOWER:
            self._trim = max(self._trim - 1, 0)
        else:
            self._motion.act(action)

    def _intent(self, t: float) -> Intent:
        """Of whoever drives. A hand on stick or keys overrules cmd_vel, which must fall silent before it counts again:
        letting go holds the robot and gives it to nobody."""
        held = next((stick for stick in self._sticks.values() if stick.held), None)
        by_hand = held.intent() if held is not None else self._keyboard.intent(t)
        if not by_hand.held:
            return self._cmd_vel.intent()
        self._cmd_vel.bar()
        return by_hand

    def _let_go(self, state: StateT) -> CommandT | None:
        self._motion.let_go()
        if not self._driving:
            return None
        self._driving = False
        return self._command(state, Intent(), np.zeros(SHARES))

    def _smoothed(self, intent: Intent, t: float) -> FloatArray:
        """(SHARES,) twist and joint shares after a first-order low pass."""
        target = np.append(intent.twist, intent.joint)
        passed, self._smoothed_at = max(t - self._smoothed_at, 0.0), t
        constant = self._settings.smoothing
        share = 1.0 if constant == 0.0 else 1.0 - np.exp(-passed / constant)
        self._smooth = self._smooth + share * (target - self._smooth)
        return self._smooth

    def _command(self, state: StateT, intent: Intent, shares: FloatArray) -> CommandT:
        self._sequence += 1
        return self._motion.command(state, intent, shares, TRIMS[self._trim], self._sequence, self._activation)

    def _complain(self, who: str, kind: str, complaint: str, t: float) -> None:
        """Tell what cannot be used, but not with every message."""
        if complaint and self._complaints[who].is_news(complaint, t):
            self._tell(Severity.ERROR, kind, f"{who} message refused: {complaint}")

    def _tell(self, severity: Severity, kind: str, reason: str) -> None:
        self._events.append(SafetyEvent(self._stamp, severity, kind, "teleop", reason))


def _motion_of(profile: Profile, settings: TeleopSettings) -> TeleopMotion[Any, Any]:
    """The one place in this room where the kind of robot decides."""
    if isinstance(profile, QuadrupedProfile):
        return BodyTeleop(profile, settings)
    assert isinstance(profile, RobotProfile), f"{profile.name} is of an unknown kind"
    return ArmTeleop(profile, settings)
