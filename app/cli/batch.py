"""The command ``batch``: files of boards, on all cores or on a cluster."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from minecheck.app.batch import files, splits
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.parquet import ParquetError, ReportProgress
from minecheck.app.cli.boards import Dialect, Mines, Seconds
from minecheck.app.cli.compiling import compile_ahead
from minecheck.app.cli.ending import SOME_FAILED, fail_with
from minecheck.app.cli.questions import (
    Address,
    EngineName,
    Where,
    backend_option,
    check_address,
    make_choice,
    on_cluster,
)
from minecheck.app.operation import Operation
from minecheck.app.problems import ProblemError
from minecheck.app.requests.jobs import check_default_backend
from minecheck.app.settings import Settings
from minecheck.minefield import Notation
from minecheck.minefield.amounts import format_count
from minecheck.solvers import Backend

_HELP: Final = """Answer a file of boards on all cores, one answer per line, as POST /v1/batch does.

FILE.parquet has a column board (strings with line breaks, or lists of strings) and columns
named as options, null where not given; or a column line with the JSON. OUTPUT.parquet gets a
row per answer. Until all are there, they are in OUTPUT.parquet.journal, as lines: however the
command ends, --resume continues from them. Many files are read as one, in the order of their
names. With --engine ray, the nodes of a cluster answer, and need to see the files.
The status is 1 where lines were answered with a problem.
"""


def add_command(cli: typer.Typer, records: Sequence[Operation]) -> None:
    """Add the command, for what may be asked many times at once.

    Args:
        cli: the program.
        records: the operations, of which the batched ones are tasks.
    """
    tasks = {record.name: record for record in records if record.batched}

    @cli.command(help=_HELP)
    def batch(
        file: Annotated[
            str,
            typer.Argument(
                help="File with one board per line (JSON), or Parquet; a directory of such files "
                "or a pattern; - reads stdin"
            ),
        ],
        task: Annotated[
            make_choice("task", tasks),  # type: ignore[valid-type]
            typer.Option(help="What is asked of every board"),
        ] = records[0].name,
        output: Annotated[
            str,
            typer.Option(
                help="File for the answers, Parquet if so named; - writes to stdout. With "
                "--engine ray also FOLDER/, which nodes write to themselves"
            ),
        ] = "-",
        resume: Annotated[
            bool,
            typer.Option("--resume", help="Continue after the last whole answer of the output"),
        ] = False,
        mines: Mines = None,
        notation: Dialect = Notation.STANDARD,
        backend: Annotated[str | None, backend_option(Backend)] = None,
        deadline: Seconds = None,
        processes: Annotated[int | None, typer.Option(min=1, help="By default all cores")] = None,
        engine: Where = EngineName.LOCAL,
        address: Address = None,
    ) -> None:
        check_address(engine, address)
        source, into = (None if name == "-" else Path(name) for name in (file, output))
        _check_files(source, into, engine, resume)
        parts = into is not None and (output.endswith(os.sep) or into.is_dir())
        if parts and engine is EngineName.LOCAL:
            fail_with("--output: that is a folder. Name a file, or use --engine ray")
        # What is usual goes without saying: rules have no notation.
        defaults: dict[str, Any] = {} if mines is None else {"mines": mines}
        if notation is not Notation.STANDARD:
            defaults["notation"] = str(notation)
        if backend is not None:
            defaults["backend"] = _check_backend(tasks[task], backend)
        if deadline is not None:
            defaults["deadline_ms"] = max(1, int(deadline * 1000))
        template = LineTemplate(tasks[task], defaults, Settings())
        with _run_engine(engine, address, processes) as report:
            if parts:
                assert source is not None
                assert into is not None
                done = _import_ray_engine().answer_parts(
                    splits.list_files(source), into, template, resume=resume, report=report
                )
            else:
                elsewhere = _import_ray_engine().answer_lines if engine is EngineName.RAY else None
                done = files.answer_file(
                    *(source, into, template),
                    resume=resume,
                    report=report,
                    processes=processes,
                    engine=elsewhere,
                )
        many, rejected = done
        print(
            f"{format_count(many, 'line')} answered, {rejected} of them with a problem",
            file=sys.stderr,
        )
        if rejected:
            raise typer.Exit(SOME_FAILED)


def _check_backend(record: Operation, backend: str) -> str:
    """Return the backend, or end the command if it answers no line of a task."""
    if "backend" not in record.request.model_fields:
        fail_with(f"--backend: {record.name} has one method only. Leave --backend out.")
    try:
        check_default_backend(record.name, Backend(backend))
    except ProblemError as error:
        fail_with(f"--backend: {error.document['detail']} {error.document['fix']}")
    return backend


def _check_files(source: Path | None, into: Path | None, engine: EngineName, resume: bool) -> None:
    """End the command if boards cannot come from there, or answers not go there."""
    if resume and (source is None or into is None):
        fail_with("--resume: only from a file into a file")
    if source is None and sys.stdin is None:
        fail_with("-: standard input is closed")
    if source is not None and into is not None:
        boards, answers = source.resolve(), into.resolve()
        if boards == answers:
            fail_with("--output: the boards are in that file")
        if boards.is_dir() and boards in answers.parents:
            fail_with("--output: it is in the directory of the boards")
    if engine is EngineName.RAY and source is None:
        fail_with("--engine ray: nodes do not see stdin. Give a file that all of them see")


@contextmanager
def _run_engine(
    engine: EngineName, address: str | None, processes: int | None
) -> Iterator[ReportProgress]:
    """Run the engine and show progress, within a context; what goes wrong ends the command."""
    console = Console(stderr=True)
    try:
        with ExitStack() as opened:
            if engine is EngineName.RAY:
                opened.enter_context(on_cluster(address, processes))
            else:
                # Workers would compile in silence, each for itself.
                compile_ahead(sys.stderr)
            shown = opened.enter_context(Progress(console=console, disable=not console.is_terminal))
            yield _make_progress(shown)
    except OSError as error:
        fail_with(f"{error.filename or 'standard output'}: {error.strerror}")
    except ParquetError as error:
        fail_with(str(error))


def _import_ray_engine() -> Any:
    """Import the engine for clusters, which only they need."""
    from minecheck.app.batch import ray_engine

    return ray_engine


def _make_progress(shown: Progress) -> ReportProgress:
    """Yield a function that moves a progress bar for each kind of work."""
    bars: dict[str, TaskID] = {}

    def move_bar(what: str, done: int, total: int | None) -> None:
        if what not in bars:
            bars[what] = shown.add_task(what, total=total)
        shown.update(bars[what], completed=done, total=total)

    return move_bar
