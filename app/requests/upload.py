"""Bodies as they come in: how slowly they may, and how much memory they may take."""

import asyncio
from collections.abc import Coroutine, Generator
from http import HTTPStatus
from io import BytesIO
from math import inf
from time import monotonic
from types import coroutine
from typing import Any, Final, cast

from starlette.types import Message, Receive

from minecheck.app.problems import ProblemError
from minecheck.app.requests.budget import (
    CONNECTION_BYTES,
    SCARCE_RATE,
    SMALL_SHARE,
    MemoryShare,
    OutOfMemoryBudget,
)
from minecheck.minefield.numerals import format_count

_CLOSE: Final = {"Connection": "close"}
#: Seconds after which an upload may be too slow for the room that is reserved for it.
_GRACE: Final = 1.0


class PatientReceive:
    """An ASGI receive that waits for a client only so long.

    No pause may take longer than ``seconds``; and all pauses since `begin_anew` may take these
    seconds, and one more for each ``rate`` bytes that have come. Only time counts in which the
    client was waited for: a client that is kept waiting owes nothing.
    """

    def __init__(self, receive: Receive, seconds: float, rate: float = 0.0) -> None:
        self._receive = receive
        self._seconds = seconds
        self._rate = rate
        self._waited = 0.0
        #: Since when a message is waited for, or None.
        self._waits_since: float | None = None
        self._size = 0

    @property
    def is_slow(self) -> bool:
        """True if the client sends too slowly while memory is scarce."""
        waited = self._waited
        if self._waits_since is not None:
            waited += monotonic() - self._waits_since
        return self._size < SCARCE_RATE * (waited - _GRACE)

    def begin_anew(self, size: int = 0) -> None:
        """Forget earlier pauses, the beginning of this one included, and all but ``size`` bytes."""
        self._waited = 0.0
        self._size = size
        if self._waits_since is not None:
            self._waits_since = monotonic()

    async def __call__(self) -> Message:
        """Receive the next message.

        Where it is there already, no timer is set: that costs more than all of receive.

        Raises:
            ProblemError: 408, the client took too long.
        """
        coming = cast("Coroutine[Any, Any, Message]", self._receive())
        try:
            waits_for = coming.send(None)
        except StopIteration as there:
            message: Message = there.value
        else:
            message = await self._wait_for_message(coming, waits_for)
        self._size += len(message.get("body", b""))
        return message

    async def _wait_for_message(
        self, coming: Coroutine[Any, Any, Message], waits_for: Any
    ) -> Message:
        allowed = self._seconds + (self._size / self._rate if self._rate else inf) - self._waited
        self._waits_since = monotonic()
        try:
            async with asyncio.timeout(min(self._seconds, max(0.0, allowed))):
                return await _resume_coroutine(coming, waits_for)
        except TimeoutError:
            late = (
                _make_paused_upload_problem(self._seconds)
                if self._seconds <= allowed
                else _make_slow_upload_problem(self._rate)
            )
            raise late from None
        finally:
            self._waited += monotonic() - self._waits_since
            self._waits_since = None


class Upload:
    """A body that is put together: held once, and only as far as there is room for it.

    A large body of a known ``length`` has room for all of it from the start, or is rejected then:
    if bodies were admitted byte by byte, many would begin, and none would come to its end. While it
    comes slowly, others may have the room that it has not filled; from then on it takes room as
    it grows, as a body of unknown length does.

    Of a body above the limit nothing is held, from when that is known, and ``problem`` says why.

    Raises:
        OutOfMemoryBudget: there is no room for it.
    """

    def __init__(
        self, limit: int, share: MemoryShare, receive: PatientReceive, length: int = 0
    ) -> None:
        self._limit = limit
        self._share = share
        self._receive = receive
        self._kept = BytesIO()
        self._reserved = 0
        self.size = 0
        self.problem = make_too_large_problem(limit) if length > limit else None
        if SMALL_SHARE < length <= limit:
            share.reserve(length, self._yield_room)
            self._reserved = length

    def add(self, piece: bytes) -> None:
        """Take in the next piece.

        Raises:
            OutOfMemoryBudget: there is no room for it; then nothing is held.
        """
        self.size += len(piece)
        if self.size > self._limit and self.problem is None:
            self.problem = make_too_large_problem(self._limit)
            self._drop_pieces()
        if self.problem is not None:
            return
        if self.size > self._reserved:
            try:
                self._hold_bytes(self._size_when_growing)
            except OutOfMemoryBudget:
                self._drop_pieces()
                raise
        self._kept.write(piece)

    def take(self) -> bytes:
        """Return the whole body, which is not copied."""
        content = self._kept.getvalue()
        self._kept = BytesIO()
        self._hold_bytes(len(content))
        return content

    def end(self) -> None:
        """Note that nothing more comes, and that nobody may have the room that is held."""
        self._reserved = 0
        self._share.end_reservation(self._yield_room)

    @property
    def _size_when_growing(self) -> int:
        """Bytes that are held, where the length is not known: up to an eighth more than came."""
        return self.size + self.size // 8

    def _yield_room(self) -> None:
        if self._receive.is_slow:
            self.end()
            self._share.set(min(self._share.held, self._size_when_growing))

    def _hold_bytes(self, size: int) -> None:
        if size > CONNECTION_BYTES or self._share.held:
            self._share.resize(size)

    def _drop_pieces(self) -> None:
        self._kept = BytesIO()
        self.end()
        self._share.set(0)


@coroutine
def _resume_coroutine(
    coming: Coroutine[Any, Any, Message], waits_for: Any
) -> Generator[Any, Any, Message]:
    """Go on with a coroutine that has been run up to where it waits for something."""
    try:
        while True:
            try:
                sent = yield waits_for
            except BaseException as error:  # noqa: BLE001 - as await does, cancellation included
                waits_for = coming.throw(error)
            else:
                waits_for = coming.send(sent)
    except StopIteration as done:
        message: Message = done.value
        return message


def make_too_large_problem(limit: int) -> ProblemError:
    """Reject a body above the limit."""
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body-too-large",
        f"The body, or what it expands to, is larger than {format_count(limit, 'byte')}.",
        "Send a smaller body, or raise MINECHECK_MAX_BODY_BYTES.",
        headers=_CLOSE,
    )


def _make_paused_upload_problem(seconds: float) -> ProblemError:
    return _make_late_upload_problem(
        f"No more of the body arrived for {seconds:g} s.", "Send it again, without long pauses."
    )


def _make_slow_upload_problem(rate: float) -> ProblemError:
    return _make_late_upload_problem(
        f"The body arrived at less than {rate:g} bytes per second.",
        "Send it again over a faster connection, or send a smaller body.",
    )


def _make_late_upload_problem(detail: str, fix: str) -> ProblemError:
    status = HTTPStatus.REQUEST_TIMEOUT
    return ProblemError(status, "request-timeout", detail, fix, headers=_CLOSE)
