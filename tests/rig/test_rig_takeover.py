"""Taking over by hand in lock-step: the same task, the same physics, no ROS."""

import numpy as np
import pytest

from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import GripperCommand, JointCommand, RobotState
from reins.rig import Rig, RigSettings, Tick
from reins.sim.predicates import is_in, is_touched

DEMO = "put the red block in the blue bowl but don't touch the yellow block"
PERIOD = 0.01


class Hand:
    """Takes over when the gripper has held something for a while, turns the elbow, opens the gripper, hands back.

    Args:
        profile: the robot.
        hands_back: whether they do.
    """

    LIFTS = 1.0
    DRIVES = 1.0
    WAITS = 1.5

    def __init__(self, profile: RobotProfile, hands_back: bool = True) -> None:
        self._profile, self._hands_back = profile, hands_back
        self._sequence, self._empty = 0, 0.0
        self.began: float | None = None

    def command(self, state: RobotState) -> JointCommand | None:
        if not state.gripper_holding and self.began is None:
            self._empty = state.stamp
        if self.began is None and state.stamp - self._empty > self.LIFTS:
            self.began = state.stamp
        if self.began is None or state.stamp - self.began >= self.DRIVES:
            return None
        self._sequence += 1
        velocity = np.zeros(len(self._profile.joints))
        velocity[3] = 0.2
        opened = self._sequence == round(self.DRIVES / PERIOD / 2)
        gripper = GripperCommand(self._profile.gripper.max_width, self._profile.gripper.grasp_force) if opened else None
        return JointCommand(
            "teleop", self._sequence, state.stamp, PERIOD, self._profile.joint_names, velocity, self.began, gripper
        )

    def hands_back(self, state: RobotState) -> bool:
        return self._hands_back and self.began is not None and state.stamp - self.began > self.DRIVES + self.WAITS


@pytest.fixture(scope="module")
def profile() -> RobotProfile:
    return load_profile("franka")


def settings(limit: float = 240.0) -> RigSettings:
    return RigSettings(perception="state", task_time_limit=limit)


def test_the_task_is_finished_after_the_hand_back(profile: RobotProfile) -> None:
    hand, ticks = Hand(profile), list[Tick]()
    with Rig(settings(), seed=1, on_tick=ticks.append, operator=hand) as rig:
        result = rig.run(DEMO)
        world = rig.world_state
    assert result.outcome == "succeeded", result.reason
    assert result.replans == 0
    assert "while you drove: red_block no longer held" in result.reason
    assert is_in(world, "red_block", "blue_bowl") and not is_touched(world, "yellow_block")
    assert [call.skill for call, _ in result.skills].count("pick") == 2
    kinds = [event.kind for event in result.events]
    assert kinds.index("teleop_released") < kinds.index("handed_back")
    assert hand.began is not None
    held = [t.state for t in ticks if hand.began + hand.DRIVES + 0.5 < t.state.stamp < hand.began + hand.DRIVES + 1.4]
    assert held and max(np.abs(state.velocity).max() for state in held) < 0.02, "it waits for the hand-back"


def test_an_operator_who_never_hands_back_ends_the_task_in_time(profile: RobotProfile) -> None:
    with Rig(settings(limit=30.0), seed=1, operator=Hand(profile, hands_back=False)) as rig:
        result = rig.run(DEMO)
    assert result.outcome == "cancelled" and "did not hand back" in result.reason
    assert result.duration == pytest.approx(30.0, abs=0.1)
