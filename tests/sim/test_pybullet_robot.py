"""What only PyBullet has of the simulated arm: a model of its own, that must be the same robot; worlds to give back."""

import gc
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pybullet as bullet
import pytest
from scipy.spatial.transform import Rotation
from sim_mover import Mover

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.sim.model import build_model
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.objects import FRICTION
from reins.sim.pybullet_robot import PybulletPhysics, PybulletRobot
from reins.sim.pybullet_urdf import bullet_urdf
from reins.sim.world import WorldSpec


@pytest.fixture
def robot(profile: RobotProfile, tabletop: WorldSpec) -> Iterator[PybulletRobot]:
    """A simulated arm that holds its home pose."""
    made = PybulletRobot(profile, tabletop, seed=3)
    made.connect()
    yield made
    made.close()


@pytest.fixture(scope="module")
def model(profile: RobotProfile, tabletop: WorldSpec) -> mujoco.MjModel:
    return build_model(profile, tabletop, pretty=False)


def physics(robot: PybulletRobot) -> PybulletPhysics:
    assert isinstance(robot._physics, PybulletPhysics)
    return robot._physics


def test_the_tool_is_where_the_profile_says(robot: PybulletRobot, profile: RobotProfile) -> None:
    engine = physics(robot)
    names = [
        bullet.getJointInfo(engine.bodies.arm, i, engine.client)[12].decode()
        for i in range(bullet.getNumJoints(engine.bodies.arm, engine.client))
    ]
    for number in range(50):
        robot.step(0.01)
        assert robot.read().fault == "", number
    link = bullet.getLinkState(
        engine.bodies.arm, names.index(profile.tool.link), computeForwardKinematics=1, physicsClientId=engine.client
    )
    flange = np.array(link[4])
    tool = Kinematics(profile).tool_pose(robot.read().position)
    np.testing.assert_allclose(flange + tool.rotation @ [0.0, 0.0, profile.tool.xyz[2]], tool.position, atol=1e-5)


def test_no_link_is_heavier_than_the_robot_s_own(profile: RobotProfile, model: mujoco.MjModel) -> None:
    """The gripper's motor moves mass from the hand to the fingers; a link without a mass gets next to none."""
    own = ElementTree.parse(profile.model.path(profile.model.urdf)).getroot()
    made = ElementTree.fromstring(bullet_urdf(profile, model).text)

    def weight(root: ElementTree.Element) -> float:
        return sum(float(mass.get("value", "0")) for mass in root.iterfind("link/inertial/mass"))

    assert weight(made) == pytest.approx(weight(own), abs=1e-3)
    assert all(link.find("inertial") is not None for link in made.findall("link"))
    assert not list(made.iter("mesh"))


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('joint name="fr3_joint3"', 'joint name="elbow"', "has no joint fr3_joint3"),
        ('<mass value="0.6544"/>', '<mass value="0.2"/>', "'fr3_hand' of the URDF has too little mass"),
        ('<mass value="2.2449013699"/>', "", "'fr3_link3' of the URDF has no inertia"),
    ],
)
def test_a_urdf_that_does_not_do_is_refused(
    profile: RobotProfile, model: mujoco.MjModel, tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = profile.model.path(profile.model.urdf).read_text(encoding="utf-8")
    assert old in text
    changed = tmp_path / "changed.urdf"
    changed.write_text(text.replace(old, new), encoding="utf-8")
    other = profile.model_copy(update={"model": profile.model.model_copy(update={"urdf": str(changed)})})
    with pytest.raises(ReinsError, match=words):
        bullet_urdf(other, model)


def test_a_motor_s_inertia_is_felt_about_its_own_joint_alone(profile: RobotProfile, model: mujoco.MjModel) -> None:
    """The wrist's last link: its own inertia is a thousandth of its motor's, which turns about z only."""
    made = bullet_urdf(profile, model)
    link = ElementTree.fromstring(made.text).find("link[@name='fr3_link7']")
    assert link is not None
    origin = link.find("inertial/origin")
    assert origin is not None
    axes = Rotation.from_euler("xyz", [float(word) for word in origin.get("rpy", "").split()]).as_matrix()
    tensor = axes @ np.diag(made.inertia["fr3_link7"]) @ axes.T
    armature = float(model.joint("fr3_joint7").armature[0])
    own = [[2.109e-4, -2.43e-5, 4.56e-5], [-2.43e-5, 1.772e-4, 8.74e-5], [4.56e-5, 8.74e-5, 5.99e-5]]
    np.testing.assert_allclose(tensor - np.diag([0.0, 0.0, armature]), own, atol=1e-6)


def test_objects_weigh_what_they_weigh_in_mujoco(robot: PybulletRobot, model: mujoco.MjModel) -> None:
    engine = physics(robot)
    for name, body in engine.bodies.objects.items():
        mass, _, moments, *_ = bullet.getDynamicsInfo(body, -1, engine.client)
        assert mass == pytest.approx(float(model.body(name).mass[0]))
        np.testing.assert_allclose(sorted(moments), sorted(model.body(name).inertia), rtol=1e-6)


@pytest.mark.parametrize("name", ["red_block", "blue_bowl", "white_plate"])
def test_things_slide_as_far_as_friction_lets_them(robot: PybulletRobot, name: str) -> None:
    """From v² = 2 µ g d, with the friction that MuJoCo has between table and objects."""
    engine, speed = physics(robot), 0.5
    before = robot.world_state().find(name).position
    bullet.resetBaseVelocity(
        engine.bodies.objects[name], [0.0, speed, 0.0], [0.0, 0.0, 0.0], physicsClientId=engine.client
    )
    for _ in range(40):
        robot.step(0.01)
    slid = robot.world_state().find(name).position[1] - before[1]
    assert slid == pytest.approx(speed**2 / (2.0 * FRICTION[0] * 9.81), rel=0.05)


@pytest.mark.parametrize("force", [10.0, 40.0])
def test_fingers_push_with_the_force_asked_for(mover: Mover, robot: PybulletRobot, force: float) -> None:
    mover.pick("red_block", lift=0.1)
    mover.grip(0.0, force, 0.5)
    engine = physics(robot)
    pushed = []
    for finger in engine.bodies.joints[-2:]:
        points = bullet.getContactPoints(
            engine.bodies.arm, engine.bodies.objects["red_block"], finger, physicsClientId=engine.client
        )
        pushed.append(sum(point[9] for point in points))
    np.testing.assert_allclose(pushed, force, rtol=0.05)


def test_effort_holds_the_arm_up_as_in_mujoco_and_keeps_its_limits(
    mover: Mover, robot: PybulletRobot, profile: RobotProfile, tabletop: WorldSpec
) -> None:
    mover.hold(0.3)
    at_rest = robot.read()
    np.testing.assert_allclose(at_rest.effort, MujocoRobot(profile, tabletop, seed=3).read().effort, atol=1.0)
    start = at_rest.reference.copy()
    down = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    for step in range(400):
        state = mover.send(start + down * (step * 0.01), down)
        assert (np.abs(state.effort) <= profile.effort + 1e-6).all()
        assert state.fault == ""


def test_a_closed_or_forgotten_robot_gives_its_world_back(profile: RobotProfile, tabletop: WorldSpec) -> None:
    robot = PybulletRobot(profile, tabletop, seed=1)
    client = physics(robot).client
    assert bullet.isConnected(client)
    robot.close()
    robot.close()
    assert not bullet.isConnected(client)

    forgotten = PybulletRobot(profile, tabletop, seed=1)
    client = physics(forgotten).client
    del forgotten
    gc.collect()
    assert not bullet.isConnected(client)
