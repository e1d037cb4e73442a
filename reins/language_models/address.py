"""The address of a server: what is asked, and what may be shown of it.

Somebody's name and password may stand in it. They go to the server, and into no message and no log.
"""

import base64
import re
from dataclasses import dataclass, field
from typing import Final

import httpx

from reins.language_models.model import ModelError

_ASKED: Final = re.compile(r"[?#].*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """An address in two parts.

    Attributes:
        url: where the server is, without a slash at its end and without who asks; may be shown.
        user: who asks, a name and a password; None where the address does not say.
    """

    url: str
    user: tuple[str, str] | None = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What a server may repeat and nobody is to see: the password, or a name without one, and both as sent."""
        if self.user is None:
            return ()
        name, password = self.user
        sent = base64.b64encode(f"{name}:{password}".encode()).decode()
        return sent, password or name


def read_address(text: str) -> Address:
    """An address as it is set.

    Raises:
        ModelError: it is none; says why, without a name and a password.
    """
    shown = _shown(text)
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        why = f": {error}" if shown == text else ""  # it may quote what is not shown
        raise ModelError(f"base_url '{shown}' is not an address{why}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ModelError(f"base_url '{shown}' is not an address; write e.g. http://127.0.0.1:8080/v1")
    if url.query or url.fragment or "@" in url.path:
        raise ModelError(
            f"base_url '{shown}' has '?', '#' or '@' after its host; leave that out, and in a password write '/', '?', "
            "'#' and '@' as %2F, %3F, %23 and %40"
        )
    user = (url.username, url.password) if url.userinfo else None
    return Address(str(url.copy_with(userinfo=b"")).rstrip("/"), user)


def _shown(text: str) -> str:
    """What may be shown of an address that may be none: what stands before the last "@" is not, nor what is asked."""
    before, at, host = text.rpartition("@")
    scheme, mark, _ = before.partition("://")
    hidden = f"{scheme + mark if mark else ''}…@" if at else ""
    return hidden + _ASKED.sub("…", host)
