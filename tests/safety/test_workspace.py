"""The walls of the workspace, by themselves: where they stand, and which paths they let through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.workspace import PATH_TOLERANCE, WorkspaceGuard


class Room:
    """A guard whose walls stand `room` (6,) [m] away from the tool in its home pose, in the order of the walls."""

    def __init__(self, profile: RobotProfile, room: FloatArray) -> None:
        self.kinematics = Kinematics(profile)
        pose, self.jacobian = self.kinematics.tool_jacobian(profile.home)
        self.home, self.tool = profile.home, pose.position
        self.lower, self.upper = self.tool - room[:3], self.tool + room[3:]
        walls = {"lower": tuple(map(float, self.lower)), "upper": tuple(map(float, self.upper))}
        moved = profile.model_copy(update={"workspace": profile.workspace.model_copy(update=walls)})
        self.guard = WorkspaceGuard(moved, self.kinematics)
        self.room = self.guard.place(self.tool).copy()

    def can_go(self, way: FloatArray) -> bool:
        return self.guard.can_go(self.home, way, self.tool, self.jacobian)

    def went(self, way: FloatArray) -> FloatArray:
        """(6,) how far the tool goes towards each wall on a path, at most, looked at closely [m]."""
        points = [self.kinematics.tool_pose(self.home + share * way).position for share in np.linspace(0.0, 1.0, 201)]
        lowest, highest = np.min(points, axis=0), np.max(points, axis=0)
        return np.concatenate([self.tool - lowest, highest - self.tool])

    def straight(self, direction: FloatArray, length: float) -> FloatArray:
        """(n,) a path in joint space that moves the tool about that far."""
        twist = np.append(direction * length, np.zeros(3))
        return np.asarray(np.linalg.pinv(self.jacobian) @ twist, dtype=np.float64)


@pytest.fixture
def roomy(profile: RobotProfile) -> Room:
    return Room(profile, np.full(6, 10.0))


def test_the_room_is_that_to_each_wall_less_what_a_path_may_bend(profile: RobotProfile) -> None:
    distances = np.array([0.1, 0.2, 0.3, 0.4, 0.5, -0.1])
    np.testing.assert_allclose(Room(profile, distances).room, distances - PATH_TOLERANCE, atol=1e-12)


@given(data=st.data())
def test_what_it_lets_through_stays_inside_and_what_stays_well_inside_is_let_through(
    profile: RobotProfile, data: st.DataObject
) -> None:
    n = len(profile.joints)
    room = np.array(data.draw(st.lists(st.floats(0.005, 0.3), min_size=6, max_size=6)))
    way = np.array(data.draw(st.lists(st.floats(-0.3, 0.3), min_size=n, max_size=n)))
    walls = Room(profile, room)
    went, passes = walls.went(way), walls.can_go(way)
    if passes:
        assert (went <= room + 1e-9).all()
    if (went < room - PATH_TOLERANCE).all():
        assert passes


@pytest.mark.parametrize("offset, passes", [(1e-6, True), (-1e-6, False)])
@pytest.mark.parametrize("wall", range(6))
def test_each_wall_stands_exactly_there(
    roomy: Room, profile: RobotProfile, wall: int, offset: float, passes: bool
) -> None:
    """The path ends just before, or just behind, the wall; the others are far away."""
    direction = np.zeros(3)
    direction[wall % 3] = -1.0 if wall < 3 else 1.0
    way = roomy.straight(direction, 0.05)
    distances = np.full(6, 10.0)
    distances[wall] = roomy.went(way)[wall] + PATH_TOLERANCE + offset
    assert Room(profile, distances).can_go(way) is passes


@pytest.mark.parametrize("wall", range(6))
def test_what_it_would_go_too_far_is_told_of_that_wall_and_a_little_more(
    roomy: Room, profile: RobotProfile, wall: int
) -> None:
    direction = np.zeros(3)
    direction[wall % 3] = -1.0 if wall < 3 else 1.0
    way = roomy.straight(direction, 0.05)
    distances = np.full(6, 10.0)
    distances[wall] = 0.02
    walls = Room(profile, distances)
    assert not walls.can_go(way)
    expected = np.zeros(6)
    expected[wall] = 1.1 * (roomy.went(way)[wall] - (0.02 - PATH_TOLERANCE))
    np.testing.assert_allclose(walls.guard.excess, expected, atol=1e-9)


class TestHowCloselyItLooks:
    """Poses along the path cost time: none are looked at where a bound suffices, else as many as it takes."""

    SHORT = 0.01

    @pytest.fixture
    def looked(self, monkeypatch: pytest.MonkeyPatch) -> list[FloatArray]:
        """Joint positions that were looked at, in order."""
        positions: list[FloatArray] = []
        pose = Kinematics.tool_pose

        def look(kinematics: Kinematics, position: FloatArray) -> ToolPose:
            positions.append(position)
            return pose(kinematics, position)

        monkeypatch.setattr(Kinematics, "tool_pose", look)
        return positions

    @pytest.mark.parametrize("offset, looks", [(1e-9, False), (-1e-9, True)])
    @pytest.mark.parametrize("wall", range(6))
    def test_not_at_all_where_tangent_and_bend_stay_inside(
        self, roomy: Room, profile: RobotProfile, looked: list[FloatArray], wall: int, offset: float, looks: bool
    ) -> None:
        direction = np.zeros(3)
        direction[wall % 3] = -1.0 if wall < 3 else 1.0
        way = roomy.straight(direction, self.SHORT)
        reach, turn = float(roomy.kinematics.tool_reach @ np.abs(way)), float(np.abs(way).sum())
        distances = np.full(6, 10.0)
        distances[wall] = self.SHORT + 0.5 * reach * turn + PATH_TOLERANCE + offset
        assert distances[wall] < reach, "the reach alone would not let it through"
        walls = Room(profile, distances)
        assert walls.can_go(way)
        assert bool(looked) is looks

    @pytest.mark.parametrize("turn", [0.01, 0.13, 0.4, 0.6, 0.7, 0.8, 0.9])
    def test_else_so_closely_that_it_cannot_bend_out_between(
        self, profile: RobotProfile, looked: list[FloatArray], turn: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A chord of a path whose second derivative is at most c is within c h² / 8 of it; c is the farthest reach,
        that of the first joint."""
        reaches = Kinematics(profile).tool_reach * [1.5, *np.ones(len(profile.joints) - 1)]
        monkeypatch.setattr(Kinematics, "tool_reach", reaches)
        walls = Room(profile, np.full(6, PATH_TOLERANCE + 1e-4))
        way = np.zeros_like(profile.home)
        way[0] = turn
        walls.can_go(way)
        count, reach = len(looked), float(walls.kinematics.tool_reach[0])
        assert reach * (turn / count) ** 2 / 8.0 <= PATH_TOLERANCE
        assert count == 1 or reach * (turn / (count - 1)) ** 2 / 8.0 > PATH_TOLERANCE
        shares = np.arange(1, count + 1) / count
        np.testing.assert_allclose(looked, profile.home + shares[:, None] * way, atol=1e-12)

    def test_but_never_at_more_than_sixteen_points(self, profile: RobotProfile, looked: list[FloatArray]) -> None:
        walls = Room(profile, np.full(6, 0.01))
        way = np.zeros_like(profile.home)
        way[0] = 2.5
        assert not walls.can_go(way)
        assert len(looked) == 16


def test_before_it_knows_where_the_tool_is_it_lets_nothing_through(roomy: Room, profile: RobotProfile) -> None:
    fresh = WorkspaceGuard(profile, roomy.kinematics)
    way = roomy.straight(np.array([1.0, 0.0, 0.0]), 0.01)
    assert not fresh.can_go(roomy.home, way, roomy.tool, roomy.jacobian)


def test_before_it_refused_anything_there_is_no_excess(roomy: Room) -> None:
    np.testing.assert_array_equal(roomy.guard.excess, np.zeros(6))


def test_a_path_that_only_swings_out_between_its_ends_is_refused(profile: RobotProfile) -> None:
    """The first joint turns the tool from one side to the other: it is farthest out in between."""
    kinematics = Kinematics(profile)
    start = profile.home.copy()
    start[0] = -0.25
    pose, jacobian = kinematics.tool_jacobian(start)
    way = np.zeros_like(start)
    way[0] = 0.5
    straight = kinematics.tool_pose(profile.home).position[0] - pose.position[0]
    assert straight > 3 * PATH_TOLERANCE
    for share, passes in ((0.5, False), (1.5, True)):
        upper = (float(pose.position[0] + PATH_TOLERANCE + share * straight), 10.0, 10.0)
        update = {"lower": (-10.0, -10.0, -10.0), "upper": upper}
        moved = profile.model_copy(update={"workspace": profile.workspace.model_copy(update=update)})
        guard = WorkspaceGuard(moved, kinematics)
        guard.place(pose.position)
        assert guard.can_go(start, way, pose.position, jacobian) is passes


@pytest.mark.parametrize("side, passes", [(1.0, False), (-1.0, True)])
def test_from_outside_it_lets_in_and_not_farther_out(profile: RobotProfile, side: float, passes: bool) -> None:
    """The tool is 5 cm beyond the +x wall."""
    outside = Room(profile, np.array([10.0, 10.0, 10.0, -0.05, 10.0, 10.0]))
    assert outside.can_go(outside.straight(np.array([side, 0.0, 0.0]), 0.02)) is passes


def test_beyond_a_wall_the_excess_counts_from_where_the_tool_is(profile: RobotProfile) -> None:
    outside = Room(profile, np.array([10.0, 10.0, 10.0, -0.05, 10.0, 10.0]))
    way = outside.straight(np.array([1.0, 0.0, 0.0]), 0.02)
    assert not outside.can_go(way)
    np.testing.assert_allclose(outside.guard.excess[3], 1.1 * outside.went(way)[3], atol=1e-9)
