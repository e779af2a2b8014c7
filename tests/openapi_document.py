"""The OpenAPI document of the service, made once for all tests that read it."""

from typing import Any, Final

from minecheck.app.main import create_app

DOCUMENT: Final[dict[str, Any]] = create_app().openapi()
