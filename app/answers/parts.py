"""The parts that answers to several questions consist of; each writes some fields."""

from collections.abc import Callable
from typing import Any, TypeAlias

from app.answers import numbers
from app.answers.cells import OnBoard
from minefield import Variant
from minefield.certificates.document import together
from solvers import Answer, Question, Task
from solvers.answer import Conflict

#: Fields of the answer to a question; the last argument writes cells, clues and layouts.
Part: TypeAlias = Callable[[Question, Answer, OnBoard], dict[str, Any]]


def witness(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """A layout."""
    return {"witness": answer.witness and draw.layout(answer.witness)}


def count(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """How many layouts there are."""
    return {"count": numbers.digits(answer.count)}


def by_mines(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """How many with each number of mines, and what is known if that takes too long."""
    counts, about, estimate = answer.by_mines, answer.approximate, answer.estimate
    found: dict[str, Any] = {
        "by_mines": None
        if counts is None
        else {str(mines): numbers.digits(n) for mines, n in counts.items()}
    }
    if question.density is not None:
        found["likelihood"] = numbers.chance(answer.likelihood)
    if about is not None:
        found["approximate"] = {
            "count": numbers.digits(about.count),
            "epsilon": about.epsilon,
            "delta": about.delta,
        }
    if estimate is not None:
        # orjson writes what is infinite as null.
        found["estimate"] = {"products": estimate.products, "table": estimate.table}
    return found


def page(name: str, question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """A page of layouts, which the answer calls by this ``name``."""
    # An inconsistent board has none: that is known.
    layouts = [] if answer.consistent is False else answer.layouts
    return {
        "offset": numbers.digits(question.offset),
        name: None if layouts is None else [draw.layout(layout) for layout in layouts],
        "next_offset": numbers.digits(answer.next_offset),
    }


def forced(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """Cells that are the same in every layout."""
    found = answer.forced
    return {"forced": found and {"mines": draw.cells(found.mines), "safe": draw.cells(found.safe)}}


def others(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """The cells that rules do not name."""
    return draw.others(answer)


def probabilities(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """The chance of a mine in each cell."""
    chances = answer.probabilities
    return {"probabilities": None if chances is None else draw.chances(chances)}


def safest(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """The cells where a mine is least likely."""
    found = answer.safest
    return {
        "safest": found
        and [
            {"cell": draw.cells([place])[0], "probability": numbers.chance(chance)}
            for place, chance in found
        ]
    }


def certificate(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    """A proof of the answer that anybody can check, if it was asked for."""
    found = answer.certificates
    if not question.certificate:
        return {}
    if found is None:
        return {"certificate": None}
    if question.task is not Task.FORCED or answer.consistent is False:
        return {"certificate": found[0].document()}
    assert not isinstance(question.board, Variant), "as the question checks"
    return {"certificate": together(question.board, question.mines, found)}


def clues(found: Conflict | None, draw: OnBoard) -> dict[str, Any] | None:
    """Clues that contradict each other, or that force a cell."""
    if found is None:
        return None
    return {
        "clues": draw.clues(found.clues),
        "total": found.mines,
        "minimal": found.minimal,
        "smallest": found.smallest,
    }
