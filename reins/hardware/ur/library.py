"""ur-rtde, imported when it is first needed."""

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from reins.contracts.errors import ReinsError

INSTALL: Final = "run `./run setup ur`, or `pip install ur-rtde==1.6.5`"
NO_WHEEL: Final = "it has no wheel for Python 3.13: `REINS_PYTHON=python3.12 ./run setup ur` (3.10 to 3.12 have one)"
"""What to do about it."""


@dataclass(frozen=True, slots=True)
class Library:
    """The modules that are used."""

    control: Any
    receive: Any
    dashboard: Any


def load_ur_rtde() -> Library:
    """The modules.

    Raises:
        ReinsError: it is not installed; says how to install it.
    """
    try:
        return Library(*map(import_module, ("rtde_control", "rtde_receive", "dashboard_client")))
    except ImportError as error:
        remedy = INSTALL if sys.version_info < (3, 13) else NO_WHEEL
        raise ReinsError(f"the driver 'ur' needs ur-rtde ({error}); {remedy}") from None
