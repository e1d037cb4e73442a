"""Other people's code may raise anything; whoever asks a model is to hear of it as of any other failure."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from reins.contracts.errors import ReinsError
from reins.language_models.model import ModelError
from reins.language_models.plain import quoted

_LONGEST: Final = 200  # characters of what was raised


@contextmanager
def foreign(what: str) -> Iterator[None]:
    """Within the block, whatever is raised is a ModelError.

    Args:
        what: runs in the block, e.g. "the language model", for the message.

    Raises:
        ModelError: as it came; or something else was raised, and it says what.
    """
    try:
        yield
    except ModelError:
        raise
    except ReinsError as error:
        raise ModelError(str(error)) from error
    except Exception as error:  # other people's code
        why = f": {told}" if (told := quoted(str(error), _LONGEST)) else ""
        raise ModelError(f"{what} failed: {type(error).__name__}{why}") from error
