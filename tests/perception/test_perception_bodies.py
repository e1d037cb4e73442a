"""The boxes by which perception knows the robot are as large as the robot that the safety filter knows."""

import numpy as np
import pytest

from reins.hardware.collision_model import link_shapes
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.perception.body import BASE, BODIES, BodyShape, RobotBody

ROOM = 0.012
"""How far a hull of cylinders may stand out of its box, or a box out of its hull [m]."""


@pytest.mark.parametrize("name", ["ur5e", "ur10e"])
def test_every_box_is_as_large_as_its_link(name: str) -> None:
    profile = load_profile(name)
    shape = BODIES.load(name, BodyShape)
    numbers = {BASE: 0} | {joint.model_name: index + 1 for index, joint in enumerate(profile.joints)}
    assert set(shape.links) == set(numbers)
    for joint, box in shape.links.items():
        (link,) = (link for link in link_shapes(profile) if link.joint == numbers[joint] and link.name != "gripper")
        np.testing.assert_allclose(box.lower, link.corners.min(axis=0), atol=ROOM)
        np.testing.assert_allclose(box.upper, link.corners.max(axis=0), atol=ROOM)


@pytest.mark.parametrize("name", ["ur5e", "ur10e"])
def test_the_open_gripper_is_the_robot_and_what_is_between_its_pads_is_not(name: str) -> None:
    profile = load_profile(name)
    still = np.zeros(len(profile.joints))
    state = RobotState(0.0, profile.home, still, still, profile.home, profile.gripper.max_width, False, 0)
    body = RobotBody(profile).place(state)
    out = body.tool.rotation[:, 2]
    across = body.tool.rotation[:, 1]
    points = [body.tool.position, body.tool.position - 0.1 * out, body.tool.position + 0.055 * across]
    assert body.contains(np.array(points, dtype=np.float32), 0.0).tolist() == [False, True, True]
