"""The safety monitor: it picks the source in charge, has its commands filtered, brakes, and latches stops.

Passive: the safety node and the rig call it from one thread. It reads no clock. `t` is a steady time [s] of the
caller's and serves deadlines only; motion counts on robot time, the stamps of the robot's states. What differs between
kinds of robot is behind `Mover`; this file knows nothing of arms and legs.

- A command is filtered when it arrives and becomes the next safe command; it acts until the next one.
- A source that is a little late is bridged: `tick` repeats its last velocity through the filter, for `source_silence`
  at most. Then the robot is braked along its path. A skill that speaks again within `source_release` goes on; teleop's
  silence is its release, and holds.
- After a stop only a goal that begins after the reset moves the robot; after teleop only one that begins after the
  hand-back (see `Gate`).
- In an emergency stop it brakes and then falls silent, so that the driver host's own watchdog trips as well. After any
  other stop it goes on holding, so that the robot stays under control.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, overload

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.contracts.scene import Scene
from reins.hardware.legged import BodyCommand, LeggedState, SafeBodyCommand
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import JointCommand, RobotState, SafeCommand
from reins.safety.clock import RobotClock
from reins.safety.constraints import ConstraintSet
from reins.safety.events import EventLog
from reins.safety.faults import FaultFinder
from reins.safety.filter import SafetyFilter
from reins.safety.kinds import make_mover
from reins.safety.legged.settings import LeggedSettings
from reins.safety.modes import IN_CHARGE, Mode, ModeMachine, Trigger
from reins.safety.motion import FilterMaker
from reins.safety.mover import CommandT, Mover, SafeT, StateT
from reins.safety.rules import Rules, require_person
from reins.safety.separation import HumanDistance
from reins.safety.settings import SafetySettings
from reins.safety.validate import SOURCES, Rejection
from reins.safety.watchdog import Watchdog

LATE: Final = 1.5
"""Periods after which a source is late and its last velocity is repeated."""

DUE: Final = 0.9
"""Periods after which the next command that holds or brakes is due; below one, so that jitter skips none."""

SOON: Final = 0.25
"""Periods within which a further command waits for the next one instead of being sent at once."""

ROBOT_NODE: Final = "robot"
"""The node that hosts the driver and sends the robot's states, by name."""

SCENE: Final = "scene"
"""The sensor of people that scenes are, by name."""

LATCHED: Final = frozenset({Mode.STOPPING, Mode.STOPPED, Mode.ESTOP})
"""Modes in which the robot comes to rest, for only a reset leads out of them."""


@dataclass(frozen=True, slots=True)
class SafetyStatus:
    """What the monitor says of itself.

    Attributes:
        mode: where it is.
        reason: why, one sentence.
        speed_scale: share of the speed limits in force, 0 … 1.
        clipped: commands changed since start.
        rejected: commands refused since start.
    """

    mode: Mode
    reason: str
    speed_scale: float
    clipped: int
    rejected: int


class SafetyMonitor(Generic[StateT, CommandT, SafeT]):
    """Has the last word on every command to one robot: an arm, or a legged robot.

    Args:
        profile: the robot; its kind decides which states and commands go in, and which safe commands come out.
        settings: the monitor's own parameters.
        watched: names of the nodes whose heartbeats must not stop.
        make_filter: makes what stands in front of an arm; another one only to measure what the filter costs.
        legged: parameters that only a legged robot has; the defaults where none are given.

    Raises:
        ReinsError: the robot's model cannot be loaded, or a parameter does not fit the others.
    """

    @overload
    def __init__(
        self: "SafetyMonitor[RobotState, JointCommand, SafeCommand]",
        profile: RobotProfile,
        settings: SafetySettings,
        watched: Sequence[str],
        make_filter: FilterMaker = ...,
        legged: LeggedSettings | None = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: "SafetyMonitor[LeggedState, BodyCommand, SafeBodyCommand]",
        profile: QuadrupedProfile,
        settings: SafetySettings,
        watched: Sequence[str],
        make_filter: FilterMaker = ...,
        legged: LeggedSettings | None = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: "SafetyMonitor[Any, Any, Any]",
        profile: Profile,
        settings: SafetySettings,
        watched: Sequence[str],
        make_filter: FilterMaker = ...,
        legged: LeggedSettings | None = ...,
    ) -> None: ...

    def __init__(
        self,
        profile: Profile,
        settings: SafetySettings,
        watched: Sequence[str],
        make_filter: FilterMaker = SafetyFilter,
        legged: LeggedSettings | None = None,
    ) -> None:
        self._settings = settings
        self._constraints = ConstraintSet(settings.speed_scale)
        self._mover: Mover[StateT, CommandT, SafeT] = make_mover(
            profile, settings, self._constraints, make_filter, legged or LeggedSettings()
        )
        self._machine = ModeMachine()
        self._clock = RobotClock(settings.state_timeout)
        self._watchdog = Watchdog({node: settings.deadline(node) for node in watched})
        self._finder = FaultFinder(self._watchdog, self._clock, settings.state_timeout)
        self._log = EventLog(settings.event_window)
        kept, distances = self._mover.kept, self._mover.keeps_distances
        self.rules: Final = Rules(self._constraints, self._tell, lambda: self._mover.seen, kept, distances)
        """The constraints in force and the operator's speed scale, to look at and to change."""
        rule, top_speed = self._mover.separation, self._mover.top_speed
        self._human = HumanDistance(rule, top_speed, settings.human_timeout, self._tell)
        self._state: StateT | None = None
        self._faults: Mapping[tuple[str, str], str] = {}
        self._activation = 0.0
        self._heard = 0.0
        self._silent = False
        self._clipped = self._rejected = self._stops = 0

    # What comes in.

    def on_heartbeat(self, node: str, t: float) -> None:
        """`node` was alive at steady time `t` [s]."""
        self._watchdog.beat(node, t)
        if node == ROBOT_NODE:
            self._clock.ended = False

    def on_death(self, node: str, t: float) -> SafeT | None:
        """The process of `node` has ended, as seen at steady time `t` [s]; returns the first braking command if due."""
        self._watchdog.forget(node)
        if node == ROBOT_NODE:
            self._clock.ended = True
        return self.tick(t)

    def on_state(self, state: StateT, t: float) -> None:
        """The newest measured state, which arrived at steady time `t` [s]. A frozen stamp counts as silence."""
        if rejection := self._mover.objection_to(state):
            self._repeat(Severity.ERROR, "state_rejected", "robot", rejection.reason, rejection.code)
            return
        before, self._state = self._state, state
        if before is not None and state.stamp == before.stamp:
            return
        silence = self._clock.silence(t)
        self._clock.set(state.stamp, t)
        if before is not None and not 0.0 < state.stamp - before.stamp <= self._settings.clock_jump:
            self._mover.rebase(state.stamp - before.stamp - silence)
            self._mover.gate.restart()
            self._stop("clock_jump", "robot", f"robot time jumped by {state.stamp - before.stamp:+.3f} s")
        self._mover.see(state)
        if math.isfinite(person := self._mover.nearest_person) or self._human.listens_to(SCENE):
            self._human.on_distance(SCENE, person, t)
        if self._machine.mode in IN_CHARGE and (lagging := self._mover.lagging(state)):
            self._stop("not_following", "robot", lagging)

    def on_human_distance(self, source: str, distance: float, t: float) -> None:
        """A sensor sees the nearest person at `distance` [m]; its message arrived at steady time `t` [s]."""
        self._human.on_distance(source, distance, t)

    def on_scene(self, scene: Scene) -> None:
        """The newest scene: what is around the robot, and what it holds."""
        if complaint := self._mover.see_scene(scene):
            self._repeat(Severity.WARN, "scene_rejected", "perception", complaint, "")

    def on_scene_refused(self, reason: str) -> None:
        """A scene came that was not even looked at; what was known stays."""
        self._repeat(Severity.WARN, "scene_rejected", "perception", reason, "refused")

    def on_command(self, command: CommandT, t: float) -> SafeT | None:
        """What `command`, which arrived at steady time `t` [s], makes of the robot.

        Returns:
            The safe command to send now; None when it was refused, or waits for the next one (see `tick`).
        """
        state = self._state
        if state is None:
            self._refuse(command, Rejection("no_state", "there is no robot state yet to check it against"))
            return None
        if rejection := self._objection(command, state):
            self._refuse(command, rejection)
            return None
        takes_over = IN_CHARGE.get(self._machine.mode) != command.source
        now = self._clock.now(t)
        if takes_over:
            self._go(_TRIGGERS[command.source], command.source, f"{command.source} is in charge", "in_charge")
        if takes_over or command.activation != self._activation:
            self._mover.take_over(state)
        self._activation, self._heard, self._silent = command.activation, t, False
        self._mover.want(command)
        if self._mover.periods_since_last(now) < SOON:
            return None
        return self._drive(now, command.trace_ns)

    def tick(self, t: float) -> SafeT | None:
        """Check the deadlines at steady time `t` [s]; call it at least once a control period.

        Returns:
            The safe command that keeps the robot fed, when one is due: holding, braking, or bridging a late source.
        """
        self._watch(t)
        self._log.close_windows(self._clock.stamp)
        if self._machine.mode is Mode.STARTING or self._state is None:
            return None
        self._check_silence(t)
        now = self._clock.now(t)
        driving = self._machine.mode in IN_CHARGE and not self._silent
        if self._mover.periods_since_last(now) < (LATE if driving else DUE):
            return None
        if driving:
            return self._drive(now, 0)
        if self._machine.mode is Mode.ESTOP and self._mover.at_rest:
            return None
        return self._mover.brake(now, self._clock.stamp, rest=self._machine.mode in LATCHED)

    def was_absent(self) -> None:
        """Nobody has called for a while: whatever drove before does not go on by itself."""
        if self._machine.mode is not Mode.STARTING:
            self._stop("was_absent", "safety", "the safety node was not active for a while")

    # What the operator does.

    def estop(self, operator: str, reason: str, t: float) -> SafeT | None:
        """Stop and latch, from any mode and whoever asks; returns the first braking command if one is due."""
        text = f"emergency stop by {operator or 'someone unnamed'}: {reason or 'no reason given'}"
        self._stops += 1
        if not self._go(Trigger.ESTOP, operator, text, "estop", Severity.ERROR):
            self._repeat(Severity.ERROR, "estop", operator, text, "again")
        self._forget()
        return self.tick(t)

    def reset(self, operator: str, t: float, known_stops: int | None = None) -> None:
        """Clear a stop. The robot then waits for a goal that begins after it.

        Args:
            operator: who asks.
            t: steady time [s].
            known_stops: `stops` when the operator asked, for a stop that came later is not cleared; None for now.

        Raises:
            ReinsError: no person asks, there is nothing to reset, or what speaks against it; says what to do.
        """
        require_person(operator, "reset")
        self._watch(t)
        if not self._machine.can(Trigger.RESET):
            raise ReinsError(f"nothing to reset: the monitor is in {self._machine.mode.name} ({self._machine.reason})")
        state = self._state
        if self._faults or state is None:
            raise ReinsError(f"not reset, mend this first: {'; '.join(self._faults.values())}")
        if known_stops not in (None, self._stops):
            raise ReinsError(f"not reset: the robot was stopped again meanwhile ({self._machine.reason}); ask again")
        if not self._mover.standing:
            raise ReinsError("not reset: the robot is still braking; ask again in a second")
        self._go(Trigger.RESET, operator, f"reset by {operator}; waiting for a new goal", "reset")
        self._ready(state)

    def hand_back(self, operator: str, t: float) -> None:
        """Give control back to the skills after teleop; only a goal that begins from now on moves the robot.

        Raises:
            ReinsError: no person asks, or the monitor is not in HOLD.
        """
        require_person(operator, "hand_back")
        if not self._machine.can(Trigger.HANDED_BACK):
            raise ReinsError(f"nothing to hand back: the monitor is in {self._machine.mode.name}, not in HOLD")
        self._go(Trigger.HANDED_BACK, operator, f"handed back by {operator}; waiting for a new goal", "handed_back")
        self._mover.gate.open_from("skill", self._clock.now(t))

    # What goes out.

    @property
    def mode(self) -> Mode:
        """The mode now."""
        return self._machine.mode

    @property
    def stops(self) -> int:
        """Stops since start, emergency stops and faults, those of a robot that was stopped already among them."""
        return self._stops

    def status(self, t: float) -> SafetyStatus:
        """Mode, reason and counts at steady time `t` [s]."""
        self._watch(t)
        return SafetyStatus(self._machine.mode, self._machine.reason, self._speed_scale, self._clipped, self._rejected)

    def take_events(self) -> list[SafetyEvent]:
        """What happened since the last call, oldest first."""
        return self._log.take()

    # How it decides.

    @property
    def _speed_scale(self) -> float:
        """Share of the speed limits in force, 0 … 1; with 0, for a person who is too near, the robot holds."""
        return min(self._constraints.speed_scale, self._human.scale)

    def _watch(self, t: float) -> None:
        """Look for faults; leave STARTING when there are none, stop when there is a new one."""
        self._human.watch(t)
        faults, before = {**self._finder.find(self._state, t), **self._mover.faults}, self._faults
        self._faults = faults
        if self._machine.mode is Mode.STARTING:
            if faults or self._state is None:
                self._machine.reason = f"waiting: {'; '.join(faults.values())}"
                return
            self._go(Trigger.ALL_PRESENT, "safety", "robot and watched nodes are there; waiting for a goal", "ready")
            self._ready(self._state)
            return
        for (kind, who), reason in faults.items():
            if (kind, who) not in before:
                self._stop(kind, who, reason)

    def _ready(self, state: StateT) -> None:
        """Hold where the robot is; only goals that begin from now on count."""
        self._mover.start(state, self._clock.stamp)
        self._forget()
        for source in SOURCES:
            self._mover.gate.open_from(source, self._clock.stamp)

    def _stop(self, kind: str, source: str, reason: str) -> None:
        """Brake to a latched stop, and say why; where it is stopped already, only say so."""
        self._stops += 1
        if not self._go(Trigger.STOP, source, reason, kind, Severity.ERROR):
            self._repeat(Severity.ERROR, kind, source, reason, self._machine.mode.name)
        self._forget()

    def _forget(self) -> None:
        """No source is in charge any more; nothing that it wanted is left."""
        self._mover.forget()
        self._silent = True

    def _check_silence(self, t: float) -> None:
        """Brake, release or hold when the source in charge has been silent for too long."""
        source = IN_CHARGE.get(self._machine.mode)
        silence = t - self._heard
        if source is None:
            if self._machine.mode is Mode.STOPPING and self._mover.standing:
                self._go(Trigger.STANDSTILL, "safety", f"stopped: {self._machine.reason}", "stopped")
            return
        if silence > self._settings.source_silence and not self._silent:
            if self._mover.wants_motion:
                text = f"{source} in charge is silent for {silence * 1e3:.0f} ms while moving; braking"
                self._tell(Severity.WARN, "source_silent", source, text)
            self._forget()
            if source == "teleop":
                self._go(Trigger.TELEOP_RELEASED, source, "the operator let go; hand back to go on", "teleop_released")
        if source == "skill" and silence > self._settings.source_release and self._mover.standing:
            self._go(Trigger.SKILL_RELEASED, source, "no skill runs; waiting for a goal", "skill_released")

    def _drive(self, now: float, trace_ns: int) -> SafeT:
        """The next safe command of the source in charge."""
        scale = self._speed_scale
        if scale == 0.0:
            return self._mover.brake(now, self._clock.stamp, rest=False)
        command, limits = self._mover.drive(scale, now, self._clock.stamp, trace_ns)
        if limits:
            self._clipped += 1
            source = IN_CHARGE[self._machine.mode]
            text = f"{source} was held to the limits: {', '.join(limit.value for limit in limits)}"
            code = "+".join(limit.name for limit in limits)
            self._repeat(Severity.INFO, "limit_clipped", source, text, code)
        return command

    def _refuse(self, command: CommandT, rejection: Rejection) -> None:
        self._rejected += 1
        source = command.source if command.source in SOURCES else "unknown"
        text = f"command of {source} refused: {rejection.reason}"
        self._repeat(Severity.WARN, "command_rejected", source, text, rejection.code)

    def _objection(self, command: CommandT, state: StateT) -> Rejection | None:
        """Why `command` may not move the robot now; None if it may."""
        if rejection := self._mover.gate.check(command, state):
            return rejection
        mode = self._machine.mode
        if IN_CHARGE.get(mode) != command.source and not self._machine.can(_TRIGGERS[command.source]):
            return Rejection(mode.name, f"the monitor is in {mode.name} ({self._machine.reason})")
        if not self._mover.gate.is_fresh(command):
            return Rejection("old_goal", "its goal began before the last reset or hand-back")
        return None

    def _go(self, trigger: Trigger, source: str, reason: str, kind: str, severity: Severity = Severity.INFO) -> bool:
        """Follow the table of modes and tell it; False where there is no such way."""
        before = self._machine.mode
        if not self._machine.fire(trigger, reason):
            return False
        self._tell(severity, kind, source, f"{before.name} to {self._machine.mode.name}: {reason}")
        return True

    def _tell(self, severity: Severity, kind: str, source: str, reason: str) -> None:
        self._log.tell(SafetyEvent(self._clock.stamp, severity, kind, source, reason))

    def _repeat(self, severity: Severity, kind: str, source: str, reason: str, code: str) -> None:
        self._log.tell_repeated(SafetyEvent(self._clock.stamp, severity, kind, source, reason), code)


_TRIGGERS: Final = {"skill": Trigger.SKILL_COMMAND, "teleop": Trigger.TELEOP_COMMAND}
"""What a command of each source fires."""
