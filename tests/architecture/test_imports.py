"""The arrows between the rooms point one way; read from the syntax tree, so that late imports count too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "reins"

INTERFACE = {
    f"reins.hardware.{module}"
    for module in (
        *("robot", "legged", "legged_orders", "legs", "profile", "profile_base", "quadruped", "quadruped_build"),
        *("kinematics", "host", "on_belly"),
    )
}

ALLOWED = {
    "contracts": set(),
    "hardware": {"contracts"},
    "sim": {"contracts", "hardware"},
    "models": {"contracts"},
    "locomotion": {"contracts", "hardware", "models"},
    "language_models": {"contracts"},
    "perception": {"contracts", "hardware", "language_models", "models"},
    "calibration": {"contracts", "hardware"},
    "planning": {"contracts", "language_models", "skills"},
    "skills": {"contracts", "hardware", "models"},
    "safety": {"contracts", "hardware"},
    "teleop": {"contracts", "hardware"},
    "launching": {"contracts"},
    "peers": {"contracts", "hardware", "locomotion", "sim"},
    "blackbox": {"contracts"},
}
"""Which rooms each room may import besides itself. Rooms that are not named here sit on top and may import any room."""

ON_TOP = {"nodes", "bench", "training", "demo", "cli"}
"""Rooms that no room below may import."""

ROS_PACKAGES = {
    "rclpy",
    "reins_msgs",
    "sensor_msgs",
    "std_msgs",
    "geometry_msgs",
    "lifecycle_msgs",
    "builtin_interfaces",
}


def imports_of(path: Path) -> Iterator[str]:
    """Absolute names of every module that a file imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def files_of(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    for path in files_of(room):
        for name in imports_of(path):
            if name.startswith("reins."):
                target = name.split(".")[1]
                assert target == room or target in ALLOWED[room], f"{path.relative_to(PACKAGE)} imports {name}"


def test_simulators_use_only_the_interface_of_hardware() -> None:
    for path in files_of("sim"):
        used = {name for name in imports_of(path) if name.startswith("reins.hardware")}
        assert used <= INTERFACE, f"{path.relative_to(PACKAGE)} imports {used - INTERFACE}"


def test_planning_knows_skills_by_their_registry_alone() -> None:
    for path in files_of("planning"):
        used = {name for name in imports_of(path) if name.startswith("reins.skills")}
        assert used <= {"reins.skills.registry", "reins.skills.library"}, path


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_nodes_and_benchmarks_of_the_graph_speak_ros(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix().startswith(("nodes/", "bench/latency", "bench/stops/")):
        return
    used = {name.split(".")[0] for name in imports_of(path)} & ROS_PACKAGES
    assert not used, f"imports {used}"
