"""The bytes of answers: JSON ends with a newline, and what is long is compressed.

This is the one place for both, whichever way an answer was made. Streams pass as they are: their
lines are to arrive as soon as they are found. Batches compress their streams by themselves.
"""

import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from anyio import to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minecheck.app.compression import GZIP, zstd
from minecheck.app.requests.accept import parse_weights
from minecheck.app.requests.scope import index_headers

_JSON: Final = frozenset((b"application/json", b"application/problem+json"))
#: Media types of text, which becomes smaller.
_TEXT: Final = re.compile(rb"text/|image/svg\+xml|application/(json|problem\+json)")
#: Shorter answers fit into a packet, compressed or not.
_LEAST_BYTES: Final = 1024
#: Longer ones are compressed in a thread.
_MOST_BYTES_ON_LOOP: Final = 32 * 1024
#: The levels that save time as well as bytes, on a network.
_GZIP_LEVEL: Final = 1
_ZSTD_LEVEL: Final = 3


def _compress_gzip(content: bytes) -> bytes:
    # No time is written, so equal contents give equal bytes.
    compressor = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, GZIP)
    return compressor.compress(content) + compressor.flush()


def _compress_zstd(content: bytes) -> bytes:
    return zstd.compress(content, _ZSTD_LEVEL)


#: Encodings by name; of several that a client prefers equally, the first is taken.
_ENCODINGS: Final[MappingProxyType[str, Callable[[bytes], bytes]]] = MappingProxyType(
    {"zstd": _compress_zstd, "gzip": _compress_gzip}
)


class Encoding:
    """ASGI middleware that ends JSON with a newline, and compresses long text on request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and change the answer if it comes in one piece."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_encoded(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                head, start = start, None
                if not message.get("more_body", False):
                    message = await _encode_answer(scope, head, message)
                await send(head)
            await send(message)

        await self._app(scope, receive, send_encoded)
        if start is not None:
            await send(start)


async def _encode_answer(scope: Scope, head: Message, message: Message) -> Message:
    """Return the body of a whole answer as it is sent; its head is changed accordingly."""
    content: bytes = message.get("body", b"")
    headers: list[tuple[bytes, bytes]] = head.get("headers", [])
    kind = b""
    for name, value in headers:
        if name == b"content-type":
            kind = value
        elif name == b"content-encoding":
            return message
    if not content:
        return message
    if kind in _JSON:
        content += b"\n"
    elif len(content) < _LEAST_BYTES:
        return message
    added: list[tuple[bytes, bytes]] = []
    if len(content) >= _LEAST_BYTES and _TEXT.match(kind):
        added = _vary_by_encoding(headers)
        accepted = index_headers(scope).get(b"accept-encoding", b"")
        if accepted and (encoding := choose_encoding(accepted.decode("latin-1"))) is not None:
            compress = _ENCODINGS[encoding]
            if len(content) > _MOST_BYTES_ON_LOOP:
                content = await to_thread.run_sync(compress, content)
            else:
                content = compress(content)
            added.append((b"content-encoding", encoding.encode()))
    other_headers = [field for field in headers if field[0] != b"content-length"]
    head["headers"] = [*other_headers, (b"content-length", b"%d" % len(content)), *added]
    return {**message, "body": content}


def _vary_by_encoding(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the header that says that the answer depends on Accept-Encoding, if none says so."""
    values = (value.lower() for name, value in headers if name == b"vary")
    if any(b"accept-encoding" in value for value in values):
        return []
    return [(b"vary", b"Accept-Encoding")]


# Clients send the same header each time.
@lru_cache(maxsize=64)
def choose_encoding(accepted: str) -> str | None:
    """Return the encoding of an answer, None for the answer as it is.

    Args:
        accepted: the value of Accept-Encoding.
    """
    weights = parse_weights(accepted, invalid=0.0)
    default = weights.get("*", 0.0)
    best = max(_ENCODINGS, key=lambda name: weights.get(name, default))
    weight = weights.get(best, default)
    # An encoding that is not named is not accepted; the answer as it is always is.
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else None
