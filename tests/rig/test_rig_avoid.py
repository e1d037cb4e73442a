"""What must not be touched, through the whole stack: the filter keeps off it, whatever plans and skills do."""

import numpy as np
import pytest

from reins.contracts.plan import Constraint, SkillCall
from reins.hardware.kinematics import Kinematics
from reins.rig import Rig, RigSettings, Tick
from reins.safety.settings import SafetySettings
from reins.skills.controller import Status

STATE = RigSettings(perception="state")


def test_dont_touch_is_in_force_while_the_task_runs_and_not_after() -> None:
    with Rig(STATE, seed=1) as rig:
        held_to: set[str] = set()
        rig._on_tick = lambda _tick: held_to.update(map(str, rig._monitor.rules.constraints.constraints))
        result = rig.run("put the red block in the blue bowl but don't touch the yellow block")
        assert result.outcome == "succeeded"
        assert held_to == {"avoid yellow_block"}
        assert not rig._monitor.rules.constraints.constraints


def test_a_skill_that_would_touch_what_is_forbidden_is_held_off_and_fails_in_time() -> None:
    """The skill is told of no rule, so it goes for the block; the monitor knows better."""
    with Rig(STATE, seed=1) as rig:
        block = rig.scene.find("yellow_block")
        rig._monitor.rules.add(Constraint(kind="avoid", object="yellow_block", set_by="operator"), "anna")
        closest, kinematics = [1.0], Kinematics(rig.profile)

        def watch(tick: Tick) -> None:
            tool = kinematics.tool_pose(tick.state.position).position
            closest[0] = min(closest[0], float(np.linalg.norm(tool - np.array(block.position))))

        rig._on_tick = watch
        output = rig.run_skill(SkillCall(skill="pick", arguments={"object": "yellow_block"}))
        assert output.status is Status.FAILED
        assert output.reason
        after = rig.world_state.objects["yellow_block"]
        assert np.allclose(after.position, block.position, atol=1e-3)
        assert closest[0] > block.size[2] / 2 + SafetySettings().keep_out_margin


@pytest.mark.parametrize("seed", [3, 8])
def test_tasks_beside_what_is_forbidden_still_succeed(seed: int) -> None:
    with Rig(STATE, seed=seed) as rig:
        result = rig.run("put the green block beside the red block but don't touch the yellow block")
        assert result.outcome == "succeeded", result.reason
