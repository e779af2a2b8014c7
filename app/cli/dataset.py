"""The command ``dataset``: positions of games with exact labels, as a Parquet file."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import Progress

from minecheck.app.cli.ending import fail_with
from minecheck.app.cli.engines import WorkOptions
from minecheck.app.cli.options import make_command
from minecheck.app.cli.simulate import parse_size
from minecheck.app.quoting import quote_text
from minecheck.minefield.numerals import format_count
from minecheck.solvers import QuestionError
from minecheck.solvers.datasets.labels import DatasetOptions
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.games.generator import Guarantee


@dataclass(frozen=True, kw_only=True)
class WriteDatasetOptions(WorkOptions):
    """Write positions of games with exact labels to a Parquet file, to learn from.

    Equal options give equal data, whatever the machine and the number of processes.
    """

    out: Annotated[Path, typer.Option(help="The Parquet file; its data card is written beside it")]
    games: Annotated[int, typer.Option(min=1, help="How many games are played")] = 1000
    board: Annotated[
        str, typer.Option(help="beginner, intermediate, expert, or rows, columns and mines: 9x9/10")
    ] = "expert"
    guarantee: Annotated[
        Guarantee, typer.Option(help="The guarantee of the boards, as for minecheck board")
    ] = Guarantee.OPENING
    seed: Annotated[
        int, typer.Option(min=0, help="The seed of the first game; each next one is one more")
    ] = 0
    proofs: Annotated[
        bool, typer.Option("--proofs", help="Also explain all forced cells, which takes long")
    ] = False
    tasks: Annotated[
        Path | None,
        typer.Option(help="Also write evaluation tasks about positions of the split test there"),
    ] = None
    tasks_each: Annotated[
        int, typer.Option(min=1, help="The most tasks of each kind and difficulty")
    ] = 20
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that did not end")] = (
        False
    )
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that exist")] = False


def _write_dataset(options: WriteDatasetOptions) -> None:
    _check_files(options)
    from minecheck.app.datasets import writing
    from minecheck.app.datasets.card import write_card

    games = options.games
    try:
        boards = DealtBoards(*parse_size(options.board), options.guarantee)
        labelled = DatasetOptions(boards, options.seed, options.proofs)
    except QuestionError as error:
        fail_with(f"--{'seed' if error.field == 'seed' else 'board'}: {error}")
    console = Console(stderr=True)
    try:
        with Progress(console=console, disable=not console.is_terminal) as shown:
            bar = shown.add_task("games", total=games)
            summary = writing.write_dataset(
                options.out,
                labelled,
                games,
                partial(options.map_pieces, partial(writing.label_piece, labelled)),
                lambda done: shown.update(bar, completed=done),
                options.resume,
            )
        settings = writing.describe_settings(labelled, games)
        card = write_card(options.out.name, settings, summary)
        options.out.with_suffix(".md").write_text(card, "utf-8")
        tasks_written = None
        if options.tasks is not None:
            tasks_written = writing.write_tasks(options.out, options.tasks, options.tasks_each)
    except (writing.DatasetError, OSError) as error:
        fail_with(f"--out: {error}")
    splits = ", ".join(f"{size:,} {split}" for split, size in sorted(summary.splits.items()))
    positions = format_count(f"{summary.positions:,}", "position")
    played = format_count(f"{games:,}", "game")
    print(f"{positions} of {played}: {splits}")
    if tasks_written is not None:
        print(f"{format_count(tasks_written, 'task')}: {options.tasks}")


def _check_files(options: WriteDatasetOptions) -> None:
    """End the command if the files cannot be written."""
    for option, path in (("--out", options.out), ("--tasks", options.tasks)):
        if path is not None and path.suffix.lower() != ".parquet":
            fail_with(f"{option}: {quote_text(str(path))} must be a name that ends in .parquet")
    if options.tasks is not None and options.tasks.resolve() == options.out.resolve():
        fail_with("--tasks: that is the file of --out. Name another file.")
    if options.resume and options.overwrite:
        fail_with("--overwrite: cannot be used together with --resume. Leave one of them out.")
    # A run that is resumed may have written some of them.
    if not (options.resume or options.overwrite):
        for path in (options.out, options.out.with_suffix(".md"), options.tasks):
            if path is not None and path.exists():
                fail_with(f"{path}: that file exists. Use --overwrite to replace it.")
    try:
        import pyarrow.parquet  # noqa: F401 - an extra, looked for before any work
    except ImportError:
        fail_with("--out: Parquet needs the extra parquet. Run pip install 'minecheck[parquet]'")


COMMANDS: Final = {"dataset": make_command(WriteDatasetOptions, _write_dataset)}
