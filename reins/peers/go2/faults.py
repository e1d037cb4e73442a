"""What can be asked to go wrong between the peer and whoever listens to it."""

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(slots=True)
class Faults:
    """Set by requests of the same names.

    Attributes:
        cut: nothing passes, in neither direction.
        lose: share of the messages that are lost, in both directions.
        late: by how much states come later than they should [s].
        corrupt: share of the states whose checksum is wrong.
        stuck: the tick stands.
        not_finite: states have a joint whose position is no number.
    """

    cut: bool = False
    lose: float = 0.0
    late: float = 0.0
    corrupt: float = 0.0
    stuck: bool = False
    not_finite: bool = False


class Line:
    """Messages under way, as the faults have it.

    Args:
        seed: of what is lost.
    """

    def __init__(self, seed: int) -> None:
        self.faults = Faults()
        self._random = Random(seed)
        self._under_way: deque[tuple[float, Any]] = deque()

    def loses(self) -> bool:
        """Whether the next message is lost."""
        return self.faults.cut or self._random.random() < self.faults.lose

    def corrupts(self) -> bool:
        """Whether the next state's checksum is wrong."""
        return self._random.random() < self.faults.corrupt

    def post(self, message: Any, now: float) -> None:
        """A message leaves."""
        self._under_way.append((now + self.faults.late, message))

    def arrived(self, now: float) -> list[Any]:
        """Messages that arrive by now, in order."""
        found = []
        while self._under_way and self._under_way[0][0] <= now:
            found.append(self._under_way.popleft()[1])
        return found
