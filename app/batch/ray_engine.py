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
from collections.abc import Callable, Iterable, Iterator, Sequence
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

from app import __version__
from app.batch import lines, parquet, splits
from app.batch.chunks import Pace
from app.batch.engine import Answers
from app.batch.lines import Asked
from app.batch.naming import naming
from app.batch.parquet import Told
from app.batch.splits import Span
from solvers import FULL, Deadline, DeadlinePassed, Effort
from solvers.effort import Share

Item = TypeVar("Item")
Found = TypeVar("Found")
#: What a task says of its span.
Row: TypeAlias = dict[str, Any]

#: Bytes of a span whose answers come back: all of them are held at once.
_COLLECTED_BYTES: Final = 1 << 22
#: Bytes of a span whose answers a node writes itself.
_WRITTEN_BYTES: Final = 1 << 25
#: Lines that a node answers at once.
_CHUNK_LINES: Final = 64
#: Files of up to so many bytes are looked through here.
_COUNTED_BYTES: Final = 1 << 28
#: Memory for answers that nobody has taken yet, where nodes are started here.
_STORE_BYTES: Final = 1 << 28
#: Who does not answer for so many seconds is not there.
_REACHED_SECONDS: Final = 10.0
#: Tasks under way for each processor, those included whose rows nobody has taken yet.
_AHEAD: Final = 2
#: So often a task is repeated whose node or process was lost. What kills whoever touches it, as a
#: board that takes all memory, ends the batch then.
_RETRIES: Final = 10


class ClusterError(Exception):
    """A cluster that is not there or cannot go on, and why."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is done with lines, on every node of a cluster with so many processors.

    ``version`` must be that of the code there.
    """

    asked: Asked
    processors: int
    version: str = __version__


@contextmanager
def connected(address: str | None = None, processors: int | None = None) -> Iterator[None]:
    """Within, tasks run on the cluster at an address, or else on this machine.

    Without an address that of ``RAY_ADDRESS`` counts, as jobs of a cluster have it. A cluster that
    is started here is of this machine, and is gone afterwards.

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
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    here: dict[str, Any] = {
        "num_cpus": processors,
        "include_dashboard": False,
        "object_store_memory": _STORE_BYTES,
    }
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level=ERROR,
            **(here if address == "local" else {}),
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(f"--address {address}: {_first_line(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


def answered(
    asked: Asked,
    paths: Sequence[Path],
    skip: int,
    told: Told = lambda what, done, total: None,
) -> Iterator[Answers]:
    """Answers to the lines after the first ``skip``, in order; see `connected`.

    Raises:
        OSError, ParquetError: a file cannot be read, at once.
        ClusterError: what went wrong there, later.
    """
    whole = _spans(paths, _COLLECTED_BYTES)
    assignment = Assignment(asked, _processors())
    return _collected(whole, skip, assignment, told)


def answer_parts(
    paths: Sequence[Path],
    folder: Path,
    asked: Asked,
    *,
    resume: bool = False,
    told: Told = lambda what, done, total: None,
) -> tuple[int, int]:
    """Answer files into a folder that all nodes see, where they write themselves; see `connected`.

    Its files, Parquet if the folder is named so, have the answers in order: part-FIRST-LAST are
    those to the lines with these numbers. What is there is whole. With ``resume``, only what is
    missing is answered. Returns lines and problems.

    Raises:
        OSError, ParquetError: a file cannot be read.
        ClusterError: there are answers already, or what went wrong on the nodes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = sorted(_numbers(path) for path in folder.glob("part-*"))
    if done and not resume:
        raise ClusterError(
            f"--output {folder}: there are answers already. Name another folder, or use --resume."
        )
    whole = _spans(paths, _WRITTEN_BYTES)
    assignment = Assignment(asked, _processors())
    left = list(splits.without(whole, [range(first, last + 1) for first, last in done]))
    many = problems = 0
    total = sum(span.lines for span in left)
    told("lines", 0, total)
    for row in _rows(partial(_written, span, assignment, folder) for span in left):
        many += row["lines"]
        problems += row["problems"]
        told("lines", many, total)
    # What a lost node had begun.
    for path in folder.glob(".part-*"):
        path.unlink(missing_ok=True)
    return many, problems


def shared(
    work: Callable[[Item, Deadline], Found], items: Sequence[Item], deadline: Deadline
) -> list[Found]:
    """What ``work`` returns for each item, as tasks of the cluster; see `Share`."""
    ray = _ray()
    call = ray.remote(max_retries=_RETRIES)(_before)
    # Sent once, however many tasks there are.
    sent = ray.put(work)
    under_way = [call.remote(sent, item, deadline.left) for item in items]
    waiting = under_way
    try:
        while waiting:
            # What one of them raises ends the others.
            seconds = None if deadline.at == inf else max(0.0, deadline.left)
            done, waiting = ray.wait(waiting, timeout=seconds)
            if not done:
                raise DeadlinePassed
            ray.get(done)
        return list(ray.get(under_way))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for task in waiting:
            ray.cancel(task)


def mapped(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Found]:
    """What ``work`` returns for each item, in order, as tasks of the cluster; see `connected`.

    Raises:
        ClusterError: what went wrong on the nodes.
    """
    for row in _rows(partial(_found, work, item) for item in items):
        yield row["found"]


def effort(processors: int | None = None) -> Effort:
    """All effort, with the whole cluster (and all its ``processors``) for counts that are dear."""
    return replace(FULL, share=Share(shared, processors or _processors()))


def _collected(
    whole: Sequence[Span], skip: int, assignment: Assignment, told: Told
) -> Iterator[Answers]:
    total = whole[-1].first + whole[-1].lines if whole else 0
    left = splits.without(whole, [range(skip)])
    done = skip
    told("lines", done, total)
    for row in _rows(partial(_answers, span, assignment) for span in left):
        if row["first"] != done:
            raise ClusterError(f"line {done} should come next, not {row['first']}")
        done += row["lines"]
        told("lines", done, total)
        yield Answers(row["answers"], lines.summed_up(row["answers"].splitlines()))


def _numbers(part: Path) -> tuple[int, int]:
    """The first and the last line that a part answers."""
    named = re.fullmatch(r"part-(\d+)-(\d+)", part.stem)
    if named is None:
        raise ClusterError(
            f"--output {part.parent}: {part.name} does not belong to a batch. Name another folder."
        )
    return int(named[1]), int(named[2])


def _is_on_loopback(address: str) -> bool:
    """Whether nodes listen on the loopback interface alone, where Ray does not look for them.

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
        # Nothing is sent: this only tells by which address others would see this machine.
        outwards.connect(("192.0.2.1", 9))
        create_connection((outwards.getsockname()[0], port), timeout=_REACHED_SECONDS).close()
        return False
    return True


def _processors() -> int:
    """Those of all nodes."""
    return max(1, int(_ray().cluster_resources().get("CPU", 1)))


def _before(work: Callable[[Item, Deadline], Found], item: Item, seconds: float) -> Found:
    """On a node, whose clock is its own: do some work within so many seconds."""
    return work(item, Deadline.after(None if seconds == inf else seconds))


def _spans(paths: Sequence[Path], most_bytes: int) -> list[Span]:
    """All files in spans that know their lines, which nodes count if there is much to look through.

    Raises:
        OSError, ParquetError: a file cannot be read.
        ClusterError: what went wrong on the nodes.
    """
    found = splits.cut(paths, _processors(), most_bytes)
    few = sum(span.end - span.start for span in found) <= _COUNTED_BYTES
    counts = map(splits.count, found) if few else _counted(found)
    return list(splits.number(found, counts))


def _counted(found: Sequence[Span]) -> list[int]:
    """Lines of spans."""
    ray = _ray()
    count = ray.remote(max_retries=_RETRIES)(splits.count)
    try:
        return list(ray.get([count.remote(span) for span in found]))
    except (ray.exceptions.RayError, OSError) as error:
        raise ClusterError(_first_line(error)) from None


def _rows(tasks: Iterable[Callable[[], Row]]) -> Iterator[Row]:
    """The row that each task gives, in order.

    Raises:
        ClusterError: what went wrong on the nodes.
    """
    ray = _ray()
    call = ray.remote(max_retries=_RETRIES, scheduling_strategy="SPREAD")(_called)
    left = iter(tasks)
    under_way: deque[Any] = deque()
    try:
        while True:
            # Looked up each time: nodes may have joined or left.
            room = _AHEAD * _processors() - len(under_way)
            under_way += [call.remote(task) for task in islice(left, max(0, room))]
            if not under_way:
                return
            yield ray.get(under_way.popleft())
    except (ray.exceptions.RayError, OSError) as error:
        raise ClusterError(_first_line(error)) from None
    finally:
        for row in under_way:
            ray.cancel(row)


def _called(task: Callable[[], Row]) -> Row:
    """On a node: the row of a task."""
    return task()


def _found(work: Callable[[Item], Found], item: Item) -> Row:
    """On a node: what is found for an item."""
    return {"found": work(item)}


def _answers(span: Span, assignment: Assignment) -> Row:
    """On a node: the answers to a span, all in one."""
    return {"first": span.first, "lines": span.lines, "answers": b"".join(_told(span, assignment))}


def _written(span: Span, assignment: Assignment, folder: Path) -> Row:
    """On a node: the answers to a span, in a file of their own."""
    part = folder / f"part-{span.first:012}-{span.first + span.lines - 1:012}"
    suffix = parquet.SUFFIX if parquet.named(folder) else ".ndjson"
    # Another node may be at it as well, given up for lost.
    begun = folder / f".{part.name}-{uuid4().hex}.ndjson"
    problems = 0
    with naming(begun), begun.open("wb") as file:
        for told in _told(span, assignment):
            problems += told.startswith(lines.PROBLEM)
            file.write(told)
    if suffix == parquet.SUFFIX:
        packed = begun.with_suffix(suffix)
        parquet.pack(begun, packed, lambda what, done, total: None)
        begun.unlink()
        begun = packed
    begun.replace(part.with_name(part.name + suffix))
    return {"lines": span.lines, "problems": problems}


def _told(span: Span, assignment: Assignment) -> Iterator[bytes]:
    """On a node: the answer to each line."""
    if assignment.version != __version__:
        raise ClusterError(f"a node has minecheck {__version__}, not {assignment.version}")
    _settle()
    whole = effort(assignment.processors)
    number = span.first
    for chunk in Pace(_CHUNK_LINES).cut(lines.whole(splits.read(span))):
        yield from lines.here(assignment.asked, chunk, number, whole)
        number += len(chunk)


@cache
def _settle() -> None:
    """In a worker, once: all that Ray has loaded stays, and need not be looked at for garbage."""
    gc.collect()
    gc.freeze()


def _first_line(error: Exception) -> str:
    cause = getattr(error, "cause", error) or error
    said = str(cause).strip().partition("\n")[0]
    return said[:300] or type(cause).__name__


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ClusterError(
            "It needs the extra cluster: run pip install 'ray[data,serve]' pyarrow in this "
            "environment, or install minecheck[cluster]."
        ) from None
    return ray
