"""A gamepad that is plugged into this machine, read with SDL 2. It knows the pads of this world and gives all of them
one layout, that of ROS 2's game_controller_node, so that one mapping fits.

SDL is loaded when a `Gamepad` is made. One thread makes, reads and closes it: SDL is not made for more.
"""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from typing_extensions import Self

from reins.contracts.errors import ReinsError

AXES: Final = 6
"""Left stick, right stick, left trigger, right trigger."""

BUTTONS: Final = 21
"""As SDL_GameControllerButton counts them."""

_STICK_AXES: Final = 4
_FULL: Final = 32767.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a pad's sticks and buttons do, as sensor_msgs/Joy has it.

    Attributes:
        axes: (AXES,) -1 … 1; left and up are positive; triggers go from 0 (released) to 1.
        buttons: (BUTTONS,) 0 or 1.
    """

    axes: Sequence[float]
    buttons: Sequence[int]


class Gamepad:
    """The first gamepad that is there; when it is unplugged, the next one that comes.

    Raises:
        ReinsError: SDL is not installed, or does not start; says what to do.
    """

    def __init__(self) -> None:
        self._sdl = _load()
        self._pad: Any = None
        self.name = ""
        """What the pad calls itself; empty while there is none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> Reading | None:
        """What the pad does now, or None while there is none. Waits for nothing."""
        sdl = self._sdl
        sdl.SDL_GameControllerUpdate()
        if self._pad is not None and not sdl.SDL_GameControllerGetAttached(self._pad):
            self._let_go()
        if self._pad is None and not self._find():
            return None
        raw = [sdl.SDL_GameControllerGetAxis(self._pad, axis) / _FULL for axis in range(AXES)]
        sticks = [-max(value, -1.0) for value in raw[:_STICK_AXES]]
        buttons = [int(sdl.SDL_GameControllerGetButton(self._pad, button)) for button in range(BUTTONS)]
        return Reading((*sticks, *raw[_STICK_AXES:]), buttons)

    def close(self) -> None:
        """Let go of the pad and of SDL."""
        self._let_go()
        self._sdl.SDL_QuitSubSystem(self._sdl.SDL_INIT_GAMECONTROLLER)

    def _find(self) -> bool:
        sdl = self._sdl
        for index in range(sdl.SDL_NumJoysticks()):
            if sdl.SDL_IsGameController(index) and (pad := sdl.SDL_GameControllerOpen(index)):
                self._pad, self.name = pad, (sdl.SDL_GameControllerName(pad) or b"a gamepad").decode(errors="replace")
                return True
        return False

    def _let_go(self) -> None:
        if self._pad is not None:
            self._sdl.SDL_GameControllerClose(self._pad)
            self._pad, self.name = None, ""


def _load() -> Any:
    """SDL, started for gamepads only: no window, no signal handlers of its own."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # says which SDL it uses
            import sdl2
    except ImportError as error:
        raise ReinsError(f"SDL 2 is not here ({error}): `pip install pysdl2 pysdl2-dll`") from None
    sdl2.SDL_SetHint(sdl2.SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, b"1")
    sdl2.SDL_SetHint(sdl2.SDL_HINT_NO_SIGNAL_HANDLERS, b"1")
    if sdl2.SDL_InitSubSystem(sdl2.SDL_INIT_GAMECONTROLLER) != 0:
        raise ReinsError(f"SDL 2 cannot read gamepads: {sdl2.SDL_GetError().decode(errors='replace')}")
    return sdl2
