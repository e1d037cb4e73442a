"""Training runs of seconds, for tests."""

from pathlib import Path

from stable_baselines3.common.logger import configure

from reins.training.envs.core import SkillEnv
from reins.training.limits import Tell
from reins.training.rl.agent import DemoSac
from reins.training.rl.checkpoint import Progress
from reins.training.rl.keeper import Keeper, Limits
from reins.training.rl.replay import MixedReplay
from reins.training.rl.run import begin, make_envs, prepare
from reins.training.rl.settings import TrainSettings, settings_for


def few(task: str = "reach", **changes: object) -> TrainSettings:
    """A run of seconds."""
    small: dict[str, object] = {
        "steps": 480,
        "demos": 2,
        "lessons": 2,
        "studied": 5,
        "settled": 5,
        "attempts": 1,
        "warm_up": 10,
        "layers": (16, 16),
        "batch": 32,
        "updates": 0.25,
        "replay": 2000,
        "evaluate_every": 400,
        "evaluated": 1,
        "randomisation": "none",
    }
    return settings_for(task, **{**small, **changes})


def silent(_line: str) -> None:
    """Tell nobody."""


def new_agent(settings: TrainSettings) -> DemoSac:
    """An agent that knows nothing and records nothing."""
    model = begin(settings, make_envs(settings, processes=False))
    model.set_logger(configure(None, []))
    return model


def taught(settings: TrainSettings, examined: SkillEnv, folder: Path, tell: Tell = silent) -> DemoSac:
    """An agent after its lessons and its warm-up."""
    model = new_agent(settings)
    assert prepare(Keeper(settings, Limits(), folder, examined, model, Progress(), tell))
    return model


def replay_of(model: DemoSac) -> MixedReplay:
    """The agent's replay."""
    assert isinstance(model.replay_buffer, MixedReplay)
    return model.replay_buffer


def after(times: int) -> Limits:
    """A pause asked for the so manieth time that someone wants to know."""
    asked = iter(range(10_000))
    return Limits(stopped=lambda: next(asked) >= times)
