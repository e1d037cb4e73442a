"""Commands: random, aimed at a limit, and smooth like a policy's. All are finite: the gate refuses others."""

from collections.abc import Callable
from typing import Final

import numpy as np

from reins.bench.safety.twin import Twin
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

GAPS: Final = (0.0, 0.002, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.02, 0.06)
"""Times between commands [s]: most in time, some early, some late."""

LENGTHS: Final = (1, 90)
"""Commands of one kind in a row."""


WEIGHTS: Final = (1.0, 1.0, 1.0, 2.0, 2.0, 0.5, 17.5)
"""Of noise, all joints, one joint, the tool, a pair, reversal, and smooth ones, which come most often."""


class Attacker:
    """Makes the commands of one episode.

    Args:
        profile: the robot.
        twin: tells it where things are.
        generator: of random numbers.
    """

    def __init__(self, profile: RobotProfile, twin: Twin, generator: np.random.Generator) -> None:
        self._profile, self._twin, self._random = profile, twin, generator
        self._n = len(profile.joints)
        self._left = 0
        self._make: Callable[[FloatArray, FloatArray], FloatArray] = lambda _position, velocity: velocity
        self._kinds = (self._noise, self._joints, self._joint, self._tool, self._pair, self._reverse, self._smooth)
        self._weights = np.array(WEIGHTS)

    def gap(self) -> float:
        """Time until the next command [s]."""
        return float(self._random.choice(GAPS))

    def next(self, position: FloatArray, velocity: FloatArray) -> FloatArray:
        """The next command (n,) [rad/s], the arm being at `position` (n,) and moving with `velocity` (n,)."""
        if self._left == 0:
            self._left = int(self._random.integers(*LENGTHS))
            kind = self._random.choice(len(self._kinds), p=self._weights / self._weights.sum())
            self._make = self._kinds[kind]()
        self._left -= 1
        return self._make(position, velocity)

    def _noise(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Another random velocity every time, or the same for a while."""
        size = self._random.choice([0.05, 0.3, 1.0, 5.0, 1e3])
        held = self._random.normal(size=self._n) * size
        if self._random.random() < 0.5:
            return lambda _position, _velocity: held
        return lambda _position, _velocity: self._random.normal(size=self._n) * size

    def _joints(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Every joint at its full speed."""
        wanted = np.sign(self._random.normal(size=self._n)) * self._profile.velocity
        return lambda _position, _velocity: wanted

    def _joint(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """One joint towards one of its limits."""
        wanted = np.zeros(self._n)
        joint = int(self._random.integers(self._n))
        wanted[joint] = self._random.choice([-1.0, 1.0]) * self._profile.velocity[joint] * self._random.random()
        return lambda _position, _velocity: wanted

    def _tool(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """The tool straight on, and turning: towards a wall, the table, or past its speed limits."""
        twist = self._random.normal(size=6) * self._random.choice([0.1, 0.5, 2.0])
        twist[3:] *= self._random.choice([0.0, 1.0, 3.0])

        def make(position: FloatArray, _velocity: FloatArray) -> FloatArray:
            self._twin.move(position)
            jacobian = self._twin.jacobian()
            return np.asarray(jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(6), twist))

        return make

    def _pair(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Two bodies, or one and the table, straight together, each joint doing its part."""
        pair = self._twin.some_pair(self._random)
        speed = self._random.choice([0.1, 0.5, 2.0])

        def make(position: FloatArray, _velocity: FloatArray) -> FloatArray:
            slope = self._twin.slope(pair, position)
            length = float(np.linalg.norm(slope))
            return -slope / length * speed if length > 1e-6 else np.zeros(self._n)

        return make

    def _reverse(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """The other way, twice as fast."""
        return lambda _position, velocity: -2.0 * velocity

    def _smooth(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Like a policy: the tool to a point of the workspace, slower as it gets there, within the limits."""
        lower, upper = np.array(self._profile.workspace.lower), np.array(self._profile.workspace.upper)
        goal = lower + self._random.random(3) * (upper - lower)
        speed = float(self._random.uniform(0.1, 0.4))
        change = 0.8 * self._profile.acceleration / self._profile.rates.command

        def make(position: FloatArray, velocity: FloatArray) -> FloatArray:
            self._twin.move(position)
            way = goal - self._twin.tool
            distance = float(np.linalg.norm(way))
            twist = np.append(way / max(distance, 1e-9) * min(speed, 2.0 * distance), np.zeros(3))
            jacobian = self._twin.jacobian()
            wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-3 * np.eye(6), twist)
            return velocity + np.clip(wanted - velocity, -change, change)

        return make
