"""The arm keeps off itself, the table, fixtures, keep-outs and what it holds, by distances measured independently."""

import coal
import numpy as np
import pinocchio as pin
import pytest
from every_arm import EVERY_ARM
from hypothesis import given, settings
from hypothesis import strategies as st

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import Fixture, RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Box, Kind
from reins.safety.collision import ROWS, TOLERANCE, CollisionGuard
from reins.safety.filter import SafetyFilter
from reins.safety.limits import stopping_speed
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Limit, Verdict

PERIOD = 0.01
SETTINGS = SafetySettings()

ACCURACY = 2e-6
"""Of a distance between hulls [m]."""

PLANE = 5e-5
"""Of a plane between them [m]: coal's normals are not exact."""


class Judge:
    """Distances by coal's plain calls, pair by pair, with kinematics of its own."""

    def __init__(self, profile: RobotProfile, keep_outs: tuple[Box, ...] = (), held: Box | None = None) -> None:
        self.profile, self.keep_outs, self.held = profile, keep_outs, held
        self.kinematics = Kinematics(profile)
        self.links = [(link, link.to_coal()) for link in link_shapes(profile)]

    def frame(self, joint: int) -> pin.SE3:
        return pin.SE3.Identity() if joint == 0 else self.kinematics.data.oMi[joint]

    def move(self, position: FloatArray) -> None:
        pin.forwardKinematics(self.kinematics.model, self.kinematics.data, position)

    def between(self, position: FloatArray, first: str, second: str) -> float:
        self.move(position)
        named = {link.name: (link, shape) for link, shape in self.links}
        (a, shape_a), (b, shape_b) = named[first], named[second]
        return distance(shape_a, self.frame(a.joint), shape_b, self.frame(b.joint))

    def itself(self, position: FloatArray) -> float:
        """Smallest distance between links that no single joint connects [m]."""
        self.move(position)
        return min(
            distance(shape_a, self.frame(a.joint), shape_b, self.frame(b.joint))
            for a, shape_a in self.links
            for b, shape_b in self.links
            if b.joint - a.joint > 1
        )

    def table(self, position: FloatArray) -> float:
        """Height of the lowest corner of a moving link above the table [m]."""
        self.move(position)
        assert self.profile.table is not None
        heights = [
            float((link.corners @ self.frame(link.joint).rotation.T + self.frame(link.joint).translation)[:, 2].min())
            for link, _ in self.links
            if link.joint
        ]
        return min(heights) - self.profile.table

    def to_box(self, position: FloatArray, box: Box) -> float:
        """Smallest distance of a moving link, or of what is held, to a box [m]."""
        self.move(position)
        where = pin.SE3(box.rotation, box.centre)
        cube = coal.Box(*box.size.tolist())
        distances = [distance(cube, where, shape, self.frame(link.joint)) for link, shape in self.links if link.joint]
        if self.held is not None:
            tool = self.kinematics.tool_pose(position)
            there = pin.SE3(tool.rotation, tool.position) * pin.SE3(self.held.rotation, self.held.centre)
            distances.append(distance(cube, where, coal.Box(*self.held.size.tolist()), there))
        return min(distances)

    def held_height(self, position: FloatArray) -> float:
        """Height of the lowest corner of what is held above the base [m]."""
        assert self.held is not None
        tool = self.kinematics.tool_pose(position)
        return float((self.held.corners @ tool.rotation.T + tool.position)[:, 2].min())


def distance(a: coal.CollisionGeometry, at: pin.SE3, b: coal.CollisionGeometry, bt: pin.SE3) -> float:
    result = coal.DistanceResult()
    places = [coal.Transform3s(place.rotation, place.translation) for place in (at, bt)]
    return float(coal.distance(a, places[0], b, places[1], coal.DistanceRequest(), result))


class Arm:
    """A reference that follows whatever the filter lets through."""

    def __init__(
        self,
        profile: RobotProfile,
        keep_outs: tuple[Box, ...] = (),
        held: Box | None = None,
        position: FloatArray | None = None,
    ) -> None:
        self.profile = profile
        self.judge = Judge(profile, keep_outs, held)
        self.filter = SafetyFilter(profile, SETTINGS)
        self.filter.surround(keep_outs, held)
        self.position = (profile.home if position is None else position).copy()
        self.velocity = np.zeros(len(profile.joints))

    def step(self, wanted: FloatArray) -> Verdict:
        self.position = self.position + self.velocity * PERIOD
        verdict = self.filter.step(self.position, self.velocity, wanted, PERIOD)
        self.velocity = verdict.velocity
        return verdict

    @property
    def tool(self) -> FloatArray:
        return self.judge.kinematics.tool_pose(self.position).position

    def towards(self, point: FloatArray, speed: float, turn: tuple[float, float, float] = (0, 0, 0)) -> FloatArray:
        """(n,) joint velocity that moves the tool to a point at a speed."""
        pose, jacobian = self.judge.kinematics.tool_jacobian(self.position)
        way = point - pose.position
        twist = np.append(way / max(float(np.linalg.norm(way)), 0.02) * speed, turn)
        velocity: FloatArray = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-3 * np.eye(6), twist)
        return velocity


@pytest.fixture(scope="module")
def roomy(profile: RobotProfile) -> RobotProfile:
    """In a workspace that is no help: the distances have to keep the arm safe."""
    lower, upper = (-2.0, -2.0, -2.0), (2.0, 2.0, 2.0)
    return profile.model_copy(
        update={"workspace": profile.workspace.model_copy(update={"lower": lower, "upper": upper})}
    )


def block(x: float, y: float, z: float = 0.02, size: float = 0.04, name: str = "yellow_block") -> Box:
    return Box(name, np.array([x, y, z]), np.eye(3), np.full(3, size))


def poses(profile: RobotProfile) -> st.SearchStrategy[FloatArray]:
    n = len(profile.joints)
    shares = st.lists(st.floats(0.0, 1.0), min_size=n, max_size=n)
    return shares.map(lambda share: profile.lower + np.array(share) * (profile.upper - profile.lower))


def ways(profile: RobotProfile, longest: float) -> st.SearchStrategy[FloatArray]:
    n = len(profile.joints)
    return st.lists(st.floats(-longest, longest), min_size=n, max_size=n).map(np.array)


def smallest_by_pair(guard: CollisionGuard, position: FloatArray) -> FloatArray:
    """(p,) every pair's distance [m], all measured."""
    guard._kinematics.tool_jacobian(position)
    guard.place(position)
    guard._distances.measure(np.arange(len(guard._distances.pairs)))
    return guard._distances.lower.copy()


BOXES = (block(0.45, 0.1, 0.1, 0.1), block(0.3, -0.2, 0.4, 0.2, "crate"))


@pytest.fixture(scope="module")
def guard(profile: RobotProfile) -> CollisionGuard:
    made = CollisionGuard(profile, SETTINGS, Kinematics(profile))
    made.surround(BOXES, None)
    return made


class TestDistances:
    @given(data=st.data())
    def test_lower_bounds_stay_below_the_distances_wherever_the_arm_goes(
        self, guard: CollisionGuard, profile: RobotProfile, data: st.DataObject
    ) -> None:
        position = data.draw(poses(profile))
        smallest_by_pair(guard, position)
        for way in data.draw(st.lists(ways(profile, 0.3), min_size=1, max_size=4)):
            position = position + way
            guard._kinematics.tool_jacobian(position)
            guard.place(position)
        bounds = guard._distances.lower.copy()
        assert (bounds <= smallest_by_pair(guard, position) + ACCURACY).all()

    @given(data=st.data())
    def test_nothing_approaches_faster_than_it_is_said_to(
        self, guard: CollisionGuard, profile: RobotProfile, data: st.DataObject
    ) -> None:
        position, velocity = data.draw(poses(profile)), data.draw(ways(profile, 2.0))
        before, time = smallest_by_pair(guard, position), 0.1
        approach, normals = guard._approach, guard._distances.normals(np.arange(len(before)))
        approach.move(velocity, guard._kinematics.joint_jacobians)
        farthest, curved = approach.bends(velocity * time, np.arange(len(before)))
        assert (curved <= approach.largest_bend(velocity * time) * (1 + 1e-9)).all()
        speeds, closing = approach.speeds(), approach.closing(np.arange(len(before)), normals)
        after = smallest_by_pair(guard, position + velocity * time)
        closer = before - after
        assert (closer <= farthest + ACCURACY).all()
        assert (closer <= speeds * time + 0.5 * curved + ACCURACY).all()
        apart = before > 0.0  # a plane stands between them
        assert (closer <= np.maximum(closing, 0.0) * time + 0.5 * curved + PLANE)[apart].all()
        assert (closing <= speeds + ACCURACY).all()

    @given(data=st.data())
    def test_a_path_that_is_proven_has_no_point_that_is_too_close(
        self, guard: CollisionGuard, profile: RobotProfile, data: st.DataObject
    ) -> None:
        position, way = data.draw(poses(profile)), data.draw(ways(profile, 0.4))
        start = smallest_by_pair(guard, position)
        clearance = guard._clearance
        clearance.along(position, way)
        curved = guard._approach.bends(way, np.arange(len(start)))[1]
        proven = [number for number in range(len(start)) if clearance.overlap(number, curved[number]) == 0.0]
        floors = np.minimum(guard._distances.margin, start)
        for share in np.linspace(0.0, 1.0, 41):
            here = smallest_by_pair(guard, position + share * way)
            outside = start >= guard._distances.margin
            slack = np.where(outside, ACCURACY, np.inf)  # what starts inside its margin is proven at points only
            assert (here[proven] >= (floors - slack)[proven]).all()

    def test_a_short_path_in_the_open_is_proven_for_every_pair(
        self, guard: CollisionGuard, profile: RobotProfile
    ) -> None:
        smallest_by_pair(guard, profile.home)
        way = np.full(len(profile.joints), 0.01)
        every = np.arange(len(guard._distances.pairs))
        guard._clearance.along(profile.home, way)
        curved = guard._approach.bends(way, every)[1]
        assert all(guard._clearance.overlap(number, curved[number]) == 0.0 for number in every.tolist())

    def test_links_are_the_ones_that_a_joint_does_not_connect(self, guard: CollisionGuard) -> None:
        bodies = guard._distances.bodies
        for pair in guard._distances.pairs:
            first, second = bodies[pair.first], bodies[pair.second]
            assert second.kind is Kind.LINK and second.joint >= 1
            assert first.kind is not Kind.LINK or second.joint - first.joint >= 2


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestNothingGetsPast:
    @settings(max_examples=25)
    @given(data=st.data())
    def test_any_stream_of_commands_keeps_every_distance(self, roomy: RobotProfile, data: st.DataObject) -> None:
        boxes = (block(0.5, 0.0), block(0.4, 0.3, 0.3, 0.1, "crate"))
        arm = Arm(roomy, boxes)
        n = len(roomy.joints)
        for _ in range(data.draw(st.integers(1, 4))):
            wanted = data.draw(st.lists(st.floats(-4.0, 4.0), min_size=n, max_size=n).map(np.array))
            for _ in range(25):
                arm.step(wanted)
                check(arm, boxes)

    @pytest.mark.parametrize("seed", range(6))
    def test_driven_at_what_it_must_not_touch_it_keeps_off(self, roomy: RobotProfile, seed: int) -> None:
        generator = np.random.default_rng(seed)
        boxes = (block(0.5, 0.0), block(0.4, 0.3, 0.3, 0.1, "crate"), block(0.45, -0.2, 0.1, 0.2, "box"))
        arm = Arm(roomy, boxes)
        targets = [box.centre for box in boxes] + [np.array([0.4, 0.1, -0.2]), np.zeros(3), np.array([0.0, 0.0, 0.4])]
        for _ in range(8):
            target = targets[int(generator.integers(len(targets)))]
            turn = tuple(generator.normal(size=3))
            for _ in range(40):
                arm.step(arm.towards(target, 0.8, turn))
                check(arm, boxes)


def check(arm: Arm, boxes: tuple[Box, ...]) -> None:
    assert arm.judge.itself(arm.position) >= SETTINGS.self_margin - ACCURACY
    assert arm.judge.table(arm.position) >= SETTINGS.table_margin - ACCURACY
    for box in boxes:
        assert arm.judge.to_box(arm.position, box) >= SETTINGS.keep_out_margin - ACCURACY


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestTable:
    def test_a_tilted_hand_stops_above_the_table(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy)
        for _ in range(150):
            arm.step(arm.towards(arm.tool, 0.0, (0.0, 0.8, 0.0)))  # tilt
        for _ in range(300):
            verdict = arm.step(arm.towards(np.array([0.5, 0.0, -0.3]), 0.3))
            assert arm.judge.table(arm.position) >= SETTINGS.table_margin - ACCURACY
        assert Limit.TABLE in verdict.limits
        assert arm.judge.table(arm.position) <= SETTINGS.table_margin + 3 * TOLERANCE

    def test_it_slides_along_the_table(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy)
        for _ in range(250):
            arm.step(arm.towards(np.array([0.45, 0.0, -0.05]), 0.3))
        before = arm.tool
        for _ in range(60):
            arm.step(arm.towards(arm.tool + np.array([0.0, 0.3, -0.3]), 0.3))
        assert (arm.tool - before)[1] > 0.05

    def test_without_a_table_there_is_none(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy.model_copy(update={"table": None}))
        for _ in range(250):
            arm.step(arm.towards(np.array([0.45, 0.0, -0.1]), 0.3))
        assert arm.tool[2] < -0.05


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
def test_a_fixture_of_the_profile_is_kept_off(roomy: RobotProfile) -> None:
    wall = Fixture(name="wall", centre=(0.5, 0.47, 0.3), size=(1.0, 0.1, 0.6), rpy=(0.0, 0.0, 0.2))
    arm = Arm(roomy.model_copy(update={"fixtures": (wall,)}))
    box = Box("wall", np.array(wall.centre), pin.rpy.rpyToMatrix(*wall.rpy), np.array(wall.size))
    limits: set[Limit] = set()
    for _ in range(200):
        limits |= set(arm.step(arm.towards(np.array([0.5, 0.7, 0.3]), 0.5)).limits)
        assert arm.judge.to_box(arm.position, box) >= SETTINGS.table_margin - ACCURACY
    assert Limit.FIXTURE in limits


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
def test_links_fold_up_to_their_margin(roomy: RobotProfile) -> None:
    """The tool is driven into the shoulder."""
    arm = Arm(roomy)
    arm.judge.kinematics.tool_pose(arm.position)
    shoulder = arm.judge.kinematics.data.oMi[2].translation.copy()
    limits: set[Limit] = set()
    for _ in range(400):
        limits |= set(arm.step(arm.towards(shoulder, 0.4)).limits)
        assert arm.judge.itself(arm.position) >= SETTINGS.self_margin - ACCURACY
    assert Limit.SELF_COLLISION in limits


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestKeepOut:
    def test_it_can_come_as_close_as_the_margin(self, roomy: RobotProfile) -> None:
        box = block(0.5, 0.0, 0.1, 0.1)
        arm = Arm(roomy, (box,))
        for _ in range(300):
            verdict = arm.step(arm.towards(box.centre, 0.2))
        assert Limit.KEEP_OUT in verdict.limits
        assert SETTINGS.keep_out_margin - ACCURACY <= arm.judge.to_box(arm.position, box)
        assert arm.judge.to_box(arm.position, box) <= SETTINGS.keep_out_margin + 2 * TOLERANCE

    def test_it_slides_around_it(self, roomy: RobotProfile) -> None:
        box = block(0.5, 0.0, 0.1, 0.1)
        arm = Arm(roomy, (box,))
        for _ in range(200):
            arm.step(arm.towards(box.centre, 0.2))
        before = arm.tool
        for _ in range(100):
            arm.step(arm.towards(arm.tool + np.array([0.0, 0.3, -0.3]), 0.3))
        assert (arm.tool - before)[1] > 0.1

    def test_one_that_is_set_around_the_arm_lets_it_out_and_never_deeper_in(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy)
        box = Box("here", arm.tool + np.array([0.0, 0.0, -0.05]), np.eye(3), np.full(3, 0.15))
        arm.filter.surround((box,), None)
        depth = arm.judge.to_box(arm.position, box)
        assert depth < 0.0
        for _ in range(50):
            arm.step(arm.towards(box.centre - [0.0, 0.0, 0.3], 0.2))
        assert arm.judge.to_box(arm.position, box) >= depth - 1e-4
        for _ in range(150):
            arm.step(arm.towards(arm.tool + np.array([0.0, 0.0, 0.3]), 0.3))
        assert arm.judge.to_box(arm.position, box) > SETTINGS.keep_out_margin

    def test_one_that_moves_is_kept_away_from_where_it_is(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy, (block(0.5, 0.35),))
        there = block(0.5, 0.0, 0.1, 0.1)
        for _ in range(10):
            arm.step(arm.towards(there.centre, 0.1))
        arm.filter.surround((Box("yellow_block", there.centre, np.eye(3), np.full(3, 0.04)),), None)
        moved = Box("yellow_block", there.centre, np.eye(3), np.full(3, 0.04))
        for _ in range(300):
            arm.step(arm.towards(there.centre, 0.3))
            assert arm.judge.to_box(arm.position, moved) >= SETTINGS.keep_out_margin - ACCURACY

    def test_one_that_is_dropped_is_no_limit_any_more(self, roomy: RobotProfile) -> None:
        box = block(0.5, 0.0, 0.1, 0.1)
        arm = Arm(roomy, (box,))
        arm.filter.surround((), None)
        for _ in range(300):
            arm.step(arm.towards(box.centre, 0.2))
        assert arm.judge.to_box(arm.position, box) < 0.0

    @pytest.mark.parametrize("offset, passes", [(-1e-5, True), (+1e-5, False)])
    def test_the_speed_of_an_approach_is_exact(self, roomy: RobotProfile, offset: float, passes: bool) -> None:
        """The box is so near that the deceleration just suffices, or just does not."""
        arm = Arm(roomy.model_copy(update={"table": None}))
        jacobian = arm.judge.kinematics.tool_jacobian(arm.position)[1]
        down = np.linalg.pinv(jacobian) @ np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
        below = Box("plate", arm.tool - [0.0, 0.0, 0.08], np.eye(3), np.array([0.2, 0.2, 0.1]))
        room = arm.judge.to_box(arm.position, below) - SETTINGS.keep_out_margin - TOLERANCE
        deceleration, hold = np.array([SETTINGS.tool_deceleration]), roomy.rates.stale_after
        wanted = down * float(stopping_speed(np.array([room]), deceleration, hold)[0]) * (1 + offset)
        arm.filter.surround((below,), None)
        verdict = arm.filter.step(arm.position, wanted, wanted, PERIOD)
        assert (Limit.KEEP_OUT not in verdict.limits) is passes


@pytest.mark.parametrize("profile", EVERY_ARM, indirect=True)
class TestHeldObject:
    """A block in the hand, 4 cm wide, its middle at the tool."""

    HELD = Box("red_block", np.zeros(3), np.eye(3), np.full(3, 0.04))

    def lowered(self, profile: RobotProfile) -> FloatArray:
        """The arm where it takes a block off the table: its tool 2 cm above it."""
        arm = Arm(profile)
        for _ in range(300):
            arm.step(arm.towards(np.array([arm.tool[0], 0.0, 0.02]), 0.2))
        return arm.position

    def test_lifted_off_the_table_and_put_down_again(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy, (), self.HELD, self.lowered(roomy))
        height = arm.tool[2]
        for _ in range(60):
            arm.step(arm.towards(arm.tool + np.array([0.0, 0.0, 0.3]), 0.2))
        assert arm.tool[2] > height + 0.08
        for _ in range(300):
            arm.step(arm.towards(np.array([arm.tool[0], 0.0, height]), 0.2))
        assert arm.tool[2] == pytest.approx(height, abs=1e-3)

    def test_it_is_not_pushed_through_the_table(self, roomy: RobotProfile) -> None:
        arm = Arm(roomy, (), self.HELD)
        limits: set[Limit] = set()
        for _ in range(300):
            limits |= set(arm.step(arm.towards(np.array([arm.tool[0], 0.0, -0.1]), 0.2)).limits)
            assert arm.judge.held_height(arm.position) >= SETTINGS.held_margin - ACCURACY
        assert Limit.HELD_OBJECT in limits

    def test_it_is_kept_off_keep_outs(self, roomy: RobotProfile) -> None:
        long = Box("pole", np.array([0.0, 0.0, 0.05]), np.eye(3), np.array([0.03, 0.03, 0.2]))
        box = block(0.5, 0.0, 0.1, 0.1)
        arm = Arm(roomy, (box,), long)
        limits: set[Limit] = set()
        for _ in range(300):
            limits |= set(arm.step(arm.towards(box.centre, 0.2)).limits)
            assert arm.judge.to_box(arm.position, box) >= SETTINGS.keep_out_margin - ACCURACY
        assert Limit.HELD_OBJECT in limits

    def test_what_was_deeper_when_it_was_taken_may_be_so_again(self, roomy: RobotProfile) -> None:
        """Its box seems to reach 1 cm into the table: it lies in a hollow."""
        deep = Box("red_block", np.array([0.0, 0.0, 0.01]), np.eye(3), np.full(3, 0.04))
        arm = Arm(roomy, (), deep, self.lowered(roomy))
        depth = arm.judge.held_height(arm.position)
        assert depth < SETTINGS.held_margin
        for direction, periods in ((0.3, 100), (-0.3, 300)):
            for _ in range(periods):
                arm.step(arm.towards(arm.tool + np.array([0.0, 0.0, direction]), 0.1))
        assert arm.judge.held_height(arm.position) == pytest.approx(depth, abs=2 * TOLERANCE)
        keep_out = block(0.3, 0.3)
        arm.filter.surround((keep_out,), deep)  # what was granted is remembered
        for direction, periods in ((0.3, 100), (-0.3, 300)):
            for _ in range(periods):
                arm.step(arm.towards(arm.tool + np.array([0.0, 0.0, direction]), 0.1))
        assert arm.judge.held_height(arm.position) == pytest.approx(depth, abs=2 * TOLERANCE)


class TestManyPairs:
    """More urgent pairs than the QP has rows."""

    def crowd(self) -> tuple[Box, ...]:
        angles = np.linspace(-0.8, 0.8, ROWS + 4)
        return tuple(block(0.5 * np.cos(a), 0.5 * np.sin(a), 0.1, 0.05, f"block_{i}") for i, a in enumerate(angles))

    def test_all_of_them_are_kept(self, roomy: RobotProfile) -> None:
        boxes = self.crowd()
        arm = Arm(roomy, boxes)
        for target in ((0.5, 0.0, 0.1), (0.4, 0.3, 0.05), (0.4, -0.3, 0.05)):
            for _ in range(80):
                arm.step(arm.towards(np.array(target), 0.6))
                check(arm, boxes)

    def test_a_pair_without_a_row_gets_one_when_the_arm_could_not_stop(self, profile: RobotProfile) -> None:
        guard = CollisionGuard(profile, SETTINGS, Kinematics(profile))
        smallest_by_pair(guard, profile.home)
        for full in (False, True):
            guard._rows = np.arange(ROWS) + 1 if full else np.zeros(0, dtype=np.int64)
            guard._refused, guard._overshot = 0, 0.01
            before = guard.fastest.copy()
            guard.pull_back(0.1)
            assert (guard._rows == 0).sum() == 1
            assert (guard.fastest != before).sum() == 1
