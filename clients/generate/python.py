"""Types in Python: TypedDicts, with integers in coordinates of digits."""

from collections.abc import Iterable, Mapping
from keyword import iskeyword
from textwrap import wrap
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
Coordinates: TypeAlias = list[int]
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
        coordinates="Coordinates",
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
        coordinates="Sequence[int]",
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
    """A class; what no class can have, such as a field ``from`` or ``3bv``, is in its base."""
    required = schema.get("required", ())
    total = "" if required else ", total=False"
    own, others = [], []
    for key, value in schema["properties"].items():
        kind = language.type_of(value)
        if required and key not in required:
            kind = f"NotRequired[{kind}]"
        if key.isidentifier() and not iskeyword(key):
            own += [*_comment(value), f"{key}: {kind}"]
        else:
            others += [*_comment(value), f'"{key}": {kind},']
    text = description(schema)
    body = [*([f'"""{text}"""'] if text else []), *own] or ["pass"]
    base, before = "TypedDict", []
    if others:
        base = f"_{name}"
        before = [f'{base} = TypedDict("{base}", {{', *_indented(others), f"}}{total})"]
    return [*before, f"class {name}({base}{total}):", *_indented(body)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _comment(schema: Schema) -> list[str]:
    return [f"#: {line}" for line in wrap(description(schema), 92, break_on_hyphens=False)]
