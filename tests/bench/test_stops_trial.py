"""How a trial of `reins bench stops` is watched, judged and summed up, with a graph that is made up."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from reins.bench.report import Report
from reins.bench.stops import run, trial
from reins.bench.stops.fault import AT_ONCE, Fault, nothing
from reins.bench.stops.faults import all_faults
from reins.bench.stops.moving import MovingGraph
from reins.bench.stops.run import row_of, run_stops
from reins.bench.stops.table import markdown, table, verdict
from reins.bench.stops.trial import STILL, Outcome, Trial, judge, run_trial
from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile

BOUND = 120.0
TOLD = r"estop \(me\): .*a trial"
FAULT = Fault("pulled plug", nothing, AT_ONCE, (TOLD,))
BRIDGED = Fault("hiccup", nothing, AT_ONCE, (), stops=False)


def outcome(stop_ms: float | None = 60.0, unasked: float = 0.0, untold: tuple[str, ...] = ()) -> Outcome:
    return Outcome(10.0, stop_ms, unasked, untold)


@pytest.mark.parametrize(
    ("fault", "measured", "words"),
    [
        (FAULT, outcome(BOUND), ""),
        (FAULT, outcome(BOUND + 1.0), "stood after 121 ms, and 120 are its bound"),
        (FAULT, outcome(None), "did not stop"),
        (FAULT, outcome(unasked=STILL), ""),
        (FAULT, outcome(unasked=STILL + 1e-6), "moved by 0.010 rad after it stood"),
        (FAULT, outcome(untold=(TOLD,)), "nothing told that fits"),
        (BRIDGED, outcome(None), ""),
        (BRIDGED, outcome(60.0), "has to be bridged"),
        (BRIDGED, outcome(None, untold=(TOLD,)), "nothing told that fits"),
    ],
)
def test_what_is_wrong_is_said_in_words(fault: Fault, measured: Outcome, words: str) -> None:
    wrong = judge(fault, measured, BOUND)
    assert len(wrong) == (1 if words else 0)
    assert words in "".join(wrong)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.t = 1000.0

    def sleep(self, seconds: float) -> None:
        self.t += seconds

    def monotonic(self) -> float:
        return self.t


CLOCK = Clock()


@pytest.fixture(autouse=True)
def _made_up_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "time", CLOCK)
    monkeypatch.setattr("reins.bench.stops.fault.time", CLOCK)


class MadeUp(MovingGraph):
    """A graph in which an arm moves, without a graph: its states are said by the test, and told once their time has
    come."""

    def __init__(self) -> None:
        self._states_said: list[Any] = []
        self.lines: Any = []
        self.commands: Any = []
        self.modes: Any = [(0.0, SimpleNamespace(mode_name="ready", reason="waiting"))]
        self.undo, self.injected, self.text = [], 0.0, ""

    def ready(self) -> None:
        """It is."""

    def drive(self) -> None:
        """It does."""
        self.moves(0.0, 0.5)

    def rest(self) -> None:
        """It may."""

    def until(self, condition: Callable[[], bool], what: str, seconds: float) -> None:
        end = CLOCK.t + seconds
        while not condition():
            assert CLOCK.t < end, what
            CLOCK.sleep(0.1)

    def now(self) -> float:
        return CLOCK.t

    def printed(self) -> str:
        return self.text

    @property
    def states(self) -> Any:  # type: ignore[override]
        return [said for said in self._states_said if said[0] <= CLOCK.t]

    def moves(self, after: float, speed: float, position: float = 0.0) -> None:
        """A state in a while [s]: speed [rad/s], position [rad] of its one joint."""
        state = SimpleNamespace(velocity=[speed], position=[position], fault="")
        self._states_said.append((CLOCK.t + after, state))
        self._states_said.sort(key=lambda said: said[0])


def tried(inject: Callable[[MadeUp], None], **more: Any) -> Trial:
    fault = Fault("a fault", inject, AT_ONCE, (TOLD,), **more)  # type: ignore[arg-type]
    return run_trial(MadeUp(), fault, bound=BOUND / 1e3)


def stand(graph: MadeUp, after: float = 0.05) -> None:
    """After a while [s]."""
    say(graph)
    graph.moves(0.01, 0.4)
    graph.moves(after, 0.0, 0.02)
    graph.moves(after + 0.01, 0.0, 0.02)


def say(graph: MadeUp, line: str = "estop (me): ACTIVE_SKILL to ESTOP: a trial") -> None:
    """As an event that comes at once."""
    graph.lines.append((CLOCK.t + 1e-3, line))


def test_a_trial_in_which_all_is_well() -> None:
    made = tried(stand)
    assert made.wrong == ()
    assert made.outcome.stop_ms == pytest.approx(50.0, abs=1e-3)
    assert (made.outcome.unasked_rad, made.reason) == (0.0, "waiting")
    assert made.events == ("estop (me): ACTIVE_SKILL to ESTOP: a trial",)


def test_a_motion_that_comes_back_to_where_it_began_is_a_motion() -> None:
    def inject(graph: MadeUp) -> None:
        stand(graph)
        graph.moves(0.1, 0.3, 0.05)
        graph.moves(0.12, 0.0, 0.02)

    made = tried(inject)
    assert made.outcome.unasked_rad == pytest.approx(0.03)
    assert "moved by 0.030 rad" in made.wrong[0]


def test_a_motion_that_the_mending_causes_is_unasked() -> None:
    def inject(graph: MadeUp) -> None:
        stand(graph)
        graph.undo.append(lambda: graph.moves(0.02, 0.3, 0.1))

    assert tried(inject).outcome.unasked_rad == pytest.approx(0.08)


def test_faults_are_taken_back_the_last_one_first() -> None:
    order: list[str] = []

    def inject(graph: MadeUp) -> None:
        stand(graph)
        graph.undo += [lambda: order.append("first"), lambda: order.append("second")]

    tried(inject)
    assert order == ["second", "first"]


def test_an_arm_that_goes_on_has_not_stopped() -> None:
    def inject(graph: MadeUp) -> None:
        say(graph)
        for step in range(600):
            graph.moves(0.01 * step, 0.5)

    assert tried(inject).wrong == ("did not stop within 5 s",)


def test_a_frozen_simulation_stands_when_it_goes_on() -> None:
    def inject(graph: MadeUp) -> None:
        say(graph)
        graph.moves(0.01, 0.5)

        def thaw() -> None:
            graph.moves(0.01, 0.5, 0.1)
            graph.moves(0.06, 0.0, 0.13)
            graph.moves(0.08, 0.0, 0.13)

        graph.undo.append(thaw)

    made = tried(inject)
    assert made.outcome.stop_ms == pytest.approx(60.0, abs=1e-3)
    assert made.wrong == ()


def test_of_a_robot_that_died_the_last_state_counts() -> None:
    def inject(graph: MadeUp) -> None:
        say(graph)
        graph.moves(0.03, 0.5)

    assert tried(inject).outcome.stop_ms == pytest.approx(30.0, abs=1e-3)


def test_a_fault_that_nothing_tells_is_unreported() -> None:
    def inject(graph: MadeUp) -> None:
        stand(graph)
        graph.lines.clear()
        say(graph, "estop (somebody else): a trial")
        graph.text = "the plug died"

    assert tried(inject).outcome.untold == (TOLD,)
    assert tried(inject, printed="plug died").outcome.untold == (TOLD,), "print is no event"
    assert tried(inject, printed="plug died", parts=("a", "b")).outcome.untold == ()
    assert tried(inject, one_of=("estop", "nothing")).outcome.untold == (TOLD,)
    assert tried(inject, one_of=("nothing", "at all")).outcome.untold == (TOLD, "nothing or at all")


def test_what_was_told_before_the_fault_does_not_count() -> None:
    class Told(MadeUp):
        def drive(self) -> None:
            super().drive()
            say(self)
            CLOCK.sleep(0.01)

    def inject(graph: Any) -> None:
        stand(graph)
        graph.lines.pop()

    fault = Fault("a fault", inject, AT_ONCE, (TOLD,))
    assert run_trial(Told(), fault, 1.0).outcome.untold == (TOLD,)


def test_what_is_bridged_may_slow_the_arm_but_not_stop_it() -> None:
    def slow(graph: MadeUp) -> None:
        say(graph)
        graph.moves(0.02, 0.3)

    def stop(graph: MadeUp) -> None:
        slow(graph)
        graph.moves(0.05, 0.0)

    assert tried(slow, stops=False).wrong == ()
    assert tried(stop, stops=False).wrong == ("stopped, though this has to be bridged",)


def a_trial(name: str, stop_ms: float | None, row: str = "", **more: Any) -> Trial:
    made = Outcome(10.0, stop_ms, more.pop("unasked", 0.0), more.pop("untold", ()))
    fault = Fault(name, nothing, AT_ONCE, (), stops=more.get("stops", True))
    return Trial(name, row or name, (), fault.stops, BOUND, made, wrong=judge(fault, made, BOUND))


def test_a_fault_is_summed_up() -> None:
    trials = [
        a_trial("x", 60.0),
        a_trial("x", 70.0, unasked=0.02),
        a_trial("x", 130.0, untold=("y",)),
        a_trial("x", None),
    ]
    row = row_of(trials, two_periods=20.0)
    assert row["trials"] == 4
    assert row["stop_ms"] == {"min": 60.0, "p50": 70.0, "max": 130.0}
    assert row["within_two_periods"] == 1.0
    counts = ("never_stopped", "late", "unasked_motion", "unreported", "stopped_needlessly")
    assert [row[name] for name in counts] == [1, 1, 1, 1, 0]
    bridged = row_of([a_trial("z", None, stops=False), a_trial("z", 50.0, stops=False)], 20.0)
    assert [bridged[name] for name in counts] == [0, 0, 0, 0, 1]


def report_of(*trials: Trial) -> Report:
    wrong = sum(bool(one.wrong) for one in trials)
    return Report("stops", {}, {"wrong": wrong}, [run.record_of(one) for one in trials])


def test_the_table_is_that_of_the_docs() -> None:
    report = report_of(
        a_trial("NaN for a", 60.0, "NaN"), a_trial("NaN for b", 90.0, "NaN"), a_trial("hiccup", None, stops=False)
    )
    assert markdown(report).splitlines() == [
        "| fault | trials | brakes | stands | bound |",
        "|---|---|---|---|---|",
        "| NaN | 2 | 10 / 10 / 10 | 60 / 75 / 90 | 120 |",
        "| hiccup | 1 | 10 / 10 / 10 | – | – |",
        "",
        "In all 3 trials the arm stood within its bound, nothing moved unasked afterwards, and the graph said what had "
        "happened.",
    ]
    assert table(report).row_count == 2
    assert verdict(report_of(a_trial("x", 60.0), a_trial("x", None))) == "In 1 of 2 trials something was wrong."


@pytest.mark.parametrize(("stop_ms", "status"), [(60.0, ExitCode.SUCCESS), (130.0, ExitCode.FAILED)])
def test_the_command_fails_when_anything_is_wrong(
    stop_ms: float, status: ExitCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = report_of(a_trial("estop topic", stop_ms))
    monkeypatch.setattr(run, "run_stops", lambda *_arguments: report)
    result = CliRunner().invoke(app, ["bench", "stops", "estop topic", "--markdown"])
    assert result.exit_code == status, result.output
    assert "| estop topic | 1 |" in result.output


def test_a_graph_that_a_fault_left_broken_is_wrong_and_another_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[bool] = []

    class Started:
        def __init__(self, _robot: str, _profile: Any, cameras: bool) -> None:
            started.append(cameras)

        def __enter__(self) -> MadeUp:
            return MadeUp()

        def __exit__(self, *_: object) -> None:
            started.append(started[-1])

    def breaks(_graph: MovingGraph) -> None:
        raise ReinsError("no service")

    def stands(graph: Any) -> None:
        stand(graph)

    monkeypatch.setattr(run, "_started", Started)
    well = Fault("well", stands, AT_ONCE, (TOLD,))
    ends = Fault("ends", stands, AT_ONCE, (TOLD,), ends_graph=True)
    seen: list[Trial] = []
    faults = [ends, Fault("breaks", breaks, AT_ONCE, (TOLD,)), well]
    report = run_stops("franka", faults, trials=2, estops=1, slack=1.0, on_trial=seen.append)
    assert [one.fault for one in seen] == ["breaks", "well", "breaks", "well", "ends", "ends"]
    assert [one.wrong for one in seen] == [("no service",), (), ("no service",), (), (), ()]
    assert len(started) == 2 * 4, "one for the first, and a new one after each that broke or ended"
    assert (report.summary["wrong"], report.summary["breaks"]["never_stopped"]) == (2, 2)
    assert report.summary["well"]["bound_ms"] == pytest.approx(1120.0)


def test_every_robot_with_fewer_joints_has_its_faults() -> None:
    names = {fault.name for fault in all_faults(load_profile("ur5e"))}
    assert "commands with NaN for wrist_3_joint" in names
    assert not any("fr3" in name for name in names)
