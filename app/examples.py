"""A question and its answers, for the documentation; a test keeps them true."""

from typing import Any, Final

from solvers import Task

_ASKED: Final = {"board": ["?1??"], "mines": 1}
_STRIP: Final = {
    "board": ["?2??", "??1?"],
    "window": {"row": 0, "col": 0, "height": 1, "width": 4},
}
ASKED: Final[dict[Task, dict[str, Any]]] = {**dict.fromkeys(Task, _ASKED), Task.STRIPS: _STRIP}

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
    Task.STRIPS: _answered(
        "strip-2",
        window={"row": 0, "col": 0, "height": 1, "width": 4},
        loosened=[{"clue": [0, 1], "number": 2, "low": 0, "high": 2}],
        witness=["S2SS"],
        count="8",
        forced={"mines": [], "safe": []},
        probabilities=[[0.5, None, 0.5, 0.5]],
    ),
}

RUN_BOARD: Final = ["1?"]
RUN: Final[dict[str, Any]] = {
    "machine": "kadlac",
    "consistent": True,
    "witness": ["1B"],
    "start": "so",
    "stops_at": None,
    "steps": [
        {"symbol": "1", "reached": ["1o"], "live": ["1o"]},
        {"symbol": "?", "reached": ["?b"], "live": ["?b"]},
    ],
    "output": "0B",
    "errors": [],
    "solver": {"name": "kadlac", "complete": True, "elapsed_ms": 0.4},
}
