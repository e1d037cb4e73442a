"""A cancel of a task ends its plan, whenever it is given; so does closing the planner. Nothing is held up by either."""

import threading
import time
from collections.abc import Callable

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import tabletop
from planning_world import World

from reins.language_models.model import Bounds, Cancel, Cancelled, Completion, Prompt, Schema, unheard
from reins.planning.executor import TaskExecutor
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History, Planner
from reins.skills.library import SKILLS

SCENE = tabletop()
KNOWN = "put the red block in the blue bowl"
GOOD = steps("pick red_block", "place_in blue_bowl")
LONG = 60.0
"""Longer than any of these tests may take [s]."""

SOON = 5.0


def seconds_until_cancelled(planner: Planner) -> float:
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        planner.plan(KNOWN, SCENE, History(SCENE))
    return time.monotonic() - begun


def given() -> Cancel:
    """A cancel that was given already."""
    cancel = Cancel()
    cancel.give()
    return cancel


def test_a_cancel_while_it_thinks_ends_it_soon() -> None:
    planner, cancel = planner_of(Parrot(None), answer_limit=LONG), Cancel()
    threading.Timer(0.1, cancel.give).start()
    assert seconds_until_cancelled(planner.until(cancel)) < SOON


def test_a_cancel_before_it_thinks_is_not_lost_and_holds_nothing_up() -> None:
    model = Parrot(GOOD)
    planner = planner_of(model, answer_limit=LONG)
    assert seconds_until_cancelled(planner.until(given())) < SOON
    assert model.prompts == [], "nothing is asked for a task that is over"
    assert planner.until(Cancel()).plan(KNOWN, SCENE, History(SCENE)).steps
    assert seconds_until_cancelled(planner.until(given())) < SOON, "neither is what it remembers"


def test_a_cancel_between_two_plans_of_a_task_ends_the_second() -> None:
    planner, cancel = planner_of(Parrot(GOOD, None), answer_limit=LONG), Cancel()
    bound = planner.until(cancel)
    assert bound.plan(KNOWN, SCENE, History(SCENE)).steps
    cancel.give()
    assert seconds_until_cancelled(bound) < SOON


def test_a_cancel_ends_no_other_task() -> None:
    planner = planner_of(Parrot(GOOD))
    planner.until(given())
    assert planner.until(Cancel()).plan(KNOWN, SCENE, History(SCENE)).steps


def test_who_waits_for_an_earlier_plan_is_cancelled_too() -> None:
    planner, first, second = planner_of(Parrot(None), answer_limit=LONG), Cancel(), Cancel()
    thread = threading.Thread(target=seconds_until_cancelled, args=(planner.until(first),))
    thread.start()
    threading.Timer(0.2, second.give).start()
    assert seconds_until_cancelled(planner.until(second)) < SOON
    first.give()
    thread.join(SOON)
    assert not thread.is_alive()


def test_a_model_that_fails_because_it_was_cancelled_is_not_done_without() -> None:
    cancel, reports = Cancel(), list[str]()

    class Torn(Parrot):  # type: ignore[misc]
        def complete(
            self,
            prompt: Prompt,
            schema: Schema,
            bounds: Bounds,
            cancel: Cancel,
            on_text: Callable[[str], None] = unheard,
        ) -> Completion:
            cancel.give()
            raise OSError("the pipe is torn")

    planner = planner_of(Torn(), reports)
    seconds_until_cancelled(planner.until(cancel))
    assert reports == [] and planner.without_model == 0


def test_a_task_bears_the_name_of_its_planner_and_judges_as_it_does() -> None:
    planner = planner_of(Parrot(GOOD))
    bound = planner.until(Cancel())
    assert (bound.name, bound.quick) == (planner.name, planner.quick)
    assert bound.unmet(KNOWN, SCENE, History(SCENE)) == planner.unmet(KNOWN, SCENE, History(SCENE)) != []


def test_a_cancelled_plan_ends_the_task() -> None:
    planner, cancel = planner_of(Parrot(None), answer_limit=LONG), Cancel()
    threading.Timer(0.1, cancel.give).start()
    done = World(SCENE).drive(TaskExecutor(planner.until(cancel), SKILLS, KNOWN))
    assert done.outcome == "failed" and "told to stop" in done.reason


class TestClosing:
    """Every plan ends, the model is given back, and nothing is planned any more."""

    @pytest.mark.parametrize("cancels", [True, False])
    def test_it_ends_the_plan_that_is_made(self, cancels: bool) -> None:
        model = Parrot(None)
        planner = planner_of(model, answer_limit=LONG)
        closer = threading.Timer(0.1, planner.close)
        closer.start()
        assert seconds_until_cancelled(planner.until(Cancel()) if cancels else planner) < SOON
        closer.join(SOON)
        assert model.closed

    def test_nothing_is_loaded_or_planned_after_it(self) -> None:
        loads: list[int] = []

        def load() -> Parrot:
            loads.append(1)
            return Parrot(GOOD)

        reports: list[str] = []
        planner = LanguagePlanner("parrot", load, SKILLS, LanguageSettings(), reports.append)
        planner.close()
        assert seconds_until_cancelled(planner) < SOON
        planner.warm_up()
        assert loads == [] and reports == []

    def test_a_model_that_does_not_close_is_told_and_holds_nothing_up(self) -> None:
        class Clinging(Parrot):  # type: ignore[misc]
            def close(self) -> None:
                raise TimeoutError("no answer")

        reports: list[str] = []
        planner = planner_of(Clinging(GOOD), reports)
        planner.plan(KNOWN, SCENE, History(SCENE))
        planner.close()
        planner.close()
        assert reports == ["closing the language model (parrot) failed: TimeoutError: no answer"]
