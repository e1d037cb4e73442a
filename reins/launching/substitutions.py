r"""Substitutions in launch files: `$(var name default)`, `$(env NAME default)`, `$(find-pkg-share package)`.

Grammar as upstream's: `\` takes the meaning from the next character, arguments are separated by spaces, may be quoted
with ' or ", and may hold substitutions themselves.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reins.contracts.errors import ReinsError, UnknownName
from reins.launching.packages import share_directory


class SubstitutionError(ReinsError):
    """A substitution that cannot be read or has no value; the evaluator adds file and line."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What substitutions look at.

    Attributes:
        variables: launch configurations, set by <arg>, <let> and <include>.
        environment: environment variables.
    """

    variables: Mapping[str, str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(name arguments…)`; each argument is a template."""

    name: str
    arguments: tuple["Template", ...]

    def perform(self, scope: Scope) -> str:
        """Its text in this scope. Raises SubstitutionError."""
        return _PERFORM[self.name](scope, [argument.perform(scope) for argument in self.arguments])


@dataclass(frozen=True, slots=True)
class Template:
    """Text with substitutions in it."""

    parts: tuple[str | Substitution, ...]

    def perform(self, scope: Scope) -> str:
        """The text with every substitution performed. Raises SubstitutionError."""
        return "".join(part if isinstance(part, str) else part.perform(scope) for part in self.parts)


def parse_template(text: str) -> Template:
    """Read a text with substitutions.

    Raises:
        SubstitutionError: an unknown substitution, a wrong number of arguments, or a missing bracket or quote.
    """
    return _Reader(text).template(end="")


def _var(scope: Scope, arguments: Sequence[str]) -> str:
    name, *default = arguments
    if name in scope.variables:
        return scope.variables[name]
    if default:
        return default[0]
    raise SubstitutionError(str(UnknownName("launch variable", name, scope.variables)))


def _env(scope: Scope, arguments: Sequence[str]) -> str:
    name, *default = arguments
    if name in scope.environment:
        return scope.environment[name]
    if default:
        return default[0]
    raise SubstitutionError(f"the environment variable '{name}' is not set, and $(env {name}) gives no default")


def _find_pkg_share(_scope: Scope, arguments: Sequence[str]) -> str:
    return str(share_directory(arguments[0]))


_PERFORM: Final[dict[str, Callable[[Scope, Sequence[str]], str]]] = {
    "var": _var,
    "env": _env,
    "find-pkg-share": _find_pkg_share,
}
_ARGUMENTS: Final = {"var": (1, 2), "env": (1, 2), "find-pkg-share": (1, 1)}
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class _Reader:
    """Recursive descent over one text."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def template(self, end: str) -> Template:
        """Parts up to `end` (a quote, consumed) or the end of the text."""
        parts: list[str | Substitution] = []
        while self._more():
            if end and self._text[self._at] == end:
                self._at += 1
                return _joined(parts)
            parts.append(self._part())
        if end:
            raise SubstitutionError(f"in '{self._text}': the quote {end} is not closed")
        return _joined(parts)

    def _more(self) -> bool:
        return self._at < len(self._text)

    def _part(self) -> str | Substitution:
        if self._text.startswith("$(", self._at):
            return self._substitution()
        if self._text[self._at] == "\\" and self._at + 1 < len(self._text):
            self._at += 1
        self._at += 1
        return self._text[self._at - 1]

    def _substitution(self) -> Substitution:
        self._at += 2
        match = _NAME.match(self._text, self._at)
        if match is None:
            raise SubstitutionError(f"in '{self._text}': $( is not followed by the name of a substitution")
        name = match.group()
        if name not in _PERFORM:
            raise SubstitutionError(str(UnknownName("substitution", name, _PERFORM)))
        self._at = match.end()
        arguments: list[Template] = []
        while self._more() and self._text[self._at] == " ":
            self._at += 1
            arguments.append(self._argument())
        if not self._text.startswith(")", self._at):
            raise SubstitutionError(f"in '{self._text}': $({name} is not closed")
        self._at += 1
        fewest, most = _ARGUMENTS[name]
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise SubstitutionError(f"in '{self._text}': $({name} …) takes {wanted} arguments, not {len(arguments)}")
        return Substitution(name, tuple(arguments))

    def _argument(self) -> Template:
        if self._more() and self._text[self._at] in "'\"":
            quote = self._text[self._at]
            self._at += 1
            return self.template(quote)
        parts: list[str | Substitution] = []
        while self._more() and self._text[self._at] not in " )":
            if self._text[self._at] in "('\"":
                raise SubstitutionError(f"in '{self._text}': {self._text[self._at]} needs a \\ before it here")
            parts.append(self._part())
        if not parts:
            raise SubstitutionError(f"in '{self._text}': an argument is empty; write '' for an empty text")
        return _joined(parts)


def _joined(parts: list[str | Substitution]) -> Template:
    joined: list[str | Substitution] = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return Template(tuple(joined))
