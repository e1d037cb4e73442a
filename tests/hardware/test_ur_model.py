"""The UR models against the manufacturer's figures: forward kinematics by Denavit and Hartenberg, masses, limits."""

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray


@dataclass(frozen=True)
class Published:
    """Lengths [m], masses [kg] and centres of mass [m] of one arm.

    Source: Universal Robots, "DH Parameters for calculations of kinematics and dynamics".
    """

    name: str
    d: tuple[float, ...]
    a: tuple[float, ...]
    masses: tuple[float, ...]
    centres: tuple[tuple[float, float, float], ...]

    @cached_property
    def profile(self) -> RobotProfile:
        return load_profile(self.name)

    @cached_property
    def kinematics(self) -> Kinematics:
        return Kinematics(self.profile)

    @cached_property
    def simulated(self) -> mujoco.MjModel:
        return mujoco.MjSpec.from_file(str(self.profile.model.path(self.profile.model.mjcf))).compile()

    def frames(self, position: FloatArray) -> list[FloatArray]:
        """(4, 4) pose of the frame behind each joint, in base_link, which is turned from the controller's base."""
        pose, poses = np.diag([-1.0, -1.0, 1.0, 1.0]), []
        for theta, d, a, alpha in zip(position, self.d, self.a, ALPHA, strict=True):
            c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
            row = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
            pose = pose @ np.array(row)
            poses.append(pose)
        return poses


ALPHA = (np.pi / 2, 0.0, 0.0, np.pi / 2, -np.pi / 2, 0.0)
UR5E = Published(
    "ur5e",
    d=(0.1625, 0.0, 0.0, 0.1333, 0.0997, 0.0996),
    a=(0.0, -0.425, -0.3922, 0.0, 0.0, 0.0),
    masses=(3.761, 8.058, 2.846, 1.37, 1.3, 0.365),
    centres=(
        (0.0, -0.02561, 0.00193),
        (0.2125, 0.0, 0.11336),
        (0.15, 0.0, 0.0265),
        (0.0, -0.0018, 0.01634),
        (0.0, 0.0018, 0.01634),
        (0.0, 0.0, -0.001159),
    ),
)
UR10E = Published(
    "ur10e",
    d=(0.1807, 0.0, 0.0, 0.17415, 0.11985, 0.11655),
    a=(0.0, -0.6127, -0.57155, 0.0, 0.0, 0.0),
    masses=(7.369, 13.051, 3.989, 2.1, 1.98, 0.615),
    centres=(
        (0.021, 0.0, 0.027),
        (0.38, 0.0, 0.158),
        (0.24, 0.0, 0.068),
        (0.0, 0.007, 0.018),
        (0.0, 0.007, 0.018),
        (0.0, 0.0, -0.026),
    ),
)
both = pytest.mark.parametrize("arm", [UR5E, UR10E], ids=lambda arm: arm.name)
postures = st.lists(st.floats(-3.1, 3.1), min_size=6, max_size=6).map(np.array)


@both
@given(position=postures)
def test_the_flange_is_where_the_published_lengths_put_it(arm: Published, position: FloatArray) -> None:
    tool = arm.kinematics.tool_pose(position)
    flange = arm.frames(position)[-1]
    np.testing.assert_allclose(tool.rotation, flange[:3, :3], atol=1e-8)
    np.testing.assert_allclose(tool.position - tool.rotation @ arm.profile.tool.xyz, flange[:3, 3], atol=1e-8)


@both
@given(position=postures)
def test_mujoco_reads_the_same_arm(arm: Published, position: FloatArray) -> None:
    data = mujoco.MjData(arm.simulated)
    data.qpos[:] = position
    mujoco.mj_kinematics(arm.simulated, data)
    wrist = data.body("wrist_3_link")
    flange = arm.frames(position)[-1]
    np.testing.assert_allclose(wrist.xpos, flange[:3, 3], atol=1e-8)
    np.testing.assert_allclose(wrist.xmat.reshape(3, 3), flange[:3, :3], atol=1e-8)


@both
@given(position=postures)
def test_gravity_pulls_at_every_joint_as_the_published_masses_do(arm: Published, position: FloatArray) -> None:
    model, carried = arm.kinematics.model, arm.profile.ur
    assert carried is not None
    frames, gripper = arm.frames(position), np.array([*carried.payload.centre, 1.0])
    weights = [(m, (f @ [*c, 1.0])[:3]) for m, f, c in zip(arm.masses, frames, arm.centres, strict=True)]
    weights.append((carried.payload.mass, (frames[-1] @ gripper)[:3]))
    axes = [np.diag([-1.0, -1.0, 1.0, 1.0]), *frames[:-1]]
    wanted = np.zeros(6)
    for index, axis in enumerate(axes):
        for mass, point in weights[index:]:
            wanted[index] += axis[:3, 2] @ np.cross(point - axis[:3, 3], [0.0, 0.0, 9.81 * mass])
    torques = pin.computeGeneralizedGravity(model, model.createData(), position)
    np.testing.assert_allclose(torques, wanted, atol=1e-6)


@both
def test_inertias_are_those_of_bodies(arm: Published) -> None:
    for inertia in list(arm.kinematics.model.inertias)[1:]:
        moments = np.linalg.eigvalsh(inertia.inertia)
        assert moments[0] > 0.0 and moments[0] + moments[1] >= moments[2]


@both
def test_the_profile_keeps_inside_the_limits_of_the_description(arm: Published) -> None:
    model, profile = arm.kinematics.model, arm.profile
    assert (profile.lower >= model.lowerPositionLimit).all() and (profile.upper <= model.upperPositionLimit).all()
    np.testing.assert_allclose(profile.velocity, model.velocityLimit, atol=1e-3)
    assert (profile.velocity <= model.velocityLimit).all()
    np.testing.assert_array_equal(profile.effort, model.effortLimit)


@both
def test_at_home_the_gripper_points_down_inside_the_workspace(arm: Published) -> None:
    tool, space = arm.kinematics.tool_pose(arm.profile.home), arm.profile.workspace
    np.testing.assert_allclose(tool.rotation, np.diag([1.0, -1.0, -1.0]), atol=1e-3)
    assert (tool.position > space.lower).all() and (tool.position < space.upper).all()


@both
def test_every_link_has_a_shape(arm: Published) -> None:
    assert {shape.joint for shape in link_shapes(arm.profile)} == set(range(7))
    (gripper,) = (shape for shape in link_shapes(arm.profile) if shape.name == "gripper")
    beyond = gripper.corners[:, 2].max() - arm.profile.tool.xyz[2]
    assert beyond < arm.profile.workspace.lower[2]  # so that the fingertips stay off the table
