"""The filter: safe commands pass unchanged, and whatever is asked for, the reference keeps every limit."""

import numpy as np
import pytest
from every_arm import EVERY_ARM
from hypothesis import given, settings
from hypothesis import strategies as st

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.filter import SafetyFilter
from reins.safety.limits import braked
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Limit, Verdict
from reins.safety.workspace import PATH_TOLERANCE

PERIOD = 0.01
SETTINGS = SafetySettings()

ROUNDING = 1e-9
"""Sums of a few thousand doubles."""


class Arm:
    """A reference that follows whatever the filter lets through, and an independent judge of it."""

    def __init__(self, profile: RobotProfile, position: FloatArray | None = None) -> None:
        self.profile = profile
        self.filter = SafetyFilter(profile, SETTINGS)
        self.kinematics = Kinematics(profile)
        self.position = (profile.home if position is None else position).copy()
        self.velocity = np.zeros(len(profile.joints))
        self.farthest_out = self.outside()

    @property
    def tool(self) -> FloatArray:
        return self.kinematics.tool_pose(self.position).position

    def jacobian(self) -> FloatArray:
        return self.kinematics.tool_jacobian(self.position)[1]

    def outside(self) -> FloatArray:
        """(6,) how far the tool is beyond each wall [m]; 0 inside."""
        workspace = self.profile.workspace
        beyond = [workspace.lower - self.tool, self.tool - np.array(workspace.upper)]
        depths: FloatArray = np.maximum(np.concatenate(beyond), 0.0)
        return depths

    def step(self, wanted: FloatArray, elapsed: float = PERIOD, scale: float = 1.0) -> Verdict:
        """The last velocity acts for `elapsed`, then `wanted` arrives; judges what comes of it."""
        self.position = self.position + self.velocity * elapsed
        verdict = self.filter.step(self.position, self.velocity, wanted, elapsed, scale)
        self.judge(verdict.velocity, elapsed)
        self.velocity = verdict.velocity
        return verdict

    def judge(self, velocity: FloatArray, elapsed: float) -> None:
        profile = self.profile
        assert np.isfinite(velocity).all()
        assert (self.position >= profile.lower).all()
        assert (self.position <= profile.upper).all()
        assert (np.abs(velocity) <= profile.velocity * (1 + ROUNDING)).all()
        assert (np.abs(velocity - self.velocity) <= profile.acceleration * elapsed + ROUNDING).all()
        assert (self.outside() <= self.farthest_out + ROUNDING).all()
        twist = self.jacobian() @ velocity
        # A motion at the limit gains as the arm stretches during a period; that is braked in the next one.
        assert np.linalg.norm(twist[:3]) <= profile.workspace.tool_speed * (1 + 1e-6)
        assert np.linalg.norm(twist[3:]) <= profile.workspace.tool_turn_rate * (1 + 1e-6)

    def run(self, wanted: FloatArray, count: int) -> Verdict:
        verdict = self.step(wanted)
        for _ in range(count - 1):
            verdict = self.step(wanted)
        return verdict

    def towards(self, direction: FloatArray, speed: float) -> FloatArray:
        """(n,) joint velocity that moves the tool that way, without turning it."""
        twist = np.append(np.asarray(direction) / np.linalg.norm(direction) * speed, np.zeros(3))
        jacobian = self.jacobian()
        velocity: FloatArray = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-6 * np.eye(6), twist)
        return velocity


@pytest.fixture
def arm(profile: RobotProfile) -> Arm:
    return Arm(profile)


def wild(n: int) -> st.SearchStrategy[FloatArray]:
    """Commands of every size, single joints at full speed among them."""
    numbers = st.one_of(st.floats(-8.0, 8.0), st.sampled_from([0.0, 1e-9, 1e3, -1e3, 1e300]))
    return st.lists(numbers, min_size=n, max_size=n).map(np.array)


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestNothingGetsPast:
    @settings(max_examples=60)
    @given(data=st.data())
    def test_any_stream_of_commands_keeps_every_limit(self, profile: RobotProfile, data: st.DataObject) -> None:
        arm = Arm(profile)
        n = len(profile.joints)
        streams = data.draw(st.lists(st.tuples(wild(n), st.integers(1, 30)), min_size=1, max_size=6))
        gaps = data.draw(st.lists(st.sampled_from([0.0, 0.002, PERIOD, PERIOD, PERIOD, 0.025, 0.06]), min_size=1))
        scale = data.draw(st.sampled_from([1.0, 1.0, 0.5, 0.1]))
        step = 0
        for wanted, count in streams:
            for _ in range(count):
                arm.step(wanted, gaps[step % len(gaps)], scale=1.0 if scale == 1.0 else scale)
                step += 1

    @settings(max_examples=30)
    @given(
        directions=st.lists(
            st.tuples(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), st.floats(0.05, 3.0)),
            min_size=1,
            max_size=5,
        )
    )
    def test_driving_the_tool_into_walls_keeps_it_inside(
        self, profile: RobotProfile, directions: list[tuple[list[float], float]]
    ) -> None:
        arm = Arm(profile)
        for direction, speed in directions:
            if np.linalg.norm(direction) < 1e-3:
                continue
            for _ in range(40):
                arm.step(arm.towards(np.array(direction), speed))

    @pytest.mark.slow
    def test_twenty_thousand_adversarial_commands(self, profile: RobotProfile) -> None:
        arm = Arm(profile)
        generator = np.random.default_rng(7)
        n = len(profile.joints)
        wanted = np.zeros(n)
        for _ in range(20_000):
            choice = generator.random()
            if choice < 0.03:
                wanted = generator.normal(size=n) * generator.choice([0.1, 1.0, 5.0])
            elif choice < 0.05:
                wanted = np.sign(generator.normal(size=n)) * profile.velocity
            elif choice < 0.07:
                wanted = arm.towards(generator.normal(size=3), generator.choice([0.05, 0.3, 1.0, 2.0]))
            elif choice < 0.08:
                wanted = -2.0 * arm.velocity
            arm.step(wanted, float(generator.choice([0.0, PERIOD, PERIOD, PERIOD, 0.02, 0.06])))


class TestSafeCommandsPassUnchanged:
    @given(shares=st.lists(st.floats(-1.0, 1.0), min_size=7, max_size=7))
    def test_gentle_motion_in_the_open(self, profile: RobotProfile, shares: list[float]) -> None:
        arm = Arm(profile)
        wanted = np.array(shares[: len(profile.joints)]) * 0.05
        for _ in range(10):
            verdict = arm.step(wanted)
            assert verdict.velocity is wanted
            assert not verdict.changed

    def test_standing_still_is_always_allowed(self, arm: Arm) -> None:
        still = np.zeros(len(arm.profile.joints))
        assert arm.step(still).velocity is still

    def test_fast_motion_that_was_ramped_up_to(self, arm: Arm) -> None:
        for speed in np.arange(0.0, 0.6, 0.05):
            wanted = np.zeros(len(arm.profile.joints))
            wanted[0] = speed
            assert arm.step(wanted).velocity is wanted


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
@pytest.mark.parametrize("offset, passes", [(-1e-6, True), (+1e-6, False)])
class TestExactlyAtTheLimit:
    """Each limit alone, just inside and just outside of it."""

    def test_acceleration(self, arm: Arm, offset: float, passes: bool) -> None:
        wanted = np.zeros(len(arm.profile.joints))
        wanted[0] = arm.profile.acceleration[0] * PERIOD * (1 + offset)
        verdict = arm.step(wanted)
        assert (not verdict.changed) is passes
        assert verdict.limits == (() if passes else (Limit.JOINT_ACCELERATION,))

    def test_joint_speed(self, arm: Arm, offset: float, passes: bool) -> None:
        joint = len(arm.profile.joints) - 1  # turns the tool about its own axis, so that only its own limit counts
        scale = 0.25
        limit = float(arm.profile.velocity[joint]) * scale
        arm.velocity[joint] = limit - 1e-3
        wanted = np.zeros(len(arm.profile.joints))
        wanted[joint] = limit * (1 + offset)
        verdict = arm.filter.step(arm.position, arm.velocity, wanted, PERIOD, scale)
        turn_is_free = limit < arm.profile.workspace.tool_turn_rate
        assert turn_is_free or Limit.TOOL_TURN_RATE in verdict.limits or passes
        assert (Limit.JOINT_SPEED not in verdict.limits) is passes

    def test_joint_position(self, arm: Arm, offset: float, passes: bool) -> None:
        joint, speed = len(arm.profile.joints) - 1, 1.0
        hold, acceleration = arm.profile.rates.stale_after, float(arm.profile.acceleration[joint])
        room = speed * (hold + speed / (2 * acceleration))
        arm.position[joint] = arm.profile.upper[joint] - SETTINGS.position_margin - room + offset
        arm.velocity[joint] = speed
        wanted = arm.velocity.copy()
        verdict = arm.filter.step(arm.position, arm.velocity, wanted, PERIOD)
        assert (not verdict.changed) is passes
        assert verdict.limits == (() if passes else (Limit.JOINT_POSITION,))

    def test_tool_speed(self, arm: Arm, offset: float, passes: bool) -> None:
        scale = 0.2
        wanted = arm.towards(np.array([0.0, 1.0, 0.0]), 1.0)
        limit = arm.profile.workspace.tool_speed * scale
        wanted *= limit / np.linalg.norm((arm.jacobian() @ wanted)[:3]) * (1 + offset)
        verdict = arm.filter.step(arm.position, wanted, wanted, PERIOD, scale)
        assert (Limit.TOOL_SPEED not in verdict.limits) is passes
        assert np.linalg.norm((arm.jacobian() @ verdict.velocity)[:3]) <= limit * (1 + ROUNDING)

    def test_tool_turn_rate(self, arm: Arm, offset: float, passes: bool) -> None:
        scale = 0.2
        jacobian = arm.jacobian()
        twist = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        wanted = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, twist)
        limit = arm.profile.workspace.tool_turn_rate * scale
        wanted *= limit / np.linalg.norm((jacobian @ wanted)[3:]) * (1 + offset)
        verdict = arm.filter.step(arm.position, wanted, wanted, PERIOD, scale)
        assert (Limit.TOOL_TURN_RATE not in verdict.limits) is passes

    def test_stopping_in_front_of_a_wall(self, arm: Arm, offset: float, passes: bool) -> None:
        """The wall stands just behind and just before the point where the tool would come to rest."""
        wanted = arm.towards(np.array([0.0, 0.0, 1.0]), 0.3)
        horizon = arm.profile.rates.stale_after + 0.5 * float(np.max(np.abs(wanted) / arm.profile.acceleration))
        rest = float(arm.kinematics.tool_pose(arm.position + wanted * horizon).position[2])
        assert (not self.up_to(arm, rest - offset, 50.0, wanted).changed) is passes

    def test_approaching_a_wall(self, arm: Arm, offset: float, passes: bool) -> None:
        """The wall is so near that the tool's own deceleration just suffices."""
        wanted = arm.towards(np.array([0.0, 0.0, 1.0]), 0.3)
        speed, deceleration = float((arm.jacobian() @ wanted)[2]), 0.5
        room = speed * (arm.profile.rates.stale_after + speed / (2 * deceleration))
        assert (not self.up_to(arm, float(arm.tool[2]) + room - offset, deceleration, wanted).changed) is passes

    def up_to(self, arm: Arm, wall: float, deceleration: float, wanted: FloatArray) -> Verdict:
        """What the filter says when a wall above stands there [m]."""
        workspace = arm.profile.workspace
        moved = workspace.model_copy(update={"upper": (*workspace.upper[:2], wall + PATH_TOLERANCE)})
        profile = arm.profile.model_copy(update={"workspace": moved})
        walled = SafetyFilter(profile, SafetySettings(tool_deceleration=deceleration))
        verdict = walled.step(arm.position, wanted, wanted, PERIOD)
        assert verdict.limits in ((), (Limit.WORKSPACE,))
        return verdict


class TestAtAWall:
    """Of the workspace, which is nearer than the table."""

    @pytest.fixture
    def arm(self, profile: RobotProfile) -> Arm:
        return Arm(profile.model_copy(update={"table": None}))

    def reach_floor(self, arm: Arm) -> None:
        for _ in range(400):
            arm.step(arm.towards(np.array([0.0, 0.0, -1.0]), 0.3))
        assert arm.tool[2] - arm.profile.workspace.lower[2] < 3e-3

    def test_pushed_straight_into_it_the_tool_stands_still(self, arm: Arm) -> None:
        """A filter that is nearest in joint space slides the tool off to the side, which nobody asked for."""
        self.reach_floor(arm)
        before = arm.tool
        for _ in range(100):
            arm.step(arm.towards(np.array([0.0, 0.0, -1.0]), 0.3))
        assert np.linalg.norm(arm.tool - before) < 1e-3

    def test_it_slides_along_instead_of_freezing(self, arm: Arm) -> None:
        self.reach_floor(arm)
        before = arm.tool
        for _ in range(60):
            arm.step(arm.towards(np.array([0.0, 1.0, -1.0]), 0.2))
        assert (arm.tool - before)[1] > 0.05

    def test_it_leaves_at_once(self, arm: Arm) -> None:
        self.reach_floor(arm)
        for _ in range(30):
            arm.step(arm.towards(np.array([0.0, 0.0, 1.0]), 0.2))
        assert arm.tool[2] - arm.profile.workspace.lower[2] > 0.03

    def test_the_reason_is_the_wall(self, arm: Arm) -> None:
        self.reach_floor(arm)
        assert arm.step(arm.towards(np.array([0.0, 0.0, -1.0]), 0.01)).limits == (Limit.WORKSPACE,)


class TestStartedOutside:
    """The arm was parked with its tool outside the workspace."""

    @pytest.fixture
    def outside(self, profile: RobotProfile) -> Arm:
        workspace = profile.workspace
        tool = Arm(profile).tool
        shifted = workspace.model_copy(update={"lower": (float(tool[0]) + 0.1, *workspace.lower[1:])})
        return Arm(profile.model_copy(update={"workspace": shifted}))

    def test_it_can_move_in(self, outside: Arm) -> None:
        for _ in range(300):
            outside.step(outside.towards(np.array([1.0, 0.0, 0.0]), 0.2))
        assert not outside.outside().any()

    def test_it_cannot_move_farther_out(self, outside: Arm) -> None:
        before = outside.tool[0]
        for _ in range(100):
            outside.step(outside.towards(np.array([-1.0, 0.0, 0.0]), 0.2))
        assert outside.tool[0] >= before - ROUNDING

    def test_it_can_move_along_the_wall(self, outside: Arm) -> None:
        before = outside.tool
        for _ in range(100):
            outside.step(outside.towards(np.array([0.0, 1.0, 0.0]), 0.2))
        assert (outside.tool - before)[1] > 0.1

    def test_nothing_moves_it_unasked(self, outside: Arm) -> None:
        assert not outside.run(np.zeros(len(outside.profile.joints)), 10).velocity.any()


class TestTooFast:
    def test_a_tool_that_is_too_fast_is_slowed_down_on_its_path(self, arm: Arm) -> None:
        wanted = arm.towards(np.array([0.0, 1.0, 0.0]), 3.0)
        velocity = arm.filter.step(arm.position, wanted / 3.0, wanted, PERIOD).velocity
        np.testing.assert_allclose(velocity, wanted / 3.0, rtol=1e-3)

    def test_a_joint_that_is_too_fast_slows_all_of_them_down(self, arm: Arm) -> None:
        wanted = arm.towards(np.array([0.0, 1.0, 0.0]), 0.2) * 1e6
        steady = wanted / np.linalg.norm((arm.jacobian() @ wanted)[:3])
        velocity = arm.filter.step(arm.position, steady, wanted, PERIOD).velocity
        np.testing.assert_allclose(velocity, steady, rtol=1e-9)

    def test_a_scale_that_drops_in_motion_brakes_within_the_limits(self, arm: Arm) -> None:
        wanted = arm.towards(np.array([0.0, 1.0, 0.0]), 0.6)
        arm.run(wanted, 20)
        scale = 0.02
        for _ in range(60):
            arm.position = arm.position + arm.velocity * PERIOD
            verdict = arm.filter.step(arm.position, arm.velocity, wanted, PERIOD, scale)
            assert (np.abs(verdict.velocity - arm.velocity) <= arm.profile.acceleration * PERIOD + ROUNDING).all()
            arm.velocity = verdict.velocity
        speed = np.linalg.norm((arm.jacobian() @ arm.velocity)[:3])
        assert speed <= arm.profile.workspace.tool_speed * scale * (1 + 1e-6)


class TestBraking:
    def test_it_ends_at_rest_in_the_shortest_time(self, arm: Arm) -> None:
        wanted = np.zeros(len(arm.profile.joints))
        wanted[0] = 0.75
        arm.run(wanted, 30)
        periods = 0
        while arm.velocity.any():
            arm.position = arm.position + arm.velocity * PERIOD
            arm.velocity = arm.filter.brake(arm.position, arm.velocity, PERIOD)
            periods += 1
        assert periods == int(np.ceil(0.75 / (arm.profile.acceleration[0] * PERIOD)))

    def test_at_rest_it_stays(self, arm: Arm) -> None:
        still = np.zeros(len(arm.profile.joints))
        assert not arm.filter.brake(arm.position, still, PERIOD).any()

    def test_where_no_velocity_is_safe_it_brakes_and_says_so(self, arm: Arm) -> None:
        """A wall appears in front of a tool that is too fast for it."""
        wanted = arm.towards(np.array([0.0, 0.0, 1.0]), 0.5)
        workspace = arm.profile.workspace
        near = workspace.model_copy(update={"upper": (*workspace.upper[:2], float(arm.tool[2]) + 0.005)})
        walled = SafetyFilter(arm.profile.model_copy(update={"workspace": near}), SETTINGS)
        verdict = walled.step(arm.position, wanted, wanted, PERIOD)
        assert Limit.NO_SAFE_MOTION in verdict.limits
        assert np.linalg.norm(verdict.velocity) < np.linalg.norm(wanted)
        assert (np.abs(verdict.velocity - wanted) <= arm.profile.acceleration * PERIOD + ROUNDING).all()


class TestWithoutACertificate:
    """What is tried, in order, when the arm could not stop after an answer."""

    @pytest.fixture
    def moving(self, arm: Arm) -> Arm:
        arm.velocity = arm.towards(np.array([0.0, 1.0, 0.0]), 0.2)
        return arm

    def refuse(self, arm: Arm, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        """The arm cannot stop, so many times."""
        verdicts = iter([False] * times)
        monkeypatch.setattr(arm.filter._guard, "can_go", lambda *_: next(verdicts, True))

    @pytest.mark.parametrize("refusals", range(8))
    def test_the_next_thing_is_tried(self, moving: Arm, monkeypatch: pytest.MonkeyPatch, refusals: int) -> None:
        """As asked for; the QP's answer; three times with the walls moved in; three times shortened; braking."""
        self.refuse(moving, monkeypatch, refusals)
        wanted = moving.velocity.copy()
        verdict = moving.filter.step(moving.position, moving.velocity, wanted, PERIOD)
        brake = braked(moving.velocity, moving.profile.acceleration, PERIOD)
        shares = {5: 0.5, 6: 0.25, 7: 0.1}
        expected = brake + shares.get(refusals, 1.0) * (wanted - brake)
        np.testing.assert_allclose(verdict.velocity, expected, atol=1e-6)
        assert verdict.limits == (() if refusals == 0 else (Limit.WORKSPACE,))

    def test_at_last_it_brakes(self, moving: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refuse(moving, monkeypatch, 8)
        verdict = moving.filter.step(moving.position, moving.velocity, moving.velocity.copy(), PERIOD)
        np.testing.assert_allclose(verdict.velocity, braked(moving.velocity, moving.profile.acceleration, PERIOD))
        assert verdict.limits == (Limit.WORKSPACE, Limit.NO_SAFE_MOTION)

    def test_walls_that_leave_no_answer_shorten_the_last_one(
        self, moving: Arm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.refuse(moving, monkeypatch, 2)
        answers = iter([moving.velocity.copy(), None])
        monkeypatch.setattr(moving.filter._nearest, "solve", lambda *_: next(answers))
        verdict = moving.filter.step(moving.position, moving.velocity, moving.velocity.copy(), PERIOD)
        brake = braked(moving.velocity, moving.profile.acceleration, PERIOD)
        np.testing.assert_allclose(verdict.velocity, 0.5 * (brake + moving.velocity))
