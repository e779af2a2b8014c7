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


def waited(scope: Scope) -> float:
    """Seconds since a request came, as far as that is known."""
    return max(0.0, monotonic() - scope[ARRIVED]) if ARRIVED in scope else 0.0


def second_try(scope: Scope) -> bool:
    """Whether a request may have ended another replica, and is left to workers altogether."""
    return any(name == _SECOND_TRY for name, _ in scope["headers"])
