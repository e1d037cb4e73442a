"""What the control script of ur_rtde does on the controller, as far as the driver uses it.

The client uploads a script that reads commands from RTDE input registers and answers in an output register. The peer
has no interpreter for URScript: it takes the script, and does here what its text says.
"""

from typing import Final

import numpy as np

from reins.peers.ur.arm import BRAKING, Arm

READY: Final = 1
DONE: Final = 2
"""Values of the output register in which the script tells how far it is."""

SPEEDJ: Final = 9
SERVOJ: Final = 11
SPEED_STOP: Final = 15
SERVO_STOP: Final = 16
SET_PAYLOAD: Final = 17
STOPJ: Final = 34
SET_WATCHDOG: Final = 35
STOP_SCRIPT: Final = 255
"""Commands in input register 0; every other number is answered as done, and does nothing."""


class Program:
    """The script, running or not.

    Attributes:
        running: whether it is.
        state: what it tells in output register 0.
        starts: how often it was started.
        foreign: whether another program runs, which knows nothing of these registers.
    """

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self.running = False
        self.state = 0
        self.starts = 0
        self.foreign = False
        self._integers: dict[int, int] = {}
        self._doubles: dict[int, float] = {}
        self._executing = False
        self._silence = 0.0
        self._watchdog: float | None = None

    def start(self) -> None:
        """The client sent the script."""
        self.running, self.state, self._executing, self._watchdog = True, READY, False, None
        self.foreign = False
        self.starts += 1

    def start_another(self) -> None:
        """Somebody started another program on the pendant."""
        self.end()
        self.running = self.foreign = True
        self._watchdog = None

    def end(self) -> None:
        """The program is stopped, and the arm with it; registers keep their values."""
        if self.running:
            self.running = False
            if self._arm.moving:
                self._arm.brake(BRAKING)

    def put(self, integers: dict[int, int], doubles: dict[int, float]) -> None:
        """Input registers from the client."""
        self._integers.update(integers)
        self._doubles.update(doubles)
        if 0 in integers:
            self._silence = 0.0

    def tick(self, dt: float) -> None:
        """One cycle of the controller."""
        self._silence += dt
        if self._watchdog is not None and self._silence > self._watchdog:
            self.end()
        if not self._arm.able:
            self.end()
        if not self.running or self.foreign:
            return
        command = self._integers.get(0, 0)
        if command in (SPEEDJ, SERVOJ):  # real-time commands leave the script ready for the next
            self._move(command)
            self.state = READY
        elif command == 0:
            self._executing, self.state = False, READY
        elif not self._executing:
            self._executing = True
            self._begin(command)
        elif self.state != DONE and not self._arm.moving:
            self.state = DONE

    def _vector(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        return np.array([self._doubles.get(index, 0.0) for index in range(6)])

    def _move(self, command: int) -> None:
        register = self._doubles
        if command == SPEEDJ:
            self._arm.speed(self._vector(), register.get(6, 0.0))
        else:
            self._arm.servo(self._vector(), register.get(9, 0.1), register.get(10, 300.0))

    def _begin(self, command: int) -> None:
        value = self._doubles.get(0, 0.0)
        if command in (SPEED_STOP, SERVO_STOP, STOPJ):
            self._arm.brake(value)
            return
        if command == STOP_SCRIPT:
            self.end()
            return
        if command == SET_PAYLOAD:
            self._arm.payload = value
        elif command == SET_WATCHDOG:
            self._watchdog = 1.0 / value if value > 0.0 else None
        self.state = DONE
