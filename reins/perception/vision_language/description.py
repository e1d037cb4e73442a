"""What a vision-language model may say of a picture, and its replies read; whatever it says is checked here first."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from reins.contracts.errors import ReinsError
from reins.language_models.json_text import Fault, NoObject, first_object
from reins.language_models.model import Schema
from reins.language_models.plain import plain_text
from reins.perception.colours import COLOURS

MOST_OBJECTS: Final = 16
"""Objects of a description."""

MOST_ATTRIBUTES: Final = 4
"""Attributes of an object."""

MOST_RELATIONS: Final = 16
"""Relations of a description."""

MOST_WORD: Final = 40
"""Characters of a name or an attribute."""

MOST_TEXT: Final = 240
"""Characters of a caption or an answer."""

GRID: Final = 1000
"""Boxes are in thousandths of the picture's width and height, as most models that were taught to point have it."""

OTHER: Final = "other"
"""A kind or a colour that perception has no word for."""

EMPTY: Final = "empty"
"""What nothing is in or on."""

HELD: Final = "held"
"""The attribute of a thing in the gripper, which stands on nothing."""

PERCHED: Final = "on something hidden"
"""The attribute of a thing that stands on another one that is not to be seen."""

OFF_TABLE: Final = frozenset({HELD, PERCHED})
"""Attributes of things that are higher than the table, and of which nobody sees by how much."""

Kind = Literal["block", "bowl", "plate", "other"]

KINDS: Final = get_args(Kind)
"""Kinds of things that geometry tells apart, and OTHER."""

SAID_COLOURS: Final = (*COLOURS, OTHER)
"""Colour words that a model may say."""

SaidPredicate = Literal["in", "on", "beside"]

SAID_RELATIONS: Final = get_args(SaidPredicate)
"""Relations that are the same from wherever one looks; left and behind are not, and geometry measures them anyway."""

TABLE_NUMBER: Final = 0
"""The number that stands for the table in relations; objects are counted from one."""

AnswerVerdict = Literal["yes", "no", "unclear", "other"]

BadFault = Fault | Literal["wrong schema"]

ReplyT = TypeVar("ReplyT", bound=BaseModel)


class BadReply(ReinsError):
    """A model's reply that is of no use.

    Args:
        fault: "nothing" was said, or "prose"; the JSON was "cut" off or is "broken", or it has the "wrong schema".
        why: one sentence.
    """

    def __init__(self, fault: BadFault, why: str) -> None:
        self.fault: Final = fault
        super().__init__(why)


def _plain_word(text: str) -> str:
    return plain_text(text, MOST_WORD).lower()


def _plain_sentence(text: str) -> str:
    return plain_text(text, MOST_TEXT)


Word = Annotated[str, AfterValidator(_plain_word)]
"""A name or an attribute: a few small letters on one line, without signs that prompts are made of."""

Sentence = Annotated[str, AfterValidator(_plain_sentence)]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Box(_Said):
    """A rectangle in a picture, in thousandths of its width and height, from its upper left corner.

    Raises:
        ValueError: it has no area.
    """

    left: int = Field(ge=0, le=GRID)
    top: int = Field(ge=0, le=GRID)
    right: int = Field(ge=0, le=GRID)
    bottom: int = Field(ge=0, le=GRID)

    @model_validator(mode="after")
    def _has_area(self) -> "Box":
        if self.right <= self.left or self.bottom <= self.top:
            raise ValueError(f"a box from ({self.left}, {self.top}) to ({self.right}, {self.bottom}) has no area")
        return self


class SaidObject(_Said):
    """An object, as a model sees it.

    Attributes:
        name: what it is, as finely as it can be told, e.g. "coffee mug".
        kind: which of the kinds that geometry tells apart, or OTHER.
        colour: one of SAID_COLOURS.
        attributes: what else is to be seen of it, e.g. "upside down".
        box: where it is in the picture.
        certain: how sure the model is that all this is right, by what it was measured with, 0 to 1; None where it does
            not know. It is not asked for: a model's word about itself is worth nothing.
    """

    name: Word
    kind: Kind
    colour: str
    attributes: tuple[Word, ...] = Field(default=(), max_length=MOST_ATTRIBUTES)
    box: Box
    certain: float | None = Field(default=None, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _colour_is_known(self) -> "SaidObject":
        if self.colour not in SAID_COLOURS:
            raise ValueError(f"no colour '{self.colour[:MOST_WORD]}' (known: {', '.join(SAID_COLOURS)})")
        return self


class SaidRelation(_Said):
    """A relation between two objects of a description, by their numbers in it; TABLE_NUMBER is the table."""

    subject: int = Field(ge=1, le=MOST_OBJECTS)
    relation: SaidPredicate
    object: int = Field(ge=TABLE_NUMBER, le=MOST_OBJECTS)


class Description(_Said):
    """Everything that a model says of a picture."""

    objects: tuple[SaidObject, ...] = Field(max_length=MOST_OBJECTS)
    relations: tuple[SaidRelation, ...] = Field(default=(), max_length=MOST_RELATIONS)
    caption: Sentence = ""


class Answer(_Said):
    """An answer to a question about pictures.

    Attributes:
        verdict: of a question that yes or no is the answer to; "unclear" if the pictures do not show it; else "other".
        answer: in words.
    """

    verdict: AnswerVerdict
    answer: Sentence


def read_description(text: str) -> Description:
    """The description that a reply says, and nothing of how sure it says to be.

    Raises:
        BadReply: it says none; tells which way.
    """
    said = _read(text, Description)
    return said.model_copy(
        update={"objects": tuple(thing.model_copy(update={"certain": None}) for thing in said.objects)}
    )


def read_certain_description(text: str) -> Description:
    """The description that a reply says, of a model whose certainty was measured.

    Raises:
        BadReply: it says none; tells which way.
    """
    return _read(text, Description)


def read_answer(text: str) -> Answer:
    """The answer that a reply says.

    Raises:
        BadReply: it says none; tells which way.
    """
    answer = _read(text, Answer)
    if not answer.answer:
        raise BadReply("nothing", "the reply's answer is empty")
    return answer


def _read(text: str, shape: type[ReplyT]) -> ReplyT:
    try:
        return shape.model_validate(first_object(text))
    except NoObject as error:
        raise BadReply(error.fault, _TOLD.get(error.fault, "{}").format(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise BadReply("wrong schema", f"the reply does not fit the schema: {where}: {first['msg']}") from error


_TOLD: Final[Mapping[str, str]] = {
    "nothing": "the model said nothing",
    "prose": "the model answered prose where JSON was asked for: {}",
}


def description_schema() -> Schema:
    """The JSON schema of a description. Everything is bounded, so that a model that loops comes to an end."""
    place: Schema = {"type": "integer", "minimum": 0, "maximum": GRID}
    numbers = list(range(1, MOST_OBJECTS + 1))
    described = _object(
        name=_text(MOST_WORD),
        kind={"enum": list(KINDS)},
        colour={"enum": list(SAID_COLOURS)},
        attributes={"type": "array", "items": _text(MOST_WORD), "maxItems": MOST_ATTRIBUTES},
        box=_object(left=place, top=place, right=place, bottom=place),
    )
    related = _object(
        subject={"enum": numbers}, relation={"enum": list(SAID_RELATIONS)}, object={"enum": [TABLE_NUMBER, *numbers]}
    )
    return _object(
        objects={"type": "array", "items": described, "maxItems": MOST_OBJECTS},
        relations={"type": "array", "items": related, "maxItems": MOST_RELATIONS},
        caption=_text(MOST_TEXT),
    )


def answer_schema() -> Schema:
    """The JSON schema of an answer."""
    return _object(verdict={"enum": list(get_args(AnswerVerdict))}, answer=_text(MOST_TEXT))


def _object(**properties: Any) -> Schema:
    """An object all of whose members are required, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}
