"""Layouts as lines of JSON, a page at a time, and a last line where there is no time for more."""

from typing import NamedTuple

import orjson

from app.answers import render
from app.answers.cells import drawing
from app.execution.rungs import check_offset
from app.requests.jobs import Job
from solvers import Answer


class Page(NamedTuple):
    """So many ``layouts`` as ``lines``, and the rest as in the answer and in the question."""

    lines: bytes
    layouts: int
    consistent: bool | None
    complete: bool
    next_offset: int | None
    seed: int


def page(job: Job, found: Answer) -> Page:
    """What is told of an answer.

    Raises:
        ProblemError: there is no layout of the number that was asked for.
    """
    check_offset(job.question, found)
    layouts, draw = found.layouts or [], drawing(job.question)
    lines = b"".join(render.line(draw, layout) for layout in layouts)
    known = found.consistent, found.complete, found.next_offset
    return Page(lines, len(layouts), *known, job.question.seed)


def cut_short(consistent: bool | None, offset: int) -> bytes:
    """The line that says that more layouts, from this one on, were not told in time."""
    said = {"complete": False, "consistent": consistent, "next_offset": str(offset)}
    return orjson.dumps(said) + b"\n"
