"""What a launch file says, evaluated: which processes to start, with which command lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reins.contracts.errors import ReinsError, UnknownName
from reins.launching.document import Element, read_document


@dataclass(frozen=True, slots=True)
class Argument:
    """An <arg>: what may be given as name:=value.

    Attributes:
        name, description: as written.
        default: its default as written, None if it must be given.
        choices: the values it may have; empty if any.
    """

    name: str
    description: str
    default: str | None
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeProcess:
    """A <node> to start.

    Attributes:
        name: the node's name without namespace, or its executable's where the file gives none.
        namespace: absolute namespace, "/" for the root.
        command: executable and arguments.
        environment: the whole environment.
        required: on_exit="shutdown": its end ends everything.
        place: file and line, for messages.
    """

    name: str
    namespace: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    required: bool
    place: str


@dataclass(slots=True)
class Description:
    """The processes of a launch file, in its order."""

    nodes: list[NodeProcess] = field(default_factory=list)


def declared_arguments(path: Path) -> list[Argument]:
    """The arguments that a launch file takes: its own <arg> elements, also those in groups.

    Raises:
        ReinsError: the file cannot be read.
        LaunchError: it is not well-formed, or an <arg> is not.
    """
    found: list[Argument] = []
    _collect(read_document(path), found)
    return found


def _collect(element: Element, found: list[Argument]) -> None:
    for child in element.children:
        if child.tag == "arg":
            found.append(read_argument(child))
        elif child.tag == "group":
            _collect(child, found)


def read_argument(element: Element) -> Argument:
    """An <arg> element. Raises LaunchError."""
    element.check({"name", "default", "description", "if", "unless"}, {"choice"})
    for choice in element.children:
        choice.check({"value"})
    return Argument(
        name=element.require("name"),
        description=element.attributes.get("description", ""),
        default=element.attributes.get("default"),
        choices=tuple(choice.require("value") for choice in element.children),
    )


def parse_assignments(words: list[str]) -> dict[str, str]:
    """`name:=value` words as a mapping; the last one of a name counts, as upstream.

    Raises:
        ReinsError: a word has another form.
    """
    given: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition(":=")
        if not separator or not name:
            raise ReinsError(f"'{word}' is not an argument of the form name:=value")
        given[name] = value
    return given


def check_given(path: Path, given: Mapping[str, str]) -> None:
    """Raise UnknownName for a given argument that the file does not declare (upstream would ignore it in silence)."""
    known = [argument.name for argument in declared_arguments(path)]
    for name in given:
        if name not in known:
            raise UnknownName(f"argument of {path.name}", name, known)
