"""Answers to calls by the ladder of the service."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import monotonic
from typing import Any, Final

from anyio import to_thread

from minecheck.app import problems
from minecheck.app.execution.ladder import Ladder
from minecheck.app.limits import Limits
from minecheck.app.mcp.calls import describe_problem, read_call, render_answer
from minecheck.app.mcp.tool import ToolAnswer
from minecheck.app.problems import ProblemError
from minecheck.app.telemetry.faults import Fault

#: Larger texts are read, and their answers written, in a thread.
_SMALL: Final = 4096


async def answer_by_ladder(
    name: str,
    arguments: Mapping[str, Any],
    ladder: Ladder,
    limits: Limits,
    client_left: Callable[[], Awaitable[object]],
    report_fault: Callable[[Fault], None],
) -> ToolAnswer:
    """Return the answer to a call, by the ladder of the service.

    Args:
        name: the name of the tool.
        arguments: its arguments.
        ladder: the ladder.
        limits: the limits of calls.
        client_left: a function that returns when the client has left.
        report_fault: a function that is called with unexpected exceptions.
    """
    try:
        read = partial(read_call, name, arguments, limits, monotonic())
        is_small = (
            sum(len(value) for value in arguments.values() if isinstance(value, str)) <= _SMALL
        )
        call = read() if is_small else await to_thread.run_sync(read)
        body = b"" if call.job is None else await ladder.answer_body(call.job, client_left)
        if len(body) <= _SMALL:
            return render_answer(call, body)
        return await to_thread.run_sync(render_answer, call, body)
    except ProblemError as error:
        return describe_problem(error)
    except Exception as error:  # noqa: BLE001 - reported, and the client has an answer
        report_fault(Fault.from_exception(error))
        return describe_problem(problems.make_defect_problem())
