"""From nothing to a policy that may ship: train, export the best, measure it beside the trot, keep what passes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from reins.locomotion.walks import SCRIPTED
from reins.models.metadata import Measurement
from reins.models.registry import card_of
from reins.sim.simulators import INSTALL_PYBULLET
from reins.training.locomotion.export import NAME, Exported, describe_walk, export_walk
from reins.training.locomotion.gate import ELSEWHERE, HERE, TITLES, Walking, shortfalls
from reins.training.locomotion.measure import measure
from reins.training.locomotion.settings import WalkSettings
from reins.training.locomotion.train import WalkLimits, WalkRun, train


@dataclass(frozen=True, slots=True)
class WalkResult:
    """What a recipe came to.

    Attributes:
        run: how its training ended.
        model: where the policy lies; None while training is not done.
        policy, trot: how well the policy walked, and the trot alone, by simulator; PyBullet is missing where the policy
            was not good enough before, or it is not installed.
    """

    run: WalkRun
    model: Path | None = None
    policy: dict[str, Walking] = field(default_factory=dict)
    trot: dict[str, Walking] = field(default_factory=dict)

    @property
    def objections(self) -> list[str]:
        """Why the policy does not enter reins/models, a clause each; empty where it does."""
        if self.model is None:
            return ["its training is not done"]
        found = shortfalls(self.policy, self.trot)
        if not found and ELSEWHERE not in self.policy:
            found = [f"it was not measured in PyBullet, which is not installed; {INSTALL_PYBULLET}"]
        return found


def make_walk(
    settings: WalkSettings,
    folder: Path,
    limits: WalkLimits,
    episodes: int,
    tell: Callable[[str], None],
    advance: Callable[[int], None],
    out: Path | None = None,
) -> WalkResult:
    """Train in `folder`, and once the run is over, export and measure.

    Args:
        settings: of the run.
        folder: of its checkpoints, and of the policy.
        limits: of this call.
        episodes: that the policy is measured on, in each simulator.
        tell, advance: get lines, and the policy steps so far.
        out: folder that a policy which passes its gate is written to as well.

    Raises:
        ReinsError: the checkpoint in `folder` does not fit, or the exported policy does not compute what the agent
            does.
    """
    run = train(settings, folder, limits, tell, advance)
    if not run.done:
        return WalkResult(run)
    exported = export_walk(run.best, settings, run.progress.best.step)
    model = folder / f"{NAME}.onnx"
    model.write_bytes(exported.data)
    result = WalkResult(run, model)
    _measure(result, settings, episodes, HERE, tell)
    if not shortfalls(result.policy, result.trot) and find_spec(ELSEWHERE) is not None:
        _measure(result, settings, episodes, ELSEWHERE, tell)
    here = result.policy[HERE]
    exported = exported.measured(
        Measurement(
            environment="MuJoCo, ground flat, with pushes (reins bench locomotion)",
            episodes=episodes,
            success_rate=here.no_fall,
            criterion="no fall in 10 s at two random velocities, pushed twice",
            limit_violations=here.violations,
        )
    )
    card = describe_walk(exported, settings, run.progress.curve, _reached(result))
    _write(folder, exported, card)
    if objections := result.objections:
        tell(f"{NAME} stays out of {out or 'reins/models'}: {'; '.join(objections)}")
    elif out is not None:
        _write(out, exported, card)
    return result


def _measure(result: WalkResult, settings: WalkSettings, episodes: int, sim: str, tell: Callable[[str], None]) -> None:
    """Have the policy and the trot walk in a simulator, on the same episodes."""
    assert result.model is not None
    for who, found, walked in zip(
        (NAME, SCRIPTED),
        (result.policy, result.trot),
        measure(settings.robot, result.model, [sim], episodes),
        strict=True,
    ):
        found.update(walked)
        tell(f"{who} in {TITLES[sim]}, {episodes} episodes: {walked[sim]}")


def _reached(result: WalkResult) -> str:
    """A line for each simulator."""
    return "\n".join(
        f"- {TITLES[sim]}: {policy}. The trot alone, on the same episodes: {result.trot[sim]}."
        for sim, policy in result.policy.items()
    )


def _write(folder: Path, exported: Exported, card: str) -> None:
    """Write a policy and its cards, for machines and for readers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.onnx").write_bytes(exported.data)
    (folder / f"{NAME}.json").write_text(card_of(exported.data), encoding="utf-8")
    (folder / f"{NAME}.md").write_text(card, encoding="utf-8")
