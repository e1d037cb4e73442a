"""Deadlines for graphs on a machine that is busy with other tests.

What these tests are about is not how soon a late node is noticed: `reins bench stops` measures that.
"""

import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml

LATE = 0.3
"""Robot states and safe commands may be this late [s]."""

HANGING = "3.0"
"""A node may be silent for so long [s]."""


@cache
def patient(name: str = "franka") -> dict[str, str]:
    """Arguments of a launch file, for a robot that ships with reins."""
    profile = yaml.safe_load((files("reins.hardware") / "profiles" / f"{name}.yaml").read_text(encoding="utf-8"))
    profile["rates"]["stale_after"] = LATE
    robot = Path(tempfile.mkdtemp(prefix="reins-patient-")) / f"{name}.yaml"
    robot.write_text(yaml.safe_dump(profile), encoding="utf-8")
    return {"robot": str(robot), "state_timeout": str(LATE), "heartbeat_timeout": HANGING}
