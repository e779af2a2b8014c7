"""Answers about a board: how it was read, whether it is consistent, what is known of its cells."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from minecheck.app.mcp.board_view import (
    MOST_NAMED,
    Cell,
    View,
    format_integer_briefly,
    format_percent,
    list_cells,
)
from minecheck.app.mcp.paragraphs import Paragraphs
from minecheck.app.mcp.tool import CallContext, ToolAnswer
from minecheck.minefield.numerals import format_count

#: Notes on the reading that are shown at most.
_MOST_NOTES = 8
#: Groups of cells with the same chance that are listed at most.
_MOST_GROUPS = 8
_COUNTED_FROM = "Cells are (row, column), counted from 0 at the top left."


class BoardRead(BaseModel):
    """A board that was read."""

    rows: int
    cols: int
    mines: int | None = Field(description="The total of mines that the text or the call states")
    notation: str = Field(description="How the cells were written")
    board: list[str] | None = Field(
        description="The board in the standard notation; null if it is too large to repeat"
    )
    notes: list[str] = Field(description="How symbols were read, and what was left out")


class Checked(BaseModel):
    """The verdict on a board."""

    consistent: bool | None = Field(description="null if it was not decided in time")
    complete: bool
    conflict: list[list[int]] | None = Field(description="Clues that contradict each other")
    conflict_with_total: bool = Field(description="Whether the total of mines is part of it")


class Analyzed(Checked):
    """The proved cells of a board, and chances."""

    count: str | None = Field(
        description="The number of layouts; rounded if it has more than 30 digits"
    )
    safe: list[list[int]] | None = Field(
        description=f"Cells proved safe, at most {MOST_NAMED} of the part that is shown"
    )
    safe_total: int | None
    mines: list[list[int]] | None = Field(description="Cells proved mines, likewise")
    mines_total: int | None
    lowest_chance: float | None = Field(
        description="The lowest chance of a mine among unopened cells"
    )


def render_read_board_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write how a board was read."""
    text = Paragraphs()
    clues = sum(cell.isdigit() for row in context.rows for cell in row)
    unknown = sum(cell == "?" for row in context.rows for cell in row)
    text.add(
        f"READ: a board with {format_count(clues, 'clue')} and "
        f"{format_count(unknown, 'unknown cell')}. The cells were written as: {context.notation}."
    )
    add_board(text, context)
    whole = context.view.is_whole
    structured = BoardRead(
        rows=context.view.rows,
        cols=context.view.cols,
        mines=context.mines,
        notation=context.notation,
        board=list(context.rows) if whole else None,
        notes=list(context.notes[:_MOST_NOTES]),
    )
    return ToolAnswer(text.join(), structured.model_dump())


def render_check_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write whether a board is consistent."""
    text = Paragraphs()
    text.add(describe_verdict(answer))
    add_board(text, context)
    add_conflict(text, answer, context)
    add_layout(text, answer, context)
    return ToolAnswer(text.join(), Checked(**collect_verdict(answer)).model_dump())


def render_analyze_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write what is known of the cells of a board."""
    text = Paragraphs()
    text.add(describe_verdict(answer))
    count = answer.get("count")
    if count is not None and answer["consistent"]:
        text.add(f"Layouts that fit: {format_integer_briefly(count)}.")
    forced = answer.get("forced") or {}
    safe, mines = forced.get("safe"), forced.get("mines")
    chances = answer.get("probabilities")
    if answer["consistent"] and safe is not None and mines is not None:
        _add_forced(text, safe, mines, context)
    if answer["consistent"] and chances is not None:
        _add_chances(text, chances, context)
    add_board(text, context)
    add_conflict(text, answer, context)
    lowest = None
    if chances is not None:
        lowest = min(
            (chance for row in chances for chance in row if chance is not None), default=None
        )
    structured = Analyzed(
        **collect_verdict(answer),
        count=None if count is None else format_integer_briefly(count),
        safe=None if safe is None else _list_shown(safe, context.view),
        safe_total=None if safe is None else len(safe),
        mines=None if mines is None else _list_shown(mines, context.view),
        mines_total=None if mines is None else len(mines),
        lowest_chance=lowest,
    )
    return ToolAnswer(text.join(), structured.model_dump())


def describe_verdict(answer: Mapping[str, Any]) -> str:
    """Return the verdict on a board in a sentence, and whether the answer is complete."""
    verdicts = {
        True: "CONSISTENT: at least one layout of mines fits the board.",
        False: "INCONSISTENT: no layout of mines fits the board.",
        None: "UNDECIDED: it was not decided in time whether any layout fits the board.",
    }
    verdict = verdicts[answer["consistent"]]
    if not answer["solver"]["complete"]:
        verdict += (
            " INCOMPLETE: the time, or the work that is allowed, did not suffice for the whole "
            "answer. Ask again with a larger deadline_ms, such as 30000."
        )
    return verdict


def collect_verdict(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Checked`."""
    conflict = answer.get("conflict")
    return {
        "consistent": answer["consistent"],
        "complete": answer["solver"]["complete"],
        "conflict": conflict and conflict["clues"][:MOST_NAMED],
        "conflict_with_total": bool(conflict and conflict["total"]),
    }


def add_board(text: Paragraphs, context: CallContext) -> None:
    """Add the board as it was read, with notes on that."""
    text.add(
        f"The board, {_describe_size(context)}. {_COUNTED_FROM} 0-8: clue, ?: unknown, B: mine, "
        f"S: safe, F: flag.\n{context.view.draw_cells(context.rows)}",
        "The board is left out here; read_board shows it.",
    )
    text.add(context.view.describe_rest())
    if context.notes:
        notes = "\n".join(f"- {note[:300]}" for note in context.notes[:_MOST_NOTES])
        text.add(f"How it was read:\n{notes}", "Notes on how it was read: see read_board.")


def add_conflict(
    text: Paragraphs, answer: Mapping[str, Any], context: CallContext, has_proof: bool = False
) -> None:
    """Add the clues that contradict each other, if the answer has any.

    Args:
        text: the paragraphs.
        answer: the answer of the operation.
        context: the call that is answered.
        has_proof: whether the answer has the proof as well.
    """
    conflict = answer.get("conflict")
    if conflict is None:
        return
    clues = [
        f"the {context.rows[row][col]} at ({row}, {col})"
        for row, col in conflict["clues"][:MOST_NAMED]
    ]
    unnamed = len(conflict["clues"]) - len(clues)
    if unnamed:
        clues.append(format_count(unnamed, "more clue"))
    if conflict["total"]:
        clues.append("the total of mines")
    least = " Without any one of them they would not." if conflict["minimal"] else ""
    feasible = answer.get("feasible_mines")
    total = ""
    if feasible is not None and None not in (feasible["least"], feasible["most"]):
        total = f" The clues alone allow {feasible['least']} to {feasible['most']} mines."
    proof = "" if has_proof else " For the proof step by step, call explain with the same board."
    text.add(
        f"These contradict each other: {', '.join(clues)}.{least}{total}{proof}",
        "The clues that contradict each other are left out: there are too many.",
    )


def add_layout(text: Paragraphs, answer: Mapping[str, Any], context: CallContext) -> None:
    """Add a layout that fits, if the answer has one."""
    witness = answer.get("witness")
    if witness is not None:
        text.add(
            "One layout that fits (B: mine, 0-8: clue of a safe cell):\n"
            f"{context.view.draw_cells(witness)}",
            "A layout that fits is left out for its length.",
        )


def _describe_size(context: CallContext) -> str:
    view = context.view
    size = f"{format_count(view.rows, 'row')} by {format_count(view.cols, 'column')}"
    if context.mines is None:
        return f"{size}, with no total of mines stated"
    return f"{size}, with {format_count(context.mines, 'mine')} in all"


def _list_shown(cells: Sequence[Cell], view: View) -> list[list[int]]:
    return [list(cell) for cell in cells if view.has(cell)][:MOST_NAMED]


def _add_forced(
    text: Paragraphs, safe: Sequence[Cell], mines: Sequence[Cell], context: CallContext
) -> None:
    """Add the cells that are proved safe or mines."""
    shown_safe = [cell for cell in safe if context.view.has(cell)]
    shown_mines = [cell for cell in mines if context.view.has(cell)]
    text.add(
        f"Proved safe ({len(safe)}): {list_cells(shown_safe)}.\n"
        f"Proved mines ({len(mines)}): {list_cells(shown_mines)}.\n"
        "For a proof, call explain with one of these as cell."
    )


def _add_chances(
    text: Paragraphs, chances: Sequence[Sequence[float | None]], context: CallContext
) -> None:
    """Add the chance of a mine in each cell: the lowest ones exactly, and a map in percent."""
    groups: dict[float, list[Cell]] = {}
    for row, line in enumerate(chances):
        for col, chance in enumerate(line):
            if chance is not None and 0 < chance < 1 and context.view.has((row, col)):
                groups.setdefault(chance, []).append((row, col))
    if not groups:
        return
    lines = [
        f"{format_percent(chance)}: {list_cells(groups[chance], 12)}"
        for chance in sorted(groups)[:_MOST_GROUPS]
    ]
    if len(groups) > _MOST_GROUPS:
        lines.append(f"({format_count(len(groups) - _MOST_GROUPS, 'higher chance')} left out)")
    text.add("Chances of a mine, the lowest first:\n" + "\n".join(lines))
    drawn = [[_format_chance(value) for value in line] for line in chances]
    text.add(
        "The chance of a mine in each cell, in whole percent (.: known, S: proved safe, M: proved "
        f"mine):\n{context.view.draw_cells(drawn)}",
        "The map of chances is left out for its length.",
    )


def _format_chance(chance: float | None) -> str:
    """Return a chance in whole percent; 1 to 99 unless it is certain."""
    if chance is None:
        return "."
    if chance in (0, 1):
        return "M" if chance else "S"
    return str(min(99, max(1, round(100 * chance))))
