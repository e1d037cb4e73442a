"""Motion: turns what is wanted into safe commands, and keeps the reference that they set.

What moves the robot, and how:
- The reference advances by the robot time that really passes, so that jitter and lost commands leave no step in it.
- A source that takes over a standing robot starts from the measured position. One that takes over a moving robot goes
  on from where the reference is, which is where the arm will be when the command acts. A reference that is farther from
  the arm than a leash is drawn in, a little with every command: what holds an arm back must not be let go of at once.
  Velocity changes within the acceleration limits in any case.
- Holding, the reference stays where braking ended. While the driver does not track it (it is not armed, or has a fault)
  it follows the measured position, so that nothing jumps when the driver is armed.
- A gripper target goes with every command until another one comes or it is forgotten, for one message may be lost. It
  is held back while the robot brakes or holds. A stop halts fingers that move: they hold nothing, so nothing drops.
  Fingers that rest are left alone.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, RobotState, SafeCommand
from reins.safety.bodies import Box
from reins.safety.filter import SafetyFilter
from reins.safety.limits import jerk_limited
from reins.safety.reference import Reference
from reins.safety.settings import SafetySettings
from reins.safety.surroundings import Surroundings
from reins.safety.verdict import Verdict

LAG: Final = 0.05
"""Time that the measured position may lag behind a moving reference [s]: transport and the driver's own control."""

UNTRACKED: Final = 1e-3
"""A driver whose reference is farther than this from the held one [rad] does not track it …"""

SETTLED: Final = 0.1
"""… if it has had this long to do so [s]."""

FINGERS_MOVE: Final = 1e-3
"""Fingers move whose distance changes by more than this [m] …"""

FINGERS_SPAN: Final = 0.1
"""… within this time [s]."""


class VelocityFilter(Protocol):
    """What stands in front of the reference; see `SafetyFilter`."""

    def step(
        self, position: FloatArray, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float = 1.0
    ) -> Verdict: ...
    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray: ...
    def surround(self, keep_outs: Sequence[Box], held: Box | None, payload: float = 0.0) -> None: ...


FilterMaker = Callable[[RobotProfile, SafetySettings], VelocityFilter]


class Motion:
    """The reference of one robot and the filter in front of it.

    Args:
        profile: the robot.
        settings: the monitor's.
        make_filter: makes the filter.

    Raises:
        ReinsError: the robot's model cannot be loaded.
    """

    def __init__(
        self, profile: RobotProfile, settings: SafetySettings, make_filter: FilterMaker = SafetyFilter
    ) -> None:
        self._profile, self._settings = profile, settings
        self._period = 1.0 / profile.rates.command
        self._filter = make_filter(profile, settings)
        self._reference = Reference(len(profile.joints), self._period, profile.rates.stale_after)
        self._measured = self._reference.position
        self._drawn_in = True
        self._draw_speed = jerk_limited(profile.acceleration, profile.jerk, self._period) * self._period
        self._gripper: GripperCommand | None = None
        self._halt: GripperCommand | None = None
        self._widths: deque[tuple[float, float]] = deque()
        self._fingers_move = False
        self._sequence = 0
        self._standing_since = 0.0

    @property
    def standing(self) -> bool:
        """Whether the reference stands still."""
        return self._reference.standing

    def periods_since_last(self, now: float) -> float:
        """Control periods that the last command has acted at robot time `now` [s]."""
        return self._reference.elapsed(now) / self._period

    def start(self, state: RobotState, now: float) -> None:
        """Hold the measured position from now on."""
        self._reference.restart(state.position, now)
        self._gripper = self._halt = None
        self._drawn_in = True
        self._standing_since = now

    def take_over(self, state: RobotState) -> None:
        """A source takes charge, or begins another goal."""
        self._gripper = None
        self._measured = state.position
        away = np.abs(state.position - self._reference.position)
        self._drawn_in = self._reference.standing and bool((away <= self._settings.takeover_leash).all())
        if self._drawn_in:
            self._reference.position = state.position.copy()

    def surround(self, surroundings: Surroundings) -> None:
        """Keep away from these keep-outs from now on, take that object for held, and reckon with that payload."""
        self._filter.surround(surroundings.keep_outs, surroundings.held, surroundings.payload)

    def want_gripper(self, gripper: GripperCommand | None) -> None:
        """Pass a gripper target on with every command that drives; None changes nothing."""
        self._gripper = gripper or self._gripper

    def forget_gripper(self) -> None:
        """Pass no gripper target on."""
        self._gripper = None

    def drive(
        self, wanted: FloatArray, scale: float, now: float, stamp: float, trace_ns: int
    ) -> tuple[SafeCommand, Verdict]:
        """The safe command nearest to joint velocity `wanted` (n,) [rad/s], and what the filter changed.

        Args:
            wanted: (n,) joint velocity [rad/s], finite.
            scale: share of the speed limits in force.
            now: robot time [s].
            stamp: robot time of the state that it was checked against [s].
            trace_ns: handed on.
        """
        before = self._reference.velocity
        elapsed = self._reference.advance(now)
        if not self._drawn_in:
            self._draw_in(elapsed, now)
        verdict = self._filter.step(self._reference.position, before, wanted, elapsed, scale)
        return self._send(verdict.velocity, now, stamp, trace_ns, self._gripper), verdict

    def brake(self, now: float, stamp: float, stopped: bool = False) -> SafeCommand:
        """The safe command that brakes hardest along the path; once standing it holds. Arguments as in `drive`.

        No gripper target goes with it. Where `stopped`, for a stop that only a reset ends, moving fingers are halted.
        """
        before = self._reference.velocity
        elapsed = self._reference.advance(now)
        velocity = self._filter.brake(self._reference.position, before, elapsed)
        return self._send(velocity, now, stamp, 0, self._halted() if stopped else None)

    def lagging(self, state: RobotState) -> str:
        """A sentence about the joint that does not follow the reference; empty if all do."""
        error = np.abs(state.position - self._reference.position)
        worst = int(np.argmax(error))
        if error[worst] <= self._settings.following_error:
            return ""
        joint = self._profile.joint_names[worst]
        return f"{joint} is {error[worst]:.2f} rad away from its reference; is the robot armed, or blocked?"

    def rebase(self, jump: float) -> None:
        """Robot time has jumped by `jump` [s]: what the reference does is not changed by that."""
        self._reference.stamp += jump
        self._standing_since += jump

    def see(self, state: RobotState) -> None:
        """A new measured state: keep to its time, and let a standing reference follow a robot that does not
        track it."""
        self._reference.not_after(state.stamp)
        self._standing_since = min(self._standing_since, state.stamp)
        self._measured = state.position
        self._watch_fingers(state)
        if not self._reference.standing:
            return
        tracked = np.abs(state.reference - self._reference.position).max() <= UNTRACKED
        if state.fault or (not tracked and state.stamp - self._standing_since > SETTLED):
            self._reference.position = state.position.copy()

    def _draw_in(self, elapsed: float, now: float) -> None:
        """Towards the arm, after `elapsed` [s], no faster than a joint may change its speed within a period."""
        leash = self._settings.takeover_leash + LAG * np.abs(self._reference.velocity)
        self._drawn_in = self._reference.draw_to(self._measured, leash, self._draw_speed * elapsed)
        self._standing_since = now  # the driver does not track what it has not heard of yet

    def _watch_fingers(self, state: RobotState) -> None:
        widths = self._widths
        widths.append((state.stamp, state.gripper_width))
        while not 0.0 <= state.stamp - widths[0][0] <= FINGERS_SPAN:
            widths.popleft()
        moved = abs(state.gripper_width - widths[0][1])
        self._fingers_move = moved > FINGERS_MOVE and not state.gripper_holding

    def _halted(self) -> GripperCommand | None:
        """Where moving fingers were when the stop saw them first; None for those that rest or hold something."""
        if not self._fingers_move:
            self._halt = None
        elif self._halt is None:
            self._halt = GripperCommand(self._widths[-1][1], self._profile.gripper.grasp_force)
        return self._halt

    def _send(
        self, velocity: FloatArray, now: float, stamp: float, trace_ns: int, gripper: GripperCommand | None
    ) -> SafeCommand:
        if velocity.any():
            self._standing_since = now
        self._reference.velocity = velocity
        self._sequence += 1
        return SafeCommand(
            sequence=self._sequence,
            stamp=stamp,
            period=self._period,
            position=self._reference.position,
            velocity=velocity,
            gripper=gripper,
            trace_ns=trace_ns,
        )
