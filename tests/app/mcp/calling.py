"""Tests call tools with the client of the official SDK, over any transport."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

import anyio
from mcp import Client
from mcp_types import CallToolResult, TextContent

#: The name of a tool, and its arguments.
Call: TypeAlias = tuple[str, Mapping[str, Any]]

#: The most tokens of a result: its text and its structured part together.
MOST = 4000
_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|\s+|[^\sA-Za-z0-9]+")


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many: models split words, numbers and signs."""
    tokens = 0
    for piece in _PIECES.findall(text):
        if not piece.isascii():
            tokens += 2 * len(piece)
        elif piece.isspace():
            tokens += "\n" in piece or len(piece) > 1
        else:
            tokens += -(-len(piece) // (6 if piece.isalpha() else 3 if piece.isdigit() else 2))
    return tokens


def call_all(transport: Any, *calls: Call) -> list[CallToolResult]:
    """Return the results of calls, which the client checks against the schemas of the tools."""

    async def call() -> list[CallToolResult]:
        async with Client(transport, read_timeout_seconds=120) as client:
            return [await client.call_tool(name, dict(arguments)) for name, arguments in calls]

    found: list[CallToolResult] = anyio.run(call)
    for one in found:
        structured = json.dumps(one.structured_content, ensure_ascii=False)
        assert count_tokens(text_of(one)) + count_tokens(structured) <= MOST
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
