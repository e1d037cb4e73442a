"""A state or an object that makes no sense is none to the nodes that compute with it: they live on, and nothing moves.

A driver's single NaN must not end the process that runs a skill, and with it the graph.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros

from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene, SceneObject
from reins.demo.session import free_domain
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.nodes.base import ManagedNode
from reins.nodes.convert import robot_state_to_msg
from reins.nodes.convert_scene import scene_to_msg
from reins.nodes.skill_worker import Job, JobResult
from reins.nodes.skills import SkillsNode
from reins.nodes.teleop import TeleopNode

pytestmark = pytest.mark.ros

HOME = np.array(load_profile("franka").home)
ZERO = np.zeros(len(HOME))
GOOD = RobotState(5.0, HOME, ZERO, ZERO, HOME, gripper_width=0.04, gripper_holding=False, sequence=0)
NAN = np.full(len(HOME), np.nan)
BLOCK = SceneObject("red_block", "block", "red", (0.5, 0.0, 0.02), (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, 0.04), 1.0, 5.0)

SENSELESS_STATES = {
    "position that is no number": replace(GOOD, position=NAN),
    "infinite position": replace(GOOD, position=np.full(len(HOME), np.inf)),
    "too few joints": replace(GOOD, position=HOME[:3]),
    "no joints": replace(GOOD, position=HOME[:0]),
    "far too many joints": replace(GOOD, position=np.zeros(500)),
    "velocity that is no number": replace(GOOD, velocity=NAN),
    "velocity of too few joints": replace(GOOD, velocity=ZERO[:2]),
}

SENSELESS_OBJECTS = {
    "place that is no number": replace(BLOCK, position=(float("nan"), 0.0, 0.0)),
    "place without end": replace(BLOCK, position=(float("inf"), 0.0, 0.0)),
    "place beyond all": replace(BLOCK, position=(1e300, 0.0, 0.0)),
    "turn that is no number": replace(BLOCK, orientation=(float("nan"),) * 4),
    "no turn at all": replace(BLOCK, orientation=(0.0, 0.0, 0.0, 0.0)),
    "size that is no number": replace(BLOCK, size=(float("nan"),) * 3),
    "size below nothing": replace(BLOCK, size=(-1.0, 0.04, 0.04)),
}

PICK = SkillCall(skill="pick", arguments={"object": "red_block"})


@pytest.fixture
def configured() -> Iterator[Callable[[type], Any]]:
    """Makes a node that is configured: its handlers are called by hand."""
    nodes: list[ManagedNode[Any]] = []

    def make(kind: type) -> Any:
        rclpy.init(args=[], domain_id=free_domain())
        nodes.append(kind())
        nodes[-1].trigger_configure()
        assert nodes[-1].state == "inactive"
        return nodes[-1]

    yield make
    for made in nodes:
        made.close()
        made.destroy_node()
    try_shutdown()


class Skills:
    """A skills node, and what it commands."""

    def __init__(self, node: SkillsNode) -> None:
        self._node = node
        self._stamp = GOOD.stamp
        self.results: list[JobResult] = []
        self.sent: list[ros.JointCommand] = []
        node._commands = self  # type: ignore[assignment]

    def publish(self, command: ros.JointCommand) -> None:
        self.sent.append(command)

    def begin(self, item: SceneObject) -> None:
        self._node._on_scene(scene_to_msg(Scene(5.0, "test", {item.id: item}), "base"))
        self._node._worker.submit(Job(PICK, (), self.results.append), 0.0)

    def say(self, state: RobotState, count: int) -> None:
        for _ in range(count):
            self._stamp += 0.01
            self._node._on_state(robot_state_to_msg(replace(state, stamp=self._stamp), armed=True))


@pytest.mark.parametrize("state", SENSELESS_STATES.values(), ids=SENSELESS_STATES.keys())
def test_a_skill_takes_no_notice_of_a_senseless_state(configured: Callable[[type], Any], state: RobotState) -> None:
    skills = Skills(configured(SkillsNode))
    skills.begin(BLOCK)
    skills.say(state, 3)
    assert skills.sent == [], "nor does it begin with one"
    skills.say(GOOD, 5)
    before = len(skills.sent)
    assert before > 0
    skills.say(state, 5)
    assert len(skills.sent) == before
    skills.say(GOOD, 5)
    assert len(skills.sent) == before + 5 and skills.results == []


@pytest.mark.parametrize("item", SENSELESS_OBJECTS.values(), ids=SENSELESS_OBJECTS.keys())
def test_there_is_no_object_that_makes_no_sense(configured: Callable[[type], Any], item: SceneObject) -> None:
    skills = Skills(configured(SkillsNode))
    skills.begin(item)
    skills.say(GOOD, 3)
    (result,) = skills.results
    assert not result.success and "no object 'red_block'" in result.reason
    assert skills.sent == []


@pytest.mark.parametrize("state", SENSELESS_STATES.values(), ids=SENSELESS_STATES.keys())
def test_teleop_takes_no_notice_of_a_senseless_state(
    configured: Callable[[type], Any], state: RobotState, monkeypatch: pytest.MonkeyPatch
) -> None:
    node: TeleopNode = configured(TeleopNode)
    waiting: list[ros.RobotState] = []
    monkeypatch.setattr(node._states, "drain", lambda: [waiting.pop() for _ in range(len(waiting))])
    seen: list[RobotState] = []
    monkeypatch.setattr(node._core, "step", lambda state, _t: seen.append(state))
    waiting.append(robot_state_to_msg(state, armed=True))
    node._tick(0.0)
    assert seen == [], "there is none yet"
    for said in (GOOD, state):
        waiting.append(robot_state_to_msg(said, armed=True))
        node._tick(0.0)
    assert len(seen) == 2 and all(np.array_equal(one.position, HOME) for one in seen)
