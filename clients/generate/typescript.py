"""Types in TypeScript; answers are generic in what their digits are read as."""

import json
import re
from collections.abc import Mapping
from textwrap import wrap
from typing import Final

from clients.generate.document import Schema, Types
from clients.generate.language import Language, description

_SCALARS: Final = {
    "any": "any",
    "boolean": "boolean",
    "integer": "number",
    "null": "null",
    "number": "number",
    "string": "string",
}

_HEAD: Final = """
/** [row, col], from 0. */
export type Coordinates = [number, number];

/** What counts, offsets and seeds are read as, by the option `counts` of a client. */
export interface Counts {
  /** Exact at any size */
  bigint: bigint;
  /** Exact up to 2^53 - 1; above that the digits as they come, since a number would be rounded */
  number: number | string;
  /** The digits as they come */
  string: string;
}
"""
#: The parameter of types that have digits in them.
_COUNT: Final = re.compile(r"\bCount\b")
#: Names that stand without quotes; the few others that might are quoted, which is as good.
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")

_BATCH: Final = """
/** What a batch answers to its tasks. */
export interface BatchAnswers<Count = bigint> {{
{}}}
"""


def declarations(types: Types) -> str:
    """The declarations of all options and answers."""
    answers, options = (
        Language(
            scalars=_SCALARS | {"digits": digits},
            array="Array<{}>",
            coordinates="Coordinates",
            mapping="Record<string, {}>",
            counts="Record<string, Count>",
            literal=("{}", " | "),
        )
        for digits in ("Count", "bigint | string")
    )
    defined = _definitions(types.answers, answers) + _definitions(types.options, options)
    batch = "".join(
        f"  {_property(task)}: {answers.type_of({'$ref': answer})};\n"
        for task, answer in types.batch.items()
    )
    return _HEAD + defined + _BATCH.format(batch)


def _definitions(schemas: Mapping[str, Schema], language: Language) -> str:
    lines = []
    for name, schema in schemas.items():
        lines += ["", *_comment(schema)]
        if "properties" in schema:
            fields = _fields(schema, language)
            generic = any(map(_COUNT.search, fields))
            parameter = "<Count = bigint>" if generic else ""
            lines += [f"export interface {name}{parameter} {{", *fields, "}"]
            language.arguments[name] = "<Count>" if generic else ""
        else:
            lines.append(f"export type {name} = {language.type_of(schema)};")
            language.names[name] = language.alternatives(schema)
    return "\n".join(lines) + "\n"


def _fields(schema: Schema, language: Language) -> list[str]:
    lines = []
    for name, field in schema["properties"].items():
        lines += [f"  {line}" for line in _comment(field)]
        optional = "" if name in schema.get("required", ()) else "?"
        lines.append(f"  {_property(name)}{optional}: {language.type_of(field)};")
    return lines


def _property(name: str) -> str:
    """Return the name of a property, in quotes unless it is an identifier."""
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name)


def _comment(schema: Schema) -> list[str]:
    text = description(schema).replace("*/", "*\\/")
    lines = wrap(text, 92, break_on_hyphens=False)
    if len(lines) < 2:
        return [f"/** {line} */" for line in lines]
    return ["/**", *(f" * {line}" for line in lines), " */"]
