"""Protection against requests that a page of another site has a browser send.

Two tricks reach a service that its user trusts, such as one on the user's own machine:

- DNS rebinding: a page has its own host name point to the service, which to the browser is then of
  the page's origin, with answers that it may read. The Host header still names the page's host.
- Requests across sites: a page has the browser send what needs no permission, such as a form, whose
  answer it cannot read. Browsers tell so in Sec-Fetch-Site (W3C Fetch Metadata).
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from minecheck.app.middleware.cors import is_preflight
from minecheck.app.problems import ProblemError
from minecheck.app.quoting import quote_text
from minecheck.app.requests.scope import BOUND, PROBES, index_headers
from minecheck.app.settings import ANY

#: Values for requests that need no further check: the service's own pages, and direct visits.
_OWN: Final = (b"same-origin", b"none")
#: A Host header: a name or an IPv4 address, or an IPv6 address, and perhaps a port.
_HOST: Final = re.compile(rb"(?:([^:\[\]]*)|\[([0-9a-fA-F:.]+)\])(?::[0-9]*)?")


class BrowserGuard:
    """ASGI middleware that rejects requests which pages of others have a browser send.

    ``allowed_hosts`` are names that requests may be for, such as ``*.example``, or `ANY`. Without
    them, loopback addresses, which only this machine reaches, answer for loopback names alone,
    and all other addresses for any. Loopback names are always answered at loopback addresses,
    and probes, which machines send to bare addresses, at all others.

    ``is_allowed_origin`` says whose pages CORS lets in. All others may only link to the service.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed_hosts: Sequence[str],
        is_allowed_origin: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._exact = frozenset(host for host in allowed_hosts if not host.startswith(ANY))
        self._endings = tuple(host[1:] for host in allowed_hosts if host.startswith(f"{ANY}."))
        self._limited = bool(allowed_hosts)
        self._open = ANY in allowed_hosts
        self._is_allowed_origin = is_allowed_origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on unless a browser sent it from elsewhere, or for another host."""
        app = self._app
        if scope["type"] == "http":
            # Every request comes by here.
            headers = index_headers(scope)
            host, site = headers.get(b"host", b""), headers.get(b"sec-fetch-site")
            if not self._open and (
                not self._answers_for(host, scope)
                # If each header occurs once, none occurs twice.
                or (len(headers) < len(scope["headers"]) and _has_two_hosts(scope))
            ):
                app = _make_host_problem(host).to_response()
            elif (
                site is not None
                and site not in _OWN
                # Only CORS answers the browser, and says how to let the page in.
                and not is_preflight(scope)
                and not self._may_ask(scope)
            ):
                app = _make_foreign_page_problem().to_response()
        await app(scope, receive, send)

    def _answers_for(self, host: bytes, scope: Scope) -> bool:
        """Return whether requests with this Host header are answered where this one came in."""
        local: str = (scope.get("server") or ("",))[0]
        bound: str = scope.get(BOUND, local)
        loopback, named_so = _judge_loopback(local, bound, host)
        if loopback and named_so:
            return True
        if not self._limited:
            return not loopback
        name = _read_name(host)
        return (
            name in self._exact
            or (name is not None and name.endswith(self._endings))
            or (not loopback and scope["path"] in PROBES)
        )

    def _may_ask(self, scope: Scope) -> bool:
        """Return whether the page of another origin may have sent this request."""
        headers = index_headers(scope)
        if (
            scope["method"] in ("GET", "HEAD")
            and headers.get(b"sec-fetch-mode") == b"navigate"
            # A frame or an embedded object navigates too.
            and headers.get(b"sec-fetch-dest", b"document") == b"document"
        ):
            return True
        origin = headers.get(b"origin", b"").decode("latin-1")
        return self._is_allowed_origin(origin or _find_origin(headers.get(b"referer", b"")))


def _find_origin(referer: bytes) -> str:
    """Return the origin of a Referer, which browsers send for images instead of Origin."""
    try:
        parts = urlsplit(referer.decode("latin-1"))
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def _read_name(host: bytes) -> str | None:
    """Return the name in a Host header, in lower case and without port; None if there is none."""
    match = _HOST.fullmatch(host)
    if not match:
        return None
    name = match[1] if match[2] is None else match[2]
    return name.decode("latin-1").lower().removesuffix(".")


def _has_two_hosts(scope: Scope) -> bool:
    return [name for name, _ in scope["headers"]].count(b"host") > 1


@lru_cache(maxsize=256)
def _judge_loopback(local: str, bound: str, host: bytes) -> tuple[bool, bool]:
    """Return whether both addresses are loopback ones, and whether a Host header names one."""
    return _is_loopback(local) and _is_loopback(bound), _is_loopback_name(host)


def _is_loopback_name(host: bytes) -> bool:
    """Return whether a Host header names this machine to itself, or nothing.

    Browsers always name a host; HTTP/1.0 need not.
    """
    name = _read_name(host)
    if name is None:
        return False
    return not name or name.endswith(".localhost") or _is_loopback(name)


def _is_loopback(host: str) -> bool:
    """Return whether an address, or ``localhost``, is one that only this machine reaches."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def _make_host_problem(host: bytes) -> ProblemError:
    return ProblemError(
        HTTPStatus.MISDIRECTED_REQUEST,
        "wrong-host",
        f"The Host header is {quote_text(host.decode('latin-1'))}, and this service does not "
        "answer for that name.",
        "On the machine of the service, send the request to localhost or 127.0.0.1. For another "
        "name, such as that of a proxy, add the name to MINECHECK_ALLOWED_HOSTS.",
    )


def _make_foreign_page_problem() -> ProblemError:
    return ProblemError(
        HTTPStatus.FORBIDDEN,
        "foreign-page",
        "A page of another origin sent the request, and pages of that origin have no permission.",
        "Add the origin of the page, such as https://game.example, to MINECHECK_CORS_ORIGINS. A "
        "plain link to the service needs no permission.",
    )
