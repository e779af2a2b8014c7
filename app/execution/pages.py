"""Layouts as lines of JSON, a page at a time, and a last line where there is no time for more."""

from typing import NamedTuple

import orjson

from minecheck.app.execution.rungs import check_offset
from minecheck.app.requests.jobs import Job
from minecheck.solvers import Answer
from minecheck.solvers.answer import PagedAnswer
from minecheck.solvers.documents import render
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.tasks.sample import Sample


class Page(NamedTuple):
    """A page of ``layouts`` as ``lines``, with the other fields of answer and question."""

    lines: bytes
    layouts: int
    consistent: bool | None
    complete: bool
    next_offset: int | None
    seed: int


def render_page(job: Job, answer: Answer) -> Page:
    """Return the facts of an answer that streaming needs.

    Raises:
        ProblemError: the offset is above the number of layouts.
    """
    check_offset(job.question, answer)
    assert isinstance(answer, PagedAnswer), "only layouts have pages"
    layouts, draw = answer.layouts or [], choose_drawing(job.question)
    lines = b"".join(render.render_line(draw, layout) for layout in layouts)
    facts = answer.consistent, answer.complete, answer.next_offset
    seed = job.question.seed if isinstance(job.question, Sample) else 0
    return Page(lines, len(layouts), *facts, seed)


def render_incomplete_ending(consistent: bool | None, offset: int) -> bytes:
    """Return the line that says that layouts from a number on were not listed in time.

    Args:
        consistent: the verdict, None if there is none.
        offset: the number of the first layout that is missing.
    """
    last_line = {"complete": False, "consistent": consistent, "next_offset": str(offset)}
    return orjson.dumps(last_line) + b"\n"
