"""What the monitor asks of the part that moves one kind of robot. The monitor itself is the same for all of them."""

from collections.abc import Collection, Mapping
from typing import Protocol, TypeVar

from reins.contracts.plan import ConstraintKind
from reins.contracts.scene import Scene
from reins.safety.order import Ordered
from reins.safety.separation import Separation
from reins.safety.validate import Rejection, Timed
from reins.safety.verdict import Limit


class Measured(Protocol):
    """A state of any robot, as far as the monitor itself looks at it: robot time [s], and why it does not move."""

    @property
    def stamp(self) -> float: ...

    @property
    def fault(self) -> str: ...


class Wanted(Ordered, Timed, Protocol):
    """A command to any robot, as far as the monitor itself looks at it."""

    @property
    def trace_ns(self) -> int: ...


StateT = TypeVar("StateT", bound=Measured)
CommandT = TypeVar("CommandT", bound=Wanted)
SafeT = TypeVar("SafeT")
StateC = TypeVar("StateC", bound=Measured, contravariant=True)
CommandC = TypeVar("CommandC", bound=Wanted, contravariant=True)
SafeC = TypeVar("SafeC", covariant=True)


class CommandGate(Protocol[StateC, CommandC]):
    """Which commands are considered at all; see `Gate`."""

    def check(self, command: CommandC, newest: StateC) -> Rejection | None: ...
    def open_from(self, source: str, now: float) -> None: ...
    def restart(self) -> None: ...
    def is_fresh(self, command: CommandC) -> bool: ...


class Mover(Protocol[StateC, CommandC, SafeC]):
    """Filters commands to one robot and turns them into safe ones. Times are robot time [s]. Every state is given to
    `see`, and `start` comes before the first `drive` or `brake`."""

    @property
    def gate(self) -> CommandGate[StateC, CommandC]:
        """In front of it."""
        ...

    @property
    def separation(self) -> Separation:
        """The rule for people who come near."""
        ...

    @property
    def top_speed(self) -> float:
        """Fastest speed of what may meet a person [m/s]."""
        ...

    @property
    def standing(self) -> bool:
        """Whether it is told to stand still."""
        ...

    @property
    def at_rest(self) -> bool:
        """Whether it has been told all that brings it to rest after a stop, and needs no further command."""
        ...

    @property
    def wants_motion(self) -> bool:
        """Whether what was asked for last is motion."""
        ...

    @property
    def faults(self) -> Mapping[tuple[str, str], str]:
        """What its newest state says against moving: (kind, who) → one sentence."""
        ...

    @property
    def seen(self) -> Collection[str]:
        """Ids of the objects that scenes have shown, and that are not forgotten."""
        ...

    @property
    def kept(self) -> Collection[ConstraintKind]:
        """Kinds of constraints that it keeps; others would be promises that nobody keeps."""
        ...

    @property
    def keeps_distances(self) -> bool:
        """Whether it keeps the distance that an "avoid" constraint asks for, or only its own."""
        ...

    @property
    def nearest_person(self) -> float:
        """Distance of the nearest person that scenes have shown [m]; inf while there is none."""
        ...

    def objection_to(self, state: StateC) -> Rejection | None:
        """Why a measured state cannot be used at all; None if it can."""
        ...

    def see(self, state: StateC) -> None:
        """A new measured state."""

    def see_scene(self, scene: Scene) -> str:
        """The newest scene; returns why some of it cannot be used, one sentence, or nothing."""
        ...

    def lagging(self, state: StateC) -> str:
        """A sentence about what does not do as it is told; empty if all does."""
        ...

    def rebase(self, jump: float) -> None:
        """Robot time has jumped by `jump` [s]: what the robot does is not changed by that."""

    def start(self, state: StateC, now: float) -> None:
        """Hold the robot where it is from now on; what stopped it is over."""

    def take_over(self, state: StateC) -> None:
        """Another goal takes charge, without a jump."""

    def want(self, command: CommandC) -> None:
        """What the source in charge asks for from now on."""

    def forget(self) -> None:
        """Nobody asks for anything any more."""

    def periods_since_last(self, now: float) -> float:
        """Control periods that the last command has acted."""
        ...

    def drive(self, scale: float, now: float, stamp: float, trace_ns: int) -> tuple[SafeC, tuple[Limit, ...]]:
        """The safe command nearest to what is wanted, and what changed it.

        Args:
            scale: share of the speed limits in force, 0 < scale ≤ 1.
            now: robot time.
            stamp: of the state that it was checked against.
            trace_ns: handed on.
        """
        ...

    def brake(self, now: float, stamp: float, rest: bool) -> SafeC:
        """The safe command that brakes hardest along the path, and then holds; where `rest`, it lets the robot rest and
        halts moving fingers."""
        ...
