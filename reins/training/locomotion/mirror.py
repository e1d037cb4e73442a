"""Left and right are alike: a policy that does with what it sees mirrored what is mirrored of what it does.

Its networks see everything twice, as it is and mirrored, and what they make of the two is brought together. What is
learnt on one side is known on the other, whatever is learnt. Images as further samples would not do: under a policy
that is not symmetrical yet they are improbable, and PPO's ratios of them grow without bound.

Source: Z. Su et al., "Leveraging symmetry in RL-based legged locomotion control", IROS 2024 (equivariant networks learn
faster than augmented samples).
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn

from reins.locomotion.observation import ACTIONS, SIZE, mirrored, mirrored_action
from reins.training.network import Mlp


class SymmetricPolicy(ActorCriticPolicy):
    """Stable-Baselines3's multilayer perceptrons; the mean action of a mirrored observation is the mirrored mean
    action, and both are of the same value."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        extractor, action, value = self.mlp_extractor, self.action_net, self.value_net
        assert isinstance(action, nn.Linear) and isinstance(value, nn.Linear)
        self.mlp_extractor = _SeesBoth(extractor, _seen_matrix())  # type: ignore[assignment]
        self.action_net = _BringsTogether(action, _action_matrix())
        self.value_net = _BringsTogether(value, torch.eye(1))  # type: ignore[assignment]
        with torch.no_grad():
            action.weight.zero_()

    def mean_network(self) -> Mlp:
        """The mean action as a plain network, of twice the width."""
        together = self.action_net
        assert isinstance(together, _BringsTogether)
        layers = [layer for layer in self.mlp_extractor.policy_net if isinstance(layer, nn.Linear)]
        network = Mlp(SIZE, [2 * layer.out_features for layer in layers], ACTIONS)
        first, *inner, last = network.linear
        one, other = together.layer.weight / 2.0, together.back.T @ together.layer.weight / 2.0
        bias = together.layer.bias
        with torch.no_grad():
            first.weight.copy_(torch.cat([layers[0].weight, layers[0].weight @ _seen_matrix().T]))
            for ours, theirs in zip(inner, layers[1:], strict=True):
                ours.weight.copy_(torch.block_diag(theirs.weight, theirs.weight))
            for ours, theirs in zip([first, *inner], layers, strict=True):
                ours.bias.copy_(theirs.bias.repeat(2))
            last.weight.copy_(torch.cat([one, other], dim=1))
            last.bias.copy_((bias + bias @ together.back) / 2.0)
        return network


class _SeesBoth(nn.Module):
    """Features of (b, SIZE) observations, and behind them those of their images."""

    image: torch.Tensor

    def __init__(self, extractor: MlpExtractor, image: torch.Tensor) -> None:
        super().__init__()
        self.policy_net, self.value_net = extractor.policy_net, extractor.value_net
        self.register_buffer("image", image, persistent=False)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """For the action, and for the value."""
        return self.forward_actor(seen), self.forward_critic(seen)

    def forward_actor(self, seen: torch.Tensor) -> torch.Tensor:
        """For the action."""
        return torch.cat([self.policy_net(seen), self.policy_net(seen @ self.image)], dim=1)

    def forward_critic(self, seen: torch.Tensor) -> torch.Tensor:
        """For the value."""
        return torch.cat([self.value_net(seen), self.value_net(seen @ self.image)], dim=1)


class _BringsTogether(nn.Module):
    """The mean of what a layer makes of the two, the second one mirrored back."""

    back: torch.Tensor

    def __init__(self, layer: nn.Linear, back: torch.Tensor) -> None:
        super().__init__()
        self.layer = layer
        self.register_buffer("back", back, persistent=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(b, outputs)."""
        one, other = features.chunk(2, dim=1)
        both: torch.Tensor = (self.layer(one) + self.layer(other) @ self.back) / 2.0
        return both


def _seen_matrix() -> torch.Tensor:
    """(SIZE, SIZE): a row of numbers times it is the image of what is seen."""
    return _float(mirrored(np.eye(SIZE)))


def _action_matrix() -> torch.Tensor:
    """(ACTIONS, ACTIONS): likewise of an action."""
    return _float(mirrored_action(np.eye(ACTIONS)))


def _float(matrix: NDArray[np.float64]) -> torch.Tensor:
    return torch.from_numpy(matrix.astype(np.float32))
