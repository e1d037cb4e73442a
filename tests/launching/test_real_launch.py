"""What launch files of real arms start: the simulation's graph without cameras, slow, and armed by a person alone."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from reins.hardware.profile import load_profile
from reins.hardware.real import REAL
from reins.launching.description import declared_arguments

LAUNCH = Path(__file__).parents[2] / "launch"
FILES = ("franka", "ur")
OWN = {("robot", "backend"), ("robot", "robot_ip"), ("safety", "speed_scale"), ("supervisor", "auto_arm")}
"""Parameters in which a real arm differs from a simulation."""

SIMULATED = {("robot", "world"), ("robot", "seed"), ("robot", "real_time_factor")}
"""Those that only a simulation has."""


def parameters(name: str) -> dict[tuple[str, str], str]:
    """(node, parameter) → value as written, of the nodes that do not belong to a simulator."""
    root = ElementTree.parse(LAUNCH / f"{name}.launch.xml").getroot()
    return {
        (node.get("name", ""), param.get("name", "")): param.get("value", "")
        for node in root.iter("node")
        if not node.get("name", "").startswith("sim_")
        for param in node.iter("param")
    }


@pytest.mark.parametrize("name", FILES)
def test_it_differs_from_the_simulation_in_what_is_listed_and_nothing_else(name: str) -> None:
    real, simulated = parameters(name), parameters("sim")
    assert {key: real[key] for key in real if key not in OWN} == {
        key: simulated[key] for key in simulated if key not in OWN | SIMULATED
    }


@pytest.mark.parametrize("name", FILES)
def test_the_address_must_be_given_and_the_start_is_slow(name: str) -> None:
    arguments = {argument.name: argument.default for argument in declared_arguments(LAUNCH / f"{name}.launch.xml")}
    assert load_profile(arguments["robot"] or "")
    assert arguments["robot_ip"] is None
    assert 0.0 < float(arguments["speed_scale"] or "nan") <= 0.2


@pytest.mark.parametrize("name", FILES)
def test_nothing_but_a_person_arms_it(name: str) -> None:
    assert parameters(name)["supervisor", "auto_arm"] == "false"
    assert parameters(name)["robot", "backend"] in REAL


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("group", ["nodes", "watched"])
def test_the_supervisor_knows_exactly_what_is_started(name: str, group: str) -> None:
    root = ElementTree.parse(LAUNCH / f"{name}.launch.xml").getroot()
    started = {node.get("name") for node in root.iter("node")}
    named = next(let.get("value", "") for let in root.iter("let") if let.get("name") == group)
    listed = {word.strip() for word in named.strip("[]").split(",")}
    left_out = {"nodes": {"supervisor"}, "watched": {"safety", "blackbox"}}[group]
    assert listed == started - left_out
