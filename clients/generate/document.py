"""What the OpenAPI document says of questions: the types of their options and answers."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

#: Shapes that answers share and the document does not name, each by a field that has it.
_SHAPES: Final = {
    "Cell": ("SafeCell", "cell", "Coordinates, or for rules a name."),
    "Chance": ("SafeCell", "probability", "A number, or with fractions a string such as 3/7."),
    "Layout": (
        "Either",
        "mine",
        "Numbers on safe cells, B on mines; of rules the names of `mines`, and as `others` the "
        "numbers of mines among the cells without a name; where cells hold several mines, or clues "
        "lie, `rows`, the `mines` of each cell, and the wrong clues as `lies`.",
    ),
}
_NULL: Final = {"type": "null"}
_REQUEST_ID: Final = {
    "type": "string",
    "description": "Sent as X-Request-ID, by which the logs of the service know the request",
}
#: The route whose body is many questions.
_BATCH: Final = "/v1/batch"
#: Beginnings of routes that clients call in other ways: batches, kept games, files.
_APART: Final = (_BATCH, "/v1/games", "/v1/formats")
#: What the query of a batch may say beside options of all its lines.
_NO_OPTIONS: Final = ("task", "summary", "first", "split")
_ALL_LINES: Final = "For all lines that do not say otherwise"


@dataclass(frozen=True, slots=True)
class Types:
    """Schemas by name, each after those that it refers to.

    What is no object is a name for a union. ``batch`` names the answers to the tasks of a batch.
    """

    answers: dict[str, Schema]
    options: dict[str, Schema]
    batch: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Question:
    task: str
    body: Schema
    answer: str | None


def types(document: Schema) -> Types:
    """The types in a document.

    Raises:
        KeyError: a route or a field that is relied on here is not in it.
    """
    components = document["components"]["schemas"]
    parameters = {
        parameter["name"]: parameter
        for parameter in document["paths"][_BATCH]["post"]["parameters"]
    }
    tasks = parameters["task"]["schema"]
    questions = list(_questions(document))
    answers: dict[str, Schema] = {
        name: components[whole]["properties"][field] | {"description": description}
        for name, (whole, field, description) in _SHAPES.items()
    }
    options: dict[str, Schema] = {"Board": questions[0].body["properties"]["board"]}
    for question in questions:
        if question.answer is not None:
            _add_answer(question.answer, components, answers)
        _add_options(question.body, options)
    options["BatchTask"] = tasks
    batch = [question for question in questions if question.task in tasks["enum"]]
    _add_options(_batch_options(parameters, batch), options)
    known = {question.task: question.answer for question in batch if question.answer is not None}
    return Types(answers, options, known)


def _questions(document: Schema) -> Iterator[_Question]:
    """The routes of questions and functions that take JSON; some answer with a text."""
    for path, methods in document["paths"].items():
        route = methods.get("post", {})
        content = route.get("requestBody", {}).get("content", {})
        if "application/json" in content and not path.startswith(_APART):
            found = route["responses"]["200"]["content"].get("application/json")
            answer = None if found is None else name_of(found["schema"]["$ref"])
            body = content["application/json"]["schema"]
            yield _Question(path.rpartition("/")[2], body, answer)


def name_of(reference: str) -> str:
    """The name of the schema that a reference leads to."""
    return reference.rpartition("/")[2]


def _add_answer(name: str, components: Schema, answers: dict[str, Schema]) -> None:
    """Add a component after those that it refers to."""
    schema = components[name]
    for part in re.findall(r'"\$ref": "(.+?)"', json.dumps(schema)):
        _add_answer(name_of(part), components, answers)
    answers.setdefault(name, schema)


def _add_options(body: Schema, options: dict[str, Schema]) -> None:
    """Add a body without its board; what need not be given may be null as well."""
    required = [name for name in body.get("required", ()) if name != "board"]
    fields = {}
    for name, field in {**body["properties"], "request_id": _REQUEST_ID}.items():
        if name != "board":
            schema = _without_objects(field, field.get("title", name), options)
            nullable = schema if name in required else {"anyOf": [schema, _NULL]}
            fields[name] = {**field, **nullable}
    options[body["title"]] = {**body, "properties": fields, "required": required}


def _without_objects(schema: Schema, name: str, options: dict[str, Schema]) -> Schema:
    """The schema with references to the objects in it; those without a title get the name."""
    if "anyOf" in schema:
        return {"anyOf": [_without_objects(one, name, options) for one in schema["anyOf"]]}
    if "items" in schema:
        # One of the rules is a Rule.
        return {**schema, "items": _without_objects(schema["items"], name.rstrip("s"), options)}
    if "properties" in schema:
        name = schema.get("title", name)
        options[name] = schema
        return {"$ref": name}
    return schema


def _batch_options(parameters: Mapping[str, Schema], questions: list[_Question]) -> Schema:
    """The options in the query of a batch, as a body; queries have all forms but objects."""
    forms: dict[str, list[Schema]] = {}
    for question in questions:
        for name, field in question.body["properties"].items():
            forms.setdefault(name, [one for one in alternatives(field) if "properties" not in one])
    fields = {}
    for name, parameter in parameters.items():
        if name not in _NO_OPTIONS:
            description = parameter["description"].removeprefix(_ALL_LINES).lstrip(". ")
            # What stands in the path of its route is in no body.
            form = forms.get(name, [parameter["schema"]])
            fields[name] = {"anyOf": form, "description": description}
    return {"title": "AskBatch", "description": f"{_ALL_LINES}.", "properties": fields}


def alternatives(schema: Schema) -> Iterator[Schema]:
    """What a union consists of, however nested; of any other schema, itself."""
    if None in schema.get("enum", ()):
        yield {**schema, "enum": [value for value in schema["enum"] if value is not None]}
        yield _NULL
    elif "anyOf" not in schema:
        yield schema
    for one in schema.get("anyOf", ()):
        yield from alternatives(one)
