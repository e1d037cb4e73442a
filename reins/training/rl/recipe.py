"""The recipe of a learned skill: train, compare with a run without demonstrations, export, measure, write."""

from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Final

from reins.hardware.profile import load_profile
from reins.models.metadata import Measurement
from reins.sim.simulators import INSTALL_PYBULLET
from reins.skills.policy import OnnxPolicy
from reins.training.envs.core import Observation, SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.exactness import INPUTS
from reins.training.limits import OnPart, Tell, unheard
from reins.training.rl.agent import DemoSac, policy_of
from reins.training.rl.cards import describe
from reins.training.rl.checkpoint import CurvePoint
from reins.training.rl.curves import plot, read_curve
from reins.training.rl.export import contract, exactness, export, write
from reins.training.rl.gate import ELSEWHERE, HERE, shortfall
from reins.training.rl.keeper import Limits
from reins.training.rl.measure import measure
from reins.training.rl.rollouts import observed
from reins.training.rl.run import RunResult, train
from reins.training.rl.settings import TrainSettings

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

    def objection(self, task: str) -> str:
        """Why the policy does not enter reins/models, one clause; empty where it does."""
        if self.measured is None:
            return "its training is not done"
        here = self.measured.success_rate
        if short := shortfall(task, here):
            return short
        if self.elsewhere is None:
            return f"it was not measured in PyBullet, which is not installed; {INSTALL_PYBULLET}"
        return shortfall(task, here, self.elsewhere.success_rate)

    def enters(self, task: str) -> bool:
        """Whether the policy is good enough for reins/models."""
        return not self.objection(task)


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
        ReinsError: the checkpoint in `folder` was made with other settings, or the exported policy does not compute
            what the agent does.
    """
    run = train(settings, folder, limits, tell, on_part)
    draw(folder, settings.task)
    if not run.done and (limits.stopped() or not finish):
        return SkillResult(run, None, None)
    profile = load_profile(settings.robot)
    if run.progress.weights is not None and run.progress.best > run.progress.curve[-1].success:
        run.model.policy.load_state_dict(run.progress.weights)
    unmeasured = contract(settings, run.steps, None)
    data = export(run.model, unmeasured)
    exact = exactness(run.model, data, _observed(settings, run.model))
    policy = OnnxPolicy(data, profile, settings.task)
    measured = _measured(policy, settings, HERE, episodes, on_part)
    tell(f"{settings.task}: {measured.success_rate:.1%} of {measured.episodes} episodes never seen before")
    elsewhere = None
    if not shortfall(settings.task, measured.success_rate) and find_spec(ELSEWHERE) is not None:
        elsewhere = _measured(policy, settings, ELSEWHERE, episodes, on_part)
        tell(f"{settings.task}: {elsewhere.success_rate:.1%} of the same in PyBullet")
    data = export(run.model, unmeasured.model_copy(update={"measured": measured}))
    card = describe(data, settings, run.progress.curve, exact, elsewhere)
    picture = folder / CURVES
    path = write(folder / "policies", data, settings.task, card, picture)
    result = SkillResult(run, measured, path, elsewhere)
    if objection := result.objection(settings.task):
        tell(f"{settings.task} stays out of {out or 'reins/models'}: {objection}")
    elif out is not None:
        write(out, data, settings.task, card, picture)
    return result


def _observed(settings: TrainSettings, model: DemoSac) -> list[Observation]:
    """What an agent sees in held-out episodes, as much as an exported policy is checked on."""
    env = SkillEnv(settings.task, settings.robot, HERE, settings.randomisation)
    try:
        return observed(env, policy_of(model), INPUTS)
    finally:
        env.close()


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
