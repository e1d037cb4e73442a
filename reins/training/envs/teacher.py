"""Demonstrations: the scripted phases of a skill, converted to the actions of its environment.

A teacher sees what a policy sees: the measured state and the object as the camera has it. Its phases are the scripts';
the arm below them asks for tool twists instead of joint velocities.
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.controller import Status
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.footprint import wrapped
from reins.skills.scripted.hand import pointing_down, tool_yaw
from reins.skills.scripted.layout import LOWEST_GRASP, grasp_above_underside
from reins.skills.scripted.phases import Grip, MoveTool, Phase, PhaseSequence, Verify
from reins.skills.scripted.spots import RELEASE_GAP, RELEASE_OPENING
from reins.training.envs.core import ACTION, SkillEnv
from reins.training.envs.goal_arm import GoalArm
from reins.training.envs.tasks import CLEAR, LIFT, SUBJECT

SPEED: Final = 0.22
"""Speed of a demonstration at style 1 [m/s]: a little below what an action of 1 means, so that it can correct."""

TURN: Final = 1.3
"""The same of its turns [rad/s]."""

STROKE: Final = 0.5
"""Scale of the speed while pushing: the object must not slide on."""

RISE: Final = 0.02
"""How far beyond CLEAR it rises after letting go [m]."""


class Teacher:
    """Demonstrates one episode. Make it right after the environment's reset.

    Args:
        env: the environment.
    """

    def __init__(self, env: SkillEnv) -> None:
        self._env = env
        self._arm = GoalArm(env.profile, env.share * SPEED, env.share * TURN)
        state, scene = env.state, self._scene(env.state)
        self._sequence: PhaseSequence | None = self._phases()
        self._gripper = -1.0 if env.setup.grasped or env.setup.width == 0.0 else env.setup.width / ACTION.scale[4]
        self._scale = np.array(ACTION.scale[:4]) * env.share
        assert state.stamp == scene.stamp

    def act(self) -> NDArray[np.float32]:
        """(5,) what it would do now, in [-1, 1]."""
        state = self._env.state
        action = np.zeros(5)
        if self._sequence is not None:
            output = self._sequence.step(state, self._scene(state))
            if output.gripper is not None:
                width = output.gripper.width
                self._gripper = -1.0 if width < 1e-3 else width / ACTION.scale[4]
            if output.status is not Status.RUNNING:
                # What went wrong is shown how to put right; what is done is done.
                self._sequence = self._phases() if output.status is Status.FAILED else None
            action[:4] = self._arm.twist / self._scale
        action[4] = self._gripper
        return np.clip(action, -1.0, 1.0).astype(np.float32)

    def _phases(self) -> PhaseSequence:
        """The phases from where the hand is now."""
        env, name = self._env, self._env.task.name
        retreat = _let_go(env, self._arm) if name == "pick" else []
        return PhaseSequence(self._arm, PHASES[name](env, self._arm), retreat)

    def _scene(self, state: RobotState) -> Scene:
        """The scene as perception would have it: the object as it was seen last."""
        view = self._env.view_input.target
        if view is None:
            return Scene(state.stamp, "camera")
        x, y, z = view.position.tolist()
        half = view.yaw / 2
        item = SceneObject(
            id=SUBJECT,
            label="block",
            colour="red",
            position=(x, y, z),
            orientation=(0.0, 0.0, float(np.sin(half)), float(np.cos(half))),
            size=(float(view.size[0]), float(view.size[1]), float(view.size[2])),
            confidence=1.0,
            last_seen=state.stamp,
        )
        held = SUBJECT if state.gripper_holding else None
        return Scene(state.stamp, "camera", {SUBJECT: item}, relations_between([item], held))


def _reach(env: SkillEnv, arm: Arm) -> list[Phase]:
    x, y, z = env.setup.goal.tolist()
    yaw = tool_yaw(env.tool)
    return [MoveTool("reach", arm, lambda _state, _scene: pointing_down(x, y, z, yaw))]


def _push(env: SkillEnv, arm: Arm) -> list[Phase]:
    setup = env.setup
    view = env.view_input.target
    assert view is not None
    way = np.array([np.cos(setup.direction), np.sin(setup.direction)])
    z = float(env.tool.position[2])
    size, yaw = view.size, view.yaw
    turn = tool_yaw(env.tool) + wrapped(setup.direction - tool_yaw(env.tool), np.pi)
    height = max(LOWEST_GRASP, float(view.position[2] - size[2] / 8))
    reach = size[0] / 2 * abs(np.cos(setup.direction - yaw)) + size[1] / 2 * abs(np.sin(setup.direction - yaw))
    contact = float(reach) + 0.0105
    # The stroke goes through the object's middle, whatever the start was off it.
    start = view.position[:2] - (contact + 0.015) * way
    end = setup.goal[:2] - contact * way

    def pose(place: NDArray[np.float64], level: float) -> Callable[[RobotState, Scene], ToolPose]:
        return lambda _state, _scene: pointing_down(float(place[0]), float(place[1]), level, turn)

    assert z > height
    return [
        MoveTool("approach", arm, pose(start, max(z, height + 0.045))),
        MoveTool("descend", arm, pose(start, height)),
        MoveTool("push", arm, pose(end, height), scale=STROKE),
    ]


def _pick(env: SkillEnv, arm: Arm) -> list[Phase]:
    start = env.tool
    closed = GripperCommand(0.0, env.profile.gripper.grasp_force)

    def at(_state: RobotState, scene: Scene) -> ToolPose:
        item = scene.find(SUBJECT)
        x, y, z = item.position
        yaw = tool_yaw(start) + wrapped(
            2.0 * np.arctan2(item.orientation[2], item.orientation[3]) - tool_yaw(start), np.pi / 2
        )
        height = max(LOWEST_GRASP, z - item.size[2] / 2 + grasp_above_underside(item.size[2]))
        return pointing_down(x, y, height, yaw)

    def up(state: RobotState, scene: Scene) -> ToolPose:
        now = arm.tool(state)
        gap = env.setup.goal - np.array(scene.find(SUBJECT).position)
        x, y, z = (now.position + gap).tolist()
        return pointing_down(x, y, z if gap[2] > 0.02 else z + LIFT, tool_yaw(now))

    def lost(state: RobotState) -> str:
        return "" if state.gripper_holding else "nothing is held"

    return [
        MoveTool("descend", arm, at, gripper=_opened(env)),
        Grip("close", arm, closed),
        Verify("check", arm, lambda state, _scene: lost(state)),
        MoveTool("raise", arm, up, guard=lost),
    ]


def _opened(env: SkillEnv) -> GripperCommand:
    """Fingers open around the object."""
    width = min(0.08, max(env.setup.width, float(env.task.size()[1]) + 0.012))
    return GripperCommand(width, env.profile.gripper.grasp_force)


def _let_go(env: SkillEnv, arm: Arm) -> list[Phase]:
    """Open the fingers and rise to where they are clear of the object, for another try."""

    def up(state: RobotState, scene: Scene) -> ToolPose:
        now = arm.tool(state)
        x, y, z = now.position.tolist()
        return pointing_down(x, y, max(z, scene.find(SUBJECT).top + 0.02), tool_yaw(now))

    return [Grip("open", arm, _opened(env)), MoveTool("retreat", arm, up)]


def _put_down(env: SkillEnv, arm: Arm) -> list[Phase]:
    setup = env.setup
    size = env.task.size()
    opened = GripperCommand(min(0.08, float(size[1]) + RELEASE_OPENING), env.profile.gripper.grasp_force)

    def at(gap: float) -> Callable[[RobotState, Scene], ToolPose]:
        def goal(state: RobotState, scene: Scene) -> ToolPose:
            now = arm.tool(state)
            offset = setup.goal[:3] - np.array(scene.find(SUBJECT).position)
            x, y, z = (now.position + offset).tolist()
            return pointing_down(x, y, z + gap, tool_yaw(now))

        return goal

    def away(state: RobotState, _scene: Scene) -> ToolPose:
        now = arm.tool(state)
        x, y, z = now.position.tolist()
        return pointing_down(x, y, z + CLEAR + RISE, tool_yaw(now))

    return [
        MoveTool("lower", arm, at(RELEASE_GAP), until_contact=True),
        Grip("release", arm, opened),
        MoveTool("retreat", arm, away),
    ]


PHASES: Final[Mapping[str, Callable[[SkillEnv, Arm], list[Phase]]]] = {
    "reach": _reach,
    "push": _push,
    "pick": _pick,
    "place": _put_down,
    "stack": _put_down,
}
"""The scripted phases that demonstrate each task."""
