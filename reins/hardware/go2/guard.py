"""Who else may command the motors: programs that publish rt/lowcmd, and the robot's own motion service."""

import json
from typing import Any, Final

from reins.hardware.go2.library import Library
from reins.hardware.go2.link import Link

CHECK_MODE: Final = 1001
"""Number of the question which motion service is active. Source: Unitree's SDK2, motion_switcher_api."""

EVERY: Final = 0.5
"""Time between two questions [s]."""

RIVAL: Final = (
    "another program publishes rt/lowcmd, and motors that are told two things do neither; end it, "
    "then recover the robot"
)
ACTIVE: Final = (
    "the robot's motion service '{name}' is active and commands the motors; let the robot lie down, release the mode "
    "(MotionSwitcherClient.ReleaseMode, or the app's developer mode), then recover the robot"
)


class Guard:
    """Asks and listens. Passive.

    Args:
        library: of the SDK.
        link: the connection.
        has_switcher: whether the robot has a motion switcher to ask.

    Attributes:
        mode: name of the active motion service, empty for none; None as long as the robot has not said.
    """

    def __init__(self, library: Library, link: Link, has_switcher: bool) -> None:
        self._api, self._link, self._has_switcher = library.api, link, has_switcher
        self._number, self._asked = 0, 0.0
        self.mode: str | None = None if has_switcher else ""

    def begin(self) -> None:
        """Forget what the robot said and what other programs sent."""
        self._link.take_other()
        if self._has_switcher:
            self.mode, self._asked, self._number = None, 0.0, 0

    def look(self, now: float) -> str:
        """Why the motors are not ours now; empty where nothing says so.

        Args:
            now: CLOCK_MONOTONIC [s].
        """
        if self._has_switcher:
            self._hear()
            if now - self._asked > EVERY:
                self._ask(now)
        if self._link.take_other() is not None:
            return RIVAL
        return ACTIVE.format(name=self.mode) if self.mode else ""

    def _ask(self, now: float) -> None:
        api = self._api
        self._number, self._asked = int(now * 1e9), now
        header = api.RequestHeader_(
            api.RequestIdentity_(self._number, CHECK_MODE), api.RequestLease_(0), api.RequestPolicy_(0, False)
        )
        self._link.ask(api.Request_(header, "{}", []))

    def _hear(self) -> None:
        for answer in self._link.take_answers():
            header = answer.header
            if header.identity.id == self._number and header.status.code == 0:
                self.mode = _name_in(answer.data)


def _name_in(data: Any) -> str | None:
    """The active service that an answer names; None where it is no answer."""
    try:
        return str(json.loads(data)["name"])
    except (ValueError, KeyError, TypeError):
        return None
