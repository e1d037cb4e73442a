"""The quadruped's profile: what is missing or reversed is named."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from reins.contracts.errors import ReinsError
from reins.hardware.profile import known_profiles, load_profile
from reins.hardware.quadruped import QuadrupedProfile

SHIPPED = Path(__file__).parents[2] / "reins" / "hardware" / "profiles"
Document = dict[str, Any]


@pytest.fixture(params=known_profiles("quadruped"))
def document(request: pytest.FixtureRequest) -> Document:
    text = (SHIPPED / f"{request.param}.yaml").read_text(encoding="utf-8")
    loaded: Document = yaml.safe_load(text)
    return loaded


@pytest.fixture
def load(document: Document, tmp_path: Path) -> Callable[[], QuadrupedProfile]:
    """Loads the document as it is by then."""

    def write_and_load() -> QuadrupedProfile:
        path = tmp_path / "changed.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        return load_profile(str(path), QuadrupedProfile)

    return write_and_load


def leaves(document: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Paths of every figure and name of a document."""
    items: Any = document.items() if isinstance(document, dict) else enumerate(document)
    found: list[tuple[str | int, ...]] = []
    for key, value in items:
        here = (*path, key)
        found += leaves(value, here) if isinstance(value, dict | list) else [here]
    return found


def change(document: Document, path: tuple[str | int, ...], value: object) -> None:
    part: Any = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value


def remove(document: Document, path: tuple[str | int, ...]) -> None:
    part: Any = document
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]


def test_every_single_field_is_required(document: Document, load: Callable[[], QuadrupedProfile]) -> None:
    """But for those of a driver, which a robot need not have."""
    paths = [path for path in leaves(document) if path[0] not in ("sources", "unitree")]
    assert len(paths) > 90
    for path in paths:
        before = deepcopy(document)
        remove(document, path)
        with pytest.raises(ReinsError, match=str(path[0])):
            load()
        document.clear()
        document.update(before)
    load()


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("tilt", "slow"), 9.0, r"tilt: .*slow 9.0 is not below stop"),
        (("height", "lowest"), 9.0, r"height: .*lowest 9.0 is not below highest"),
        (("battery", "sit"), 0.9, r"battery: .*sit 0.9 is not below slow"),
        (("motor", "slow"), 300.0, r"motor: .*slow 300.0 is not below sit"),
        (("joints", 4, "lower"), 9.0, r"joints\.4: .*joint 'FR_thigh_joint': lower 9.0 is not below upper"),
        (("joints", 4, "home"), -9.0, r"joint 'FR_thigh_joint': home -9.0 is outside"),
        (("body", "velocity", "turn"), 0.0, r"body\.velocity\.turn"),
        (("body", "acceleration", "along"), float("nan"), r"body\.acceleration\.along"),
        (("body", "footprint"), float("inf"), r"body\.footprint"),
        (("battery", "slow"), 1.1, r"battery\.slow"),
        (("motor", "sit"), -300.0, r"motor\.sit"),
        (("contact", "feet"), 0, r"contact\.feet"),
        (("contact", "feet"), 5, r"feet 5 is more than the robot's 4"),
        (("rates", "stale_after"), 0.001, r"stale_after 0.001 is shorter than a period"),
        (("joints", 1, "name"), "FL_hip_joint", r"joints: a name stands twice"),
        (("feet",), ["FL", "FL", "RL", "RR"], r"feet: a name stands twice"),
        (("feet",), ["FL", "FR", "RL"], r"feet"),
        (("wings",), 2, r"wings: Extra inputs"),
        (("kind",), "boat", r"kind: Input should be 'arm' or 'quadruped'"),
    ],
)
def test_a_wrong_limit_is_named(
    document: Document, load: Callable[[], QuadrupedProfile], path: tuple[str | int, ...], value: object, complaint: str
) -> None:
    change(document, path, value)
    with pytest.raises(ReinsError, match=complaint):
        load()


@pytest.mark.parametrize("path", [("tilt", "slow"), ("height", "lowest"), ("motor", "slow")])
def test_equal_limits_are_not_in_order(
    document: Document, load: Callable[[], QuadrupedProfile], path: tuple[str, str]
) -> None:
    other = {"tilt": "stop", "height": "highest", "motor": "sit"}[path[0]]
    change(document, path, document[path[0]][other])
    with pytest.raises(ReinsError, match="is not below"):
        load()


def test_arrays_cannot_be_changed_by_accident(load: Callable[[], QuadrupedProfile]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        load().acceleration[0] = 1.0
