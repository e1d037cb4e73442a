"""One skill at a time, and exactly one result for each, whatever happens in between."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.contracts.plan import SkillCall
from reins.hardware.profile import load_profile
from reins.hardware.robot import JointCommand, RobotState
from reins.nodes.skill_worker import SILENCE, STAND_LIMIT, Job, JobResult, SkillWorker
from reins.nodes.wires import MOVING, WIRES
from reins.skills.factory import make_factories
from reins.skills.library import SKILLS
from reins.skills.runner import SkillRunner

PERIOD = 0.01
PROFILE = load_profile("franka")
FACTORIES = make_factories("scripted", PROFILE)
HOME = SkillCall(skill="home")


class Robot:
    """A robot that does at once what it is told, beginning away from home."""

    def __init__(self) -> None:
        still = np.zeros(len(PROFILE.joints))
        start = PROFILE.home + 0.3
        self.state = RobotState(1.0, start, still, still, start, 0.08, False, 0)

    def follow(self, command: JointCommand | None) -> None:
        velocity = self.state.velocity * 0.0 if command is None else command.velocity
        position = self.state.position + velocity * PERIOD
        self.state = replace(self.state, stamp=self.state.stamp + PERIOD, position=position, velocity=velocity)


class Bench:
    """A worker with its robot and the results it gave."""

    def __init__(self) -> None:
        self.worker = SkillWorker(SkillRunner(SKILLS, FACTORIES, PROFILE), WIRES["arm"].stands)
        self.robot = Robot()
        self.results: list[JobResult] = []
        self.now = 100.0

    def submit(self, call: SkillCall = HOME) -> None:
        self.worker.submit(Job(call, (), self.results.append), self.now)

    def step(self) -> JointCommand | None:
        self.now += PERIOD
        command = self.worker.on_state(self.robot.state, self.now)
        self.robot.follow(command)
        return command

    def run(self, periods: int) -> None:
        for _ in range(periods):
            self.step()


def test_a_skill_runs_to_its_end() -> None:
    bench = Bench()
    bench.submit()
    while not bench.results:
        bench.step()
    (result,) = bench.results
    assert result.success and result.reason == ""
    assert result.duration == pytest.approx(bench.robot.state.stamp - 1.0, abs=3 * PERIOD)
    assert np.allclose(bench.robot.state.position, PROFILE.home, atol=0.02)
    assert bench.step() is None


def test_the_first_command_is_computed_from_a_state_that_came_after_the_start() -> None:
    bench = Bench()
    bench.submit()
    assert bench.step() is None
    command = bench.step()
    assert command is not None and command.stamp == pytest.approx(1.0 + PERIOD)
    assert command.activation == 1.0


def test_a_second_job_is_told_what_runs() -> None:
    bench = Bench()
    bench.submit()
    with pytest.raises(ReinsError, match=r"home\(\) is running.*one at a time"):
        bench.submit()


@pytest.mark.parametrize(
    "call", [SkillCall(skill="juggle"), SkillCall(skill="pick", arguments={"object": "moon"})], ids=str
)
def test_what_cannot_start_fails_with_the_reason_and_without_a_command(call: SkillCall) -> None:
    bench = Bench()
    bench.submit(call)
    assert bench.step() is None
    (result,) = bench.results
    assert not result.success and "known" in result.reason


def test_a_cancelled_skill_brakes_and_ends_when_the_robot_stands() -> None:
    bench = Bench()
    bench.submit()
    bench.run(50)
    assert np.abs(bench.robot.state.velocity).max() > MOVING
    bench.worker.cancel("cancelled")
    while not bench.results:
        before = bench.robot.state.velocity
        bench.step()
        change = np.abs(bench.robot.state.velocity - before)
        assert np.all(change <= PROFILE.acceleration * PERIOD * (1.0 + 1e-6))
    (result,) = bench.results
    assert (result.success, result.reason) == (False, "cancelled")
    assert np.abs(bench.robot.state.velocity).max() <= MOVING


def test_a_job_that_is_cancelled_before_it_began_never_moves() -> None:
    bench = Bench()
    bench.submit()
    bench.worker.cancel("cancelled")
    assert bench.step() is None
    assert [result.reason for result in bench.results] == ["cancelled"]


def test_a_robot_that_does_not_come_to_rest_is_told() -> None:
    bench = Bench()
    bench.submit()
    bench.run(50)
    bench.worker.cancel("cancelled")
    for _ in range(round((STAND_LIMIT + 1.0) / PERIOD)):
        bench.step()
        coasting = np.full(len(PROFILE.joints), 2.0 * MOVING)
        bench.robot.state = replace(bench.robot.state, velocity=coasting)
    (result,) = bench.results
    assert not result.success and "still moves" in result.reason


def test_a_stop_from_outside_ends_it_at_once_and_sends_nothing_more() -> None:
    bench = Bench()
    bench.submit()
    bench.run(50)
    bench.worker.interrupt("emergency stop")
    assert [result.reason for result in bench.results] == ["emergency stop"]
    assert bench.step() is None


@pytest.mark.parametrize(("wait", "over"), [(SILENCE - 0.01, False), (SILENCE + 0.01, True)])
def test_silence_of_the_robot_ends_it(wait: float, over: bool) -> None:
    bench = Bench()
    bench.submit()
    bench.run(10)
    bench.worker.tick(bench.now + wait)
    assert bool(bench.results) is over
    if over:
        assert "silent" in bench.results[0].reason


EVENTS = st.lists(
    st.sampled_from(["submit", "state", "state", "state", "cancel", "interrupt", "silence", "fault"]), max_size=40
)


@given(EVENTS)
def test_every_job_has_one_result_and_no_command_follows_it(events: list[str]) -> None:
    bench, submitted = Bench(), 0
    for event in events:
        before = len(bench.results)
        if event == "submit":
            try:
                bench.submit()
                submitted += 1
            except ReinsError:
                assert bench.worker.call is not None
        elif event == "state":
            command = bench.step()
            assert command is None or len(bench.results) == before < submitted
        elif event == "cancel":
            bench.worker.cancel("cancelled")
        elif event == "interrupt":
            bench.worker.interrupt("stopped")
        elif event == "silence":
            bench.worker.tick(bench.now + 1.0)
        else:
            bench.robot.state = replace(bench.robot.state, fault="reflex")
            bench.step()
            bench.robot.state = replace(bench.robot.state, fault="")
        assert len(bench.results) <= submitted
        assert (bench.worker.call is None) == (len(bench.results) == submitted)
    bench.worker.interrupt("the end")
    assert len(bench.results) == submitted
