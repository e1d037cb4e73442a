"""What is written in several packaging files says the same in all of them."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = [ROOT / "package.xml", ROOT / "ros2_ws" / "src" / "reins_msgs" / "package.xml"]
PINNED = re.compile(
    r'[A-Za-z0-9-]+==[0-9][0-9A-Za-z.]*(; python_version [<>=]+ "3\.1[0-3]"( or python_version == "3\.1[0-3]")*'
    r'( and platform_machine == "x86_64")?)?'
)


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_version_and_licence_agree(manifest: Path) -> None:
    package = ElementTree.parse(manifest).getroot()
    version = package.findtext("version")
    assert f'version="{version}"' in (ROOT / "setup.py").read_text()
    assert package.findtext("license") == "Apache-2.0"
    assert 'license = { text = "Apache-2.0" }' in (ROOT / "pyproject.toml").read_text()


def test_the_licence_file_is_the_apache_licence() -> None:
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.stem)
def test_every_requirement_is_pinned(path: Path) -> None:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not PINNED.fullmatch(line)] == []


def test_the_demo_needs_no_learning_framework() -> None:
    names = {line.partition("==")[0] for line in (ROOT / "requirements" / "runtime.txt").read_text().splitlines()}
    assert names.isdisjoint({"torch", "transformers", "stable-baselines3", "gymnasium"})


@pytest.mark.parametrize("room", ["nodes", "sim", "hardware", "models"])
def test_the_root_shows_the_rooms(room: str) -> None:
    assert (ROOT / room).resolve() == ROOT / "reins" / room


def test_the_workspace_holds_the_root_package() -> None:
    assert (ROOT / "ros2_ws" / "src" / "reins").resolve() == ROOT
