"""The schema of a reply as a GBNF grammar for llama.cpp.

llama.cpp's own converter in Python lets line breaks and other control characters into strings, which is not JSON, and
cannot bound numbers. This one knows just what our schemas use: objects whose properties stand in order, arrays,
strings, whole numbers up to a power of ten, enumerations and alternatives, all of them bounded. White space is at most
one blank after a bracket, a colon or a comma.

Source of the notation: llama.cpp, grammars/README.md.
"""

import json
from typing import Any, Final

from reins.language_models.model import Schema

_JSON: Final = json.JSONEncoder(ensure_ascii=False)
_SPACE: Final = 'space ::= " "?'
_CHAR: Final = r'char ::= [ !#-\[\]-~\u00A0-\uD7FF\uE000-\uFFFD] | "\\" ["\\/bfnrt]'
"""A sign of a string: of the first plane, no control character, no half of a sign, and no escape that could be one."""


def grammar_of(schema: Schema) -> str:
    """The grammar whose texts are the JSON texts that fit the schema, with properties in the order of the schema.

    Raises:
        ValueError: the schema has a part that is not of the kinds above.
    """
    rules = _Rules()
    root = rules.of(schema)
    return "\n".join((f"root ::= {root}", *rules.lines, _SPACE, _CHAR, ""))


class _Rules:
    """Rules made so far, one for every different part of a schema."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def of(self, schema: Schema) -> str:
        """The name of the rule for a part of a schema."""
        key = repr(schema)
        if key not in self._names:
            body = self._body(schema)
            self._names[key] = f"part-{len(self._names)}"
            self.lines.append(f"{self._names[key]} ::= {body}")
        return self._names[key]

    def _body(self, schema: Schema) -> str:
        match schema:
            case {"anyOf": choices}:
                return " | ".join(map(self.of, choices))
            case {"const": value}:
                return _literal(value)
            case {"enum": values}:
                return " | ".join(map(_literal, values))
            case {"type": "string", "maxLength": most}:
                return f'"\\"" char{{{schema.get("minLength", 0)},{most}}} "\\""'
            case {"type": "integer", "minimum": 0, "maximum": most} if most == 10 ** (len(str(most)) - 1) > 1:
                return f'"{most}" | "0" | [1-9] [0-9]{{0,{len(str(most)) - 2}}}'
            case {"type": "array", "items": items, "maxItems": most}:
                item = self.of(items)
                several = f'{item} ("," space {item}){{0,{most - 1}}}'
                return f'"[" space {several if schema.get("minItems") else f"({several})?"} "]"'
            case {"type": "object", "properties": properties, "required": required, "additionalProperties": False}:
                pairs = {name: f'{_literal(name)} ":" space {self.of(part)}' for name, part in properties.items()}
                return f'"{{" space {_members(pairs, required)} "}}"'
        raise ValueError(f"no grammar for this part of a schema: {schema}")


def _members(pairs: dict[str, str], required: list[str]) -> str:
    """The members of an object: those that are required, then any of the others."""
    must = ' "," space '.join(pairs[name] for name in required)
    may = [pair for name, pair in pairs.items() if name not in required]
    if must:
        return " ".join((must, *(f'("," space {pair})?' for pair in may)))
    firsts = (" ".join((pair, *(f'("," space {later})?' for later in may[n:]))) for n, pair in enumerate(may, 1))
    return f"({' | '.join(firsts)})?" if may else ""


def _literal(value: Any) -> str:
    """A JSON value as a literal of the grammar."""
    text = _JSON.encode(value)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
