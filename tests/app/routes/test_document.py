"""What all operations of the OpenAPI document have, and what they share."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from minecheck.app.main import create_app
from minecheck.app.requests.scope import PROBES
from minecheck.app.routes.document import TAGS
from minecheck.app.settings import Settings

DOCUMENT = create_app(Settings(workers=1)).openapi()
KEYS = {"alice": f"sha256:{'0' * 64}"}


def operations(document: dict[str, Any] = DOCUMENT) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each operation with its path."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_every_operation_is_described(path: str, operation: dict[str, Any]) -> None:
    assert re.fullmatch("[a-z]+(_[a-z]+)*", operation["operationId"])
    assert len(operation["summary"]) > 10
    assert operation["description"].endswith(".")
    assert operation["tags"][0] in [tag["name"] for tag in TAGS]


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_the_document_describes_itself_and_begins_with_check() -> None:
    assert "consistent" in DOCUMENT["info"]["description"]
    assert DOCUMENT["tags"][0]["name"] == "questions"
    assert next(iter(DOCUMENT["paths"])) == "/v1/check"


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_every_operation_names_the_problems_of_all(path: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    for status in ("401", "429", "503"):
        assert (status in responses) == (path not in PROBES or (path, status) == ("/readyz", "503"))
    assert list(responses) == sorted(responses)


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_problems_are_references(path: str, operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        assert status == "200" or response.keys() == {"$ref"}


def test_every_reference_leads_somewhere_and_nothing_is_unused() -> None:
    written = json.dumps(DOCUMENT)
    used = set(re.findall(r'"#/components/(\w+)/(\w+)"', written))
    there = {
        (section, name)
        for section in ("schemas", "responses")
        for name in DOCUMENT["components"][section]
    }
    assert used == there
    assert written.count('"A problem document."') == 1


@pytest.mark.parametrize("needs_key", [False, True])
def test_keys_are_declared_and_needed_only_if_there_are_any(needs_key: bool) -> None:
    document = create_app(Settings(workers=1, api_keys=KEYS if needs_key else {})).openapi()
    schemes = document["components"]["securitySchemes"]
    assert {name for one in document["security"] for name in one} == set(schemes)
    assert ({} in document["security"]) != needs_key
    for path, operation in operations(document):
        assert (operation.get("security") == []) == (path in PROBES)
