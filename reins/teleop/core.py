"""Teleop: what the operator wants to joint velocities, while the dead-man is held.

Passive: `t` is a steady time [s] of the caller's, for deadlines and smoothing; commands carry robot time. E-stop, reset
and hand-back are requests for the safety node, which the caller passes on.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState
from reins.teleop.intent import Action, Intent
from reins.teleop.joystick import JoystickReader
from reins.teleop.keyboard import KeyboardReader
from reins.teleop.mapping import JoyMapping, KeyMapping, load_joy_mapping, load_key_mapping
from reins.teleop.settings import TeleopSettings

TRIMS: Final = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
"""Shares of the fastest motion that the speed buttons step through."""

START_TRIM: Final = 3
"""Which of them it starts with."""

JOYSTICK: Final = "joystick"
GAMEPAD: Final = "gamepad"
"""Names of the sticks."""

REQUESTS: Final = (Action.ESTOP, Action.RESET, Action.HAND_BACK)
"""Actions that the safety node carries out."""

_MOST_KEPT: Final = 100
"""Requests and events kept for a caller that does not collect them; the oldest go first."""


class TeleopCore:
    """Sticks and keyboard to joint commands. Any may drive; the first stick whose dead-man is held does.

    There are two sticks: a joystick that comes as sensor_msgs/Joy, and a gamepad that is read directly.

    Args:
        profile: the robot.
        mapping: of the joystick.
        keys: of the keyboard; the one that ships with reins by default.
        settings: speeds, deadlines, smoothing.
        gamepad: mapping of the gamepad; the one that ships with reins by default.
    """

    def __init__(
        self,
        profile: RobotProfile,
        mapping: JoyMapping,
        keys: KeyMapping | None = None,
        settings: TeleopSettings | None = None,
        gamepad: JoyMapping | None = None,
    ) -> None:
        self._profile = profile
        self._settings = settings or TeleopSettings()
        mappings = {JOYSTICK: mapping, GAMEPAD: gamepad or load_joy_mapping("gamepad")}
        self._sticks = {name: JoystickReader(m, self._settings.joy_timeout) for name, m in mappings.items()}
        self._keyboard = KeyboardReader(keys or load_key_mapping("keyboard"), self._settings.key_timeout)
        self._kinematics = Kinematics(profile)
        self._trim, self._joint, self._jogging = START_TRIM, 0, False
        self._in_tool_frame = self._settings.frame == "tool"
        self._smooth = np.zeros(7)
        self._smoothed_at = 0.0
        self._driving = False
        self._activation = 0.0
        self._sequence = 0
        self._gripper: GripperCommand | None = None
        self._complaints = dict.fromkeys(self._sticks, "")
        self._stamp = 0.0
        self._requests: deque[Action] = deque(maxlen=_MOST_KEPT)
        self._events: deque[SafetyEvent] = deque(maxlen=_MOST_KEPT)

    def on_joy(self, axes: Sequence[float], buttons: Sequence[int], t: float, stick: str = JOYSTICK) -> None:
        """One sensor_msgs/Joy, or one reading of the gamepad (`stick` is GAMEPAD).

        One that does not fit the mapping is told once, and counts as a released dead-man.
        """
        actions, complaint = self._sticks[stick].on_message(axes, buttons, t)
        if complaint and complaint != self._complaints[stick]:
            self._tell(Severity.ERROR, "joystick_unusable", f"{stick} message refused: {complaint}")
        self._complaints[stick] = complaint
        for action in actions:
            self._act(action)

    def on_unplugged(self, stick: str) -> None:
        """A stick is gone; if its dead-man was held, the robot holds."""
        if self._sticks[stick].lose():
            self._tell(Severity.WARN, "joystick_lost", f"the {stick} was unplugged while its dead-man was held")

    def on_key(self, key: str, t: float) -> None:
        """One key press, or repeat, of the terminal."""
        for action in self._keyboard.on_key(key, t):
            self._act(action)

    def step(self, state: RobotState, t: float) -> JointCommand | None:
        """The command for the next period; call it `settings.rate` times a second.

        Returns:
            A command while the dead-man is held. When it is let go or lost, one last command that stands still, so that
            braking begins at once; then None.
        """
        self._stamp = state.stamp
        for name, stick in self._sticks.items():
            if stick.check_silence(t):
                self._tell(Severity.WARN, "joystick_lost", f"no message of the {name} while its dead-man was held")
        held = next((stick for stick in self._sticks.values() if stick.held), None)
        intent = held.intent() if held is not None else self._keyboard.intent(t)
        if not intent.held:
            return self._let_go(state)
        if not self._driving:
            self._driving, self._activation = True, state.stamp
            self._smooth, self._smoothed_at = np.zeros(7), t
        return self._command(state, self._velocity(state, self._smoothed(intent, t)))

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
        frame = "tool" if self._in_tool_frame else "base"
        what = self._profile.joint_names[self._joint] if self._jogging else f"tool point, {frame} frame"
        return f"moves {what} at {TRIMS[self._trim]:.0%}"

    def _act(self, action: Action) -> None:
        if action in REQUESTS:
            self._requests.append(action)
            return
        n, grip = len(self._profile.joints), self._profile.gripper
        if action is Action.OPEN_GRIPPER:
            self._gripper = GripperCommand(grip.max_width, grip.grasp_force)
        elif action is Action.CLOSE_GRIPPER:
            self._gripper = GripperCommand(0.0, grip.grasp_force)
        elif action is Action.FASTER:
            self._trim = min(self._trim + 1, len(TRIMS) - 1)
        elif action is Action.SLOWER:
            self._trim = max(self._trim - 1, 0)
        elif action is Action.TOGGLE_FRAME:
            self._in_tool_frame = not self._in_tool_frame
        elif action is Action.TOGGLE_JOINTS:
            self._jogging = not self._jogging
        else:
            self._joint = (self._joint + (1 if action is Action.NEXT_JOINT else -1)) % n

    def _let_go(self, state: RobotState) -> JointCommand | None:
        self._gripper = None
        if not self._driving:
            return None
        self._driving = False
        return self._command(state, np.zeros(len(self._profile.joints)))

    def _smoothed(self, intent: Intent, t: float) -> FloatArray:
        """(7,) twist and joint shares after a first-order low pass."""
        target = np.append(intent.twist, intent.joint)
        passed, self._smoothed_at = max(t - self._smoothed_at, 0.0), t
        constant = self._settings.smoothing
        share = 1.0 if constant == 0.0 else 1.0 - np.exp(-passed / constant)
        self._smooth = self._smooth + share * (target - self._smooth)
        return self._smooth

    def _velocity(self, state: RobotState, shares: FloatArray) -> FloatArray:
        """(n,) joint velocity [rad/s] for (7,) twist and joint shares."""
        trim, settings = TRIMS[self._trim], self._settings
        if self._jogging:
            velocity = np.zeros(len(self._profile.joints))
            velocity[self._joint] = shares[6] * settings.joint_speed * trim
            return velocity
        twist = np.append(shares[:3] * settings.linear_speed, shares[3:6] * settings.angular_speed) * trim
        pose, jacobian = self._kinematics.tool_jacobian(state.position)
        if self._in_tool_frame:
            twist = np.append(pose.rotation @ twist[:3], pose.rotation @ twist[3:])
        return damped_inverse(jacobian, twist, settings.damping)

    def _command(self, state: RobotState, velocity: FloatArray) -> JointCommand:
        self._sequence += 1
        gripper, self._gripper = self._gripper, None
        return JointCommand(
            source="teleop",
            sequence=self._sequence,
            stamp=state.stamp,
            period=1.0 / self._settings.rate,
            joint_names=self._profile.joint_names,
            velocity=velocity,
            activation=self._activation,
            gripper=gripper,
        )

    def _tell(self, severity: Severity, kind: str, reason: str) -> None:
        self._events.append(SafetyEvent(self._stamp, severity, kind, "teleop", reason))


def damped_inverse(jacobian: FloatArray, twist: FloatArray, damping: float) -> FloatArray:
    """Joint velocity (n,) [rad/s] whose tool motion is close to `twist`, and that stays small near singular poses.

    Args:
        jacobian: (6, n) of the tool, linear rows first.
        twist: (6,) tool velocity, linear [m/s] then angular [rad/s].
        damping: > 0, in the units of a singular value.

    Source: damped least squares, v = Jᵀ (J Jᵀ + λ² I)⁻¹ x.
    """
    gram = jacobian @ jacobian.T
    gram[np.diag_indices(6)] += damping * damping
    return jacobian.T @ np.linalg.solve(gram, twist)
