"""The first rung: questions about positions of games, answered where they are read.

That takes some ten microseconds, from bytes to bytes by `solvers.positions`, or from a job whose
board came in another form. What is left goes on with what was read and found.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from minecheck.app.operation import Operation
from minecheck.app.requests.jobs import Job
from minecheck.solvers import Progress
from minecheck.solvers.position_answers import is_complete_for, look_at_position
from minecheck.solvers.positions.pipeline import (
    AnsweredLines,
    ParsedLine,
    answer_position_lines,
    leave_lines,
)
from minecheck.solvers.positions.write import write_answer

if TYPE_CHECKING:
    # Commands come here, too, and have no settings.
    from minecheck.app.settings import Settings

#: The most cells of boards that are solved and written in this process. Calling a worker takes
#: milliseconds; a position of this size is solved in a tenth of one, and the hardest in about ten.
MOST_CELLS: Final = 4096
#: Letters of the longest lines that are read here: more than a board that is taken needs.
_LONGEST: Final = 8 * MOST_CELLS


def answer_together(
    operation: Operation, lines: Sequence[bytes], defaults: Mapping[str, Any], settings: "Settings"
) -> AnsweredLines:
    """Answer the lines that are questions about positions, without making jobs of them."""
    total = defaults.get("mines")
    if not operation.at_once or not defaults.keys() <= {"mines"} or not _is_total(total):
        return leave_lines(len(lines))
    longest = min(_LONGEST, settings.max_body_bytes)
    most_cells = min(MOST_CELLS, settings.max_cells)
    return answer_position_lines(lines, operation.at_once, total, longest, most_cells)


def answer_job(job: Job, progress: Progress) -> bytes | None:
    """Return the answer to a question about a position, or None."""
    if progress.looked or not job.operation.at_once or job.cells > MOST_CELLS:
        return None
    started = perf_counter()
    position = look_at_position(job.question, progress)
    if not is_complete_for(position, job.question.by_mines):
        return None
    return write_answer(position, job.operation.at_once, perf_counter() - started)


def make_progress(read: ParsedLine | None) -> Progress:
    """Return how far a question got that was read here and left."""
    return Progress() if read is None else Progress(looked=read.looked, position=read.position)


def _is_total(value: object) -> bool:
    return value is None or (type(value) is int and 0 <= value < 2**31)
