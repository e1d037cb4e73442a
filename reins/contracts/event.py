"""Events: everything that was stopped, clipped, refused or changed, with a reason."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

GOAL_REJECTED: Final = "goal_rejected"
"""Kind of the event by which a node says why it rejected a goal: actions carry no reason for that."""

LANGUAGE_MODEL: Final = "language_model"
"""Kind of the event by which the planner says that it does without its language model, and why."""


class Severity(IntEnum):
    """Same order as diagnostic_msgs/DiagnosticStatus: OK, WARN, ERROR."""

    INFO = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class SafetyEvent:
    """One thing that happened.

    Attributes:
        stamp: robot time [s].
        severity: how bad.
        kind: machine-readable, snake_case, e.g. "command_rejected", "limit_clipped", "estop", "heartbeat_lost".
        source: who caused it, e.g. "skill", "teleop", "operator", a node's name.
        reason: one sentence for a person.
    """

    stamp: float
    severity: Severity
    kind: str
    source: str
    reason: str
