"""What the safety filter costs: the same tasks without it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reins.bench.report import Record, Report
from reins.bench.tabletop import run_tabletop
from reins.bench.tabletop_episode import Episode
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.rig import RigSettings
from reins.safety.bodies import Box
from reins.safety.limits import braked
from reins.safety.settings import SafetySettings
from reins.safety.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Unfiltered:
    """Stands where the safety filter stands and lets everything through; for measurements in simulation only.

    Attributes:
        profile: the robot, whose acceleration limits it brakes with.
        settings: taken for the sake of the filter's signature.
    """

    profile: RobotProfile
    settings: SafetySettings

    def step(
        self, position: FloatArray, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float = 1.0
    ) -> Verdict:
        """`wanted`, unchanged."""
        del position, velocity, elapsed, scale
        return Verdict(wanted)

    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray:
        """The velocity (n,) [rad/s] after braking for `elapsed` [s]."""
        del position
        return braked(velocity, self.profile.acceleration, elapsed)

    def surround(self, keep_outs: Sequence[Box], held: Box | None, payload: float = 0.0) -> None:
        """Nothing is kept away from."""


def with_cost(
    settings: RigSettings, episodes: int, seed: int, jobs: int, on_episode: Callable[[Episode], None] = lambda _: None
) -> Report:
    """As `run_tabletop`, and each task once more without the filter; see `cost`."""
    filtered = run_tabletop(settings, episodes, seed, jobs, on_episode)
    unfiltered = run_tabletop(replace(settings, make_filter=Unfiltered), episodes, seed, jobs, on_episode)
    summary = dict(filtered.summary) | {"unfiltered": cost(filtered.episodes, unfiltered.episodes)}
    return replace(filtered, settings=dict(filtered.settings) | {"filter_cost": True}, summary=summary)


def cost(filtered: Sequence[Record], unfiltered: Sequence[Record]) -> dict[str, float | None]:
    """How much longer tasks take with the filter; of those that succeed both ways.

    Args:
        filtered, unfiltered: episodes of the same tasks in the same order.

    Returns:
        Without the filter `success_rate` and mean `duration_s`, and `longer`, the share by which it prolongs them; None
        where no task succeeds both ways.
    """
    both = [
        (a["duration"], b["duration"])
        for a, b in zip(filtered, unfiltered, strict=True)
        if a["success"] and b["success"]
    ]
    success_rate = sum(episode["success"] for episode in unfiltered) / max(1, len(unfiltered))
    if not both:
        return {"success_rate": success_rate, "duration_s": None, "longer": None}
    with_it, without = np.array(both, dtype=np.float64).mean(axis=0)
    return {"success_rate": success_rate, "duration_s": float(without), "longer": float(with_it / without) - 1.0}
