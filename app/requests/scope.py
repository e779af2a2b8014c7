"""What the server says of a request beside HTTP, in the scope of ASGI.

`app.middleware.connections` puts it there; with another protocol it is missing.
"""

from time import monotonic
from typing import Final

from starlette.types import Scope

#: How many other requests were under way before it.
AHEAD: Final = "minecheck.ahead"
#: When it came, on the monotonic clock.
ARRIVED: Final = "minecheck.arrived"
#: What to await for its client to leave.
LEFT: Final = "minecheck.left"


#: The field of a head by which the proxy says that another replica was lost with the request.
_SECOND_TRY: Final = b"minecheck-second-try"
#: Paths asked for by machines every few seconds, when it is crowded more than ever.
PROBES: Final = frozenset(("/healthz", "/readyz", "/metrics"))


def arrived(scope: Scope) -> float:
    """When a request came, as far as that is known, on the monotonic clock."""
    came: float | None = scope.get(ARRIVED)
    return monotonic() if came is None else came


def headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name; where one comes several times, the first counts."""
    return dict(reversed(scope["headers"]))


def second_try(scope: Scope) -> bool:
    """Whether a request may have ended another replica, and is left to workers altogether."""
    return any(name == _SECOND_TRY for name, _ in scope["headers"])
