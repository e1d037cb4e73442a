"""A person comes near in the middle of a task: the arm stands until they are gone, and the task goes on."""

import math

import numpy as np

from reins.rig import Rig, RigSettings, Tick
from reins.sim.predicates import is_in

NEAR, FROM, UNTIL = 0.2, 2.0, 32.0
"""Distance [m], and when they come and go [s]; longer than the limit of any skill."""


def test_the_task_waits_for_a_person_and_is_not_held_against_them() -> None:
    speeds: list[float] = []

    def look(tick: Tick) -> None:
        stamp = tick.state.stamp
        distance = NEAR if FROM <= stamp < UNTIL else math.inf
        rig._monitor.on_human_distance("lidar", distance, stamp)
        if FROM + 0.5 < stamp < UNTIL:
            speeds.append(float(np.abs(tick.state.velocity).max()))

    with Rig(RigSettings(perception="state"), seed=1) as rig:
        rig._on_tick = look
        result = rig.run("put the red block in the blue bowl")
        world = rig.world_state
    assert (result.outcome, result.replans) == ("succeeded", 0), result.reason
    assert is_in(world, "red_block", "blue_bowl")
    assert max(speeds) < 0.02 and result.duration > UNTIL - FROM
    assert [event.kind for event in result.events].count("human_near") == 2
