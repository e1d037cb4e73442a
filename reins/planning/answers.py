"""The two ways in which a planner says no: it cannot, or it has to ask first."""


class CannotDo(Exception):
    """The instruction cannot be carried out; the message is the refusal."""


class Unclear(Exception):
    """The instruction can mean more than one thing; the message is the question."""
