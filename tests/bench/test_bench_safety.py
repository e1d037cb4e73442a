"""The attack on the filter, and that its judge would notice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import coal
import numpy as np
import pinocchio as pin
import pytest
from typer.testing import CliRunner

from reins.bench.cli import app
from reins.bench.safety.judge import Judge
from reins.bench.safety.suite import EPISODE, SafetyEpisode, episodes_of, run_episode, run_safety, trouble
from reins.bench.safety.twin import Twin
from reins.hardware.collision_model import link_shapes
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray
from reins.safety.settings import SafetySettings

PROFILE = load_profile("franka")
PERIOD = 0.01
N = len(PROFILE.joints)
BOX_AT_AN_EDGE = (np.array([0.44778, 0.13193, 0.26105]), np.array([0.03646, 0.0683, 0.04579]))


@pytest.fixture
def judge() -> Judge:
    made = Judge(PROFILE, SafetySettings())
    made.begin(PROFILE.home, 1.0)
    return made


def one(joint: int, value: float) -> FloatArray:
    velocity = np.zeros(N)
    velocity[joint] = value
    return velocity


def a_pose_below_the_table(judge: Judge) -> FloatArray:
    generator = np.random.default_rng(0)
    while True:
        position = generator.uniform(PROFILE.lower, PROFILE.upper)
        judge.twin.move(position)
        if judge.twin.table_gap() < -0.05:
            return np.array(position)


class TestTheJudge:
    """What breaks a limit is named, and what keeps it is not."""

    def test_gentle_motion_breaks_nothing(self, judge: Judge) -> None:
        judge.command(PROFILE.home, np.zeros(N), np.full(N, 0.05), PERIOD)
        assert not judge.counts

    @pytest.mark.parametrize(
        ("kind", "breaks"),
        [
            ("velocity", lambda j: j.command(PROFILE.home, one(6, 5.27), one(6, 5.27), PERIOD)),
            ("acceleration", lambda j: j.command(PROFILE.home, np.zeros(N), one(0, 0.101), PERIOD)),
            ("tool_speed", lambda j: j.command(PROFILE.home + one(3, 1.2), one(1, 2.5), one(1, 2.5), PERIOD)),
            ("tool_turn_rate", lambda j: j.command(PROFILE.home, one(6, 2.6), one(6, 2.6), PERIOD)),
            ("position", lambda j: j.command(PROFILE.home + one(6, 9.0), np.zeros(N), np.zeros(N), PERIOD)),
            ("torque", lambda j: j.command(PROFILE.home, np.zeros(N), one(1, 1.0), PERIOD)),
            ("workspace", lambda j: j.command(PROFILE.home + one(0, 2.5), np.zeros(N), np.zeros(N), PERIOD)),
            ("not_finite", lambda j: j.command(PROFILE.home, np.zeros(N), one(0, np.nan), PERIOD)),
            ("table_distance", lambda j: j.command(a_pose_below_the_table(j), np.zeros(N), np.zeros(N), PERIOD)),
        ],
    )
    def test_what_breaks_a_limit_is_counted(self, judge: Judge, kind: str, breaks: Callable[[Judge], None]) -> None:
        breaks(judge)
        assert judge.counts[kind] == 1

    def test_a_jump_of_the_acceleration_is_a_jerk(self) -> None:
        joints = [joint.model_copy(update={"jerk": 100.0}).model_dump() for joint in PROFILE.joints]
        judge = Judge(RobotProfile.model_validate(PROFILE.model_dump() | {"joints": joints}), SafetySettings())
        judge.command(PROFILE.home, np.zeros(N), one(0, 0.009), PERIOD)
        assert not judge.counts
        judge.command(PROFILE.home, one(0, 0.009), np.zeros(N), PERIOD)
        assert judge.counts["jerk"] == 1

    def test_elbow_and_keep_out(self, judge: Judge) -> None:
        judge.command(PROFILE.home, one(1, 4.9), one(1, 4.9), PERIOD)
        assert judge.counts["elbow_speed"] == 1
        judge.twin.set_boxes([(np.array([0.5, 0.5, 0.5]), np.full(3, 0.1))])
        judge.begin(PROFILE.home, 1.0)
        judge.command(PROFILE.home, np.zeros(N), np.zeros(N), PERIOD)
        assert judge.counts["keep_out_distance"] == 0
        judge.twin.set_boxes([(judge.twin.tool, np.full(3, 0.1))])
        judge.command(PROFILE.home, np.zeros(N), np.zeros(N), PERIOD)
        assert judge.counts["keep_out_distance"] == 1

    def test_it_knows_a_safe_command_from_one_that_is_not(self, judge: Judge) -> None:
        still = np.zeros(N)
        assert judge.was_safe(PROFILE.home, still, np.full(N, 0.05), PERIOD)
        assert not judge.was_safe(PROFILE.home, still, np.full(N, 0.2), PERIOD)
        assert not judge.was_safe(PROFILE.home + one(6, 2.0), one(6, 2.0), one(6, 2.0), PERIOD)
        low = a_pose_below_the_table(judge)
        assert not judge.was_safe(low, still, np.full(N, 0.01), PERIOD)

    def test_every_link_counts_not_only_the_lowest(self, judge: Judge) -> None:
        """The hand comes down faster than the forearm, which is nearer to the table."""
        position, down = np.array([-0.1, -0.16, -0.32, -2.5, 0.65, 1.73, 2.68]), one(1, 2.28)
        judge.twin.move(position)
        assert judge.twin.table_gaps().min() == pytest.approx(judge.twin.table_gap(), abs=1e-6)
        assert not judge.was_safe(position, down, down, PERIOD)
        assert judge.was_safe(position, 0.8 * down, 0.8 * down, PERIOD)

    def test_the_speed_of_an_approach_is_taken_before_an_edge_is_passed(self, judge: Judge) -> None:
        """A block with an edge towards the hand: it comes nearer by 35 mm/s now, by 24 mm/s two milliseconds later."""
        position = np.array([-1.7905, 0.8319, 2.0119, -2.8937, 2.2170, 2.3335, 1.3117])
        wanted = np.array([-1.0484, -0.3006, 0.3135, -0.6405, 0.2752, 0.2846, 0.3725])
        judge.twin.set_boxes([BOX_AT_AN_EDGE])
        judge.twin.move(position)
        start = judge.twin.distances("keep_out").min()
        gone = []
        for moment in (1e-4, 2e-3):
            judge.twin.move(position + moment * wanted)
            gone.append((start - judge.twin.distances("keep_out").min()) / moment)
        assert gone[0] > gone[1] + 0.005
        assert not judge.was_safe(position, wanted, wanted, PERIOD)
        judge.twin.set_boxes([])
        assert judge.was_safe(position, wanted, wanted, PERIOD)


def test_the_twin_measures_what_coal_measures() -> None:
    twin, kinematics = Twin(PROFILE), Kinematics(PROFILE)
    box = (np.array([0.4, 0.2, 0.3]), np.array([0.1, 0.2, 0.3]))
    twin.set_boxes([box])
    cube, at = coal.Box(*box[1].tolist()), coal.Transform3s(np.eye(3), box[0])
    generator = np.random.default_rng(0)
    links = [link for link in link_shapes(PROFILE) if link.joint and link.name != "fingers"]
    for _ in range(20):
        position = generator.uniform(PROFILE.lower, PROFILE.upper)
        twin.move(position)
        kinematics.tool_jacobian(position)
        distances = []
        for link in links:
            frame = kinematics.data.oMi[link.joint]
            place = coal.Transform3s(frame.rotation, frame.translation)
            result = coal.DistanceResult()
            distances.append(coal.distance(cube, at, link.to_coal(), place, coal.DistanceRequest(), result))
        expected = min(distances)
        assert twin.distance("keep_out") <= expected + 1e-5  # its fingers may be nearer
        velocity, acceleration = generator.normal(size=(2, N))
        torque = pin.rnea(kinematics.model, kinematics.data, position, velocity, acceleration)
        np.testing.assert_allclose(twin.torques(position, velocity, acceleration), torque, atol=0.7)


def test_no_limit_is_broken_and_no_safe_command_changed() -> None:
    told: list[SafetyEpisode] = []
    report = run_safety("franka", 700, 3, 1, told.append)
    summary = report.summary
    assert summary["commands"] == 700
    assert summary["violations"] == summary["limit_violations"] == summary["forbidden_touches"] == 0
    assert summary["changed_safe_commands"] == 0
    assert summary["episodes"] == len(told) == 1
    assert summary["success_rate"] == 1.0
    assert summary["filter_us"]["p50"] > 0.0 < summary["bare_qp_us"]["p50"]
    assert [trouble(episode) for episode in told] == [""]


def test_the_same_seed_makes_the_same_attack() -> None:
    first, second = (run_episode("franka", 4, 150) for _ in range(2))
    assert (first.changed, first.objects, first.payload) == (second.changed, second.objects, second.payload)


@pytest.mark.parametrize(("commands", "episodes"), [(1, 1), (EPISODE, 1), (EPISODE + 1, 2)])
def test_commands_come_in_episodes(commands: int, episodes: int) -> None:
    assert episodes_of(commands) == episodes


def test_trouble_is_told() -> None:
    bad = SafetyEpisode(7, 1, 0, 2, {"torque": 3}, 0, False, 0.0, 1.0, [1.0], [1.0])
    assert trouble(bad) == "seed 7: violations {'torque': 3}, safe commands changed 2"


def attacked(tmp_path: Path, commands: int, seed: int) -> dict[str, Any]:
    """The summary of the command line's own attack, as it writes it; told to whoever runs the test."""
    file = tmp_path / "safety.json"
    words = ["safety", "--commands", str(commands), "--seed", str(seed), "--json", str(file)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    summary: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["summary"]
    return summary


QUARTER: Final = 250_000
"""Four of them make the million; four tests, so that as many cores can share them."""


@pytest.mark.parametrize(
    ("commands", "seed"),
    [
        (200, 1),
        *(pytest.param(QUARTER, seed, marks=[pytest.mark.slow, pytest.mark.timeout(7200)]) for seed in (1, 2, 3, 4)),
    ],
)
def test_a_million_commands_break_no_limit_and_no_safe_one_is_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], commands: int, seed: int
) -> None:
    summary = attacked(tmp_path, commands, seed)
    counts = {name: summary[name] for name in ("commands", "violations", "changed_safe_commands")}
    with capsys.disabled():
        print(f"\nseed {seed}: {counts}, {summary['changed']} commands changed")
    assert counts == {"commands": commands, "violations": 0, "changed_safe_commands": 0}, summary["violations_by_kind"]
    assert 0 < summary["changed"] < commands
