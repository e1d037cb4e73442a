"""Profiles: what ships is complete and sourced; what is wrong is named."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import KINDS, PROFILES, Model, RobotProfile, known_profiles, load_profile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile

SHIPPED = Path(__file__).parents[2] / "reins" / "hardware" / "profiles"


SOURCES = {
    "arm": {"position", "limits", "motion", "gripper", "workspace"},
    "quadruped": {"joints", "velocity", "acceleration", "footprint", "tilt", "height", "contact", "battery", "motor"},
}


@pytest.mark.parametrize("name", known_profiles())
def test_every_profile_that_ships_loads_and_names_its_sources(name: str) -> None:
    profile = load_profile(name, Profile)
    assert profile.name == name
    assert isinstance(profile, KINDS[profile.kind])
    assert set(profile.sources) >= SOURCES[profile.kind]
    assert np.all(profile.lower < profile.upper)
    assert np.all((profile.lower <= profile.home) & (profile.home <= profile.upper))


def test_profiles_are_known_by_kind() -> None:
    arms, legged = known_profiles("arm"), known_profiles("quadruped")
    assert {"franka", "ur5e", "ur10e"} <= set(arms)
    assert legged == ["go2"]
    assert known_profiles() == sorted(arms + legged)


@pytest.mark.parametrize(
    ("name", "wanted", "complaint"),
    [
        ("go2", RobotProfile, "robot 'go2' is of kind 'quadruped', and what was asked for works with kind 'arm' only"),
        ("franka", QuadrupedProfile, "robot 'franka' is of kind 'arm', .* kind 'quadruped' only; .*: go2"),
    ],
)
def test_what_is_made_for_one_kind_of_robot_says_so(name: str, wanted: type[Profile], complaint: str) -> None:
    with pytest.raises(ReinsError, match=complaint):
        load_profile(name, wanted)


def test_an_arm_is_what_is_loaded_unless_another_kind_is_asked_for() -> None:
    assert isinstance(load_profile("franka"), RobotProfile)
    with pytest.raises(ReinsError, match="robots of that kind: franka, "):
        load_profile("go2")
    assert load_profile("go2", QuadrupedProfile).feet == ("FL", "FR", "RL", "RR")


def test_arrays_cannot_be_changed_by_accident() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_profile("franka").upper[0] = 1.0


def test_an_unknown_robot_lists_what_exists_and_guesses() -> None:
    with pytest.raises(UnknownName, match=r"no robot 'frnka'; did you mean 'franka'\? \(known: franka, go2, "):
        load_profile("frnka")


def write_changed(folder: Path, change: dict[str, object], joint: dict[str, object]) -> str:
    document = yaml.safe_load((SHIPPED / "franka.yaml").read_text(encoding="utf-8"))
    document.update(change)
    document["joints"][2].update(joint)
    for name in [name for name, value in joint.items() if value is None]:
        del document["joints"][2][name]
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("change", "joint", "complaint"),
    [
        ({}, {"velocity": None}, r"joints\.2\.velocity: Field required"),
        ({}, {"lower": 3.0, "upper": -3.0}, r"joint 'fr3_joint3': lower 3.0 is not below upper -3.0"),
        ({}, {"home": 9.0}, r"joint 'fr3_joint3': home 9.0 is outside"),
        ({}, {"velocity": float("nan")}, r"joints\.2\.velocity"),
        ({}, {"acceleration": -1.0}, r"joints\.2\.acceleration"),
        ({"elbow": {"joint": "fr3_joint9", "speed": 1.0}}, {}, r"elbow: no joint 'fr3_joint9'; did you mean"),
        ({"elbow": {"joint": "fr3_joint4", "speed": 0.0}}, {}, r"elbow\.speed"),
        ({"fixtures": [{"name": "wall", "centre": [1, 0, 0], "size": [0.1, 1.0, 0.0]}]}, {}, r"fixtures\.0\.size\.2"),
        ({"table": float("nan")}, {}, r"table: "),
        ({"workspaces": 1}, {}, r"workspaces: Extra inputs"),
        ({"kind": "boat"}, {}, r"kind: Input should be 'arm' or 'quadruped'"),
    ],
)
def test_a_wrong_limit_is_named(
    tmp_path: Path, change: dict[str, object], joint: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ReinsError, match=complaint):
        load_profile(write_changed(tmp_path, change, joint))


def test_a_profile_of_ones_own_works_by_path(tmp_path: Path) -> None:
    assert load_profile(write_changed(tmp_path, {"name": "mine"}, {})).name == "mine"


@pytest.mark.parametrize(("text", "complaint"), [("a: [", "not valid YAML"), ("3", "the file: Input should be")])
def test_what_is_no_profile_is_said_in_one_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReinsError, match=complaint):
        load_profile(str(path))


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ReinsError, match=r"no robot file 'nowhere/mine\.yaml'"):
        load_profile("nowhere/mine.yaml")


def test_only_yaml_files_are_on_the_shelf() -> None:
    assert PROFILES.names() == sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def test_a_missing_model_package_is_named() -> None:
    profile = load_profile("franka")
    with pytest.raises(ReinsError, match=r"has no file 'assets/none\.urdf'"):
        profile.model.path("assets/none.urdf")
    absent = profile.model.model_copy(update={"package": "reins_no_such_package"})
    with pytest.raises(ReinsError, match=r"'reins_no_such_package', which carries .* is not installed; a folder of"):
        absent.path("assets/fr3.urdf")


def test_a_folder_that_python_finds_carries_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any file of Python in it, as docs/adding_a_robot.md says."""
    folder = tmp_path / "reins_test_my_arm"
    folder.mkdir()
    (folder / "my_arm.urdf").write_text("<robot/>", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    model = Model(package=folder.name, urdf="my_arm.urdf", mjcf="my_arm.urdf")
    assert model.path(model.urdf) == folder / "my_arm.urdf"
