"""Problems as OpenAPI describes them: their model, and the responses that routes share.

Tested in tests/app/routes/test_openapi.py.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel, Field

from minecheck.app.problems import TYPE_PREFIX


class TextReading(BaseModel):
    """A board that was read from text, and how."""

    notation: str = Field(description="How the cells were written, or the name of the format")
    board: list[str] = Field(description="The board in the standard notation")
    mines: int | None = Field(description="The total that the text states")
    symbols: dict[str, str] = Field(description="The meaning of each symbol that is not standard")
    notes: list[str] = Field(description="How it was read, and what was left out")


class PossibleReading(TextReading):
    """One of several boards that a text may mean."""

    request: dict[str, Any] = Field(description="The fields of a request that chooses it")


class Problem(BaseModel):
    """A problem document."""

    type: str = Field(examples=[TYPE_PREFIX + "ragged-rows"])
    title: str = Field(examples=["Rows of different lengths"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["Row 1 has 1 cell where row 0 has 2."])
    fix: str = Field(examples=["Make all rows the same length."])
    pointer: str | None = Field(default=None, examples=["/board/1"])
    row: int | None = Field(default=None, examples=[1])
    col: int | None = None
    readings: list[PossibleReading] | None = Field(
        default=None, description="The boards that an ambiguous text may mean, the likeliest first"
    )


#: The responses that operations share, by status: their names in OpenAPI, descriptions and headers.
_RESPONSES: Final[Mapping[int, tuple[str, str, Mapping[str, str]]]] = MappingProxyType(
    {
        400: ("BadRequest", "The body or the query cannot be read", {}),
        401: (
            "Unauthorized",
            "The API key is missing or not valid, where the operator requires one",
            {"WWW-Authenticate": "How to send the key"},
        ),
        404: ("NotFound", "Nothing has this path or name", {}),
        408: ("RequestTimeout", "The rest of the body did not arrive in time", {}),
        413: ("ContentTooLarge", "The body, or what it expands to, is too large", {}),
        415: (
            "UnsupportedMediaType",
            "The body has a media type or an encoding that this route does not read",
            {
                "Accept-Post": "The media types that the route reads",
                "Accept-Encoding": "The encodings that the route reads",
            },
        ),
        422: ("UnprocessableContent", "The board or an option is not valid", {}),
        429: (
            "TooManyRequests",
            "The client sends more requests than the operator allows",
            {"Retry-After": "Seconds until the next request is answered"},
        ),
        503: (
            "ServiceUnavailable",
            "The service is overloaded, starting or stopping, or its worker was lost or ran out of "
            "memory",
            {"Retry-After": "Seconds after which to try again"},
        ),
    }
)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for the problems that a route may answer with."""
    return {status: refer_to_problem(status) for status in statuses}


def refer_to_problem(status: int) -> dict[str, Any]:
    """Return a reference to the OpenAPI response for problems of a status."""
    return {"$ref": f"#/components/responses/{_RESPONSES[status][0]}"}


def describe_problem(status: int) -> tuple[str, dict[str, Any]]:
    """Return the OpenAPI response for problems of a status, and its name."""
    name, description, headers = _RESPONSES[status]
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    response: dict[str, Any] = {
        "description": description,
        "content": {"application/problem+json": {"schema": schema}},
    }
    if headers:
        response["headers"] = {
            header: {"description": text, "schema": {"type": "string"}}
            for header, text in headers.items()
        }
    return name, response
