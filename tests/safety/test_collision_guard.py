"""The guard by itself: which pairs it measures, gives a row, or looks along a path for, on both sides of each edge."""

from dataclasses import replace

import numpy as np
import pytest

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety import collision
from reins.safety.bodies import Box, Kind
from reins.safety.collision import ROWS, SAME_SIZE, TOLERANCE, CollisionGuard
from reins.safety.distances import Numbers
from reins.safety.limits import stopping_distance, stopping_speed
from reins.safety.settings import SafetySettings

SETTINGS = SafetySettings(
    self_margin=0.004, table_margin=0.003, keep_out_margin=0.02, held_margin=0.001, tool_deceleration=2.0
)
EDGE = 1e-9
INEXACT = 1e-4
"""How far a plane of coal's normal may be from touching its bodies [m]."""


def box(name: str, x: float, y: float, z: float, size: float = 0.1) -> Box:
    return Box(name, np.array([x, y, z]), np.eye(3), np.full(3, size))


CRATE, BIN = box("crate", 0.6, 0.3, 0.3), box("bin", 0.5, -0.4, 0.2, 0.2)
POLE = Box("pole", np.array([0.0, 0.0, 0.05]), np.eye(3), np.array([0.03, 0.03, 0.2]))


class Guarded:
    """A guard of an arm at its home pose, between a crate and a bin."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile, self.home = profile, profile.home
        self.kinematics = Kinematics(profile)
        self.guard = CollisionGuard(profile, SETTINGS, self.kinematics)
        self.velocity: FloatArray = np.random.default_rng(1).uniform(-0.5, 0.5, size=(len(profile.joints),))

    def place(self, position: FloatArray) -> None:
        self.kinematics.tool_jacobian(position)
        self.guard.place(position)

    @property
    def every(self) -> Numbers:
        return np.arange(len(self.guard._distances.pairs))

    def measured(self) -> None:
        """At home, all distances known, and the guard told of no motion yet."""
        self.place(self.home)
        self.guard._distances.measure(self.every)

    def pretend(self, room: FloatArray | float, *, exact: bool = True) -> None:
        """As if each pair had so much more than its margin left [m]."""
        distances = self.guard._distances
        distances.lower[:] = distances.margin + room
        distances.exact[:] = exact

    def needed(self) -> FloatArray:
        """(p,) what each pair needs to stop within, at `velocity` [m]."""
        self.guard._approach.move(self.velocity, self.kinematics.joint_jacobians)
        return stopping_distance(
            self.guard._approach.speeds(), np.array([SETTINGS.tool_deceleration]), self.profile.rates.stale_after
        )

    def of(self, kind: Kind) -> Numbers:
        """Numbers of the pairs whose first body is of that kind and whose second is a link."""
        bodies, pairs = self.guard._distances.bodies, self.guard._distances.pairs
        chosen = [
            n for n in self.every if bodies[pairs[n].first].kind is kind and bodies[pairs[n].second].kind is Kind.LINK
        ]
        return np.array(chosen)


@pytest.fixture
def guarded(profile: RobotProfile) -> Guarded:
    made = Guarded(profile)
    made.guard.surround((CRATE, BIN), None)
    return made


class TestSurround:
    def test_each_pair_has_the_margin_of_its_kind(self, guarded: Guarded) -> None:
        guarded.guard.surround((CRATE,), POLE)
        distances = guarded.guard._distances
        margins = {Kind.LINK: 0.004, Kind.TABLE: 0.003, Kind.KEEP_OUT: 0.02}
        seen = set()
        for pair, margin in zip(distances.pairs, distances.margin, strict=True):
            first, second = distances.bodies[pair.first].kind, distances.bodies[pair.second].kind
            held_above_table = second is Kind.HELD and first is Kind.TABLE
            assert margin == (0.001 if held_above_table else margins[first])
            seen.add((first, second))
        assert {(Kind.TABLE, Kind.HELD), (Kind.KEEP_OUT, Kind.HELD), (Kind.LINK, Kind.LINK)} <= seen

    @pytest.mark.parametrize(
        "boxes, kept",
        [
            ((replace(CRATE, centre=CRATE.centre + 0.1), BIN), True),
            ((replace(CRATE, size=CRATE.size * [1.0, 1.0, 1.1]), BIN), False),
            ((replace(CRATE, size=CRATE.size - [0.0, 0.0, SAME_SIZE + 1e-4]), BIN), False),
            ((replace(CRATE, id="other"), BIN), False),
            ((CRATE,), False),
            ((CRATE, BIN, box("third", 0.0, 0.6, 0.1)), False),
            ((BIN, CRATE), False),
        ],
    )
    def test_boxes_that_only_moved_are_put_where_they_are_now_and_others_are_made(
        self, guarded: Guarded, boxes: tuple[Box, ...], kept: bool
    ) -> None:
        guarded.measured()
        before = guarded.guard._distances
        guarded.guard.surround(boxes, None)
        assert (guarded.guard._distances is before) is kept
        known = guarded.of(Kind.LINK)
        assert guarded.guard._distances.exact[known].all() == kept
        exact = guarded.guard._distances.exact[guarded.of(Kind.KEEP_OUT)]
        assert exact.any() == kept and not exact.all(), "of those that are kept, the one that did not move"
        guarded.measured()
        fresh = Guarded(guarded.profile)
        fresh.guard.surround(boxes, None)
        fresh.measured()
        np.testing.assert_allclose(guarded.guard._distances.lower, fresh.guard._distances.lower, atol=2e-6)

    def test_one_that_seems_a_little_smaller_stays_as_large_as_it_was(self, guarded: Guarded) -> None:
        """Its measured size shakes from scene to scene, and to make everything anew holds up the control thread."""
        before = guarded.guard._distances
        for less in (0.004, 0.001, 0.004, 0.0):
            guarded.guard.surround((replace(CRATE, size=CRATE.size - less), BIN), None)
            guarded.measured()
            assert guarded.guard._distances is before
        fresh = Guarded(guarded.profile)
        fresh.guard.surround((CRATE, BIN), None)
        fresh.measured()
        np.testing.assert_allclose(before.lower, fresh.guard._distances.lower, atol=2e-6)

    def test_just_so_much_smaller_is_still_a_little(self, guarded: Guarded) -> None:
        """Sizes that have no rounding in their difference."""
        guarded.guard.surround((box("dot", 0.5, 0.3, 0.3, 2.0 * SAME_SIZE),), None)
        before = guarded.guard._distances
        guarded.guard.surround((box("dot", 0.5, 0.3, 0.3, SAME_SIZE),), None)
        assert guarded.guard._distances is before

    @pytest.mark.parametrize("before, after", [(None, POLE), (POLE, None), (POLE, replace(POLE, size=POLE.size * 2.0))])
    def test_what_is_held_is_made_anew_when_it_is_another(
        self, guarded: Guarded, before: Box | None, after: Box | None
    ) -> None:
        guarded.guard.surround((CRATE,), before)
        made = guarded.guard._distances
        guarded.guard.surround((CRATE,), before)
        assert guarded.guard._distances is made
        guarded.guard.surround((CRATE,), after)
        assert guarded.guard._distances is not made
        held = [body.name for body in guarded.guard._distances.bodies if body.kind is Kind.HELD]
        assert held == ([] if after is None else ["pole"])

    def test_what_is_made_anew_has_no_rows(self, guarded: Guarded) -> None:
        guarded.measured()
        guarded.pretend(-0.01)
        guarded.guard.watch(guarded.velocity)
        assert guarded.guard.approach.any()
        guarded.guard.surround((), None)
        assert not guarded.guard.approach.any() and np.isinf(guarded.guard.fastest).all()
        assert guarded.guard.keeps(1e6 * guarded.velocity)


class TestHeld:
    """A pole in the hand; `deep` reaches through the table from the home pose."""

    DEEP = replace(POLE, size=np.array([0.03, 0.03, 3.0]))

    def to_table(self, guarded: Guarded) -> tuple[float, float]:
        """Margin and distance of the pole above the table [m]."""
        distances = guarded.guard._distances
        kinds = [(distances.bodies[pair.first].kind, distances.bodies[pair.second].kind) for pair in distances.pairs]
        number = kinds.index((Kind.TABLE, Kind.HELD))
        distances.measure(np.array([number]))
        return float(distances.margin[number]), float(distances.lower[number])

    def test_what_is_far_enough_keeps_its_margin(self, guarded: Guarded) -> None:
        guarded.guard.surround((), POLE)
        guarded.place(guarded.home)
        margin, distance = self.to_table(guarded)
        assert distance > margin == SETTINGS.held_margin

    @pytest.mark.parametrize("lift", [-0.2, 0.2])
    def test_what_is_too_deep_may_stay_so_deep_and_no_deeper(self, guarded: Guarded, lift: float) -> None:
        guarded.guard.surround((), self.DEEP)
        guarded.place(guarded.home)
        margin, distance = self.to_table(guarded)
        assert margin == pytest.approx(distance) and distance < 0.0
        elsewhere = guarded.home.copy()
        elsewhere[1] += lift
        guarded.place(elsewhere)
        assert self.to_table(guarded)[0] == margin

    def test_what_is_granted_is_granted_for_that_one_body(self, guarded: Guarded) -> None:
        guarded.guard.surround((CRATE, BIN), self.DEEP)
        guarded.place(guarded.home)
        distances, granted = guarded.guard._distances, 0
        for number, pair in enumerate(distances.pairs):
            if distances.bodies[pair.second].kind is Kind.HELD:
                assert distances.margin[number] == min(pair.margin, distances.lower[number])
                granted += distances.margin[number] < pair.margin
        assert granted == 1

    @pytest.mark.parametrize("lift", [-0.2, 0.2])
    def test_seen_anew_it_is_granted_what_it_was_when_it_was_taken(self, guarded: Guarded, lift: float) -> None:
        """However deep it seems then: doubt in what is seen must not add up."""
        guarded.guard.surround((), self.DEEP)
        guarded.place(guarded.home)
        first = self.to_table(guarded)[0]
        elsewhere = guarded.home.copy()
        elsewhere[1] += lift
        guarded.guard.surround((), replace(self.DEEP))
        guarded.place(elsewhere)
        margin, second = self.to_table(guarded)
        assert margin == pytest.approx(first) and abs(second - first) > 0.01

    def test_beside_a_keep_out_it_comes_no_closer_however_it_seems_to_shake(self, guarded: Guarded) -> None:
        """A block that is carried 10 mm beside one to avoid, seen up to 5 mm to and fro."""
        tool = guarded.kinematics.tool_jacobian(guarded.home)[0].position
        block = Box("block", np.zeros(3), np.eye(3), np.full(3, 0.04))
        beside = Box("beside", tool + np.array([0.0, 0.05, 0.0]), np.eye(3), np.array([0.04, 0.04, 0.04]))
        margins = []
        for shake in (0.0, 0.005, -0.005, 0.005, 0.0):
            guarded.guard.surround((beside,), replace(block, centre=np.array([shake, shake, 0.0])))
            guarded.place(guarded.home)
            distances = guarded.guard._distances
            margins.append(
                next(float(distances.margin[n]) for n in guarded.every.tolist() if self.is_between(guarded, n))
            )
        assert 0.0 < margins[0] < SETTINGS.keep_out_margin
        assert margins == [margins[0]] * 5

    def is_between(self, guarded: Guarded, number: int) -> bool:
        """Whether a pair is of what is held and a keep-out."""
        bodies, pair = guarded.guard._distances.bodies, guarded.guard._distances.pairs[number]
        return (bodies[pair.first].kind, bodies[pair.second].kind) == (Kind.KEEP_OUT, Kind.HELD)

    def test_once_clear_it_keeps_the_margin_again(self, guarded: Guarded) -> None:
        """Also when it is seen anew, and near again."""
        tool = guarded.kinematics.tool_jacobian(guarded.home)[0].position
        block = Box("block", np.zeros(3), np.eye(3), np.full(3, 0.04))
        beside = Box("beside", tool + np.array([0.0, 0.05, 0.0]), np.eye(3), np.array([0.04, 0.04, 0.04]))
        guarded.guard.surround((beside,), block)
        guarded.place(guarded.home)
        (number,) = (n for n in guarded.every.tolist() if self.is_between(guarded, n))
        distances = guarded.guard._distances
        assert distances.margin[number] < SETTINGS.keep_out_margin
        away = guarded.home.copy()
        away[0] += 0.02
        for position, full in ((away, False), (guarded.home - (away - guarded.home) * 20.0, True)):
            guarded.place(position)
            distances.measure(guarded.every)
            guarded.place(position)
            assert bool(distances.margin[number] == SETTINGS.keep_out_margin) is full
        guarded.place(guarded.home)
        assert distances.margin[number] == SETTINGS.keep_out_margin
        guarded.guard.surround((beside,), replace(block))
        guarded.place(guarded.home)
        assert guarded.guard._distances.margin[number] == SETTINGS.keep_out_margin

    def test_what_lies_on_the_table_may_be_put_back_as_deep_once_it_was_clear(self, guarded: Guarded) -> None:
        """And the end of another body's leave, which it was granted with it, ends nothing of the table's."""
        tool = guarded.kinematics.tool_jacobian(guarded.home)[0].position
        beside = Box("beside", tool + np.array([0.0, 0.05, 0.0]), np.eye(3), np.full(3, 0.04))
        guarded.guard.surround((beside,), self.DEEP)
        guarded.place(guarded.home)
        first = self.to_table(guarded)[0]
        distances = guarded.guard._distances
        (number,) = (n for n in guarded.every.tolist() if self.is_between(guarded, n))
        assert distances.margin[number] < SETTINGS.keep_out_margin
        distances.lower[:] = 1.0
        guarded.place(guarded.home)
        assert distances.margin[number] == SETTINGS.keep_out_margin
        assert self.to_table(guarded)[0] == first < 0.0
        raised = guarded.home.copy()
        raised[1] -= 0.2
        guarded.guard.surround((beside,), replace(self.DEEP))
        guarded.place(raised)
        assert self.to_table(guarded)[0] == first

    @pytest.mark.parametrize("between", ["other", "nothing"])
    def test_another_that_is_taken_is_granted_nothing_of_the_last(self, guarded: Guarded, between: str) -> None:
        guarded.guard.surround((), self.DEEP)
        guarded.place(guarded.home)
        raised = guarded.home.copy()
        raised[1] -= 0.2
        if between == "nothing":
            guarded.guard.surround((), None)
            guarded.place(raised)
        again = replace(self.DEEP, id="other" if between == "other" else "pole")
        guarded.guard.surround((), again)
        guarded.place(raised)
        margin, distance = self.to_table(guarded)
        assert margin == pytest.approx(distance)


class TestRows:
    @pytest.mark.parametrize("offset, urgent", [(-EDGE, True), (EDGE, False)])
    def test_a_pair_is_urgent_that_could_not_stop_a_little_before_its_margin(
        self, guarded: Guarded, offset: float, urgent: bool
    ) -> None:
        guarded.measured()
        number = int(guarded.of(Kind.KEEP_OUT)[-1])
        needed = guarded.needed()
        room = np.full(len(needed), 9.0)
        room[number] = needed[number] + TOLERANCE + offset
        guarded.pretend(room)
        guarded.guard.watch(guarded.velocity)
        assert guarded.guard._rows.tolist() == ([number] if urgent else [])
        assert guarded.guard.approach.any(axis=1).tolist() == [urgent] + [False] * (ROWS - 1)
        expected = stopping_speed(
            np.array([needed[number] + offset]),
            np.array([SETTINGS.tool_deceleration]),
            guarded.profile.rates.stale_after,
        )
        assert guarded.guard.fastest[0] == (pytest.approx(float(expected[0])) if urgent else np.inf)
        assert np.isinf(guarded.guard.fastest[1:]).all()

    @pytest.mark.parametrize("offset, measures", [(-EDGE, True), (EDGE, False)])
    def test_only_what_a_bound_does_not_clear_is_measured_and_then_looked_at_again(
        self, guarded: Guarded, offset: float, measures: bool
    ) -> None:
        guarded.measured()
        number = int(guarded.of(Kind.KEEP_OUT)[-1])
        distance = guarded.guard._distances.lower[number]
        needed = guarded.needed()
        room = np.full(len(needed), 9.0)
        room[number] = needed[number] + TOLERANCE + offset
        guarded.pretend(room, exact=False)
        guarded.guard.watch(guarded.velocity)
        assert guarded.guard._distances.exact.tolist() == [measures and n == number for n in guarded.every]
        assert not guarded.guard._rows.size, "it is far away"
        assert not measures or guarded.guard._distances.lower[number] == pytest.approx(distance, abs=2e-6)

    @pytest.mark.parametrize("offset, urgent", [(-1e-5, True), (1e-5, False)])
    def test_what_is_measured_and_is_as_near_as_it_seemed_gets_a_row(
        self, guarded: Guarded, offset: float, urgent: bool
    ) -> None:
        guarded.measured()
        number, distances = int(guarded.of(Kind.KEEP_OUT)[-1]), guarded.guard._distances
        distance = float(distances.lower[number])
        needed = float(guarded.needed()[number])
        distances.margin[:] = 0.02
        distances.margin[number] = distance - needed - TOLERANCE - offset
        guarded.pretend(np.where(guarded.every == number, -np.inf, 9.0), exact=False)
        guarded.guard.watch(guarded.velocity)
        assert guarded.guard._rows.tolist() == ([number] if urgent else [])
        if urgent:
            assert guarded.guard.fastest[0] == pytest.approx(self.allowed(guarded, needed + offset), rel=1e-4)

    def allowed(self, guarded: Guarded, room: float) -> float:
        """From what speed there is room to stop [m/s]."""
        deceleration = np.array([SETTINGS.tool_deceleration])
        return float(stopping_speed(np.array([room]), deceleration, guarded.profile.rates.stale_after)[0])

    def test_at_rest_what_is_just_at_its_margin_is_neither_measured_nor_urgent(
        self, guarded: Guarded, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(collision, "TOLERANCE", 0.0)
        guarded.measured()
        guarded.guard._distances.margin[:] = guarded.guard._distances.lower
        guarded.guard._distances.exact[:] = False
        still = np.zeros_like(guarded.velocity)
        guarded.guard.watch(still)
        assert guarded.guard.can_go(guarded.home, still, 0.2)
        assert not guarded.guard._distances.exact.any()
        guarded.guard._distances.lower[:] = -np.inf
        guarded.guard.watch(still)
        assert guarded.guard._distances.exact.all()
        inside = guarded.guard._distances.lower < guarded.guard._distances.margin  # by a rounding
        assert inside.sum() < ROWS
        assert guarded.guard._rows.tolist() == np.flatnonzero(inside).tolist()

    def test_a_row_tells_how_fast_its_pair_comes_closer(self, guarded: Guarded) -> None:
        """By differences of distances, pair by pair."""
        guarded.measured()
        lower = guarded.guard._distances.lower.copy()
        step, checked = 1e-4, set()
        for number in guarded.every[lower > 0.01]:
            guarded.measured()
            guarded.pretend(np.where(guarded.every == number, -1.0, 9.0))
            guarded.guard.watch(guarded.velocity)
            assert guarded.guard._rows.tolist() == [number]
            rate = float(guarded.guard.approach[0] @ guarded.velocity)
            apart = []
            for sign in (-1.0, 1.0):
                guarded.place(guarded.home + sign * step * guarded.velocity)
                guarded.guard._distances.measure(np.array([number]))
                apart.append(float(guarded.guard._distances.lower[number]))
            assert rate == pytest.approx((apart[0] - apart[1]) / (2 * step), abs=2e-2)
            checked.add(guarded.guard._kind(int(number)))
        assert checked == {Kind.LINK, Kind.TABLE, Kind.KEEP_OUT}

    @pytest.mark.parametrize("count", [ROWS, ROWS + 1, ROWS + 5])
    def test_there_are_rows_for_the_most_urgent(self, guarded: Guarded, count: int) -> None:
        """Most urgent are those that lack most of what they need."""
        guarded.measured()
        needed = guarded.needed()
        order = np.random.default_rng(2).permutation(len(needed))[:count]
        room = np.full(len(needed), 9.0)
        room[order] = needed[order] - 1e-3 * np.arange(count)
        guarded.pretend(room)
        guarded.guard.watch(guarded.velocity)
        assert set(guarded.guard._rows.tolist()) == set(order[-ROWS:].tolist())
        assert guarded.guard.approach.any(axis=1).all()
        assert np.isfinite(guarded.guard.fastest).all()

    @pytest.mark.parametrize("left", [0, 2])
    def test_rows_that_are_urgent_no_more_are_gone(self, guarded: Guarded, left: int) -> None:
        guarded.measured()
        room = np.full(len(guarded.every), 9.0)
        for urgent in (5, left):
            room[:] = 9.0
            room[:urgent] = -1.0
            guarded.pretend(room)
            guarded.guard.watch(guarded.velocity)
            assert guarded.guard._rows.tolist() == list(range(urgent))
            assert not guarded.guard.approach[urgent:].any()
            assert np.isinf(guarded.guard.fastest[urgent:]).all()

    @pytest.mark.parametrize("offset, keeps", [(0.0, True), (1e-12, False)])
    def test_what_comes_closer_faster_than_a_row_allows_does_not_keep_it(
        self, guarded: Guarded, offset: float, keeps: bool
    ) -> None:
        guarded.measured()
        number = int(guarded.of(Kind.TABLE)[0])
        guarded.pretend(np.where(guarded.every == number, -1.0, 9.0))
        guarded.guard.watch(guarded.velocity)
        rate = guarded.guard.approach @ guarded.velocity
        guarded.guard.fastest[:] = rate - offset
        guarded.guard.fastest[1:] = np.inf
        assert guarded.guard.keeps(guarded.velocity) is keeps
        assert guarded.guard.broken(guarded.velocity) == ([] if keeps else [Kind.TABLE])

    def test_without_rows_everything_keeps_them(self, guarded: Guarded) -> None:
        guarded.measured()
        guarded.pretend(99.0)
        guarded.guard.watch(guarded.velocity)
        assert guarded.guard.keeps(1e9 * guarded.velocity)
        assert guarded.guard.broken(1e9 * guarded.velocity) == []


class TestPaths:
    TIME = 0.2

    @pytest.fixture
    def looked(self, guarded: Guarded, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """At home, all known; the pairs that are looked at along a path, which all are clear."""
        guarded.measured()
        numbers: list[int] = []

        def overlap(number: int, _: float) -> float:
            numbers.append(number)
            return 0.0

        monkeypatch.setattr(guarded.guard._clearance, "overlap", overlap)
        return numbers

    def goes(self, guarded: Guarded, velocity: FloatArray | None = None) -> bool:
        velocity = guarded.velocity if velocity is None else velocity
        return guarded.guard.can_go(guarded.home, velocity, self.TIME)

    def travel(self, guarded: Guarded) -> FloatArray:
        """(p,) how much closer each pair comes at most, by speeds and bend [m]."""
        guarded.needed()
        approach = guarded.guard._approach
        return approach.speeds() * self.TIME + 0.5 * approach.largest_bend(guarded.velocity * self.TIME)

    @pytest.mark.parametrize("watched", [False, True])
    @pytest.mark.parametrize("offset, measures", [(-EDGE, True), (EDGE, False)])
    def test_only_what_speed_and_bend_do_not_clear_is_measured(
        self, guarded: Guarded, looked: list[int], offset: float, measures: bool, watched: bool
    ) -> None:
        """And once measured, it is far away."""
        number = int(guarded.of(Kind.LINK)[0])
        room = np.full(len(guarded.every), 99.0)
        room[number] = self.travel(guarded)[number] + offset
        guarded.pretend(99.0)
        guarded.guard.watch(guarded.velocity if watched else np.zeros_like(guarded.velocity))
        guarded.pretend(room, exact=False)
        assert self.goes(guarded)
        assert guarded.guard._distances.exact.tolist() == [measures and n == number for n in guarded.every]

    def test_what_is_measured_and_is_as_near_as_it_seemed_is_looked_at(
        self, guarded: Guarded, looked: list[int]
    ) -> None:
        number, distances = int(guarded.of(Kind.TABLE)[-1]), guarded.guard._distances
        distances.margin[number] = distances.lower[number] + 0.01
        guarded.pretend(np.where(guarded.every == number, -1.0, 99.0), exact=False)
        assert self.goes(guarded)
        assert looked == [number]

    def test_what_is_measured_and_is_out_of_reach_is_not_looked_at(self, guarded: Guarded, looked: list[int]) -> None:
        """However the margin is added or taken away: it is smaller than the way, and the room is not."""
        number, distances = int(guarded.of(Kind.TABLE)[-1]), guarded.guard._distances
        distance, travel = float(distances.lower[number]), float(self.travel(guarded)[number])
        distances.margin[number] = distance - travel - 1e-5
        guarded.pretend(np.where(guarded.every == number, -1.0, 99.0), exact=False)
        assert self.goes(guarded)
        assert looked == []

    def test_the_speeds_of_one_velocity_are_worked_out_once(
        self, guarded: Guarded, looked: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is done in a control period."""
        moves: list[FloatArray] = []
        move = guarded.guard._approach.move

        def record(velocity: FloatArray, jacobians: FloatArray) -> None:
            moves.append(velocity)
            move(velocity, jacobians)

        monkeypatch.setattr(guarded.guard._approach, "move", record)
        guarded.pretend(99.0)
        first, second = guarded.velocity, 0.5 * guarded.velocity
        guarded.guard.watch(first)
        for velocity in (first, first, second, second):
            assert self.goes(guarded, velocity)
        assert [velocity is first for velocity in moves] == [True, False]

    def bounds(self, guarded: Guarded) -> tuple[FloatArray, FloatArray]:
        """(p,) how much closer each pair comes at most: by its joints' reach, and along its normal [m]."""
        guarded.needed()
        approach, normals = guarded.guard._approach, guarded.guard._distances.normals(guarded.every)
        ways, curved = approach.bends(guarded.velocity * self.TIME, guarded.every)
        closing = np.maximum(approach.closing(guarded.every, normals), 0.0)
        return ways, closing * self.TIME + 0.5 * curved + INEXACT

    @pytest.mark.parametrize("offset, looks", [(-EDGE, True), (EDGE, False)])
    def test_a_pair_is_looked_at_that_its_own_motion_could_bring_too_close(
        self, guarded: Guarded, looked: list[int], offset: float, looks: bool
    ) -> None:
        ways, alongs = self.bounds(guarded)
        reached, speeds = np.minimum(ways, alongs), self.travel(guarded)
        chosen = [n for n in guarded.every if 0.0 < reached[n] < speeds[n] - 1e-6]
        by_way = [n for n in chosen if ways[n] < alongs[n]]
        by_normal = [n for n in chosen if alongs[n] < ways[n]]
        assert by_normal, "some pairs must be judged by their normals"
        for number in (*by_way, *by_normal):
            room = np.full(len(guarded.every), 99.0)
            room[number] = reached[number] + offset
            guarded.pretend(room)
            looked.clear()
            assert self.goes(guarded)
            assert looked == ([number] if looks else [])

    def test_a_pair_that_nothing_moves_is_not_looked_at_however_close_it_is(
        self, guarded: Guarded, looked: list[int]
    ) -> None:
        guarded.velocity = np.zeros_like(guarded.velocity)
        guarded.velocity[-1] = 0.1
        guarded.pretend(-0.5)
        assert self.goes(guarded)
        reach = guarded.guard._distances.reach[:, -1]
        assert 0 < len(looked) < len(guarded.every)
        assert sorted(looked) == np.flatnonzero(reach > 0.0).tolist()

    def test_the_closest_are_looked_at_first(self, guarded: Guarded, looked: list[int]) -> None:
        order = np.random.default_rng(3).permutation(len(guarded.every))
        room = np.empty(len(order))
        room[order] = -1.0 + 1e-3 * np.arange(len(order))
        guarded.pretend(room)
        assert self.goes(guarded)
        moved = [n for n in order.tolist() if guarded.guard._distances.reach[n] @ np.abs(guarded.velocity) > 0.0]
        assert looked == moved

    def test_each_is_asked_about_with_the_bend_of_its_own_way(
        self, guarded: Guarded, looked: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: dict[int, float] = {}
        paths: list[FloatArray] = []

        def overlap(number: int, bend: float) -> float:
            asked[number] = bend
            return 0.0

        monkeypatch.setattr(guarded.guard._clearance, "overlap", overlap)
        monkeypatch.setattr(guarded.guard._clearance, "along", lambda *path: paths.extend(path))
        guarded.pretend(-1.0)
        assert self.goes(guarded)
        way = guarded.velocity * self.TIME
        curved = guarded.guard._approach.bends(way, guarded.every)[1]
        assert asked and asked == {n: pytest.approx(curved[n]) for n in asked}
        np.testing.assert_array_equal(paths, [guarded.home, way])

    def test_the_first_that_comes_too_close_is_what_it_refuses_for(
        self, guarded: Guarded, looked: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table, crate = int(guarded.of(Kind.TABLE)[3]), int(guarded.of(Kind.KEEP_OUT)[2])
        overlaps = {table: 0.02, crate: 0.01}
        monkeypatch.setattr(guarded.guard._clearance, "overlap", lambda number, _: overlaps.get(number, 0.0))
        for first, other, kind in ((table, crate, Kind.TABLE), (crate, table, Kind.KEEP_OUT)):
            room = np.full(len(guarded.every), 0.0)
            room[first], room[other] = -0.2, -0.1
            guarded.pretend(room)
            assert not self.goes(guarded)
            assert guarded.guard.refused is kind


class TestPullBack:
    """A path of 0.1 s was refused for a pair that came 1 cm too close."""

    def refuse(self, guarded: Guarded, number: int, urgent: int) -> None:
        """So many pairs, the first ones, have rows."""
        guarded.measured()
        guarded.pretend(np.where(guarded.every < urgent, -1.0, 9.0))
        guarded.guard.watch(guarded.velocity)
        guarded.pretend(0.3)
        guarded.guard.fastest[:urgent] = 0.5
        guarded.guard._refused, guarded.guard._overshot = number, 0.01

    @pytest.mark.parametrize("number", [0, 2])
    def test_a_pair_that_has_a_row_is_slowed_down_by_a_little_more_than_it_overshot(
        self, guarded: Guarded, number: int
    ) -> None:
        self.refuse(guarded, number, 3)
        before = guarded.guard.approach.copy()
        guarded.guard.pull_back(0.1)
        expected = np.array([0.5, 0.5, 0.5] + [np.inf] * (ROWS - 3))
        expected[number] = 0.5 - 1.1 * 0.01 / 0.1
        np.testing.assert_allclose(guarded.guard.fastest, expected)
        np.testing.assert_array_equal(guarded.guard.approach, before)
        assert guarded.guard._rows.tolist() == [0, 1, 2]

    @pytest.mark.parametrize("urgent, row", [(0, 0), (3, 3), (ROWS - 1, ROWS - 1), (ROWS, ROWS - 1)])
    def test_one_that_has_none_gets_the_next_or_the_last(self, guarded: Guarded, urgent: int, row: int) -> None:
        number = ROWS + 2
        self.refuse(guarded, number, urgent)
        before = guarded.guard.approach.copy()
        guarded.guard.pull_back(0.1)
        assert guarded.guard._rows.tolist() == [*range(row), number]
        allowed = stopping_speed(
            np.array([0.3 - TOLERANCE]), np.array([SETTINGS.tool_deceleration]), guarded.profile.rates.stale_after
        )
        expected = np.array([0.5] * row + [float(allowed[0]) - 1.1 * 0.01 / 0.1] + [np.inf] * (ROWS - row - 1))
        np.testing.assert_allclose(guarded.guard.fastest, expected)
        np.testing.assert_array_equal(guarded.guard.approach[:row], before[:row])
        guarded.pretend(np.where(guarded.every == number, -1.0, 9.0))
        made = guarded.guard.approach[row].copy()
        guarded.guard.watch(guarded.velocity)
        np.testing.assert_allclose(made, guarded.guard.approach[0])


def test_what_was_refused_gets_the_first_row_of_a_guard_that_was_told_of_no_motion(guarded: Guarded) -> None:
    guarded.measured()
    guarded.guard._refused, guarded.guard._overshot = 5, 0.01
    guarded.guard.pull_back(0.1)
    assert guarded.guard._rows.tolist() == [5]
    assert guarded.guard.approach[0].any() and not guarded.guard.approach[1:].any()


def test_a_pair_is_about_what_is_held_then_what_stands_then_the_arm(guarded: Guarded) -> None:
    guarded.guard.surround((CRATE,), POLE)
    distances = guarded.guard._distances
    for number, pair in enumerate(distances.pairs):
        first, second = distances.bodies[pair.first].kind, distances.bodies[pair.second].kind
        assert guarded.guard._kind(number) is (Kind.HELD if second is Kind.HELD else first)
