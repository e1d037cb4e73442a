"""How well a policy walks, and the trot beside it, on episodes that nothing was trained on."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from reins.bench.locomotion import WalkEpisode, run_locomotion
from reins.locomotion.walks import SCRIPTED
from reins.training.locomotion.gate import Walking

SEED: Final = 2_000_003
"""Of the first of these episodes."""


def measure(
    robot: str,
    policy: Path,
    sims: Sequence[str],
    episodes: int,
    advance: Callable[[WalkEpisode], None] = lambda _episode: None,
) -> tuple[Mapping[str, Walking], Mapping[str, Walking]]:
    """How well a policy's file walks by simulator, and the trot alone on the same episodes, on flat ground; all cores
    share them.

    Raises:
        ReinsError: the policy is refused, or a simulator is not installed.
    """

    def walking(walk: str, sim: str) -> Walking:
        return Walking.of(
            run_locomotion(robot, [sim], walk, "flat", episodes, SEED, advance, os.cpu_count() or 1).summary
        )

    return {sim: walking(str(policy), sim) for sim in sims}, {sim: walking(SCRIPTED, sim) for sim in sims}
