"""Who may ask, and how often: API keys, and a limit of requests for each of them."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from hmac import compare_digest
from http import HTTPStatus
from math import ceil
from secrets import token_urlsafe
from time import monotonic
from typing import Final

from cachetools import TTLCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minecheck.app.problems import ProblemError
from minecheck.app.requests.scope import KEY, PROBES, identify_by_address
from minecheck.app.routes.page import is_page
from minecheck.app.settings import SettingsError

#: Needs no key: how it is, and how to ask.
_OPEN: Final = PROBES | {"/openapi.json"}

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")
#: Buckets that are remembered at once, a few hundred bytes each.
_BUCKETS: Final = 1 << 16


def new_key() -> tuple[str, str]:
    """Return a new key of 256 random bits, and its hash as the settings want it."""
    key = "minecheck_" + token_urlsafe(32)
    # Slow, salted hashes make up for passwords that can be guessed. Nobody guesses 256 random
    # bits, however fast the hash, and each request pays for it.
    return key, f"sha256:{sha256(key.encode()).hexdigest()}"


def digest_keys(api_keys: Mapping[str, str]) -> dict[str, bytes]:
    """Return the digests of the keys, 32 bytes each, by name.

    Raises:
        SettingsError: a name or a hash is malformed; it says which and how to fix it.
    """
    digests = {}
    # A malformed setting may contain the key on either side, so neither is shown.
    for number, (name, hashed) in enumerate(api_keys.items(), 1):
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"MINECHECK_API_KEYS: the name of entry {number} is not 1 to 64 letters, digits, "
                "- or _"
            )
        if not (match := _HASH.fullmatch(hashed)):
            raise SettingsError(
                f"MINECHECK_API_KEYS: the hash of entry {number} is not sha256: and 64 "
                "hexadecimal digits in lower case; `minecheck key` makes an entry"
            )
        digests[name] = bytes.fromhex(match[1])
    return digests


class Buckets:
    """Token buckets: ``burst`` tokens each at most, ``rate`` new ones a second.

    An empty bucket is full again after so many ``seconds``. It is forgotten then, so
    only those used within them are kept, and at most ``most`` of these.
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        clock: Callable[[], float] = monotonic,
        most: int = _BUCKETS,
    ) -> None:
        # Slower ones would not end within a lifetime, or within what a double holds.
        self._rate = rate = max(rate, 1e-6)
        self._burst = burst
        self.seconds = burst / rate
        self._clock = clock
        #: Tokens left, and when they were counted.
        self._counted: TTLCache[str, tuple[float, float]] = TTLCache(most, self.seconds, clock)

    def take_token(self, who: str) -> tuple[bool, int, int]:
        """Take a token: was there one, how many are left, seconds until there is one more.

        Tokens that are left are whole ones; the seconds are rounded up, at least 1.
        """
        now = self._clock()
        tokens, before = self._counted.get(who, (float(self._burst), now))
        tokens = min(self._burst, tokens + (now - before) * self._rate)
        there = tokens >= 1
        if there:
            tokens -= 1
            self._counted[who] = tokens, now
        return there, int(tokens), max(1, ceil((int(tokens) + 1 - tokens) / self._rate))


class Auth:
    """ASGI middleware that lets in those with a key, and each not too often.

    ``keys`` are hashes by name, as in the settings; without any, nobody needs
    one. ``rate`` is requests a second, 0 for no limit, and ``burst`` how many
    may come at once. What is counted is the requests with a key, else (without
    one, or with a wrong one) those of an address (IPv6: of a /64, since that is
    what one client has).

    The limit is stated in RateLimit and RateLimit-Policy, of
    draft-ietf-httpapi-ratelimit-headers-10: the form that the working group
    continues with, having given up RateLimit-Limit and so on, and the only one
    that distinguishes a burst from a rate.

    It answers by itself, so it has to be inside what logs and counts, and
    inside CORS, for pages to be able to read why.

    Raises:
        SettingsError: as `digest_keys`.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: Mapping[str, str],
        rate: float,
        burst: int,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._app = app
        self._keys = digest_keys(keys)
        self._buckets = Buckets(rate, burst, clock) if rate else None
        window = ceil(self._buckets.seconds) if self._buckets else 0
        self._policy = (b"ratelimit-policy", f'"requests";q={burst};w={window}'.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its key and its rate allow that, else answer with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        # The page has some dozens of files, asked for at once, which cost next to nothing.
        # What only says which methods there are, or where to go, costs nothing either.
        route = path.rstrip("/") or "/"
        if route in PROBES or is_page(route) or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        who, app = None, self._app
        if self._keys and path not in _OPEN:
            key = _read_api_key(scope)
            who = self._name_key(key)
            if who is None:
                app = _make_key_problem(key).to_response()
            else:
                scope[KEY] = who
        if self._buckets is None:
            await app(scope, receive, send)
        else:
            taken = self._buckets.take_token(who or identify_by_address(scope))
            await self._limit_rate(app, taken, scope, receive, send)

    async def _limit_rate(
        self,
        app: ASGIApp,
        taken: tuple[bool, int, int],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer if a token was available, and report how many are left."""
        there, left, seconds = taken
        limits = (self._policy, (b"ratelimit", f'"requests";r={left};t={seconds}'.encode()))

        async def send_with_limits(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *limits]}
            await send(message)

        if not there:
            app = _make_rate_problem(seconds).to_response()
        await app(scope, receive, send_with_limits)

    def _name_key(self, key: bytes | None) -> str | None:
        """Return the name of the key's owner, in a time that does not depend on matching bytes."""
        if key is None:
            return None
        digest = sha256(key).digest()
        key_name = None
        for name, known_digest in self._keys.items():
            if compare_digest(digest, known_digest):
                key_name = name
        return key_name


def _read_api_key(scope: Scope) -> bytes | None:
    """Return the key of a request. X-API-Key goes first: Authorization may be for a proxy."""
    bearer = None
    for name, value in scope["headers"]:
        if name == b"x-api-key" and value:
            return bytes(value)
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            bearer = bytes(value[7:].strip()) or None
    return bearer


def _make_key_problem(key: bytes | None) -> ProblemError:
    code, detail = "wrong-key", "The API key of the request is not valid."
    if key is None:
        code, detail = "missing-key", "The request has no API key."
    return ProblemError(
        HTTPStatus.UNAUTHORIZED,
        code,
        detail,
        "Send a valid key in a header: Authorization: Bearer KEY, or X-API-Key: KEY.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _make_rate_problem(seconds: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too-many-requests",
        "Requests of this client arrive faster than the service allows.",
        f"Wait {seconds} s, then try again. /v1/batch takes many boards in one request.",
        headers={"Retry-After": str(seconds)},
    )
