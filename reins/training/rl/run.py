"""One training run: demonstrations, warm-up, the agent's own steps, evaluations, checkpoints, early stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor

from reins.training.envs.core import Observation, SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.rl import checkpoint
from reins.training.rl.agent import DemoSac
from reins.training.rl.checkpoint import CurvePoint, Progress
from reins.training.rl.curves import write_curve
from reins.training.rl.demos import demonstrate
from reins.training.rl.lessons import give_lessons
from reins.training.rl.network import GoalPolicy, policy_arguments
from reins.training.rl.replay import MixedReplay
from reins.training.rl.rollouts import evaluate
from reins.training.rl.settings import TrainSettings


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run pauses.

    Attributes:
        seconds: of training in this call; None for no limit.
        save_every: seconds between two checkpoints.
        processes: run the environments in processes of their own.
        stopped: asked before every step: whether someone wants it to pause.
    """

    seconds: float | None = None
    save_every: float = 120.0
    processes: bool = False
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    Attributes:
        progress: what it has come to.
        steps: policy steps in all.
        done: it met its gate or took all its steps; otherwise it can be resumed.
        model: the agent.
    """

    progress: Progress
    steps: int
    done: bool
    model: DemoSac


Tell = Callable[[str], None]
"""Told of the progress, a line at a time."""

OnStep = Callable[[int], None]
"""Told how many policy steps have been taken."""


def train(
    settings: TrainSettings,
    folder: Path,
    limits: Limits | None = None,
    tell: Tell = print,
    on_step: OnStep = lambda _steps: None,
) -> RunResult:
    """Train from the checkpoint in `folder`, or from the start where there is none.

    Raises:
        ReinsError: the checkpoint there was made with other settings.
    """
    limits = limits or Limits()
    folder.mkdir(parents=True, exist_ok=True)
    set_random_seed(settings.seed)
    env = make_envs(settings, limits.processes)
    examined = SkillEnv(settings.task, settings.robot, randomisation=settings.randomisation)
    try:
        if checkpoint.exists(folder):
            model, progress = checkpoint.restore(folder, settings, env)
            tell(f"going on from step {model.num_timesteps}")
        else:
            model, progress = begin(settings, env, examined, tell), Progress()
        model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
        watch = Watch(settings, limits, folder, examined, progress, tell, on_step)
        left = settings.steps - model.num_timesteps
        if left > 0 and progress.reached is None:
            model.learn(left, callback=watch, reset_num_timesteps=False, log_interval=20)
            watch.save()
        write_curve(folder / "curve.csv", progress.curve)
        done = progress.reached is not None or model.num_timesteps >= settings.steps
        return RunResult(progress, model.num_timesteps, done, model)
    finally:
        env.close()
        examined.close()


def make_envs(settings: TrainSettings, processes: bool) -> VecEnv:
    """The environments that the agent steps, each with a seed of its own."""

    def maker() -> gym.Env[Any, Any]:
        return SkillEnv(settings.task, settings.robot, randomisation=settings.randomisation)

    makers = [maker] * settings.envs
    inner: VecEnv = SubprocVecEnv(makers, start_method="forkserver") if processes else DummyVecEnv(makers)
    inner.seed(settings.seed * 1000)
    return VecMonitor(inner, info_keywords=("is_success",))


def begin(settings: TrainSettings, env: VecEnv, examined: SkillEnv, tell: Tell) -> DemoSac:
    """A new agent that has seen its demonstrations."""
    horizon = TASKS[settings.task].horizon
    alone = settings.demos == 0
    model = DemoSac(
        GoalPolicy,
        env,
        learning_rate=Falling(settings.rate),
        buffer_size=settings.replay,
        # Hindsight needs a whole episode; a warmed-up agent acts by itself from the first step.
        learning_starts=max(settings.starts, settings.envs * (horizon + 1)) if alone else 0,
        batch_size=settings.batch,
        tau=0.005,
        gamma=settings.gamma,
        train_freq=1,
        gradient_steps=max(1, round(settings.updates * settings.envs)),
        ent_coef="auto_0.05",
        replay_buffer_class=MixedReplay,
        replay_buffer_kwargs={"n_sampled_goal": settings.hindsight, "goal_selection_strategy": "future"},
        policy_kwargs=policy_arguments(settings.task, settings.layers),
        seed=settings.seed,
        device="cpu",
    )
    if alone:
        return model
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    replay.demos, failed = demonstrate(examined, settings.demos, settings.seed)
    tell(f"{settings.demos} demonstrations, {len(replay.demos)} steps; {failed} that failed were left out")
    replay.demos = give_lessons(model, policy_of(model), examined, replay.demos, settings, tell)
    warm_up(model, settings, tell)
    return model


@dataclass(frozen=True, slots=True)
class Falling:
    """A learning rate that falls evenly to a tenth, so that what is almost right settles.

    Attributes:
        rate: at first.
    """

    rate: float

    def __call__(self, left: float) -> float:
        """The rate while the share `left` of all steps is still to come."""
        return self.rate * max(0.1, left)


def warm_up(model: DemoSac, settings: TrainSettings, tell: Tell) -> None:
    """Learn from the demonstrations alone: the actor imitates, the critics learn what that is worth."""
    if settings.warm_up == 0:
        return
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    replay.share, model.imitation, model.warming = 1.0, settings.imitation, True
    model.set_logger(configure(None, []))
    model.train(settings.warm_up, settings.batch)
    model.warming = False
    tell(f"warmed up by {settings.warm_up} gradient steps on demonstrations")


def policy_of(model: DemoSac) -> Callable[[Observation], NDArray[np.float32]]:
    """The agent's averaged policy without its noise."""

    def act(observation: Observation) -> NDArray[np.float32]:
        with torch.no_grad():
            batch = {key: torch.as_tensor(value[None], dtype=torch.float32) for key, value in observation.items()}
            action: NDArray[np.float32] = model.average(batch, deterministic=True)[0].numpy()
        return action

    return act


class Watch(BaseCallback):
    """Beside the agent: lets the demonstrations' share decay, evaluates, saves, and says when to stop."""

    def __init__(
        self,
        settings: TrainSettings,
        limits: Limits,
        folder: Path,
        env: SkillEnv,
        progress: Progress,
        tell: Tell,
        on_step: OnStep,
    ) -> None:
        super().__init__()
        self._settings, self._limits, self._folder = settings, limits, folder
        self._env, self._progress, self._tell, self._notify = env, progress, tell, on_step
        self._began = self._saved = self._counted = time.monotonic()

    @property
    def _agent(self) -> DemoSac:
        assert isinstance(self.model, DemoSac)
        return self.model

    def save(self) -> None:
        """Write a checkpoint now."""
        self._count()
        checkpoint.save(self._folder, self._settings, self._agent, self._progress)
        self._saved = time.monotonic()

    def _on_training_start(self) -> None:
        self._decay()
        self._next = (self.num_timesteps // self._settings.evaluate_every + 1) * self._settings.evaluate_every
        if self.num_timesteps == 0:
            self._evaluate()

    def _on_step(self) -> bool:
        self._decay()
        self._notify(self.num_timesteps)
        now = time.monotonic()
        if self.num_timesteps >= self._next:
            self._next += self._settings.evaluate_every
            self._evaluate()
        if now - self._saved > self._limits.save_every:
            self.save()
        late = self._limits.seconds is not None and now - self._began > self._limits.seconds
        return not (late or self._limits.stopped() or self._progress.reached is not None)

    def _decay(self) -> None:
        settings, replay = self._settings, self._agent.replay_buffer
        assert isinstance(replay, MixedReplay)
        left = max(0.0, 1.0 - self.num_timesteps / settings.demo_decay)
        replay.share = settings.demo_least + (settings.demo_share - settings.demo_least) * left
        self._agent.imitation = settings.imitation * left

    def _evaluate(self) -> None:
        settings, progress = self._settings, self._progress
        self._count()
        result = evaluate(self._env, policy_of(self._agent), settings.evaluated)
        self._counted = time.monotonic()  # evaluations are not training
        point = CurvePoint(self.num_timesteps, progress.seconds, result.success_rate, result.steps)
        good = result.success_rate >= settings.gate and bool(progress.curve)
        if good and progress.curve[-1].success >= settings.gate and self.num_timesteps > 0:
            progress.reached = self.num_timesteps
        progress.curve.append(point)
        write_curve(self._folder / "curve.csv", progress.curve)
        if result.success_rate >= progress.best:
            progress.best = result.success_rate
            self._agent.policy.save(str(self._folder / "best.pt"))
        self.logger.record("eval/success_rate", result.success_rate)
        self.logger.record("eval/length", result.steps)
        self.logger.dump(self.num_timesteps)
        self._tell(
            f"step {self.num_timesteps}: {result.success_rate:.0%} of {settings.evaluated} held-out episodes, "
            f"{result.steps:.0f} steps long, {progress.seconds:.0f} s of training"
        )

    def _count(self) -> None:
        now = time.monotonic()
        self._progress.seconds += now - self._counted
        self._counted = now
