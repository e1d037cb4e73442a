"""Which driver stands behind the robot node."""

from typing import cast

import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.real import REAL
from reins.nodes.drivers import LEGGED, LeggedDriver, make_robot

FRANKA, GO2 = load_profile("franka"), load_profile("go2", Profile)


def test_a_simulation_needs_no_address() -> None:
    robot = make_robot("mujoco", FRANKA, "tabletop", 0)
    assert robot.spec.simulated
    robot.close()


def test_a_real_arm_gets_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    got = []
    monkeypatch.setitem(REAL, "franka", lambda profile, address: got.append((profile.name, address)))
    make_robot("franka", FRANKA, "tabletop", 0, "172.16.0.2")
    assert got == [("franka", "172.16.0.2")]


def test_a_driver_of_arms_refuses_a_robot_with_legs() -> None:
    with pytest.raises(ReinsError, match="drives arms, and robot 'go2' is of kind quadruped"):
        make_robot("franka", GO2, "tabletop", 0, "172.16.0.2")


def test_a_driver_of_legs_refuses_an_arm() -> None:
    with pytest.raises(ReinsError, match="drives robots with legs, and robot 'franka' is of kind arm"):
        make_robot("go2", FRANKA, "flat", 0, "192.168.123.161")


def test_a_robot_with_legs_stands_on_a_ground_and_not_on_a_table() -> None:
    robot = make_robot("mujoco", GO2, "rough", 0)
    assert robot.spec.simulated and robot.spec.kind == "quadruped"
    robot.close()
    with pytest.raises(UnknownName, match=r"no ground 'tabletop'.*flat"):
        make_robot("mujoco", GO2, "tabletop", 0)


def test_both_drivers_of_legs_get_the_walk_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[tuple[str, str, str]] = []

    def go2(profile: QuadrupedProfile, address: str, walk: str) -> None:
        got.append((profile.name, address, walk))

    monkeypatch.setitem(LEGGED, "go2", cast(LeggedDriver, go2))
    make_robot("go2", GO2, "", 0, "192.168.123.161", "mine.onnx")
    assert got == [("go2", "192.168.123.161", "mine.onnx")]
    with pytest.raises(ReinsError, match=r"policy 'mine\.onnx' cannot be read"):
        make_robot("mujoco", GO2, "flat", 0, walk="mine.onnx")
    with pytest.raises(UnknownName, match=r"no walk 'canter'.*scripted"):
        make_robot("mujoco", GO2, "flat", 0, walk="canter")


def test_an_unknown_backend_is_told_with_real_and_simulated_ones() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'franka'.*franka, franka_peer, go2, mujoco"):
        make_robot("frank", FRANKA, "tabletop", 0)
