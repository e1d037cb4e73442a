"""A plan has one budget of time, whatever it waits for; and a model that costs time for nothing is left alone."""

import re
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from faulty_server import hangs, serving, streams
from language_models import Parrot, planner_of, steps
from planning_tables import tabletop
from planning_world import World

from reins.contracts.plan import Plan
from reins.language_models.backoff import Backoff
from reins.language_models.model import Cancel, Cancelled, ModelError
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language import access
from reins.planning.language import planner as planner_module
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.language.until import PlannerUntil
from reins.planning.planner import History
from reins.planning.tracing.notebook import Notebook
from reins.skills.library import SKILLS

SCENE = tabletop()
KNOWN = "put the red block in the blue bowl"
GOOD = steps("pick red_block", "place_in blue_bowl", thought="so")
SLACK = 2.0
"""What a busy machine may add to a wait [s]."""


class Slow:
    """Loads a model when it is let, and counts how often."""

    def __init__(self, model: Parrot) -> None:
        self.model, self.go, self.loads = model, threading.Event(), 0
        self.thread = threading.current_thread()
        self.error: ModelError | None = None

    def __call__(self) -> Parrot:
        self.loads += 1
        self.thread = threading.current_thread()
        assert self.go.wait(20.0)
        if self.error is not None:
            raise self.error
        return self.model


def made(load: Callable[[], Parrot], reports: list[str], **settings: object) -> LanguagePlanner:
    wanted = LanguageSettings.model_validate({"answer_limit": 0.3, "cache": 0, **settings})
    return LanguagePlanner("parrot", load, SKILLS, wanted, reports.append)


def ask(planner: LanguagePlanner | PlannerUntil) -> Plan:
    return planner.plan(KNOWN, SCENE, History(SCENE))


def is_models(plan: Plan) -> bool:
    return plan.thought == "so"


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


class TestLoading:
    """Plans do not wait for a file for longer than they may take, and it is loaded all the same."""

    @pytest.fixture(autouse=True)
    def waits_are_cheap(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """However long a busy machine makes of a wait, the model is not left alone for it."""
        monkeypatch.setattr(access, "CHEAP", 60.0)

    def test_while_it_takes_others_plan_and_then_the_model_does(self) -> None:
        load, reports = Slow(Parrot(GOOD)), list[str]()
        planner = made(load, reports)
        begun = time.monotonic()
        assert ask(planner).steps and time.monotonic() - begun < 0.3 + SLACK
        assert reports == ["the language model (parrot) is still loading; the symbolic planner goes on"]
        load.go.set()
        until(lambda: is_models(ask(planner)))
        assert load.loads == 1

    def test_a_load_that_was_waited_for_leaves_the_model_what_is_left_of_the_time(self) -> None:
        load = Slow(Parrot(None))
        planner = made(load, [], answer_limit=1.0)
        threading.Timer(0.4, load.go.set).start()
        begun = time.monotonic()
        assert ask(planner).steps and time.monotonic() - begun < 1.0 + SLACK
        assert load.model.bounds[0].seconds <= 0.61

    def test_plans_without_it_are_left_as_soon_as_it_is_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(access, "CHEAP", 0.05)
        load, reports = Slow(Parrot(GOOD)), list[str]()
        planner = made(load, reports)
        for _ in range(2):
            assert not is_models(ask(planner))
        assert "still loading; the model is asked again in" in reports[1]
        load.go.set()
        planner.load()
        assert is_models(ask(planner)) and load.loads == 1

    def test_why_it_failed_is_told_to_who_asks_next_and_then_it_is_tried_again(self) -> None:
        load, reports = Slow(Parrot(GOOD)), list[str]()
        load.error = ModelError("the file ends in the middle")
        planner = made(load, reports)
        ask(planner)
        load.go.set()
        load.thread.join(10.0)
        ask(planner)
        assert "the file ends in the middle" in reports[1] and load.loads == 1
        load.error = None
        assert is_models(ask(planner)) and load.loads == 2

    def test_a_cancel_ends_the_wait(self) -> None:
        planner = made(Slow(Parrot(GOOD)), [], answer_limit=60.0)
        cancel = Cancel()
        threading.Timer(0.1, cancel.give).start()
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            ask(planner.until(cancel))
        assert time.monotonic() - begun < SLACK

    def test_closed_meanwhile_it_is_given_back_once_it_is_there(self) -> None:
        load, reports = Slow(Parrot(GOOD)), list[str]()
        planner = made(load, reports)
        warming = threading.Thread(target=planner.warm_up)
        warming.start()
        until(lambda: load.loads == 1)
        planner.close()
        warming.join(10.0)
        assert not warming.is_alive() and not load.model.closed
        load.go.set()
        until(lambda: load.model.closed)
        assert reports == []


class Stuck(Parrot):  # type: ignore[misc]
    """Takes notice of nothing until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go = threading.Event(), threading.Event()

    def complete(self, *_args: object, **_kwargs: object) -> object:
        self.begun.set()
        self.go.wait(20.0)
        raise ModelError("late")


class TestBusy:
    """A plan that does not come to its end."""

    @pytest.fixture
    def model(self) -> Iterator[Stuck]:
        model = Stuck()
        yield model
        model.go.set()

    def busy(self, model: Stuck, reports: list[str], limit: float) -> LanguagePlanner:
        planner = planner_of(model, reports, answer_limit=limit)
        threading.Thread(target=ask, args=(planner,), daemon=True).start()
        assert model.begun.wait(10.0)
        return planner

    def test_waiting_for_it_is_part_of_the_time(self, model: Stuck) -> None:
        reports: list[str] = []
        planner = self.busy(model, reports, 0.2)
        begun = time.monotonic()
        assert ask(planner).steps and time.monotonic() - begun < 0.2 + SLACK
        assert "busy with an earlier plan" in reports[0]

    def test_a_cancel_ends_that_wait(self, model: Stuck) -> None:
        planner = self.busy(model, [], 60.0)
        cancel = Cancel()
        threading.Timer(0.1, cancel.give).start()
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            ask(planner.until(cancel))
        assert time.monotonic() - begun < SLACK


class Clock:
    """The monotonic clock, which can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


class TestLeftAlone:
    """After a failure that took time."""

    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> Clock:
        clock = Clock()
        for module in (access, planner_module):
            monkeypatch.setattr(module, "time", clock)
        monkeypatch.setattr(access, "CHEAP", 0.05)
        return clock

    def test_others_plan_at_once_until_it_is_asked_again_and_answers(self, clock: Clock) -> None:
        reports: list[str] = []
        model = Parrot(None, GOOD)
        planner = planner_of(model, reports, answer_limit=0.1, cache=0)
        ask(planner)
        plan = ask(planner)
        assert plan.steps and len(model.prompts) == 1
        assert plan.doubts == ("it was planned without the language model",)
        told = "the parrot said nothing in time; the model is asked again in [1-5] s; the symbolic planner goes on"
        assert all(re.fullmatch(told, report) for report in reports)
        clock.ahead += access.FIRST_REST
        assert is_models(ask(planner)) and is_models(ask(planner)) and len(reports) == 2

    def test_the_pause_doubles_and_ends_with_the_first_answer(self, clock: Clock) -> None:
        model = Parrot(None, None, GOOD, None, GOOD)
        planner = planner_of(model, answer_limit=0.1, cache=0)
        for _ in range(3):
            ask(planner)
            clock.ahead += access.FIRST_REST
        assert len(model.prompts) == 2, "the second pause is the longer one"
        assert is_models(ask(planner)) and len(model.prompts) == 3
        ask(planner)
        clock.ahead += access.FIRST_REST
        assert is_models(ask(planner)), "the first pause again"

    def test_not_for_what_fails_at_once(self) -> None:
        model = Parrot(ModelError("the server knows no such model"), GOOD)
        planner = planner_of(model, cache=0)
        assert not is_models(ask(planner)) and is_models(ask(planner))

    def test_not_for_replies_that_do_not_pass(self) -> None:
        class Thoughtful(Parrot):  # type: ignore[misc]
            def complete(self, *args: object, **kwargs: object) -> object:
                time.sleep(0.06)
                return super().complete(*args, **kwargs)

        planner = planner_of(Thoughtful("no", GOOD), attempts=1, cache=0)
        assert not is_models(ask(planner)) and is_models(ask(planner))

    def test_not_for_a_cancel(self) -> None:
        planner = planner_of(Parrot(None, GOOD), answer_limit=60.0, cache=0)
        cancel = Cancel()
        threading.Timer(0.2, cancel.give).start()
        with pytest.raises(Cancelled):
            ask(planner.until(cancel))
        assert is_models(ask(planner))

    def test_never_where_it_is_always_to_be_asked(self) -> None:
        planner = planner_of(Parrot(None, GOOD), answer_limit=0.1, cache=0, rest_limit=0.0)
        assert not is_models(ask(planner)) and is_models(ask(planner))

    def test_what_is_remembered_needs_no_model(self) -> None:
        model = Parrot(GOOD, None)
        planner = planner_of(model, answer_limit=0.1)
        ask(planner)
        planner.plan("put the green block in the blue bowl", SCENE, History(SCENE))
        assert is_models(ask(planner)) and len(model.prompts) == 2

    def test_a_server_that_hangs_costs_a_closed_loop_its_time_once(self, clock: Clock) -> None:
        settings = LanguageSettings(answer_limit=0.6, model="m", cache=0)
        reports: list[str] = []
        trace = Notebook()
        with serving(hangs, streams(GOOD)) as server:
            settings = settings.model_copy(update={"base_url": server.url})
            planner = make_planner("openai", SKILLS, settings, reports.append, trace)
            task = TaskExecutor(planner, SKILLS, KNOWN, cadence=Cadence("closed_loop"), trace=trace)
            done = World(SCENE).drive(task)
            assert done.outcome == "succeeded" and len(server.bodies) == 1 and len(reports) == 2
            story = trace.story()
            assert story is not None
            why = [str(entry["why"]) for entry in story.entries if entry["kind"] == "trouble"]
            assert len(why) == 2 and all("; the model is asked again in" in text for text in why)
            clock.ahead += access.FIRST_REST
            assert isinstance(planner, LanguagePlanner) and is_models(ask(planner))
            planner.close()


class TestBackoff:
    """Pauses."""

    def test_double_up_to_a_bound_however_often_it_fails(self) -> None:
        backoff = Backoff(5.0, 120.0)
        assert [backoff.failed(0.0) for _ in range(7)] == [5.0, 10.0, 20.0, 40.0, 80.0, 120.0, 120.0]
        for _ in range(2000):
            assert backoff.failed(0.0) == 120.0

    def test_run_out(self) -> None:
        backoff = Backoff(5.0, 120.0)
        assert backoff.left(0.0) == 0.0
        backoff.failed(10.0)
        assert (backoff.left(10.0), backoff.left(14.0), backoff.left(15.0), backoff.left(99.0)) == (5.0, 1.0, 0.0, 0.0)

    def test_end_when_it_works(self) -> None:
        backoff = Backoff(5.0, 120.0)
        backoff.failed(0.0)
        backoff.failed(0.0)
        backoff.worked()
        assert backoff.left(0.0) == 0.0 and backoff.failed(0.0) == 5.0

    @pytest.mark.parametrize(("longest", "pauses"), [(0.0, [0.0, 0.0]), (3.0, [3.0, 3.0])])
    def test_are_never_longer_than_the_bound(self, longest: float, pauses: list[float]) -> None:
        backoff = Backoff(5.0, longest)
        assert [backoff.failed(0.0) for _ in pauses] == pauses
