"""Answers that stay the same: clients keep them, and ask each time whether they still are.

Their ETag is a hash of what they hold, so it is the same on all replicas. It is weak, since one
tag stands for the answer as it is and in each Content-Encoding.
"""

from collections.abc import Mapping
from hashlib import blake2b
from http import HTTPStatus

from fastapi import Request, Response


def tag_content(content: bytes) -> str:
    """Return the ETag of an answer's content."""
    return f'W/"{blake2b(content, digest_size=16).hexdigest()}"'


def is_known(request: Request, tag: str) -> bool:
    """Return True if the client has the answer with this ETag, as If-None-Match says."""
    header = ",".join(request.headers.getlist("if-none-match"))
    # RFC 9110, section 13.1.2: weak and strong tags are compared by what is in quotes.
    tags = {tag_text.strip().removeprefix("W/") for tag_text in header.split(",")}
    return tag.removeprefix("W/") in tags or tags == {"*"}


def answer_unchanged(tag: str, headers: Mapping[str, str] | None) -> Response:
    """Return the answer to a client that has the content already.

    Args:
        tag: its ETag.
        headers: further headers of the answer.
    """
    return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=_add_headers(tag, headers))


def answer_constant(
    request: Request,
    content: bytes,
    media_type: str,
    tag: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return content that stays the same, or that the client has it already.

    Args:
        request: the request.
        content: the content.
        media_type: its media type.
        tag: its ETag.
        headers: further headers of the answer.
    """
    if is_known(request, tag):
        return answer_unchanged(tag, headers)
    return Response(content, media_type=media_type, headers=_add_headers(tag, headers))


def _add_headers(tag: str, headers: Mapping[str, str] | None) -> dict[str, str]:
    # Kept, and used again only after the service was asked.
    return {"Vary": "Accept-Encoding", **(headers or {}), "ETag": tag, "Cache-Control": "no-cache"}
