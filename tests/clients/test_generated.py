"""Generated files are not stale, and hand-written clients agree with the OpenAPI document."""

import json
import re
from typing import Any, get_args, get_type_hints

import pytest
from minecheck_client import AsyncClient, response

from clients.generate import CLIENTS, generated, python
from clients.generate.document import Types
from tests.clients.playing import run_in_node
from tests.openapi_document import DOCUMENT
from tests.tasks import Task

METHODS = [*map(str, Task), "boards", "grade", "circuits", "languages", "solution"]
METHODS += ["run", "paths", "step", "replays"]


def test_generated_files_are_not_stale() -> None:
    stale = [path.name for path, text in generated().items() if path.read_text() != text]
    assert not stale, "run `python -m clients.generate`"


@pytest.mark.parametrize("task", METHODS)
def test_client_method_has_types_of_its_route(task: str) -> None:
    route = DOCUMENT["paths"][route_of(task)]["post"]
    hints = get_type_hints(getattr(AsyncClient, task))
    (options,) = get_args(hints["options"])
    assert (
        options.__name__ == route["requestBody"]["content"]["application/json"]["schema"]["title"]
    )
    assert hints["return"].__name__ == answer_to(task)


@pytest.mark.parametrize("task", METHODS)
def test_client_reads_all_counts_of_answer_as_integers(task: str) -> None:
    example = sample(DOCUMENT["components"]["schemas"][answer_to(task)])
    answer = response.answer(json.dumps(example).encode())
    assert '"7"' not in json.dumps(answer)


@pytest.mark.parametrize("task", METHODS)
def test_client_answer_type_has_all_fields_of_its_schema(task: str) -> None:
    schema = DOCUMENT["components"]["schemas"][answer_to(task)]
    kind = get_type_hints(AsyncClient.__dict__[task])["return"]
    assert get_type_hints(kind).keys() == schema["properties"].keys()
    assert kind.__required_keys__ == set(schema.get("required", ()))


@pytest.mark.parametrize("required", [[], ["from"], ["from", "to"], ["to"]])
def test_generated_type_keeps_field_named_by_python_keyword(required: list[str]) -> None:
    fields = {"from": {"type": "integer", "description": "Where"}, "to": {"type": "string"}}
    source = python.answers(Types({"Way": {"properties": fields, "required": required}}, {}, {}))
    module: dict[str, Any] = {}
    exec(source, module)
    assert get_type_hints(module["Way"]) == {"from": int, "to": str}
    assert module["Way"].__required_keys__ == set(required)


def test_browser_module_imports_only_declared_types() -> None:
    module = (CLIENTS / "browser" / "minecheck.js").read_text()
    (names,) = re.findall(r"@import \{([^}]+)\} from \"./types.d.ts\"", module)
    declared = (CLIENTS / "browser" / "types.d.ts").read_text()
    exported = set(re.findall(r"^export \w+ (\w+)", declared, re.MULTILINE))
    assert set(re.findall(r"\w+", names)) <= exported


def test_all_public_members_of_browser_module_are_declared() -> None:
    script = """
        const described = ([name, { prototype }]) => [name, Object.getOwnPropertyNames(prototype)];
        return Object.entries(minecheck).map(described);
    """
    declared = "".join(path.read_text() for path in (CLIENTS / "browser").glob("*.d.ts"))
    for name, members in run_in_node(script):
        (body,) = re.findall(
            rf"^export class {name}\b(.+?)^\}}", declared, re.DOTALL | re.MULTILINE
        )
        names = re.findall(r"^  (?:readonly )?(\w+)", body, re.MULTILINE)
        assert set(members) <= set(names), name


def route_of(task: str) -> str:
    """Return the path that a method asks."""
    return next(
        path
        for path in map(str, DOCUMENT["paths"])
        if path.startswith("/v1/") and path.endswith(f"/{task}")
    )


def answer_to(task: str) -> str:
    """Return the name of the schema of an answer."""
    content = DOCUMENT["paths"][route_of(task)]["post"]["responses"]["200"]["content"]
    return str(content["application/json"]["schema"]["$ref"].rpartition("/")[2])


def sample(schema: dict[str, Any]) -> Any:
    """Return a value with the digits "7" wherever the schema has the digits of a number."""
    if "$ref" in schema:
        return sample(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return sample(schema["anyOf"][0])
    if "properties" in schema:
        return {name: sample(field) for name, field in schema["properties"].items()}
    match schema:
        case {"type": "array", "items": items}:
            return [sample(items)]
        case {"type": "object", "additionalProperties": dict(values)}:
            return {"1": sample(values)}
        case {"type": "string", "pattern": "^[0-9]+$"}:
            return "7"
    return None
