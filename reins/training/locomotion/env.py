"""Walking as a Gymnasium environment, and as the vector of environments that Stable-Baselines3 trains on."""

from typing import Any, Final

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from reins.locomotion.observation import ACTIONS, CLIP, ENVIRONMENT, SIZE, VERSION
from reins.training.locomotion.herd import LEVELS, PERIOD, Herd

ENV_ID: Final = f"{ENVIRONMENT}-v{VERSION}"
"""Gymnasium's name of it."""

Batch = NDArray[np.float32]


def _spaces() -> tuple[gym.spaces.Box, gym.spaces.Box]:
    """Of observations and actions."""
    return (
        gym.spaces.Box(-CLIP, CLIP, (SIZE,), np.float32),
        gym.spaces.Box(-1.0, 1.0, (ACTIONS,), np.float32),
    )


class LocomotionEnv(gym.Env[Batch, Batch]):
    """One robot that follows commanded velocities.

    Observations (SIZE,) are those of `reins.locomotion.observation`, scaled. Actions (12,) in [-1, 1] move each foot
    from where the trot puts it; 0 is the trot as it is. The reward is about 1 where velocity and body are as they
    should be. An episode ends at a fall, and is cut after 10 s.

    Args:
        robot: profile name.
        randomisation: name or file.
        levels: how many grounds are used, from the easiest.

    Raises:
        UnknownName: no such robot or randomisation; lists those that exist.
    """

    def __init__(self, robot: str = "go2", randomisation: str = "training", levels: int = len(LEVELS)) -> None:
        self._herd = Herd(robot, 1, randomisation, 0, levels)
        spaces: Any = _spaces()
        self.observation_space, self.action_space = spaces
        self.metadata = {"render_modes": [], "render_fps": round(1.0 / PERIOD)}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Batch, dict[str, Any]]:
        """Begin an episode; the same seed begins the same one. `options["level"]` names a ground."""
        super().reset(seed=seed)
        if seed is not None:
            self._herd.random = np.random.default_rng(seed)
            self._herd.level[:] = 0
        if options and "level" in options:
            self._herd.level[:] = int(options["level"])
        return self._herd.reset()[0].astype(np.float32), {}

    def step(self, action: Batch) -> tuple[Batch, float, bool, bool, dict[str, Any]]:
        """One period."""
        seen, reward, fell, late, infos = self._herd.step(np.asarray(action, dtype=np.float64)[None])
        return seen[0].astype(np.float32), float(reward[0]), bool(fell[0]), bool(late[0]), infos[0]


class HerdVecEnv(VecEnv):
    """A herd for Stable-Baselines3: a robot whose episode ended begins anew at once.

    Args:
        herd: the robots.
        scale: of the rewards; with 1 - discount, values are about as large as a period's worth.
    """

    def __init__(self, herd: Herd, scale: float = 1.0) -> None:
        super().__init__(herd.count, *_spaces())
        self.herd = herd
        self._scale = scale
        self._actions: Any = None
        self._returns, self._lengths = np.zeros(herd.count), np.zeros(herd.count, dtype=np.int64)

    def reset(self) -> Batch:
        """All begin anew."""
        self._returns[:], self._lengths[:] = 0.0, 0
        return self.herd.reset().astype(np.float32)

    def step_async(self, actions: NDArray[Any]) -> None:
        """What the next `step_wait` does."""
        self._actions = np.asarray(actions, dtype=np.float64)

    def step_wait(self) -> tuple[Batch, Batch, NDArray[np.bool_], list[dict[str, Any]]]:
        """One period of all."""
        seen, reward, fell, late, infos = self.herd.step(self._actions)
        self._returns += reward
        self._lengths += 1
        done = fell | late
        if done.any():
            for number in np.flatnonzero(done):
                infos[number]["terminal_observation"] = seen[number].astype(np.float32)
                infos[number]["TimeLimit.truncated"] = bool(late[number])
                infos[number]["fell"] = bool(fell[number])
                total = float(self._returns[number])
                infos[number]["episode"] = {
                    "r": total,
                    "l": int(self._lengths[number]),
                    "t": 0.0,
                }
            self._returns[done], self._lengths[done] = 0.0, 0
            seen[done] = self.herd.renew(done)
        return seen.astype(np.float32), (self._scale * reward).astype(np.float32), done, infos

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, the same for all."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set it for all."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method of the herd once for all."""
        return [getattr(self.herd, method_name)(*args, **kwargs)] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No robot is wrapped."""
        return [False] * len(list(self._get_indices(indices)))

    @property
    def render_mode(self) -> None:
        """It draws nothing."""
        return None

    @render_mode.setter
    def render_mode(self, value: object) -> None:
        """Nothing changes that."""


def register() -> None:
    """Register the environment; one that is registered already stays."""
    if ENV_ID not in gym.registry:
        gym.register(ENV_ID, entry_point=f"{__name__}:LocomotionEnv", order_enforce=False, disable_env_checker=True)


register()
