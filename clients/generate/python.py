"""Types in Python: TypedDicts, with integers in place of digits."""

from collections.abc import Mapping
from keyword import iskeyword
from textwrap import indent, wrap
from typing import Final

from clients.generate.document import Schema, Types
from clients.generate.language import Language, description

_LITERAL: Final = ("Literal[{}]", ", ")
_SCALARS: Final = {
    "any": "Any",
    "boolean": "bool",
    "digits": "int",
    "integer": "int",
    "null": "None",
    "number": "float",
    "string": "str",
}

_ANSWERS: Final = '''\
"""Answers as the service gives them, but for counts and offsets: those are integers of any size.

What is null in JSON is None. What a newer service says beyond this is in the dicts all the same.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

#: [row, col], from 0.
Place: TypeAlias = list[int]
'''

_OPTIONS: Final = '''\
"""What may be asked of the service; None is as good as left out.

Fractions and decimals are sent exactly, as strings. Offsets are integers of any size.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''


def answers(types: Types) -> str:
    """The module of the answers."""
    language = Language(
        scalars=_SCALARS,
        array="list[{}]",
        place="Place",
        mapping="dict[str, {}]",
        counts="dict[int, int]",
        literal=_LITERAL,
    )
    return _ANSWERS + _definitions(types.answers, language)


def options(types: Types) -> str:
    """The module of the options: they take any sequence, and exact numbers of any kind."""
    language = Language(
        scalars=_SCALARS | {"number": "float | Fraction | Decimal"},
        array="Sequence[{}]",
        place="Sequence[int]",
        mapping="Mapping[str, {}]",
        counts="Mapping[int, int]",
        literal=_LITERAL,
    )
    return _OPTIONS + _definitions(types.options, language)


def _definitions(schemas: Mapping[str, Schema], language: Language) -> str:
    lines = []
    for name, schema in schemas.items():
        if "properties" in schema:
            lines += _typed_dict(name, schema, language)
        else:
            lines += [*_comment(schema), f"{name}: TypeAlias = {language.type_of(schema)}"]
            language.names[name] = language.alternatives(schema)
    return "\n".join(lines) + "\n"


def _typed_dict(name: str, schema: Schema, language: Language) -> list[str]:
    required = schema.get("required", ())
    lines = [f"class {name}(TypedDict{'' if required else ', total=False'}):"]
    if text := description(schema):
        lines.append(indent(f'"""{text}"""', "    "))
    for key, value in schema["properties"].items():
        if iskeyword(key) or not key.isidentifier():
            # A class cannot have such a name; dicts have it all the same, unchecked.
            continue
        lines += [f"    {line}" for line in _comment(value)]
        kind = language.type_of(value)
        optional = required and key not in required
        lines.append(f"    {key}: {f'NotRequired[{kind}]' if optional else kind}")
    return lines


def _comment(schema: Schema) -> list[str]:
    return [f"#: {line}" for line in wrap(description(schema), 92, break_on_hyphens=False)]
