"""The commands that ask questions: one for each operation, its fields as options."""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import partial
from time import monotonic
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer
from pydantic import BaseModel

from minecheck.app.cli import show
from minecheck.app.cli.annotations import Files, Form, Json, Seconds, Trust
from minecheck.app.cli.board_files import add_board, answer_each, list_sources
from minecheck.app.cli.colors import Color, ColorChoice
from minecheck.app.cli.ending import end_with_verdict, fail_with
from minecheck.app.cli.engines import Address, EngineName, Where, check_address, on_cluster
from minecheck.app.cli.options import describe_command, make_parameter
from minecheck.app.cli.waiting import run_in_thread
from minecheck.app.execution import rungs
from minecheck.app.limits import LimitValues
from minecheck.app.problems import ProblemError
from minecheck.app.questions import QuestionOperation
from minecheck.app.questions.fields import OTHER_NAMES, iterate_alternatives
from minecheck.app.quoting import quote_text
from minecheck.app.requests.jobs import Job, make_job
from minecheck.solvers import FULL, Answer, Backend, Deadline, Effort
from minecheck.solvers.library.first_answers import FIRST_ANSWERS

#: Fields of requests that are not options, or are given in another way.
_ELSEWHERE: Final = frozenset({"board", "rules", "total_cells", "layout", "flags", "deadline_ms"})
#: Short names of the options that people type most.
_SHORT_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"mines": ("-m",)})
#: Options by the type of the field that they stand for.
_TYPES: Final = {"integer": int, "boolean": bool}


def make_question(operation: QuestionOperation) -> Callable[..., None]:
    """Make the command for a question."""

    def run_command(**options: Any) -> None:
        files, form = list_sources(options.pop("files")), options.pop("form")
        as_json, seconds, color = (
            options.pop("as_json"),
            options.pop("deadline"),
            options.pop("color"),
        )
        fields = {"flags": "trust"} if options.pop("trust_flags") else {}
        with _use_engine(
            options.pop("engine", EngineName.LOCAL), options.pop("address", None)
        ) as effort:
            # Options that are missing, or off by default, are omitted.
            fields |= {
                name: setting
                for name, setting in options.items()
                if setting is not None and setting is not False
            }
            if fields.get("certificate") and not as_json:
                fail_with("--certificate: only JSON shows it. Add --json.")

            def answer_file(file: str) -> None:
                complete = add_board(fields, file, form, operation.request)
                try:
                    job = _make_job(operation, complete, seconds)
                    shown = None if as_json else show.Shown(job.question, job.deadline, color)
                    answer = run_in_thread(lambda: _answer_job(job, effort, shown))
                except ProblemError as error:
                    fail_with(describe_problem(error, {"": file, "board": file}))
                _finish_command(job, answer, seconds, shown)

            answer_each(files, answer_file, has_titles=not as_json)

    parameters = [
        make_parameter("files", Files, None),
        *list_options(operation.request),
        make_parameter("trust_flags", Trust, False),
        make_parameter("form", Form, None),
        make_parameter("deadline", Seconds, None),
        make_parameter("as_json", Json, False),
        make_parameter("color", Color, ColorChoice.AUTO),
    ]
    if operation.task.shared:
        parameters.append(make_parameter("engine", Where, EngineName.LOCAL))
        parameters.append(make_parameter("address", Address, None))
    return describe_command(run_command, parameters, operation.summary)


def list_options(
    model: type[BaseModel],
    excluded: Collection[str] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[inspect.Parameter]:
    """Yield an option for each field of a request.

    Args:
        model: the fields.
        excluded: the names of fields that are left out.
        defaults: of fields that a request must have.
    """
    fields = model.model_json_schema()["properties"]
    required = {name for name, field_info in model.model_fields.items() if field_info.is_required()}
    for name, field in fields.items():
        if name in _ELSEWHERE or name in excluded:
            continue
        several = list(iterate_alternatives(field))
        types = {way["type"] for way in several}
        # A text stands for all that has no simpler type.
        kind: Any = str if "string" in types else _TYPES[next(iter(types - {"null"}))]
        if choices := next((way["enum"] for way in several if "enum" in way), None):
            kind = make_choice(name, choices)
        names = [option_name(spelling) for spelling in (name, *OTHER_NAMES.get(name, ()))]
        names += _SHORT_NAMES.get(name, ())
        described = typer.Option(*names, help=field.get("description", ""))
        if name == "backend":
            # Aliases and any letter case are accepted, which choices are not.
            kind, described = str, backend_option(choices or ())
        missing = ... if name in required else False if kind is bool else None
        default = defaults.get(name, missing)
        yield make_parameter(
            name, Annotated[kind | None if default is None else kind, described], default
        )


def backend_option(names: Iterable[str]) -> Any:
    """Return the option for a backend; its help lists ``names``, which are those that answer."""
    names = tuple(names)
    return typer.Option(
        "--backend",
        parser=partial(_parse_backend, names),
        metavar="NAME",
        help=f"The engine that answers: {', '.join(names)}. auto takes the cheapest that is exact",
    )


def _parse_backend(names: Sequence[str], name: str) -> str:
    try:
        return Backend(name).value
    except ValueError:
        raise typer.BadParameter(
            f"{quote_text(name)} is not a valid backend. Use one of: {', '.join(names)}."
        ) from None


def make_choice(name: str, values: Iterable[str]) -> Any:
    """Make the type of an option that has one of some values."""
    return StrEnum(name, {value: value for value in values})


def option_name(field: str) -> str:
    """Return the option for a field."""
    return f"--{field.replace('_', '-')}"


@contextmanager
def _use_engine(engine: EngineName, address: str | None) -> Iterator[Effort]:
    """Provide all effort, of this machine or of a cluster, within a context."""
    check_address(engine, address)
    if engine is EngineName.LOCAL:
        yield FULL
        return
    with on_cluster(address):
        from minecheck.app.batch import ray_engine

        yield ray_engine.cluster_effort()


def _make_job(operation: QuestionOperation, fields: dict[str, Any], seconds: float | None) -> Job:
    """Return the job of a command, limited by this machine only."""
    deadline = Deadline.in_seconds(seconds)
    # All requested layouts: they are printed as they come.
    stream = operation.stream is not None
    job = make_job(operation, fields, LimitValues(), monotonic(), stream=stream)
    return replace(job, deadline=deadline)


def describe_problem(error: ProblemError, given: Mapping[str, str]) -> str:
    """Describe a problem in one line, with what the field that it is about was given by.

    Args:
        error: the problem.
        given: by field what it was given by, if not by its option; "" stands for no field.
    """
    document = error.document
    field = document.get("pointer", "").removeprefix("/").split("/")[0]
    where = given.get(field, option_name(field))
    detail = document["detail"].removeprefix(f"{field}: ")
    return f"{where}{': ' if where else ''}{detail} {document['fix']}"


def _answer_job(job: Job, effort: Effort, shown: show.Shown | None) -> Answer:
    """Answer a job; what is found one by one is shown meanwhile."""
    growing = job.operation.stream is not None and job.operation.stream.found is not None
    keep = shown.print_new if shown is not None and growing else lambda _: None
    with FIRST_ANSWERS.interpret_small(job.question):
        answer, _ = rungs.answer_in_process(job, (effort,), keep=keep)
    assert answer is not None, "the effort has no bounds"
    rungs.check_offset(job.question, answer)
    return answer


def _finish_command(
    job: Job, answer: Answer, seconds: float | None, shown: show.Shown | None
) -> None:
    """Print the answer, or the rest of it, and end with its status."""
    if shown is None:
        sys.stdout.buffer.write(rungs.render_body(job, answer) + b"\n")
    else:
        shown.print_answer(answer)
        if not answer.complete:
            late = "" if seconds is None else ", or the deadline passed"
            why = answer.note or f"the board takes more work than the methods are allowed{late}"
            print(f"incomplete: {why}", file=sys.stderr)
    end_with_verdict(answer.consistent)
