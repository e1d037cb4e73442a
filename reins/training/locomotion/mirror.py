"""Left and right are alike: every step that PPO learns from counts a second time as its mirror image.

Source: M. Mittal et al., "Symmetry considerations for learning task symmetric robot policies", ICRA 2024.
"""

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.type_aliases import RolloutBufferSamples

from reins.locomotion.observation import mirrored, mirrored_action


class MirroredRollouts(RolloutBuffer):
    """A rollout whose batches hold every step and its mirror image, with the same advantage."""

    def _get_samples(self, batch_inds: Any, env: Any = None) -> RolloutBufferSamples:
        samples = super()._get_samples(batch_inds, env)

        def both(values: torch.Tensor) -> torch.Tensor:
            return torch.cat([values, values])

        def with_mirror(values: torch.Tensor, mirror: Any) -> torch.Tensor:
            image = mirror(values.numpy().astype(np.float64)).astype(np.float32)
            return torch.cat([values, torch.from_numpy(image)])

        return RolloutBufferSamples(
            observations=with_mirror(samples.observations, mirrored),
            actions=with_mirror(samples.actions, mirrored_action),
            old_values=both(samples.old_values),
            old_log_prob=both(samples.old_log_prob),
            advantages=both(samples.advantages),
            returns=both(samples.returns),
        )
