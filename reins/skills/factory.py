"""Which factory carries out which skill, by the name of a backend."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.skills.controller import ControllerFactory
from reins.skills.scripted.factory import ScriptedFactory

BACKENDS: Final = ("scripted",)
"""Names that `make_factories` knows."""


def make_factories(name: str, profile: RobotProfile) -> Mapping[str, ControllerFactory]:
    """The factory of every skill.

    Args:
        name: "scripted": every skill by its script.
        profile: the robot.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """
    if name not in BACKENDS:
        raise UnknownName("skills backend", name, BACKENDS)
    scripted = ScriptedFactory(profile)
    return dict.fromkeys(scripted.skills, scripted)
