"""The cycle of the driver's own thread: hear the robot, look who else commands it, move the legs, tell the motors."""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Final

from reins.hardware.go2.guard import Guard
from reins.hardware.go2.intake import Intake
from reins.hardware.go2.library import Library
from reins.hardware.go2.link import Link
from reins.hardware.go2.messages import LowCommand, Reading
from reins.hardware.legged import Odometry
from reins.hardware.legged_orders import BodyOrders
from reins.hardware.legs import LegControl, LegOdometry, Sense, Targets, up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray, StopCategory
from reins.hardware.streaming.session import unforeseen

SILENCE: Final = 0.08
"""A robot of which no good state came for this long is a fault [s]: a cut network is told within 0.1 s."""

CLEAR: Final = 0.5
"""How long everybody else has to be silent before a recovery is over [s]; longer than RESTING."""

RECOVERING: Final = 4.0
"""Longest time that a recovery may take [s]."""

RESTING: Final = 0.3
"""A motor may take this long to begin to do what it is told [s]."""

SINKING: Final = 0.5
"""For how long the motors of a robot that lies go on damping before it is let go [s]."""

BEHIND: Final = 5
"""More periods than this behind the clock, lost time is let go."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the control thread sees: the newest reading, its robot time [s], where the body is, and how high [m]."""

    reading: Reading
    stamp: float
    odometry: Odometry
    height: float | None


class Cycle:
    """One period after the other, until the robot lies and is to be let go.

    Args:
        profile: the robot.
        library: the SDK.
        link: the connection, which is closed in the end.
        intake: of its states.
        guard: of its motors.
        legs: how they carry the body.
        odometry: where it is, as they tell it.
        first: reading of the robot.

    Attributes:
        lock: shared with the control thread; what follows is touched under it.
        view: what was measured.
        orders: what the legs are to do.
        recovering, ending: a recovery is asked for; the driver is to be closed.
    """

    def __init__(
        self,
        profile: QuadrupedProfile,
        library: Library,
        link: Link,
        intake: Intake,
        guard: Guard,
        legs: LegControl,
        odometry: LegOdometry,
        first: Reading,
    ) -> None:
        self._names, self._link, self._intake, self._guard = profile.joint_names, link, intake, guard
        self._legs, self._odometry = legs, odometry
        self._message = LowCommand(library, profile)
        self.lock = Lock()
        self.orders = BodyOrders(profile)
        self.recovering = self.ending = False
        self._asked_at: float | None = None
        self._resting_since: float | None = None
        self._limp, self._sinking = True, 0.0
        odometry.reset()
        self._show(first)

    def run(self) -> None:
        """The thread."""
        period, due = self._legs.period, time.monotonic()
        while self._turn_or_fail(time.monotonic(), period):
            due += period
            now = time.monotonic()
            if now > due + BEHIND * period:
                due = now
            time.sleep(max(0.0, due - now))
        self._link.close()

    def stop(self, category: StopCategory, reason: str) -> None:
        """Brake and lie down; with CUT, have the motors damp at once. It ends a recovery, which would forget it. Under
        the lock."""
        if self.recovering:
            self.recovering, self.orders.fault = False, reason
        self.orders.stop(category, reason)

    def notice(self, now: float) -> None:
        """Stop a robot of which nothing good was heard for too long. Under the lock."""
        quiet = now - self._heard_at
        if quiet > SILENCE and not self.orders.fault:
            self._fail(
                f"no good rt/lowstate came for {1e3 * quiet:.0f} ms"
                + (f" (dropped so far: {self._dropped})" if self._dropped else "")
                + "; look at the cable and at the robot, then recover it"
            )

    def _turn_or_fail(self, now: float, period: float) -> bool:
        try:
            return self._turn(now, period)
        except Exception as error:  # a thread that ends here would leave a robot that nobody can stop or recover
            with self.lock:
                self._fail(unforeseen(error))
                return not self.ending

    def _turn(self, now: float, period: float) -> bool:
        """One period; False when there is nothing more to do."""
        self._begin_recovery(now)
        reading = self._intake.newest(self._link.take_states(), now)
        objection = self._guard.look(now) or self._tired(now, reading)
        with self.lock:
            self._show(reading)
            self.notice(now)
            if objection:
                self._fail(objection)
            self._end_recovery(now, bool(objection))
            if self.ending:
                self.orders.stop(StopCategory.CONTROLLED, "the driver is being closed")
            self.orders.pass_time(period)
            sense, ending = sense_of(self.view.reading), self.ending
            velocity, posture, cut = self.orders.velocity.copy(), self.orders.posture, self.orders.cut
            gait = self.orders.gait
        if cut or self._limp:
            self._legs.reset(sense)
            self._limp, targets = cut, Targets(sense.joints, 0.0)
        else:
            targets = self._legs.step(sense, velocity, posture, gait)
        self._link.command(self._message.fill(targets))
        self._sinking += period if ending and targets.grip == 0.0 else 0.0
        return self._sinking < SINKING

    def _show(self, reading: Reading | None) -> None:
        """Make this what the control thread sees. Under the lock."""
        intake = self._intake
        self._heard_at, self._dropped = intake.at, intake.tally.told()
        if reading is not None:
            odometry, height = self._odometry.step(sense_of(reading), reading.orientation, intake.passed)
            self.view = View(reading, intake.time, odometry, height)

    def _begin_recovery(self, now: float) -> None:
        """Where one is asked for, forget what was heard before."""
        with self.lock:
            asked = self.recovering
        if asked and self._asked_at is None:
            self._asked_at, self._resting_since = now, None
            self._intake.begin()
            self._guard.begin()

    def _end_recovery(self, now: float, objected: bool) -> None:
        """When the robot speaks and is ours; or in vain, so that a robot that comes back later is recovered by somebody
        who sees it. Under the lock."""
        if self._asked_at is None or not self.recovering:
            self._asked_at = None
            return
        passed, speaks = now - self._asked_at, now - self._heard_at < SILENCE and self._intake.tally.taken > 1
        recovered = passed > CLEAR and speaks and self._guard.mode == "" and not objected
        if recovered:
            self.orders.recover()
        if recovered or objected or passed > RECOVERING:
            self.recovering, self._asked_at = False, None

    def _tired(self, now: float, reading: Reading | None) -> str:
        """Which motor does not do what it is told; empty if all do."""
        if reading is None:
            return ""
        if not reading.resting.any():
            self._resting_since = None
            return ""
        if self._resting_since is None:
            self._resting_since = now
        if now - self._resting_since < RESTING:
            return ""
        names = ", ".join(name for name, rests in zip(self._names, reading.resting, strict=True) if rests)
        return f"the robot has switched motors off: {names}; look why in its app, then recover the robot"

    def _fail(self, sentence: str) -> None:
        """The legs may not be ours: the motors damp. Of a recovery that fails, this is what is told."""
        if self.recovering:
            self.orders.fault = sentence
        self.orders.stop(StopCategory.CUT, sentence)


def sense_of(reading: Reading) -> Sense:
    """What the legs are told of a reading."""
    up: FloatArray = up_of(reading.orientation)
    return Sense(
        up[None],
        reading.rates[None],
        reading.joints.reshape(1, 4, 3),
        reading.speeds.reshape(1, 4, 3),
        reading.contact[None],
    )
