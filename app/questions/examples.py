"""Questions and their answers, for the documentation; a test keeps them true."""

from typing import Any, Final

from solvers import Task

_ASKED: Final = {"board": ["?1??"], "mines": 1}
_STRIP: Final = {
    "board": ["?2??", "??1?"],
    "window": {"row": 0, "col": 0, "height": 1, "width": 4},
}
ASKED: Final[dict[Task, dict[str, Any]]] = {
    **dict.fromkeys(Task, _ASKED),
    Task.STRIPS: _STRIP,
    Task.SAMPLE: {**_ASKED, "limit": 2, "seed": 7},
    Task.REPAIR: {"board": ["1?2"]},
}

_FORCED: Final = {"mines": [], "safe": [[0, 3]]}


def _answered(solver: str, **fields: Any) -> dict[str, Any]:
    told = {"name": solver, "complete": True, "elapsed_ms": 0.4}
    return {"consistent": True, **fields, "conflict": None, "solver": told}


def _contradicted(solver: str, clues: list[Any], total: bool, **fields: Any) -> dict[str, Any]:
    conflict = {"clues": clues, "total": total, "minimal": True, "smallest": True}
    return _answered(solver, **fields) | {"consistent": False, "conflict": conflict}


ANSWERED: Final[dict[Task, dict[str, Any]]] = {
    Task.CHECK: _answered("frontier", witness=["B100"]),
    Task.LAYOUTS: _answered(
        "frontier",
        count="2",
        offset="0",
        layouts=[["B100"], ["01B1"]],
        next_offset=None,
    ),
    Task.COUNT: _answered("frontier", count="2", by_mines={"1": "2"}),
    Task.FORCED: _answered("frontier", forced=_FORCED),
    Task.ANALYZE: _answered(
        "frontier",
        witness=["B100"],
        count="2",
        by_mines={"1": "2"},
        forced=_FORCED,
        probabilities=[[0.5, None, 0.5, 0.0]],
        safest=[
            {"cell": [0, 3], "probability": 0.0},
            {"cell": [0, 0], "probability": 0.5},
            {"cell": [0, 2], "probability": 0.5},
        ],
    ),
    Task.STRIPS: _answered(
        "strip-2",
        window={"row": 0, "col": 0, "height": 1, "width": 4},
        loosened=[{"clue": [0, 1], "number": 2, "low": 0, "high": 2}],
        witness=["S2SS"],
        machines=["strip-2", "strip-4"],
        count="8",
        forced={"mines": [], "safe": []},
        probabilities=[[0.5, None, 0.5, 0.5]],
    ),
    Task.SAMPLE: _answered(
        "frontier",
        count="2",
        seed=7,
        offset="0",
        samples=[["B100"], ["01B1"]],
        next_offset="2",
    ),
    Task.EXPLAIN: _answered(
        "frontier",
        explanations=[
            {
                "cells": [[0, 3]],
                "value": "safe",
                "difficulty": "global",
                "reasons": {
                    "clues": [[0, 1]],
                    "total": True,
                    "minimal": True,
                    "smallest": True,
                },
                "steps": [
                    {
                        "rule": "total",
                        "cells": [[0, 0], [0, 2], [0, 3]],
                        "low": 1,
                        "high": 1,
                        "sources": [],
                        "under": [],
                        "clue": None,
                        "text": "There is 1 mine in all: (0, 0), (0, 2) and (0, 3) hold "
                        "exactly 1 mine.",
                    },
                    {
                        "rule": "clue",
                        "cells": [[0, 0], [0, 2]],
                        "low": 1,
                        "high": 1,
                        "sources": [],
                        "under": [],
                        "clue": [0, 1],
                        "text": "The 1 at row 0, column 1 touches 2 unknown cells, which hold "
                        "exactly 1 mine: (0, 0) and (0, 2).",
                    },
                    {
                        "rule": "difference",
                        "cells": [[0, 3]],
                        "low": 0,
                        "high": 0,
                        "sources": [0, 1],
                        "under": [],
                        "clue": None,
                        "text": "The 1 mine in step 1 is in step 2: row 0, column 3 is safe.",
                    },
                ],
            }
        ],
    ),
    Task.REPAIR: _contradicted(
        "kadlac",
        [[0, 2]],
        total=False,
        changes=1,
        repairs=[[{"clue": [0, 2], "was": 2, "number": 1}]],
        more=False,
        repairable=True,
    ),
}

#: The same as NDJSON.
LINES: Final = {Task.LAYOUTS: '["B100"]\n["01B1"]\n', Task.SAMPLE: '["B100"]\n["01B1"]\n'}

#: Lines of a batch, and what is answered to them when task is count.
BATCH: Final = ('{"board": ["?1??"], "mines": 1}', '"?1"', '{"board": ["9?"]}')
BATCH_ANSWERS: Final = (
    '{"consistent":true,"count":"2","by_mines":{"1":"2"},"conflict":null,'
    '"solver":{"name":"frontier","complete":true,"elapsed_ms":0.4}}',
    '{"consistent":true,"count":"1","by_mines":{"1":"1"},"conflict":null,'
    '"solver":{"name":"frontier","complete":true,"elapsed_ms":0.3}}',
    '{"type":"urn:minecheck:problem:unknown-symbol","title":"Unprocessable Content","status":422,'
    '"detail":"The symbol \'9\' at row 0, column 0 is not in the notation standard.",'
    "\"fix\":\"The symbols are '0' '1' '2' '3' '4' '5' '6' '7' '8' "
    '\'?\' \'B\' \'*\' \'S\' \'F\'.","pointer":"/board/0/0","row":0,"col":0,"line":2}',
)

_RULES: Final = {
    "rules": [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c", "d"], "low": 2, "high": 3}],
    "total_cells": 5,
}
_WEIGHED: Final = {**_RULES, "density": 0.2, "fractions": True}

#: Rules in place of a board.
RULES_ASKED: Final[dict[Task, dict[str, Any]]] = {
    Task.CHECK: {**_RULES, "mines": 1},
    Task.LAYOUTS: {
        **_RULES,
        "mines": 3,
        "limit": 1,
        "layout": {"mines": ["a", "c", "d"], "others": []},
    },
    Task.COUNT: _WEIGHED,
    Task.FORCED: {**_RULES, "mines": 2},
    Task.ANALYZE: _WEIGHED,
    Task.SAMPLE: {**_RULES, "density": 0.2, "seed": 7},
}

_BY_MINES: Final = {"2": "2", "3": "4", "4": "2"}
_ESTIMATE: Final = {"products": 11.0, "table": 3.0}
_NONE_FORCED: Final[dict[str, list[str]]] = {"mines": [], "safe": []}

RULES_ANSWERED: Final[dict[Task, dict[str, Any]]] = {
    Task.CHECK: _contradicted(
        "search", [1], total=True, witness=None, feasible_mines={"least": 2, "most": 4}
    ),
    Task.LAYOUTS: _answered(
        "search+frontier",
        count="4",
        offset="0",
        layouts=[{"mines": ["b", "c"], "others": [0]}],
        next_offset="1",
        rank="2",
    ),
    Task.COUNT: _answered(
        "search+frontier",
        count="8",
        by_mines=_BY_MINES,
        likelihood="8/125",
        estimate=_ESTIMATE,
    ),
    Task.FORCED: _answered(
        "search",
        forced={"mines": ["b"], "safe": ["a"]},
        others={"cells": 1, "probability": None, "forced": "safe"},
    ),
    Task.ANALYZE: _answered(
        "search+frontier",
        witness={"mines": ["b", "c"], "others": []},
        count="8",
        by_mines=_BY_MINES,
        likelihood="8/125",
        estimate=_ESTIMATE,
        forced=_NONE_FORCED,
        others={"cells": 1, "probability": "1/5", "forced": None},
        probabilities={"a": "1/10", "b": "9/10", "c": "3/5", "d": "3/5"},
        safest=[
            {"cell": "a", "probability": "1/10"},
            {"cell": "c", "probability": "3/5"},
            {"cell": "d", "probability": "3/5"},
            {"cell": "b", "probability": "9/10"},
        ],
    ),
    Task.SAMPLE: _answered(
        "search+frontier",
        count="8",
        seed=7,
        offset="0",
        samples=[{"mines": ["b", "c"], "others": []}],
        next_offset="1",
    ),
}

RUN_ASKED: Final[dict[str, dict[str, Any]]] = {
    "board": {"board": ["1?"]},
    "window": {"board": ["1??", "B1?"], "window": "0,0,1,2"},
}
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
