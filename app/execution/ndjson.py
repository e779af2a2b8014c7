"""Answers as lines of JSON: findings or layouts, a line each, and a last line on how it ended.

Findings are written as they are found, layouts a page at a time. The last line of layouts is there
only where there was no time for more.
"""

from itertools import islice
from typing import Any, NamedTuple

import orjson

from minecheck.app.execution.rungs import check_offset
from minecheck.app.requests.jobs import Job
from minecheck.solvers import Answer
from minecheck.solvers.answer import PagedAnswer
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.documents.render import write_conflict
from minecheck.solvers.tasks.sample import Sample


class Findings:
    """The lines of the answer to one job, each of which is written once."""

    def __init__(self, job: Job) -> None:
        assert job.operation.stream is not None, "the question is one that is streamed"
        assert job.operation.stream.found is not None, "a set at a time, not in pages"
        self._sets = job.operation.stream.found
        self._draw = choose_drawing(job.question)
        self._written = 0

    def list_new_lines(self, answer: Answer) -> bytes:
        """Return the lines of what was found since the last call."""
        sets = self._sets(answer)
        new_sets = [] if sets is None else list(islice(sets.sets, self._written, None))
        self._written += len(new_sets)
        return b"".join(_render_line(write_conflict(self._draw, clue_set)) for clue_set in new_sets)

    def last_line(self, answer: Answer) -> bytes:
        """Return the last line, of an answer to which no more is added."""
        sets = self._sets(answer)
        more = None if sets is None else sets.more
        return render_last_line(answer.consistent, complete=answer.complete, more=more)


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
    lines = b"".join(_render_line(draw.render_layout(layout)) for layout in layouts)
    facts = answer.consistent, answer.complete, answer.next_offset
    seed = job.question.seed if isinstance(job.question, Sample) else 0
    return Page(lines, len(layouts), *facts, seed)


def render_last_line(consistent: bool | None, *, complete: bool, more: bool | None) -> bytes:
    """Return the last line of findings.

    Args:
        consistent: the verdict, None if there is none.
        complete: whether all was found in time.
        more: whether there are, or may be, others; None if that is not known.
    """
    return _render_line({"complete": complete, "consistent": consistent, "more": more})


def render_end_of_cut_findings(consistent: bool | None) -> bytes:
    """Return the last line of findings if nobody else can write it.

    Only an inconsistent board may have more.
    """
    return render_last_line(
        consistent, complete=False, more=None if consistent is None else not consistent
    )


def render_end_of_cut_pages(consistent: bool | None, offset: int) -> bytes:
    """Return the line that says that layouts from a number on were not listed in time.

    Args:
        consistent: the verdict, None if there is none.
        offset: the number of the first layout that is missing.
    """
    return _render_line({"complete": False, "consistent": consistent, "next_offset": str(offset)})


def _render_line(value: Any) -> bytes:
    return orjson.dumps(value) + b"\n"
