"""What fits a schema of the kinds that `grammar_of` knows: as a test, and as a source of replies."""

from typing import Any

from hypothesis import strategies as st

from reins.language_models.model import Schema


def fits(value: Any, schema: Schema) -> bool:
    """Whether a value fits."""
    match schema:
        case {"anyOf": choices}:
            return any(fits(value, choice) for choice in choices)
        case {"const": only}:
            return bool(value == only)
        case {"enum": values}:
            return value in values
        case {"type": "string", "maxLength": most}:
            return isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= most
        case {"type": "integer", "minimum": few, "maximum": most}:
            return isinstance(value, int) and bool(few <= value <= most)
        case {"type": "array", "items": items, "maxItems": most}:
            few = schema.get("minItems", 0)
            return isinstance(value, list) and few <= len(value) <= most and all(fits(item, items) for item in value)
        case {"type": "object", "properties": parts, "required": required, "additionalProperties": False}:
            return (
                isinstance(value, dict)
                and set(required) <= set(value) <= set(parts)
                and all(fits(item, parts[name]) for name, item in value.items())
            )
    raise AssertionError(f"not a kind of schema that is known here: {schema}")


def replies(schema: Schema) -> st.SearchStrategy[Any]:
    """Values that fit: what a model could say that knows nothing but the schema."""
    match schema:
        case {"anyOf": choices}:
            return st.one_of([replies(choice) for choice in choices])
        case {"const": only}:
            return st.just(only)
        case {"enum": values}:
            return st.sampled_from(values)
        case {"type": "string", "maxLength": most}:
            return st.text(min_size=schema.get("minLength", 0), max_size=min(most, 10))
        case {"type": "integer", "minimum": few, "maximum": most}:
            return st.integers(few, most)
        case {"type": "array", "items": items, "maxItems": most}:
            return st.lists(replies(items), min_size=schema.get("minItems", 0), max_size=min(most, 4))
        case {"type": "object", "properties": parts, "required": required}:
            may = {name: replies(part) for name, part in parts.items() if name not in required}
            return st.fixed_dictionaries({name: replies(parts[name]) for name in required}, optional=may)
    raise AssertionError(f"not a kind of schema that is known here: {schema}")
