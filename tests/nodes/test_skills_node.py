"""The skills node: a policy is exchanged while it runs, or refused with the reason."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.utilities import try_shutdown
from reins_msgs.srv import ListSkills

from reins.demo.session import free_domain
from reins.models.registry import find_model
from reins.nodes.skills import SkillsNode
from reins.skills.legged.library import LEGGED_SKILLS

pytestmark = pytest.mark.ros


@pytest.fixture
def made() -> Iterator[SkillsNode]:
    """A node that is not configured."""
    rclpy.init(domain_id=free_domain())
    node = SkillsNode()
    yield node
    node.trigger_cleanup()
    node.destroy_node()
    try_shutdown()


@pytest.fixture
def node(made: SkillsNode, request: pytest.FixtureRequest) -> SkillsNode:
    """A configured node with the backend that a test asks for."""
    assert configure(made, backend=request.param)
    return made


def configure(node: SkillsNode, **parameters: str) -> bool:
    """Whether the node can be configured so."""
    results = node.set_parameters([Parameter(name, value=value) for name, value in parameters.items()])
    assert all(result.successful for result in results)
    return bool(node.trigger_configure() == TransitionCallbackReturn.SUCCESS)


def controllers(node: SkillsNode) -> dict[str, str]:
    answer = node._on_list(ListSkills.Request(), ListSkills.Response())
    return dict(zip(answer.names, answer.controllers, strict=True))


def offer(node: SkillsNode, path: Path) -> str:
    """Why the node refuses this policy; empty where it takes it."""
    (result,) = node.set_parameters([Parameter("policy", value=str(path))])
    assert result.successful != bool(result.reason)
    return str(result.reason)


@pytest.mark.parametrize("node", ["onnx"], indirect=True)
def test_a_policy_is_exchanged_or_refused_and_the_one_in_use_stays(node: SkillsNode, tmp_path: Path) -> None:
    data, ours = find_model("pick").path.read_bytes(), tmp_path / "ours.onnx"
    assert controllers(node)["pick"] == "pick"
    ours.write_bytes(data)
    assert offer(node, ours) == "" and controllers(node)["pick"] == "ours"
    half = tmp_path / "half.onnx"
    half.write_bytes(data[: len(data) // 2])
    assert "policy 'half' is refused: not an ONNX file, or a truncated one" in offer(node, half)
    assert "cannot be read: No such file" in offer(node, tmp_path / "none.onnx")
    assert controllers(node)["pick"] == "ours" and controllers(node)["push"] == "push"
    assert node.get_parameter("policy").value == str(ours)


@pytest.mark.parametrize("node", ["scripted"], indirect=True)
def test_scripts_have_no_policy_to_exchange(node: SkillsNode) -> None:
    assert "backend 'scripted' runs no policies" in offer(node, find_model("pick").path)


def test_a_quadruped_has_the_skills_of_legs_and_no_policies(made: SkillsNode) -> None:
    assert not configure(made, robot="go2", backend="onnx")
    assert configure(made, backend="scripted")
    assert controllers(made) == dict.fromkeys(LEGGED_SKILLS, "scripted")
    (publisher,) = made.get_publishers_info_by_topic("command/skill")
    assert publisher.topic_type == "reins_msgs/msg/BodyCommand"
