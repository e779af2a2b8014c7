"""Incoming bytes are parsed in slices, so that other connections get their turns in between.

This builds on parts of uvicorn that are not public, as `app.middleware.connections` does:

- ``HttpToolsProtocol.data_received`` feeds ``parser``, calls ``send_400_response`` where the parser
  or one of its callbacks raises, and ``_unsupported_upgrade_warning`` where ``_should_upgrade``
  says no: within an ``except`` for the exception that tells how far the parser came;
- the parser calls ``on_headers_complete``, ``on_body`` and ``on_message_complete``, which make a
  ``RequestResponseCycle`` of each request: ``cycle`` is the latest, ``pipeline`` has those whose
  turn has not come, ``tasks`` and ``connections`` of the server state are those of all;
- a cycle keeps what has come of its body in ``body`` until the app receives it, pauses
  ``flow`` above ``HIGH_WATER_LIMIT``, and calls ``on_response_complete`` when it is answered.

``tests/app/middleware/test_uvicorn.py`` fails where another version of uvicorn does this otherwise.
"""

import asyncio
import sys
from typing import Any, Final

from httptools import HttpRequestParser
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from minecheck.app.middleware.flow import ReadingFlow

#: Parsing pauses once this many requests wait for an earlier answer on their connection.
_PIPELINED: Final = 32
#: Bytes that are parsed at once, but for those that are a body of a known length...
_SLICE: Final = 4096
#: ...until the parser has reported this many events: then others get their turn. A request costs as
#: much as many chunks.
_STEPS: Final = 1000
_REQUEST_STEPS: Final = 100


class Sliced(HttpToolsProtocol):
    """uvicorn's protocol, which parses a little at a time, and no further than some requests ahead.

    A wish for another protocol is ignored. `_take_in` parses a slice, and `_note_held` is called
    when more of what came in waits than a connection has room for.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        #: The bytes that were read and not parsed yet, their number, and True if parsing continues
        #: on its own.
        self._unread = b""
        self._parsed = 0
        self._goes_on = False
        #: The events that the parser has reported since others had their turn.
        self._steps = 0
        #: The bytes that are still to come of a body of a known length: one event, however many.
        self._body_left = 0
        #: The number of bytes that the parser has taken, and the head to feed again.
        self._stopped_at = 0
        self._without_wish: bytes | None = None
        #: True if incoming bytes are discarded.
        self._is_deaf = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Prepare to pause reading."""
        super().connection_made(transport)
        self.flow = ReadingFlow(transport, self._go_on)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what is not parsed yet."""
        self._unread = b""
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came in, a large piece in slices."""
        if self._unread:
            # Some transports have read it already when they are paused.
            self._unread = self._unread[self._parsed :] + data
            self._parsed = 0
            return
        self._steps = 0
        if len(data) <= _SLICE:
            self._take_in(data)
        else:
            self._unread, self._parsed = data, 0
            self._take_in_some()

    def _take_in(self, data: bytes) -> None:
        """Parse a slice."""
        raise NotImplementedError

    def _note_held(self) -> None:
        """Count what came in and waits."""
        raise NotImplementedError

    def _take_in_some(self) -> None:
        """Parse what was read, as far as others need not wait, and there is room for requests."""
        while self._parsed < len(self._unread) and not self._is_crowded():
            if self._steps > _STEPS:
                self._go_on()
                break
            piece = self._unread[self._parsed : self._parsed + max(_SLICE, self._body_left)]
            self._parsed += len(piece)
            self._take_in(piece)
        if self._parsed >= len(self._unread) or self._is_deaf:
            self._unread, self._parsed = b"", 0
        self._note_held()
        if not self.transport.is_closing():
            self.flow.set_behind(bool(self._unread))  # type: ignore[attr-defined]

    def _is_crowded(self) -> bool:
        """Return True if enough requests, or bytes of a body, wait for their turn."""
        if len(self.pipeline) >= _PIPELINED:
            return True
        # There is none before the first request, whatever its type says.
        return self.cycle is not None and len(self.cycle.body) > HIGH_WATER_LIMIT  # type: ignore[redundant-expr]

    def on_response_complete(self) -> None:
        """Go on with what waits for this answer."""
        if self.cycle.response_complete:
            # The events of an unwanted body would keep the rest of it from being parsed.
            self.cycle.body.clear()
        super().on_response_complete()
        self._note_held()
        if self._unread:
            self._go_on()

    def _go_on(self) -> None:
        """Parse on when others had their turn."""
        if not self._goes_on:
            self._goes_on = True
            self.loop.call_soon(self._continue)

    def _continue(self) -> None:
        self._goes_on = False
        self._steps = 0
        if self.transport.is_closing():
            self._unread = b""
        elif self._unread:
            self._take_in_some()

    def _parse_slice(self, data: bytes) -> None:
        """Feed the parser, which stops behind a head that wishes to go on in another protocol.

        RFC 9110, section 7.8: a server may ignore it. So a new one is fed the same head, without
        the wish, and goes on.
        """
        unread = memoryview(data)
        while unread and not self._is_deaf:
            self._stopped_at = len(unread)
            super().data_received(unread)  # type: ignore[arg-type]
            unread = unread[self._stopped_at :]
            if self._without_wish is not None:
                head, self._without_wish = self._without_wish, None
                self.parser = HttpRequestParser(self)
                # Deferred as in uvicorn, for the answer to be sent first.
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
                super().data_received(head)

    def _should_upgrade(self) -> bool:
        return False

    def _unsupported_upgrade_warning(self) -> None:
        """Note where the parser has stopped."""
        (self._stopped_at,) = sys.exc_info()[1].args  # type: ignore[union-attr]

    def _is_parsed_again(self) -> bool:
        """Return whether the head that has ended is parsed again, without a wish that it has."""
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            version = self.parser.get_http_version().encode()
            fields = (field for field in self.headers if field[0] != b"upgrade")
            lines = (b"%b: %b\r\n" % field for field in fields)
            request_line = b"%b %b HTTP/%b\r\n" % (self.parser.get_method(), self.url, version)
            self._without_wish = request_line + b"".join(lines) + b"\r\n"
        return self._without_wish is not None

    def on_headers_complete(self) -> None:
        """Count a head as work, and note how long its body is."""
        self._steps += _REQUEST_STEPS
        self._body_left = int(dict(self.headers).get(b"content-length", 0))
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Note that a chunk begins."""
        self._steps += 1

    def on_body(self, body: bytes) -> None:
        """Count a piece of a body as work."""
        self._steps += 1
        self._body_left -= len(body)
        super().on_body(body)
