"""What teleop asks of the part that turns an operator's wishes into commands to one kind of robot."""

from typing import Protocol, TypeVar

from reins.hardware.robot import FloatArray
from reins.teleop.intent import Action, Intent


class Measured(Protocol):
    """A state of any robot, as far as teleop itself looks at it: robot time [s]."""

    @property
    def stamp(self) -> float: ...


StateT = TypeVar("StateT", bound=Measured)
CommandT = TypeVar("CommandT")
StateC = TypeVar("StateC", bound=Measured, contravariant=True)
CommandC = TypeVar("CommandC", covariant=True)

SHARES = 7
"""Six directions of a twist, and the joint that is picked."""


class TeleopMotion(Protocol[StateC, CommandC]):
    """Commands to one robot."""

    @property
    def objection_to_velocity(self) -> str:
        """Why a velocity of the body (cmd_vel) does not drive this robot; empty if it does."""
        ...

    @property
    def summary(self) -> str:
        """What the sticks move."""
        ...

    def act(self, action: Action) -> None:
        """A button or key was pressed; those of other kinds of robot do nothing."""

    def begin(self, state: StateC) -> None:
        """The dead-man was pressed."""

    def let_go(self) -> None:
        """It was released; what was pressed is forgotten."""

    def command(
        self, state: StateC, intent: Intent, shares: FloatArray, trim: float, sequence: int, activation: float
    ) -> CommandC:
        """The command for the next period.

        Args:
            state: the newest.
            intent: what the operator wants now.
            shares: (SHARES,) of the fastest motion, smoothed, -1 … 1.
            trim: share of the fastest motion that full sticks mean.
            sequence: of the command.
            activation: robot time of the press of the dead-man [s].
        """
        ...
