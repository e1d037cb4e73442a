"""Mappings: which axis, button or key does what. YAML files, validated on load; common pads ship with reins."""

import json
import math
from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.teleop.intent import ARM_ACTIONS, LEGGED_ACTIONS, Action, Direction

Index = Annotated[int, Field(ge=0, le=63)]

KEY_NAMES: Final = {" ": "space", "\t": "tab", "\n": "return"}
"""What people call the keys that do not print."""


def _sent_by_a_terminal(key: str) -> str:
    """`key`, if a terminal can send it: it sends characters, of which those of Ctrl and Escape do other things."""
    if len(key) == 1 and (key.isprintable() or key in KEY_NAMES):
        return key
    meant = next((sent for sent, name in KEY_NAMES.items() if name == key.lower()), "")
    hint = f"; write {json.dumps(meant)}" if meant else ""
    raise ValueError(f"no terminal sends {key!r} as a key: give one character{hint}")


Key = Annotated[str, AfterValidator(_sent_by_a_terminal)]


def _require_estop(actions: Mapping[Action, object]) -> None:
    """Whoever drives can stop with what they hold."""
    if Action.ESTOP not in actions:
        raise ValueError("actions: `estop` is missing, and whoever drives must be able to stop the robot")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Axis(_Part):
    """One direction of motion, from an axis of sensor_msgs/Joy, the difference of two, or two buttons.

    Attributes:
        axis: index of the axis; or
        buttons: indices of two buttons, forwards and back.
        minus: index of an axis that is taken off (a pair of triggers).
        scale: what the value is multiplied by; negative turns it round.
    """

    axis: Index | None = None
    minus: Index | None = None
    buttons: tuple[Index, Index] | None = None
    scale: float = Field(default=1.0, ge=-1.0, le=1.0)

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.axis is None) == (self.buttons is None) or (self.minus is not None and self.axis is None):
            raise ValueError("give `axis: N` (and perhaps `minus: N`), or `buttons: [N, M]`")
        return self

    def read(self, axes: Sequence[float], buttons: Sequence[int]) -> float:
        """Its value, -1 … 1."""
        if self.buttons is not None:
            forwards, back = self.buttons
            value = float(bool(buttons[forwards])) - float(bool(buttons[back]))
        else:
            value = axes[self.axis or 0] - (0.0 if self.minus is None else axes[self.minus])
        return min(max(value * self.scale, -1.0), 1.0)

    def uses(self) -> tuple[list[int], list[int]]:
        """Indices of the axes and of the buttons that it needs."""
        return [index for index in (self.axis, self.minus) if index is not None], list(self.buttons or ())


class Button(_Part):
    """One button of sensor_msgs/Joy, or an axis that is used as one (triggers, directional pads).

    Attributes:
        button: index of the button; or
        axis: index of the axis,
        above, below: pressed when its value is above or below this.
    """

    button: Index | None = None
    axis: Index | None = None
    above: float | None = None
    below: float | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        of_axis = (self.above is None) != (self.below is None)
        if (self.button is None) == (self.axis is None) or of_axis != (self.axis is not None):
            raise ValueError("give `button: N`, or `axis: N` with either `above: V` or `below: V`")
        return self

    def read(self, axes: Sequence[float], buttons: Sequence[int]) -> bool:
        """Whether it is pressed."""
        if self.button is not None:
            return bool(buttons[self.button])
        value = axes[self.axis or 0]
        return value > self.above if self.above is not None else value < (self.below or 0.0)

    def uses(self) -> tuple[list[int], list[int]]:
        """Indices of the axes and of the buttons that it needs."""
        return [] if self.axis is None else [self.axis], [] if self.button is None else [self.button]

    def overlaps(self, other: "Button") -> bool:
        """Whether both are the same axis, and some value of it presses both."""
        lowest = max(-math.inf if button.above is None else button.above for button in (self, other))
        highest = min(math.inf if button.below is None else button.below for button in (self, other))
        return self.axis is not None and self.axis == other.axis and lowest < highest

    def is_among(self, axes: int, buttons: int) -> bool:
        """Whether a pad with so many axes and buttons has it."""
        return self.button < buttons if self.button is not None else (self.axis or 0) < axes


class JoyMapping(_Part):
    """Everything that a pad does. A button may do one thing for an arm and another for a legged robot.

    Attributes:
        kind: "joy".
        title: for a person.
        deadman: must be held for anything to move.
        motion: axis of each direction.
        actions: button of each action; the e-stop must have one.
        deadzone: axis values up to this count as zero; what is left is stretched, so that motion starts gently.
    """

    kind: Literal["joy"]
    title: str
    deadman: Button
    motion: Mapping[Direction, Axis]
    actions: Mapping[Action, Button]
    deadzone: float = Field(default=0.1, ge=0.0, lt=1.0)

    @model_validator(mode="after")
    def _each_button_once(self) -> Self:
        _require_estop(self.actions)
        moving = [index for axis in self.motion.values() for index in axis.buttons or ()]
        moved = {index for axis in self.motion.values() for index in axis.uses()[0]}
        for others in (ARM_ACTIONS, LEGGED_ACTIONS):
            pressed = [self.deadman, *(button for action, button in self.actions.items() if action not in others)]
            used = [index for index in [*(button.button for button in pressed), *moving] if index is not None]
            if twice := {index for index in used if used.count(index) > 1}:
                raise ValueError(f"button {_told(twice)} used twice")
            if twice := {first.axis or 0 for first, second in combinations(pressed, 2) if first.overlaps(second)}:
                raise ValueError(f"axis {_told(twice)} used as two buttons that one value presses")
            if twice := moved & {button.axis for button in pressed if button.axis is not None}:
                raise ValueError(f"axis {_told(twice)} used both to move and as a button")
        return self

    def missing(self, axes: int, buttons: int) -> str:
        """What it uses that a pad with so many axes and buttons does not have; empty if nothing."""
        parts: dict[str, Axis | Button] = {"deadman": self.deadman}
        parts |= {direction.value: axis for direction, axis in self.motion.items()}
        parts |= {action.value: button for action, button in self.actions.items()}
        for name, part in parts.items():
            for what, used, there in zip(("axis", "button"), part.uses(), (axes, buttons), strict=True):
                if used and max(used) >= there:
                    return f"{name} uses {what} {max(used)}, and the joystick's messages have {there} of them"
        return ""

    def shaped(self, value: float) -> float:
        """An axis value after the deadzone, continuous: 0 at its edge, ±1 at the stop."""
        rest = max(abs(value) - self.deadzone, 0.0) / (1.0 - self.deadzone)
        return math.copysign(rest, value)


def _told(indices: Set[int]) -> str:
    return ", ".join(map(str, sorted(indices)))


class KeyMapping(_Part):
    """Everything that a keyboard does. A motion key counts as held while it repeats. A key is the one character that a
    terminal sends.

    Attributes:
        kind: "keys".
        title: for a person.
        motion: two keys of each direction, forwards and back.
        actions: key of each action; the e-stop must have one.
    """

    kind: Literal["keys"]
    title: str
    motion: Mapping[Direction, tuple[Key, Key]]
    actions: Mapping[Action, Key]

    @model_validator(mode="after")
    def _each_key_once(self) -> Self:
        _require_estop(self.actions)
        keys = [key for pair in self.motion.values() for key in pair] + list(self.actions.values())
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"used twice: {', '.join(twice)}")
        return self


MAPPINGS: Final = Shelf("teleop mapping", "reins.teleop", "mappings")
"""The mappings that ship with reins."""


def known_mappings() -> list[str]:
    """Names of the mappings that ship with reins."""
    return MAPPINGS.names()


def load_joy_mapping(name_or_path: str) -> JoyMapping:
    """A pad's mapping by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such mapping.
        ReinsError: not a valid one; names the field.
    """
    return MAPPINGS.load(name_or_path, JoyMapping)


def load_key_mapping(name_or_path: str) -> KeyMapping:
    """A keyboard's mapping; as `load_joy_mapping`."""
    return MAPPINGS.load(name_or_path, KeyMapping)
