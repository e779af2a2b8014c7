"""How a language writes the types of JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from clients.generate.document import Schema, alternatives, name_of

#: Of strings that are the digits of an integer of any size.
_DIGITS: Final = re.compile(r"\^\[0-9\](\+|\{1,[0-9]+\})\$")


@dataclass(frozen=True, slots=True)
class Language:
    """Templates for types.

    ``scalars`` are by their names in JSON, but for "digits", which clients make integers, and
    "any"; ``coordinates`` is two integers; ``counts`` are digits by number. ``names`` has the
    alternatives of unions that were given a name: it stands in coordinates of them; ``arguments``
    what is written behind the name of a generic type.
    """

    scalars: Mapping[str, str]
    array: str
    coordinates: str
    mapping: str
    counts: str
    literal: tuple[str, str]
    names: dict[str, list[str]] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)

    def type_of(self, schema: Schema) -> str:
        """The type, with the names of unions."""
        found = self.alternatives(schema)
        for name, union in self.names.items():
            if set(union) <= set(found):
                found = [name, *(one for one in found if one not in union)]
        return " | ".join(found)

    def alternatives(self, schema: Schema) -> list[str]:
        """The types in a union, each once; of any other schema, one."""
        return list(dict.fromkeys(map(self._alternative, alternatives(schema))))

    def _alternative(self, schema: Schema) -> str:
        if "$ref" in schema:
            name = name_of(schema["$ref"])
            return name + self.arguments.get(name, "")
        if "enum" in schema:
            template, separator = self.literal
            return template.format(separator.join(map(json.dumps, schema["enum"])))
        match schema.get("type", "any"):
            case "array" if schema.get("minItems") == schema.get("maxItems") == 2:
                return self.coordinates
            case "array":
                return self.array.format(self.type_of(schema["items"]))
            case "object":
                values = schema.get("additionalProperties")
                if not isinstance(values, Mapping):
                    return self.mapping.format(self.scalars["any"])
                return (
                    self.counts if _is_digits(values) else self.mapping.format(self.type_of(values))
                )
            case "string" if _is_digits(schema):
                return self.scalars["digits"]
            case scalar:
                return self.scalars[scalar]


def _is_digits(schema: Schema) -> bool:
    return _DIGITS.fullmatch(schema.get("pattern", "")) is not None


def description(schema: Schema) -> str:
    """What the schema says of itself, and its default, unless that is false or null."""
    text: str = schema.get("description", "")
    default = schema.get("default")
    return text if default is None or default is False else f"{text}; by default {default}"
