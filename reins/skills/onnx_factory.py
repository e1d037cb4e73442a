"""OnnxFactory: skills whose motions a trained policy makes, with the scripts' way of composing them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.plan import ArgumentValue, Constraint
from reins.contracts.scene import Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.models.metadata import TOOL_TWIST
from reins.models.registry import list_models
from reins.skills.controller import SkillController
from reins.skills.learned.builders import LEARNED, style_for
from reins.skills.observation import PolicyInput
from reins.skills.policy import OnnxPolicy, PolicySlot, load_policy
from reins.skills.pose_ik import pose_error
from reins.skills.scripted.arm import TURN_LENGTH, Arm
from reins.skills.scripted.factory import BUILDERS
from reins.skills.scripted.layout import Layout, avoided_by, speed_scale

KIND: Final = "policies"
"""Folder of `reins.models` that holds policies."""

TOLERANCE: Final = 0.01
"""How close to its goal a policy must bring the tool [m]; a radian counts as TURN_LENGTH."""

SOFT_START: Final = 0.25
"""Time over which a motion comes up to the policy's speed [s]."""

PROGRESS: Final = 0.002
"""A policy that comes no closer than this within the arm's STUCK_AFTER is stuck [m]."""


class PolicyArm(Arm):
    """An arm whose tool motions are made by a policy; the joints' bounds and the tool's speed hold all the same.

    Args:
        profile: the robot.
        slot: the policy.
        scale: scale of every speed, 0 … 1.
    """

    tolerance = TOLERANCE

    def __init__(self, profile: RobotProfile, slot: PolicySlot, scale: float = 1.0) -> None:
        super().__init__(profile, scale)
        self._slot = slot
        self._goal: ToolPose | None = None
        self._first = self._closest = float("inf")
        self._since = 0.0
        slot.policy.reset()

    def go_to(self, goal: ToolPose, state: RobotState, scale: float = 1.0) -> None:
        """Let the policy bring the tool to `goal`; see `Arm.go_to`."""
        self._limits = self.limits.scaled(scale)
        self._share = scale
        self._goal = goal
        self._first = self._closest = self._error = _distance(goal, self.tool(state))
        self._late = self._since = 0.0

    @property
    def fraction(self) -> float:
        """How much of the distance to its goal is covered, 0 … 1."""
        return float(np.clip(1.0 - self._error / max(self._first, self.tolerance), 0.0, 1.0))

    @property
    def remaining(self) -> float:
        """Infinite until the goal is reached: a policy does not say how long it will take."""
        return 0.0 if self._error <= self.tolerance else float("inf")

    def _wanted(
        self, state: RobotState, ahead: FloatArray, dt: float, lower: FloatArray, upper: FloatArray
    ) -> FloatArray:
        if self._goal is None:
            return np.clip(np.zeros_like(ahead), lower, upper)
        tool, jacobian = self.ik.kinematics.tool_jacobian(state.position)
        self._watch(_distance(self._goal, tool), dt)
        inputs = PolicyInput(state, tool, self._goal, self._slot.policy.last_action)
        self._since += dt
        share = self._share * self._scale * min(1.0, self._since / SOFT_START)
        velocity = np.clip(share * self._slot.policy.step(inputs), lower, upper)
        speed = float(np.linalg.norm(jacobian[:3] @ velocity))
        return np.clip(velocity * min(1.0, self._limits.speed / max(speed, 1e-9)), lower, upper)

    def _watch(self, error: float, dt: float) -> None:
        """Note how far the goal is, and for how long it has come no closer."""
        self._error = error
        closer = error < self._closest - PROGRESS
        self._late = 0.0 if closer or error <= self.tolerance else self._late + dt
        self._closest = min(self._closest, error) if closer else self._closest


class OnnxFactory:
    """Makes controllers that run policies, for the skills that there is a policy for.

    Args:
        profile: the robot.
        policies: the policies to use; by default those of `reins.models` that are made for this robot.

    Raises:
        ReinsError: a policy is refused, or two carry out the same skill.
    """

    def __init__(self, profile: RobotProfile, policies: Iterable[OnnxPolicy] | None = None) -> None:
        self._profile = profile
        self._slots: dict[str, PolicySlot] = {}
        for policy in shipped_policies(profile) if policies is None else policies:
            slot = PolicySlot(policy, profile)
            for skill in policy.metadata.skills:
                if skill not in _builders(policy):
                    raise ReinsError(f"policy '{policy.name}' is for skill '{skill}', which has no controller")
                if skill in self._slots:
                    raise ReinsError(f"policies '{self._slots[skill].policy.name}' and '{policy.name}' both do {skill}")
                self._slots[skill] = slot

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills that it carries out."""
        return tuple(sorted(self._slots))

    def slot(self, skill: str) -> PolicySlot:
        """The policy of a skill, to look at or to swap.

        Raises:
            ReinsError: no policy carries it out; says for which there is one.
        """
        if skill not in self._slots:
            known = ", ".join(f"{name} ({slot.policy.name})" for name, slot in sorted(self._slots.items())) or "none"
            raise ReinsError(f"there is no policy for skill '{skill}' (skills with a policy: {known})")
        return self._slots[skill]

    def accept(self, path: Path) -> OnnxPolicy:
        """Load a policy that can take the place of the one here that carries out its skills.

        Raises:
            ReinsError: no such file, or the policy is refused; says why. Nothing has changed then.
        """
        fresh = load_policy(path, self._profile)
        self.slot(fresh.metadata.skills[0]).check(fresh)
        return fresh

    def use(self, fresh: OnnxPolicy) -> None:
        """Use a policy that was accepted from its next step on, also in a skill that runs."""
        self.slot(fresh.metadata.skills[0]).use(fresh)

    def __call__(
        self,
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: RobotState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> SkillController:
        """A controller for one call.

        Raises:
            ReinsError: there is no policy for that skill, or the call cannot be carried out; says why.
        """
        slot, scale = self.slot(skill), speed_scale(constraints)
        layout = Layout(self._profile, avoided_by(constraints))
        if _acts_by_twist(slot.policy):
            arm = Arm(self._profile, scale)
            return LEARNED[skill](arm, layout, slot, style_for(slot, scale), arguments, state, scene)
        return BUILDERS[skill](PolicyArm(self._profile, slot, scale), layout, arguments, state, scene)


def shipped_policies(profile: RobotProfile) -> list[OnnxPolicy]:
    """The policies of `reins.models` that are made for this robot and that a controller here can run.

    Raises:
        ReinsError: one of them is refused.
    """
    entries = [entry for entry in list_models() if entry.kind == KIND and entry.robot == profile.name]
    policies = [load_policy(entry.path, profile) for entry in entries]
    return [policy for policy in policies if all(skill in _builders(policy) for skill in policy.metadata.skills)]


def _builders(policy: OnnxPolicy) -> Collection[str]:
    """Skills that a policy of its kind can carry out here."""
    return LEARNED if _acts_by_twist(policy) else BUILDERS


def _acts_by_twist(policy: OnnxPolicy) -> bool:
    return policy.metadata.action.meaning == TOOL_TWIST


def _distance(goal: ToolPose, tool: ToolPose) -> float:
    """Distance of the tool from its goal [m]; a radian counts as TURN_LENGTH."""
    error = pose_error(goal, tool)
    return float(np.linalg.norm(error[:3]) + TURN_LENGTH * np.linalg.norm(error[3:]))
