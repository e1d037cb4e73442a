"""Which factory carries out which skill, by the name of a backend."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.skills.controller import ControllerFactory
from reins.skills.onnx_factory import OnnxFactory
from reins.skills.scripted.factory import ScriptedFactory

BACKENDS: Final = ("scripted", "onnx")
"""Names that `make_factories` knows."""


def make_factories(name: str, profile: RobotProfile) -> Mapping[str, ControllerFactory]:
    """The factory of every skill.

    Args:
        name: "scripted": every skill by its script. "onnx": by its policy where one ships with reins, by its script
            otherwise; `OnnxFactory.skills` says which.
        profile: the robot.

    Raises:
        UnknownName: no such backend; lists those that exist.
        ReinsError: a policy is refused.
    """
    if name not in BACKENDS:
        raise UnknownName("skills backend", name, BACKENDS)
    scripted = ScriptedFactory(profile)
    factories: dict[str, ControllerFactory] = dict.fromkeys(scripted.skills, scripted)
    if name == "onnx":
        policies = OnnxFactory(profile)
        factories.update(dict.fromkeys(policies.skills, policies))
    return factories
