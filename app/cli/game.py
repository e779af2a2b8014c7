"""The command ``game``: Minesweeper in the terminal, with windows, hints and chances."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from minecheck.app.cli.colors import Color, ColorChoice
from minecheck.app.cli.ending import fail_with
from minecheck.app.cli.show import Screen, Shown, format_cells, print_chances
from minecheck.app.cli.waiting import run_in_thread
from minecheck.app.quoting import quote_text
from minecheck.app.settings import Settings
from minecheck.automata import Window, WindowError
from minecheck.minefield import FLAG, UNKNOWN, Board, draw
from minecheck.minefield.game import Game
from minecheck.minefield.numerals import format_count
from minecheck.solvers import (
    BackendError,
    Deadline,
    Question,
    QuestionError,
    answer_question,
    fresh_seed,
)
from minecheck.solvers.games.generator import BoardOptions, Guarantee, generate_board
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.explain import Explain
from minecheck.solvers.tasks.forced import ForcedCells
from minecheck.solvers.tasks.layouts import Layouts
from minecheck.solvers.tasks.strips import Strips

#: Layouts of a window that are shown.
_MOST_LAYOUTS: Final = 16
_LARGEST_CLUE: Final = 8
#: Marks what a player typed, also where it comes from a file.
_PROMPT: Final = "> "


def game(
    rows: Annotated[int, typer.Option("--rows", "--height", min=1, help="Number of rows")] = 9,
    cols: Annotated[int, typer.Option("--cols", "--width", min=1, help="Number of columns")] = 9,
    mines: Annotated[int, typer.Option(min=0, help="Number of mines")] = 10,
    kind: Annotated[
        Guarantee,
        typer.Option(
            help="random: the first cell is safe; opening: it is a 0; guess-free: it is a 0, and "
            "the rest can be proved"
        ),
    ] = Guarantee.OPENING,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of the board; by default any")
    ] = None,
    color: Color = ColorChoice.AUTO,
) -> None:
    """Play a game in the terminal, with proofs at hand.

    The first cell that is opened decides the board. Type help for the commands: they open and flag
    cells, cut out a window and list its layouts, and tell a forced cell with its reason. Commands
    may be piped in, one on each line.
    """
    most = Settings().max_cells
    if rows * cols > most:
        fail_with(
            f"--rows: a board has at most {format_count(most, 'cell')} here. Reduce --rows or "
            "--cols."
        )
    first = (rows // 2, cols // 2)
    try:
        options = BoardOptions(
            rows, cols, mines, kind, first, fresh_seed() if seed is None else seed
        )
    except QuestionError as error:
        fail_with(f"--{_OPTIONS.get(error.field, error.field)}: {error}")
    _Session(options, color).play()


_OPTIONS: Final = MappingProxyType({"height": "rows", "width": "cols"})


class _Mistake(Exception):
    """A command that makes no sense, with the fix."""


@dataclass(frozen=True)
class _Turn:
    """The state between two commands: what the board shows, and the mine that was opened."""

    board: Board
    hit: tuple[int, int] | None = None


class _Session:
    """A game and its turns, from the first command to the last."""

    def __init__(self, options: BoardOptions, color: ColorChoice) -> None:
        self._options = options
        self._color = color
        self._screen = Screen(Deadline(), color)
        self._game: Game | None = None
        unseen = Board(np.full((options.height, options.width), UNKNOWN, np.int8))
        self._turns = [_Turn(unseen)]

    @property
    def board(self) -> Board:
        """The board as the player sees it."""
        return self._turns[-1].board

    @property
    def is_won(self) -> bool:
        """True if every safe cell is open."""
        return self._game is not None and self._game.is_won(self.board)

    def play(self) -> None:
        """Carry out commands until one of them, or the input, ends the game."""
        print(
            f"{self._options.height} rows, {self._options.width} columns, "
            f"{format_count(self._options.mines, 'mine')}, seed {self._options.seed}. "
            "Open a cell, such as open 0 0, or type help."
        )
        for line in _iterate_commands():
            name, *words = line.split()
            if name in ("quit", "exit"):
                return
            action = _ACTIONS.get(name)
            try:
                if action is None:
                    raise _Mistake(f"{quote_text(name)} is not a command. Type help for a list.")
                action.method(self, *_read_numbers(name, words, action))
            except _Mistake as mistake:
                print(mistake)
            except (BackendError, QuestionError, WindowError) as error:
                print(f"{name}: {error}")
            sys.stdout.flush()

    def open_cell(self, row: int, col: int) -> None:
        """Open a cell; the first one decides the board."""
        self._require_playable(row, col, "open")
        if self.board.cells[row, col] == FLAG:
            raise _Mistake(f"open: a flag is there. Type flag {row} {col} to take it away.")
        if self.board.cells[row, col] != UNKNOWN:
            raise _Mistake(f"open: {format_cells([(row, col)])} is open. Choose an unknown cell.")
        if self._game is None:
            try:
                options = replace(self._options, first=(row, col))
            except QuestionError as error:
                raise _Mistake(f"open: {error} Begin with another cell.") from None
            self._game = run_in_thread(lambda: generate_board(options)).game
        assert self._game is not None, "without a deadline one is found"
        if self._game.layout.mines[row, col]:
            self._turns.append(_Turn(self.board, (row, col)))
        else:
            self._turns.append(_Turn(self._game.open_cells(self.board, [(row, col)])))
        self.show_board()

    def flag_cell(self, row: int, col: int) -> None:
        """Put a flag on an unknown cell, or take it away."""
        self._require_playable(row, col, "flag")
        cells = self.board.cells.copy()
        if cells[row, col] not in (FLAG, UNKNOWN):
            raise _Mistake(f"flag: {format_cells([(row, col)])} is open. Flag an unknown cell.")
        cells[row, col] = UNKNOWN if cells[row, col] == FLAG else FLAG
        self._turns.append(_Turn(Board(cells)))
        self.show_board()

    def show_window(self, row: int, col: int, height: int, width: int) -> None:
        """Cut a window out of the board, and show what its clues say and its layouts."""
        window = Window(row, col, height, width)
        self._answer(Strips(self.board, window=window))
        page = Layouts(self.board, window=window, limit=_MOST_LAYOUTS)
        answer = self._find(page)
        has_more, answer.next_offset = answer.next_offset is not None, None
        Shown(page, Deadline(), self._color).print_answer(answer)
        if has_more:
            print(f"Only the first {_MOST_LAYOUTS} layouts are listed. Choose a smaller window.")

    def show_hint(self) -> None:
        """Show a cell that is proved, and why; a safe one if there is any."""
        forced = self._find(ForcedCells(self.board, self._options.mines)).forced
        flags = self.board.cells == FLAG
        cells = [*forced.safe, *(cell for cell in forced.mines if not flags[cell])]
        if not cells:
            print("No cell is proved. Type chances for the safest guess.")
            return
        self._answer(Explain(self.board, self._options.mines, cell=cells[0]))

    def show_chances(self) -> None:
        """Show the chance of a mine in each unknown cell, and the safest cell."""
        answer = self._find(Analyze(self.board, self._options.mines))
        print_chances(self._screen, answer.probabilities)
        if answer.safest:
            print(f"safest: {format_cells([answer.safest[0][0]])}")

    def undo_turn(self) -> None:
        """Take the last cell that was opened or flagged back."""
        if len(self._turns) == 1:
            raise _Mistake("undo: nothing was done yet. Open a cell first.")
        self._turns.pop()
        if not np.any(self.board.cells <= _LARGEST_CLUE):
            # Nothing is open any more, so the next cell is the first one again.
            self._game = None
        self.show_board()

    def show_board(self) -> None:
        """Show the board, and whether the game is over."""
        turn = self._turns[-1]
        if turn.hit is not None:
            assert self._game is not None, "a mine was opened"
            title = f"lost: {format_cells([turn.hit])} is a mine. Type undo or quit."
            self._show_rows(title, self._game.layout.rows(), turn.hit)
            return
        flags = int(np.count_nonzero(turn.board.cells == FLAG))
        count = f"{format_count(flags, 'flag')}, {format_count(self._options.mines, 'mine')}"
        state = "won" if self.is_won else count
        self._show_rows(state, draw(turn.board))

    def _show_rows(self, title: str, rows: list[str], *marked: tuple[int, int]) -> None:
        """Show rows with the numbers of rows and columns around them."""
        numbers = [f"{col % 10}" for col in range(self._options.width)]
        width = len(str(self._options.height - 1))
        self._screen.print_title(title)
        print(f"  {'':{width}} {''.join(numbers)}")
        for row, line in enumerate(self._screen.paint_rows(rows, marked)):
            print(f"  {row:>{width}} {line}")

    def show_help(self) -> None:
        """List the commands."""
        for name, action in _ACTIONS.items():
            print(f"  {f'{name} {action.arguments}'.strip():<27} {action.summary}")
        print(f"  {'quit':<27} End the game, as the end of the input does")

    def _find(self, question: Question) -> Any:
        return run_in_thread(lambda: answer_question(question))

    def _answer(self, question: Question) -> None:
        """Answer a question about the board, and print the answer."""
        Shown(question, Deadline(), self._color).print_answer(self._find(question))

    def _require_playable(self, row: int, col: int, name: str) -> None:
        """Reject a command about a cell outside the board, or after the end of the game."""
        height, width = self.board.cells.shape
        if not (row < height and col < width):
            raise _Mistake(
                f"{name}: {format_cells([(row, col)])} is outside the board. Rows are 0 to "
                f"{height - 1}, columns 0 to {width - 1}."
            )
        if self.is_won or self._turns[-1].hit is not None:
            raise _Mistake(f"{name}: the game is over. Type undo or quit.")


class _Action(NamedTuple):
    """A command of the game: its arguments, what it does in words, and what carries it out."""

    arguments: str
    summary: str
    method: Callable[..., None]


_ACTIONS: Final[Mapping[str, _Action]] = MappingProxyType(
    {
        "open": _Action("ROW COL", "Open a cell", _Session.open_cell),
        "flag": _Action("ROW COL", "Put a flag on a cell, or take it away", _Session.flag_cell),
        "window": _Action(
            "ROW COL HEIGHT WIDTH",
            "Cut out a window and list its layouts, by an automaton",
            _Session.show_window,
        ),
        "hint": _Action("", "Tell a cell that is proved, and why", _Session.show_hint),
        "chances": _Action("", "Show the chance of a mine in each cell", _Session.show_chances),
        "undo": _Action("", "Take the last step back", _Session.undo_turn),
        "board": _Action("", "Show the board", _Session.show_board),
        "help": _Action("", "List the commands", _Session.show_help),
    }
)


def _iterate_commands() -> Iterator[str]:
    """Yield the lines that a player types, or that are piped in, without those that are empty."""
    if sys.stdin is None:
        fail_with("-: standard input is closed")
    is_typed = sys.stdin.isatty()
    if is_typed:
        # It lets lines be edited.
        import readline  # noqa: F401
    while True:
        try:
            line = input(_PROMPT) if is_typed else input()
        except EOFError:
            print()
            return
        if line.strip():
            if not is_typed:
                print(f"{_PROMPT}{line.strip()}")
            yield line


def _read_numbers(name: str, words: list[str], action: _Action) -> list[int]:
    """Return the numbers of a command, as many as it takes."""
    expected = action.arguments.split()
    if len(words) != len(expected) or not all(_is_number(word) for word in words):
        example = " ".join("2468"[index] for index in range(len(expected)))
        wording = format_count(len(expected), "number") if expected else "no numbers"
        raise _Mistake(f"{name} takes {wording}: {f'{name} {example}'.strip()}")
    return [int(word) for word in words]


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 8


COMMANDS: Final = {"game": game}
