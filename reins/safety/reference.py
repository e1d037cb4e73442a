"""The reference: what the driver is told to track. The monitor owns it, and it is continuous while a source drives."""

import numpy as np

from reins.hardware.robot import FloatArray


class Reference:
    """Position and velocity that the last safe command set, and when.

    The driver tracks `position + velocity * elapsed`, and so does this: it advances by the robot time that really
    passed, not by what a source says. A source that sends too often gains nothing. Arrays are replaced, never written
    to, so that they can be handed out.

    Args:
        n: number of joints.
        period: control period [s].
        longest: most time that one command is taken to have acted [s]; the driver stops by itself after that.
    """

    def __init__(self, n: int, period: float, longest: float) -> None:
        self._period, self._longest = period, longest
        self.position = np.zeros(n)
        """(n,) [rad] at `stamp`."""
        self.velocity = np.zeros(n)
        """(n,) [rad/s] since `stamp`."""
        self.stamp = 0.0
        """Robot time of the last command [s]."""

    @property
    def standing(self) -> bool:
        """Whether it stands still."""
        return not self.velocity.any()

    def elapsed(self, now: float) -> float:
        """How long the last command has acted at robot time `now` [s]; never negative, and bounded."""
        return min(max(now - self.stamp, 0.0), self._longest)

    def restart(self, position: FloatArray, now: float) -> None:
        """Stand still at `position` (n,) [rad], as if held there for one period already."""
        self.position = position.copy()
        self.velocity = np.zeros_like(self.position)
        self.stamp = now - self._period

    def not_after(self, now: float) -> None:
        """Robot time is `now` [s]: if it went back, or was extrapolated too far, count from here."""
        self.stamp = min(self.stamp, now)

    def advance(self, now: float) -> float:
        """Move on to robot time `now`; returns how long the last command acted [s]."""
        elapsed = self.elapsed(now)
        self.position = self.position + self.velocity * elapsed
        self.stamp = max(self.stamp, now)
        return elapsed

    def draw_to(self, measured: FloatArray, leash: FloatArray, most: FloatArray) -> bool:
        """Bring the position nearer to the measured one; velocity stays.

        Args:
            measured: (n,) [rad].
            leash: (n,) how far from it is near enough [rad].
            most: (n,) farthest step [rad].

        Returns:
            Whether it is near enough now.
        """
        way = np.minimum(np.maximum(self.position, measured - leash), measured + leash) - self.position
        self.position = self.position + np.minimum(np.maximum(way, -most), most)
        return bool((np.abs(way) <= most).all())
