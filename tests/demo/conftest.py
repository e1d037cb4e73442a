"""A short recording of a simulated arm that moves one joint, shared by the demo's tests."""

import numpy as np
import pytest

from reins.contracts.event import SafetyEvent, Severity
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.demo.recording import Recording
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import SafeCommand
from reins.nodes.outcomes import TaskProgress
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import WorldSpec, load_world

PERIOD = 0.01
DURATION = 0.6
SPEED = 0.5
LOOKING = TaskProgress("looking", None, 0, "", "", 0.0)


@pytest.fixture(scope="session")
def profile() -> RobotProfile:
    return load_profile("franka")


@pytest.fixture(scope="session")
def world() -> WorldSpec:
    return load_world("tabletop")


@pytest.fixture(scope="session")
def plan() -> Plan:
    return Plan(
        thought="red_block must be in blue_bowl",
        steps=(
            SkillCall(skill="pick", arguments={"object": "red_block"}),
            SkillCall(skill="place_in", arguments={"container": "blue_bowl"}),
        ),
        constraints=(Constraint(kind="avoid", object="yellow_block"),),
    )


@pytest.fixture(scope="session")
def recording(profile: RobotProfile, world: WorldSpec, plan: Plan) -> Recording:
    robot = MujocoRobot(profile, world, seed=1)
    robot.connect()
    made = Recording(caption="A red block is on the table.")
    velocity = np.zeros(len(profile.joints))
    velocity[0] = SPEED
    assert plan.steps is not None
    acting = TaskProgress("acting", plan, 0, str(plan.steps[0]), "approach", 0.5)
    reference = robot.read().position.copy()
    made.on_plan(0.0, plan)
    for index in range(round(DURATION / PERIOD)):
        state = robot.read()
        made.on_state(state)
        if index % 10 == 0:
            made.on_world(robot.world_state())
        made.on_progress(LOOKING if index < 20 else acting)
        robot.write(SafeCommand(index + 1, state.stamp, PERIOD, reference.copy(), velocity))
        reference += velocity * PERIOD
        robot.step(PERIOD)
    made.on_event(SafetyEvent(0.2, Severity.WARN, "limit_clipped", "skill", "fr3_joint1 was slowed <down>"))
    made.on_mode(0.0, "ready", "")
    made.finish()
    robot.close()
    return made
