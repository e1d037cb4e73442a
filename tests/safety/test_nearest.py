"""The QP of the filter, and where it has no answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety import nearest
from reins.safety.nearest import Bounds, NearestVelocity, SpeedLimit
from reins.safety.verdict import Limit

APPROACHES = 2


def bounds(
    jacobian: FloatArray, joint: float = 1.0, wall: float = 1.0, tool_speed: float = 0.5, turn_rate: float = 1.0
) -> Bounds:
    n = jacobian.shape[1]
    fastest = np.append(np.full(2 * n, joint), np.full(6, wall))
    tool = SpeedLimit(Limit.TOOL_SPEED, jacobian[:3], tool_speed)
    turn = SpeedLimit(Limit.TOOL_TURN_RATE, jacobian[3:], turn_rate)
    return Bounds(fastest, (tool, turn), np.zeros((APPROACHES, n)), np.full(APPROACHES, np.inf))


class Told:
    """Stands in for the solver: whatever it is asked, it is sure of one answer.

    Attributes:
        asked: how often.
        rows, high: what it was told last.
    """

    def __init__(self, answer: FloatArray) -> None:
        self.answer, self.asked = answer, 0
        self.rows, self.high = np.zeros((0, 0)), np.zeros(0)

    def update(self, A: FloatArray, bupper: FloatArray, **_: object) -> None:
        self.rows, self.high = A.copy(), bupper.copy()

    def solve(self) -> tuple[FloatArray, float, int, None]:
        self.asked += 1
        return self.answer, 0.0, 1, None


@pytest.fixture
def jacobian(profile: RobotProfile) -> FloatArray:
    return Kinematics(profile).tool_jacobian(profile.home)[1]


def test_what_keeps_the_bounds_is_its_own_nearest(jacobian: FloatArray) -> None:
    n = jacobian.shape[1]
    wanted = np.full(n, 0.02)
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, bounds(jacobian))
    assert answer is not None
    np.testing.assert_allclose(answer, wanted, atol=1e-9)


@given(numbers=st.lists(st.floats(-3.0, 3.0), min_size=7, max_size=7))
def test_the_answer_keeps_every_bound(profile: RobotProfile, numbers: list[float]) -> None:
    jacobian = Kinematics(profile).tool_jacobian(profile.home)[1]
    n = jacobian.shape[1]
    box = bounds(jacobian, joint=0.8, wall=0.1, tool_speed=0.12, turn_rate=0.4)
    answer = NearestVelocity(n, APPROACHES).solve(np.array(numbers[:n]), jacobian, box)
    if answer is None:
        return
    twist = jacobian @ answer
    assert (np.abs(answer) <= 0.8).all()
    assert (np.abs(twist[:3]) <= 0.1 + 1e-6).all()
    assert np.linalg.norm(twist[:3]) <= 0.12
    assert np.linalg.norm(twist[3:]) <= 0.4


@pytest.mark.parametrize("wall, way", [(-1, 0.2), (-4, -0.2)])
def test_what_it_changes_least_is_the_tools_motion(jacobian: FloatArray, wall: int, way: float) -> None:
    """A wall stops one direction; the other directions and the orientation stay as they were asked for."""
    n = jacobian.shape[1]
    twist = np.array([0.1, 0.1, way, 0.0, 0.0, 0.0])
    wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, twist)
    box = bounds(jacobian, joint=3.0)
    box.fastest[wall] = 0.0
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    np.testing.assert_allclose(jacobian @ answer, [0.1, 0.1, 0.0, 0.0, 0.0, 0.0], atol=5e-3)


@pytest.mark.parametrize("seed", range(5))
def test_near_is_meant_for_the_tool_its_turn_counts_by_a_lever_and_the_joints_hardly(
    jacobian: FloatArray, seed: int
) -> None:
    """One limit that asks a little of everything: it is met where the cost, written out here, is least."""
    generator = np.random.default_rng(seed)
    n = jacobian.shape[1]
    wanted: FloatArray = generator.normal(scale=0.1, size=(n,))
    row: FloatArray = generator.normal(size=(n,))
    box = bounds(jacobian)
    box.approach[0], box.closing[0] = row, row @ wanted - 0.02
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    weights = np.diag([1.0, 1.0, 1.0, 0.3**2, 0.3**2, 0.3**2])
    cost = jacobian.T @ weights @ jacobian + 1e-4 * np.eye(n)
    way = np.linalg.solve(cost, row)
    assert answer is not None
    np.testing.assert_allclose(answer, wanted - way * 0.02 / (row @ way), atol=1e-7)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_at_either_end_of_a_joints_interval_the_others_make_up_for_it(jacobian: FloatArray, sign: float) -> None:
    n, joint = jacobian.shape[1], 1
    wanted: FloatArray = np.random.default_rng(7).normal(scale=0.05, size=(n,))
    wanted[joint] = sign * 0.1
    box = bounds(jacobian)
    box.fastest[joint + (n if sign > 0.0 else 0)] = 0.08
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    cost = jacobian.T @ np.diag([1.0, 1.0, 1.0, 0.09, 0.09, 0.09]) @ jacobian + 1e-4 * np.eye(n)
    way = np.linalg.solve(cost, np.eye(n)[joint])
    assert answer is not None
    np.testing.assert_allclose(answer, wanted - sign * 0.02 * way / way[joint], atol=1e-7)


def test_too_fast_beside_something_it_keeps_both(jacobian: FloatArray) -> None:
    """One row against the speed does not suffice, and none takes the place of the last approach."""
    n = jacobian.shape[1]
    twist = np.array([0.2, 0.2, 0.0, 0.0, 0.0, 0.0])
    wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, twist)
    box = bounds(jacobian, joint=3.0, tool_speed=0.1)
    box.approach[-1], box.closing[-1] = jacobian[0], 0.03
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    went = (jacobian @ answer)[:3]
    assert np.linalg.norm(went) <= 0.1
    assert went[0] <= 0.03 + 1e-5
    np.testing.assert_allclose(went, [0.03, (0.1**2 - 0.03**2) ** 0.5, 0.0], atol=2e-3)


def test_what_may_not_move_at_all_stands_and_the_rest_moves(jacobian: FloatArray) -> None:
    """The lowest velocity allowed is the highest, too: of one joint, and of the tool in one direction."""
    n = jacobian.shape[1]
    wanted = np.full(n, 0.05)
    box = bounds(jacobian)
    box.fastest[0] = box.fastest[n] = 0.0
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    assert answer[0] == 0.0 and np.abs(answer).max() > 0.01
    box = bounds(jacobian)
    box.fastest[-1] = box.fastest[-4] = 0.0
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    assert (jacobian @ answer)[2] == pytest.approx(0.0, abs=1e-6) and np.abs(answer).max() > 0.01


def test_an_approach_is_held_to_its_speed_and_slides(jacobian: FloatArray) -> None:
    n = jacobian.shape[1]
    twist = np.array([0.1, 0.1, 0.0, 0.0, 0.0, 0.0])
    wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, twist)
    box = bounds(jacobian, joint=3.0)
    box.approach[1], box.closing[1] = jacobian[0], 0.03
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    np.testing.assert_allclose(jacobian @ answer, [0.03, 0.1, 0.0, 0.0, 0.0, 0.0], atol=5e-3)


@pytest.mark.parametrize(
    "up, down",
    [
        (-5.0, 9.0),  # down, faster than the joints can
        (-0.1, -0.1),  # down and up
        (np.nan, 1.0),
    ],
)
def test_without_a_solution_there_is_none(jacobian: FloatArray, up: float, down: float) -> None:
    n = jacobian.shape[1]
    box = bounds(jacobian)
    box.fastest[-1], box.fastest[-4] = up, down
    assert NearestVelocity(n, APPROACHES).solve(np.zeros(n), jacobian, box) is None


def test_joints_without_a_way_out_have_no_solution(jacobian: FloatArray) -> None:
    n = jacobian.shape[1]
    box = bounds(jacobian)
    box.fastest[0] = box.fastest[n] = -0.1
    assert NearestVelocity(n, APPROACHES).solve(np.zeros(n), jacobian, box) is None


def test_an_answer_of_the_solver_that_is_wrong_is_none(jacobian: FloatArray, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at again, however sure the solver is."""
    n = jacobian.shape[1]
    solver = NearestVelocity(n, APPROACHES)

    answer = np.linalg.pinv(jacobian) @ np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
    monkeypatch.setattr(solver, "_solver", Told(answer))
    box = bounds(jacobian)
    assert solver.solve(np.zeros(n), jacobian, box) is not None
    box.fastest[-1] = 0.1
    assert solver.solve(np.zeros(n), jacobian, box) is None


class TestHowClosely:
    """An answer is looked at again on both sides of each edge; the tool moves as the first six joints do here."""

    N = 7
    JACOBIAN = np.eye(6, N)
    ACCURACY = 1e-5

    def ask(self, answer: FloatArray, box: Bounds, monkeypatch: pytest.MonkeyPatch) -> FloatArray | None:
        solver = NearestVelocity(self.N, APPROACHES)
        monkeypatch.setattr(solver, "_solver", Told(answer))
        return solver.solve(np.zeros(self.N), self.JACOBIAN, box)

    @pytest.mark.parametrize("past", [False, True])
    @pytest.mark.parametrize("wall", range(6))
    def test_a_wall(self, monkeypatch: pytest.MonkeyPatch, wall: int, past: bool) -> None:
        box = bounds(self.JACOBIAN)
        box.fastest[2 * self.N + wall] = 0.1
        speed = 0.1 + self.ACCURACY
        speed = np.nextafter(speed, 1.0) if past else speed
        answer = np.zeros(self.N)
        answer[wall % 3] = -speed if wall < 3 else speed
        assert (self.ask(answer, box, monkeypatch) is None) is past

    @pytest.mark.parametrize("past", [False, True])
    def test_an_approach(self, monkeypatch: pytest.MonkeyPatch, past: bool) -> None:
        box = bounds(self.JACOBIAN)
        box.approach[1, 6], box.closing[1] = 1.0, 0.1
        answer = np.zeros(self.N)
        answer[6] = 0.1 + self.ACCURACY
        answer[6] = np.nextafter(answer[6], 1.0) if past else answer[6]
        assert (self.ask(answer, box, monkeypatch) is None) is past

    @pytest.mark.parametrize("past", [False, True])
    @pytest.mark.parametrize("turns", [False, True])
    def test_a_speed(self, monkeypatch: pytest.MonkeyPatch, turns: bool, past: bool) -> None:
        box = bounds(self.JACOBIAN, tool_speed=0.5, turn_rate=0.5)
        answer = np.zeros(self.N)
        answer[4 if turns else 1] = np.nextafter(0.5, 1.0) if past else 0.5
        given = self.ask(answer, box, monkeypatch)
        assert (given is None) is past

    def test_a_joint_is_held_to_its_interval_exactly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = np.zeros(self.N)
        answer[6], answer[5] = 0.3 + 1e-9, -0.3 - 1e-9
        given = self.ask(answer, bounds(self.JACOBIAN, joint=0.3), monkeypatch)
        assert given is not None
        assert (given[6], given[5]) == (0.3, -0.3)

    def test_too_fast_it_adds_a_row_each_time_while_there_is_room_and_then_gives_up(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        solver, told = NearestVelocity(self.N, APPROACHES), Told(np.array([0.3, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0]))
        monkeypatch.setattr(solver, "_solver", told)
        assert solver.solve(np.zeros(self.N), self.JACOBIAN, bounds(self.JACOBIAN, tool_speed=0.2)) is None
        assert told.asked == nearest._CUTS + 1
        np.testing.assert_allclose(told.rows[-nearest._CUTS :], [[0.6, 0.8, 0, 0, 0, 0, 0]] * nearest._CUTS)
        np.testing.assert_allclose(told.high[-nearest._CUTS :], 0.2 * 0.998)


@pytest.mark.parametrize("speed, share", [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 1.5)])
def test_the_share_of_a_speed_limit(speed: float, share: float) -> None:
    limit = SpeedLimit(Limit.TOOL_SPEED, np.eye(3, 7), 0.5)
    velocity = speed * np.array([0.0, 0.6, -0.8, 0.0, 9.0, 9.0, 9.0])
    assert limit.share(velocity) == pytest.approx(share)


def test_an_answer_that_stays_too_fast_is_none(jacobian: FloatArray, monkeypatch: pytest.MonkeyPatch) -> None:
    n = jacobian.shape[1]
    monkeypatch.setattr(nearest, "_CUTS", 0)
    solver = NearestVelocity(n, APPROACHES)
    assert solver.solve(np.full(n, 3.0), jacobian, bounds(jacobian, joint=3.0, wall=9.0)) is None


def test_one_problem_leaves_nothing_behind_for_the_next(jacobian: FloatArray) -> None:
    n = jacobian.shape[1]
    solver, wanted = NearestVelocity(n, APPROACHES), np.full(n, 0.5)
    alone = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, bounds(jacobian, tool_speed=0.3))
    impossible = bounds(jacobian)
    impossible.fastest[-1] = impossible.fastest[-4] = -0.1
    solver.solve(wanted, jacobian, bounds(jacobian, tool_speed=0.05))
    solver.solve(wanted, jacobian, impossible)
    again = solver.solve(wanted, jacobian, bounds(jacobian, tool_speed=0.3))
    assert alone is not None and again is not None
    np.testing.assert_allclose(again, alone, atol=1e-6)
