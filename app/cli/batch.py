"""The command ``batch``: files of boards in any form, on all cores or on a cluster."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from minecheck.app.batch import inputs, ray_engine
from minecheck.app.batch.columns import ReportProgress
from minecheck.app.batch.files import answer_files, make_local_engine
from minecheck.app.batch.inputs import InputFormat, InputOptions
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.outputs import find_output
from minecheck.app.cli.annotations import Dialect, Mines, Seconds, Symbols
from minecheck.app.cli.compiling import compile_ahead
from minecheck.app.cli.ending import SOME_FAILED, fail_with
from minecheck.app.cli.engines import EngineName, WorkOptions, on_cluster
from minecheck.app.cli.options import make_command
from minecheck.app.cli.questions import backend_option, make_choice
from minecheck.app.operation import Operation
from minecheck.app.problems import ProblemError
from minecheck.app.requests.jobs import check_default_backend
from minecheck.app.settings import Settings
from minecheck.minefield import BoardError, Notation
from minecheck.minefield.numerals import format_count
from minecheck.minefield.symbols import read_symbols
from minecheck.solvers import Backend

_TASK: Final = "What is asked of every board"


@dataclass(frozen=True, kw_only=True)
class BatchOptions(WorkOptions):
    """Answer many boards on all cores, one answer per line, in order.

    FILE is a file, a folder or a pattern; several are read as one. A .txt file has one board, or
    several with blank lines between them; .ndjson and .jsonl have a request, a board as a string or
    its rows on each line, .json a list of them; .csv and .parquet have a column board and columns
    named as options. All but Parquet may be compressed (.gz, .zst). Each answer has the file and
    the line of its board, and repeats fields and columns such as id.
    The name of OUTPUT says how answers are written: .ndjson, .jsonl (also .gz, .zst), .csv,
    .parquet. However the command ends, --resume continues it. With --engine ray, the nodes of a
    cluster answer, and need to see the files. The status is 1 where boards were answered with a
    problem.
    """

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files of boards, folders of them, or patterns in quotes; - reads stdin",
        ),
    ]
    task: Annotated[str, typer.Option(help=_TASK)] = "check"
    output: Annotated[
        str,
        typer.Option(
            help="File for the answers, in the form that its name says; - writes to stdout. "
            "With --engine ray also FOLDER/, which nodes write to themselves"
        ),
    ] = "-"
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue after the last whole answer of the output"),
    ] = False
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an output that exists")
    ] = False
    format: Annotated[
        InputFormat | None,
        typer.Option(help="Format of all files; by default the name of each file tells it"),
    ] = None
    split: Annotated[
        bool | None,
        typer.Option(
            "--split/--one-board",
            help="Whether blank lines in a text separate boards, or are in a single board",
        ),
    ] = None
    mines: Mines = None
    symbols: Symbols = None
    notation: Dialect = Notation.STANDARD
    backend: Annotated[str | None, backend_option(Backend)] = None
    deadline: Seconds = None


def make_batch(operations: Sequence[Operation]) -> Callable[..., None]:
    """Make the command, for those of the operations that may be asked many times at once."""
    tasks = {operation.name: operation for operation in operations if operation.batched}
    # The choices are those of the operations, whatever modules they come from.
    choice = Annotated[make_choice("task", tasks), typer.Option(help=_TASK)]  # type: ignore[valid-type]

    def run(options: BatchOptions) -> None:
        _answer_batch(tasks[options.task], options)

    return make_command(BatchOptions, run, task=choice)


def _answer_batch(operation: Operation, arguments: BatchOptions) -> None:
    into = None if arguments.output == "-" else Path(arguments.output)
    _check_files(arguments, into)
    folder = into if into and (arguments.output.endswith(os.sep) or into.is_dir()) else None
    if folder and arguments.engine is EngineName.LOCAL:
        fail_with("--output: that is a folder. Name a file, or use --engine ray.")
    defaults = _collect_defaults(operation, arguments)
    _check_defaults(operation, defaults)
    template = LineTemplate(operation, defaults, _choose_limits(defaults))
    options = InputOptions(template, arguments.format, arguments.split)
    with _run_engine(arguments) as report:
        paths = [] if arguments.files == ["-"] else inputs.list_files(arguments.files)
        if folder:
            totals = ray_engine.answer_parts(
                *(paths, folder, options),
                resume=arguments.resume,
                overwrite=arguments.overwrite,
                report=report,
            )
        else:
            is_local = arguments.engine is EngineName.LOCAL
            local = make_local_engine(arguments.processes)
            totals = answer_files(
                *(paths, None if into is None else find_output(into), options),
                resume=arguments.resume,
                overwrite=arguments.overwrite,
                report=report,
                engine=local if is_local else ray_engine.answer_lines,
            )
    lines, rejected = totals
    print(
        f"{format_count(lines, 'line')} answered, {rejected} of them with a problem",
        file=sys.stderr,
    )
    if rejected:
        raise typer.Exit(SOME_FAILED)


def _collect_defaults(operation: Operation, arguments: BatchOptions) -> dict[str, Any]:
    """Return the options that hold for all boards; those that are usual are left out."""
    defaults: dict[str, Any] = {} if arguments.mines is None else {"mines": arguments.mines}
    # Rules have no notation.
    if arguments.notation is not Notation.STANDARD:
        defaults["notation"] = str(arguments.notation)
    if arguments.symbols is not None:
        defaults["symbols"] = arguments.symbols
    if arguments.backend is not None:
        defaults["backend"] = _require_backend(operation, arguments.backend)
    if arguments.deadline is not None:
        defaults["deadline_ms"] = max(1, int(arguments.deadline * 1000))
    return defaults


def _choose_limits(defaults: Mapping[str, Any]) -> Settings:
    """Return the limits of lines: those of the service, but the time that was asked for."""
    settings = Settings()
    most = max(settings.max_deadline_ms, defaults.get("deadline_ms", 0))
    return settings.model_copy(update={"max_deadline_ms": most})


def _require_backend(operation: Operation, backend: str) -> str:
    """Return the backend, or end the command if it answers no line of a task."""
    if "backend" not in operation.request.model_fields:
        fail_with(f"--backend: {operation.name} has one method only. Leave --backend out.")
    try:
        check_default_backend(operation, Backend(backend))
    except ProblemError as error:
        fail_with(f"--backend: {error.document['detail']} {error.document['fix']}")
    return backend


def _check_defaults(operation: Operation, defaults: Mapping[str, Any]) -> None:
    """End the command if a task does not have an option that is given."""
    for name in ("mines", "symbols", "notation"):
        if name in defaults and name not in operation.request.model_fields:
            fail_with(f"--{name}: {operation.name} has no such option. Leave --{name} out.")
    if "symbols" in defaults:
        try:
            read_symbols(defaults["symbols"], "--symbols")
        except BoardError as error:
            fail_with(str(error))


def _check_files(arguments: BatchOptions, into: Path | None) -> None:
    """End the command if boards cannot come from there, or answers not go there."""
    reads_stdin = "-" in arguments.files
    if reads_stdin and len(arguments.files) > 1:
        fail_with("-: standard input cannot be read together with files. Name one or the other.")
    if arguments.resume and arguments.overwrite:
        fail_with("--overwrite: cannot be used together with --resume. Leave one of them out.")
    if arguments.resume and (reads_stdin or into is None):
        fail_with(
            "--resume: needs files of boards and a file for the answers. Name both, or leave "
            "--resume out."
        )
    if reads_stdin and sys.stdin is None:
        fail_with("-: standard input is closed")
    answers = None if into is None else into.resolve()
    for boards in (Path(name).resolve() for name in arguments.files):
        if answers is None:
            break
        if boards == answers:
            fail_with("--output: boards are read from that file. Name another file.")
        if boards.is_dir() and boards in answers.parents:
            fail_with(
                "--output: boards are read from all files in that folder. Name a file elsewhere."
            )
    if arguments.engine is EngineName.RAY and reads_stdin:
        fail_with(
            "--engine ray: the nodes cannot read standard input. Name a file that all nodes can "
            "read."
        )


@contextmanager
def _run_engine(arguments: BatchOptions) -> Iterator[ReportProgress]:
    """Run the engine and show progress, within a context; what goes wrong ends the command."""
    console = Console(stderr=True)
    try:
        with ExitStack() as opened:
            if arguments.engine is EngineName.RAY:
                opened.enter_context(on_cluster(arguments.address, arguments.processes))
            else:
                # Workers would compile in silence, each for itself.
                compile_ahead(sys.stderr)
            shown = opened.enter_context(Progress(console=console, disable=not console.is_terminal))
            yield _make_progress(shown)
    except OSError as error:
        fail_with(f"{error.filename or 'standard output'}: {error.strerror}")
    except FileError as error:
        fail_with(str(error))


def _make_progress(shown: Progress) -> ReportProgress:
    """Yield a function that moves a progress bar for each kind of work."""
    bars: dict[str, TaskID] = {}

    def move_bar(what: str, done: int, total: int | None) -> None:
        if what not in bars:
            bars[what] = shown.add_task(what, total=total)
        shown.update(bars[what], completed=done, total=total)

    return move_bar
