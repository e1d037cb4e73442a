"""The environment that `./run` hands to programs."""

import os
from pathlib import Path

import pytest

from bootstrap.layout import Layout, build_environment, run_environment


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    (layout.site / "ros_rcl.libs").mkdir(parents=True)
    return layout


def path_of(env: dict[str, str], name: str) -> list[str]:
    return env[name].split(os.pathsep)


def test_the_workspace_comes_before_ros_and_ros_before_what_was_there(layout: Layout) -> None:
    env = run_environment(layout, {"AMENT_PREFIX_PATH": "/opt/other", "HOME": "/"}, wheels=True)
    expected = [str(layout.package), str(layout.interfaces), str(layout.venv), "/opt/other"]
    assert path_of(env, "AMENT_PREFIX_PATH") == expected


def test_the_ros_wheels_need_not_start_python_twice(layout: Layout) -> None:
    env = build_environment(layout, {}, wheels=True)
    assert env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] == "1"
    assert str(layout.site / "ros_rcl.libs") in path_of(env, "LD_LIBRARY_PATH")
    assert str(layout.venv / "lib") in path_of(env, "LD_LIBRARY_PATH")


def test_a_sourced_ros_is_left_as_it_is(layout: Layout) -> None:
    sourced = {"AMENT_PREFIX_PATH": "/opt/ros/jazzy", "LD_LIBRARY_PATH": "/opt/ros/jazzy/lib"}
    env = build_environment(layout, sourced, wheels=False)
    assert {name: env[name] for name in sourced} == sourced
    assert "_ROS_WHEELS_BOOTSTRAP_COMPLETE" not in env


def test_a_call_inside_a_call_changes_nothing(layout: Layout) -> None:
    once = run_environment(layout, {"HOME": "/", "PATH": "/bin"}, wheels=True)
    assert run_environment(layout, once, wheels=True) == once


def test_what_the_user_set_is_kept(layout: Layout) -> None:
    env = run_environment(layout, {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "HOME": "/"}, wheels=True)
    assert env["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


def test_logs_go_into_the_checkout_where_the_home_folder_cannot_be_written(layout: Layout) -> None:
    env = run_environment(layout, {"HOME": str(layout.root / "no-home")}, wheels=True)
    assert Path(env["ROS_HOME"]).is_relative_to(layout.venv)
    assert "ROS_HOME" not in run_environment(layout, {"HOME": str(layout.root)}, wheels=True)
