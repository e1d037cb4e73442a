"""The phase in which a tool-twist policy acts: at its own rate, its commands ramped at the robot's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.footprints import yaw_of
from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.action import TwistDecoder
from reins.skills.object_follower import ObjectFollower
from reins.skills.observation import ObjectView, PolicyInput
from reins.skills.policy import PolicySlot
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.layout import seen
from reins.skills.scripted.phases import Phase, PhaseStep

PATIENCE: Final = 6.0
"""Longest that a policy may take at its own speed [s]; the longest episodes of its training."""

LOOK_WITHIN: Final = 3.0
"""Longest that the next look may take [s]: slow cameras give one a second."""

LASTING: Final = 0.1
"""A policy is done once its goal has been reached for this long [s]."""

REACHED: Final = 0.025
"""How near to its goal an object counts as there [m]."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a policy is to act.

    Attributes:
        value: from 0, cautious, to 1, fast: what it is told.
        share: further share of its speeds, 0 … 1.
    """

    value: float = 1.0
    share: float = 1.0


class Look(Phase):
    """Hold still until the scene has been seen since, so that it is known how the hand holds what it holds.

    Args:
        arm: the arm.
    """

    def __init__(self, arm: Arm) -> None:
        super().__init__("look", weight=0.3)
        self._arm = arm

    def begin(self, state: RobotState, scene: Scene) -> None:
        self._began = state.stamp

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        velocity, waited = self._arm.step(state), state.stamp - self._began
        late = f"the table was not looked at for {waited:.0f} s" if waited > LOOK_WITHIN else ""
        return PhaseStep(velocity, scene.stamp > self._began, min(1.0, waited / LOOK_WITHIN), late)


class RunPolicy(Phase):
    """Let a policy act until it has reached its goal, then brake; a failure is told once the arm stands, too.

    Args:
        name: of the phase.
        arm: the arm, for its kinematics and its speed scale.
        slot: the policy.
        object_id: the object that it looks at.
        goal: (3,) from the object as it is seen when the phase begins: where the object should be [m].
        done: whether the goal is reached, from the newest state, the object and the goal.
        style: how it is to act.
        grips: whether it moves the fingers, too.
        amiss: what can be seen to be wrong when it has not got there in time, as a clause; empty if that is not known.
    """

    def __init__(
        self,
        name: str,
        arm: Arm,
        slot: PolicySlot,
        object_id: str,
        goal: Callable[[ObjectView], FloatArray],
        done: Callable[[RobotState, ObjectView, FloatArray], bool],
        style: Style,
        weight: float = 2.0,
        grips: bool = True,
        amiss: Callable[[RobotState], str] = lambda _: "",
    ) -> None:
        super().__init__(name, weight)
        self._grips, self._amiss = grips, amiss
        self._patience = PATIENCE / style.share
        self._arm, self._slot, self._id = arm, slot, object_id
        self._goal_of, self._done_when = goal, done
        metadata = slot.policy.metadata
        self._style = style.value
        self._share = style.share * (metadata.style.share(style.value) if metadata.style else 1.0)
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
        self._arm.release()

    def step(self, state: RobotState, scene: Scene) -> PhaseStep:
        elapsed = state.stamp - self._began
        if not self._braking:
            try:
                self._go_on(state, scene)
            except ReinsError as error:  # the arm moves: whoever takes over from here must find it at rest
                self._failure = str(error)
        velocity = self._decoder.step()
        fraction = min(1.0, elapsed / self._patience)
        if self._braking:
            stands = not np.any(velocity)
            return PhaseStep(velocity, stands and not self._failure, fraction, self._failure if stands else "")
        if elapsed > self._patience and not self._failure:
            late = f"the policy '{self._slot.policy.name}' did not get there in {self._patience:.0f} s"
            self._failure = ": ".join(filter(None, (late, self._amiss(state))))
        if self._failure or self._reached >= LASTING * self._arm.profile.rates.command:
            self._braking = True
            self._decoder.brake()
        return PhaseStep(velocity, done=False, fraction=fraction)

    def _go_on(self, state: RobotState, scene: Scene) -> None:
        """Let the policy act where it is its turn, and see how long the goal has been reached for."""
        if self._count % self._hold == 0:
            self._act(state, scene)
        self._count += 1
        self._reached = self._reached + 1 if self._done_when(state, self._follower.view, self._goal) else 0

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
        if self._grips:
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
