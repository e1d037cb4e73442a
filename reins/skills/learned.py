"""Skills whose contact-rich part a tool-twist policy carries out; the scripts bring the hand there and away.

The policy runs at its own rate inside a phase, its commands are ramped at the robot's. What it did is measured, by the
gripper and by the scene, as what a script did is.
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from reins.contracts.plan import ArgumentValue
from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, GripperCommand, RobotState
from reins.skills.action import TwistDecoder
from reins.skills.object_follower import ObjectFollower
from reins.skills.observation import ObjectView, PolicyInput
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.footprint import yaw_of
from reins.skills.scripted.grasp import Grasp, grasp_failure
from reins.skills.scripted.hand import pointing_down, tool_yaw
from reins.skills.scripted.layout import Layout, seen
from reins.skills.scripted.phases import Grip, MoveTool, Phase, PhaseSequence, PhaseStep, Verify
from reins.skills.scripted.travel import lift, raised

LIFT: Final = 0.10
"""How high a pick policy lifts the object [m]: the goal that it was trained with."""

NEAR: Final = 0.10
"""Height over the grasp from which a policy takes over [m]: the middle of where its training began."""

PATIENCE: Final = 5.0
"""Longest that a policy may take [s]; the longest episodes of its training."""

LASTING: Final = 0.1
"""A policy is done once its goal has been reached for this long [s]."""

REACHED: Final = 0.025
"""How near to its goal an object counts as there [m]."""


class RunPolicy(Phase):
    """Let a policy act until it has reached its goal, then brake.

    Args:
        name: of the phase.
        arm: the arm, for its kinematics and its speed scale.
        slot: the policy.
        object_id: the object that it looks at.
        goal: (3,) from the object as it is seen when the phase begins: where the object should be [m].
        done: whether the goal is reached, from the newest state, the object and the goal.
        style: from 0, cautious, to 1, fast.
        share: further share of its speeds, 0 … 1.
    """

    def __init__(
        self,
        name: str,
        arm: Arm,
        slot: PolicySlot,
        object_id: str,
        goal: Callable[[ObjectView], FloatArray],
        done: Callable[[RobotState, ObjectView, FloatArray], bool],
        style: float = 1.0,
        share: float = 1.0,
        weight: float = 2.0,
    ) -> None:
        super().__init__(name, weight)
        self._arm, self._slot, self._id = arm, slot, object_id
        self._goal_of, self._done_when = goal, done
        metadata = slot.policy.metadata
        self._style = style
        self._share = share * (metadata.style.share(style) if metadata.style else 1.0)
        self._hold = max(1, round(arm.profile.rates.command / metadata.rate))
        self._decoder = TwistDecoder(metadata.action, arm.profile)

    def begin(self, state: RobotState, scene: Scene) -> None:
        view = self._look(scene)
        self._follower, self._seen = ObjectFollower(view), scene.stamp
        self._goal = self._goal_of(view)
        self._began = state.stamp
        self._count, self._reached, self._braking = 0, 0, False
        self._failure = ""
        self._slot.policy.reset()
        self._decoder.reset(self._arm.velocity.copy())

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        if self._count % self._hold == 0 and not self._braking:
            self._act(state, scene)
        self._count += 1
        velocity = self._decoder.step()
        elapsed = state.stamp - self._began
        fraction = min(1.0, elapsed / PATIENCE)
        if self._braking:
            stands = not np.any(velocity)
            return PhaseStep(velocity, stands and not self._failure, fraction, self._failure if stands else "")
        self._reached = self._reached + 1 if self._done_when(state, self._follower.view, self._goal) else 0
        if elapsed > PATIENCE:
            self._failure = f"the policy '{self._slot.policy.name}' did not get there in {PATIENCE:.0f} s"
        if self._failure or self._reached >= LASTING * self._arm.profile.rates.command:
            self._braking = True
            self._decoder.brake()
        return PhaseStep(velocity, done=False, fraction=fraction)

    def _act(self, state: RobotState, scene: Scene) -> None:
        """Ask the policy and aim at what it says."""
        tool, jacobian = self._arm.ik.kinematics.tool_jacobian(state.position)
        view = self._view(state, scene, tool)
        policy = self._slot.policy
        inputs = PolicyInput(
            state,
            tool,
            ToolPose(self._goal, tool.rotation),
            policy.last_action,
            jacobian[:3] @ state.velocity,
            view,
            self._style,
        )
        action = policy.act(inputs)
        self.gripper = self._decoder.gripper(action)
        posture = (state.position, state.reference, tool.position, tool.rotation, jacobian)
        self._decoder.aim(action, self._share, *posture)

    def _view(self, state: RobotState, scene: Scene, tool: ToolPose) -> ObjectView:
        if state.gripper_holding:
            return self._follower.carry(tool.position, tool.rotation)
        if scene.stamp != self._seen:
            self._seen = scene.stamp
            return self._follower.see(self._look(scene))
        return self._follower.loose()

    def _look(self, scene: Scene) -> ObjectView:
        item = seen(scene, self._id)
        return ObjectView(np.array(item.position), yaw_of(item.orientation), np.array(item.size))


Values = Mapping[str, ArgumentValue]

Style = tuple[float, float]
"""Style of a policy, and a further share of its speeds."""


def pick(
    arm: Arm, layout: Layout, slot: PolicySlot, style: Style, values: Values, state: RobotState, scene: Scene
) -> PhaseSequence:
    """Grasp an object and lift it: the policy from over the object until it is in the air.

    Raises:
        ReinsError: it cannot be grasped where it is; says why.
    """
    object_id = str(values["object"])
    grasp = Grasp(arm, layout, object_id, state, scene)
    opened = GripperCommand(grasp.opening, layout.profile.gripper.grasp_force)

    def near(now: RobotState, fresh: Scene) -> ToolPose:
        pose, above = grasp.at(now, fresh), grasp.above(now, fresh)
        x, y, z = pose.position.tolist()
        return pointing_down(x, y, min(z + NEAR, float(above.position[2])), tool_yaw(pose))

    def lifted(now: RobotState, view: ObjectView, goal: FloatArray) -> bool:
        return now.gripper_holding and float(np.linalg.norm(view.position - goal)) < REACHED

    phases: list[Phase] = [
        lift(arm, layout, gripper=opened),
        MoveTool("approach", arm, grasp.above, gripper=opened, follow=True, weight=2.0),
        MoveTool("near", arm, near, gripper=opened, weight=0.3),
        Grip("open", arm, opened, least=0.0, weight=0.1),
        RunPolicy(
            "grasp",
            arm,
            slot,
            object_id,
            lambda view: view.position + np.array([0.0, 0.0, LIFT]),
            lifted,
            *style,
        ),
        Verify("check", arm, lambda now, _: grasp_failure(now, object_id, grasp.width)),
        MoveTool("raise", arm, raised(arm, layout)),
        Verify("hold", arm, lambda now, _: "" if now.gripper_holding else f"{object_id} slipped out of the gripper"),
    ]
    away: list[Phase] = [Grip("let go", arm, opened), MoveTool("retreat", arm, raised(arm, layout))]
    return PhaseSequence(arm, phases, retreat=away)


LearnedBuilder = Callable[[Arm, Layout, PolicySlot, Style, Values, RobotState, Scene], PhaseSequence]

LEARNED: Final[Mapping[str, LearnedBuilder]] = {"pick": pick}
"""How each skill with a tool-twist policy is built, by name."""


def style_for(slot: PolicySlot, scale: float) -> Style:
    """Style and further share of the speeds of a policy, from the scale of a task's speed constraint, 0 … 1.

    The slowest style is what the policy was trained with at least; below it, its speeds are scaled down further.
    """
    spec = slot.policy.metadata.style
    if spec is None or spec.slowest >= 1.0:
        return 1.0, scale
    style = (scale - spec.slowest) / (1.0 - spec.slowest)
    return max(0.0, style), min(1.0, scale / spec.slowest)
