"""XML with the file and line of every element, for errors that say where."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from reins.contracts.errors import ReinsError


class LaunchError(ReinsError):
    """A launch file that cannot be run: "file:line: what is wrong"."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        self.path, self.line = path, line
        super().__init__(f"{path}:{line}: {problem}")


@dataclass(slots=True)
class Element:
    """One XML element.

    Attributes:
        tag: its name.
        attributes: as written, before any substitution.
        path, line: where it starts.
        children: in order; text between them is ignored, as upstream does.
    """

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list["Element"] = field(default_factory=list)

    def error(self, problem: str) -> LaunchError:
        """An error that names this element's place."""
        return LaunchError(self.path, self.line, problem)

    def check(self, attributes: Collection[str], children: Collection[str] = ()) -> None:
        """Raise LaunchError when there is an attribute or a child element beyond these."""
        for name in self.attributes:
            if name not in attributes:
                known = ", ".join(sorted(attributes)) or "none"
                raise self.error(f"<{self.tag}> has an unknown attribute '{name}' (known: {known})")
        for child in self.children:
            if child.tag not in children:
                known = ", ".join(sorted(children)) or "none"
                raise child.error(f"unknown element <{child.tag}> in <{self.tag}> (known: {known})")

    def require(self, name: str) -> str:
        """The attribute's text. Raises LaunchError when it is not there."""
        if name not in self.attributes:
            raise self.error(f"<{self.tag}> lacks the attribute '{name}'")
        return self.attributes[name]

    def named(self, tag: str) -> Iterator["Element"]:
        """The child elements with this tag."""
        return (child for child in self.children if child.tag == tag)


def read_document(path: Path) -> Element:
    """Parse an XML file.

    Raises:
        ReinsError: there is no such file.
        LaunchError: it is not well-formed XML.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ReinsError(f"cannot read launch file '{path}': {error.strerror}") from error
    parser = expat.ParserCreate()
    root = Element("", {}, path, 0)
    stack = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, path, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: stack.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise LaunchError(path, error.lineno, f"not well-formed XML: {expat.ErrorString(error.code)}") from error
    return root.children[0]
