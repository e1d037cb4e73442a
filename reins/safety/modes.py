"""The modes of the safety monitor and every way from one to another. What is not in the table cannot happen."""

from enum import Enum, IntEnum
from typing import Final


class Mode(IntEnum):
    """Numbers as in reins_msgs/SafetyState."""

    STARTING = 0
    """Waiting for the robot and the watched nodes."""
    READY = 1
    """Standing still, waiting for a source."""
    ACTIVE_SKILL = 2
    """A skill drives."""
    ACTIVE_TELEOP = 3
    """The operator drives, dead-man held."""
    HOLD = 4
    """The operator let go; control is not handed back to the skills by itself."""
    STOPPING = 5
    """Braking."""
    STOPPED = 6
    """Standing still after a stop; needs a reset."""
    ESTOP = 7
    """Latched; needs a reset by an operator."""


class Trigger(Enum):
    """What can move the monitor from one mode to another."""

    ALL_PRESENT = "robot and watched nodes are there"
    SKILL_COMMAND = "skill command"
    SKILL_RELEASED = "skill ended or silent"
    TELEOP_COMMAND = "dead-man held"
    TELEOP_RELEASED = "dead-man released or stick lost"
    HANDED_BACK = "operator hands back"
    STOP = "fault"
    STANDSTILL = "standing still"
    ESTOP = "emergency stop"
    RESET = "operator resets"


TRANSITIONS: Final[dict[tuple[Mode, Trigger], Mode]] = {
    (Mode.STARTING, Trigger.ALL_PRESENT): Mode.READY,
    (Mode.STARTING, Trigger.ESTOP): Mode.ESTOP,
    (Mode.READY, Trigger.SKILL_COMMAND): Mode.ACTIVE_SKILL,
    (Mode.READY, Trigger.TELEOP_COMMAND): Mode.ACTIVE_TELEOP,
    (Mode.READY, Trigger.STOP): Mode.STOPPING,
    (Mode.READY, Trigger.ESTOP): Mode.ESTOP,
    (Mode.ACTIVE_SKILL, Trigger.SKILL_RELEASED): Mode.READY,
    (Mode.ACTIVE_SKILL, Trigger.TELEOP_COMMAND): Mode.ACTIVE_TELEOP,
    (Mode.ACTIVE_SKILL, Trigger.STOP): Mode.STOPPING,
    (Mode.ACTIVE_SKILL, Trigger.ESTOP): Mode.ESTOP,
    (Mode.ACTIVE_TELEOP, Trigger.TELEOP_RELEASED): Mode.HOLD,
    (Mode.ACTIVE_TELEOP, Trigger.STOP): Mode.STOPPING,
    (Mode.ACTIVE_TELEOP, Trigger.ESTOP): Mode.ESTOP,
    (Mode.HOLD, Trigger.TELEOP_COMMAND): Mode.ACTIVE_TELEOP,
    (Mode.HOLD, Trigger.HANDED_BACK): Mode.READY,
    (Mode.HOLD, Trigger.STOP): Mode.STOPPING,
    (Mode.HOLD, Trigger.ESTOP): Mode.ESTOP,
    (Mode.STOPPING, Trigger.STANDSTILL): Mode.STOPPED,
    (Mode.STOPPING, Trigger.ESTOP): Mode.ESTOP,
    (Mode.STOPPED, Trigger.RESET): Mode.READY,
    (Mode.STOPPED, Trigger.ESTOP): Mode.ESTOP,
    (Mode.ESTOP, Trigger.RESET): Mode.READY,
}
"""Every transition. Braking is never conditional: STOP and ESTOP are here for every mode that moves."""

IN_CHARGE: Final = {Mode.ACTIVE_SKILL: "skill", Mode.ACTIVE_TELEOP: "teleop"}
"""Which source drives in which mode; in every other mode the robot is braked or held."""


class ModeMachine:
    """Where the monitor is in the table, and why."""

    def __init__(self) -> None:
        self._mode = Mode.STARTING
        self.reason = "starting"
        """Why it is in this mode, one sentence."""

    @property
    def mode(self) -> Mode:
        """The mode now."""
        return self._mode

    def can(self, trigger: Trigger) -> bool:
        """Whether the table has a way out of this mode by `trigger`."""
        return (self._mode, trigger) in TRANSITIONS

    def fire(self, trigger: Trigger, reason: str) -> bool:
        """Follow the table; False, and nothing changes, where it has no such way."""
        target = TRANSITIONS.get((self._mode, trigger))
        if target is None:
            return False
        self._mode, self.reason = target, reason
        return True


def mermaid() -> str:
    """The table as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2", f"    [*] --> {Mode.STARTING.name}"]
    lines += [f"    {mode.name} --> {target.name}: {trigger.value}" for (mode, trigger), target in TRANSITIONS.items()]
    return "\n".join(lines) + "\n"
