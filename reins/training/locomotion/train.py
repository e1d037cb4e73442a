"""PPO over a herd of robots that trot: the policy learns to move the feet from where the trot puts them.

Source: J. Schulman et al., "Proximal policy optimization algorithms", 2017, as Stable-Baselines3 has it; N. Rudin et
al., "Learning to walk in minutes using massively parallel deep RL", CoRL 2021 (curriculum of grounds).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray
from reins.locomotion.observation import ACTIONS
from reins.training.locomotion.checkpoint import BEST, WalkPoint, WalkProgress, restore, save, score
from reins.training.locomotion.env import HerdVecEnv
from reins.training.locomotion.herd import HORIZON, Herd
from reins.training.locomotion.mirror import MirroredRollouts
from reins.training.locomotion.settings import WalkSettings

EVALUATION_SEED: Final = 1_000_003
"""Of the robots that a policy is evaluated on; training draws from other ones."""

Act = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """What ends a run before its steps do.

    Attributes:
        seconds: of training in this call; None for no limit.
        save_every: seconds between two checkpoints.
        stopped: whether somebody asks for a pause.
    """

    seconds: float | None = None
    save_every: float = 120.0
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class WalkRun:
    """How a call of `train` ended.

    Attributes:
        done: whether all steps have been made; else it was paused, and the same call goes on.
        steps: policy steps so far.
        progress: its evaluations.
        best: where the best policy so far lies.
    """

    done: bool
    steps: int
    progress: WalkProgress
    best: Path


def train(
    settings: WalkSettings,
    folder: Path,
    limits: WalkLimits,
    tell: Callable[[str], None],
    advance: Callable[[int], None],
) -> WalkRun:
    """Train, or go on with what is in `folder`; the agent is saved there now and then, and where it pauses.

    Raises:
        ReinsError: the checkpoint there was made with other settings, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReinsError(f"folder '{folder}' of the run cannot be made: {error.strerror}; give another one") from error
    env = HerdVecEnv(Herd(settings.robot, settings.robots, settings.randomisation, settings.seed))
    found = restore(folder, settings, env)
    agent, progress = found if found is not None else (new_agent(settings, env), WalkProgress())
    if found is None:
        progress.curve.append(_point(settings, 0, 0.0, lambda seen: np.zeros((len(seen), ACTIONS))))
        tell(_line(progress.curve[-1]))
        agent.save(folder / BEST)
    keeper = _Keeper(settings, folder, limits, progress, tell, advance)
    left = settings.steps - agent.num_timesteps
    if left > 0:
        agent.learn(left, keeper, reset_num_timesteps=False)
        save(folder, settings, agent, progress)
    return WalkRun(agent.num_timesteps >= settings.steps, agent.num_timesteps, progress, folder / BEST)


def new_agent(settings: WalkSettings, env: HerdVecEnv) -> PPO:
    """A policy whose mean action is almost none: it begins as the trot."""
    layers = list(settings.layers)
    return PPO(
        "MlpPolicy",
        env,
        learning_rate=settings.rate,
        n_steps=settings.rollout,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.trace,
        clip_range=settings.clip,
        target_kl=settings.divergence,
        rollout_buffer_class=MirroredRollouts,
        policy_kwargs={"net_arch": {"pi": layers, "vf": layers}, "log_std_init": math.log(settings.spread)},
        seed=settings.seed,
        device="cpu",
    )


def evaluate(settings: WalkSettings, act: Act, robots: int) -> tuple[float, float]:
    """Share of robots that do not fall in an episode each, spread over all grounds, and the mean worth of their
    velocities until they did."""
    herd = Herd(settings.robot, robots, settings.randomisation, EVALUATION_SEED)
    herd.level[:] = np.arange(robots) % herd.levels
    seen = herd.reset()
    fallen, tracking, lasted = np.zeros(robots, dtype=bool), np.zeros(robots), np.zeros(robots)
    for _ in range(HORIZON):
        seen, _, fell, _, infos = herd.step(act(seen))
        lasted[~fallen] += 1
        tracking = np.where(fallen, tracking, [info["tracking"] for info in infos])
        fallen |= fell
        if fallen.all():
            break
    return float(1.0 - fallen.mean()), float((tracking * lasted / HORIZON).mean())


def _point(settings: WalkSettings, step: int, seconds: float, act: Act) -> WalkPoint:
    return WalkPoint(step, seconds, *evaluate(settings, act, settings.evaluated))


def _line(point: WalkPoint) -> str:
    return f"step {point.step}: {point.upright:.1%} do not fall, velocities are worth {point.tracking:.3f} of 1"


def acting(agent: PPO) -> Act:
    """What its policy does, without exploring."""

    def act(seen: FloatArray) -> FloatArray:
        actions, _ = agent.predict(seen.astype(np.float32), deterministic=True)
        return np.asarray(actions, dtype=np.float64)

    return act


class _Keeper(BaseCallback):
    """Evaluates, keeps the best, saves, and ends a run whose time is up."""

    def __init__(
        self,
        settings: WalkSettings,
        folder: Path,
        limits: WalkLimits,
        progress: WalkProgress,
        tell: Callable[[str], None],
        advance: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._settings, self._folder, self._limits = settings, folder, limits
        self._progress, self._tell, self._advance = progress, tell, advance
        self._began = self._saved = time.monotonic()
        self._before = progress.seconds

    def _on_rollout_end(self) -> None:
        """Between two updates."""
        now, step = time.monotonic(), self.num_timesteps
        self._progress.seconds = self._before + now - self._began
        self._advance(step)
        if step - self._progress.curve[-1].step >= self._settings.evaluate_every:
            self._evaluate(step)
        if now - self._saved > self._limits.save_every:
            save(self._folder, self._settings, self._agent, self._progress)
            self._saved = time.monotonic()

    def _on_step(self) -> bool:
        """Whether to go on."""
        seconds = self._limits.seconds
        late = seconds is not None and time.monotonic() - self._began > seconds
        return not (late or self._limits.stopped())

    def _evaluate(self, step: int) -> None:
        progress, agent = self._progress, self._agent
        point = _point(self._settings, step, progress.seconds, acting(agent))
        if score(point) > progress.best:
            agent.save(self._folder / BEST)
        progress.curve.append(point)
        self._tell(_line(point))

    @property
    def _agent(self) -> PPO:
        assert isinstance(self.model, PPO)
        return self.model
