"""DemoSac: SAC that also learns from the demonstrations in its batches, as long as their share lasts."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import SAC
from stable_baselines3.common.utils import polyak_update
from torch.nn import functional

from reins.training.envs.core import Observation
from reins.training.rl.replay import MixedReplay

AVERAGED: Final = 0.002
"""Share that every gradient step has in the averaged actor."""


class DemoSac(SAC):
    """Soft actor-critic with demonstrations: mixed into every batch, and imitated where the critic thinks them better.

    Attributes:
        imitation: weight of imitation in the actor's loss, 0 without.
        warming: only the critics learn: they know nothing yet, and the actor has had its lessons.
        pace: part of the learning rate that the actor has.

    Source: A. Nair et al., "Overcoming exploration in reinforcement learning with demonstrations", ICRA 2018 (the
    filter); L. Chen et al., "RLingua", RA-L 2024 (the decaying share).
    """

    imitation: float = 0.0
    warming: bool = False
    pace: float = 1.0

    @property
    def average(self) -> Any:
        """The averaged actor: what is evaluated and exported."""
        return self.policy.average

    @property
    def steps(self) -> int:
        """Policy steps that it has learned from: what it was shown, what it tried, what it did by itself."""
        replay = self.replay_buffer
        assert isinstance(replay, MixedReplay)
        return self.num_timesteps + (0 if replay.demos is None else len(replay.demos))

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """Some gradient steps."""
        self.policy.set_training_mode(True)
        optimizers = [self.actor.optimizer, self.critic.optimizer]
        if self.ent_coef_optimizer is not None:
            optimizers.append(self.ent_coef_optimizer)
        self._update_learning_rate(optimizers)
        for group in self.actor.optimizer.param_groups:
            group["lr"] *= self.pace
        record: dict[str, float] = {}
        for _ in range(gradient_steps):
            record = self._gradient_step(batch_size)
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name, value in record.items():
            self.logger.record(f"train/{name}", value)

    def _gradient_step(self, batch_size: int) -> dict[str, float]:
        replay = self.replay_buffer
        assert isinstance(replay, MixedReplay)
        data = replay.sample(batch_size)
        mean, log_std, _ = self.actor.get_action_dist_params(data.observations)
        distribution: Any = self.actor.action_dist
        actions, log_prob = distribution.log_prob_from_params(mean, log_std)
        log_prob = log_prob.reshape(-1, 1)
        temperature = self._adapt_temperature(log_prob)
        record = {"critic_loss": self._learn_values(data, temperature), "temperature": float(temperature)}
        if not self.warming:
            record |= self._learn_actions(data, mean, actions, temperature * log_prob, replay.meant)
        polyak_update(self.critic.parameters(), self.critic_target.parameters(), self.tau)
        return record

    def _learn_actions(
        self, data: Any, mean: torch.Tensor, actions: torch.Tensor, cost: torch.Tensor, meant: torch.Tensor
    ) -> dict[str, float]:
        """A step of the actor and of its average; returns what it was told by."""
        for parameter in self.critic.parameters():
            parameter.requires_grad_(False)
        q_pi = torch.cat(self.critic(data.observations, actions), dim=1).min(dim=1, keepdim=True).values
        # Values grow with the horizon; what imitation weighs beside them must not shrink with it. Source: S. Fujimoto,
        # S. Gu, "A minimalist approach to offline reinforcement learning", NeurIPS 2021.
        size = float(q_pi.detach().abs().mean().clamp(min=1.0))
        actor_loss = (cost - q_pi).mean() / size
        imitated = self._imitation(data, torch.tanh(mean), q_pi, meant)
        for parameter in self.critic.parameters():
            parameter.requires_grad_(True)
        self.actor.optimizer.zero_grad()
        (actor_loss + self.imitation * imitated).backward()
        self.actor.optimizer.step()
        polyak_update(self.actor.parameters(), self.average.parameters(), AVERAGED)
        return {
            "actor_loss": float(actor_loss.detach()),
            "imitation_loss": float(imitated.detach()),
            "q": float(q_pi.detach().mean()),
        }

    def _adapt_temperature(self, log_prob: torch.Tensor) -> torch.Tensor:
        """The entropy's weight, after a step towards the target entropy."""
        if self.log_ent_coef is None or self.ent_coef_optimizer is None:
            return self.ent_coef_tensor
        loss = -(self.log_ent_coef * (log_prob + float(self.target_entropy)).detach()).mean()
        temperature = self.log_ent_coef.detach().exp()
        self.ent_coef_optimizer.zero_grad()
        loss.backward()
        self.ent_coef_optimizer.step()
        return temperature

    def _learn_values(self, data: Any, temperature: torch.Tensor) -> float:
        """A step of the critics; returns their loss."""
        with torch.no_grad():
            actions, log_prob = self.actor.action_log_prob(data.next_observations)
            after = (
                torch.cat(self.critic_target(data.next_observations, actions), dim=1).min(dim=1, keepdim=True).values
            )
            after = after - temperature * log_prob.reshape(-1, 1)
            # No reward is above 0 and none below -1, so neither is any value outside these bounds.
            target = data.rewards + (1.0 - data.dones) * self.gamma * after
            target = target.clamp(-1.0 / (1.0 - self.gamma), 0.0)
        loss = sum(functional.mse_loss(value, target) for value in self.critic(data.observations, data.actions))
        assert isinstance(loss, torch.Tensor)
        self.critic.optimizer.zero_grad()
        loss.backward()
        self.critic.optimizer.step()
        return float(loss.detach())

    def _imitation(self, data: Any, mean: torch.Tensor, q_pi: torch.Tensor, meant: torch.Tensor) -> torch.Tensor:
        """Squared distance from the teacher's actions, where the critic thinks them better than the agent's own."""
        rows = len(meant)
        if rows == 0 or self.imitation == 0.0:
            return torch.zeros(())
        with torch.no_grad():
            seen = {key: value[:rows] for key, value in data.observations.items()}
            better = torch.cat(self.critic(seen, meant), dim=1).min(dim=1, keepdim=True).values > q_pi[:rows]
        return (better * (mean[:rows] - meant).square().sum(dim=1, keepdim=True)).mean()


def policy_of(model: DemoSac) -> Callable[[Observation], NDArray[np.float32]]:
    """The agent's averaged policy without its noise."""

    def act(observation: Observation) -> NDArray[np.float32]:
        with torch.no_grad():
            batch = {key: torch.as_tensor(value[None], dtype=torch.float32) for key, value in observation.items()}
            action: NDArray[np.float32] = model.average(batch, deterministic=True)[0].numpy()
        return action

    return act
