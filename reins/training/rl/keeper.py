"""The keeper of a run: examines the agent on held-out episodes, saves checkpoints, says when to pause."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reins.training.envs.core import SkillEnv
from reins.training.limits import OnPart, Tell, unheard
from reins.training.rl import checkpoint
from reins.training.rl.agent import DemoSac, policy_of
from reins.training.rl.checkpoint import CurvePoint, Progress
from reins.training.rl.curves import write_curve
from reins.training.rl.rollouts import evaluate
from reins.training.rl.settings import TrainSettings


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run pauses.

    Attributes:
        seconds: of training in this call; None for no limit.
        save_every: seconds between two checkpoints.
        processes: run the environments in processes of their own.
        stopped: asked before every step and every lesson: whether someone wants it to pause.
    """

    seconds: float | None = None
    save_every: float = 120.0
    processes: bool = False
    stopped: Callable[[], bool] = lambda: False


class Keeper:
    """Keeps a run, from lessons to its last step.

    Args:
        settings: of the run.
        limits: when to pause; the time starts now.
        folder: of the run.
        env: where the agent is examined.
        model: the agent.
        progress: what the run has come to; kept up to date.
        tell: told of evaluations.
        on_part: told of the progress within lessons and within the agent's own steps.
    """

    def __init__(
        self,
        settings: TrainSettings,
        limits: Limits,
        folder: Path,
        env: SkillEnv,
        model: DemoSac,
        progress: Progress,
        tell: Tell,
        on_part: OnPart = unheard,
    ) -> None:
        self.settings, self.env, self.model, self.progress, self.tell = settings, env, model, progress, tell
        self.on_part = on_part
        self._limits, self._folder = limits, folder
        self._began = self._saved = self._counted = time.monotonic()

    @property
    def steps(self) -> int:
        """Policy steps that the agent has learned from: what it was shown, what it tried, what it did by itself."""
        return self.model.steps

    @property
    def good_twice(self) -> bool:
        """Whether the last two evaluations met the gate."""
        last = self.progress.curve[-2:]
        return len(last) == 2 and all(point.success >= self.settings.gate for point in last)

    @property
    def pausing(self) -> bool:
        """Whether the time is up, or someone wants a pause."""
        late = self._limits.seconds is not None and time.monotonic() - self._began > self._limits.seconds
        return late or self._limits.stopped()

    def save(self) -> None:
        """Write a checkpoint now."""
        self._count()
        checkpoint.save(self._folder, self.settings, self.model, self.progress)
        self._saved = time.monotonic()

    def save_if_due(self) -> None:
        """Write a checkpoint if the last one is old."""
        if time.monotonic() - self._saved > self._limits.save_every:
            self.save()

    def evaluate(self) -> None:
        """Examine the agent; its best weights are kept; by itself it is done once it has met its gate twice.

        Neither they nor the evaluation are on the disk before the next checkpoint, so that a crash loses both or none.
        """
        settings, progress = self.settings, self.progress
        self._count()
        result = evaluate(self.env, policy_of(self.model), settings.evaluated)
        self._counted = time.monotonic()  # evaluations are not training
        progress.curve.append(CurvePoint(self.steps, progress.seconds, result.success_rate, result.steps))
        if self.good_twice and self.model.num_timesteps > 0:
            progress.reached = self.steps
        write_curve(self._folder / "curve.csv", progress.curve)
        if result.success_rate >= progress.best:
            weights = self.model.policy.state_dict()
            progress.best, progress.weights = result.success_rate, {name: weights[name].clone() for name in weights}
        self.model.logger.record("eval/success_rate", result.success_rate)
        self.model.logger.record("eval/length", result.steps)
        self.model.logger.dump(self.steps)
        self.tell(
            f"step {self.steps}: {result.success_rate:.1%} of {settings.evaluated} held-out episodes, "
            f"{result.steps:.0f} steps long, {progress.seconds:.0f} s of training"
        )

    def _count(self) -> None:
        now = time.monotonic()
        self.progress.seconds += now - self._counted
        self._counted = now
