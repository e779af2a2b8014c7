"""The answer of explain: proofs as numbered steps."""

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
from minecheck.app.mcp.board_view import MOST_NAMED, list_cells, name_cell
from minecheck.app.mcp.paragraphs import Paragraphs
from minecheck.app.mcp.tool import CallContext, ToolAnswer

#: Proofs with less room than this left are not begun.
_LEAST_ROOM: Final = 200
#: The most characters of a step; the rest is cut.
_LONGEST_STEP: Final = 600
_LEFT_OUT: Final = (
    "The other proofs are left out for their length. For one of them, call explain with its cell, "
    'such as "3,4".'
)


class Proved(BaseModel):
    """Cells with one proof."""

    cells: list[list[int]]
    value: str = Field(description="`safe` or `mine`")
    difficulty: str = Field(description="The hardest step, from trivial to search")
    steps: int | None = Field(description="The number of steps; null if there was no time for them")


class Explained(Checked):
    """Why cells are forced."""

    proved: list[Proved] | None = Field(
        description=f"The proofs, the easiest first, at most {MOST_NAMED}"
    )
    proofs: int | None = Field(description="The number of proofs")


def render_explain_answer(answer: Mapping[str, Any], context: CallContext) -> ToolAnswer:
    """Write why cells are forced, or why the board is inconsistent."""
    text = Paragraphs()
    text.add(describe_verdict(answer))
    proofs = _sort_proofs(answer.get("explanations") or ())
    if answer["consistent"]:
        _add_summary(text, answer, proofs, context)
    if answer.get("steps"):
        _add_steps(text, "Why the clues contradict each other:", answer["steps"])
    if answer["consistent"] is False:
        add_conflict(text, answer, context, has_proof=bool(answer.get("steps")))
    if answer.get("either"):
        _add_either(text, answer["either"], context)
    # Its room is set aside: the proofs take what is left, but a single one may take all.
    board = Paragraphs()
    add_board(board, context)
    reserved = len(board.join()) + len(_LEFT_OUT) + 4 if len(proofs) > 1 else 0
    if not _add_proofs(text, proofs, reserved):
        text.add(_LEFT_OUT)
    text.add(board.join(), "The board is left out here; read_board shows it.")
    structured = Explained(
        **collect_verdict(answer),
        proved=None
        if answer.get("explanations") is None
        else [_summarize_proof(proof) for proof in proofs[:MOST_NAMED]],
        proofs=None if answer.get("explanations") is None else len(proofs),
    )
    return ToolAnswer(text.join(), structured.model_dump())


def _sort_proofs(proofs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return proofs with the shortest first; cells that the same steps prove have one together."""
    joined: dict[Any, dict[str, Any]] = {}
    for number, proof in enumerate(proofs):
        steps = proof["steps"]
        # A cell that was not proved in time is not joined with others.
        key = number if steps is None else (proof["value"], *(step["text"] for step in steps))
        merged = joined.setdefault(key, {**proof, "cells": []})
        merged["cells"] = [*merged["cells"], *proof["cells"]]
    return sorted(joined.values(), key=lambda merged: len(merged["steps"] or ()))


def _summarize_proof(proof: Mapping[str, Any]) -> Proved:
    steps = proof["steps"]
    return Proved(
        cells=proof["cells"][:MOST_NAMED],
        value=proof["value"],
        difficulty=proof["difficulty"] or "unknown",
        steps=None if steps is None else len(steps),
    )


def _add_summary(
    text: Paragraphs,
    answer: Mapping[str, Any],
    proofs: Sequence[Mapping[str, Any]],
    context: CallContext,
) -> None:
    """Add what is proved, in a few lines."""
    if answer.get("explanations") is None:
        return
    cell = context.arguments.get("cell")
    if not proofs and cell is not None:
        text.add(f"NOT CERTAIN: {_name_given(cell)} is a mine in some layouts and safe in others.")
        return
    if not proofs:
        text.add(
            "NOTHING IS CERTAIN: no cell can be proved safe or a mine. best_move tells the best "
            "guess."
        )
        return
    safe = [cell for proof in proofs if proof["value"] == "safe" for cell in proof["cells"]]
    mines = [cell for proof in proofs if proof["value"] == "mine" for cell in proof["cells"]]
    text.add(f"Proved safe: {list_cells(safe)}.\nProved mines: {list_cells(mines)}.")


def _name_given(cell: object) -> str:
    return name_cell(cell) if isinstance(cell, list) else f"({cell})"


def _add_proofs(text: Paragraphs, proofs: Sequence[Mapping[str, Any]], reserved: int) -> bool:
    """Add as many proofs as fit, with room for reserved characters; return True if all do."""
    for proof in proofs:
        title = f"Why {list_cells(proof['cells'], 12)}: {proof['value']} ({proof['difficulty']})"
        if text.room - reserved < _LEAST_ROOM:
            return False
        if proof["steps"] is None:
            text.add(f"{title}. There was no time to find the steps.")
            continue
        written = _write_steps(title, proof["steps"])
        if len(proofs) > 1 and len(written) > text.room - reserved:
            return False
        _add_steps(text, title, proof["steps"])
    return True


def _add_steps(text: Paragraphs, title: str, steps: Sequence[Mapping[str, Any]]) -> None:
    """Add numbered steps, at least those that fit."""
    if text.add(_write_steps(title, steps)):
        return
    fits = len(steps)
    while fits and len(_write_steps(title, steps[:fits])) + 2 > text.room:
        fits -= 1
    text.add(
        _write_steps(title, steps[:fits])
        + f"\n(The proof has {len(steps)} steps: the rest is left out for its length.)"
    )


def _write_steps(title: str, steps: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"{number}. {_shorten(step['text'])}" for number, step in enumerate(steps, 1)]
    return "\n".join((title, *lines))


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_STEP else f"{text[:_LONGEST_STEP]} … (cut)"


def _add_either(text: Paragraphs, either: Mapping[str, Any], context: CallContext) -> None:
    """Add a layout in which the cell is a mine, and one in which it is safe."""
    for name, title in (("mine", "A layout with a mine there"), ("safe", "A layout without")):
        if (rows := either.get(name)) is not None:
            text.add(
                f"{title}:\n{context.view.draw_cells(rows)}", f"{title} is left out for its length."
            )
