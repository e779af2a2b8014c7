"""Tests call tools with the client of the official SDK, over any transport."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import anyio
from mcp import Client
from mcp_types import CallToolResult, TextContent

#: The name of a tool, and its arguments.
Call: TypeAlias = tuple[str, Mapping[str, Any]]

#: The most characters of a result; a token has at least three of them on average.
MOST = 3 * 4000


def call_all(transport: Any, *calls: Call) -> list[CallToolResult]:
    """Return the results of calls, which the client checks against the schemas of the tools."""

    async def call() -> list[CallToolResult]:
        async with Client(transport, read_timeout_seconds=120) as client:
            return [await client.call_tool(name, dict(arguments)) for name, arguments in calls]

    found: list[CallToolResult] = anyio.run(call)
    for one in found:
        assert len(one.model_dump_json(by_alias=True, exclude_none=True)) <= MOST
    return found


def text_of(found: CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = found.content
    assert isinstance(content, TextContent)
    return content.text


def answer_of(found: CallToolResult) -> dict[str, Any]:
    """Return the structured part of a result that is not an error."""
    assert not found.is_error, text_of(found)
    structured: dict[str, Any] = found.structured_content or {}
    return structured


def error_of(found: CallToolResult) -> str:
    """Return the text of an error, which says how to call again."""
    assert found.is_error
    text = text_of(found)
    assert text.startswith("ERROR: ")
    assert "\n\nHow to fix it: " in text
    return text
