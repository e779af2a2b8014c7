"""The server of the Model Context Protocol, without a transport."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from minecheck import __version__
from minecheck.app.mcp.resources import INSTRUCTIONS, MARKDOWN, RESOURCES, TEXTS
from minecheck.app.mcp.tool import ToolAnswer
from minecheck.app.mcp.tools import TOOLS
from minecheck.app.quoting import quote_text

#: Answers a call, given the name of the tool, its arguments, and the HTTP request if there is one.
Answerer: TypeAlias = Callable[[str, Mapping[str, Any], Any], Awaitable[ToolAnswer]]

#: No call changes anything, and only boards that are dealt differ from call to call.
_HINTS: Final = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def build_server(answer_call: Answerer) -> Server[Any]:
    """Return a server with the tools and resources.

    Args:
        answer_call: what answers calls; errors are answers, too.
    """

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(map(_describe_tool, TOOLS)))

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        answer = await answer_call(params.name, params.arguments or {}, context.request)
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=answer.structured,
            is_error=answer.structured is None,
        )

    return Server(
        "minecheck",
        version=__version__,
        title="minecheck",
        description="Exact answers about Minesweeper boards",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_read_resource=_read_resource,
    )


def _describe_tool(name: str) -> types.Tool:
    tool = TOOLS[name]
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=_HINTS,
    )


async def _list_resources(
    context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=list(RESOURCES))


async def _read_resource(
    context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri not in TEXTS:
        names = ", ".join(TEXTS)
        raise MCPError(
            types.INVALID_PARAMS, f"There is no resource {quote_text(uri)}. Read one of: {names}."
        )
    content = types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=TEXTS[uri])
    return types.ReadResourceResult(contents=[content])
