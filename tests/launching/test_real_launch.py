"""What launch files of real arms start: the simulation's graph without its cameras, slow, armed by a person alone."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.stages import Stage
from reins.launching.description import declared_arguments
from reins.launching.evaluate import evaluate
from reins.nodes.drivers import LEGGED, real_drivers

LAUNCH = Path(__file__).parents[2] / "launch"
ADDRESSED = ("franka", "ur")
FILES = (*ADDRESSED, "ros2_control")
OWN = {
    ("robot", "backend"),
    ("robot", "robot_ip"),
    ("robot", "stage"),
    ("perception", "tags"),
    ("perception", "cameras"),
    ("perception", "camera_clock"),
    ("perception", "rectified"),
    ("perception", "frozen_after"),
    ("safety", "speed_scale"),
    ("supervisor", "auto_arm"),
}
"""Parameters in which a real arm differs from a simulation."""

SIMULATED = {("robot", "world"), ("robot", "seed"), ("robot", "real_time_factor")}
"""Those that only a simulation has."""


def parameters(name: str) -> dict[tuple[str, str], str]:
    """(node, parameter) → value as written, of the nodes that do not belong to a simulator."""
    root = ElementTree.parse(LAUNCH / f"{name}.launch.xml").getroot()
    return {
        (node.get("name", ""), param.get("name", "")): param.get("value", "")
        for node in root.iter("node")
        if not node.get("name", "").startswith("sim_") and node.get("name") != "camera"
        for param in node.iter("param")
    }


@pytest.mark.parametrize("name", FILES)
def test_it_differs_from_the_simulation_in_what_is_listed_and_nothing_else(name: str) -> None:
    real, simulated = parameters(name), parameters("sim")
    assert {key: real[key] for key in real if key not in OWN} == {
        key: simulated[key] for key in simulated if key not in OWN | SIMULATED
    }


def defaults(name: str) -> dict[str, str | None]:
    return {argument.name: argument.default for argument in declared_arguments(LAUNCH / f"{name}.launch.xml")}


@pytest.mark.parametrize("name", ADDRESSED)
def test_the_address_must_be_given(name: str) -> None:
    assert load_profile(defaults(name)["robot"] or "")
    assert defaults(name)["robot_ip"] is None


def test_behind_ros2_control_the_profile_must_be_given_and_the_names_are_kept_apart() -> None:
    assert defaults("ros2_control")["robot"] is None
    assert defaults("ros2_control")["namespace"], "joint_states is a topic of the broadcaster, too"


@pytest.mark.parametrize("name", FILES)
def test_the_start_is_slow_and_in_the_first_stage(name: str) -> None:
    assert 0.0 < float(defaults(name)["speed_scale"] or "nan") <= 0.2
    assert defaults(name)["stage"] == Stage.UNARMED.value


@pytest.mark.parametrize("name", FILES)
def test_a_camera_that_is_frozen_is_noticed(name: str) -> None:
    """The pictures of a real one have noise; a simulated one's have none."""
    assert 0.0 < float(defaults(name)["frozen_after"] or "nan") <= 2.0
    assert parameters(name)["perception", "frozen_after"] == "$(var frozen_after)"


@pytest.mark.parametrize("name", FILES)
def test_nothing_but_a_person_arms_it(name: str) -> None:
    assert parameters(name)["supervisor", "auto_arm"] == "false"
    assert parameters(name)["robot", "backend"] in real_drivers()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("group", ["nodes", "watched"])
def test_the_supervisor_knows_exactly_what_is_started(name: str, group: str) -> None:
    root = ElementTree.parse(LAUNCH / f"{name}.launch.xml").getroot()
    started = {node.get("name") for node in root.iter("node")}
    named = next(let.get("value", "") for let in root.iter("let") if let.get("name") == group)
    listed = {word.strip() for word in named.replace("$(var camera_nodes)", ", camera").strip("[]").split(",")}
    left_out = {"nodes": {"supervisor"}, "watched": {"safety", "blackbox"}}[group]
    assert listed == started - left_out


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package `reins` with every executable that the launch files start."""
    index, programs = tmp_path / "share/ament_index/resource_index/packages", tmp_path / "lib/reins"
    for folder in (index, programs):
        folder.mkdir(parents=True)
    (index / "reins").touch()
    for file in LAUNCH.glob("*.launch.xml"):
        for node in ElementTree.parse(file).getroot().iter("node"):
            (programs / node.get("exec", "")).touch(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", FILES)
def test_a_camera_of_this_computer_is_started_when_it_is_asked_for(name: str) -> None:
    file = LAUNCH / f"{name}.launch.xml"
    given = {argument.name: "1" for argument in declared_arguments(file) if argument.default is None}
    asked = {"usb_camera": "true", "camera_source": "rtsp://10.0.0.2/1", "camera_names": "[overhead]"}
    without, with_it = (
        {node.name: " ".join(node.command) for node in evaluate(file, given | extra, {"HOME": "/home/x"}).nodes}
        for extra in ({}, asked)
    )
    assert with_it.keys() - without.keys() == {"camera"} and not without.keys() - with_it.keys()
    assert "source:=" in with_it["camera"] and "rtsp://10.0.0.2/1" in with_it["camera"]
    assert "wrist" in without["perception"] and "wrist" not in with_it["perception"]
    assert "robot, camera, perception" in with_it["supervisor"].replace('"', "").replace("'", "")


class TestAGo2:
    def test_a_real_one_differs_from_the_simulated_one_in_what_is_listed_and_nothing_else(self) -> None:
        """It has nothing that sees what stands about, so nothing that walks by itself."""
        real, simulated = parameters("go2"), parameters("go2_sim")
        own = OWN | {("safety", "watched"), ("supervisor", "nodes")}
        assert {key: real[key] for key in real if key not in own} == {
            key: simulated[key]
            for key in simulated
            if key not in own | SIMULATED and key[0] not in ("perception", "skills", "planner")
        }

    @pytest.mark.usefixtures("installed")
    @pytest.mark.parametrize(
        ("name", "given", "eyes"),
        [
            ("go2", {}, set()),
            ("go2_sim", {}, {"perception"}),
            ("go2_sim", {"cameras": "true"}, {"perception", "sim_cameras"}),
        ],
    )
    def test_every_node_is_brought_up_and_watched(self, name: str, given: dict[str, str], eyes: set[str]) -> None:
        launched = evaluate(LAUNCH / f"{name}.launch.xml", given, {"HOME": "/home/x"})
        words = {node.name: " ".join(node.command) for node in launched.nodes}
        started = set(words)
        assert started & {"perception", "sim_cameras"} == eyes
        for owner, parameter, others in (
            ("supervisor", "nodes", {"supervisor"}),
            ("safety", "watched", {"safety", "blackbox"}),
        ):
            found = re.search(rf"\b{parameter}:=\[(.*?)\]", words[owner].replace("'", "").replace('"', ""))
            assert found is not None, words[owner]
            listed = found.group(1).split(", ")
            assert set(listed) == started - others and len(listed) == len(set(listed)), owner

    def test_a_real_one_starts_slow_and_nothing_but_a_person_arms_it(self) -> None:
        assert load_profile(defaults("go2")["robot"] or "", QuadrupedProfile)
        assert 0.0 < float(defaults("go2")["speed_scale"] or "nan") <= 0.2
        assert parameters("go2")["supervisor", "auto_arm"] == "false"
        assert parameters("go2")["robot", "backend"] in LEGGED
