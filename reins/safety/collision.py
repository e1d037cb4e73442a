"""Keeps the arm away from itself, the table, fixtures, keep-outs: how fast it may approach, and where it can go."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pinocchio as pin

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.approach import Approach, cross
from reins.safety.bodies import (
    Box,
    Kind,
    Margins,
    bodies_around,
    body_of_box,
    body_of_held,
    body_of_link,
    pairs_of,
)
from reins.safety.clearance import Clearance
from reins.safety.distances import Distances, Numbers
from reins.safety.limits import stopping_distance, stopping_speed
from reins.safety.settings import SafetySettings

ROWS: Final = 8
"""Most pairs that the QP knows of: the most urgent ones. Every pair is in the certificate."""

TOLERANCE: Final = 1e-3
"""The QP stops approaches this far before the margin [m], which leaves the certificate room for bent paths."""

_INEXACT: Final = 1e-4
"""How far a plane of coal's normal may be from touching its bodies [m]; ten times what was seen."""

_OVERCORRECTION: Final = 1.1
"""How much more than it overshot an answer is pulled back."""


SAME_SIZE: Final = 5e-3
"""A keep-out that seems smaller than before by no more than this stays as large as it was: to make another takes time
that the control thread does not have [m]."""


class CollisionGuard:
    """The bodies of one arm and around it.

    Where a pair is closer than its margin already (a keep-out was set there, the hand holds what lies on the table) the
    pair may stay as close as it is, and never come closer. What is held is granted that once for each body, when it is
    taken: seen anew it seems a little closer now and then, and would come closer each time. Once clear of the margin it
    keeps that again, but for the table's: what is put back where it was taken lies as deep as it did.

    Args:
        profile: the robot.
        settings: margins and deceleration.
        kinematics: of the same profile; used from the same thread.

    Attributes:
        approach: (ROWS, n) rows by which joint velocities bring the urgent pairs closer [m/rad]; 0 in unused ones.
        fastest: (ROWS,) how fast they may [m/s]; infinite in unused ones.

    Raises:
        ReinsError: the robot's URDF has no collision geometry.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings, kinematics: Kinematics) -> None:
        self._kinematics = kinematics
        self._hold = profile.rates.stale_after
        self._deceleration = np.array([settings.tool_deceleration])
        self._margins = Margins(
            settings.self_margin, settings.table_margin, settings.keep_out_margin, settings.held_margin
        )
        self._fixed = [body_of_link(link, kinematics.model) for link in link_shapes(profile)]
        self._fixed += bodies_around(profile)
        self._keep_outs: tuple[Box, ...] = ()
        self._held: Box | None = None
        self.approach = np.zeros((ROWS, len(profile.joints)))
        self.fastest = np.full(ROWS, np.inf)
        self._granted: dict[str, float] = {}
        self._on_leave: Numbers
        self._overshot, self._refused = 0.0, 0
        self._rows: Numbers
        self._rebuild()

    def surround(self, keep_outs: Sequence[Box], held: Box | None) -> None:
        """From now on these boxes are kept away from, and that one is in the hand.

        Args:
            keep_outs: in the base frame.
            held: in the tool's frame; None for an empty hand.
        """
        boxes = tuple(keep_outs)
        if same := [box.id for box in boxes] == [box.id for box in self._keep_outs]:
            boxes = tuple(map(_settled, boxes, self._keep_outs))
            same = all(map(_as_large, boxes, self._keep_outs)) and held is self._held
        if held is None or self._held is None or held.id != self._held.id:
            self._granted.clear()
        self._keep_outs, self._held = boxes, held
        if not same:
            self._rebuild()
            return
        for number, box in enumerate(boxes, start=len(self._fixed)):
            self._distances.put(number, pin.SE3(box.rotation, box.centre))

    def _rebuild(self) -> None:
        bodies = [*self._fixed, *(body_of_box(box, Kind.KEEP_OUT) for box in self._keep_outs)]
        if self._held is not None:
            bodies.append(body_of_held(self._held, self._kinematics.tool_in_last_joint, self._kinematics.model))
        pairs = pairs_of(bodies, self._margins)
        self._distances = Distances(self._kinematics.model, bodies, pairs)
        self._clearance = Clearance(self._distances)
        self._approach = Approach(self._distances)
        self._clear_rows()
        self._watched, self._rate = np.zeros(0), np.zeros(len(pairs))
        self._unplaced = self._held is not None
        self._on_leave = np.arange(0)

    def place(self, position: FloatArray) -> None:
        """The arm is at `position` (n,) [rad], for which the kinematics have just been computed."""
        self._distances.move(position, self._kinematics.data)
        if self._unplaced:
            self._unplaced = False
            self._grant_held()
        elif self._on_leave.size:
            self._end_leave()

    def _grant_held(self) -> None:
        """What is held may stay as close to everything as it was when it was taken."""
        distances = self._distances
        numbers = np.flatnonzero([self._is_held(pair.second) for pair in distances.pairs])
        distances.measure(numbers)
        for number in numbers.tolist():
            other, distance = self._other(number), float(distances.lower[number])
            distances.margin[number] = min(distances.margin[number], self._granted.setdefault(other, distance))
        self._on_leave = numbers[[self._is_on_leave(number) for number in numbers.tolist()]]

    def _is_on_leave(self, number: int) -> bool:
        kind = self._distances.bodies[self._distances.pairs[number].first].kind
        return kind is not Kind.TABLE and bool(np.isfinite(self._granted[self._other(number)]))

    def _other(self, number: int) -> str:
        """The name of the first body of a pair."""
        return self._distances.bodies[self._distances.pairs[number].first].name

    def _end_leave(self) -> None:
        """Pairs that are clear of their margin keep it from now on."""
        distances = self._distances
        full = np.array([distances.pairs[number].margin for number in self._on_leave.tolist()])
        clear = distances.lower[self._on_leave] >= full
        distances.margin[self._on_leave[clear]] = full[clear]
        self._granted |= {self._other(number): np.inf for number in self._on_leave[clear].tolist()}
        self._on_leave = self._on_leave[~clear]

    def _is_held(self, body: int) -> bool:
        return self._distances.bodies[body].kind is Kind.HELD

    def watch(self, velocity: FloatArray) -> None:
        """Find the urgent pairs: those that `velocity` (n,) [rad/s] could bring too close too fast."""
        distances = self._distances
        self._watched = velocity
        self._approach.move(velocity, self._kinematics.joint_jacobians)
        self._rate = rate = self._approach.speeds()
        needed = stopping_distance(rate, self._deceleration, self._hold)
        room = distances.lower - distances.margin - TOLERANCE
        near = room < needed
        if near.any() and distances.sharpen(near):
            room = distances.lower - distances.margin - TOLERANCE
            near = room < needed
        urgent = near.nonzero()[0]
        if urgent.size > ROWS:
            urgent = urgent[np.argpartition((room - needed)[urgent], ROWS)[:ROWS]]
        if urgent.size or self._rows.size:
            self._clear_rows()
        self._rows = urgent
        if urgent.size:
            self._fill(slice(urgent.size), urgent)

    def _clear_rows(self) -> None:
        self._rows = np.arange(0)
        self.approach[:], self.fastest[:] = 0.0, np.inf

    def _fill(self, where: slice, numbers: Numbers) -> None:
        """Rows of these pairs, whose distances are exact.

        Source: the distance of two convex bodies changes by the speed of their nearest points along the normal.
        """
        distances = self._distances
        normal, point = distances.normals(numbers), distances.points(numbers)
        wrench = np.concatenate([normal.T, cross(point.T, normal.T)])
        between = distances.reach[numbers] > 0.0
        np.multiply(-(wrench.T @ self._kinematics.joint_jacobians), between, out=self.approach[where])
        room = distances.lower[numbers] - distances.margin[numbers] - TOLERANCE
        self.fastest[where] = stopping_speed(room, self._deceleration, self._hold)

    def keeps(self, velocity: FloatArray) -> bool:
        """Whether `velocity` (n,) [rad/s] brings no pair closer faster than it may."""
        return not self._rows.size or bool((self.approach @ velocity <= self.fastest).all())

    def broken(self, velocity: FloatArray) -> list[Kind]:
        """What `velocity` (n,) [rad/s] approaches too fast."""
        fast = np.flatnonzero(self.approach @ velocity > self.fastest)
        return [self._kind(int(self._rows[row])) for row in fast]

    def can_go(self, position: FloatArray, velocity: FloatArray, time: float) -> bool:
        """Whether all pairs stay apart on a straight path in joint space.

        Args:
            position: (n,) that `place` was told [rad].
            velocity: (n,) along the path [rad/s].
            time: that `velocity` would take for it [s].
        """
        distances, way = self._distances, velocity * time
        if velocity is not self._watched:
            self._approach.move(velocity, self._kinematics.joint_jacobians)
            self._watched, self._rate = velocity, self._approach.speeds()
        travel = self._rate * time + 0.5 * self._approach.largest_bend(way)
        near = distances.lower - distances.margin < travel
        if near.any() and distances.sharpen(near):
            near = distances.lower - distances.margin < travel
        close = near.nonzero()[0]
        if not close.size:
            return True
        room = (distances.lower - distances.margin)[close]
        farthest, curved = self._approach.bends(way, close)
        closing = self._approach.closing(close, distances.normals(close))
        reached = np.minimum(farthest, np.maximum(closing, 0.0) * time + 0.5 * curved + _INEXACT)
        open_ = ((reached > room) & (farthest > 0.0)).nonzero()[0]
        open_ = open_[np.argsort(room[open_])]
        return not open_.size or self._are_clear(position, way, close[open_], curved[open_])

    def _are_clear(self, position: FloatArray, way: FloatArray, numbers: Numbers, curved: FloatArray) -> bool:
        """Whether these pairs, whose points' ways bend so much, stay apart on the path; looks at them more closely."""
        self._clearance.along(position, way)
        for index, number in enumerate(numbers.tolist()):
            self._overshot = self._clearance.overlap(number, float(curved[index]))
            if self._overshot > 0.0:
                self._refused = number
                return False
        return True

    @property
    def refused(self) -> Kind:
        """What `can_go` refused last for."""
        return self._kind(self._refused)

    def pull_back(self, time: float) -> None:
        """Slow down the approach for which `can_go` refused a path of that time [s] last."""
        rows = np.flatnonzero(self._rows == self._refused)
        if not rows.size:
            row = min(self._rows.size, ROWS - 1)
            self._rows = np.append(self._rows[:row], self._refused)
            self._fill(slice(row, row + 1), self._rows[row:])
            rows = np.array([row])
        self.fastest[rows] -= self._overshot * (_OVERCORRECTION / time)

    def _kind(self, number: int) -> Kind:
        """What a pair is about: the object in the hand, else what stands, else the arm's own links."""
        distances = self._distances
        pair = distances.pairs[number]
        if self._is_held(pair.second):
            return Kind.HELD
        return distances.bodies[pair.first].kind


def _settled(new: Box, old: Box) -> Box:
    """`new`, with those of the old extents that it seems to lack a little of."""
    lacks = old.size - new.size
    size = np.where((lacks > 0.0) & (lacks <= SAME_SIZE), old.size, new.size)
    return Box(new.id, new.centre, new.rotation, size)


def _as_large(a: Box, b: Box) -> bool:
    return bool((a.size == b.size).all())
