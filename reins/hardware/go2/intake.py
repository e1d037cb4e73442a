"""Which of the states that arrive are good: whole, newer than the last one, not held up on the way."""

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
        time: the robot's clock, since the first `begin`; it goes on over another one [s].
        passed: between the last two good states [s].
        at: CLOCK_MONOTONIC when the last good state came [s].
    """

    def __init__(self, library: Library, profile: QuadrupedProfile, least_force: float, latest: float) -> None:
        self._library, self._profile = library, profile
        self._least_force, self._latest = least_force, latest
        self.time, self.passed, self.at = 0.0, 0.0, 0.0
        self.begin()

    def begin(self) -> None:
        """Whatever the robot's clock says next is taken for true."""
        self.tally = Tally()
        self._tick: int | None = None
        self._clock, self._way, self._base = 0.0, 0.0, self.time

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
        passed = self._passed(reading.tick)
        if passed <= 0:
            tally.no_new_tick += 1
            return None
        if not self._is_prompt(reading.tick, passed / 1e3, now):
            tally.late += 1
            return None
        tally.taken += 1
        return reading

    def _passed(self, tick: int) -> int:
        """Since the last state that was not dropped for its tick [ms]; 1 for the first one."""
        if self._tick is None:
            return 1
        passed = (tick - self._tick) % WRAP
        return passed if passed < WRAP // 2 else passed - WRAP

    def _is_prompt(self, tick: int, passed: float, now: float) -> bool:
        """Let the robot's clock go on; whether the message took no longer than others do."""
        if self._tick is None:
            self._clock, self._way = 0.0, now
            self._base = self.time + (now - self.at if self.at else 0.0)
        else:
            self._clock += passed
            self._way = min(self._way + DRIFT * passed, now - self._clock)
        self._tick = tick
        if now - self._clock - self._way > self._latest:
            return False
        self.passed = self._base + self._clock - self.time
        self.time, self.at = self._base + self._clock, now
        return True


def _is_sound(reading: Reading) -> bool:
    values = (reading.orientation, reading.rates, reading.joints, reading.speeds, reading.torques)
    if not all(np.isfinite(value).all() for value in values):
        return False
    return LENGTH[0] < float(np.linalg.norm(reading.orientation)) < LENGTH[1]
