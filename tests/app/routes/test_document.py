"""All operations of the OpenAPI document are described alike, and share components."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from minecheck.app.main import create_app
from minecheck.app.requests.scope import PROBES
from minecheck.app.routes.document import TAGS
from minecheck.app.settings import Settings
from tests.openapi_document import DOCUMENT

KEYS = {"alice": f"sha256:{'0' * 64}"}


def operations(document: dict[str, Any] = DOCUMENT) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each operation with its path."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_openapi_describes_every_operation(path: str, operation: dict[str, Any]) -> None:
    assert re.fullmatch("[a-z]+(_[a-z]+)*", operation["operationId"])
    assert len(operation["summary"]) > 10
    assert operation["description"].endswith(".")
    assert operation["tags"][0] in [tag["name"] for tag in TAGS]


def test_openapi_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_openapi_document_describes_itself_and_begins_with_check() -> None:
    assert "consistent" in DOCUMENT["info"]["description"]
    assert DOCUMENT["tags"][0]["name"] == "questions"
    assert next(iter(DOCUMENT["paths"])) == "/v1/check"


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_openapi_lists_common_problems_of_every_operation(
    path: str, operation: dict[str, Any]
) -> None:
    responses = operation["responses"]
    for status in ("401", "429", "503"):
        assert (status in responses) == (path not in PROBES or (path, status) == ("/readyz", "503"))
    assert list(responses) == sorted(responses)


@pytest.mark.parametrize(("path", "operation"), list(operations()))
def test_openapi_problems_are_references(path: str, operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        assert status == "200" or response.keys() == {"$ref"}


def test_openapi_references_and_components_match() -> None:
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
def test_openapi_requires_keys_only_if_service_has_keys(needs_key: bool) -> None:
    document = create_app(Settings(workers=1, api_keys=KEYS if needs_key else {})).openapi()
    schemes = document["components"]["securitySchemes"]
    assert {name for one in document["security"] for name in one} == set(schemes)
    assert ({} in document["security"]) != needs_key
    for path, operation in operations(document):
        assert (operation.get("security") == []) == (path in PROBES)
