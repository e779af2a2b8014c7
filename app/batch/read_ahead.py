"""The body of a batch, for clients that send all of it before they read any answers.

Most libraries do, curl does not. Else the service would wait for such a client to take answers, and
the client for the service to take the body.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

from starlette.types import Receive

from minecheck.app.batch.memory import BatchMemory

#: Seconds after which a client that takes no answers seems to send all before it reads.
_PATIENCE: Final = 1.0
#: Bytes for which there has to be room before more is received: about what a message brings.
_PIECE: Final = 1 << 16


class ClientLeft(Exception):
    """The client has left."""


class ReadAhead:
    """Receives a body piece by piece as it is wanted, and ahead while its client takes no answers.

    Args:
        receive: receives the next message of the request.
        memory: what the batch holds, which pieces that are not wanted yet are part of.
        most: the bytes of such pieces.
        patience: the seconds for which answers wait before the body is read ahead.
    """

    def __init__(
        self, receive: Receive, memory: BatchMemory, most: int, patience: float = _PATIENCE
    ) -> None:
        self._receive = receive
        self._memory = memory
        self._most = most
        self._patience = patience
        self._pieces: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        #: The bytes of these pieces.
        self._size = 0
        #: True while answers wait for the client.
        self._is_stuck = False
        self._may_receive = asyncio.Event()

    async def iterate_pieces(self) -> AsyncIterator[bytes]:
        """Yield the body, as it comes in.

        Raises:
            ClientLeft: the client has left.
            ProblemError: the client took too long.
        """
        while True:
            if self._pieces.empty():
                self._may_receive.set()
            piece = await self._pieces.get()
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            self._count_bytes(-len(piece))
            yield piece

    async def receive_pieces(self) -> None:
        """Receive the body to its end: a task of its own."""
        more = True
        while more:
            await self._may_receive.wait()
            try:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise ClientLeft
            except Exception as error:  # noqa: BLE001 - raised where the pieces are taken
                self._pieces.put_nowait(error)
                return
            piece = message.get("body", b"")
            self._pieces.put_nowait(piece)
            self._count_bytes(len(piece))
            more = message.get("more_body", False)
            if not self._may_go_on():
                self._may_receive.clear()
        self._pieces.put_nowait(None)

    @contextmanager
    def watch_sending(self) -> Iterator[None]:
        """Read ahead, within a context, once a piece of the answers waits for the client."""
        timer = asyncio.get_running_loop().call_later(self._patience, self._begin_ahead)
        try:
            yield
        finally:
            timer.cancel()
            self._is_stuck = False

    def _begin_ahead(self) -> None:
        self._is_stuck = True
        if self._may_go_on():
            self._may_receive.set()

    def _may_go_on(self) -> bool:
        """Return True if there is room for pieces that are not wanted yet."""
        return self._is_stuck and self._size < self._most and self._memory.has_room(_PIECE)

    def _count_bytes(self, more: int) -> None:
        self._size += more
        self._memory.count_ahead(self._size)
