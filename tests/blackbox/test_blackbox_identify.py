"""A black box file is a recording that an arm's drives can be identified from."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blackbox_files import Row, case, make_file

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile, load_profile
from reins.sim.matching import nominal
from reins.sim.mujoco_robot import MujocoPhysics
from reins.training.identify.identify import identify
from reins.training.identify.recorded import recorded
from reins.training.identify.trials import respond, trial_world, waves

LOOSE = (1.0, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0)


@pytest.fixture(scope="module")
def profile() -> RobotProfile:
    return load_profile("franka")


def state(position: Any, velocity: Any, reference: Any) -> dict[str, Any]:
    return {"position": list(position), "velocity": list(velocity), "reference": list(reference), "armed": True}


def a_recording(folder: Path, profile: RobotProfile, seed: int = 0) -> Path:
    """Of an arm whose second joint is damped less than nominal, told at other moments than the reference was set."""
    arm = MujocoPhysics(profile, trial_world())
    arm.match(nominal(profile, "mujoco").model_copy(update={"damping": LOOSE}))
    trial = waves(profile, 4.0, seed)
    response = respond(arm, trial)
    times = trial.period * np.arange(len(trial.reference)) - 4.0
    rows: list[Row] = [("robot_state", times[0], state(trial.reference[0], np.zeros(7), trial.reference[0]))]
    for time, reference, position, velocity in zip(
        times[1:], trial.reference[1:], response.position, response.velocity, strict=True
    ):
        rows.append(("robot_state", float(time), state(position, velocity, reference)))
    about = case(robot="franka", joint_names=profile.joint_names, velocity_limits=tuple(profile.velocity.tolist()))
    return make_file(folder, rows, about)


def test_the_trial_is_what_was_recorded(tmp_path: Path, profile: RobotProfile) -> None:
    trial, response = recorded(a_recording(tmp_path, profile), profile)
    asked = waves(profile, 4.0, 0)
    np.testing.assert_allclose(trial.reference, asked.reference[: len(trial.reference)], atol=1e-6)
    assert len(response.position) == len(trial.reference) - 1 > 390
    assert len(response.block) == 0


def test_the_simulator_is_matched_to_the_recorded_arm(tmp_path: Path, profile: RobotProfile) -> None:
    first, second = (tmp_path / name for name in ("first", "second"))
    files = [a_recording(folder, profile, seed) for seed, folder in enumerate((first, second))]
    found = identify(profile, "mujoco", files)
    assert found.held_out
    assert found.matching.damping[1] == pytest.approx(0.7, rel=0.1)
    assert found.after.position[1] < 0.3 * found.before.position[1]
    assert np.isnan(found.after.block)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "has no states of 'franka', which has 7 joints"),
        ([("robot_state", -1.0, state([0.0] * 2, [0.0] * 2, [0.0] * 2))], "has no states of 'franka'"),
        ([("robot_state", 0.1 * k - 3, state([0.0] * 7, [0.1] * 7, [0.0] * 7)) for k in range(30)], "never stands"),
        ([("robot_state", 0.1 * k - 1, state([0.0] * 7, [0.0] * 7, [0.0] * 7)) for k in range(10)], "shows 0.9 s"),
        ([("robot_state", 0.1 * k - 3, state([0.0] * 7, [0.0] * 7, [0.0] * 7)) for k in range(30)], "no joint moves"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, profile: RobotProfile, rows: list[Row], said: str) -> None:
    with pytest.raises(ReinsError, match=said):
        recorded(make_file(tmp_path, rows), profile)
