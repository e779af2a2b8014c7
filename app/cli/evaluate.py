"""The command ``evaluate``: any player on standard boards, judged by the exact chances."""

import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import exp, log
from time import perf_counter
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import orjson
import typer
from rich.console import Console
from rich.progress import Progress

from minecheck import __version__
from minecheck.app.cli.compiling import compile_ahead
from minecheck.app.cli.ending import fail_with
from minecheck.app.cli.engines import map_in_processes
from minecheck.app.cli.options import make_command
from minecheck.app.cli.player_process import ProcessPlayer
from minecheck.app.cli.simulate import Start, make_series, parse_size
from minecheck.app.quoting import quote_text
from minecheck.minefield.numerals import format_count
from minecheck.solvers.games.evaluation import GameEnd, GameResult, evaluate_games
from minecheck.solvers.games.players import PLAYERS, make_player
from minecheck.solvers.games.series import CONFIDENCE, Series, compute_wilson_interval

#: The boards that are played if none are named.
_STANDARD: Final = ("9x9/10", "16x16/40", "16x30/99")
_PIECE: Final = 10
#: A player may know the boards if its luck has a smaller chance than this.
_SUSPICIOUS: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """Evaluate a player: how many games it wins, and how good its moves are.

    Each move is compared with the exact chances. The status is 0 if all games came to their end,
    and 1 if the player failed in some.
    """

    player: Annotated[
        str,
        typer.Argument(
            help=f"The player: {', '.join(PLAYERS)}; a command in quotes that speaks the protocol "
            "of docs/evaluate.md, such as 'python3 player.py'; or an http URL"
        ),
    ]
    board: Annotated[
        list[str] | None,
        typer.Option(
            help="beginner, intermediate, expert, or rows, columns and mines: 9x9/10; several "
            f"times for several boards; by default {', '.join(_STANDARD)}"
        ),
    ] = None
    games: Annotated[int, typer.Option(min=1, help="How many games are played on each")] = 100
    start: Annotated[Start, typer.Option(help="The first click is a 0, or only no mine")] = (
        Start.OPENING
    )
    first: Annotated[
        str | None,
        typer.Option(help="The first click: row,column from 0; as for simulate by default"),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**63 - 1, help="The seed of the first game; each next one is one more"
        ),
    ] = 0
    seconds: Annotated[
        float, typer.Option(min=0.001, max=3600, help="The seconds for each move")
    ] = 10.0
    processes: Annotated[int, typer.Option(min=1, help="How many games are played at once")] = 1
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON")] = False


def _evaluate(options: EvaluateOptions) -> None:
    command = _find_command(options.player)
    boards, games = options.board or list(_STANDARD), options.games
    kinds = [
        make_series(parse_size(board), options.start, options.first, options.seed)
        for board in boards
    ]
    if options.seed + games > 2**63:
        fail_with("--seed: the last game would have a seed above 2**63 - 1. Send a smaller seed.")
    # Machine code is compiled once, and not while a player waits.
    compile_ahead(sys.stderr)
    rows = []
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as shown:
        bar = shown.add_task("games", total=games * len(kinds))
        for name, series in zip(boards, kinds, strict=True):
            started = perf_counter()
            results: list[GameResult] = []
            for piece in _iterate_results(series, options, command):
                results += piece
                shown.update(bar, advance=len(piece))
            rows.append(_summarize_results(name, series, results, perf_counter() - started))
    if options.as_json:
        header = {
            "player": options.player,
            "seconds_a_move": options.seconds,
            "minecheck": __version__,
        }
        sys.stdout.buffer.write(orjson.dumps({**header, "boards": rows}) + b"\n")
    else:
        _print_table(options.player, rows)
    _warn_of_knowledge(rows)
    faults = (GameEnd.ILLEGAL, GameEnd.LATE, GameEnd.DIED)
    raise typer.Exit(int(any(row[fault.value] for row in rows for fault in faults)))


def _find_command(player: str) -> list[str] | None:
    """Return the command of a player, None for one that is named; end if there is no such one."""
    if player in PLAYERS:
        return None
    if player.startswith(("http://", "https://")):
        if not urlsplit(player).hostname:
            fail_with(
                f"PLAYER: {quote_text(player)} has no host, such as http://127.0.0.1:9000/move"
            )
        return [sys.executable, "-m", "minecheck.app.cli.http_player", player]
    try:
        words = shlex.split(player)
    except ValueError as error:
        fail_with(f"PLAYER: {quote_text(player)} is not a command: {str(error).lower()}")
    if not words or shutil.which(words[0]) is None:
        names = ", ".join(PLAYERS)
        fail_with(
            f"PLAYER: {quote_text(player)} is neither a program, nor a URL, nor one of {names}. "
            "Name a command, such as 'python3 player.py'"
        )
    return words


def _iterate_results(
    series: Series, options: EvaluateOptions, command: Sequence[str] | None
) -> Iterator[list[GameResult]]:
    """Yield the results of all games, some at a time, in order."""
    games, processes = options.games, options.processes
    pieces = [range(start, min(games, start + _PIECE)) for start in range(0, games, _PIECE)]
    work = partial(_evaluate_piece, series, options.player, command, options.seconds)
    if processes > 1:
        yield from map_in_processes(work, pieces, processes)
    elif command is None:
        yield from map(work, pieces)
    else:
        # The program goes on from piece to piece.
        with ProcessPlayer(command, options.seconds) as program:
            for piece in pieces:
                yield evaluate_games(series, piece, program)


def _evaluate_piece(
    series: Series,
    player: str,
    command: Sequence[str] | None,
    seconds: float,
    numbers: range,
) -> list[GameResult]:
    """Return the results of some games, in any process."""
    if command is None:
        # Each piece has draws of its own, so that their number does not depend on processes.
        return evaluate_games(series, numbers, make_player(player, series.seed + numbers.start))
    with ProcessPlayer(command, seconds) as program:
        return evaluate_games(series, numbers, program)


def _summarize_results(
    name: str, series: Series, results: Sequence[GameResult], seconds: float
) -> dict[str, Any]:
    """Return the figures of one board."""
    games = len(results)
    ends = Counter(result.outcome for result in results)
    won = ends[GameEnd.WON]
    low, high = compute_wilson_interval(won, games)
    moves = sum(result.moves for result in results)
    guesses = sum(result.guesses for result in results)
    thrown = sum(result.thrown for result in results)
    return {
        "board": name,
        "start": series.kind.value,
        "first": series.first,
        "seed": str(series.seed),
        "games": games,
        **{outcome.value: ends[outcome] for outcome in GameEnd},
        "rate": won / games,
        "interval": {"low": low, "high": high, "confidence": CONFIDENCE},
        "moves": moves,
        "guesses": guesses,
        "unproved": sum(result.unproved for result in results),
        "thrown_a_guess": thrown / guesses if guesses else None,
        "expected_mines": sum(result.expected_mines for result in results),
        "unjudged": sum(result.unjudged for result in results),
        "move_ms": {
            "mean": 1e3 * sum(result.seconds for result in results) / moves if moves else None,
            "slowest": 1e3 * max(result.slowest for result in results),
        },
        "layouts_sha256": sha256(b"".join(result.digest for result in results)).hexdigest(),
        "seconds": seconds,
    }


def _print_table(player: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print the figures, a board in a line, in columns that are as wide as needed."""
    heads = (
        "board", "games", "won", "rate", "interval 95%", "guesses a game", "thrown a guess",
        "unproved", "illegal", "late", "died", "ms a move",
    )  # fmt: skip
    table = [heads, *map(_format_row, rows)]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    print(f"player: {player}")
    for line in table:
        name, *numbers = (text.rjust(size) for text, size in zip(line, wide, strict=True))
        print("  ".join((name.strip().ljust(wide[0]), *numbers)))
    if unjudged := sum(row["unjudged"] for row in rows):
        print(f"not judged for their time: {format_count(unjudged, 'move')}", file=sys.stderr)
    print(f"{sum(row['seconds'] for row in rows):.1f} s in all", file=sys.stderr)


def _warn_of_knowledge(rows: Sequence[dict[str, Any]]) -> None:
    """Warn if guesses opened fewer mines than chance allows; the player may know the boards."""
    mines = sum(row[GameEnd.MINE.value] for row in rows)
    expected = sum(row["expected_mines"] for row in rows)
    if bound_chance(mines, expected) < _SUSPICIOUS:
        print(
            f"The guesses of the player opened {format_count(mines, 'mine')}; {expected:.1f} are "
            "to be expected. Chance does not explain that: the player may know the boards, which "
            "follow from --seed.",
            file=sys.stderr,
        )


def bound_chance(mines: int, expected: float) -> float:
    """Return a bound on the chance that so few guesses open a mine.

    It is that of H. Chernoff for sums of independent events (A measure of asymptotic efficiency,
    1952), which also holds where each event follows those before it.

    Args:
        mines: the guesses that opened a mine.
        expected: the sum of the chances of all guesses.
    """
    if mines >= expected:
        return 1.0
    return exp(mines - expected + (mines * log(expected / mines) if mines else 0.0))


def _format_row(row: dict[str, Any]) -> tuple[str, ...]:
    interval, thrown, mean = row["interval"], row["thrown_a_guess"], row["move_ms"]["mean"]
    return (
        row["board"],
        str(row["games"]),
        str(row["won"]),
        f"{row['rate']:.1%}",
        f"{interval['low']:.1%} to {interval['high']:.1%}",
        f"{row['guesses'] / row['games']:.2f}",
        "-" if thrown is None else f"{thrown:.2%}",
        *(str(row[name]) for name in ("unproved", "illegal", "late", "died")),
        "-" if mean is None else f"{mean:.2f}",
    )


COMMANDS: Final = {"evaluate": make_command(EvaluateOptions, _evaluate)}
