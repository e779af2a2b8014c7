"""Work that goes on for more than a second is shown on a terminal."""

import io
from threading import Event

import pytest

from minecheck.app.cli import waiting


class Terminal(io.StringIO):
    """A terminal that tells when something has been shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.shown.set()


def test_show_waiting_prints_progress_on_terminal_and_erases_line() -> None:
    terminal = Terminal()
    with waiting.show_waiting(lambda: "Working", terminal, period=0.001):
        assert terminal.shown.wait(30)
    shown = terminal.getvalue()
    assert shown.startswith("\rWorking, 0 s\x1b[K")
    assert shown.endswith("\r\x1b[K")


def test_show_waiting_prints_nothing_to_pipe() -> None:
    pipe = io.StringIO()
    with waiting.show_waiting(lambda: "Working", pipe, period=0.0):
        pass
    assert pipe.getvalue() == ""


def test_run_aside_raises_error_of_work() -> None:
    def fail() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        waiting.run_in_thread(fail)
    assert waiting.run_in_thread(lambda: 3) == 3
