"""One robot in two engines: its weight, its limits, its kinematics, and the ground it stands on."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from reins.hardware.legs import up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD, SIDES
from reins.locomotion.kinematics import LegKinematics
from reins.locomotion.trot import Trot
from reins.sim.legged.description import links_of
from reins.sim.legged.engine import LegEngine
from reins.sim.legged.ground import GroundSpec, known_grounds, load_ground
from reins.sim.legged.mjcf import build_walker
from reins.sim.legged.mujoco_legs import MujocoLegs

Make = Callable[[str], LegEngine]
HIGH = np.array([0.0, 0.0, 1.0])


@pytest.fixture
def stance(go2: QuadrupedProfile) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return Trot(go2, 1, 0.02).stance.ravel()


def run(engine: LegEngine, seconds: float) -> None:
    engine.advance(round(seconds / engine.timestep))


def test_the_masses_add_up_to_what_the_vendor_says(go2: QuadrupedProfile) -> None:
    model = build_walker(go2, load_ground("flat"))
    assert model.body_mass.sum() == pytest.approx(go2.build.mass)
    assert go2.build.mass == pytest.approx(15.0, abs=0.1)  # Unitree's product page, with the battery


def test_legs_are_mirror_images(go2: QuadrupedProfile) -> None:
    links = {link.name: link for link in links_of(go2)}
    for part in ("hip", "thigh", "calf"):
        left = links[f"FL_{part}"].mass
        for foot, (x, y) in zip(go2.feet, SIDES, strict=True):
            mass = links[f"{foot}_{part}"].mass
            along = x if part == "hip" else 1.0
            assert mass.centre == pytest.approx((along * left.centre[0], y * left.centre[1], left.centre[2]))
            assert np.linalg.eigvalsh(mass.tensor) == pytest.approx(np.linalg.eigvalsh(left.tensor))


def test_every_inertia_can_exist(go2: QuadrupedProfile) -> None:
    for link in links_of(go2):
        least, middle, most = np.linalg.eigvalsh(link.mass.tensor)
        assert least > 0.0 and most <= (least + middle) * 1.001, link.name


def test_the_model_has_the_profiles_limits(go2: QuadrupedProfile) -> None:
    model = build_walker(go2, load_ground("flat"))
    for joint in go2.joints:
        assert model.joint(joint.name).range == pytest.approx([joint.lower, joint.upper])
        assert model.jnt_actfrcrange[model.joint(joint.name).id] == pytest.approx([-joint.effort, joint.effort])


def test_feet_are_where_the_kinematics_say(go2: QuadrupedProfile) -> None:
    model, random = build_walker(go2, load_ground("flat")), np.random.default_rng(1)
    data, kinematics = mujoco.MjData(model), LegKinematics(go2.build.legs)
    for _ in range(20):
        data.qpos[7:] = random.uniform(go2.lower, go2.upper)
        mujoco.mj_kinematics(model, data)
        feet = np.array([data.body(f"{foot}_foot").xpos for foot in go2.feet]) - data.qpos[:3]
        assert kinematics.feet(data.qpos[7:].reshape(4, 3)) == pytest.approx(feet, abs=1e-9)


@pytest.mark.parametrize("yaw", [0.0, 0.9])
def test_put_down_level_it_is_level(make_legs_on: Make, stance: np.ndarray, yaw: float) -> None:
    """Bullet's base is turned against the body frame, by the trunk's principal axes."""
    engine = make_legs_on("flat")
    engine.begin(HIGH, yaw, stance)
    truth = engine.truth()
    assert up_of(truth.orientation) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert truth.orientation == pytest.approx([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)], abs=1e-9)
    assert truth.position == pytest.approx(HIGH, abs=1e-9)


def test_in_bullet_the_hips_are_where_the_kinematics_say(go2: QuadrupedProfile, stance: np.ndarray) -> None:
    bullet = pytest.importorskip("pybullet")
    from reins.sim.legged.bullet_legs import BulletLegs

    engine = BulletLegs(go2, load_ground("flat"))
    engine.begin(HIGH, 0.0, stance)
    hips = [go2.joint_names.index(f"{foot}_hip_joint") for foot in go2.feet]
    states = [bullet.getLinkState(engine._robot, engine._joints[hip], physicsClientId=engine.client) for hip in hips]
    places = np.array([state[4] for state in states])
    assert places - HIGH == pytest.approx(LegKinematics(go2.build.legs).hips, abs=1e-6)
    engine.close()


def test_it_falls_as_everything_does(make_legs_on: Make, stance: np.ndarray) -> None:
    engine = make_legs_on("flat")
    engine.begin(HIGH, 0.0, stance)
    run(engine, 0.3)
    truth = engine.truth()
    assert truth.linear[2] == pytest.approx(-9.81 * 0.3, rel=0.01)
    assert 1.0 - truth.position[2] == pytest.approx(0.5 * 9.81 * 0.3**2, rel=0.02)
    assert not truth.contact.any() and not truth.scraped


def test_it_stands_on_its_feet_alone(make_legs_on: Make, stance: np.ndarray) -> None:
    engine = make_legs_on("flat")
    engine.begin(np.array([0.0, 0.0, 0.31]), 0.7, stance)
    run(engine, 1.5)
    truth = engine.truth()
    assert truth.contact.all() and not truth.scraped
    assert 0.24 < truth.position[2] < 0.30
    assert up_of(truth.orientation)[2] > 0.99
    assert np.abs(truth.linear).max() < 0.02


def test_the_feet_bear_the_weight(go2: QuadrupedProfile, stance: np.ndarray) -> None:
    engine = MujocoLegs(go2, load_ground("flat"))
    engine.begin(np.array([0.0, 0.0, 0.31]), 0.0, stance)
    run(engine, 2.0)
    force, total = np.zeros(6), 0.0
    for contact in range(engine.data.ncon):
        mujoco.mj_contactForce(engine.model, engine.data, contact, force)
        total += force[0]
    assert total == pytest.approx(go2.build.mass * 9.81, rel=0.02)


def test_without_grip_it_sinks_onto_its_belly(make_legs_on: Make, stance: np.ndarray) -> None:
    engine = make_legs_on("flat")
    engine.begin(np.array([0.0, 0.0, 0.31]), 0.0, stance)
    engine.aim(stance, 0.0)
    run(engine, 2.0)
    truth = engine.truth()
    assert truth.position[2] < 0.12 and truth.scraped


def test_no_joint_pulls_harder_than_it_can(make_legs_on: Make, go2: QuadrupedProfile, stance: np.ndarray) -> None:
    engine = make_legs_on("flat")
    engine.begin(HIGH, 0.0, stance)
    engine.aim(np.where(stance > 0.0, go2.lower, go2.upper), 50.0)
    for _ in range(100):
        engine.advance(1)
        assert (np.abs(engine.truth().torques) <= go2.effort + 1e-9).all()


def test_a_push_is_a_push(make_legs_on: Make, stance: np.ndarray) -> None:
    engine = make_legs_on("flat")
    engine.begin(HIGH, 1.0, stance)
    engine.push(np.array([0.5, -0.3, 0.0]))
    run(engine, 0.02)
    assert engine.truth().linear[:2] == pytest.approx([0.5, -0.3], abs=0.02)


@pytest.mark.parametrize("ground", known_grounds())
def test_both_engines_have_the_same_ground(make_legs_on: Make, ground: str, stance: np.ndarray) -> None:
    """Let down off the middle, where slopes and steps have begun, the feet find the height that the file says."""
    engine, spec = make_legs_on(ground), load_ground(ground)
    height = spec.height_at(1.5, 1.0)
    engine.begin(np.array([1.5, 1.0, height + 0.40]), 0.0, stance)
    run(engine, 1.0)
    x, y, z = engine.truth().position
    assert z - spec.height_at(x, y) == pytest.approx(0.27, abs=0.05)


def test_grounds_are_level_where_the_robot_begins() -> None:
    for name in known_grounds():
        spec = load_ground(name)
        assert all(abs(spec.height_at(x, y)) < 1e-9 for x in (-0.4, 0.0, 0.4) for y in (-0.4, 0.0, 0.4)), name


def test_rough_ground_is_as_rough_as_it_says() -> None:
    spec = GroundSpec(name="a", title="a", roughness=0.03, grain=0.3)
    assert spec.heights.std() == pytest.approx(0.03, rel=0.1)
    assert GroundSpec(name="a", title="a", roughness=0.03, seed=2).heights.std() == pytest.approx(0.03, rel=0.1)


def test_the_head_looks_forward_and_down(go2: QuadrupedProfile) -> None:
    model = build_walker(go2, load_ground("yard"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    axes = data.camera(HEAD).xmat.reshape(3, 3)
    assert -axes[:, 2] == pytest.approx([np.cos(0.2), 0.0, -np.sin(0.2)])  # it looks along its -z …
    assert axes[:, 0] == pytest.approx([0.0, -1.0, 0.0])  # … with its x axis to the right
