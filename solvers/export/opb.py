"""Boards as pseudo-Boolean constraints, in OPB.

Source: O. Roussel and V. Manquinho, *Input/Output Format and Solver Requirements for the
Competitions of Pseudo-Boolean Solvers* (2012). It has ``>=`` and ``=`` only, and no empty sums.

Tested in tests/solvers/export/test_formats.py.
"""

from collections.abc import Iterator

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.export.instance import Instance, InstanceClue


def write_opb(instance: Instance, deadline: Deadline) -> Iterator[str]:
    """Write an instance as text, a clue a piece.

    Args:
        instance: the board.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it takes too long.
    """
    lines = [list(_format_constraints(clue)) for clue in instance.clues]
    # An unsatisfiable constraint needs a variable even if there are no cells.
    variables = max(len(instance.cells), int(any(not clue.variables for clue in instance.clues)))
    yield f"* #variable= {variables} #constraint= {sum(map(len, lines))}\n"
    yield "* A layout is a solution: a cell has a mine where its variable is 1.\n"
    yield "".join(
        f"* x{number} is {name}\n" for number, name in enumerate(instance.iterate_names(), 1)
    )
    for clue, constraints in zip(instance.clues, lines, strict=True):
        deadline.check()
        yield f"* {clue}\n{''.join(constraints)}"


def _format_constraints(clue: InstanceClue) -> Iterator[str]:
    if clue.exact:
        yield f"{_format_sum('+1', clue)} = {clue.low} ;\n"
        return
    if clue.least is not None:
        yield f"{_format_sum('+1', clue)} >= {clue.least} ;\n"
    if clue.most is not None:
        yield f"{_format_sum('-1', clue)} >= {-clue.most} ;\n"


def _format_sum(factor: str, clue: InstanceClue) -> str:
    return " ".join(f"{factor} x{variable}" for variable in clue.variables) or "+0 x1"
