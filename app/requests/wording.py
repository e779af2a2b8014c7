"""What is wrong with a value, in plain words: pydantic's own are about types of Python."""

import json
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from minecheck.app.quoting import quote_text

#: The texts of errors, by type; fields of the context, and the input, may be in braces.
_WRONG: Final[Mapping[str, str]] = MappingProxyType(
    {
        "int_parsing": "{input} is not a whole number",
        "int_parsing_size": "{input} is too large",
        "int_type": "{input} is not a whole number",
        "int_from_float": "{input} is not a whole number",
        "float_parsing": "{input} is not a number",
        "float_type": "{input} is not a number",
        "bool_type": "{input} is neither true nor false",
        "string_type": "{input} is not a string",
        "list_type": "{input} is not a list",
        "dict_type": "{input} is not an object",
        "model_type": "{input} is not an object",
        "model_attributes_type": "{input} is not an object",
        "greater_than_equal": "{input} is less than {ge}, the minimum",
        "greater_than": "{input} is not greater than {gt}",
        "less_than_equal": "{input} is more than {le}, the maximum",
        "less_than": "{input} is not less than {lt}",
        "enum": "{input} is not a valid value",
        "literal_error": "{input} is not a valid value",
        "string_too_short": "the string is empty",
        "too_short": "the list has {actual_length} entries, and needs {min_length} or more",
        "too_long": "the list has more than {max_length} entries, the maximum",
        "finite_number": "{input} is not a number",
        "wrong_form": "{input} is not {noun}",
        "wrong_value": "{detail}",
    }
)
#: Characters of an input that are repeated.
_SHOWN: Final = 60


def describe_error(error: Mapping[str, Any]) -> str:
    """Return the text of a pydantic error, without a full stop."""
    template = _WRONG.get(error["type"])
    if template is None:
        message: str = error["msg"]
        return message.removeprefix("Value error, ").rstrip(".")
    return template.format(**error.get("ctx", {}) | {"input": _show_value(error["input"])})


def _show_value(value: object) -> str:
    """Show a value as JSON has it, as far as it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return quote_text(value, _SHOWN)
        case list() | tuple():
            return _show_json(value, "the list")
        case dict():
            return _show_json(value, "the object")
    return str(value)[:_SHOWN]


def _show_json(value: object, noun: str) -> str:
    """Show a list or an object if it is short, and else its noun."""
    with suppress(TypeError, ValueError, RecursionError):
        shown = json.dumps(value, ensure_ascii=True)
        if len(shown) <= _SHOWN:
            return shown
    return noun
