"""What a policy must reach to enter reins/models, and to stay there."""

from typing import Final

HERE: Final = "mujoco"
"""The simulator that policies are trained in."""

ELSEWHERE: Final = "pybullet"
"""The one that they have never seen."""

REQUIRED: Final = {"reach": 1.0, "push": 0.95, "pick": 0.95, "place": 0.95, "stack": 0.90}
"""Success rate that a policy needs where it was trained."""

LOST: Final = 0.10
"""How much lower its success rate may be in the other simulator."""


def shortfall(task: str, here: float, elsewhere: float | None = None) -> str:
    """Why success rates are too low, one clause; empty where they are not.

    Args:
        task: name of the task.
        here: share of episodes in MuJoCo.
        elsewhere: share of episodes in PyBullet; None leaves that open.
    """
    if here < REQUIRED[task]:
        return f"it succeeds in {here:.1%} of its episodes in MuJoCo, and needs {REQUIRED[task]:.0%}"
    if elsewhere is not None and elsewhere < here - LOST:
        less = f"over {LOST:.0%} less than the {here:.1%} in MuJoCo"
        return f"it succeeds in {elsewhere:.1%} of its episodes in PyBullet, {less}"
    return ""
