"""Advice beside a skill: nobody waits for it, its end ends the thinking, and without it the skill goes on."""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene, SceneObject
from reins.language_models.model import Cancel
from reins.nodes.advising import Advising
from reins.nodes.task import RunningTask
from reins.planning.actions import RunSkill
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.planner import History
from reins.skills.library import SKILLS

pytestmark = pytest.mark.ros

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
BLOCKS = {
    f"{colour}_block": SceneObject(
        f"{colour}_block", "block", colour, (0.45, y, 0.02), UPRIGHT, (0.04, 0.04, 0.04), 1.0, 0.0
    )
    for colour, y in (("red", 0.1), ("green", -0.1))
}
RED, GREEN = (SkillCall(skill="pick", arguments={"object": f"{colour}_block"}) for colour in ("red", "green"))


class Slow:
    """Plans RED first, then whatever `then` gives, when it is let."""

    name, quick = "slow", False

    def __init__(self, then: Callable[[], Plan]) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self._then, self._asked = then, 0

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self._asked += 1
        if self._asked == 1:
            return Plan(steps=(RED,))
        self.begun.set()
        assert self.go.wait(10.0)
        return self._then()

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return []


class Bench:
    """A task whose first skill runs, and the advice about it."""

    def __init__(self, then: Callable[[], Plan]) -> None:
        self.planner, self.warnings, self.cancels = Slow(then), list[str](), list[Cancel]()
        executor = TaskExecutor(self.planner, SKILLS, "do it", cadence=Cadence("advisor", 1.0, 1e6))
        assert isinstance(executor.next(self.scene(0.1), 0.0), RunSkill)
        self.task = RunningTask(SimpleNamespace(publish_feedback=lambda _: None), executor, Cancel())
        node = SimpleNamespace(
            executor=None, get_logger=lambda: SimpleNamespace(warning=lambda text: self.warnings.append(text))
        )
        self.advising = Advising(node, self.task, self.until)  # type: ignore[arg-type]

    def until(self, cancel: Cancel) -> Slow:
        self.cancels.append(cancel)
        return self.planner

    def scene(self, t: float) -> Scene:
        return Scene(t, "test", BLOCKS, frozenset(), "two blocks")

    def look_until(self, true: Callable[[], bool]) -> None:
        self.planner.go.set()
        end = time.monotonic() + 10.0
        while not true():
            assert time.monotonic() < end
            self.advising.look(self.scene(3.0), 3.0)
            time.sleep(0.01)


def test_it_is_taken_once_it_is_there_and_the_skill_is_to_end() -> None:
    bench = Bench(lambda: Plan(steps=(GREEN,)))
    bench.advising.look(bench.scene(2.0), 2.0)
    assert bench.planner.begun.wait(10.0)
    bench.advising.look(bench.scene(2.5), 2.5)
    assert len(bench.cancels) == 1 and not bench.task.interrupted.done()
    bench.look_until(lambda: bench.task.turned)
    assert bench.task.interrupted.done()
    assert bench.task.turn_done() and not bench.task.interrupted.done() and not bench.task.turn_done()


def test_the_end_of_the_skill_ends_the_thinking() -> None:
    bench = Bench(lambda: Plan(steps=(GREEN,)))
    bench.advising.look(bench.scene(2.0), 2.0)
    bench.advising.end()
    assert bench.cancels[0].given
    bench.planner.go.set()


def test_without_it_the_skill_goes_on() -> None:
    def fails() -> Plan:
        raise ReinsError("the server is gone")

    bench = Bench(fails)
    bench.advising.look(bench.scene(2.0), 2.0)
    bench.look_until(lambda: bool(bench.warnings))
    assert bench.warnings == ["no advice: the server is gone"]
    assert not bench.task.interrupted.done() and bench.task.executor.current == RED


def test_while_an_operator_drives_the_skills_end_does_not_end_the_wait() -> None:
    bench = Bench(lambda: Plan(steps=(GREEN,)))
    bench.task.take()
    bench.task.turn()
    assert bench.task.turn_done() and bench.task.interrupted.done()
