"""Work that people wait for: it can be interrupted, and a terminal shows that it goes on."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Final, TextIO, TypeVar

_Result = TypeVar("_Result")
#: A terminal shows, at intervals in seconds, that work goes on.
_PERIOD: Final = 1.0


def run_in_thread(work: Callable[[], _Result]) -> _Result:
    """Run ``work`` in a thread of its own, so that Ctrl-C is ours, and return its result.

    In the main thread PySAT takes the signal for itself.
    """
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    with show_waiting(lambda: "Working"):
        return future.result()


@contextmanager
def show_waiting(
    describe: Callable[[], str], stream: TextIO | None = None, period: float = _PERIOD
) -> Iterator[None]:
    """Show on a terminal, again and again within a context, what goes on and for how long.

    Args:
        describe: returns what goes on; an empty text leaves the line as it is.
        stream: where it is shown, if that is a terminal; by default standard error.
        period: seconds between two updates.
    """
    shown = sys.stderr if stream is None else stream
    if not shown.isatty():
        yield
        return
    ended = Event()
    ticker = Thread(target=_show_seconds, args=(describe, shown, ended, period), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        ended.set()
        ticker.join()


def _show_seconds(describe: Callable[[], str], shown: TextIO, ended: Event, period: float) -> None:
    started = monotonic()
    is_dirty = False
    while not ended.wait(period):
        if text := describe():
            # The line is erased to its end, since another one may have stood there.
            print(f"\r{text}, {monotonic() - started:.0f} s\x1b[K", end="", file=shown, flush=True)
            is_dirty = True
    if is_dirty:
        print("\r\x1b[K", end="", file=shown, flush=True)
