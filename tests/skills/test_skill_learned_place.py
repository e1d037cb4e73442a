"""Moving, placing, pushing by tool-twist policies: scripts bring the hand near, the policy acts, physics is asked."""

import numpy as np
import pytest
from closed_loop import Loop
from policy_files import PROFILE, linear_policy, twist_contract

from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray
from reins.sim.predicates import is_in, is_related, is_touched
from reins.skills.controller import Status
from reins.skills.learned.run_policy import PATIENCE, RunPolicy
from reins.skills.library import SKILLS
from reins.skills.observation import ObjectView, PolicyInput
from reins.skills.onnx_factory import OnnxFactory
from reins.skills.policy import OnnxPolicy
from reins.skills.runner import SkillRunner

OPEN, CLOSED = 0.9, -1.0


class Rule(OnnxPolicy):
    """A policy file whose network is replaced by a rule."""

    def __init__(self, *skills: str) -> None:
        super().__init__(linear_policy(twist_contract(skills=skills), outputs=5), PROFILE, "by rule")
        self.inputs: list[PolicyInput] = []

    def act(self, inputs: PolicyInput) -> FloatArray:
        self.inputs.append(inputs)
        way, gripper = self.decide(inputs)
        action = np.zeros(5)
        action[:3] = np.clip(5.0 * way, -0.2, 0.2) / 0.25
        action[4] = gripper
        self.last_action = np.clip(action, -1.0, 1.0)
        return self.last_action

    def decide(self, inputs: PolicyInput) -> tuple[FloatArray, float]:
        """Way of the tool [m], and what the fingers do."""
        raise NotImplementedError


class PutsDown(Rule):
    """To the goal, let go, up."""

    def decide(self, inputs: PolicyInput) -> tuple[FloatArray, float]:
        assert inputs.target is not None
        off = inputs.goal.position - inputs.target.position
        if inputs.state.gripper_holding:
            return off, CLOSED if np.linalg.norm(off) > 0.008 else OPEN
        return np.array([0.0, 0.0, 0.1]), OPEN


class Hovers(Rule):
    """To the goal with open fingers, as one learns it that never held anything."""

    def decide(self, inputs: PolicyInput) -> tuple[FloatArray, float]:
        return inputs.goal.position - inputs.tool.position, OPEN


class HoldsOn(Rule):
    """To the goal, and stays there."""

    def decide(self, inputs: PolicyInput) -> tuple[FloatArray, float]:
        assert inputs.target is not None
        return inputs.goal.position - inputs.target.position, CLOSED


class Pushes(Rule):
    """Down behind the object, then ahead until it has come far enough."""

    def decide(self, inputs: PolicyInput) -> tuple[FloatArray, float]:
        assert inputs.target is not None
        low = float(inputs.target.position[2]) - 0.004
        down = low - float(inputs.tool.position[2])
        if down < -0.006:
            return np.array([0.0, 0.0, 1.2 * down]), CLOSED
        off = inputs.goal.position - inputs.target.position
        return np.array([0.4 * off[0], 0.4 * off[1], down]), CLOSED


def with_policy(loop: Loop, policy: Rule) -> Loop:
    factory = OnnxFactory(PROFILE, [policy])
    loop.runner = SkillRunner(SKILLS, dict.fromkeys(policy.metadata.skills, factory), PROFILE)
    return loop


def holding(seed: int = 0) -> Loop:
    loop = Loop(seed=seed)
    assert loop.run("pick", object="red_block").status is Status.SUCCEEDED
    return loop


def test_the_held_object_is_put_into_a_bowl() -> None:
    policy = PutsDown("place_in", "place_on", "place_beside")
    loop = with_policy(holding(), policy)
    output = loop.run("place_in", container="blue_bowl")
    assert output.status is Status.SUCCEEDED, output.reason
    world = loop.robot.world_state()
    assert is_in(world, "red_block", "blue_bowl") and world.held is None
    heights = [inputs.tool.position[2] - policy.inputs[-1].goal.position[2] for inputs in policy.inputs]
    assert 0.06 < heights[0] < 0.14, "it takes over where its training began"


def test_the_held_object_is_put_beside_another_one() -> None:
    loop = with_policy(holding(), PutsDown("place_beside"))
    output = loop.run("place_beside", object="green_block", side="left_of")
    assert output.status is Status.SUCCEEDED, output.reason
    red = loop.scene.objects["red_block"]
    assert red.position[2] == pytest.approx(red.size[2] / 2, abs=0.005)
    assert is_related(loop.robot.world_state(), "left_of", "red_block", "green_block")


def test_a_policy_that_never_lets_go_fails_and_the_hand_goes_up() -> None:
    loop = with_policy(holding(), HoldsOn("place_in"))
    output = loop.run("place_in", container="blue_bowl")
    assert output.status is Status.FAILED and "did not get there in" in output.reason
    assert f"{PATIENCE:.0f} s: the gripper still holds red_block" in output.reason
    assert loop.kinematics.tool_pose(loop.robot.read().position).position[2] > 0.12


@pytest.mark.parametrize(
    "seed, direction, axis, sign", [(3, "left", 1, 1.0), (3, "forward", 0, 1.0), (5, "back", 0, -1.0)]
)
def test_an_object_is_pushed_and_the_hand_goes_on_from_where_the_policy_left_it(
    seed: int, direction: str, axis: int, sign: float
) -> None:
    policy = Pushes("push")
    loop = with_policy(Loop(seed=seed), policy)
    before = np.array(loop.scene.objects["red_block"].position)
    output = loop.run("push", object="red_block", direction=direction, distance=0.08)
    assert output.status is Status.SUCCEEDED, output.reason
    moved = np.array(loop.look().objects["red_block"].position) - before
    assert sign * moved[axis] == pytest.approx(0.08, abs=0.025)
    assert abs(moved[1 - axis]) < 0.02
    assert 0.05 < policy.inputs[0].tool.position[2] - before[2] < 0.11, "it takes over where its training began"
    assert not is_touched(loop.robot.world_state(), "green_block")


def test_the_hand_is_moved_over_an_object_and_keeps_what_it_holds() -> None:
    policy = Hovers("move_to")
    loop = with_policy(holding(), policy)
    output = loop.run("move_to", target="green_block", height=0.06)
    assert output.status is Status.SUCCEEDED, output.reason
    assert loop.robot.world_state().held == "red_block" and policy.inputs
    tool, block = loop.kinematics.tool_pose(loop.robot.read().position).position, loop.scene.find("green_block")
    assert np.linalg.norm(tool[:2] - block.position[:2]) < 0.012
    assert tool[2] >= block.top + 0.055
    assert not is_touched(loop.robot.world_state(), "green_block")


def test_a_stroke_ends_where_it_should_though_the_hand_hides_what_it_pushes(monkeypatch: pytest.MonkeyPatch) -> None:
    look, first = RunPolicy._look, list[ObjectView]()

    def once(phase: RunPolicy, scene: Scene) -> ObjectView:
        first.append(look(phase, scene))
        return first[0]

    monkeypatch.setattr(RunPolicy, "_look", once)
    policy = Pushes("push")
    loop = with_policy(Loop(seed=3), policy)
    before = np.array(loop.scene.objects["red_block"].position)
    output = loop.run("push", object="red_block", direction="left", distance=0.08)
    assert output.status is Status.SUCCEEDED, output.reason
    assert loop.look().objects["red_block"].position[1] - before[1] == pytest.approx(0.08, abs=0.02)
    assert {inputs.style for inputs in policy.inputs} == {0.0}
