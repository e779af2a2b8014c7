"""The route GET /v1/formats: which formats of the community are read and written."""

from typing import Final

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from minecheck.app import problem_responses
from minecheck.app.requests import query
from minecheck.app.routes.constant import answer_constant, tag_content
from minecheck.minefield.formats import FORMATS

router: Final = APIRouter(prefix="/v1/formats", tags=["formats"])


class FormatShown(BaseModel):
    """A format."""

    name: str
    title: str
    media_type: str
    suffix: str
    holds: list[str] = Field(
        description="view: what a player sees; map: where all the mines are",
        json_schema_extra={"items": {"type": "string", "enum": ["view", "map"]}},
    )


@router.get(
    "",
    summary="Which formats are read and written?",
    responses=problem_responses.problem_responses(400, 422),
    response_model=list[FormatShown],
    dependencies=[query.allow_query_names()],
)
async def list_formats(request: Request) -> Response:
    """Return all formats, with their media types, the suffixes of files, and what they hold."""
    shown = [
        FormatShown(
            name=entry.name,
            title=entry.title,
            media_type=entry.media_type,
            suffix=entry.suffix,
            holds=entry.holds,
        ).model_dump()
        for entry in FORMATS.values()
    ]
    content = orjson.dumps(shown)
    return answer_constant(request, content, "application/json", tag_content(content))
