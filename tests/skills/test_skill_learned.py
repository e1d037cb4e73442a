"""Skills by tool-twist policies: the scripts bring the hand near, the policy acts, what it did is measured."""

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from closed_loop import Loop
from policy_files import PROFILE, linear_policy, twist_contract

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray, JointCommand
from reins.models.metadata import ActionSpec, StyleSpec
from reins.models.registry import list_models
from reins.skills.controller import ControlOutput, Status
from reins.skills.learned.builders import style_for
from reins.skills.library import SKILLS
from reins.skills.observation import PolicyInput
from reins.skills.onnx_factory import OnnxFactory, shipped_policies
from reins.skills.policy import OnnxPolicy, PolicySlot
from reins.skills.runner import SkillRunner


class ByRule(OnnxPolicy):
    """A policy file whose network is replaced by a rule: down to the object, close, up to the goal."""

    def __init__(self, closes: bool = True) -> None:
        super().__init__(linear_policy(twist_contract(), outputs=5), PROFILE, "by rule")
        self.closes = closes
        self.inputs: list[PolicyInput] = []

    def act(self, inputs: PolicyInput) -> FloatArray:
        assert inputs.target is not None
        self.inputs.append(inputs)
        held = inputs.state.gripper_holding
        way = (inputs.goal.position if held else inputs.target.position) - inputs.tool.position
        if held:
            way = inputs.goal.position - inputs.target.position
        near = held or float(np.linalg.norm(way)) < 0.004
        action = np.zeros(5)
        action[:3] = np.clip(5.0 * way, -0.22, 0.22) / 0.25
        action[4] = -1.0 if near and self.closes else 0.9
        self.last_action = np.clip(action, -1.0, 1.0)
        return self.last_action


def loop_with(policy: OnnxPolicy, seed: int = 0) -> Loop:
    loop = Loop(seed=seed)
    loop.runner = SkillRunner(SKILLS, {"pick": OnnxFactory(PROFILE, [policy])}, PROFILE)
    return loop


def jumps(commands: Sequence[JointCommand]) -> FloatArray:
    """(m, n) changes of the joints' commanded velocities from command to command, as shares of what is allowed."""
    velocities = np.array([command.velocity for command in commands])
    change = np.abs(np.diff(velocities, axis=0, prepend=0.0))
    shares: FloatArray = change * PROFILE.rates.command / PROFILE.acceleration
    return shares


def test_an_object_is_picked_and_no_limit_is_exceeded() -> None:
    policy = ByRule()
    loop = loop_with(policy)
    phases: list[str] = []

    def note(output: ControlOutput) -> None:
        if output.phase not in phases:
            phases.append(output.phase)

    output = loop.run("pick", object="red_block", on_tick=note)
    assert output.status is Status.SUCCEEDED, output.reason
    assert loop.robot.world_state().held == "red_block"
    assert [phase for phase in phases if phase in ("approach", "grasp", "raise")] == ["approach", "grasp", "raise"]
    assert np.all(np.abs([command.velocity for command in loop.commands]) <= PROFILE.velocity)
    assert jumps(loop.commands).max() <= 1.0 + 1e-9


def test_the_policy_is_asked_at_its_own_rate() -> None:
    policy = ByRule()
    loop_with(policy).run("pick", object="red_block")
    stamps = [inputs.state.stamp for inputs in policy.inputs]
    np.testing.assert_allclose(np.diff(stamps), 0.02, atol=1e-6)


def test_a_grasp_that_never_comes_is_noticed_and_the_hand_gets_out_of_the_way() -> None:
    loop = loop_with(ByRule(closes=False))
    output = loop.run("pick", object="red_block")
    assert output.status is Status.FAILED and "did not get there in 6 s: the gripper does not hold" in output.reason
    state = loop.robot.read()
    assert loop.kinematics.tool_pose(state.position).position[2] > 0.12 and not state.gripper_holding


def test_at_half_of_its_slowest_speed_it_has_twice_the_time() -> None:
    output = loop_with(ByRule(closes=False)).run("pick", [Constraint(kind="speed", scale=0.25)], object="red_block")
    assert output.status is Status.FAILED and "did not get there in 12 s" in output.reason


class Failing(ByRule):
    """By rule, until the hand is on its way; from then on its output is not finite."""

    def act(self, inputs: PolicyInput) -> FloatArray:
        if np.linalg.norm(inputs.state.velocity) > 0.3:
            raise ReinsError("the policy gave an action that is not finite")
        return super().act(inputs)


def test_a_policy_that_fails_while_the_arm_moves_brakes_before_the_hand_retreats() -> None:
    loop = loop_with(Failing())
    speeds: dict[str, float] = {}

    def note(output: ControlOutput) -> None:
        speeds.setdefault(output.phase, float(np.linalg.norm(output.velocity)))

    output = loop.run("pick", object="red_block", on_tick=note)
    assert output.status is Status.FAILED and "not finite" in output.reason
    assert jumps(loop.commands).max() <= 1.0 + 1e-9
    assert speeds["let go"] < 1e-6 and "retreat" in speeds


def test_an_object_that_vanishes_while_the_arm_moves_makes_no_jump() -> None:
    loop = loop_with(ByRule())

    def note(output: ControlOutput) -> None:
        if output.phase == "grasp" and np.linalg.norm(output.velocity) > 0.3:
            loop.scene = Scene(loop.scene.stamp + 1e-3, "state", {})

    output = loop.run("pick", object="red_block", on_tick=note)
    assert output.status is Status.FAILED and "red_block" in output.reason
    assert jumps(loop.commands).max() <= 1.0 + 1e-9


def test_a_swap_while_the_tool_moves_does_not_jump() -> None:
    def pushing(way: float) -> bytes:
        return linear_policy(twist_contract(), bias=np.array([0.0, way, 0.0, 0.0, 1.0]), outputs=5)

    factory = OnnxFactory(PROFILE, [OnnxPolicy(pushing(0.6), PROFILE, "left")])
    loop = Loop()
    loop.runner = SkillRunner(SKILLS, {"pick": factory}, PROFILE)
    loop.start("pick", object="red_block")
    sideways: list[float] = []
    while len(sideways) < 80:
        if loop.tick().phase == "grasp":
            jacobian = loop.kinematics.tool_jacobian(loop.states[-1].position)[1]
            sideways.append(float(jacobian[1] @ loop.commands[-1].velocity))
            if len(sideways) == 40:
                factory.slot("pick").swap(pushing(-0.6), "right")
    assert sideways[39] > 0.1 and sideways[-1] < -0.1
    assert jumps(loop.commands).max() <= 1.0 + 1e-9


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"rate": 25.0}, "its rate is 25 Hz, not 50 Hz"),
        (
            {"action": ActionSpec(meaning="tool_twist", scale=(0.2, 0.25, 0.25, 1.5, 0.08))},
            "its scale is 0.2, 0.25, 0.25, 1.5, 0.08, not 0.25, 0.25, 0.25, 1.5, 0.08",
        ),
        ({"style": StyleSpec(slowest=0.4)}, "its slowest style is 0.4, not 0.5"),
        ({"style": None}, "its slowest style is none, not 0.5"),
    ],
)
def test_what_a_running_skill_relies_on_cannot_be_swapped(changes: dict[str, object], said: str) -> None:
    slot = PolicySlot(ByRule(), PROFILE)
    before = slot.policy
    with pytest.raises(ReinsError, match=f"policy 'second' is refused: {said}$"):
        slot.swap(linear_policy(twist_contract(**changes), outputs=5), "second")
    assert slot.policy is before
    slot.swap(linear_policy(twist_contract(), outputs=5), "second")
    assert slot.policy.name == "second"


@pytest.mark.parametrize("scale, style, share", [(1.0, 1.0, 1.0), (0.75, 0.5, 1.0), (0.5, 0.0, 1.0), (0.25, 0.0, 0.5)])
def test_a_speed_constraint_becomes_a_style(scale: float, style: float, share: float) -> None:
    slot = PolicySlot(ByRule(), PROFILE)
    assert astuple(style_for(slot, scale)) == pytest.approx((style, share))


def test_the_policy_sees_the_style_that_the_task_asks_for() -> None:
    policy = ByRule()
    loop = loop_with(policy)
    output = loop.run("pick", [Constraint(kind="speed", scale=0.75)], object="red_block")
    assert output.status is Status.SUCCEEDED, output.reason
    assert {inputs.style for inputs in policy.inputs} == {0.5}


def test_a_policy_for_a_skill_that_no_policy_can_carry_out_is_refused() -> None:
    data = linear_policy(twist_contract(skills=("home",)), outputs=5)
    with pytest.raises(ReinsError, match="for skill 'home', which has no controller"):
        OnnxFactory(PROFILE, [OnnxPolicy(data, PROFILE, "p")])


def test_policies_that_ship_before_their_controller_does_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    for name, skill in (("pick", "pick"), ("later", "home")):
        (folder / f"{name}.onnx").write_bytes(linear_policy(twist_contract(name=name, skills=(skill,)), outputs=5))
    monkeypatch.setattr("reins.skills.onnx_factory.list_models", lambda: list_models(tmp_path))
    assert [policy.name for policy in shipped_policies(PROFILE)] == ["pick"]
    assert OnnxFactory(PROFILE).skills == ("pick",)
