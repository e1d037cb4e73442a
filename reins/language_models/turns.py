"""Conversations as text, by whatever chat template a model has."""

from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import TemplateError

from reins.language_models.model import Message, ModelError

Template = Callable[[list[dict[str, str]]], str]


def rendered(turns: Sequence[Message], template: Template, path: Path) -> str:
    """A conversation up to the model's turn.

    Args:
        turns: the first one is the system's. Some templates know no such turn; it then begins the first user's.
        template: the model's own; raises ValueError or TemplateError where it cannot render.
        path: of the model, for messages.

    Raises:
        ModelError: the template renders neither; says why.
    """
    try:
        return template(_as_dicts(turns))
    except (TemplateError, ValueError):
        try:
            return template(_as_dicts(without_system(turns)))
        except (TemplateError, ValueError) as error:
            raise ModelError(f"the chat template of {path} cannot be used: {error}") from error


def transcript(turns: Sequence[Message]) -> str:
    """A conversation as it is read by a model that was never taught to converse."""
    return "".join(f"{turn.content}\n\n" for turn in turns)


def _as_dicts(turns: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def without_system(turns: Sequence[Message]) -> list[Message]:
    """The system's turn as the beginning of the first user's."""
    system, user, *others = turns
    return [Message("user", f"{system.content}\n\n{user.content}", user.pictures), *others]
