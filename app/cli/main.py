"""The command line: ``minecheck serve``, ``check``, ``count``, ``forced`` and so on."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.text import Text

from app.answers import render
from app.cli import stdio
from app.execution.warm import warm
from app.settings import Settings, SettingsError
from minefield import Board, BoardError, FormatError, Notation, draw, formats, parse, parse_place
from minefield.amounts import several
from minefield.certificates.document import CertificateError, about, read_certificates
from minefield.certificates.judge import verify_all
from solvers import (
    FULL,
    Answer,
    Backend,
    BackendRefusal,
    Deadline,
    Effort,
    Question,
    QuestionError,
    Task,
    answer,
    fresh_seed,
)
from solvers.answer import Statement
from solvers.games.generator import Kind, Wanted, generate
from solvers.reasons.deduction import LEVELS, Level

cli = typer.Typer(
    help="Is this Minesweeper board consistent?", no_args_is_help=True, add_completion=False
)

_Found = TypeVar("_Found")


class Engine(StrEnum):
    """Who works."""

    LOCAL = "local"
    RAY = "ray"


class Batched(StrEnum):
    """What may be asked of many boards."""

    CHECK = Task.CHECK
    COUNT = Task.COUNT
    FORCED = Task.FORCED
    ANALYZE = Task.ANALYZE
    LAYOUTS = Task.LAYOUTS
    EXPLAIN = Task.EXPLAIN
    REPAIR = Task.REPAIR


#: Exit statuses, as grep has them: 0 consistent, 1 inconsistent, 2 no answer.
_INCONSISTENT = 1
_NO_ANSWER = 2
#: As shells have it: 128 and the number of the signal.
_INTERRUPTED = 130
_CLOSED = "standard output is closed; if it is not wanted, send it to /dev/null"

File = Annotated[str, typer.Argument(help="File with the board, one row a line; - reads stdin")]
Mines = Annotated[int | None, typer.Option(help="Exact number of mines on the whole board")]
Dialect = Annotated[Notation, typer.Option("--notation", help="Notation of the board")]
Trust = Annotated[bool, typer.Option("--trust-flags", help="Take flags for mines, not for claims")]
Form = Annotated[
    str | None,
    typer.Option("--format", help="Format of the file, such as mbf, or auto; see docs/formats.md"),
]
Density = Annotated[
    str | None, typer.Option(help="Chance of a mine of each unknown cell, such as 0.2 or 1/5")
]
By = Annotated[Backend, typer.Option("--backend", help="The method")]
Seconds = Annotated[float | None, typer.Option("--deadline", help="Seconds until it gives up")]
Prove = Annotated[bool, typer.Option("--certificate", help="With --json: give a certificate")]
Where = Annotated[
    Engine, typer.Option("--engine", help="Who works: this machine, or a Ray cluster")
]
Address = Annotated[
    str | None,
    typer.Option(help="Of the Ray cluster, such as auto or HOST:6379; by default nodes start here"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, as the HTTP service answers it")]


@cli.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one")
    ] = 8000,
) -> None:
    """Start the HTTP service."""
    # Only this command and the next need what the service is made of.
    from app.cli import server
    from app.middleware import auth, connections

    settings = Settings()
    auth.checked(settings.api_keys)
    shown = f"[{host}]" if ":" in host else host
    # First, since to get ready takes some seconds.
    try:
        listening = server.bound(host, port)
    except OSError as error:
        _fail(
            f"{shown}:{port}: {error.strerror}. Choose another --port, or as --host an address of "
            "this machine: 127.0.0.1 for itself alone, 0.0.0.0 for all it has"
        )
    connections.raise_open_files()
    with server.patient():
        warm()
    # Who reads its log may leave and come back.
    stdio.uninstall()
    server.run(listening, f"{shown}:{listening.getsockname()[1]}", settings)


@cli.command()
def key(name: Annotated[str, typer.Argument(help="Whose it is: letters, digits, - and _")]) -> None:
    """Make a key for the HTTP service; it is shown once, and the service knows its hash only."""
    from app.middleware import auth

    fresh, hashed = auth.new_key()
    try:
        auth.checked({name: hashed})
    except SettingsError:
        _fail(f"NAME: {name[:80]!a} is not 1 to 64 letters, digits, - or _")
    print(f"The key, for whoever asks:\n  {fresh}")
    print(f"The entry for MINECHECK_API_KEYS:\n  {json.dumps({name: hashed})}")


@cli.command()
def check(
    file: File,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    backend: By = Backend.AUTO,
    deadline: Seconds = None,
    as_json: Json = False,
    certificate: Prove = False,
) -> None:
    """Say whether any layout fits, and show one (or the clues in conflict)."""
    _certified(certificate, as_json)
    board, mines = _board(file, notation, trust_flags, form, mines)
    question = _question(Task.CHECK, board, mines, backend, certificate=certificate)
    found = _answered(question, deadline, as_json)
    if found.witness is not None:
        _show("consistent, for example", found.witness.rows())
    _finish(found, deadline)


@cli.command()
def layouts(
    file: File,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    backend: By = Backend.AUTO,
    deadline: Seconds = None,
    as_json: Json = False,
    offset: Annotated[int, typer.Option(min=0, help="Number of the first layout")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="How many at most")] = 100,
) -> None:
    """Show all layouts that fit, and their number."""
    board, mines = _board(file, notation, trust_flags, form, mines)
    question = _question(Task.LAYOUTS, board, mines, backend, offset=offset, limit=limit)
    found = _answered(question, deadline, as_json)
    if found.consistent:
        for number, layout in enumerate(found.layouts or [], offset):
            _show(f"layout {number}", layout.rows())
        print(several(render.digits(found.count) or "unknown number of", "layout"), "in all")
        if found.next_offset is not None:
            print(f"more with --offset {found.next_offset}")
    _finish(found, deadline)


@cli.command()
def forced(
    file: File,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    backend: By = Backend.AUTO,
    deadline: Seconds = None,
    as_json: Json = False,
    certificate: Prove = False,
) -> None:
    """Show which unknown cells are mines (B) or safe (S) in every layout."""
    _certified(certificate, as_json)
    board, mines = _board(file, notation, trust_flags, form, mines)
    question = _question(Task.FORCED, board, mines, backend, certificate=certificate)
    found = _answered(question, deadline, as_json)
    if found.forced is not None:
        rows = [list(row) for row in draw(board)]
        for symbol, places in (("B", found.forced.mines), ("S", found.forced.safe)):
            for row, col in places:
                rows[row][col] = symbol
        _show(
            f"{several(len(found.forced.mines), 'mine')} and "
            f"{several(len(found.forced.safe), 'safe cell')} are forced",
            ["".join(row) for row in rows],
            {*found.forced.mines, *found.forced.safe},
        )
    if found.flags is not None:
        for verdict in ("right", "wrong", "unproved"):
            print(f"flags {verdict}: {_cells(getattr(found.flags, verdict)) or 'none'}")
    _finish(found, deadline)


@cli.command()
def count(
    file: File,
    mines: Mines = None,
    density: Density = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    backend: By = Backend.AUTO,
    deadline: Seconds = None,
    as_json: Json = False,
    engine: Where = Engine.LOCAL,
    address: Address = None,
) -> None:
    """Say how many layouts fit, and with a density how likely it is that one does.

    With --engine ray, components that are dear to count are counted by all nodes, wide ones in
    pieces.
    """
    _served(engine, address)
    board, mines = _board(file, notation, trust_flags, form, mines)
    chance = _density(density)
    question = _question(Task.COUNT, board, mines, backend, density=chance)
    if engine is Engine.LOCAL:
        found = _answered(question, deadline, as_json)
    else:
        with _on_cluster(address):
            from app.batch import ray_engine

            found = _answered(question, deadline, as_json, ray_engine.effort())
    if found.consistent:
        print(several(render.digits(found.count) or "unknown number of", "layout"), "in all")
    if found.likelihood is not None:
        print(f"likelihood {float(found.likelihood)}")
    _finish(found, deadline)


@cli.command()
def sample(
    file: File,
    mines: Mines = None,
    density: Density = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    backend: By = Backend.AUTO,
    deadline: Seconds = None,
    as_json: Json = False,
    seed: Annotated[int | None, typer.Option(min=0, help="The same draws the same")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many")] = 1,
) -> None:
    """Show layouts drawn at random from all that fit."""
    board, mines = _board(file, notation, trust_flags, form, mines)
    chance = _density(density)
    drawn_by = fresh_seed() if seed is None else seed
    question = _question(
        Task.SAMPLE, board, mines, backend, density=chance, limit=limit, seed=drawn_by
    )
    found = _answered(question, deadline, as_json)
    for number, layout in enumerate(found.layouts or []):
        _show(f"sample {number} of seed {drawn_by}", layout.rows())
    _finish(found, deadline)


@cli.command()
def explain(
    file: File,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    deadline: Seconds = None,
    as_json: Json = False,
    cell: Annotated[str | None, typer.Option(help="Only this cell: row,column from 0")] = None,
) -> None:
    """Say why cells are forced, or why the board is inconsistent, step by step."""
    board, mines = _board(file, notation, trust_flags, form, mines)
    place = None if cell is None else _place(cell)
    question = _question(Task.EXPLAIN, board, mines, Backend.AUTO, cell=place)
    found = _answered(question, deadline, as_json)
    for one in found.explanations or []:
        value = "mine" if one.mine else "safe"
        _title(f"{_cells(one.cells)}: {value} ({one.difficulty or 'not graded'})")
        _tell(one.steps)
    if found.explanations == [] and found.either is None:
        print("no cell is forced")
    if found.either is not None:
        _show("not forced: it may be a mine", found.either.mine.rows(), {found.either.cell})
        _show("or safe", found.either.safe.rows(), {found.either.cell})
    if found.consistent is False:
        _tell(found.steps)
    _finish(found, deadline)


@cli.command()
def repair(
    file: File,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    form: Form = None,
    deadline: Seconds = None,
    as_json: Json = False,
    limit: Annotated[int, typer.Option(min=1, help="How many repairs at most")] = 10,
) -> None:
    """Show the fewest clues to change that make an inconsistent board consistent."""
    board, mines = _board(file, notation, trust_flags, form, mines)
    question = _question(Task.REPAIR, board, mines, Backend.AUTO, limit=limit)
    found = _answered(question, deadline, as_json)
    repairs = found.repairs
    if found.consistent:
        print("consistent: there is nothing to repair")
    if repairs is not None and repairs.possible is False:
        print("no change of clues helps: known cells and the total contradict each other")
    for number, changes in enumerate(repairs.sets if repairs is not None else []):
        rows = [list(row) for row in draw(board)]
        for change in changes:
            rows[change.clue[0]][change.clue[1]] = str(change.number)
        changed = {change.clue for change in changes}
        _show(f"repair {number}", ["".join(row) for row in rows], changed)
    if repairs is not None and repairs.more:
        print("there may be more, with --limit")
    _finish(found, deadline)


@cli.command()
def board(
    height: Annotated[int, typer.Option(help="Number of rows")] = 16,
    width: Annotated[int, typer.Option(help="Number of columns")] = 30,
    mines: Annotated[int, typer.Option(help="Number of mines")] = 99,
    kind: Annotated[Kind, typer.Option(help="What is promised")] = Kind.GUESS_FREE,
    first: Annotated[str | None, typer.Option(help="The first click: row,column from 0")] = None,
    difficulty: Annotated[
        str | None, typer.Option(help="The hardest step that may be needed, such as subset")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same gives the same board")] = None,
    deadline: Seconds = None,
    as_json: Json = False,
    solution: Annotated[bool, typer.Option("--solution", help="Show where the mines are")] = False,
) -> None:
    """Make a board to play: random, with an opening, or one that needs no guess.

    It is shown as it is after the first click.
    """
    if solution and as_json:
        _fail("--solution: JSON has it anyway")
    if difficulty is not None and difficulty not in LEVELS:
        _fail(f"--difficulty: use one of {', '.join(LEVELS)}")
    hardest = Level.SEARCH if difficulty is None else LEVELS[difficulty]
    click = (height // 2, width // 2) if first is None else _place(first, "--first")
    drawn_by = fresh_seed() if seed is None else seed
    try:
        wanted = Wanted(height, width, mines, kind, click, drawn_by, hardest)
    except QuestionError as error:
        _fail(f"--{error.field}: {error}")
    if height * width > (most := Settings().max_cells):
        _fail(f"--height, --width: a board has at most {several(most, 'cell')} here")
    started = monotonic()
    until = Deadline.after(None if deadline is None else _waiting(deadline))
    found = _aside(lambda: generate(wanted, until))
    if as_json:
        # Only here is the form of the HTTP answer needed.
        from app.routes.boards import rendered

        sys.stdout.buffer.write(rendered(wanted, found, monotonic() - started) + b"\n")
    elif found.game is not None:
        graded = "" if found.difficulty is None else f", {found.difficulty.label}"
        rows = found.game.layout.rows() if solution else draw(found.game.opened)
        _show(f"seed {drawn_by}{graded}", rows, {click})
    else:
        print(f"incomplete: none in {several(found.tries, 'attempt')}", file=sys.stderr)
    raise typer.Exit(0 if found.game is not None else _NO_ANSWER)


@cli.command()
def batch(
    file: Annotated[
        str,
        typer.Argument(
            help="File with a board a line (JSON), or Parquet; a directory of such files or a "
            "pattern; - reads stdin"
        ),
    ],
    asked: Annotated[
        Batched, typer.Option("--task", help="What is asked of every board")
    ] = Batched.CHECK,
    output: Annotated[
        str,
        typer.Option(
            help="File for the answers, Parquet if so named; - writes to stdout. With --engine ray "
            "also FOLDER/, which nodes write to themselves"
        ),
    ] = "-",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the last whole answer of the output")
    ] = False,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    deadline: Seconds = None,
    processes: Annotated[int | None, typer.Option(min=1, help="By default all cores")] = None,
    engine: Where = Engine.LOCAL,
    address: Address = None,
) -> None:
    """Answer a file of boards over all cores, a line an answer, as POST /v1/batch does.

    FILE.parquet has a column board (strings with line breaks, or lists of strings) and columns
    named as options, null where not given; or a column line with the JSON. OUTPUT.parquet gets a
    row an answer. Until all are there they are in OUTPUT.parquet.journal, as lines: however the
    command is ended, --resume goes on from them. Many files are read as one, in the order of their
    names. With --engine ray, the nodes of a cluster answer, and need to see the files.
    """
    # Only this command needs what the service is made of.
    from app.batch import files, ray_engine, splits
    from app.batch.parquet import ParquetError

    _served(engine, address)
    task = Task(asked)
    source, into = (None if name == "-" else Path(name) for name in (file, output))
    if resume and (source is None or into is None):
        _fail("--resume: only from a file into a file")
    if source is None and sys.stdin is None:
        _fail("-: standard input is closed")
    if source is not None and into is not None:
        boards, answers = source.resolve(), into.resolve()
        if boards == answers:
            _fail("--output: the boards are in that file")
        if boards.is_dir() and boards in answers.parents:
            _fail("--output: it is in the directory of the boards")
    if engine is Engine.RAY and source is None:
        _fail("--engine ray: nodes do not see stdin. Give a file that all of them see")
    # What is usual goes without saying: rules have no notation.
    defaults: dict[str, Any] = {} if notation is Notation.STANDARD else {"notation": str(notation)}
    defaults |= {} if mines is None else {"mines": mines}
    if deadline is not None:
        defaults["deadline_ms"] = max(1, int(_waiting(deadline) * 1000))
    parts = into is not None and (output.endswith(os.sep) or into.is_dir())
    if parts and engine is Engine.LOCAL:
        _fail("--output: that is a folder. Name a file, or use --engine ray")
    console = Console(stderr=True)
    try:
        with ExitStack() as opened:
            if engine is Engine.RAY:
                opened.enter_context(_on_cluster(address, processes))
            shown = opened.enter_context(Progress(console=console, disable=not console.is_terminal))
            given: dict[str, Any] = {"resume": resume, "told": _bars(shown)}
            if parts:
                assert source is not None
                assert into is not None
                found = ray_engine.answer_parts(splits.files(source), into, task, defaults, **given)
            else:
                given |= {"processes": processes}
                given |= {"engine": ray_engine.answered} if engine is Engine.RAY else {}
                found = files.answer_file(source, into, task, defaults, **given)
    except OSError as error:
        _fail(f"{error.filename or 'standard output'}: {error.strerror}")
    except ParquetError as error:
        _fail(str(error))
    many, refused = found
    print(f"{several(many, 'line')} answered, {refused} of them with a problem", file=sys.stderr)


def _bars(shown: Progress) -> Callable[[str, int, int | None], None]:
    """What moves a bar for everything that is being done."""
    bars: dict[str, TaskID] = {}

    def move(what: str, done: int, total: int | None) -> None:
        if what not in bars:
            bars[what] = shown.add_task(what, total=total)
        shown.update(bars[what], completed=done, total=total)

    return move


@cli.command()
def verify(
    file: Annotated[str, typer.Argument(help="File with a certificate, or an answer with one")],
    board: Annotated[
        str | None, typer.Option(help="File with the board that it must be about")
    ] = None,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
) -> None:
    """Check the certificates of answers, with nothing of what made them."""
    given = _read_json(file)
    if _is_bare(given):
        _fail(
            f"{file}: that answer has no certificate; ask check or forced for one, with "
            '"certificate": true or --json --certificate'
        )
    try:
        certificates = read_certificates(given)
        puzzle, total = about(given)
        wanted = board and _board(board, notation, trust_flags, None, None)[0]
        if wanted is not None and puzzle != wanted:
            raise CertificateError("board", None, "It is another board.")
        if mines is not None and total != mines:
            raise CertificateError("mines", None, "It is another total.")
        verify_all(certificates)
    except CertificateError as error:
        print(f"rejected: {error}")
        raise typer.Exit(_INCONSISTENT) from None
    claims = Counter(str(certificate.claim) for certificate in certificates)
    if not claims:
        print("verified: nothing is claimed")
    for claim, times in claims.items():
        print(f"verified: {claim}" if times == 1 else f"verified: {claim}, {times} times")


def _is_bare(given: Any) -> bool:
    """Whether it is an answer without a certificate, of which nothing can be said."""
    return isinstance(given, dict) and "consistent" in given and given.get("certificate") is None


def _read_json(file: str) -> Any:
    text = _text(file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            _fail(f"{file}: there is more behind the first answer: verify one answer a file")
        _fail(f"{file}: no JSON: {error}")
    except (ValueError, RecursionError) as error:
        _fail(f"{file}: no JSON: {error}")


def _place(text: str, option: str = "--cell") -> tuple[int, int]:
    if (place := parse_place(text)) is None:
        _fail(f"{option}: {text[:99]!a} is no cell such as 0,3")
    return place


def _cells(places: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"row {row} column {col}" for row, col in places)


def _tell(steps: list[Statement] | None) -> None:
    """Steps, numbered; those that rest on a supposition are set in."""
    for number, step in enumerate(steps or [], 1):
        print(f"  {number:>2}. {'  ' * len(step.under)}{step.text}")


def _density(text: str | None) -> Fraction | None:
    if text is None:
        return None
    if not re.fullmatch(r"0?\.[0-9]{1,99}|[1-9][0-9]{0,98}/[1-9][0-9]{0,98}", text):
        _fail(f"--density: {text[:99]!a} is no chance such as 0.2 or 1/5")
    return Fraction(text)


def _board(
    file: str, notation: Notation, trust_flags: bool, form: str | None, mines: int | None
) -> tuple[Board, int | None]:
    """The board in a file, and the total of mines: that of the file where none is given."""
    try:
        if (name := form or formats.named(file)) is not None:
            opened = formats.read(_bytes(file), name)
            board, mines = opened.shown(), opened.mines if mines is None else mines
        else:
            text = _text(file)
            if text.lstrip()[:1] in ("{", "["):
                _fail(f"{file}: that is JSON. Give the rows as text, one a line")
            board = parse(text, notation)
    except (BoardError, FormatError) as error:
        _fail(f"{file}: {error}")
    return board.trusting_flags() if trust_flags else board, mines


def _text(file: str) -> str:
    try:
        return _bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _fail(f"{file}: not UTF-8 at byte {error.start}")


def _bytes(file: str) -> bytes:
    try:
        if file != "-":
            return Path(file).read_bytes()
        if sys.stdin is None:
            _fail("-: standard input is closed")
        return sys.stdin.buffer.read()
    except OSError as error:
        _fail(f"{file}: {error.strerror}")


def _certified(certificate: bool, as_json: bool) -> None:
    if certificate and not as_json:
        _fail("--certificate: only with --json, which shows it")


def _served(engine: Engine, address: str | None) -> None:
    if address is not None and engine is Engine.LOCAL:
        _fail("--address: only with --engine ray")


def _question(
    task: Task, board: Board, mines: int | None, backend: Backend, **options: Any
) -> Question:
    try:
        return Question(task, board, mines, backend=backend, **options)
    except QuestionError as error:
        _fail(f"--{error.field}: {error}")


@contextmanager
def _on_cluster(address: str | None, processors: int | None = None) -> Iterator[None]:
    """Within, Ray is there; what goes wrong with it ends the command."""
    from app.batch import ray_engine

    try:
        with ray_engine.connected(address, processors):
            yield
    except ray_engine.ClusterError as error:
        _fail(f"--engine ray: {error}")


def _answered(
    question: Question, seconds: float | None, as_json: bool, effort: Effort = FULL
) -> Answer:
    """The answer; with ``as_json`` it is printed and the command ends."""
    deadline = Deadline.after(None if seconds is None else _waiting(seconds))
    try:
        found = _aside(lambda: answer(question, deadline, effort))
    except BackendRefusal as error:
        _fail(f"--backend {question.backend}: {error}")
    if found.count and question.offset >= found.count and question.task is Task.LAYOUTS:
        number, many = render.digits(question.offset), render.digits(found.count)
        _fail(f"--offset: there is no layout number {number}: the count is {many}")
    if as_json:
        sys.stdout.buffer.write(render.rendered(question, found) + b"\n")
        raise typer.Exit(_status(found))
    return found


def _aside(work: Callable[[], _Found]) -> _Found:
    """What comes of it, in a thread of its own, so that Ctrl-C is ours.

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


def _waiting(seconds: float) -> float:
    """Seconds to wait, if they are."""
    if not (isfinite(seconds) and seconds > 0):
        _fail(f"--deadline: {seconds} is no time to wait")
    return seconds


def _show(title: str, rows: list[str], marked: set[tuple[int, int]] | None = None) -> None:
    """A board, with colours where the terminal has them."""
    _title(title)
    console = Console(highlight=False, soft_wrap=True)
    for row, symbols in enumerate(rows):
        line = Text("  ")
        for col, symbol in enumerate(symbols):
            style = "red" if symbol == "B" else ""
            line.append(symbol, style=f"{style} reverse" if (row, col) in (marked or ()) else style)
        console.print(line)


def _title(text: str) -> None:
    Console(highlight=False, soft_wrap=True).print(Text(text, style="bold"))


def _finish(found: Answer, deadline: float | None) -> NoReturn:
    """Say what is left to say, and end with the status."""
    if found.consistent is False:
        print("inconsistent")
        if found.conflict is not None:
            clues = _cells(found.conflict.clues)
            reasons = [f"the clues at {clues}"] if clues else []
            reasons += ["the total of mines"] if found.conflict.mines else []
            print(f"cannot hold together: {' and '.join(reasons)}")
        if found.feasible is not None:
            least, most = found.feasible
            amount = several(most, "mine") if least == most else f"from {least} to {most} mines"
            print(f"without that total, layouts have {amount}")
    if not found.complete:
        print(f"incomplete: {_why(deadline)}", file=sys.stderr)
    raise typer.Exit(_status(found))


def _why(deadline: float | None) -> str:
    if deadline is None:
        return "the board takes more work than the methods are allowed"
    return "the board takes more work than the methods are allowed, or the deadline passed"


def _status(found: Answer) -> int:
    if found.consistent is None:
        return _NO_ANSWER
    return 0 if found.consistent else _INCONSISTENT


def _fail(message: str) -> NoReturn:
    print(f"minecheck: {message}", file=sys.stderr)
    raise typer.Exit(_NO_ANSWER)


def main() -> None:
    """Run the command line; whatever goes wrong, it is not the status of a verdict."""
    stdio.install(_NO_ANSWER)
    if sys.stdout is None:
        print(f"minecheck: {_CLOSED}", file=sys.stderr)
        sys.exit(_NO_ANSWER)
    try:
        try:
            cli()
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != _INTERRUPTED:
            raise
        # What was interrupted may still be at work in its thread.
        os._exit(_INTERRUPTED)
    except SettingsError as error:
        for fault in str(error).splitlines():
            print(f"minecheck: {fault}", file=sys.stderr)
        os._exit(_NO_ANSWER)
    except Exception as error:  # noqa: BLE001 - the last resort of a command
        print(f"minecheck: {type(error).__name__}: {error}", file=sys.stderr)
        os._exit(_NO_ANSWER)
