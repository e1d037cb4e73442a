"""One training run: lessons, warm-up, the agent's own steps."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import gymnasium as gym
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnv, VecMonitor

from reins.training.envs.core import SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.limits import OnPart, Tell, unheard
from reins.training.rl import checkpoint
from reins.training.rl.agent import DemoSac
from reins.training.rl.checkpoint import Progress
from reins.training.rl.curves import write_curve
from reins.training.rl.keeper import Keeper, Limits
from reins.training.rl.lessons import give_lessons
from reins.training.rl.network import GoalPolicy, policy_arguments
from reins.training.rl.record import RunLogger
from reins.training.rl.replay import MixedReplay
from reins.training.rl.settings import TrainSettings
from reins.training.rl.vec_env import SkillVecEnv

SEEDS: Final = 1000
"""Seeds of environments that a run keeps for itself: no two runs have an environment with the same one."""

RECORDED_EVERY: Final = 20
"""Episodes of the agent's own between two records for TensorBoard."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    Attributes:
        progress: what it has come to.
        steps: policy steps that the agent has learned from, those of its lessons included.
        done: it met its gate or took all its steps; otherwise it can be resumed.
        model: the agent.
    """

    progress: Progress
    steps: int
    done: bool
    model: DemoSac


def train(
    settings: TrainSettings,
    folder: Path,
    limits: Limits | None = None,
    tell: Tell = print,
    on_part: OnPart = unheard,
) -> RunResult:
    """Train from the checkpoint in `folder`, or from the start where there is none.

    Args:
        settings: of the run.
        folder: of the run.
        limits: when to pause; never by default.
        tell: told of the progress, a line at a time.
        on_part: told of the progress within lessons and within the agent's own steps.

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
            tell(f"going on from lesson {progress.lessons} and step {model.num_timesteps}")
        else:
            model, progress = begin(settings, env), Progress()
        model.set_logger(RunLogger(folder / "tensorboard", model))
        keeper = Keeper(settings, limits, folder, examined, model, progress, tell, on_part)
        if prepare(keeper):
            left = settings.steps - model.num_timesteps
            if left > 0 and progress.reached is None:
                model.learn(left, callback=Watch(keeper), reset_num_timesteps=False, log_interval=RECORDED_EVERY)
        keeper.save()
        write_curve(folder / "curve.csv", progress.curve)
        done = progress.reached is not None or model.num_timesteps >= settings.steps
        return RunResult(progress, keeper.steps, done, model)
    finally:
        env.close()
        examined.close()


def make_envs(settings: TrainSettings, processes: bool) -> VecEnv:
    """The environments that the agent steps."""

    def maker() -> gym.Env[Any, Any]:
        return SkillEnv(settings.task, settings.robot, randomisation=settings.randomisation)

    makers = [maker] * settings.envs
    inner: VecEnv = SubprocVecEnv(makers, start_method="forkserver") if processes else SkillVecEnv(makers)
    return VecMonitor(inner, info_keywords=("is_success",))


def begin(settings: TrainSettings, env: VecEnv) -> DemoSac:
    """A new agent that knows nothing; its environments draw from seeds of this run's own from now on."""
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
    env.seed(SEEDS * settings.seed)  # only now, for the agent gives them its own seed and the next ones
    env.reset()  # so that a checkpoint finds generators that these seeds have made
    return model


def prepare(keeper: Keeper) -> bool:
    """What comes before the agent's own steps: lessons, and then the critics learn what the taught agent is worth.

    Returns:
        Whether that is done; else the run pauses.
    """
    model, settings, progress = keeper.model, keeper.settings, keeper.progress
    if settings.demos == 0:
        return True
    model.pace = settings.pace
    if progress.warm:
        return True
    if not give_lessons(keeper):
        return False
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    if settings.warm_up > 0:
        replay.share, model.warming = 1.0, True
        model.train(settings.warm_up, settings.batch)
        model.warming = False
        keeper.tell(f"critics warmed up by {settings.warm_up} gradient steps")
    progress.warm = True
    return True


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


class Watch(BaseCallback):
    """Beside the agent: lets the demonstrations' share decay, has it examined, and says when to stop."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self._keeper = keeper

    def _on_training_start(self) -> None:
        self._decay()
        every = self._keeper.settings.evaluate_every
        self._next = (self.num_timesteps // every + 1) * every
        if not self._keeper.progress.curve:
            self._keeper.evaluate()

    def _on_step(self) -> bool:
        keeper = self._keeper
        self._decay()
        keeper.on_part("own steps", self.num_timesteps, keeper.settings.steps)
        if self.num_timesteps >= self._next:
            self._next += keeper.settings.evaluate_every
            keeper.evaluate()
        keeper.save_if_due()
        return not (keeper.pausing or keeper.progress.reached is not None)

    def _decay(self) -> None:
        settings, agent = self._keeper.settings, self._keeper.model
        replay = agent.replay_buffer
        assert isinstance(replay, MixedReplay)
        left = max(0.0, 1.0 - self.num_timesteps / settings.demo_decay)
        replay.share = settings.demo_least + (settings.demo_share - settings.demo_least) * left
        agent.imitation = settings.imitation * left
