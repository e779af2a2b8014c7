"""Calls that are answered in this process, and processes that do nothing else.

The process that speaks with the client loads no machine code, so that it answers at once. Calls are
answered in another process, which can be killed. As long as machine code is missing on this
machine, the interpreter runs the kernels there.
"""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from anyio import CancelScope, Lock, create_task_group, get_cancelled_exc_class, to_thread
from anyio.abc import TaskGroup

from minecheck.app.execution.compilation import compile_apart

if TYPE_CHECKING:
    from minecheck.app.mcp.tool import ToolAnswer

#: The names in `minefield.kernel_mode`, whose import would already decide how kernels run.
VARIABLE: Final = "MINECHECK_KERNELS"
_INTERPRETED: Final = "python"
_COMPILED: Final = "compiled"
#: Seconds beyond the deadline of a call until its process is killed: it may have to start, and the
#: interpreter looks at the time more rarely.
_GRACE: Final = 30.0


class LostCallError(Exception):
    """A process that answers calls ended, or had to be killed; the message says why."""


class AnsweringProcess:
    """A process that answers one call after the other.

    Args:
        kernels: how its kernels run, as in ``MINECHECK_KERNELS``.
    """

    def __init__(self, kernels: str) -> None:
        context = get_context("spawn")
        self._pipe, child_end = context.Pipe()
        self._process = context.Process(
            target=_answer_calls, args=(child_end, kernels), daemon=True
        )
        self._process.start()
        # The child has the only other end, so that its death is noticed.
        child_end.close()

    def call(self, name: str, arguments: Mapping[str, Any], seconds: float) -> "ToolAnswer":
        """Return the answer to a call, within a time in seconds.

        Raises:
            LostCallError: there is none; the process cannot be used any more.
        """
        try:
            self._pipe.send((name, dict(arguments)))
            if not self._pipe.poll(seconds):
                raise LostCallError("It took much longer than its deadline, and was ended.")
            answer: ToolAnswer = self._pipe.recv()
        except (EOFError, OSError):
            raise LostCallError("The process that was at work on it has ended.") from None
        return answer

    def wait_until_ready(self) -> None:
        """Wait until it has loaded all that it needs.

        Raises:
            LostCallError: it has ended.
        """
        self.call("", {}, 600.0)

    def kill(self) -> None:
        """End it, busy or not."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class LocalAnswerer:
    """Answers calls one after the other, in a process of its own.

    Use it as an asynchronous context manager. Meanwhile machine code is compiled where it is
    missing, in the background; from then on it is used.

    Args:
        kernels: how kernels run, as in ``MINECHECK_KERNELS``; None for this choice.
    """

    def __init__(self, kernels: str | None) -> None:
        self._chosen = kernels
        self._process: AnsweringProcess | None = None
        self._kernels = self._chosen or _INTERPRETED
        self._lock = Lock()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> "LocalAnswerer":
        """Start the process, and compile what is missing."""
        self._process = AnsweringProcess(self._kernels)
        self._tasks = create_task_group()
        await self._tasks.__aenter__()
        if not self._chosen:
            self._tasks.start_soon(self._compile_and_switch)
        return self

    async def __aexit__(self, *error: Any) -> None:
        """End what was started."""
        assert self._tasks is not None, "it was entered"
        self._tasks.cancel_scope.cancel()
        with suppress(get_cancelled_exc_class()):
            await self._tasks.__aexit__(None, None, None)
        if self._process is not None:
            self._process.kill()

    async def answer_call(
        self, name: str, arguments: Mapping[str, Any], request: object = None
    ) -> "ToolAnswer":
        """Return the answer to a call.

        Args:
            name: the name of the tool.
            arguments: its arguments.
            request: nothing: there is no HTTP.
        """
        from minecheck.app.mcp.answering import deadline_seconds
        from minecheck.app.mcp.tool import ToolAnswer

        async with self._lock:
            if self._process is None:
                self._process = await to_thread.run_sync(AnsweringProcess, self._kernels)
            process, is_answered = self._process, False
            seconds = deadline_seconds(arguments) + _GRACE
            try:
                answer = await to_thread.run_sync(
                    partial(process.call, name, arguments, seconds), abandon_on_cancel=True
                )
                is_answered = True
            except LostCallError as lost:
                return ToolAnswer(
                    f"ERROR: There is no answer. {lost}\n\nHow to fix it: Ask for less, such as "
                    "one cell or a smaller board, or try again.",
                    None,
                )
            finally:
                if not is_answered:
                    # The client has cancelled the call, or the process is lost.
                    self._process = None
                    process.kill()
            return answer

    async def _compile_and_switch(self) -> None:
        """Compile what is missing, then let a process with machine code answer."""
        # The call that the client is waiting for comes first.
        async with self._lock:
            if self._process is not None:
                with suppress(LostCallError):
                    await to_thread.run_sync(self._process.wait_until_ready, abandon_on_cancel=True)
        if await compile_apart():
            return
        fresh = await to_thread.run_sync(AnsweringProcess, _COMPILED)
        try:
            await to_thread.run_sync(fresh.wait_until_ready, abandon_on_cancel=True)
        except LostCallError:
            fresh.kill()
            return
        except get_cancelled_exc_class():
            fresh.kill()
            raise
        self._kernels = _COMPILED
        async with self._lock:
            before, self._process = self._process, fresh
        if before is not None:
            with CancelScope(shield=True):
                await to_thread.run_sync(before.kill)


def _answer_calls(pipe: Connection, kernels: str) -> None:
    """Answer calls until the other end of the pipe is closed; a call without a name says ready."""
    os.environ[VARIABLE] = kernels
    # Ctrl+C is for the process that speaks with the client.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from minecheck.app.mcp.answering import answer_call

    with suppress(EOFError, OSError):
        while True:
            name, arguments = pipe.recv()
            pipe.send(answer_call(name, arguments) if name else None)
