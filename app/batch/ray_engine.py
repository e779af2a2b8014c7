"""Boards answered by a Ray cluster: the same code on every node, the same answers, in order.

A task reads, answers and, where the output is a folder, writes one span of lines, and gives one
row. Ray repeats what a lost node took with it: as a task gives one row or none, no line is lost or
answered twice. As many tasks are under way as keep all processors busy, and no more: what they
hold is bounded, however long the batch.
"""

import gc
import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from logging import ERROR
from math import inf
from pathlib import Path
from socket import AF_INET, SOCK_DGRAM, create_connection, socket
from typing import Any, Final, TypeAlias, TypeVar
from uuid import uuid4

from minecheck import __version__
from minecheck.app.batch import lines, parquet, splits
from minecheck.app.batch.batch_line import PROBLEM
from minecheck.app.batch.chunks import Pace
from minecheck.app.batch.columns import ReportProgress
from minecheck.app.batch.engine import Answers
from minecheck.app.batch.inputs import InputOptions
from minecheck.app.batch.lines import Report, Summary
from minecheck.app.batch.naming import FileError, name_file
from minecheck.app.batch.splits import Span
from minecheck.app.telemetry.faults import Fault, log_fault
from minecheck.solvers import FULL, Deadline, DeadlinePassed, Effort
from minecheck.solvers.effort import Share

Item = TypeVar("Item")
Found = TypeVar("Found")
#: A message of a task about its span.
Row: TypeAlias = dict[str, Any]

#: Bytes of a span whose answers come back: all of them are held at once.
_COLLECTED_BYTES: Final = 1 << 22
#: Bytes of a span whose answers a node writes itself.
_WRITTEN_BYTES: Final = 1 << 25
#: Lines that a node answers at once.
_CHUNK_LINES: Final = 64
#: Files up to this size are searched in this process.
_COUNTED_BYTES: Final = 1 << 28
#: Memory for answers that nobody has taken yet, where nodes are started here.
_STORE_BYTES: Final = 1 << 28
#: A node that does not answer for this many seconds is lost.
_REACHED_SECONDS: Final = 10.0
#: Tasks under way for each processor, those included whose rows nobody has taken yet.
_AHEAD: Final = 2
#: The number of times that a task is repeated after its node or process was lost. A board that
#: kills every process, by taking all memory, ends the batch then.
_RETRIES: Final = 10


class ClusterError(Exception):
    """A cluster that is not there or cannot go on, and why."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """The work on lines, on every node of a cluster with that many processors.

    ``version`` must be that of the code there.
    """

    options: InputOptions
    processors: int
    version: str = __version__


@contextmanager
def connect(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Run tasks on a cluster, or else on this machine, within a context.

    A cluster that is started here is on this machine, and ends afterwards.

    Args:
        address: the address of the cluster; None for that of ``RAY_ADDRESS``, as jobs of a cluster
            have it, or else this machine.
        processors: how many to use of this machine; None for all.

    Raises:
        ClusterError: Ray is missing, or there is no cluster.
    """
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    # Read when Ray is imported: what it counts and sends home, and whether it listens to others.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        if address == "local" or _is_on_loopback(address):
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    except OSError as error:
        raise ClusterError(f"--address {address}: {_first_line(error)}") from None
    ray = _import_ray()
    if ray.is_initialized():
        yield
        return
    local_cluster: dict[str, Any] = {
        "num_cpus": processors,
        "include_dashboard": False,
        "object_store_memory": _STORE_BYTES,
    }
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level=ERROR,
            **(local_cluster if address == "local" else {}),
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(f"--address {address}: {_first_line(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


def answer_lines(
    options: InputOptions,
    paths: Sequence[Path],
    skip: int,
    report: ReportProgress = lambda what, done, total: None,
) -> Generator[Answers]:
    """Answer lines in order, within `connect`.

    Args:
        options: how they are read, and what is asked.
        paths: the files.
        skip: how many lines are passed over first.
        report: a function that is called with the progress.

    Raises:
        OSError: a file cannot be read, at once.
        FileError: a Parquet file cannot be read, at once.
        ClusterError: the nodes failed, later.
    """
    whole = _list_spans(paths, options, _COLLECTED_BYTES)
    assignment = Assignment(options, _count_processors())
    return _collect_answers(whole, skip, assignment, report)


def answer_parts(
    paths: Sequence[Path],
    folder: Path,
    options: InputOptions,
    *,
    resume: bool = False,
    overwrite: bool = False,
    report: ReportProgress = lambda what, parts, total: None,
) -> tuple[int, int]:
    """Answer files into a folder that all nodes see, where they write, within `connect`.

    Its files, Parquet if the folder is named so, have the answers in order: part-FIRST-LAST are
    those to the lines with these numbers. Each file that is there is whole.

    Args:
        paths: the files.
        folder: the folder.
        options: how the files are read, and what is asked.
        resume: whether only missing answers are worked out.
        overwrite: whether answers that are there are removed.
        report: a function that is called with the progress.

    Returns:
        The number of lines, and of problems among them.

    Raises:
        OSError: a file cannot be read.
        FileError: a Parquet file cannot be read.
        ClusterError: there are answers already, or the nodes failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted(_line_numbers(path) for path in folder.glob("part-*"))
    if parts and overwrite:
        for path in folder.glob("part-*"):
            path.unlink()
        parts = []
    if parts and not resume:
        raise ClusterError(
            f"--output {folder}: there are answers already. Use --overwrite to replace them, "
            "--resume to continue, or name another folder."
        )
    whole = _list_spans(paths, options, _WRITTEN_BYTES)
    assignment = Assignment(options, _count_processors())
    spans = list(splits.skip_done(whole, [range(first, last + 1) for first, last in parts]))
    lines = problems = 0
    total = sum(span.lines for span in spans)
    report("lines", 0, total)
    for row in _take_results(partial(_write_span, span, assignment, folder) for span in spans):
        lines += row["lines"]
        problems += row["problems"]
        for fault in row["faults"]:
            log_fault(fault)
        report("lines", lines, total)
    # The spans that a lost node had begun.
    for path in folder.glob(".part-*"):
        path.unlink(missing_ok=True)
    return lines, problems


def share_work(
    work: Callable[[Item, Deadline], Found], items: Sequence[Item], deadline: Deadline
) -> list[Found]:
    """Share work for items as tasks of the cluster; see `Share`.

    Returns:
        The results in the order of the items.

    Raises:
        DeadlinePassed: not all items were done in time.
    """
    ray = _import_ray()
    call = ray.remote(max_retries=_RETRIES)(_work_within)
    # Sent once, however many tasks there are.
    sent = ray.put(work)
    under_way = [call.remote(sent, item, deadline.left) for item in items]
    waiting = under_way
    try:
        while waiting:
            # An exception in one of them ends the others.
            seconds = None if deadline.at == inf else max(0.0, deadline.left)
            finished, waiting = ray.wait(waiting, timeout=seconds)
            if not finished:
                raise DeadlinePassed
            ray.get(finished)
        return list(ray.get(under_way))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for task in waiting:
            ray.cancel(task)


def map_work(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Found]:
    """Return the results of ``work`` in order, as tasks of the cluster, within `connect`.

    Raises:
        ClusterError: what went wrong on the nodes.
    """
    return _take_results(partial(work, item) for item in items)


def cluster_effort(processors: int | None = None) -> Effort:
    """Return all effort, with the whole cluster (all its ``processors``) for expensive counts."""
    return replace(FULL, share=Share(share_work, processors or _count_processors()))


def _collect_answers(
    whole: Sequence[Span], skip: int, assignment: Assignment, report: ReportProgress
) -> Generator[Answers]:
    total = whole[-1].first + whole[-1].lines if whole else 0
    spans = splits.skip_done(whole, [range(skip)])
    done = skip
    report("lines", done, total)
    for row in _take_results(partial(_answer_span, span, assignment) for span in spans):
        if row["first"] != done:
            raise ClusterError(f"line {done} should come next, not {row['first']}")
        done += row["lines"]
        report("lines", done, total)
        for fault in row["faults"]:
            log_fault(fault)
        yield Answers(row["answers"], Summary(row["lines"], row["problems"]))


def _line_numbers(part: Path) -> tuple[int, int]:
    """Return the first and the last line that a part answers."""
    named = re.fullmatch(r"part-(\d+)-(\d+)", part.stem)
    if named is None:
        raise ClusterError(
            f"--output {part.parent}: {part.name} does not belong to a batch. Name another folder."
        )
    return int(named[1]), int(named[2])


def _is_on_loopback(address: str) -> bool:
    """Return True if nodes listen on the loopback interface only, which Ray does not search.

    Raises:
        OSError: nobody listens. Ray would try for two minutes, and end the process.
    """
    named = re.fullmatch(r"(ray://)?\[?([^/]+?)\]?:(\d{1,5})", address)
    if named is None:
        return False
    host, port = named[2], int(named[3])
    create_connection((host, port), timeout=_REACHED_SECONDS).close()
    if named[1] or host not in ("127.0.0.1", "localhost"):
        return False
    with socket(AF_INET, SOCK_DGRAM) as outwards, suppress(OSError):
        # Nothing is sent; the socket only shows the address by which others would see this machine.
        outwards.connect(("192.0.2.1", 9))
        create_connection((outwards.getsockname()[0], port), timeout=_REACHED_SECONDS).close()
        return False
    return True


def _count_processors() -> int:
    """Return the number of processors of all nodes."""
    return max(1, int(_import_ray().cluster_resources().get("CPU", 1)))


def _work_within(work: Callable[[Item, Deadline], Found], item: Item, seconds: float) -> Found:
    """Run work within ``seconds`` on a node, by the clock of that node."""
    return work(item, Deadline.in_seconds(None if seconds == inf else seconds))


def _list_spans(paths: Sequence[Path], options: InputOptions, most_bytes: int) -> list[Span]:
    """List spans of all files that know their lines; nodes count if there is much to look through.

    Raises:
        OSError, FileError: a file cannot be read.
        ClusterError: what went wrong on the nodes.
    """

    def count_lines(spans: Sequence[Span]) -> Iterable[int]:
        if sum(span.end - span.start for span in spans) <= _COUNTED_BYTES:
            return [splits.count_lines(span, options) for span in spans]
        return _count_spans(spans, options)

    return list(splits.list_spans(paths, options, _count_processors(), most_bytes, count_lines))


def _count_spans(spans: Sequence[Span], options: InputOptions) -> list[int]:
    """Count the lines of spans."""
    ray = _import_ray()
    count = ray.remote(max_retries=_RETRIES)(splits.count_lines)
    try:
        return list(ray.get([count.remote(span, options) for span in spans]))
    except (ray.exceptions.RayError, OSError, FileError) as error:
        raise ClusterError(_first_line(error)) from None


def _take_results(tasks: Iterable[Callable[[], Found]]) -> Iterator[Found]:
    """Yield what each task returns, in order.

    Raises:
        ClusterError: what went wrong on the nodes.
    """
    ray = _import_ray()
    call = ray.remote(max_retries=_RETRIES, scheduling_strategy="SPREAD")(_call_task)
    pending = iter(tasks)
    under_way: deque[Any] = deque()
    try:
        while True:
            # Looked up each time: nodes may have joined or left.
            room = _AHEAD * _count_processors() - len(under_way)
            under_way += [call.remote(task) for task in islice(pending, max(0, room))]
            if not under_way:
                return
            yield ray.get(under_way.popleft())
    except (ray.exceptions.RayError, OSError) as error:
        raise ClusterError(_first_line(error)) from None
    finally:
        for row in under_way:
            ray.cancel(row)


def _call_task(task: Callable[[], Found]) -> Found:
    """Return what a task returns, on a node."""
    return task()


def _answer_span(span: Span, assignment: Assignment) -> Row:
    """Return the answers to a span, all in one, on a node."""
    faults: list[Fault] = []
    texts = list(_answer_span_lines(span, assignment, faults.append))
    return {
        "first": span.first,
        "lines": span.lines,
        "problems": sum(text.startswith(PROBLEM) for text in texts),
        "answers": b"".join(texts),
        "faults": faults,
    }


def _write_span(span: Span, assignment: Assignment, folder: Path) -> Row:
    """Write the answers to a span into a file of their own, on a node."""
    part = folder / f"part-{span.first:012}-{span.first + span.lines - 1:012}"
    suffix = parquet.SUFFIX if parquet.is_parquet(folder) else ".ndjson"
    # Another node may be at it as well, given up for lost.
    begun = folder / f".{part.name}-{uuid4().hex}.ndjson"
    problems = 0
    faults: list[Fault] = []
    with name_file(begun), begun.open("wb") as file:
        for lines_written in _answer_span_lines(span, assignment, faults.append):
            problems += lines_written.startswith(PROBLEM)
            file.write(lines_written)
    if suffix == parquet.SUFFIX:
        packed = begun.with_suffix(suffix)
        operation = assignment.options.template.operation
        parquet.pack_answers(begun, packed, operation, lambda what, done, total: None)
        begun.unlink()
        begun = packed
    begun.replace(part.with_name(part.name + suffix))
    return {"lines": span.lines, "problems": problems, "faults": faults}


def _answer_span_lines(span: Span, assignment: Assignment, report: Report) -> Iterator[bytes]:
    """Yield the answer to each line, on a node."""
    if assignment.version != __version__:
        raise ClusterError(f"a node has minecheck {__version__}, not {assignment.version}")
    _freeze_garbage()
    whole = cluster_effort(assignment.processors)
    options = assignment.options
    for chunk in Pace(_CHUNK_LINES).cut_chunks(splits.read_span(span, options)):
        yield from lines.answer_unbounded(options.template, chunk, whole, report)


@cache
def _freeze_garbage() -> None:
    """Keep what Ray has loaded from garbage collection, once in a worker: all of it stays."""
    gc.collect()
    gc.freeze()


def _first_line(error: Exception) -> str:
    cause = getattr(error, "cause", error) or error
    message = str(cause).strip().partition("\n")[0]
    return message[:300] or type(cause).__name__


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ClusterError(
            "It needs the extra cluster: run pip install 'ray[data,serve]' pyarrow in this "
            "environment, or install minecheck[cluster]."
        ) from None
    return ray
