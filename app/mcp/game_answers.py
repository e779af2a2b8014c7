"""Answers about games: the best move, how hard a map is, and boards to play."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, Field

from minecheck.app.mcp.board_answers import (
    Checked,
    add_board,
    add_conflict,
    collect_verdict,
    describe_verdict,
)
from minecheck.app.mcp.board_view import View, format_percent, list_cells, name_cell
from minecheck.app.mcp.paragraphs import Paragraphs
from minecheck.app.mcp.tool import CallContext, ToolAnswer
from minecheck.minefield.numerals import format_count

#: Sets of cells with an unavoidable guess that are listed at most.
_MOST_GUESSES: Final = 5


class MoveShown(BaseModel):
    """A move."""

    cell: list[int]
    safe: bool = Field(description="Whether it is proved safe")
    mine: float = Field(description="The chance that it is a mine")
    win: float | None = Field(description="The chance to win with it; null if not computed")


class BestMove(Checked):
    """The best moves."""

    moves: list[MoveShown] | None = Field(description="Best first")
    win_low: float | None = Field(description="The chance to win with best play is at least this")
    win_high: float | None = Field(description="and at most this")


class Graded(BaseModel):
    """The difficulty of a map."""

    complete: bool
    guess_free: bool | None
    difficulty: str | None = Field(description="The hardest step taken, from trivial to search")
    steps: dict[str, int] | None = Field(description="Clicks by the easiest step that proves them")
    openings: int | None
    clicks: int | None = Field(description="3BV: the clicks that open all safe cells")
    mines: int


class Dealt(BaseModel):
    """A board to play."""

    found: bool
    seed: str
    first: list[int]
    mines: int
    board: list[str] | None = Field(description="null if it is too large to repeat")
    layout: list[str] | None = Field(description="Where the mines are, if that was asked for")
    difficulty: str | None


def render_best_move_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write the best cells to open."""
    text = Paragraphs()
    moves, win = answer.get("moves"), answer.get("win")
    text.add(_describe_best(moves) if answer["consistent"] else describe_verdict(answer))
    if answer["consistent"]:
        if not answer["solver"]["complete"]:
            text.add(describe_verdict(answer))
        if moves:
            text.add("Moves, best first:\n" + "\n".join(map(_describe_move, moves)))
        if win is not None:
            text.add(_describe_win(win))
        _add_guesses(text, answer.get("guesses"))
    add_board(text, context)
    add_conflict(text, answer, context)
    structured = BestMove(
        **collect_verdict(answer),
        moves=None
        if moves is None
        else [
            MoveShown(cell=move["cell"], safe=move["safe"], mine=move["mine"], win=move["win"])
            for move in moves
        ],
        win_low=win and win["low"],
        win_high=win and win["high"],
    )
    return ToolAnswer(text.join(), structured.model_dump())


def render_grade_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write how hard a map is."""
    text = Paragraphs()
    rows = answer["layout"]
    view = View(len(rows), len(rows[0]), context.view.top, context.view.left)
    verdicts = {
        True: "NO GUESS NEEDED: every safe cell can be proved safe before it is opened.",
        False: "A GUESS IS NEEDED: at some point no cell can be proved safe.",
        None: "UNDECIDED: it was not decided in time whether a guess is needed. Ask again with a "
        "larger deadline_ms, such as 30000.",
    }
    text.add(verdicts[answer["guess_free"]])
    if answer["difficulty"] is not None:
        steps = ", ".join(f"{name} {count}" for name, count in answer["steps"].items())
        text.add(
            f"The hardest step is of the level {answer['difficulty']}. Clicks by the easiest step "
            f"that proves them safe: {steps}."
        )
    if answer["3bv"] is not None:
        text.add(
            f"{format_count(answer['mines'], 'mine')}, "
            f"{format_count(answer['openings'], 'opening')}, 3BV {answer['3bv']} "
            "(the clicks that open all safe cells)."
        )
    stuck = answer["stuck"]
    if stuck is not None:
        text.add(
            "Where the first guess is needed:\n" + view.draw_cells(stuck["board"]),
            "The position of the first guess is left out for its length.",
        )
        if stuck["moves"]:
            text.add("The best moves there:\n" + "\n".join(map(_describe_move, stuck["moves"])))
        _add_guesses(text, stuck["guesses"])
    text.add(
        f"The map (first click at {name_cell(answer['first'])}; B: mine):\n{view.draw_cells(rows)}",
        "The map is left out for its length.",
    )
    text.add(view.describe_rest())
    structured = Graded(
        complete=answer["solver"]["complete"],
        guess_free=answer["guess_free"],
        difficulty=answer["difficulty"],
        steps=answer["steps"],
        openings=answer["openings"],
        clicks=answer["3bv"],
        mines=answer["mines"],
    )
    return ToolAnswer(text.join(), structured.model_dump())


def render_deal_board_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write a board to play."""
    text = Paragraphs()
    board, layout = answer["board"], None
    shown = board
    if board is None:
        text.add(
            "NOT FOUND: no such board was found in time. Ask again with a larger deadline_ms, such "
            'as 30000, fewer mines, another seed, or the kind "opening".'
        )
    else:
        view = View(len(board), len(board[0]), context.view.top, context.view.left)
        layout = answer["layout"] if context.arguments.get("solution") else None
        level = answer["difficulty"]
        graded = f", whose hardest step is of the level {level}" if level else ""
        text.add(
            f"DEALT: a {answer['kind']} board with {format_count(answer['mines'], 'mine')}{graded}"
            f". The first click at {name_cell(answer['first'])} is made. The seed is "
            f"{answer['seed']}: "
            "the same arguments with this seed deal the same board."
        )
        text.add(
            f"The board, {format_count(view.rows, 'row')} by {format_count(view.cols, 'column')} "
            "(0-8: clue, ?: unopened). Cells are (row, column), counted from 0 at the top left.\n"
            f"{view.draw_cells(board)}"
        )
        if layout is not None:
            text.add(
                f"Where the mines are (B):\n{view.draw_cells(layout)}",
                "Where the mines are is left out for its length.",
            )
        text.add(view.describe_rest())
        if not view.is_whole:
            shown = layout = None
    structured = Dealt(
        found=answer["found"],
        seed=answer["seed"],
        first=list(answer["first"]),
        mines=answer["mines"],
        board=shown,
        layout=layout,
        difficulty=answer["difficulty"],
    )
    return ToolAnswer(text.join(), structured.model_dump())


def _describe_best(moves: Sequence[Mapping[str, Any]] | None) -> str:
    """Return the verdict on the best move."""
    if moves is None:
        return "UNDECIDED: no move was found in time. Ask again with a larger deadline_ms."
    if not moves:
        return "NO MOVE: no unknown cell is left to open."
    best = moves[0]
    where = name_cell(best["cell"])
    if best["safe"]:
        return f"OPEN {where}: it is proved safe."
    return f"GUESS {where}: no cell is proved safe; this one is a mine with chance " + (
        f"{format_percent(best['mine'])}."
    )


def _describe_move(move: Mapping[str, Any]) -> str:
    """Return a move with its chances, as far as they are known, in one line."""
    danger = "proved safe" if move["safe"] else f"mine {format_percent(move['mine'])}"
    win = "" if move["win"] is None else f", win {format_percent(move['win'])}"
    dead = ", tells nothing new" if move["dead"] else ""
    progress = ""
    if move["progress"] is not None:
        chance = format_percent(move["progress"])
        progress = f", chance that it leads to a proved safe cell {chance}"
    return f"- {name_cell(move['cell'])}: {danger}{win}{progress}{dead}"


def _describe_win(win: Mapping[str, Any]) -> str:
    """Return the chance to win with best play."""
    if win["exact"]:
        return f"The chance to win with best play is {format_percent(win['low'])}, exactly."
    return (
        "The chance to win with best play is between "
        f"{format_percent(win['low'])} and {format_percent(win['high'])}."
    )


def _add_guesses(text: Paragraphs, guesses: Sequence[Mapping[str, Any]] | None) -> None:
    """Add the guesses that cannot be avoided."""
    if guesses:
        lines = [
            f"- {list_cells(guess['cells'], 12)}: right with chance "
            f"{format_percent(guess['chance'])}"
            for guess in guesses[:_MOST_GUESSES]
        ]
        if len(guesses) > _MOST_GUESSES:
            lines.append(f"- and {len(guesses) - _MOST_GUESSES} more")
        text.add("Guesses that no play can avoid:\n" + "\n".join(lines))
