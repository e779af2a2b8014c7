"""Types in TypeScript, with BigInt in place of digits."""

from collections.abc import Mapping
from textwrap import wrap
from typing import Final

from clients.generate.document import Schema, Types
from clients.generate.language import Language, description

_SCALARS: Final = {
    "any": "any",
    "boolean": "boolean",
    "digits": "bigint",
    "integer": "number",
    "null": "null",
    "number": "number",
    "string": "string",
}

_HEAD: Final = """
/** [row, col], from 0. */
export type Place = [number, number];
"""

_BATCH: Final = """
/** What a batch answers to its tasks. */
export interface BatchAnswers {{
{}}}
"""


def declarations(types: Types) -> str:
    """The declarations of all options and answers."""
    answers, options = (
        Language(
            scalars=_SCALARS | {"digits": digits},
            array="Array<{}>",
            place="Place",
            mapping="Record<string, {}>",
            counts="Record<string, bigint>",
            literal=("{}", " | "),
        )
        for digits in ("bigint", "bigint | string")
    )
    batch = "".join(f"  {task}: {answer};\n" for task, answer in types.batch.items())
    return (
        _HEAD
        + _definitions(types.answers, answers)
        + _definitions(types.options, options)
        + _BATCH.format(batch)
    )


def _definitions(schemas: Mapping[str, Schema], language: Language) -> str:
    lines = []
    for name, schema in schemas.items():
        lines += ["", *_comment(schema)]
        if "properties" in schema:
            lines += [f"export interface {name} {{", *_fields(schema, language), "}"]
        else:
            lines.append(f"export type {name} = {language.type_of(schema)};")
            language.names[name] = language.alternatives(schema)
    return "\n".join(lines) + "\n"


def _fields(schema: Schema, language: Language) -> list[str]:
    lines = []
    for name, field in schema["properties"].items():
        lines += [f"  {line}" for line in _comment(field)]
        optional = "" if name in schema.get("required", ()) else "?"
        lines.append(f"  {name}{optional}: {language.type_of(field)};")
    return lines


def _comment(schema: Schema) -> list[str]:
    lines = wrap(description(schema), 92, break_on_hyphens=False)
    if len(lines) < 2:
        return [f"/** {line} */" for line in lines]
    return ["/**", *(f" * {line}" for line in lines), " */"]
