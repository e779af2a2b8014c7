"""Headers that tell browsers to trust answers with as little as possible."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import page_route

_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_OWN_PAGES_ONLY: Final = (b"cross-origin-resource-policy", b"same-origin")

#: Data loads nothing and is framed nowhere; pictures have their style in themselves.
_DATA: Final = b"default-src 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'"
#: Swagger UI comes from a CDN, is started by a script in the page and calls the service.
_DOCS: Final = (
    b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    b"script-src https://cdn.jsdelivr.net 'unsafe-inline'; "
    b"style-src https://cdn.jsdelivr.net 'unsafe-inline'; "
    b"img-src 'self' data: https://fastapi.tiangolo.com; "
    b"connect-src 'self'"
)


class Guarded:
    """ASGI middleware that adds security headers to every HTTP answer.

    With ``cors``, pages of other origins may embed pictures too. ``docs`` is
    the path of the page with the documentation. To reach the 500s for
    unexpected errors too, it has to be around everything, not in
    ``app.add_middleware``.
    """

    def __init__(self, app: ASGIApp, *, cors: bool = False, docs: str | None = "/docs") -> None:
        self._app = app
        self._docs = docs
        self._headers = _ALWAYS if cors else (*_ALWAYS, _OWN_PAGES_ONLY)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        chosen = page_route.POLICY if page_route.is_page(path) else _DATA
        policy = (b"content-security-policy", _DOCS if path == self._docs else chosen)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *self._headers, policy]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, guarded)
