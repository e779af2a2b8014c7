"""Answers to calls in this process, which loads nothing of the service."""

import traceback
from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import Any

from minecheck.app import problems
from minecheck.app.execution.rungs import answer_fully
from minecheck.app.limits import Limits
from minecheck.app.mcp.calls import describe_problem, limit_calls, read_call, render_answer
from minecheck.app.mcp.tool import ToolAnswer
from minecheck.app.problems import ProblemError
from minecheck.app.settings import Settings
from minecheck.solvers import FULL


@cache
def load_tool_limits() -> Limits:
    """Return the limits of calls on this machine.

    Raises:
        SettingsError: a setting of the environment makes no sense.
    """
    return limit_calls(Settings())


def deadline_seconds(arguments: Mapping[str, Any]) -> float:
    """Return the seconds that a call has, also if its arguments are wrong."""
    limits, requested = load_tool_limits(), arguments.get("deadline_ms")
    milliseconds = requested if type(requested) is int else limits.deadline_ms
    return min(max(milliseconds, 0), limits.max_deadline_ms) / 1000


def answer_call(name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Return the answer to a call, by this process alone.

    Args:
        name: the name of the tool.
        arguments: its arguments.
    """
    try:
        call = read_call(name, arguments, load_tool_limits(), monotonic())
        body = b"" if call.job is None else answer_fully(call.job, FULL)
        return render_answer(call, body)
    except ProblemError as error:
        return describe_problem(error)
    except Exception:  # noqa: BLE001 - reported, and the next call is answered
        traceback.print_exc()
        return describe_problem(problems.make_defect_problem())
