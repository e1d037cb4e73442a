"""The two ways in which a planner says no: it cannot, or it has to ask first."""

from collections.abc import Sequence


class CannotDo(Exception):
    """The instruction cannot be carried out; the message is the refusal."""


class Unclear(Exception):
    """The instruction can mean more than one thing; the message is the question.

    Args:
        question: to the operator.
        phrase: the words that it is about, as they were read; empty if it is about none.
        choices: ids of the objects that these words may stand for; empty if they stand for something else.
    """

    def __init__(self, question: str, phrase: str = "", choices: Sequence[str] = ()) -> None:
        super().__init__(question)
        self.phrase, self.choices = phrase, tuple(choices)
