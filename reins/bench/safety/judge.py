"""The judge: every hard limit, from the profile and the twin, for every velocity that the filter lets through."""

from collections import Counter
from typing import Final

import numpy as np

from reins.bench.safety.twin import FAR, Twin
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.settings import SafetySettings

ROUNDING: Final = 1e-6
"""Excess over a limit, as a share of it, that is none."""

GAP: Final = 5e-4
"""Excess over a distance that is none [m]: the two descriptions of the arm differ by 0.3 mm at the fingers."""

WALL: Final = 1e-3
"""The filter keeps its walls, and the ends of approaches, this far inside the limits [m]; a documented choice."""

ROOM: Final = 0.02
"""A command that is safe by less than this share of each limit is not counted as safe: which side it is on depends on
rounding and on what lies between two points of a path."""

MOMENT: Final = 5e-4
"""Over which speeds of approach are taken [s]: long beside the accuracy of distances. They are extrapolated to its
beginning, for past an edge they change by centimetres per second in a millisecond."""

UNSURE: Final = 4e-3
"""A speed of approach is not known better than this [m/s]."""

PATH: Final = 12
"""Points of a path to standstill that are looked at."""


class Judge:
    """Judges one arm that does as it is told. It uses no safety code; of the settings, the margins only.

    Args:
        profile: the limits.
        settings: margins and the deceleration of approaches.

    Attributes:
        counts: violations so far, by kind.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings) -> None:
        self.profile, self._settings = profile, settings
        self.twin = Twin(profile)
        self.counts: Counter[str] = Counter()
        self._period, self._hold = 1.0 / profile.rates.command, profile.rates.stale_after
        self._walls = np.array(profile.workspace.lower), np.array(profile.workspace.upper)
        self.begin(profile.home, 1.0)

    def begin(self, position: FloatArray, scale: float) -> None:
        """The arm stands at `position` (n,) [rad]; that share of the speed limits is allowed."""
        self._scale = scale
        self._acceleration = np.zeros(len(position))
        self.twin.move(position)
        self._floors = {kind: min(gap, margin) for kind, (gap, margin) in self._gaps().items()}

    def is_clear(self, position: FloatArray, room: float) -> bool:
        """Whether the arm may start there: inside everything, by `room` [m]."""
        profile = self.profile
        self.twin.move(position)
        inside = (self.twin.tool >= self._walls[0] + room).all() and (self.twin.tool <= self._walls[1] - room).all()
        if not inside or any(gap < margin + room for gap, margin in self._gaps().values()):
            return False
        still = np.zeros(len(position))
        return bool((np.abs(self.twin.torques(position, still, still)) <= 0.9 * profile.effort).all())

    def command(self, position: FloatArray, before: FloatArray, velocity: FloatArray, elapsed: float) -> None:
        """`velocity` (n,) follows `before`, which has acted for `elapsed` [s] and led to `position` (n,)."""
        for kind in self._faults(position, before, velocity, elapsed):
            self.counts[kind] += 1
        if elapsed > 0.0:
            self._acceleration = (velocity - before) / elapsed

    def _faults(self, position: FloatArray, before: FloatArray, velocity: FloatArray, elapsed: float) -> list[str]:
        """The hard limits that are broken."""
        profile, more = self.profile, 1.0 + ROUNDING
        faults = [] if np.isfinite(velocity).all() else ["not_finite"]
        if (position < profile.lower - ROUNDING).any() or (position > profile.upper + ROUNDING).any():
            faults.append("position")
        faults += [kind for kind, share in self._speed_shares(position, velocity) if share > more]
        change = velocity - before
        if (np.abs(change) > profile.acceleration * elapsed * more + 1e-9).any():
            faults.append("acceleration")
        if elapsed > 0.0:
            faults += self._force_faults(position, before, change / elapsed, elapsed)
            self.twin.move(position)
        tool = self.twin.tool
        if (tool < self._walls[0] - ROUNDING).any() or (tool > self._walls[1] + ROUNDING).any():
            faults.append("workspace")
        for kind, (gap, _) in self._gaps().items():
            if gap < self._floors[kind] - GAP:
                faults.append(kind)
        return faults

    def _speed_shares(self, position: FloatArray, velocity: FloatArray) -> list[tuple[str, float]]:
        """What each speed is of its limit, the arm being at `position`."""
        profile, scale = self.profile, self._scale
        self.twin.move(position)
        tool, turn, elbow = self.twin.speeds(velocity)
        shares = [
            ("velocity", float((np.abs(velocity) / profile.velocity).max()) / scale),
            ("tool_speed", float(np.linalg.norm(tool)) / (profile.workspace.tool_speed * scale)),
            ("tool_turn_rate", turn / (profile.workspace.tool_turn_rate * scale)),
        ]
        return shares + ([("elbow_speed", elbow / (profile.elbow.speed * scale))] if profile.elbow else [])

    def _force_faults(
        self, position: FloatArray, before: FloatArray, acceleration: FloatArray, elapsed: float
    ) -> list[str]:
        """Jerk and torque."""
        profile, faults = self.profile, []
        jump = np.abs(acceleration - self._acceleration)
        if (jump > profile.jerk * max(elapsed, self._period) * (1.0 + ROUNDING)).any():
            faults.append("jerk")
        if (np.abs(self.twin.torques(position, before, acceleration)) > profile.effort * (1.0 + ROUNDING)).any():
            faults.append("torque")
        return faults

    def _gaps(self) -> dict[str, tuple[float, float]]:
        """Distance and margin of each kind of pair [m]."""
        twin, settings = self.twin, self._settings
        return {
            "self_distance": (twin.distance("self"), settings.self_margin),
            "table_distance": (twin.table_gap(), settings.table_margin),
            "keep_out_distance": (twin.distance("keep_out"), settings.keep_out_margin),
            "held_distance": (twin.distance("held"), settings.self_margin),
            "held_table_distance": (twin.held_gap(), settings.held_margin),
        }

    # Whether a command was safe as it was asked for.

    def was_safe(self, position: FloatArray, before: FloatArray, wanted: FloatArray, elapsed: float) -> bool:
        """Whether `wanted` (n,) keeps every limit, now and in braking along its direction, with some room to spare."""
        less = 1.0 - ROOM
        change = wanted - before
        if any(share > less for _, share in self._speed_shares(position, wanted)):
            return False
        if not (self._within_reach(change, before, elapsed) and self._within_reach(-change, -before, elapsed)):
            return False
        return self._stops_in_time(position, wanted) and self._is_strong_enough(position, before, wanted, elapsed)

    def _within_reach(self, change: FloatArray, before: FloatArray, elapsed: float) -> bool:
        """Whether no joint's velocity rises by more than it may: after a gap it may brake for all of it, and gain for
        one period."""
        usable = (1.0 - ROOM) * self._usable(self.profile)
        gained = np.maximum(before + usable * min(elapsed, self._period), 0.0) - before
        return bool((change <= np.minimum(usable * elapsed, gained)).all())

    def _usable(self, profile: RobotProfile) -> FloatArray:
        """(n,) acceleration that neither its own limit nor the jerk limit forbids [rad/s²]."""
        return np.minimum(profile.acceleration, 0.5 * profile.jerk * self._period)

    def _is_strong_enough(self, position: FloatArray, before: FloatArray, wanted: FloatArray, elapsed: float) -> bool:
        """Whether the joints can give the change to `wanted`, and the hardest braking from it anywhere on its path."""
        limit, still = 0.9 * self.profile.effort, np.zeros(len(wanted))
        if elapsed > 0.0:
            change = (wanted - before) / elapsed
            if (np.abs(self.twin.torques(position, before, change)) > limit).any():
                return False
        time = float((np.abs(wanted) / self._usable(self.profile)).max())
        if time == 0.0:
            return True
        way = wanted * (self._hold + 0.5 * time)
        for share in np.linspace(0.0, 1.0, PATH):
            for speed, force in ((wanted, -wanted / time), (still, -wanted / time), (still, still)):
                if (np.abs(self.twin.torques(position + share * way, speed, force)) > limit).any():
                    return False
        return True

    def _stops_in_time(self, position: FloatArray, wanted: FloatArray) -> bool:
        """Whether nothing is approached faster than it may be, nor touched on the path to standstill."""
        profile, usable = self.profile, self._usable(self.profile)
        margin = self._settings.position_margin
        if not self._slow_enough(wanted, profile.upper - margin - position, usable):
            return False
        if not self._slow_enough(-wanted, position - profile.lower - margin, usable):
            return False
        self.twin.move(position)
        tool, _, _ = self.twin.speeds(wanted)
        deceleration = np.full(3, self._settings.tool_deceleration)
        lower, upper = self._walls
        if not self._slow_enough(tool, upper - WALL - self.twin.tool, deceleration):
            return False
        if not self._slow_enough(-tool, self.twin.tool - lower - WALL, deceleration):
            return False
        rooms = []
        for moment in (0.0, MOMENT, 2.0 * MOMENT):
            self.twin.move(position + moment * wanted)
            rooms.append(self._rooms())
        closing = (1.5 * rooms[0] - 2.0 * rooms[1] + 0.5 * rooms[2]) / MOMENT + UNSURE
        room = rooms[0] - WALL - GAP
        if not self._slow_enough(closing, room, np.full(len(closing), self._settings.tool_deceleration)):
            return False
        way = wanted * (self._hold + 0.5 * float((np.abs(wanted) / usable).max()))
        return all(self._is_inside(position + share * way) for share in np.linspace(0.0, 1.0, PATH))

    def _is_inside(self, position: FloatArray) -> bool:
        self.twin.move(position)
        tool, (lower, upper) = self.twin.tool, self._walls
        inside = (tool >= lower + 2 * WALL).all() and (tool <= upper - 2 * WALL).all()
        return bool(inside and (self._rooms() >= 2 * WALL).all())

    def _rooms(self) -> FloatArray:
        """How far the distance of each pair is from its margin [m]."""
        twin, settings = self.twin, self._settings
        rooms = [
            twin.distances("self") - settings.self_margin,
            twin.distances("keep_out") - settings.keep_out_margin,
            twin.distances("held") - settings.self_margin,
            twin.distances("fingers") - self._finger_margins(),
            np.append(twin.table_gaps(), twin.fingers_gap(FAR)) - settings.table_margin,
            np.array([twin.held_gap(FAR) - settings.held_margin]),
        ]
        return np.concatenate(rooms)

    def _finger_margins(self) -> FloatArray:
        """Margins of the pairs of the fingers' hull: keep-outs first, then links."""
        pairs, boxes = len(self.twin.pairs["fingers"]), self.twin.boxes
        settings = self._settings
        return np.append(np.full(boxes, settings.keep_out_margin), np.full(pairs - boxes, settings.self_margin))

    def _slow_enough(self, speeds: FloatArray, rooms: FloatArray, decelerations: FloatArray) -> bool:
        """Whether all speeds, kept for the hold time, can be braked within the rooms, with some to spare."""
        ahead = np.maximum(speeds, 0.0)
        needed = ahead * (self._hold + ahead / (2.0 * decelerations))
        return bool(((needed <= (1.0 - ROOM) * rooms) | (ahead == 0.0)).all())
