"""The lifespan of the service: work before the first and after the last request."""

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

from minecheck import __version__
from minecheck.app.execution import memory, warm
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.compilation import Compilation, Report, compile_apart
from minecheck.app.execution.ladder import Ladder
from minecheck.app.execution.rehearsal import rehearse_examples, rehearse_reading
from minecheck.app.execution.workers import Workers
from minecheck.app.games.redis_games import RedisGames
from minecheck.app.games.stores import Games, MemoryGames
from minecheck.app.middleware.connections import REFUSED
from minecheck.app.requests.body import ReadingTurns
from minecheck.app.requests.budget import BUDGET, MemoryBudget
from minecheck.app.settings import Settings, list_unknown
from minecheck.app.telemetry.lag import Lag
from minecheck.app.telemetry.tracing import Traces
from minecheck.minefield.kernel_mode import MODE, Mode
from minecheck.solvers import INLINE

_SETTINGS: Final = logging.getLogger("minecheck.settings")
_STARTING: Final = logging.getLogger("minecheck.starting")


def build_lifespan(
    settings: Settings,
    traces: Traces,
    count_rejection: Callable[[int], None],
    lag: Lag,
    budget: MemoryBudget,
) -> Callable[[FastAPI], AbstractAsyncContextManager[dict[str, Any]]]:
    """Build the start and the end of an application.

    Args:
        settings: the settings of the service.
        traces: the traces of requests.
        count_rejection: a function called with the status of each rejection by the server.
        lag: what watches the event loop.
        budget: the memory for requests in progress.
    """

    @asynccontextmanager
    async def run_app(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        memory.use_one_heap()
        for line in list_unknown():
            _SETTINGS.warning("%s", line)
        cache = app.state.cache = Cache.from_settings(settings, __version__)
        games = app.state.games = make_games(settings)
        app.state.reading = ReadingTurns()
        async with traces.send_spans():
            compiling = None
            if missing := warm.list_missing() or warm.list_unkept():
                compiling = asyncio.create_task(_compile_and_start(app.state, len(missing)))
            else:
                await _start_app(app.state)
            watching = asyncio.create_task(lag.watch_lag())
            tidying = asyncio.create_task(_give_memory_back())
            with _on_signals(lambda: _leave_app(app.state)):
                yield {REFUSED: count_rejection, BUDGET: budget}
            _leave_app(app.state)
            watching.cancel()
            tidying.cancel()
            if app.state.mcp is not None:
                await app.state.mcp.close()
            if compiling is not None:
                compiling.cancel()
                with suppress(asyncio.CancelledError):
                    await compiling
            if app.state.workers is not None:
                app.state.workers.close()
            await cache.close()
            await games.close()

    return run_app


async def _give_memory_back() -> None:
    """Give back what requests have freed, whenever there is little to do, until cancelled."""
    keeper = memory.Keeper()
    while True:
        await asyncio.sleep(memory.LOOK_SECONDS)
        if keeper.is_worthwhile():
            await asyncio.to_thread(keeper.trim)


def make_games(settings: Settings) -> Games:
    """Return the store of games."""
    if settings.redis_url is None:
        return MemoryGames(settings.games_mb, settings.game_seconds)
    return RedisGames(settings.redis_url, settings.game_seconds, settings.max_cells)


async def _start_app(state: State, report: Report = lambda done, whole: None) -> None:
    """Prepare everything that an answer needs, and ``report`` the progress of compiling."""
    settings: Settings = state.settings
    workers = state.workers = Workers(settings.workers, settings.worker_memory_mb, settings.queue)
    # Compiling runs outside the loop, which meanwhile answers that the service is not ready.
    await asyncio.gather(asyncio.to_thread(warm.load_kernels, report), workers.wait_until_ready())
    if MODE is not Mode.PYTHON:
        await asyncio.to_thread(rehearse_examples, INLINE)
    await asyncio.to_thread(rehearse_reading)
    # What is here now stays: the collector need not look at it again and again.
    gc.freeze()
    state.ladder = Ladder(workers, state.cache, state.games)
    state.ready = True


async def _compile_and_start(state: State, missing: int) -> None:
    """Start once all is compiled that is not yet; until then say how far it is."""
    whole = len(warm.list_kernels())
    compilation = state.compiling = Compilation(whole - missing, whole)
    how_often = "at each start" if warm.list_unkept() else "once on this machine"

    def report_compiling(done: int, whole: int) -> None:
        compilation.report(done, whole)
        _STARTING.info("Compiled %d of %d kernels (%s)", done, whole, how_often)

    try:
        if warm.list_missing():
            await compile_apart(report_compiling)
        await _start_app(state, report_compiling)
    except Exception:  # noqa: BLE001 - logged, and the service ends
        _STARTING.exception("The service failed to start, and stops")
        signal.raise_signal(signal.SIGTERM)
    else:
        state.compiling = None
        _STARTING.info("All kernels are compiled: the service is ready")


def _leave_app(state: State) -> None:
    """Take no new work, and end what runs soon."""
    state.ready = False
    if state.workers is not None:
        state.workers.hurry_up()


@contextmanager
def _on_signals(leave: Callable[[], None]) -> Iterator[None]:
    """Call ``leave`` on SIGINT and SIGTERM, before the handlers of the server."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle_signal(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(leave)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in before:
        signal.signal(number, handle_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
