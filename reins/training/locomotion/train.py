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
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray
from reins.training.locomotion.checkpoint import WalkPoint, WalkProgress, best_agent, restore, save
from reins.training.locomotion.env import HerdVecEnv
from reins.training.locomotion.herd import HORIZON, LEVELS, Herd
from reins.training.locomotion.mirror import SymmetricPolicy
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
        finish: whether the run is over when its time is up, unless somebody asked for a pause.
    """

    seconds: float | None = None
    save_every: float = 120.0
    stopped: Callable[[], bool] = lambda: False
    finish: bool = False


@dataclass(frozen=True, slots=True)
class WalkRun:
    """How a call of `train` ended.

    Attributes:
        done: whether the run is over: its steps are made, or its time was up; else the same call goes on.
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
    herd = Herd(settings.robot, settings.robots, settings.randomisation, settings.seed)
    env = HerdVecEnv(herd, scale=1.0 - settings.gamma)
    found = restore(folder, settings, env)
    agent, progress = found if found is not None else (new_agent(settings, env), WalkProgress())
    if found is None:
        progress.curve.append(WalkPoint(0, 0.0, *evaluate(settings, acting(agent), settings.evaluated)))
        tell(_line(progress.curve[-1]))
        save(folder, settings, agent, progress, is_best=True)
    keeper = _Keeper(settings, folder, limits, progress, tell, advance)
    left = settings.steps - agent.num_timesteps
    if left > 0:
        agent.learn(left, keeper, reset_num_timesteps=False)
    done = agent.num_timesteps >= settings.steps or (limits.finish and not limits.stopped())
    if left > 0:
        keeper.end(agent, evaluate_it=done)
    return WalkRun(done, agent.num_timesteps, progress, best_agent(folder))


def new_agent(settings: WalkSettings, env: HerdVecEnv) -> PPO:
    """A policy whose mean action is none: it begins as the trot."""
    layers = list(settings.layers)
    return PPO(
        SymmetricPolicy,
        env,
        learning_rate=settings.rate,
        n_steps=settings.rollout,
        batch_size=settings.batch,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.trace,
        clip_range=settings.clip,
        target_kl=settings.divergence,
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


def observed(settings: WalkSettings, act: Act, count: int) -> NDArray[np.float32]:
    """(count, SIZE) what a policy sees in episodes like those that it is evaluated in, on all grounds alike."""
    herd = Herd(settings.robot, len(LEVELS), settings.randomisation, EVALUATION_SEED)
    herd.level[:] = np.arange(herd.count)
    seen = [herd.reset()]
    while len(seen) * herd.count < count:
        now, _, fell, late, _ = herd.step(act(seen[-1]))
        if (fell | late).any():
            now[fell | late] = herd.renew(fell | late)
        seen.append(now)
    return np.concatenate(seen)[:count].astype(np.float32)


def _line(point: WalkPoint) -> str:
    said = f"step {point.step}: {point.upright:.1%} do not fall, velocities are worth {point.tracking:.3f} of 1"
    if point.divergence is None or point.skipped is None:
        return said
    moved = f"updates moved the policy by {point.divergence:.4f}"
    return f"{said}; {moved}, and {point.skipped:.0%} of their steps were skipped"


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
        self._updates = _Updates(settings)

    def end(self, agent: PPO, evaluate_it: bool) -> None:
        """After the last update: save, and first evaluate what came of it where that has not been done."""
        self._updates.note(agent)
        self._progress.seconds = self._before + time.monotonic() - self._began
        if evaluate_it and agent.num_timesteps > self._progress.curve[-1].step:
            self._evaluate(agent)
        else:
            save(self._folder, self._settings, agent, self._progress, is_best=False)

    def _on_training_start(self) -> None:
        self._updates.begin(self._agent)

    def _on_rollout_end(self) -> None:
        """Between two updates."""
        now, agent = time.monotonic(), self._agent
        self._updates.note(agent)
        self._progress.seconds = self._before + now - self._began
        self._advance(self.num_timesteps)
        if self.num_timesteps - self._progress.curve[-1].step >= self._settings.evaluate_every:
            self._evaluate(agent)
        elif now - self._saved > self._limits.save_every:
            save(self._folder, self._settings, agent, self._progress, is_best=False)
        else:
            return
        self._saved = time.monotonic()

    def _on_step(self) -> bool:
        """Whether to go on."""
        seconds = self._limits.seconds
        late = seconds is not None and time.monotonic() - self._began > seconds
        return not (late or self._limits.stopped())

    def _evaluate(self, agent: PPO) -> None:
        """Evaluate this agent and save it, as the best one where it is."""
        progress, before = self._progress, self._progress.best
        shares = evaluate(self._settings, acting(agent), self._settings.evaluated)
        progress.curve.append(WalkPoint(agent.num_timesteps, progress.seconds, *shares, *self._updates.told()))
        save(self._folder, self._settings, agent, progress, is_best=progress.best is not before)
        self._updates.begin(agent)
        self._tell(_line(progress.curve[-1]))

    @property
    def _agent(self) -> PPO:
        assert isinstance(self.model, PPO)
        return self.model


class _Updates:
    """How the updates of a policy have gone since `begin`: PPO ends one early where the policy moves too far."""

    def __init__(self, settings: WalkSettings) -> None:
        self._planned = settings.epochs * math.ceil(settings.rollout * settings.robots / settings.batch)
        self._divergences: list[float] = []
        self._from = self._made = 0

    def begin(self, agent: PPO) -> None:
        """Forget those before."""
        self._divergences.clear()
        self._from = self._made = _gradient_steps(agent)

    def note(self, agent: PPO) -> None:
        """Take note of the last update, where there was one since the last rollout."""
        divergence = agent.logger.name_to_value.get("train/approx_kl")
        if divergence is not None:
            self._divergences.append(float(divergence))
            self._made = _gradient_steps(agent)

    def told(self) -> tuple[float, float] | tuple[None, None]:
        """Mean divergence, and share of the gradient steps that were skipped."""
        if not self._divergences:
            return None, None
        planned = self._planned * len(self._divergences)
        return float(np.mean(self._divergences)), 1.0 - (self._made - self._from) / planned


def _gradient_steps(agent: PPO) -> int:
    """How many an agent has made."""
    kept = next(iter(agent.policy.optimizer.state.values()), None)
    return 0 if kept is None else int(kept["step"])
