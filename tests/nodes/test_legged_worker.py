"""Skills of legs in the worker of the skills node, on a robot in physics: each has one end, at which it stands."""

from collections.abc import Iterator

import numpy as np
import pytest

from reins.contracts.plan import SkillCall
from reins.hardware.legged import BodyCommand, LeggedState, Posture, SafeBodyCommand
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.walks import make_legs
from reins.nodes.skill_worker import Job, JobResult, SkillWorker
from reins.nodes.wires import WIRES
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker
from reins.skills.kinds import SCRIPTED, make_repertoire

GO2 = load_profile("go2", QuadrupedProfile)
PERIOD = 1.0 / GO2.rates.state
STANDS = WIRES["quadruped"].stands
LIMIT = 30.0


class Bench:
    """A worker whose commands reach the robot as they are."""

    def __init__(self) -> None:
        self.robot = make_walker("mujoco", GO2, load_ground("flat"), 1, make_legs("scripted", GO2))
        self.robot.connect()
        self.worker: SkillWorker[LeggedState, BodyCommand] = SkillWorker(make_repertoire(SCRIPTED, GO2).runner, STANDS)
        self.sequence, self.last = 0, SafeBodyCommand(0, 0.0, PERIOD, np.zeros(3), Posture.SIT)

    @property
    def state(self) -> LeggedState:
        return self.robot.read()

    def step(self) -> BodyCommand | None:
        """One period. Without a command the last posture is kept, as safety does."""
        command, self.sequence = self.worker.on_state(self.state, self.state.stamp), self.sequence + 1
        velocity = command.velocity if command else np.zeros(3)
        posture = command.posture if command else self.last.posture
        self.last = SafeBodyCommand(self.sequence, self.state.stamp, PERIOD, velocity, posture)
        self.robot.write(self.last)
        self.robot.step(PERIOD)
        return command

    def begin(self, skill: str, **arguments: float) -> list[JobResult]:
        """Submit a job; the list gets its result."""
        results: list[JobResult] = []
        self.worker.submit(Job(SkillCall(skill=skill, arguments=dict(arguments)), (), results.append), self.state.stamp)
        return results

    def end(self, results: list[JobResult]) -> JobResult:
        end = self.state.stamp + LIMIT
        while not results:
            assert self.state.stamp < end, "no result"
            self.step()
        (result,) = results
        return result


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.robot.close()


def test_skills_end_well_one_after_the_other_with_a_body_that_stands(bench: Bench) -> None:
    calls: list[tuple[str, dict[str, float]]] = [
        ("stand", {}),
        ("turn", {"angle": -1.5}),
        ("walk_to", {"x": 0.8}),
        ("stop", {}),
        ("sit", {}),
    ]
    for skill, arguments in calls:
        result = bench.end(bench.begin(skill, **arguments))
        assert result.success, f"{skill}: {result.reason}"
        assert STANDS(bench.state), skill
        assert bench.step() is None, f"a command after the end of {skill}"
    assert not GO2.is_up(bench.state.height)


def test_a_cancelled_walk_brakes_and_ends_when_the_body_stands(bench: Bench) -> None:
    assert bench.end(bench.begin("stand")).success
    results = bench.begin("walk_to", x=3.0)
    while bench.state.odometry.linear[0] < 0.4:
        bench.step()
    bench.worker.cancel("cancelled")
    result = bench.end(results)
    assert (result.success, result.reason) == (False, "cancelled")
    assert STANDS(bench.state) and GO2.is_up(bench.state.height)
