"""The controller's dashboard server: what the controller is, who has it, and what only an operator may ask of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from reins.hardware.streaming.session import Aborted, SessionLost
from reins.hardware.ur.library import Library
from reins.hardware.ur.words import explain

OLDEST: Final = (5, 6)
"""PolyScope that is needed: the first which says whether it is in remote control."""

UNLOCKING: Final = 6.0
"""The controller unlocks a protective stop from five seconds after it on; this long it is asked again [s]."""

ASKING: Final = 0.25
"""Time between two such questions [s]."""


class Dashboard:
    """Short conversations with the dashboard server, each over a connection of its own with time-outs of its own.

    Args:
        library: the modules.
        address: of the controller.
    """

    def __init__(self, library: Library, address: str) -> None:
        self._library = library
        self._address = address

    def require(self, model: str) -> None:
        """Be sure that this is the arm of the profile, and that nobody else has it.

        Args:
            model: of the arm, such as UR5.

        Raises:
            SessionLost: it is not; one sentence that says what to do.
        """
        with self._talk() as client:
            version = str(client.polyscopeVersion())
            if _numbers(version) < OLDEST:
                raise SessionLost(
                    f"the controller at {self._address} has PolyScope {version}, and PolyScope "
                    f"{'.'.join(map(str, OLDEST))} or newer is needed: update it, or use an e-Series arm"
                )
            found = str(client.getRobotModel())
            if found.rstrip("e") != model:
                raise SessionLost(
                    f"the arm at {self._address} is a {found}, and the profile is of a {model}e: "
                    "give the profile of this arm"
                )
            if not client.isInRemoteControl():
                raise SessionLost(
                    f"the arm at {self._address} is in local control: switch the pendant from Local to Remote Control"
                )
            if client.running():
                raise SessionLost(
                    f"a program runs on the controller at {self._address} ({client.programState()}): end the other "
                    "client, or stop the program on the pendant"
                )

    def unlock(self) -> None:
        """End a protective stop, waiting until the controller allows it.

        Raises:
            Aborted: it does not; in its words.
            SessionLost: it does not answer.
        """
        deadline = time.monotonic() + UNLOCKING
        with self._talk() as client:
            client.closeSafetyPopup()
            while said := _refusal(client.unlockProtectiveStop):
                if time.monotonic() > deadline:
                    raise Aborted(f"the controller does not unlock the protective stop: {explain(said)}")
                time.sleep(ASKING)

    def stop_program(self) -> None:
        """Have the controller end its program and brake the arm by its own means.

        Raises:
            SessionLost: it does not answer.
        """
        with self._talk() as client:
            client.stop()

    @contextmanager
    def _talk(self) -> Iterator[Any]:
        client = self._library.dashboard.DashboardClient(self._address)
        try:
            client.connect()
            yield client
        except RuntimeError as error:
            raise SessionLost(f"no answer from the UR controller at {self._address}: {explain(str(error))}") from None
        finally:
            client.disconnect()


def _refusal(ask: Callable[[], Any]) -> str:
    """What the controller says against it; empty if it does as asked."""
    try:
        ask()
    except RuntimeError as error:
        return str(error)
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    """Major and minor of "5.11.1.108318"; nothing of what is no version."""
    parts = version.split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
