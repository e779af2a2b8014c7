"""What OpenAPI says of routes that read a board: their bodies and their queries."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel

from app.questions import Record
from app.questions.fields import AskBoard

_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_BINARY: Final = "application/octet-stream"
#: What the schema of a field has in the body only.
_NOT_PLAIN: Final = ("description", "default", "examples", "anyOf")
#: What is told in the body only.
_BODY_ONLY: Final = ("board", "rules", "total_cells", "layout", "file")


def described(
    model: type[AskBoard], examples: Mapping[str, dict[str, Any]], *, alone: bool = True
) -> dict[str, Any]:
    """The body and the query of a route that reads a board, for OpenAPI.

    ``examples`` are bodies by name; ``board`` is one with a board, which may stand ``alone``.
    """
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    alone = alone and required <= {"board"}
    shown = {"example": "\n".join(examples["board"]["board"])} if alone else {}
    parameters = [
        _parameter(name, field, f"Only with a {_TEXT} board")
        for name, field in _in_query(model).items()
    ]
    content = {
        _JSON: {"schema": model.model_json_schema(), "examples": by_name(examples)},
        _TEXT: {"schema": {"type": "string"}} | shown,
    }
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}


def of_file(model: type[BaseModel], examples: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The body and the query of a route that reads a file, for OpenAPI; ``file`` is an example."""
    content = {
        _JSON: {"schema": model.model_json_schema(), "examples": by_name(examples)},
        _TEXT: {"schema": {"type": "string"}, "example": examples["file"]["file"]},
        _BINARY: {"schema": {"type": "string", "format": "binary"}},
    }
    parameters = [
        _parameter(name, field, "Only where the body is the file")
        for name, field in _in_query(model).items()
    ]
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}


def defaults(records: Collection[Record]) -> list[dict[str, Any]]:
    """What the query of a batch may say for all its lines, for OpenAPI."""
    taken: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for record in records:
        for name, field in _in_query(record.asked).items():
            taken.setdefault(name, (field, []))[1].append(record.name)
    every = "For all lines that do not say otherwise"
    return [
        _parameter(name, field, every if len(of) == len(records) else f"{every} ({', '.join(of)})")
        for name, (field, of) in taken.items()
    ]


def _in_query(model: type[BaseModel]) -> dict[str, Mapping[str, Any]]:
    """The schemas of what may stand in the query, by name."""
    fields = model.model_json_schema()["properties"]
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
