"""The cycle of a driver's own thread: measure, then do what its phase asks for."""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.hardware.streaming.exchange import Exchange, Orders
from reins.hardware.streaming.session import Aborted, Measured, Session, SessionLost, unforeseen

STANDING: Final = 0.05
"""A robot whose reference came to rest is given this long to come to rest too before its motion is ended [s]."""

PATIENCE: Final = 2.5
"""A motion that the robot does not end in this time is ended for it [s]."""


class Phase(Enum):
    """What the thread does with the robot."""

    HOLDING = "the robot holds by itself"
    TRACKING = "the robot tracks the setpoints"
    BRAKING = "the reference slows down along its path"
    ENDING = "the robot ends the motion"
    LOST = "there is no connection"


class Loop:
    """One cycle after the other, over one session after the other.

    Args:
        exchange: shared with the control thread.
        session: the connection.
        connect: makes another one; raises ReinsError.
        profile: of the robot.
    """

    def __init__(
        self, exchange: Exchange, session: Session, connect: Callable[[], Session], profile: RobotProfile
    ) -> None:
        self._exchange = exchange
        self._session = session
        self._connect = connect
        self._profile = profile
        self._stale = profile.rates.stale_after
        self.phase = Phase.HOLDING
        self._reference: FloatArray = profile.home.copy()
        self._speed: FloatArray = np.zeros(len(profile.joints))
        self._since = 0.0
        self._at = exchange.clock()

    def cycle(self) -> bool:
        """Do what is to be done now; False when the robot stands and the driver is to be closed. Raises nothing."""
        now = self._exchange.clock()
        dt, self._at = now - self._at, now
        try:
            if self.phase is not Phase.LOST:
                measured = self._session.measure()
                self._exchange.post(measured)
                self._act(measured, self._exchange.orders(), now, dt)
            elif self._exchange.orders().recovering:
                self._reconnect()
        except SessionLost as error:
            self._lose(str(error))
        except Aborted as error:
            self._exchange.fail(str(error))
            self.phase = Phase.HOLDING
        except Exception as error:  # a thread that ends here would leave a robot that nobody can stop or recover
            self._lose(unforeseen(error))
        if not self._exchange.orders().ending or self.phase not in (Phase.HOLDING, Phase.LOST):
            return True
        if self.phase is not Phase.LOST:
            self._session.close()
        return False

    def _act(self, measured: Measured, orders: Orders, now: float, dt: float) -> None:
        if self.phase is Phase.HOLDING:
            self._hold(measured, orders)
        elif orders.cut and self.phase is not Phase.ENDING:
            self._session.halt()
            self._enter(Phase.ENDING, now)
        elif self.phase is Phase.TRACKING:
            self._track(orders, now, dt)
        elif self.phase is Phase.BRAKING:
            self._brake(now, dt)
        else:
            self._await_end(measured, now)

    def _hold(self, measured: Measured, orders: Orders) -> None:
        if orders.recovering:
            fault = self._recovered()
            self._exchange.settle(self._session.measure() if not fault else measured, fault, anew=False)
        elif orders.command is not None and not orders.fault and not orders.ending:
            self._reference = measured.position.copy()
            self._session.begin(self._reference)
            self.phase = Phase.TRACKING
        else:
            self._exchange.refer(measured.position)

    def _recovered(self) -> str:
        """Why the robot did not recover; empty if it did."""
        self._exchange.take_recovery()
        try:
            self._session.recover()
        except Aborted as error:
            return str(error)
        return self._session.measure().trouble

    def _track(self, orders: Orders, now: float, dt: float) -> None:
        self._session.check()
        command = orders.command
        silence = now - orders.commanded_at
        if command is None or silence > self._stale:
            self._exchange.fail(f"no command for {1e3 * self._stale:.0f} ms: the arm stopped by itself")
        if command is None or silence > self._stale or orders.fault or orders.recovering or orders.ending:
            self._enter(Phase.BRAKING, now)
            self._slow_down(now, dt)
            return
        self._speed = command.velocity
        self._follow(command.position + command.velocity * silence)

    def _brake(self, now: float, dt: float) -> None:
        self._session.check()
        self._slow_down(now, dt)

    def _slow_down(self, now: float, dt: float) -> None:
        """Take `dt` worth off the speed of the reference, every joint by the same share."""
        left = float(np.max(np.abs(self._speed) / self._profile.acceleration))
        if left > 0.0:
            share = max(0.0, 1.0 - dt / left)
            slower = self._speed * share
            position = self._reference + 0.5 * (self._speed + slower) * min(dt, left)
            self._speed, self._since = slower, now
            self._follow(position)
        elif now - self._since > STANDING:
            self._session.end()
            self._enter(Phase.ENDING, now)

    def _await_end(self, measured: Measured, now: float) -> None:
        if self._session.tracking:
            if now - self._since > PATIENCE:
                self._session.halt()
                self._since = now
            return
        try:
            self._session.check()
        except Aborted as error:  # that is how a halted motion ends
            self._exchange.fail(str(error))
        self._exchange.refer(measured.position)
        self.phase = Phase.HOLDING

    def _follow(self, position: FloatArray) -> None:
        self._reference = position
        self._session.track(position, self._speed)
        self._exchange.refer(position)

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase, self._since = phase, now

    def _lose(self, sentence: str) -> None:
        self._exchange.fail(sentence)
        self.phase = Phase.LOST
        with suppress(Exception):  # of a connection that is of no more use
            self._session.close()

    def _reconnect(self) -> None:
        self._exchange.take_recovery()
        try:
            self._session = self._connect()
        except ReinsError as error:
            self._exchange.give_up(str(error))
            return
        except Exception as error:  # of the vendor's library
            self._exchange.give_up(unforeseen(error))
            return
        self.phase = Phase.HOLDING
        fault = self._recovered()
        self._exchange.settle(self._session.measure(), fault, anew=True)
