"""What OpenAPI says of what is asked: bodies, queries and paths."""

import json
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel

from app.questions.record import Described

_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_BINARY: Final = "application/octet-stream"
#: What the schema of a field has in the body only.
_NOT_PLAIN: Final = ("description", "default", "examples", "anyOf")
#: What is told in the body only.
_BODY_ONLY: Final = frozenset(
    {"board", "rules", "total_cells", "layout", "file", "output", "formula"}
    | {"after", "column", "states"}
)
#: The fields that may be a body by themselves, and where the others are then.
_BARE: Final = {
    "board": f"Only with a {_TEXT} board",
    "file": "Only where the body is the file",
}


def described(
    model: type[BaseModel],
    examples: Mapping[str, Mapping[str, Any]],
    *,
    placed: Sequence[str] = (),
    alone: bool = True,
) -> dict[str, Any]:
    """The body, the query and the path of a route, for OpenAPI.

    ``examples`` are bodies by name. A ``board`` or a ``file`` may be a body by itself; its example,
    if it may stand ``alone``, is that of this name. The fields that are ``placed`` are in the path.
    """
    schema = model.model_json_schema()
    fields = schema["properties"]
    path = [_placed(name, fields.pop(name), examples) for name in placed]
    required = [name for name in schema.pop("required", ()) if name not in placed]
    schema |= {"required": required} if required else {}
    shown = {
        name: {key: one for key, one in example.items() if key not in placed}
        for name, example in examples.items()
    }
    content: dict[str, Any] = {_JSON: {"schema": schema, "examples": by_name(shown)}}
    bare = next((name for name in _BARE if name in fields), None)
    if bare is None:
        parameters = []
    else:
        content[_TEXT] = {"schema": {"type": "string"}}
        if alone and set(required) <= {bare}:
            whole = examples[bare][bare]
            content[_TEXT]["example"] = whole if isinstance(whole, str) else "\n".join(whole)
        if bare == "file":
            content[_BINARY] = {"schema": {"type": "string", "format": "binary"}}
        parameters = [
            _parameter(name, field, _BARE[bare]) for name, field in _in_query(fields).items()
        ]
    return {
        "requestBody": {"required": True, "content": content},
        "parameters": path + parameters,
    }


def of(asked: Described, placed: Sequence[str] = ()) -> dict[str, Any]:
    """The same of what can be asked."""
    examples = {name: example.asked for name, example in asked.examples.items()}
    return described(asked.asked, examples, placed=placed)


def answered(asked: Described) -> dict[str, Any]:
    """Examples of answers, as OpenAPI has them."""
    shown = {name: example.answered for name, example in asked.examples.items()}
    return by_name({name: one for name, one in shown.items() if one is not None})


def defaults(records: Collection[Described], own: Container[str]) -> list[dict[str, Any]]:
    """What the query of a batch may say for all its lines, but for its ``own`` names."""
    taken: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for record in records:
        fields = record.asked.model_json_schema()["properties"]
        for name, field in _in_query(fields).items():
            if name not in own:
                taken.setdefault(name, (field, []))[1].append(record.name)
    every = "For all lines that do not say otherwise"
    return [
        _parameter(name, field, every if len(of) == len(records) else f"{every} ({', '.join(of)})")
        for name, (field, of) in taken.items()
    ]


def _placed(
    name: str, field: Mapping[str, Any], examples: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """A field in the path, as OpenAPI has it; those of the bodies come first, which fit them."""
    shown = dict.fromkeys([*(one[name] for one in examples.values()), *field["examples"]])
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": f"{field['description']}.",
        "schema": _plain(field),
        "examples": by_name({one: one for one in shown}),
    }


def _in_query(fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The schemas of what may stand in the query, by name."""
    return {name: field for name, field in fields.items() if name not in _BODY_ONLY}


def _parameter(name: str, field: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A field in the query, as OpenAPI has it, with its default and where it applies."""
    said = f"{where}. {field.get('description', '').rstrip('.')}"
    default = field.get("default")
    known = default if isinstance(default, str) else json.dumps(default)
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": said if default is None else f"{said}; by default {known}",
        "schema": _plain(field),
    }


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a field as a text in the query.

    Without default and examples: Swagger UI would send them, beside any body.
    """
    plain = {name: schema[name] for name in schema if name not in _NOT_PLAIN}
    ways = [_plain(one) for one in schema.get("anyOf", ())]
    ways = [one for one in ways if one["type"] not in ("object", "array", "null")]
    return plain | (ways[0] if len(ways) == 1 else {"anyOf": ways} if ways else {})


def by_name(examples: Mapping[str, Any]) -> dict[str, Any]:
    """Examples as OpenAPI has them."""
    return {name: {"value": value} for name, value in examples.items()}


def amend(app: FastAPI, change: Callable[[dict[str, Any]], None]) -> None:
    """Have the OpenAPI document of an app changed, in place, as soon as it is made."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            change(plain())
        return plain()

    # This is how FastAPI wants to be told.
    app.openapi = openapi  # type: ignore[method-assign]
