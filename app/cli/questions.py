"""The commands that ask questions: one for each record, its fields as options."""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from math import isfinite
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import typer
from pydantic import BaseModel

from app.cli import show
from app.cli.boards import File, Form, Json, Seconds, Trust, read_board
from app.cli.ending import CONSISTENT, INCONSISTENT, NO_ANSWER, fail
from app.execution import rungs
from app.problems import ProblemError
from app.questions import Record
from app.questions.fields import ways
from app.requests.jobs import Job, job
from solvers import FULL, Answer, Deadline, Effort

_Found = TypeVar("_Found")


class EngineName(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    RAY = "ray"


Where = Annotated[
    EngineName,
    typer.Option("--engine", help="Where the work is done: on this machine, or on a Ray cluster"),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="Address of the Ray cluster, such as auto or HOST:6379; by default one starts here"
    ),
]


class Unlimited(NamedTuple):
    """The limits of commands; how long they may take is an option of its own."""

    max_cells: int = sys.maxsize
    max_layouts: int = sys.maxsize
    deadline_ms: int = sys.maxsize
    max_deadline_ms: int = sys.maxsize


#: Fields of requests that are no options, or are given in another way.
_ELSEWHERE: Final = frozenset({"board", "rules", "total_cells", "layout", "flags", "deadline_ms"})
#: Questions that a cluster can answer together: it counts.
_SHARED: Final = frozenset({"count"})
#: Options by the type of the field that they stand for.
_TYPES: Final = {"integer": int, "boolean": bool}


def add(cli: typer.Typer, records: Iterable[Record]) -> None:
    """Add the commands."""
    for record in records:
        cli.command(record.name, help=record.summary)(_command(record))


def _command(record: Record) -> Callable[..., None]:
    """A function with the signature that typer makes a command of."""

    def command(**given: Any) -> None:
        file, form = given.pop("file"), given.pop("form")
        as_json, seconds = given.pop("as_json"), given.pop("deadline")
        fields = {"flags": "trust"} if given.pop("trust_flags") else {}
        with _working(given.pop("engine", EngineName.LOCAL), given.pop("address", None)) as effort:
            # What is not given, or is off as it is by default, goes without saying.
            fields |= {
                name: one for name, one in given.items() if one is not None and one is not False
            }
            if fields.get("certificate") and not as_json:
                fail("--certificate: only with --json, which shows it")
            asked = _job(record, file, form, fields, seconds)
            shown = None if as_json else show.Shown(record, asked.question, asked.deadline)
            try:
                found = aside(lambda: _answered(asked, effort, shown))
            except ProblemError as error:
                fail(_said(error, file))
        _finish(asked, found, seconds, shown)

    parameters = [
        parameter("file", File),
        *options(record.asked),
        parameter("trust_flags", Trust, False),
        parameter("form", Form, None),
        parameter("deadline", Seconds, None),
        parameter("as_json", Json, False),
    ]
    if record.name in _SHARED:
        parameters.append(parameter("engine", Where, EngineName.LOCAL))
        parameters.append(parameter("address", Address, None))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def options(
    asked: type[BaseModel],
    left: Collection[str] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[inspect.Parameter]:
    """An option for each field of a request, but for those that are ``left`` out."""
    fields = asked.model_json_schema()["properties"]
    required = {name for name, one in asked.model_fields.items() if one.is_required()}
    for name, field in fields.items():
        if name in _ELSEWHERE or name in left:
            continue
        several = list(ways(field))
        types = {way["type"] for way in several}
        # A text stands for all that has no simpler type.
        kind: Any = str if "string" in types else _TYPES[next(iter(types - {"null"}))]
        if choices := next((way["enum"] for way in several if "enum" in way), None):
            kind = choice(name, choices)
        told = typer.Option(option(name), help=field.get("description", ""))
        missing = ... if name in required else False if kind is bool else None
        default = defaults.get(name, missing)
        yield parameter(name, Annotated[kind | None if default is None else kind, told], default)


def choice(name: str, values: Iterable[str]) -> Any:
    """The type of an option that has one of these values."""
    return StrEnum(name, {value: value for value in values})


def option(field: str) -> str:
    """The option that a field is."""
    return f"--{field.replace('_', '-')}"


def parameter(name: str, annotation: Any, default: Any = ...) -> inspect.Parameter:
    """A parameter of a command, with a default unless it must be given."""
    default = inspect.Parameter.empty if default is ... else default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


@contextmanager
def _working(engine: EngineName, address: str | None) -> Iterator[Effort]:
    """All effort, of this machine or of a cluster."""
    check_address(engine, address)
    if engine is EngineName.LOCAL:
        yield FULL
        return
    with on_cluster(address):
        from app.batch import ray_engine

        yield ray_engine.effort()


def check_address(engine: EngineName, address: str | None) -> None:
    """End the command if an address is given that nothing would use."""
    if address is not None and engine is EngineName.LOCAL:
        fail("--address: only with --engine ray")


@contextmanager
def on_cluster(address: str | None, processors: int | None = None) -> Iterator[None]:
    """Within, Ray is there; what goes wrong with it ends the command."""
    from app.batch import ray_engine

    try:
        with ray_engine.connected(address, processors):
            yield
    except ray_engine.ClusterError as error:
        fail(f"--engine ray: {error}")


def _job(
    record: Record, file: str, form: str | None, fields: dict[str, Any], seconds: float | None
) -> Job:
    """What a command asks, with no limits but those of this machine."""
    notation, mines = fields.pop("notation", "standard"), fields.get("mines")
    board, total = read_board(file, notation, form, mines)
    fields |= {"board": board} | ({} if total is None else {"mines": total})
    deadline = Deadline.after(None if seconds is None else waiting(seconds))
    try:
        # As many layouts as are wanted: they are printed as they come.
        asked = job(record, fields, Unlimited(), monotonic(), stream=record.stream is not None)
    except ProblemError as error:
        fail(_said(error, file))
    return replace(asked, deadline=deadline)


def _said(error: ProblemError, file: str) -> str:
    """A problem in one line, with the option that it is about."""
    document = error.document
    field = document.get("pointer", "").split("/")[1:2]
    where = file if field in ([], ["board"]) else option(field[0])
    detail = document["detail"].removeprefix(f"{field[0]}: " if field else "")
    return f"{where}: {detail} {document['fix']}"


def _answered(asked: Job, effort: Effort, shown: show.Shown | None) -> Answer:
    """The answer; what is found one by one is shown meanwhile."""
    growing = asked.record.stream is not None and asked.record.stream.found is not None
    keep = shown.found if shown is not None and growing else lambda _: None
    found, _ = rungs.here(asked, (effort,), keep=keep)
    assert found is not None, "the effort has no bounds"
    rungs.check_offset(asked.question, found)
    return found


def aside(work: Callable[[], _Found]) -> _Found:
    """The result of ``work``, in a thread of its own, so that Ctrl-C is ours.

    In the main thread PySAT takes the signal for itself.
    """
    found: Future[_Found] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            found.set_exception(error)

    Thread(target=run, daemon=True).start()
    return found.result()


def waiting(seconds: float) -> float:
    """Seconds to wait, checked."""
    if not (isfinite(seconds) and seconds > 0):
        fail(f"--deadline: {seconds} is not a positive number of seconds")
    return seconds


def _finish(asked: Job, found: Answer, seconds: float | None, shown: show.Shown | None) -> None:
    """Print the answer, or the rest of it, and end with its status."""
    if shown is None:
        sys.stdout.buffer.write(rungs.written(asked, found) + b"\n")
    else:
        shown.answer(found)
        if not found.complete:
            late = "" if seconds is None else ", or the deadline passed"
            why = found.note or f"the board takes more work than the methods are allowed{late}"
            print(f"incomplete: {why}", file=sys.stderr)
    if found.consistent is None:
        raise typer.Exit(NO_ANSWER)
    raise typer.Exit(CONSISTENT if found.consistent else INCONSISTENT)
