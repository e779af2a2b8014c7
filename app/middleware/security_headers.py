"""Headers that have browsers trust answers as little as possible."""

from typing import Final

from starlette.types import Scope

from minecheck.app.routes import page
from minecheck.app.telemetry.watching import Headers, Watcher

_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_OWN_PAGES_ONLY: Final = (b"cross-origin-resource-policy", b"same-origin")

#: Data loads nothing and is framed nowhere; pictures have their style in themselves.
_DATA: Final = b"default-src 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'"


class SecurityHeaders(Watcher):
    """Adds security headers to every HTTP answer.

    With ``cors``, pages of other origins may embed pictures too.
    """

    def __init__(self, *, cors: bool = False) -> None:
        self._headers = _ALWAYS if cors else (*_ALWAYS, _OWN_PAGES_ONLY)

    def begin_request(self, scope: Scope) -> Headers:
        """Return the headers for what is at the path."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        policy = page.POLICY if page.is_page(path) else _DATA
        return (*self._headers, (b"content-security-policy", policy))
