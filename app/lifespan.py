"""What happens before the first and after the last request."""

import asyncio
import gc
import logging
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any, Final

from fastapi import FastAPI
from starlette.datastructures import State

from app import __version__
from app.execution import warm
from app.execution.cache import Cache
from app.execution.games import Games, MemoryGames
from app.execution.ladder import Ladder
from app.execution.redis_games import RedisGames
from app.execution.rehearsal import rehearse
from app.execution.workers import Workers
from app.middleware.connections import REFUSED
from app.settings import Settings, unknown
from app.telemetry.lag import Lag
from app.telemetry.tracing import Traces
from solvers import INLINE

_SETTINGS: Final = logging.getLogger("minecheck.settings")
_STARTING: Final = logging.getLogger("minecheck.starting")


def lifespan(
    settings: Settings, traces: Traces, refused: Callable[[int], None], lag: Lag
) -> Callable[[FastAPI], AbstractAsyncContextManager[dict[str, Any]]]:
    """The start and the end of an application.

    ``refused`` counts what its server turns away, ``lag`` watches its event loop.
    """

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        for line in unknown():
            _SETTINGS.warning("%s", line)
        cache = app.state.cache = Cache.of(settings, __version__)
        games = app.state.games = games_of(settings)
        # When it is first asked for, it would hold the event loop.
        described = asyncio.create_task(asyncio.to_thread(app.openapi))
        async with traces.sent():
            compiling = None
            if missing := warm.missing() or warm.unkept():
                compiling = asyncio.create_task(_compile_and_start(app.state, len(missing)))
            else:
                await _start(app.state)
            await described
            watching = asyncio.create_task(lag.watch())
            with _on_signals(lambda: _leave(app.state)):
                yield {REFUSED: refused}
            _leave(app.state)
            watching.cancel()
            if compiling is not None:
                compiling.cancel()
                with suppress(asyncio.CancelledError):
                    await compiling
            if app.state.workers is not None:
                app.state.workers.close()
            await cache.close()
            await games.close()

    return living


def games_of(settings: Settings) -> Games:
    """Where games are kept."""
    if settings.redis_url is None:
        return MemoryGames(settings.games_mb, settings.game_seconds)
    return RedisGames(settings.redis_url, settings.game_seconds)


async def _start(state: State, tell: warm.Tell = lambda done, whole: None) -> None:
    """Have everything ready that an answer needs; ``tell`` how far the machine code is."""
    settings: Settings = state.settings
    workers = state.workers = Workers(settings.workers, settings.worker_memory_mb, settings.queue)
    # Beside the loop, which tells meanwhile that the service is not ready.
    await asyncio.gather(asyncio.to_thread(warm.load, tell), workers.ready())
    await asyncio.to_thread(rehearse, INLINE)
    # What is here now stays: the collector need not look at it again and again.
    gc.freeze()
    state.ladder = Ladder(workers, state.cache)
    state.compiling = None
    state.ready = True


async def _compile_and_start(state: State, missing: int) -> None:
    """Start once all is compiled that is not yet; until then say how far it is."""
    whole = len(warm.kernels())
    state.compiling = whole - missing, whole
    how_often = "at each start" if warm.unkept() else "once on this machine"

    def tell(done: int, whole: int) -> None:
        state.compiling = done, whole
        _STARTING.info("Compiling %d of %d, %s", done, whole, how_often)

    try:
        await warm.compile_apart(tell)
        await _start(state, tell)
    except Exception:  # noqa: BLE001 - told, and the service ends
        _STARTING.exception("The service cannot start")
        signal.raise_signal(signal.SIGTERM)
    else:
        _STARTING.info("Ready")


def _leave(state: State) -> None:
    """Take no new work, and end what runs soon."""
    state.ready = False
    if state.workers is not None:
        state.workers.timed.hurry()


@contextmanager
def _on_signals(leave: Callable[[], None]) -> Iterator[None]:
    """Call ``leave`` on SIGINT and SIGTERM, before whoever handles them now (the server)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(leave)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
