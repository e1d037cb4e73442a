"""What is identified is what was there: engines with known factors are recorded, and the factors are found again."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile, load_profile
from reins.sim.matching import Matching, load_matching, nominal
from reins.sim.mujoco_robot import MujocoPhysics
from reins.training.identify.fit import errors, fit_drives, fit_surface
from reins.training.identify.identify import SLIDES, identify
from reins.training.identify.trials import ASIDE, Trial, respond, slide, trial_world, waves

N = 7


@pytest.fixture(scope="module")
def profile() -> RobotProfile:
    return load_profile("franka")


def arm(profile: RobotProfile, **changes: object) -> MujocoPhysics:
    made = MujocoPhysics(profile, trial_world())
    made.match(nominal(profile, "mujoco").model_copy(update=changes))
    return made


def with_one(joint: int, factor: float) -> tuple[float, ...]:
    return tuple(factor if index == joint else 1.0 for index in range(N))


@pytest.mark.parametrize(
    ("what", "joint", "factor"), [("damping", 1, 1.4), ("damping", 5, 0.7), ("stiffness", 3, 0.7), ("friction", 0, 1.8)]
)
def test_a_drive_that_differs_is_found(profile: RobotProfile, what: str, joint: int, factor: float) -> None:
    trials = [waves(profile, 4.0, seed) for seed in (0, 1)]
    other = arm(profile, **{what: with_one(joint, factor)})
    pairs = [(trial, respond(other, trial)) for trial in trials]
    mine = arm(profile)
    before = errors(mine, pairs).position[joint]
    found = fit_drives(mine, profile, "mujoco", pairs)
    assert getattr(found, what)[joint] == pytest.approx(factor, rel=0.2)
    assert errors(mine, pairs).position[joint] < 0.6 * before
    others = np.delete(found.factors, joint, axis=1)
    np.testing.assert_allclose(others, 1.0, atol=0.1)


def test_joints_that_do_not_move_stay_nominal(profile: RobotProfile) -> None:
    still = waves(profile, 3.0, 0)
    reference = np.tile(profile.home, (len(still.reference), 1))
    reference[:, 2] = still.reference[:, 2]
    trial = Trial(still.period, reference, still.thrown)
    other = arm(profile, damping=(1.5,) * N)
    found = fit_drives(arm(profile), profile, "mujoco", [(trial, respond(other, trial))])
    assert found.damping[2] == pytest.approx(1.5, rel=0.1)
    assert found.damping[6] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("surface", [0.55, 0.8, 1.0, 1.15])
def test_the_friction_of_the_surface_is_found_from_a_sliding_block(profile: RobotProfile, surface: float) -> None:
    other = arm(profile, surface=surface)
    pairs = [(trial, respond(other, trial)) for trial in (slide(profile, speed) for speed in SLIDES)]
    mine = arm(profile)
    found = fit_surface(mine, nominal(profile, "mujoco"), pairs)
    assert found.surface == pytest.approx(surface, rel=0.05)
    assert errors(mine, pairs).block < 0.002


def test_waves_keep_the_limits_and_start_at_rest(profile: RobotProfile) -> None:
    for seed in range(20):
        trial = waves(profile, 8.0, seed)
        speed = np.diff(trial.reference, axis=0) / trial.period
        assert (trial.reference > profile.lower).all() and (trial.reference < profile.upper).all()
        assert (np.abs(speed) < profile.velocity).all()
        assert (np.abs(np.diff(speed, axis=0)) / trial.period < profile.acceleration).all()
        np.testing.assert_allclose(trial.reference[0], profile.home)
        assert np.abs(speed[0]).max() < 0.01
        assert np.ptp(trial.reference, axis=0).min() > 0.03, "a joint that hardly moves tells nothing"


def test_a_thrown_block_slides_by_the_law_and_comes_to_rest(profile: RobotProfile) -> None:
    block = respond(arm(profile), slide(profile, 1.0)).block
    assert block[-1, 0] - ASIDE[0] == pytest.approx(1.0**2 / (2 * 0.8 * 9.81), rel=0.1)
    np.testing.assert_allclose(block[-1, :3], block[-10, :3], atol=1e-4)


def test_the_reference_is_not_matched_to_itself(profile: RobotProfile) -> None:
    with pytest.raises(ReinsError, match="give --recording"):
        identify(profile, "mujoco")


class TestMatchings:
    def test_where_nothing_was_identified_values_are_nominal(self, profile: RobotProfile) -> None:
        assert (load_matching(profile, "mujoco").factors == 1.0).all()

    def test_other_joints_are_another_robot(self, profile: RobotProfile) -> None:
        joints = (profile.joints[0].model_copy(update={"name": "elsewhere"}), *profile.joints[1:])
        other = profile.model_copy(update={"joints": joints})
        other.__dict__.pop("joint_names", None)
        assert (load_matching(profile, "pybullet").factors != 1.0).any()
        assert (load_matching(other, "pybullet").factors == 1.0).all()

    def test_a_factor_is_missing(self, profile: RobotProfile) -> None:
        document = nominal(profile, "mujoco").model_dump() | {"damping": [1.0] * 6}
        with pytest.raises(ValidationError, match="damping has 6 factors for 7 joints"):
            Matching.model_validate(document)

    @pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), 11.0])
    def test_a_factor_makes_no_sense(self, profile: RobotProfile, factor: float) -> None:
        document = nominal(profile, "mujoco").model_dump() | {"stiffness": with_one(0, factor)}
        with pytest.raises(ValidationError):
            Matching.model_validate(document)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(find_spec("pybullet") is None, reason="the other simulator needs PyBullet")
def test_pybullet_is_matched_to_mujoco_and_the_file_is_read_back(profile: RobotProfile, tmp_path: Path) -> None:
    found = identify(profile, "pybullet", seconds=3.0)
    assert found.held_out
    assert (found.after.position**2).sum() <= (found.before.position**2).sum()
    path = tmp_path / "matching" / "franka_pybullet.yaml"
    found.write(path)
    from reins.contracts.documents import Shelf

    assert Shelf("matching", "reins.sim", "matchings").load(str(path), Matching) == found.matching
    assert replace(found, held_out=False).matching is found.matching
