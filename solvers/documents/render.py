"""Rendering of answers as JSON.

Tested in tests/app/test_exact.py and tests/app/test_library_answers.py.
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson

from minecheck.minefield import Board, Rules, Variant
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.documents.writing import make_fields_writer, make_object_writer
from minecheck.solvers.findings import Conflict, Flags
from minecheck.solvers.question import Question

#: The function that writes a conflict as an object.
write_conflict: Final = make_object_writer(Conflict)
_write_flags: Final = make_object_writer(Flags)


def render_answer(question: Question, answer: Answer) -> bytes:
    """Return the JSON body of the answer to a question.

    Args:
        question: the question, which decides how cells are written.
        answer: its answer.
    """
    return orjson.dumps(build_document(question, answer), option=orjson.OPT_SERIALIZE_NUMPY)


def build_document(question: Question, answer: Answer) -> dict[str, Any]:
    """Return the answer as what orjson writes; counts are decimal strings.

    Args:
        question: the question, which decides how cells are written.
        answer: its answer.
    """
    draw = choose_drawing(question)
    document: dict[str, Any] = {"consistent": answer.consistent}
    make_fields_writer(question.answer_type)(question, answer, draw, document)
    document["conflict"] = answer.conflict and write_conflict(draw, answer.conflict)
    if answer.feasible is not None:
        least, most = answer.feasible
        document["feasible_mines"] = {"least": least, "most": most}
    if question.flags:
        document["flags"] = answer.flags and _write_flags(draw, answer.flags)
    if not isinstance(question.board, Rules):
        document |= describe_board(question.board, question.mines)
    document["solver"] = describe_solver(
        answer.method, answer.complete, answer.elapsed, answer.engines, answer.automata
    )
    if answer.note:
        document["solver"]["note"] = answer.note
    return document


def describe_board(board: Board | Variant, mines: int | None) -> dict[str, Any]:
    """Return the size of the board and the total as they were read, for the sender to compare.

    Args:
        board: the board.
        mines: the total of mines, None if there is none.
    """
    rows, cols = board.cells.shape
    return {"rows": rows, "cols": cols, "mines": mines}


def describe_solver(
    name: str,
    complete: bool,
    elapsed: float,
    engines: Sequence[str] = (),
    machines: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the `solver` object of an answer.

    Args:
        name: the name of the engine that gave the answer.
        complete: whether nothing is missing.
        elapsed: the time that it took, in seconds.
        engines: all engines that had a part, shown if there are several.
        machines: the automata that were run, shown if there are any.
    """
    solver: dict[str, Any] = {"name": name}
    if len(engines) > 1:
        solver["engines"] = list(engines)
    if machines:
        solver["machines"] = list(machines)
    return solver | {"complete": complete, "elapsed_ms": round(elapsed * 1000, 3)}


def describe_automaton(machine: str, complete: bool, elapsed: float) -> dict[str, Any]:
    """Return the `solver` object of an answer that one automaton gives.

    Args:
        machine: the name of the automaton.
        complete: whether nothing is missing.
        elapsed: the time that it took, in seconds.
    """
    return describe_solver(Backend.AUTOMATA.value, complete, elapsed, machines=(machine,))
