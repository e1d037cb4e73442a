"""How fast the tool may move with a person near: speed and separation monitoring.

A person may walk towards the robot while it reacts and brakes. Before they meet, the robot has to stand, and
`stop_distance` has to be left between them:

    distance ≥ stop_distance + v_h (t_r + v / a) + v t_r + v² / (2 a)

with the speed v of the tool, v_h of a person, the reaction time t_r of sensor and control, the deceleration a.

Source: ISO/TS 15066:2016, 5.5.4.2.3, with constant v_h, and the intrusion distance and both uncertainties in
`stop_distance`.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.safety.settings import SafetySettings

MOST_SOURCES: Final = 32
"""Sensors that are told apart; the others count as one."""

OTHERS: Final = "others"
"""The name of that one."""


@dataclass(frozen=True, slots=True)
class Separation:
    """Parameters of the rule: distances [m], reaction [s], person's speed [m/s], deceleration of the tool [m/s²]."""

    stop_distance: float
    slow_distance: float
    reaction: float
    human_speed: float
    deceleration: float

    @classmethod
    def of(cls, settings: SafetySettings) -> "Separation":
        """As the monitor's parameters say.

        Raises:
            ReinsError: the slow distance is not greater than the stop distance.
        """
        if not settings.human_slow_distance > settings.human_stop_distance:
            raise ReinsError(
                f"human_slow_distance is {settings.human_slow_distance:g} m; it must be greater than "
                f"human_stop_distance, {settings.human_stop_distance:g} m"
            )
        return cls(
            settings.human_stop_distance,
            settings.human_slow_distance,
            settings.human_reaction,
            settings.human_speed,
            settings.tool_deceleration,
        )


def protective_distance(speed: float, rule: Separation) -> float:
    """Smallest distance from a person at which the tool may move at `speed` [m/s]; the formula above [m]."""
    braking = speed / rule.deceleration
    walked = rule.human_speed * (rule.reaction + braking)
    return rule.stop_distance + walked + speed * rule.reaction + speed * braking / 2.0


def allowed_speed(distance: float, top_speed: float, rule: Separation) -> float:
    """Fastest speed of the tool with a person at `distance`.

    Args:
        distance: between person and robot [m]; inf where there is nobody.
        top_speed: what it may do without anybody near [m/s].
        rule: parameters.

    Returns:
        The speed [m/s]: 0 up to `stop_distance`; above it what `protective_distance` allows, and below `slow_distance`
        no more than a share of `top_speed` that grows evenly between the two.
    """
    room = distance - rule.stop_distance
    if not room > 0.0:
        return 0.0
    if math.isinf(distance):
        return top_speed
    a, t = rule.deceleration, rule.reaction
    linear = a * t + rule.human_speed  # v² / (2 a) + v linear / a + v_h t = room, solved for v
    root = linear * linear + 2.0 * a * (room - rule.human_speed * t)
    stoppable = math.sqrt(root) - linear if root > linear * linear else 0.0
    even = top_speed * room / (rule.slow_distance - rule.stop_distance)
    return min(top_speed, stoppable, even)


@dataclass(slots=True)
class _Sensor:
    """When it spoke last, and what it saw of late: times and distances, each farther than the one before."""

    heard: float = -math.inf
    recent: deque[tuple[float, float]] = field(default_factory=deque)

    def add(self, distance: float, t: float) -> None:
        """It saw somebody."""
        while self.recent and self.recent[-1][1] >= distance:
            self.recent.pop()
        self.recent.append((t, distance))
        self.heard = t

    def nearest(self, t: float, span: float) -> float:
        """What was nearest within `span` [s], in which it was heard [m]."""
        while t - self.recent[0][0] > span:
            self.recent.popleft()
        return self.recent[0][1]


class HumanDistance:
    """The nearest person, from any number of sensors. A sensor that spoke once must go on speaking.

    Who was near is taken to be near for `timeout` more: a sensor that loses sight of a person now and then neither lets
    the robot move in between nor fills the log.

    Args:
        rule: parameters.
        top_speed: fastest speed of the tool by the robot's profile [m/s].
        timeout: a sensor that is silent for longer counts as a person who touches the robot [s].
        tell: takes severity, kind, source and reason of what happens.
    """

    def __init__(
        self, rule: Separation, top_speed: float, timeout: float, tell: Callable[[Severity, str, str, str], None]
    ) -> None:
        self._rule, self._top_speed, self._timeout, self._tell = rule, top_speed, timeout, tell
        self._sensors: dict[str, _Sensor] = {}
        self._silent: set[str] = set()
        self.scale = 1.0
        """Share of the tool's speed limit that is allowed, 0 … 1, as of the last `watch`."""

    def on_distance(self, source: str, distance: float, t: float) -> None:
        """A sensor measured `distance` [m] at steady time `t` [s].

        As REP 117 has it: +inf is nobody in range, -inf is too close to measure. What is no number counts as nothing
        heard, so that a broken sensor falls silent.
        """
        name = source if source in self._sensors or len(self._sensors) < MOST_SOURCES else OTHERS
        sensor = self._sensors.setdefault(name, _Sensor())
        if math.isnan(distance):
            return
        sensor.add(distance, t)
        self.watch(t)

    def listens_to(self, source: str) -> bool:
        """Whether that sensor has spoken, and so must go on speaking."""
        return source in self._sensors

    def watch(self, t: float) -> None:
        """Judge at steady time `t` [s]; call it at least once a control period."""
        if not self._sensors:
            return
        silent = {name for name, sensor in self._sensors.items() if t - sensor.heard > self._timeout}
        for name in sorted(silent - self._silent):
            text = f"the human-distance sensor {name} is silent for {self._timeout:g} s: the robot holds"
            self._tell(Severity.ERROR, "human_sensor_lost", name, text)
        for name in sorted(self._silent - silent):
            self._tell(Severity.INFO, "human_sensor_back", name, f"the human-distance sensor {name} speaks again")
        self._silent = silent
        sensors = self._sensors.items()
        nearest = min(0.0 if name in silent else sensor.nearest(t, self._timeout) for name, sensor in sensors)
        before = self.scale
        self.scale = allowed_speed(nearest, self._top_speed, self._rule) / self._top_speed
        if (before > 0.0) != (self.scale > 0.0) and not silent:
            near = "nobody is near" if nearest == math.inf else f"a person is {max(nearest, 0.0):.2f} m away"
            text = f"{near}: the robot holds" if before > 0.0 else f"{near}: the robot may move again"
            self._tell(Severity.WARN if before > 0.0 else Severity.INFO, "human_near", "safety", text)
