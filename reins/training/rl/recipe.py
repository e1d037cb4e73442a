"""The recipe of a learned skill: train, compare with a run without demonstrations, export, measure, write."""

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

from reins.hardware.profile import load_profile
from reins.models.metadata import Measurement
from reins.skills.policy import OnnxPolicy
from reins.training.envs.tasks import TASKS
from reins.training.rl.cards import describe
from reins.training.rl.checkpoint import CurvePoint
from reins.training.rl.curves import plot, read_curve
from reins.training.rl.export import contract, export, write
from reins.training.rl.keeper import Limits, OnPart, Tell, unheard
from reins.training.rl.measure import measure
from reins.training.rl.run import RunResult, train
from reins.training.rl.settings import TrainSettings

REQUIRED: Final = {"reach": 1.0, "push": 0.95, "pick": 0.95, "place": 0.95, "stack": 0.90}
"""Success rate in MuJoCo that a policy needs to enter reins/models."""

LOST: Final = 0.10
"""How much lower its success rate may be in the other simulator, which it was never trained in."""


CURVES: Final = "curve.png"
"""The picture of the learning curves, in the folder of a run."""


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What came of a recipe.

    Attributes:
        run: how its training ended.
        measured: what the exported policy reached; None where training is not done.
        policy: the policy file; None likewise.
        elsewhere: what it reached in PyBullet; None where it was not good enough before, or PyBullet is not installed.
    """

    run: RunResult
    measured: Measurement | None
    policy: Path | None
    elsewhere: Measurement | None = None

    def enters(self, task: str) -> bool:
        """Whether the policy is good enough for reins/models."""
        if self.measured is None or self.measured.success_rate < REQUIRED[task]:
            return False
        return self.elsewhere is None or self.elsewhere.success_rate >= self.measured.success_rate - LOST


def make_skill(
    settings: TrainSettings,
    folder: Path,
    limits: Limits,
    episodes: int,
    tell: Tell,
    on_part: OnPart = unheard,
    out: Path | None = None,
    finish: bool = False,
) -> SkillResult:
    """Train one skill, or go on training it; once that is done, export and measure it.

    Args:
        settings: of the run.
        folder: of the run: checkpoint, curves, TensorBoard events, and the policy.
        limits: when to pause.
        episodes: that the exported policy is measured on.
        tell: told of the progress, a line at a time.
        on_part: told of the progress within a part of all that.
        out: where a policy that is good enough is written too.
        finish: export and measure what there is when the time is up, too, unless someone asked for a pause.

    Raises:
        ReinsError: the checkpoint in `folder` was made with other settings.
    """
    run = train(settings, folder, limits, tell, on_part)
    draw(folder, settings.task)
    if not run.done and (limits.stopped() or not finish):
        return SkillResult(run, None, None)
    profile = load_profile(settings.robot)
    if run.progress.curve and run.progress.best > run.progress.curve[-1].success:
        run.model.policy.load_state_dict(_best(folder, run))
    unmeasured = contract(settings, run.steps, None)
    policy = OnnxPolicy(export(run.model, unmeasured), profile, settings.task)
    measured = _measured(policy, settings, "mujoco", episodes, on_part)
    tell(f"{settings.task}: {measured.success_rate:.1%} of {measured.episodes} episodes never seen before")
    elsewhere = None
    if measured.success_rate >= REQUIRED[settings.task] and find_spec("pybullet") is not None:
        elsewhere = _measured(policy, settings, "pybullet", episodes, on_part)
        tell(f"{settings.task}: {elsewhere.success_rate:.1%} of the same in PyBullet")
    data = export(run.model, unmeasured.model_copy(update={"measured": measured}))
    card = describe(data, settings, run.progress.curve, elsewhere)
    picture = folder / CURVES
    path = write(folder / "policies", data, settings.task, card, picture)
    result = SkillResult(run, measured, path, elsewhere)
    if out is not None and result.enters(settings.task):
        write(out, data, settings.task, card, picture)
    elif out is not None:
        wanted = f"{REQUIRED[settings.task]:.0%}, and at most {LOST:.0%} less in PyBullet"
        tell(f"{settings.task} stays out of {out}: it needs {wanted}")
    return result


def _measured(policy: OnnxPolicy, settings: TrainSettings, sim: str, episodes: int, on_part: OnPart) -> Measurement:
    """What a policy reaches in a simulator, episode by episode."""
    done = count(1)
    return measure(
        policy,
        settings.task,
        sim,
        episodes,
        settings.randomisation,
        advance=lambda: on_part(f"measured in {sim}", next(done), episodes),
    )


def draw(folder: Path, task: str) -> None:
    """Draw the learning curves of a task: the run in `folder`, and the one beside it without demonstrations."""
    curves = curves_of(folder)
    if curves:
        plot(folder / CURVES, f"{task}: {TASKS[task].__doc__}", curves)


def curves_of(folder: Path) -> dict[str, list[CurvePoint]]:
    """The learning curves that there are of the run in `folder` and of the one without demonstrations, by a name."""
    places = {"with demonstrations": folder, "without demonstrations": alone(folder)}
    return {name: read_curve(place / "curve.csv") for name, place in places.items() if (place / "curve.csv").is_file()}


def alone(folder: Path) -> Path:
    """Where the run without demonstrations of the run in `folder` lies."""
    return folder.with_name(f"{folder.name}-alone")


def _best(folder: Path, run: RunResult) -> dict[str, object]:
    """The weights of the best evaluation."""
    policy = type(run.model.policy).load(str(folder / "best.pt"), device="cpu")
    state: dict[str, object] = policy.state_dict()
    return state
