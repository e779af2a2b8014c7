"""Boards as models in MiniZinc.

Source: N. Nethercote and others, *MiniZinc: Towards a Standard CP Modelling Language* (CP 2007),
and the MiniZinc Handbook, which has the names of constraints, by which FindMUS tells conflicts.

Tested in tests/solvers/export/test_formats.py.
"""

from collections.abc import Iterator

from minecheck.solvers.deadline import Deadline
from minecheck.solvers.export.instance import Instance, InstanceClue


def write_minizinc(instance: Instance, deadline: Deadline) -> Iterator[str]:
    """Write an instance as text, a clue a piece.

    Args:
        instance: the board.
        deadline: when to give up.

    Raises:
        DeadlinePassed: it takes too long.
    """
    yield "% A layout is a solution: a cell has a mine where its variable is 1.\n"
    for number, name in enumerate(instance.iterate_names(), 1):
        yield f"var 0..1: x{number}; % {name}\n"
    for clue in instance.clues:
        deadline.check()
        yield f'% {clue}\nconstraint :: "{clue.name}" {_format_relation(clue)};\n'
    yield "solve satisfy;\n"


def _format_relation(clue: InstanceClue) -> str:
    cells = f"sum([{', '.join(f'x{variable}' for variable in clue.variables)}])"
    if clue.exact:
        return f"{cells} = {clue.low}"
    bounds = (f"{cells} >= {clue.least}", f"{cells} <= {clue.most}")
    present = (clue.least is not None, clue.most is not None)
    return " /\\ ".join(bound for bound, needed in zip(bounds, present, strict=True) if needed)
