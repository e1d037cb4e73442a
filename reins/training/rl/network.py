"""Networks of the agents: fixed normalisation of what comes in, layer normalisation in the critics."""

from collections.abc import Mapping
from typing import Any, Final

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.sac.policies import MultiInputPolicy

from reins.hardware.robot import FloatArray
from reins.training.envs.core import terms_of
from reins.training.envs.tasks import FREE, TASKS

SCALES: Final[Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "tool_position": ((0.5, 0.0, 0.15), (0.10, 0.15, 0.10)),
    "tool_velocity": ((0.0,), (0.10,)),
    "tool_yaw": ((0.0,), (0.7,)),
    "style": ((0.5,), (0.3,)),
    "last_action": ((0.0,), (0.7,)),
    "gripper_width": ((0.04,), (0.02,)),
    "gripper_holding": ((0.5,), (0.5,)),
    "object_offset": ((0.0,), (0.04,)),
    "object_yaw": ((0.0,), (0.7,)),
    "object_size": ((0.04,), (0.004,)),
    "goal_offset": ((0.0,), (0.08,)),
    "goal_free": ((FREE / 2,), (FREE / 2,)),
}
"""Middle and spread of every term, in its own units: where it usually is over a task. Fixed, so that what the replay
buffer holds never means something else later, and a run without demonstrations sees what one with them sees."""

LARGEST: Final = 6.0
"""Normalised inputs are clipped here."""


def normalisation(task: str) -> tuple[FloatArray, FloatArray]:
    """(n,) shift and (n,) stretch of a network's input: the terms, the way to the goal, the rest of the goal."""
    parts = parts_of(task)
    shift = np.concatenate([np.broadcast_to(SCALES[name][0], size) for name, size in parts])
    spread = np.concatenate([np.broadcast_to(SCALES[name][1], size) for name, size in parts])
    return shift, 1.0 / spread


def parts_of(task: str) -> list[tuple[str, int]]:
    """Names and sizes of what a network's input is made of, in order."""
    parts = [(term.name, term.size) for term in terms_of(task)]
    return [*parts, ("goal_offset", 3), *[("goal_free", 1)] * (TASKS[task].goal_size - 3)]


class GoalExtractor(BaseFeaturesExtractor):
    """Joins an observation and its goal, as the way from the tool, and normalises them.

    Args:
        observation_space: of the environment.
        shift, stretch: (n,) of `normalisation`.
    """

    shift: torch.Tensor
    stretch: torch.Tensor

    def __init__(self, observation_space: gym.spaces.Dict, shift: list[float], stretch: list[float]) -> None:
        super().__init__(observation_space, len(shift))
        self.register_buffer("shift", torch.tensor(shift, dtype=torch.float32))
        self.register_buffer("stretch", torch.tensor(stretch, dtype=torch.float32))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """(b, n) normalised input of a network."""
        seen, goal = observations["observation"], observations["desired_goal"].float()
        joined = torch.cat((seen, goal[:, :3] - seen[:, :3], goal[:, 3:]), dim=1)
        return ((joined - self.shift) * self.stretch).clamp(-LARGEST, LARGEST)


class GoalPolicy(MultiInputPolicy):
    """SAC's policy with layer normalisation in the critics, which bounds what they say of actions never tried.

    Attributes:
        average: a running average of the actor: what is evaluated and exported. Off-policy actors jump from update to
            update, and their average does not.

    Source: P. Ball, L. Smith, I. Kostrikov, S. Levine, "Efficient online reinforcement learning with offline data",
    ICML 2023.
    """

    average: Any

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.average = self.make_actor()
        self.average.load_state_dict(self.actor.state_dict())
        self.average.requires_grad_(False)
        self.average.set_training_mode(False)

    def make_critic(self, features_extractor: BaseFeaturesExtractor | None = None) -> Any:
        critic: Any = super().make_critic(features_extractor)
        for index, network in enumerate(critic.q_networks):
            layers: list[torch.nn.Module] = []
            for layer in network[:-1]:
                layers.append(layer)
                if isinstance(layer, torch.nn.Linear):
                    layers.append(torch.nn.LayerNorm(layer.out_features))
            critic.q_networks[index] = torch.nn.Sequential(*layers, network[-1])
            setattr(critic, f"qf{index}", critic.q_networks[index])
        return critic


def policy_arguments(task: str, layers: tuple[int, ...]) -> dict[str, Any]:
    """`policy_kwargs` of an agent for a task."""
    shift, stretch = normalisation(task)
    return {
        "net_arch": list(layers),
        "optimizer_kwargs": {"fused": True},
        "features_extractor_class": GoalExtractor,
        "features_extractor_kwargs": {"shift": shift.tolist(), "stretch": stretch.tolist()},
    }
