"""The simulators by name, side by side, and what is said of one that is not there."""

import numpy as np
import pytest
from sim_mover import ENGINES

from reins.cli.checks import Health, simulators
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, SafeCommand
from reins.rig import Rig, RigSettings
from reins.sim.model import build_model
from reins.sim.simulators import SIMULATORS, SimulatedRobot, make_simulator
from reins.sim.world import WorldSpec

PERIOD = 0.01


def swing(robot: SimulatedRobot, number: int) -> None:
    """One period of a slow swing in every joint."""
    t = number * PERIOD
    home = np.array([0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854])
    position, velocity = home + 0.2 * np.sin(t), np.full(7, 0.2 * np.cos(t))
    robot.write(SafeCommand(number + 1, t, PERIOD, position, velocity))
    robot.step(PERIOD)


def test_an_unknown_simulator_is_refused_with_the_known_ones(profile: RobotProfile, tabletop: WorldSpec) -> None:
    with pytest.raises(UnknownName, match="pybullet"):
        make_simulator("pybulet", profile, tabletop, 0)


def test_without_pybullet_one_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, profile: RobotProfile, tabletop: WorldSpec
) -> None:
    monkeypatch.setattr("reins.sim.simulators.find_spec", lambda _: None)
    with pytest.raises(ReinsError, match=r"'pybullet' is not installed; run `\./run setup pybullet`"):
        make_simulator("pybullet", profile, tabletop, 0)


@pytest.mark.parametrize("installed, health", [(True, Health.GOOD), (False, Health.WARNING)])
def test_the_doctor_tells_of_pybullet(monkeypatch: pytest.MonkeyPatch, installed: bool, health: Health) -> None:
    monkeypatch.setattr("reins.cli.checks.find_spec", lambda _: object() if installed else None)
    monkeypatch.setattr("reins.cli.checks.metadata.version", lambda _: "3.2.7")
    (finding,) = simulators()
    assert finding.health is health
    assert "pybullet" in finding.detail
    assert ("./run setup pybullet" in finding.remedy) is not installed


@pytest.mark.parametrize("name", ENGINES)
def test_every_simulator_gives_what_the_nodes_need(name: str, profile: RobotProfile, tabletop: WorldSpec) -> None:
    robot = make_simulator(name, profile, tabletop, 0)
    assert isinstance(robot, SimulatedRobot)
    robot.close()


@pytest.mark.parametrize("name", ENGINES)
def test_qpos_is_laid_out_as_the_renderer_reads_it(name: str, profile: RobotProfile, tabletop: WorldSpec) -> None:
    robot = make_simulator(name, profile, tabletop, 2)
    for number in range(30):
        swing(robot, number)
    state, truth = robot.read(), robot.world_state()
    model = build_model(profile, tabletop, pretty=False)
    assert truth.qpos.shape == (model.nq,)
    np.testing.assert_array_equal(truth.qpos[:7], state.position)
    assert truth.qpos[7] + truth.qpos[8] == pytest.approx(state.gripper_width)
    for object_id, item in truth.objects.items():
        start = int(model.joint(object_id).qposadr[0])
        x, y, z, w = item.orientation
        np.testing.assert_array_equal(truth.qpos[start : start + 7], [*item.position, w, x, y, z])
    robot.close()


@pytest.mark.parametrize("first", ENGINES)
@pytest.mark.parametrize("second", ENGINES)
def test_robots_in_one_process_do_not_disturb_each_other(
    first: str, second: str, profile: RobotProfile, tabletop: WorldSpec
) -> None:
    def end(name: str, *, beside: str | None) -> FloatArray:
        robot = make_simulator(name, profile, tabletop, 1)
        other = None if beside is None else make_simulator(beside, profile, tabletop, 2)
        for number in range(40):
            swing(robot, number)
            if other is not None:
                other.step(0.007)
        if other is not None:
            other.close()
        swing(robot, 40)
        robot.close()
        return robot.read().position

    np.testing.assert_array_equal(end(first, beside=None), end(first, beside=second))


def test_the_simulators_agree_on_where_the_arm_goes(profile: RobotProfile, tabletop: WorldSpec) -> None:
    ends = []
    for name in ENGINES:
        robot = make_simulator(name, profile, tabletop, 1)
        for number in range(200):
            swing(robot, number)
        ends.append(robot.read())
        robot.close()
    for other in ends[1:]:
        np.testing.assert_allclose(other.position, ends[0].position, atol=2e-3)
        np.testing.assert_allclose(other.effort, ends[0].effort, atol=2.0)


@pytest.mark.parametrize("name", ENGINES)
def test_the_rig_runs_in_it(name: str) -> None:
    with Rig(RigSettings(backend=name, perception="state"), seed=3) as rig:
        result = rig.run("put the red block in the blue bowl")
        assert result.outcome == "succeeded", result.reason
        assert rig.world_state.find("red_block").position[2] < 0.05


def test_the_rig_refuses_an_unknown_backend() -> None:
    with pytest.raises(UnknownName, match=", ".join(SIMULATORS)):
        Rig(RigSettings(backend="gazebo"), seed=1)
