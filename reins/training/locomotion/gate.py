"""What a walking policy must reach to enter reins/models, and to stay there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

HERE: Final = "mujoco"
"""The simulator that it was trained in."""

ELSEWHERE: Final = "pybullet"
"""The one that it has never seen."""

TITLES: Final = {HERE: "MuJoCo", ELSEWHERE: "PyBullet"}
"""Their names for a reader."""

NO_FALL: Final = {HERE: 0.98, ELSEWHERE: 0.90}
"""Share of episodes without a fall that it needs."""

LINEAR: Final = 0.1
TURN: Final = 0.15
"""Mean velocity errors that it may have where it was trained [m/s, rad/s]."""


@dataclass(frozen=True, slots=True)
class Walking:
    """How well something walked in one simulator.

    Attributes:
        no_fall: share of episodes without a fall.
        linear, turn: mean velocity errors [m/s, rad/s].
        violations: states with a joint beyond a limit.
    """

    no_fall: float
    linear: float
    turn: float
    violations: int

    @classmethod
    def of(cls, summary: Mapping[str, Any]) -> "Walking":
        """From the summary of `reins bench locomotion`."""
        error = summary["velocity_error"]
        return cls(summary["no_fall_rate"], error["linear"], error["turn"], summary["violations"])

    def __str__(self) -> str:
        return f"{self.no_fall:.1%} without a fall, velocity error {self.linear:.3f} m/s and {self.turn:.3f} rad/s"


def shortfalls(policy: Mapping[str, Walking], trot: Mapping[str, Walking]) -> list[str]:
    """Why a policy does not walk well enough, a clause each; empty where it does.

    Args:
        policy: by simulator, how well it walked.
        trot: how well the trot alone did on the same episodes.
    """
    return [
        clause for sim, here in policy.items() for clause in (*_too_little(sim, here), *_worse(sim, here, trot[sim]))
    ]


def _too_little(sim: str, here: Walking) -> list[str]:
    """Of itself."""
    found = []
    if not here.no_fall >= NO_FALL[sim]:  # what is no number falls short, too
        found.append(
            f"it does not fall in {here.no_fall:.1%} of its episodes in {TITLES[sim]}, and needs {NO_FALL[sim]:.0%}"
        )
    if sim != HERE:
        return found
    if not here.linear <= LINEAR:
        found.append(f"its velocity is wrong by {here.linear:.3f} m/s, and {LINEAR:g} is allowed")
    if not here.turn <= TURN:
        found.append(f"its yaw rate is wrong by {here.turn:.3f} rad/s, and {TURN:g} is allowed")
    return found


def _worse(sim: str, here: Walking, trot: Walking) -> list[str]:
    """Beside the trot."""
    pairs = (
        ("falls in more", 1.0 - here.no_fall, 1.0 - trot.no_fall, "{:.1%} of its episodes"),
        ("has a larger velocity error", here.linear, trot.linear, "{:.3f} m/s"),
        ("has a larger error of the yaw rate", here.turn, trot.turn, "{:.3f} rad/s"),
    )
    return [
        f"in {TITLES[sim]} it {what}, {form.format(mine)}, than the trot alone, {form.format(its)}"
        for what, mine, its, form in pairs
        if not mine <= its
    ]
