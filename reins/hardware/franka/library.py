"""franky, imported when it is first needed."""

from importlib import import_module
from typing import Any, Final

from reins.contracts.errors import ReinsError

INSTALL: Final = "run `./run setup franka`, or `pip install franky-control==2.0.0`"
"""What to do about it."""


def load_franky() -> Any:
    """The module.

    Raises:
        ReinsError: it is not installed; says how to install it.
    """
    try:
        return import_module("franky")
    except ImportError as error:
        raise ReinsError(f"the driver 'franka' needs franky-control ({error}); {INSTALL}") from None
