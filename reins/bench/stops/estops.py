"""Emergency stops: each way while the arm moves, and one in every mode of the safety monitor."""

from collections.abc import Iterator
from typing import Final

from lifecycle_msgs.msg import Transition
from reins_msgs.srv import EmergencyStop
from std_msgs.msg import Bool

from reins.bench.stops.clock import step_clock
from reins.bench.stops.fault import AT_ONCE, BEGINS, Act, Fault, nothing
from reins.bench.stops.moving import PATIENCE, SKILL, STANDING, TELEOP, MovingGraph
from reins.safety.modes import IN_CHARGE, Mode

WAYS: Final = {
    "service": r"emergency stop by benchmark: a trial",
    "topic": r"emergency stop by the topic safety/estop",
    "button": r"emergency stop by teleop operator",
}
"""Each with what it is told by."""

WITHIN: Final = 5.0
"""How long the safety monitor may take into a mode that it is led to by a fault [s]."""

SLEEPER: Final = "planner"
"""A watched node, without whose heartbeat the safety monitor stays in STARTING."""


def by_service(graph: MovingGraph) -> None:
    """Ask the safety node."""
    graph.estop_service.call_async(EmergencyStop.Request(requested_by="benchmark", reason="a trial"))


def by_topic(graph: MovingGraph) -> None:
    """Say so on `safety/estop`."""
    graph.estop_topic.publish(Bool(data=True))


def by_button(graph: MovingGraph) -> None:
    """Press the pad's button."""
    graph.press_estop()


def _estop(way: str, act: Act, source: str) -> Fault:
    mode = next(mode for mode, who in IN_CHARGE.items() if who == source)
    told = rf"estop \([^)]*\): .*{WAYS[way]}"
    name, row = f"estop {way}", f"emergency stop by {way}"
    if source == TELEOP:
        name, row = f"{name}, teleop", f"{row}, an operator driving"
    return Fault(
        name,
        act,
        AT_ONCE,
        (f"{mode.name} to ESTOP", told),
        begin=BEGINS[source],
        sources=(source,),
        row=row,
        always=told,
    )


ESTOPS: Final = tuple(
    _estop(way, act, source)
    for way, act in (("service", by_service), ("topic", by_topic), ("button", by_button))
    for source in (SKILL, TELEOP)
)


def estops_in_each_mode() -> Iterator[Fault]:
    """In those modes in which nobody drives; ACTIVE_SKILL and ACTIVE_TELEOP are those of `ESTOPS`. A skill asks for
    motion afterwards, with a new goal."""
    yield _in_mode(Mode.STARTING, _starting, ends_graph=True)
    yield _in_mode(Mode.READY, nothing)
    yield _in_mode(Mode.HOLD, _held)
    yield _in_mode(Mode.STOPPING, BEGINS[SKILL], _while_stopping)
    yield _in_mode(Mode.STOPPED, _stopped)
    yield _in_mode(Mode.ESTOP, _stopped_by_estop)


def _in_mode(mode: Mode, begin: Act, act: Act = by_topic, ends_graph: bool = False) -> Fault:
    where = "" if mode is Mode.ESTOP else f"{mode.name} to ESTOP: "  # where it is known already, it is only told again
    told = rf"estop \([^)]*\): {where}{WAYS['topic']}"

    def inject(graph: MovingGraph) -> None:
        act(graph)
        if act is by_topic:
            graph.ask()

    return Fault(
        f"estop in {mode.name}",
        inject,
        AT_ONCE,
        (told,),
        begin=begin,
        row="emergency stop in every other mode",
        ends_graph=ends_graph,
    )


def _wait_for(mode: Mode, graph: MovingGraph) -> None:
    graph.until(lambda: graph.mode == mode.name.lower() and graph.speed() < STANDING, f"mode {mode.name}", WITHIN)


def _held(graph: MovingGraph) -> None:
    """The operator let go of the dead-man, and holds the pad."""
    BEGINS[TELEOP](graph)
    graph.stick = 0.0
    _wait_for(Mode.HOLD, graph)


def _stopped(graph: MovingGraph) -> None:
    BEGINS[SKILL](graph)
    step_clock(1, graph)
    _wait_for(Mode.STOPPED, graph)
    graph.mend()


def _stopped_by_estop(graph: MovingGraph) -> None:
    BEGINS[SKILL](graph)
    by_topic(graph)
    _wait_for(Mode.ESTOP, graph)


def _while_stopping(graph: MovingGraph) -> None:
    """At the moment at which the monitor says that it brakes for another reason."""
    pressed: list[float] = []

    def press(mode: str) -> None:
        if mode == Mode.STOPPING.name.lower() and not pressed:
            by_topic(graph)
            pressed.append(graph.now())

    graph.on_mode = press
    step_clock(1, graph)
    graph.until(lambda: bool(pressed), f"mode {Mode.STOPPING.name}", WITHIN)
    graph.injected = pressed[0]


def _starting(graph: MovingGraph) -> None:
    """A safety node that begins anew while one of those that it waits for is frozen."""
    for transition in (
        Transition.TRANSITION_DEACTIVATE,
        Transition.TRANSITION_CLEANUP,
        Transition.TRANSITION_CONFIGURE,
    ):
        graph.change_state("safety", transition, PATIENCE)
    graph.freeze(SLEEPER)
    graph.change_state("safety", Transition.TRANSITION_ACTIVATE, PATIENCE)
    _wait_for(Mode.STARTING, graph)
