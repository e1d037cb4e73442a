"""A legged robot under test: postures and velocities that follow each other."""

from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.check import require
from reins.hardware.conformance.under_test import UnderTest
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.legs import up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray

LYING: Final = 0.6
"""A base that is lower than this share of the least height of a robot on its legs lies on the ground."""

UPRIGHT: Final = 0.9
"""Cosine of the largest tilt of a robot that is well."""

DOWN: Final = 6.0
"""Longest time that a walking robot takes to brake and lie down [s]."""


class LeggedSubject(UnderTest[LeggedState, SafeBodyCommand, QuadrupedProfile]):
    """A legged robot under test; see `UnderTest`."""

    def write(self, velocity: FloatArray, posture: Posture) -> None:
        """Command this."""
        self._sequence += 1
        self.robot.write(SafeBodyCommand(self._sequence, self.read().stamp, self.period, velocity.copy(), posture))

    def go(
        self, seconds: float, velocity: FloatArray | None = None, posture: Posture = Posture.STAND
    ) -> list[LeggedState]:
        """Command this for a while, ramped within the profile's acceleration; the states of every period."""
        wanted = np.zeros(3) if velocity is None else velocity
        most, states = self.profile.acceleration * self.period, []
        told = np.zeros(3)
        for _ in range(max(1, round(seconds / self.period))):
            told = told + np.clip(wanted - told, -most, most)
            self.write(told, posture)
            self.step()
            states.append(self.read())
        return states

    def hold(self, seconds: float) -> LeggedState:
        """Command it to lie for a while; the last state."""
        return self.go(seconds, posture=Posture.SIT)[-1]

    def stand(self) -> LeggedState:
        """Have it stand up, as fast as the profile says that it does, and a moment more.

        Raises:
            Broken: it does not stand then.
        """
        state = self.go(self.profile.body.stand_up + 0.5)[-1]
        require(not state.fault, f"it stopped while it stood up: {state.fault}")
        require(self.stands(state), f"after {self.profile.body.stand_up} s it does not stand: {self.told(state)}")
        return state

    def lies(self, state: LeggedState) -> bool:
        """Whether its trunk is on the ground."""
        return state.height is not None and state.height < LYING * self.profile.height.lowest

    def stands(self, state: LeggedState) -> bool:
        """Whether it is on its legs, upright."""
        limits = self.profile.height
        height = state.height if state.height is not None else 0.0
        return limits.lowest < height < limits.highest and up_of(state.orientation)[2] > UPRIGHT

    def until_down(self) -> LeggedState:
        """Let time pass until it lies; the last state.

        Raises:
            Broken: it does not lie in time.
        """
        for _ in range(round(DOWN / self.period)):
            state = self.wait(self.period)[-1]
            if self.lies(state):
                return self.wait(0.5)[-1]
        require(False, f"{DOWN:.0f} s later it does not lie: {self.told(state)}")
        return state

    @staticmethod
    def told(state: LeggedState) -> str:
        """Its height and tilt, for a sentence."""
        height = "no height" if state.height is None else f"{state.height:.2f} m high"
        tilt = np.degrees(np.arccos(np.clip(up_of(state.orientation)[2], -1.0, 1.0)))
        return f"{height}, tilted by {tilt:.0f}°"

    def prepare(self, drive: bool) -> None:
        """Before a check: no fault, at rest, and lying, if it may be told to lie down.

        Raises:
            ReinsError: it does not recover, or does not lie down.
        """
        self._due = None
        if self.read().fault:
            self.recover()
        state = self.read()
        if state.fault:
            raise ReinsError(f"the robot does not recover: {state.fault}")
        if drive and not self.lies(state):
            for _ in range(round(DOWN / self.period)):
                if self.lies(self.hold(self.period)):
                    break
            state = self.hold(0.5)
            if not self.lies(state):
                raise ReinsError(
                    f"the robot does not lie down ({self.told(state)}); put it on the ground and run them again"
                )
        self.rest()
