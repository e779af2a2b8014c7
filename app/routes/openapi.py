"""The OpenAPI document: bodies, queries and paths of operations."""

import json
from collections.abc import Collection, Container, Mapping
from typing import Any, Final

from minecheck.app.operation import Operation
from minecheck.app.requests.jobs import find_bare_field

_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_BINARY: Final = "application/octet-stream"
#: The schema keywords of fields in bodies only.
_NOT_PLAIN: Final = ("description", "default", "examples", "anyOf")
#: The descriptions of fields in bodies only.
_BODY_ONLY: Final = frozenset(
    {"board", "rules", "total_cells", "layout", "file", "output", "formula"}
    | {"after", "column", "states"}
)
#: Where the other fields are if a field is a body by itself.
_BESIDE_BARE: Final = {
    "board": f"Only with a {_TEXT} board",
    "file": "Only where the body is the file",
}


def describe_operation(operation: Operation) -> dict[str, Any]:
    """Return the body, the query and the path of the route of an operation."""
    in_path = operation.path_fields
    examples = {name: example.request for name, example in operation.examples.items()}
    schema = operation.request.model_json_schema()
    fields = schema["properties"]
    parameters = [_describe_path_field(name, fields.pop(name), examples) for name in in_path]
    if operation.method == "GET":
        return {"parameters": parameters}
    required = [name for name in schema.pop("required", ()) if name not in in_path]
    schema |= {"required": required} if required else {}
    content: dict[str, Any] = {}
    if not operation.takes_file:
        shown = {
            name: {key: value for key, value in example.items() if key not in in_path}
            for name, example in examples.items()
        }
        content[_JSON] = {"schema": schema, "examples": name_examples(shown)}
    bare = find_bare_field(operation.request)
    if bare is not None:
        # A file in Base64 within JSON is binary as a body.
        if "contentEncoding" not in fields[bare]:
            content[_TEXT] = {"schema": describe_text(_TEXT)}
            if bare in examples and set(required) <= {bare}:
                whole = examples[bare][bare]
                content[_TEXT]["example"] = whole if isinstance(whole, str) else "\n".join(whole)
        if bare == "file":
            content[_BINARY] = {"schema": describe_text(_BINARY)}
        where = "" if operation.takes_file else _BESIDE_BARE[bare]
        parameters += [
            _describe_parameter(name, field, where)
            for name, field in _list_query_schemas(fields).items()
        ]
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}


def describe_text(media_type: str) -> dict[str, str]:
    """Return the schema of a body of a media type other than JSON."""
    return {"type": "string", **({"format": "binary"} if media_type == _BINARY else {})}


def describe_answers(operation: Operation) -> dict[str, Any]:
    """Return examples of answers, as OpenAPI has them."""
    shown = {name: example.answer for name, example in operation.examples.items()}
    return name_examples({name: answer for name, answer in shown.items() if answer is not None})


def describe_defaults(
    operations: Collection[Operation], own: Container[str]
) -> list[dict[str, Any]]:
    """Describe the query parameters that set defaults for all lines.

    Args:
        operations: the operations that lines may ask for.
        own: names that are left out.
    """
    taken: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for operation in operations:
        fields = operation.request.model_json_schema()["properties"]
        for name, field in _list_query_schemas(fields).items():
            if name not in own:
                taken.setdefault(name, (field, []))[1].append(operation.name)
    every = "For all lines that do not say otherwise"
    return [
        _describe_parameter(
            name,
            field,
            every if len(sources) == len(operations) else f"{every} ({', '.join(sources)})",
        )
        for name, (field, sources) in taken.items()
    ]


def _describe_path_field(
    name: str, field: Mapping[str, Any], examples: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Describe a field in the path; the examples of the bodies come first, which fit them."""
    further = field.get("examples", ())
    shown = dict.fromkeys([*(example[name] for example in examples.values()), *further])
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": f"{field['description']}.",
        "schema": _schema_as_text(field),
        "examples": name_examples({example: example for example in shown}),
    }


def _list_query_schemas(fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the schemas of what may stand in the query, by name."""
    return {name: field for name, field in fields.items() if name not in _BODY_ONLY}


def _describe_parameter(name: str, field: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Describe a field in the query, with its default and where it applies."""
    description = f"{where and where + '. '}{field.get('description', '').rstrip('.')}"
    default = field.get("default")
    default_text = default if isinstance(default, str) else json.dumps(default)
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description
        if default is None
        else f"{description}; by default {default_text}",
        "schema": _schema_as_text(field),
    }


def _schema_as_text(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field as a text in the query.

    Without default and examples: Swagger UI would send them, beside any body.
    """
    plain = {name: schema[name] for name in schema if name not in _NOT_PLAIN}
    ways = [_schema_as_text(way) for way in schema.get("anyOf", ())]
    ways = [way for way in ways if way["type"] not in ("object", "array", "null")]
    return plain | (ways[0] if len(ways) == 1 else {"anyOf": ways} if ways else {})


def name_examples(examples: Mapping[str, Any]) -> dict[str, Any]:
    """Return examples as OpenAPI has them."""
    return {name: {"value": value} for name, value in examples.items()}
