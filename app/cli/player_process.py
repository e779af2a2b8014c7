"""Players that are programs of their own: two lines say the position, one line names the cell.

A program gets, for each move, a line ``ROWS COLS MINES`` and a line with the rows of the board,
joined by ``/``; it answers with a line ``ROW COL``. Whatever it does instead ends the game, and
nothing more: it is killed with all that it has started, and started again.
"""

import os
import re
import selectors
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

from minecheck.app.cli.process_tree import kill_session
from minecheck.minefield import draw
from minecheck.minefield.board import Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.games.evaluation import GameEnd, PlayerFaultError

_ANSWER: Final = re.compile(rb"[ \t]*(\d{1,9})[ \t,]+(\d{1,9})[ \t]*\r?\n")
#: The most bytes of an answer.
_MOST_BYTES: Final = 1024
#: The most times in a row that a program is started although it hangs or ends without an answer.
_MOST_STARTS: Final = 3


def format_position(board: Board, mines: int) -> bytes:
    """Return the two lines that ask for a cell."""
    return f"{board.height} {board.width} {mines}\n{'/'.join(draw(board))}\n".encode()


class ProcessPlayer:
    """A player that is a program. Use it as a context manager, which ends the program.

    Args:
        command: the program and its arguments.
        seconds: the time for each move.
    """

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._command = command
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._failed_starts = 0
        self._failure = GameEnd.DIED

    def __enter__(self) -> "ProcessPlayer":
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def begin_game(self) -> None:
        """Start the program if it does not run.

        Raises:
            PlayerFaultError: it cannot be started, or has ended too often.
        """
        if self._process is not None:
            return
        if self._failed_starts >= _MOST_STARTS:
            raise PlayerFaultError(self._failure)
        self._failed_starts += 1
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError:
            raise PlayerFaultError(GameEnd.DIED) from None
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None, "both are pipes"
            os.set_blocking(stream.fileno(), False)

    def choose_cell(self, board: Board, mines: int) -> Coordinates:
        """Return the cell that the program names.

        Raises:
            PlayerFaultError: it names none, in time, in one line.
        """
        try:
            answer = self._exchange(format_position(board, mines))
            match = _ANSWER.fullmatch(answer)
            if match is None:
                raise PlayerFaultError(GameEnd.ILLEGAL)
        except PlayerFaultError as fault:
            # A late line would be taken for an answer to the next position.
            self._end()
            self._failure = fault.outcome
            if fault.outcome is GameEnd.ILLEGAL:
                self._failed_starts = 0
            raise
        self._failed_starts = 0
        return int(match[1]), int(match[2])

    def _exchange(self, position: bytes) -> bytes:
        """Send a position, and return what the program says up to the end of a line, or more.

        Raises:
            PlayerFaultError: there was no line in time, or it said something before it was asked.
        """
        process = self._process
        assert process is not None, "a game has begun"
        assert process.stdin is not None, "it is a pipe"
        assert process.stdout is not None, "it is a pipe"
        until = monotonic() + self._seconds
        answer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if selector.select(0):
                raise PlayerFaultError(GameEnd.ILLEGAL if process.stdout.read(1) else GameEnd.DIED)
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while b"\n" not in answer:
                ready = selector.select(max(0.0, until - monotonic()))
                if not ready:
                    raise PlayerFaultError(GameEnd.LATE)
                for key, _ in ready:
                    if key.fileobj is process.stdin:
                        position = _write_some(key.fd, position)
                        if not position:
                            selector.unregister(process.stdin)
                        continue
                    piece = os.read(key.fd, _MOST_BYTES)
                    if not piece:
                        raise PlayerFaultError(GameEnd.DIED)
                    answer += piece
                if len(answer) >= _MOST_BYTES:
                    raise PlayerFaultError(GameEnd.ILLEGAL)
        if position:
            # It answered before it had been asked in full.
            raise PlayerFaultError(GameEnd.ILLEGAL)
        return answer

    def _end(self) -> None:
        """End the program and all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        kill_session(process.pid)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _write_some(file: int, text: bytes) -> bytes:
    """Write as much of a text as fits, and return the rest.

    Raises:
        PlayerFaultError: nobody reads it any more.
    """
    try:
        return text[os.write(file, text) :]
    except BlockingIOError:
        return text
    except OSError:
        raise PlayerFaultError(GameEnd.DIED) from None
