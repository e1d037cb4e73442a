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


def test_what_it_changes_least_is_the_tools_motion(jacobian: FloatArray) -> None:
    """A wall stops one direction; the other directions and the orientation stay as they were asked for."""
    n = jacobian.shape[1]
    twist = np.array([0.1, 0.1, 0.2, 0.0, 0.0, 0.0])
    wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, twist)
    box = bounds(jacobian, joint=3.0)
    box.fastest[-1] = 0.0
    answer = NearestVelocity(n, APPROACHES).solve(wanted, jacobian, box)
    assert answer is not None
    np.testing.assert_allclose(jacobian @ answer, [0.1, 0.1, 0.0, 0.0, 0.0, 0.0], atol=5e-3)


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

    class Liar:
        def update(self, **_: object) -> None: ...

        def solve(self) -> tuple[FloatArray, float, int, None]:
            return np.linalg.pinv(jacobian) @ np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0]), 0.0, 1, None

    monkeypatch.setattr(solver, "_solver", Liar())
    box = bounds(jacobian)
    assert solver.solve(np.zeros(n), jacobian, box) is not None
    box.fastest[-1] = 0.1
    assert solver.solve(np.zeros(n), jacobian, box) is None


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
