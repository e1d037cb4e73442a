"""The URDF that an arm's node publishes: names of joint_states, meshes that are there, and the kinematics unchanged."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np
import pinocchio as pin
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.description import robot_description
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, known_profiles, load_profile


@pytest.fixture(params=known_profiles("arm"))
def profile(request: pytest.FixtureRequest) -> RobotProfile:
    return load_profile(request.param)


def test_joints_and_fingers_are_called_as_in_joint_states(profile: RobotProfile) -> None:
    root = ElementTree.fromstring(robot_description(profile))
    moving = {joint.get("name") for joint in root.iter("joint") if joint.get("type") != "fixed"}
    assert {*profile.joint_names, *profile.gripper.joints} <= moving
    names = {joint.get("name") for joint in root.iter("joint")}
    assert {mimic.get("joint") for mimic in root.iter("mimic")} <= names


def test_every_mesh_is_found_from_anywhere(profile: RobotProfile) -> None:
    root = ElementTree.fromstring(robot_description(profile))
    for mesh in root.iter("mesh"):
        address = urlparse(mesh.get("filename", ""))
        assert address.scheme == "file" and Path(unquote(address.path)).is_file()


def test_it_is_the_arm_that_reins_reckons_with(profile: RobotProfile) -> None:
    model = pin.buildModelFromXML(robot_description(profile))
    data, configuration = model.createData(), pin.neutral(model)
    for name, angle in zip(profile.joint_names, profile.home, strict=True):
        configuration[model.joints[model.getJointId(name)].idx_q] = angle
    pin.framesForwardKinematics(model, data, configuration)
    place = data.oMf[model.getFrameId(profile.tool.link)]
    tool = place * pin.SE3(pin.rpy.rpyToMatrix(*profile.tool.rpy), np.array(profile.tool.xyz))
    assert tool.translation == pytest.approx(Kinematics(profile).tool_pose(profile.home).position, abs=1e-9)


def test_a_urdf_that_cannot_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reins_test_broken").mkdir()
    (tmp_path / "reins_test_broken" / "arm.urdf").write_text("<robot>", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    profile = load_profile("franka")
    model = profile.model.model_copy(update={"package": "reins_test_broken", "urdf": "arm.urdf"})
    with pytest.raises(ReinsError, match="the URDF of 'franka' cannot be read: no element found"):
        robot_description(profile.model_copy(update={"model": model}))
