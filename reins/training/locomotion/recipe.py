"""From nothing to a policy that may ship: train, export the best, measure it through the driver, keep what passes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reins.bench.locomotion import run_locomotion
from reins.models.metadata import Measurement
from reins.models.registry import card_of
from reins.training.locomotion.export import NAME, describe_walk, export_walk
from reins.training.locomotion.settings import WalkSettings
from reins.training.locomotion.train import WalkLimits, WalkRun, train

MEASURED_SEED: Final = 2_000_003
"""Of the episodes that an exported policy is measured on."""


@dataclass(frozen=True, slots=True)
class WalkResult:
    """What a recipe came to: its run, and where training is done the policy's path and what it reached."""

    run: WalkRun
    model: Path | None = None
    measured: Measurement | None = None

    def enters(self, gate: float) -> bool:
        """Whether it is good enough to ship."""
        return self.measured is not None and self.measured.success_rate >= gate


def make_walk(
    settings: WalkSettings,
    folder: Path,
    limits: WalkLimits,
    episodes: int,
    tell: Callable[[str], None],
    advance: Callable[[int], None],
    out: Path | None = None,
    finish: bool = False,
) -> WalkResult:
    """Train in `folder`, and once that is done, or with `finish` when the time is up, export and measure.

    Args:
        settings: of the run.
        folder: of its checkpoints, and of the policy.
        limits: of this call.
        episodes: that the policy is measured on.
        tell, advance: get lines, and the policy steps so far.
        out: folder that a policy which passes its gate is written to as well.
        finish: whether to export what there is when the time is up.
    """
    run = train(settings, folder, limits, tell, advance)
    if not run.done and not finish:
        return WalkResult(run)
    model = folder / f"{NAME}.onnx"
    model.write_bytes(export_walk(run.best, settings, run.steps))
    report = run_locomotion(settings.robot, ["mujoco"], str(model), "flat", episodes, MEASURED_SEED)
    errors = report.summary["velocity_error"]
    tell(
        f"{report.summary['no_fall_rate']:.1%} of {episodes} episodes without a fall; velocity error "
        f"{errors['linear']:.3f} m/s, {errors['turn']:.3f} rad/s"
    )
    measured = Measurement(
        environment="MuJoCo, ground flat, with pushes (reins bench locomotion)",
        episodes=episodes,
        success_rate=report.summary["no_fall_rate"],
        criterion="no fall in 10 s at two random velocities, pushed twice",
        limit_violations=report.summary["violations"],
    )
    data = export_walk(run.best, settings, run.steps, measured)
    result = WalkResult(run, model, measured)
    for place in (folder, out) if out is not None and result.enters(settings.gate) else (folder,):
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{NAME}.onnx").write_bytes(data)
        (place / f"{NAME}.json").write_text(card_of(data), encoding="utf-8")
        (place / f"{NAME}.md").write_text(describe_walk(data, settings, run.progress.curve), encoding="utf-8")
    return result
