"""Each kind of robot has its own skills, carried out by what its kind has."""

import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import known_profiles, load_profile
from reins.hardware.profile_base import Profile
from reins.skills.catalogue import EVERY_SKILL, REGISTRIES, skills_of
from reins.skills.kinds import SCRIPTED, make_repertoire
from reins.skills.legged.runner import LeggedRunner
from reins.skills.runner import SkillRunner


@pytest.mark.parametrize("name", known_profiles())
def test_every_robot_that_ships_carries_out_all_skills_of_its_kind(name: str) -> None:
    profile = load_profile(name, Profile)
    repertoire = make_repertoire(SCRIPTED, profile)
    assert set(repertoire.factories) == set(skills_of(profile.kind)) == set(repertoire.registry)
    assert isinstance(repertoire.runner, LeggedRunner if profile.kind == "quadruped" else SkillRunner)


def test_legs_have_no_trained_skills() -> None:
    with pytest.raises(ReinsError, match="the skills of a quadruped are scripted; no backend 'onnx' carries them out"):
        make_repertoire("onnx", load_profile("go2", Profile))


@pytest.mark.parametrize("robot", ["go2", "franka"])
def test_a_backend_that_nobody_has_is_told_with_those_that_exist(robot: str) -> None:
    with pytest.raises(UnknownName, match=r"no skills backend 'scriptd'.*did you mean 'scripted'"):
        make_repertoire("scriptd", load_profile(robot, Profile))


def test_no_two_kinds_share_a_skills_name() -> None:
    assert len(EVERY_SKILL) == sum(map(len, REGISTRIES.values()))
