"""A question and its answers, for the documentation; a test keeps them true."""

from typing import Any, Final

from solvers import Task

BOARD: Final = ["?1??"]
ASKED: Final = {"board": BOARD, "mines": 1}

_NO_CONFLICT: Final = {"conflict": None, "conflict_mines": None, "conflict_minimal": None}
_FORCED: Final = {"mines": [], "safe": [[0, 3]]}


def _answered(solver: str, **fields: Any) -> dict[str, Any]:
    told = {"name": solver, "complete": True, "elapsed_ms": 0.4}
    return {"consistent": True, **fields, **_NO_CONFLICT, "flags": None, "solver": told}


ANSWERED: Final = {
    Task.CHECK: _answered("search", witness=["B100"]),
    Task.LAYOUTS: _answered(
        "search+frontier",
        count="2",
        offset="0",
        layouts=[["B100"], ["01B1"]],
        next_offset=None,
    ),
    Task.COUNT: _answered("search+frontier", count="2", by_mines={"1": "2"}),
    Task.FORCED: _answered("search", forced=_FORCED),
    Task.ANALYZE: _answered(
        "search+frontier",
        witness=["B100"],
        count="2",
        by_mines={"1": "2"},
        forced=_FORCED,
        probabilities=[[0.5, None, 0.5, 0.0]],
    ),
}
