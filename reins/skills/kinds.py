"""What carries out the skills of which kind of robot: the one place in this room where the kind decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.skills.catalogue import skills_of
from reins.skills.factory import BACKENDS, make_factories
from reins.skills.legged.factory import LeggedFactory
from reins.skills.legged.runner import LeggedRunner
from reins.skills.registry import SkillRegistry
from reins.skills.runner import Makes, Runner, SkillRunner

SCRIPTED: Final = "scripted"
"""The backend that every kind of robot has."""


@dataclass(frozen=True, slots=True)
class Repertoire:
    """What one robot can do.

    Attributes:
        registry: the skills that exist for its kind.
        factories: which factory makes the controller of which skill.
        runner: runs them.
    """

    registry: SkillRegistry
    factories: Mapping[str, Makes[Any, Any]]
    runner: Runner[Any, Any, Any]


def make_repertoire(backend: str, profile: Profile) -> Repertoire:
    """What a robot can do.

    Args:
        backend: what carries skills out; see `make_factories`. Legs have scripts alone.
        profile: the robot.

    Raises:
        UnknownName: no such backend; lists those that exist.
        ReinsError: the robot's kind does not have it, or a policy is refused.
    """
    registry = skills_of(profile.kind)
    if isinstance(profile, QuadrupedProfile):
        if backend not in BACKENDS:
            raise UnknownName("skills backend", backend, BACKENDS)
        if backend != SCRIPTED:
            raise ReinsError(f"the skills of a {profile.kind} are {SCRIPTED}; no backend '{backend}' carries them out")
        maker = LeggedFactory(profile)
        legs = dict.fromkeys(maker.skills, maker)
        return Repertoire(registry, legs, LeggedRunner(registry, legs, profile))
    assert isinstance(profile, RobotProfile), f"{profile.name} is of an unknown kind"
    arms = make_factories(backend, profile)
    return Repertoire(registry, arms, SkillRunner(registry, arms, profile))
