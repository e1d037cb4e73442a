"""Work beside a loop: the loop never waits, one thing is done at a time, and trouble is told and pauses grow."""

import threading
import time
from collections.abc import Iterator

import pytest
from vision_replies import until

from reins.language_models.model import Cancel, ModelError
from reins.perception.vision_language.beside import Beside


class Work:
    """Doubles a number when it is let."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun: list[int] = []
        self.error: Exception | None = None

    def __call__(self, task: int, cancel: Cancel) -> int:
        self.begun.append(task)
        while not self.go.wait(0.005):
            cancel.check()
        cancel.check()
        if self.error is not None:
            raise self.error
        return 2 * task


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def beside(work: Work) -> Iterator[Beside[int, int]]:
    made: Beside[int, int] = Beside(work, 0.01)
    yield made
    work.go.set()
    made.close()


def test_the_newest_result_is_there_when_it_is_done_and_nothing_waits(beside: Beside[int, int], work: Work) -> None:
    begun = time.monotonic()
    beside.offer(1)
    beside.offer(2)
    assert time.monotonic() - begun < 1.0 and beside.newest is None
    until(lambda: work.begun == [1])
    beside.offer(3)
    assert not beside.wants, "one thing at a time"
    work.go.set()
    until(lambda: beside.newest == 2)
    until(lambda: beside.wants)
    beside.offer(5)
    until(lambda: beside.newest == 10)
    assert work.begun == [1, 5] and not beside.trouble


@pytest.mark.parametrize("error", [ModelError("the server is gone"), ValueError("a fault of a library")])
def test_trouble_is_told_the_last_result_stays_and_it_goes_on(
    beside: Beside[int, int], work: Work, error: Exception
) -> None:
    work.go.set()
    beside.offer(1)
    until(lambda: beside.newest == 2)
    work.error = error
    until(lambda: beside.wants)
    beside.offer(2)
    until(lambda: str(error) in beside.trouble)
    assert beside.newest == 2
    work.error = None
    until(lambda: beside.wants)
    beside.offer(3)
    until(lambda: beside.newest == 6)
    assert not beside.trouble


def test_pauses_grow_from_failure_to_failure(work: Work) -> None:
    work.go.set()
    work.error = ModelError("no")
    beside: Beside[int, int] = Beside(work, 0.1)
    for count in (1, 2):
        until(lambda: beside.wants)
        beside.offer(count)
        until(lambda count=count: len(work.begun) == count)
        until(lambda: bool(beside.trouble))
    failed = time.monotonic()
    until(lambda: beside.wants)
    assert time.monotonic() - failed > 0.25, "0.1 s doubled twice, less what passed until the test saw it"
    beside.close()


def test_an_interrupted_task_is_no_failure(beside: Beside[int, int], work: Work) -> None:
    beside.offer(1)
    until(lambda: work.begun == [1])
    beside.interrupt()
    until(lambda: beside.wants)
    assert beside.newest is None and not beside.trouble


def test_what_was_forgotten_does_not_come_back(work: Work) -> None:
    late = threading.Event()

    def stubborn(task: int, _cancel: Cancel) -> int:
        work.begun.append(task)
        late.wait(20.0)
        return task

    beside: Beside[int, int] = Beside(stubborn, 0.01)
    beside.offer(1)
    until(lambda: work.begun == [1])
    beside.forget()
    late.set()
    until(lambda: beside.wants)
    assert beside.newest is None
    beside.close()


def test_close_ends_what_is_being_done(work: Work) -> None:
    beside: Beside[int, int] = Beside(work, 0.01)
    beside.offer(1)
    until(lambda: work.begun == [1])
    begun = time.monotonic()
    beside.close()
    assert time.monotonic() - begun < 1.9, "its work was cancelled"
    beside.offer(2)
    assert not beside.wants and work.begun == [1]


def test_who_has_time_can_wait_for_the_end(beside: Beside[int, int], work: Work) -> None:
    assert beside.settle(0.0)
    beside.offer(4)
    assert not beside.settle(0.02) and beside.newest is None
    work.go.set()
    assert beside.settle(5.0) and beside.newest == 8
