"""Heads that HTTP has servers reject (RFC 9110, RFC 9112), and the parser does not."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from app.problems import ProblemError

_VERSIONS: Final = ("1.0", "1.1")
#: A name or an address, and perhaps a port (RFC 3986); empty where the target has none.
_HOST: Final = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]*")


def faulty(
    method: bytes, version: str, headers: Sequence[tuple[bytes, bytes]]
) -> ProblemError | None:
    """Why a request is rejected, and its connection closed; names of headers are in lower case."""
    hosts = [value for name, value in headers if name == b"host"]
    codings = [value.strip().lower() for name, value in headers if name == b"transfer-encoding"]
    if version not in _VERSIONS:
        return malformed()
    if method == b"CONNECT":
        return ProblemError(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "no-proxy",
            "CONNECT is for proxies, and this is none.",
            "Send the request itself, such as a POST to /v1/check.",
            headers={"Allow": "GET, HEAD, POST, OPTIONS"},
        )
    if len(hosts) > 1 or (not hosts and version == "1.1") or not all(map(_HOST.fullmatch, hosts)):
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "bad-host",
            f"The request has {len(hosts)} Host headers."
            if len(hosts) != 1
            else "The Host header is not the name of a host.",
            "Send one Host header, with the name and perhaps the port that the request is for.",
        )
    if codings not in ([], [b"chunked"]):
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "unsupported-transfer-encoding",
            f"The body is sent as {b', '.join(codings)[:80].decode('latin-1')!a}.",
            "Send Transfer-Encoding: chunked, or a Content-Length.",
        )
    return None


def malformed() -> ProblemError:
    """What the parser cannot make sense of."""
    return ProblemError(
        HTTPStatus.BAD_REQUEST,
        "malformed-request",
        "This is not well-formed HTTP/1.1, or its method is unknown.",
        "Send an HTTP/1.1 request with a method such as GET or POST.",
    )
