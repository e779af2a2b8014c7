"""The command ``simulate``: games played by a strategy, and how many of them are won."""

import re
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from time import perf_counter
from typing import Annotated, Final

import numpy as np
import orjson
import typer
from rich.console import Console
from rich.progress import Progress

from minecheck.app.cli.annotations import parse_first
from minecheck.app.cli.ending import fail_with
from minecheck.app.cli.engines import WorkOptions
from minecheck.app.cli.options import make_command
from minecheck.app.cli.show import Screen, format_cells
from minecheck.app.quoting import quote_text
from minecheck.app.settings import Settings
from minecheck.minefield import draw
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Deadline, QuestionError, fresh_seed
from minecheck.solvers.games.generator import Guarantee, choose_first
from minecheck.solvers.games.series import (
    CONFIDENCE,
    GameTally,
    Series,
    compute_wilson_interval,
    play_games,
)
from minecheck.solvers.games.strategy import Player, Strategy

#: The classic boards: rows, columns, mines.
_CLASSIC: Final = {
    "beginner": (9, 9, 10),
    "intermediate": (16, 16, 40),
    "expert": (16, 30, 99),
}
#: Games that a process plays in one piece.
_PIECE: Final = 20


class Start(StrEnum):
    """The guarantee for the first click."""

    OPENING = "opening"
    SAFE = "safe"


_STARTS: Final = {Start.OPENING: Guarantee.OPENING, Start.SAFE: Guarantee.RANDOM}


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(WorkOptions):
    """Play many games with a strategy, and print how many are won.

    What is proved safe is opened, and where nothing is, the strategy decides.
    """

    games: Annotated[int, typer.Option(min=1, help="How many games are played")] = 1000
    board: Annotated[
        str, typer.Option(help="beginner, intermediate, expert, or rows, columns and mines: 9x9/10")
    ] = "expert"
    start: Annotated[Start, typer.Option(help="The first click is a 0, or only no mine")] = (
        Start.OPENING
    )
    first: Annotated[
        str | None,
        typer.Option(
            help="The first click: row,column from 0; by default 3,3, or 0,0 if it is only safe, "
            "or else the middle"
        ),
    ] = None
    strategy: Annotated[
        Strategy, typer.Option(help="What is opened where nothing is proved safe")
    ] = Strategy.BEST
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The seed of the first game, 0 by default; each next one is one more. With "
            "--random any by default",
        ),
    ] = None
    random: Annotated[
        tuple[int, int, int] | None,
        typer.Option(
            metavar="WIDTH HEIGHT MINES",
            help="Play one game of this size instead, and show its steps; its first click is the "
            "middle",
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON")] = False


def _simulate(options: SimulateOptions) -> None:
    start, first, strategy, seed = options.start, options.first, options.strategy, options.seed
    if options.random is not None:
        _show_one(options.random, start, first, strategy, fresh_seed() if seed is None else seed)
        return
    games = options.games
    series = make_series(parse_size(options.board), start, first, seed or 0)
    pieces = [range(begin, min(games, begin + _PIECE)) for begin in range(0, games, _PIECE)]
    started = perf_counter()
    console = Console(stderr=True)
    whole = GameTally(0, 0, np.zeros(0))
    with Progress(console=console, disable=not console.is_terminal) as shown:
        bar = shown.add_task("games", total=games)
        for tally in options.map_pieces(partial(play_games, series, strategy), pieces):
            whole += tally
            shown.update(bar, advance=tally.games)
    _print_report(whole, perf_counter() - started, options.as_json)


def _print_report(tally: GameTally, seconds: float, as_json: bool) -> None:
    low, high = compute_wilson_interval(tally.won, tally.games)
    guesses = tally.seconds if tally.guesses else np.zeros(1)
    median, late = (1e3 * float(share) for share in np.quantile(guesses, (0.5, 0.99)))
    if as_json:
        report = {
            "games": tally.games,
            "won": tally.won,
            "rate": tally.rate,
            "interval": {"low": low, "high": high, "confidence": CONFIDENCE},
            "guesses": tally.guesses,
            "guess_ms": {"median": median, "percentile_99": late},
            "seconds": seconds,
        }
        sys.stdout.buffer.write(orjson.dumps(report) + b"\n")
        return
    print(
        f"won {tally.won} of {format_count(tally.games, 'game')}: {tally.rate:.2%} "
        f"(between {low:.2%} and {high:.2%} with {CONFIDENCE:.0%} confidence)"
    )
    print(
        f"{tally.guesses / tally.games:.2f} guesses a game, each {median:.1f} ms in the median, "
        f"99 of 100 less than {late:.1f} ms"
    )
    print(f"{seconds:.1f} s in all", file=sys.stderr)


def _show_one(
    size: tuple[int, int, int], start: Start, first: str | None, strategy: Strategy, seed: int
) -> None:
    """Play one game, and show its steps."""
    width, height, mines = size
    middle = first or f"{height // 2},{width // 2}"
    series = make_series((height, width, mines), start, middle, seed)
    game = series.deal_game(0)
    screen = Screen(Deadline())
    print(f"seed {seed}")
    screen.print_board(
        f"the first click: {format_cells([game.first])}", draw(game.opened), {game.first}
    )
    lost = False
    board = game.opened
    for turn in Player(strategy, seed=seed).iterate_turns(game):
        opened = format_cells(turn.cells) if turn.guessed else format_count(len(turn.cells), "cell")
        lost = any(game.layout.mines[cell] for cell in turn.cells)
        board = board if lost else game.open_cells(turn.board, turn.cells)
        how = f"guessed, {1 - turn.mine:.1%} safe" if turn.guessed else "proved safe"
        screen.print_board(f"{how}: {opened}", draw(board), turn.cells)
    print("lost" if lost else "won")
    if lost:
        screen.print_board("the mines", game.layout.rows())


def make_series(size: tuple[int, int, int], start: Start, first: str | None, seed: int) -> Series:
    """Return the requested games; end the command if there are none.

    Args:
        size: rows, columns and mines.
        start: what is guaranteed for the first click.
        first: the first click as an option has it; None for the usual one.
        seed: of the first one.
    """
    kind = _STARTS[start]
    height, width, mines = size
    click = choose_first(kind, height, width) if first is None else parse_first(first)
    if height * width > (most := Settings().max_cells):
        fail_with(
            f"--board: a board has at most {format_count(most, 'cell')} here. Send a smaller size, "
            "such as 16x30/99."
        )
    try:
        return Series(height, width, mines, kind, click, seed)
    except QuestionError as error:
        fail_with(f"{'--board' if error.field != 'first' else '--first'}: {error}")


def parse_size(board: str) -> tuple[int, int, int]:
    """Return rows, columns and mines of a board; end the command if there is none.

    Args:
        board: its name, or its size, such as 9x9/10.
    """
    named = re.fullmatch(r"(\d{1,4})x(\d{1,4})/(\d{1,7})", board)
    if named is not None:
        return int(named[1]), int(named[2]), int(named[3])
    if board not in _CLASSIC:
        fail_with(
            f"--board: {quote_text(board)} is not a valid board. Use one of: "
            f"{', '.join(_CLASSIC)}, or a size such as 9x9/10"
        )
    return _CLASSIC[board]


COMMANDS: Final = dict.fromkeys(("simulate", "play"), make_command(SimulateOptions, _simulate))
