"""Heads that HTTP has servers reject (RFC 9110, RFC 9112), and the parser does not."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text

_VERSIONS: Final = ("1.0", "1.1")
#: A name or an address, and perhaps a port (RFC 3986); empty where the target has none.
_HOST: Final = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]*")


def find_fault(
    method: bytes, version: str, headers: Sequence[tuple[bytes, bytes]]
) -> ProblemError | None:
    """Find why a request is rejected, and its connection closed; None if it is not.

    Args:
        method: the method.
        version: the version of HTTP.
        headers: names, in lower case, and values.
    """
    hosts, codings = [], []
    for name, value in headers:
        if name == b"host":
            hosts.append(value)
        elif name == b"transfer-encoding":
            codings.append(value.strip().lower())
    if version not in _VERSIONS:
        return make_malformed_problem()
    if method == b"CONNECT":
        return ProblemError(
            HTTPStatus.METHOD_NOT_ALLOWED,
            "no-proxy",
            "The method CONNECT is for proxies, and this service is not a proxy.",
            "Send the request itself, such as POST /v1/check.",
            headers={"Allow": "GET, HEAD, POST, OPTIONS"},
        )
    if (
        len(hosts) > 1
        or (not hosts and version == "1.1")
        or (hosts and not _HOST.fullmatch(hosts[0]))
    ):
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "bad-host",
            f"The request has {len(hosts)} Host headers instead of one."
            if len(hosts) != 1
            else f"The Host header, {quote_text(hosts[0].decode('latin-1'))}, is not a host name.",
            "Send exactly one Host header: a name or an address, with a port if needed, such as "
            "Host: 127.0.0.1:8000.",
        )
    if codings not in ([], [b"chunked"]):
        return ProblemError(
            HTTPStatus.BAD_REQUEST,
            "unsupported-transfer-encoding",
            "The Transfer-Encoding is "
            f"{quote_text(b', '.join(codings).decode('latin-1'))}, which is not supported.",
            "Send Transfer-Encoding: chunked, or a Content-Length.",
        )
    return None


def make_malformed_problem() -> ProblemError:
    """Return the problem of a request that the parser cannot read."""
    return ProblemError(
        HTTPStatus.BAD_REQUEST,
        "malformed-request",
        "The request is not well-formed HTTP/1.1, or its method is unknown.",
        "Send an HTTP/1.1 request with the method GET, HEAD, POST or OPTIONS.",
    )
