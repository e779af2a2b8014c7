"""Boards as scripts in SMT-LIB 2, every assertion with a name, so that unsat cores name clues.

Source: C. Barrett, P. Fontaine and C. Tinelli, *The SMT-LIB Standard: Version 2.6* (2017).

Tested in tests/solvers/export/test_formats.py.
"""

from collections.abc import Iterator

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.export.instance import Instance, InstanceClue


def write_smtlib(instance: Instance, deadline: Deadline) -> Iterator[str]:
    """Write an instance as text, a clue a piece.

    Args:
        instance: the board.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it takes too long.
    """
    yield "; A layout is a model: a cell has a mine where its constant is true.\n"
    yield "; Ask for (get-model) where it is sat, for (get-unsat-core) where it is unsat.\n"
    yield "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n"
    yield "(set-logic QF_LIA)\n"
    for number, name in enumerate(instance.iterate_names(), 1):
        yield f"(declare-const x{number} Bool) ; {name}\n"
    for clue in instance.clues:
        deadline.check()
        yield f"; {clue}\n(assert (! {_format_relation(clue)} :named |{clue.name}|))\n"
    yield "(check-sat)\n"


def _format_relation(clue: InstanceClue) -> str:
    cells = _format_sum(clue)
    if clue.exact:
        return f"(= {cells} {_format_number(clue.low)})"
    least = "" if clue.least is None else f"{_format_number(clue.least)} "
    most = "" if clue.most is None else f" {_format_number(clue.most)}"
    return f"(<= {least}{cells}{most})"


def _format_sum(clue: InstanceClue) -> str:
    terms = [f"(ite x{variable} 1 0)" for variable in clue.variables]
    if len(terms) < 2:
        return terms[0] if terms else "0"
    return f"(+ {' '.join(terms)})"


def _format_number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
