"""Which of the states that arrive are good: whole, newer than the last one, not held up on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from reins.hardware.go2.library import Library
from reins.hardware.go2.messages import Reading, read_state
from reins.hardware.quadruped import QuadrupedProfile

WRAP: Final = 2**32
"""After which the tick starts again at 0."""

DRIFT: Final = 1e-3
"""By how much two clocks may differ [s/s]."""

RESTARTED: Final = 5.0
"""A state that seems to be older than this comes from a robot that was switched on again [s]."""

LENGTH: Final = (0.9, 1.1)
"""Of a quaternion that is one."""


@dataclass(slots=True)
class Tally:
    """States that were looked at, and why some were dropped."""

    taken: int = 0
    wrong_crc: int = 0
    not_finite: int = 0
    no_new_tick: int = 0
    late: int = 0

    def told(self) -> str:
        """What was dropped, for a sentence; empty for nothing."""
        parts = (
            (self.wrong_crc, "with a wrong CRC"),
            (self.not_finite, "that are no numbers"),
            (self.no_new_tick, "whose tick did not advance"),
            (self.late, "that were held up on the way"),
        )
        return ", ".join(f"{count} {why}" for count, why in parts if count)


class Intake:
    """Judges one state after the other. Passive.

    Args:
        library: of the SDK.
        profile: the robot.
        least_force: of a foot that touches the ground, in the counts of its sensor.
        latest: a state that took longer than the fastest one by more than this is too old [s].

    Attributes:
        tally: what came since `begin`.
        time: the robot's clock, since its first state; it goes on where the robot was switched on again [s].
        passed: between the last two good states [s].
        at: CLOCK_MONOTONIC when the last good state came [s].
    """

    def __init__(self, library: Library, profile: QuadrupedProfile, least_force: float, latest: float) -> None:
        self._library, self._profile = library, profile
        self._least_force, self._latest = least_force, latest
        self.time, self.passed, self.at = 0.0, 0.0, 0.0
        self._tick, self._clock, self._way, self._base = 0, 0.0, 0.0, 0.0
        self.begin()

    def begin(self) -> None:
        """Count anew, and allow the robot's clock to have been started again."""
        self.tally = Tally()
        self._may_restart = True

    def newest(self, messages: Sequence[Any], now: float) -> Reading | None:
        """What the first good one of these messages tells, the last one to come first; None where there is none."""
        return next((reading for message in messages if (reading := self.judge(message, now)) is not None), None)

    def judge(self, message: Any, now: float) -> Reading | None:
        """What the message tells; None where it is dropped.

        Args:
            message: a LowState_.
            now: CLOCK_MONOTONIC [s].
        """
        tally = self.tally
        if message.crc != self._library.checksum(message):
            tally.wrong_crc += 1
            return None
        reading = read_state(message, self._profile, self._least_force)
        if not _is_sound(reading):
            tally.not_finite += 1
            return None
        if self._has_restarted(reading.tick, now):
            self._start(reading.tick, now)
        elif self._passed(reading.tick) <= 0:
            tally.no_new_tick += 1
            return None
        else:
            self._go_on(reading.tick, now)
        if self._delay(now) > self._latest:
            tally.late += 1
            return None
        tally.taken += 1
        self.passed = self._base + self._clock - self.time
        self.time, self.at = self._base + self._clock, now
        return reading

    def _passed(self, tick: int) -> int:
        """Since the last state that was whole [ms]; not more than 0 for one that is no newer."""
        passed = (tick - self._tick) % WRAP
        return passed if passed < WRAP // 2 else passed - WRAP

    def _delay(self, now: float, passed: float = 0.0) -> float:
        """By how much a state of `passed` [s] after the last one took longer than the fastest one [s]."""
        return now - self._clock - passed - self._way

    def _has_restarted(self, tick: int, now: float) -> bool:
        """Whether the robot's clock is another one than before, where that may be: nothing else goes back, and no
        network holds a state up for so long."""
        if not self._may_restart:
            return False
        passed = self._passed(tick)
        return not self.at or passed < 0 or self._delay(now, 1e-3 * passed) > RESTARTED

    def _start(self, tick: int, now: float) -> None:
        self._base = self.time + (now - self.at if self.at else 0.0)
        self._tick, self._clock, self._way, self._may_restart = tick, 0.0, now, False

    def _go_on(self, tick: int, now: float) -> None:
        passed = 1e-3 * self._passed(tick)
        self._tick, self._clock, self._may_restart = tick, self._clock + passed, False
        self._way = min(self._way + DRIFT * passed, now - self._clock)


def _is_sound(reading: Reading) -> bool:
    values = (reading.orientation, reading.rates, reading.joints, reading.speeds, reading.torques)
    if not all(np.isfinite(value).all() for value in values):
        return False
    return LENGTH[0] < float(np.linalg.norm(reading.orientation)) < LENGTH[1]
