"""Facts about a request besides HTTP, in its ASGI scope.

`app.middleware.connections` puts it there, and `app.middleware.auth` whose key it came with; with
another protocol, or without keys, it is missing.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from time import monotonic
from typing import Any, Final

from starlette.types import Scope

#: The number of other requests in progress before it.
AHEAD: Final = "minecheck.ahead"
#: When it came, on the monotonic clock.
ARRIVED: Final = "minecheck.arrived"
#: The address that the server listens on, as configured.
BOUND: Final = "minecheck.bound"
#: The future that resolves when its client leaves.
LEFT: Final = "minecheck.left"
#: The name of the API key that it came with.
KEY: Final = "minecheck.key"

#: The headers by name, once somebody has asked for them.
_HEADERS: Final = "minecheck.headers"
#: The field of a head by which the proxy says that another replica was lost with the request.
_SECOND_TRY: Final = b"minecheck-second-try"
#: Paths asked for by machines every few seconds, when it is crowded more than ever.
PROBES: Final = frozenset(("/healthz", "/readyz", "/metrics"))
#: IPv4 addresses as a translator writes them (RFC 6052), in their last 32 bits.
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")


def read_arrival_time(scope: Scope) -> float:
    """Return when a request came, as far as that is known, on the monotonic clock."""
    came: float | None = scope.get(ARRIVED)
    return monotonic() if came is None else came


def index_headers(scope: Scope) -> dict[bytes, bytes]:
    """Return the headers by name; where one comes several times, the first counts."""
    # They are read several times for every request.
    headers: dict[bytes, bytes] | None = scope.get(_HEADERS)
    if headers is None:
        headers = scope[_HEADERS] = dict(reversed(scope["headers"]))
    return headers


def is_second_try(scope: Scope) -> bool:
    """Return True if a request may have ended another replica; workers take all of it then."""
    return _SECOND_TRY in index_headers(scope)


def identify_client(scope: Scope) -> str:
    """Return who asks: the name of a key, else the address."""
    return scope.get(KEY) or identify_by_address(scope)


def identify_by_address(scope: Scope) -> str:
    """Return who asks without a key."""
    # No name of a key has a space.
    return f"address {read_network(scope)}"


def read_network(scope: Mapping[str, Any]) -> str:
    """Return the address of the client, or its /64 network, which one client has in IPv6.

    It has no more than 64 letters, since anything may come from a proxy.
    """
    host: str = (scope.get("client") or ("",))[0]
    if ":" in host:
        try:
            address = IPv6Address(host)
        except ValueError:
            pass
        else:
            # A socket for both kinds shows IPv4 clients so: all of them in one /64.
            mapped = address.ipv4_mapped
            if address in _TRANSLATED:
                mapped = IPv4Address(address.packed[-4:])
            host = str(mapped) if mapped else address.packed[:8].hex(":", 2) + "::/64"
    return host[:64]
