"""The file that answers are written to, one per line; a stopped batch continues after the last."""

import errno
import fcntl
from functools import cache
from pathlib import Path
from typing import IO, Final

from minecheck.app.batch.batch_line import PROBLEM
from minecheck.app.catalogue import OPERATIONS
from minecheck.app.operation import Operation
from minecheck.app.problems import ProblemError
from minecheck.app.requests.json_reader import LINE, read_json, read_object

_TASKS: Final = tuple(one for one in OPERATIONS if one.batched)


def open_journal(path: Path, operation: Operation, *, resume: bool) -> tuple[IO[bytes], int]:
    """Open the file for writing on, and return it and how many answers it has.

    What follows the last whole answer is cut off. While it is open, nobody else can open it.

    Args:
        path: the file.
        operation: the operation that its answers belong to.
        resume: whether the answers that it has are kept; else there are none.

    Raises:
        OSError: it cannot be written, somebody else has it open, or it holds something other than
            answers to the task.
    """
    file = path.open("a+b")
    try:
        _lock_file(file, path)
        whole, end = _count_answers(file, path, operation) if resume else (0, 0)
        file.truncate(end)
    except OSError:
        file.close()
        raise
    return file, whole


def _lock_file(file: IO[bytes], path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "another process is writing to it", str(path)) from None


def _count_answers(file: IO[bytes], path: Path, operation: Operation) -> tuple[int, int]:
    """Return the number of complete answers, and the position after the last one."""
    whole = end = 0
    last_answer = b""
    file.seek(0)
    for line in file:
        if not _begins_as_answer(line):
            reason = f"line {whole} is not an answer: --resume only continues after answers"
            raise OSError(errno.EINVAL, reason, str(path))
        if not line.endswith(b"\n"):
            break
        whole += 1
        end += len(line)
        last_answer = last_answer if line.startswith(PROBLEM) else line
    if last_answer and not _is_answer(last_answer, operation):
        tasks = [f"--task {one.name}" for one in _TASKS if _is_answer(last_answer, one)]
        task = tasks[0] if tasks else f"something other than --task {operation.name}"
        reason = f"it holds answers to {task}: --resume continues the same task"
        raise OSError(errno.EINVAL, reason, str(path))
    return whole, end


def _begins_as_answer(line: bytes) -> bool:
    """Return True if a line, perhaps unfinished, looks like an answer or a problem so far."""
    return any(
        line.startswith(beginning) or beginning.startswith(line) for beginning in _list_beginnings()
    )


@cache
def _list_beginnings() -> tuple[bytes, ...]:
    """List how problems begin, and answers: with their first field."""
    firsts = {next(iter(task.fields)) for task in _TASKS}
    return (PROBLEM, *(f'{{"{name}":'.encode() for name in firsts))


def _is_answer(line: bytes, operation: Operation) -> bool:
    """Return True if a line answers a question."""
    try:
        document = read_object(read_json(line, LINE), LINE)
    except ProblemError:
        return False
    # Its origin, and the fields that it repeats, follow its own.
    names = list(document)
    while names and names[-1] not in operation.fields:
        names.pop()
    return operation.is_answer(dict.fromkeys(names))
