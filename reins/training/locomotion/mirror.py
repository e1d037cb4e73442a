"""Left and right are alike: every step that PPO learns from counts a second time as its mirror image.

Source: M. Mittal et al., "Symmetry considerations for learning task symmetric robot policies", ICRA 2024.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.type_aliases import RolloutBufferSamples

from reins.locomotion.observation import mirrored, mirrored_action


class MirroredRollouts(RolloutBuffer):
    """A rollout whose batches hold every step and its mirror image, with the same advantage.

    How likely an image's action was is asked of the policy before it changes: a network is not symmetrical, and with
    the original's likelihood every image would look like a policy that has moved. `mirror_rollouts` tells which policy.
    """

    policy: ActorCriticPolicy

    def reset(self) -> None:
        """Forget the rollout, and its images."""
        super().reset()
        self._images: RolloutBufferSamples | None = None

    def _get_samples(self, batch_inds: NDArray[np.int64], env: Any = None) -> RolloutBufferSamples:
        samples = super()._get_samples(batch_inds, env)
        if self._images is None:  # the first batch of the first pass: no gradient step has been made
            self._images = self._mirror(super()._get_samples(np.arange(self.buffer_size * self.n_envs)))
        pairs = zip(samples, self._images, strict=True)
        return RolloutBufferSamples(*(torch.cat([mine, image[batch_inds]]) for mine, image in pairs))

    def _mirror(self, samples: RolloutBufferSamples) -> RolloutBufferSamples:
        """The images of all steps."""

        def image(values: torch.Tensor, mirror: Any) -> torch.Tensor:
            return torch.from_numpy(mirror(values.numpy().astype(np.float64)).astype(np.float32))

        observations = image(samples.observations, mirrored)
        actions = image(samples.actions, mirrored_action)
        with torch.no_grad():
            values, log_prob, _ = self.policy.evaluate_actions(observations, actions)
        return samples._replace(
            observations=observations, actions=actions, old_values=values.flatten(), old_log_prob=log_prob
        )


def mirror_rollouts(agent: PPO) -> PPO:
    """Tell the rollouts of an agent, made or loaded with MirroredRollouts, which policy fills them."""
    buffer = agent.rollout_buffer
    assert isinstance(buffer, MirroredRollouts)
    buffer.policy = agent.policy
    return agent
