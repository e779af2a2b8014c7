"""Scores of replies to evaluation tasks, from 0 to 1, with partial credit.

Of a reply the last line that is not blank counts, and nothing before it. It has to be one answer
and nothing else; what is no answer scores 0.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from math import log2
from typing import Any, Final

import numpy as np

from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.datasets.tasks import TaskKind
from minecheck.solvers.environment.text import parse_move, read_last_line, score_move
from minecheck.solvers.library.questions import analyze

#: An error of a chance that leaves no credit.
_WORST: Final = 0.1
#: The credit of a count that is not exact, at most.
_NEARLY: Final = 0.5
_NUMBER: Final = re.compile(r"[0-9]{1,3}(?:[,_ ][0-9]{3})+|[0-9]{1,30}")
_PERCENTAGE: Final = re.compile(r"([0-9]{0,9}\.?[0-9]{1,20})\s*%")
_SHARE: Final = re.compile(r"[0-9]{0,9}\.?[0-9]{1,20}|([0-9]{1,20})\s*/\s*([0-9]{1,20})")
_MOST_CELLS: Final = 4096


def score_reply(task: Mapping[str, Any], reply: str | None) -> float:
    """Score the reply to a task.

    - ``consistency``: 1 for the right verdict; who always says the same has one half.
    - ``forced``: the share of safe cells that are listed, less as much for each that is not safe.
    - ``count``: 1 if it is exact; else at most one half, and nothing if it is off by a factor of 2.
    - ``chance``: 1 less ten times the error.
    - ``move``: 1 for a safest cell, 0 for one that is no better than a cell at random.

    Args:
        task: a row of the tasks, or an `EvaluationTask` as a dictionary: ``kind``, ``answer``,
            ``board`` and ``mines``.
        reply: what the player has written; None, which scores 0, if nothing came.

    Raises:
        ValueError: there is no such kind.
    """
    kind, answer = TaskKind(task["kind"]), str(task["answer"])
    if reply is None:
        return 0.0
    if kind is TaskKind.MOVE:
        return _score_move(task, reply)
    line = read_last_line(reply)
    if line is None:
        return 0.0
    if kind is TaskKind.CONSISTENCY:
        return float(line.lower() == answer)
    if kind is TaskKind.FORCED:
        return _score_cells(answer, line)
    if kind is TaskKind.COUNT:
        return _score_count(int(answer), line)
    return _score_chance(float(answer), line)


def _score_move(task: Mapping[str, Any], reply: str) -> float:
    """Score a move between a safest cell and one at random."""
    score = score_move(task["board"], task["mines"], reply)
    if not score.legal:
        return 0.0
    chances = analyze(task["board"], task["mines"]).probabilities
    assert chances is not None, "as a move was scored"
    room = float(np.nanmean(chances) - np.nanmin(chances))
    if not score.chance_lost:
        return 1.0
    return max(0.0, 1 - score.chance_lost / room)


def _score_cells(answer: str, line: str) -> float:
    """Score a list of cells: right ones less wrong ones, as a share of all."""
    expected, listed = _read_cells(answer), _read_cells(line)
    if listed is None or expected is None:
        return 0.0
    if not expected:
        return float(not listed)
    return max(0.0, (len(listed & expected) - len(listed - expected)) / len(expected))


def _read_cells(text: str) -> set[Coordinates] | None:
    """Return the cells that a text lists; None if it is no list of cells."""
    if text.strip().lower() == "none":
        return set()
    parts = re.split(r"\s*;\s*|(?<=[)\]])\s*,?\s*(?=[(\[])", text.strip())
    if len(parts) > _MOST_CELLS:
        return None
    cells = [parse_move(part) for part in parts]
    return None if None in cells else {cell for cell in cells if cell is not None}


def _score_count(expected: int, line: str) -> float:
    """Score a number of layouts by the factor that it is off."""
    if not _NUMBER.fullmatch(line):
        return 0.0
    stated = int(re.sub("[,_ ]", "", line))
    if stated == expected:
        return 1.0
    if not stated or not expected:
        return 0.0
    return max(0.0, _NEARLY * (1 - abs(log2(stated / expected))))


def _score_chance(expected: float, line: str) -> float:
    """Score a chance by its error."""
    percentage, share = _PERCENTAGE.fullmatch(line), _SHARE.fullmatch(line)
    if percentage:
        stated = Fraction(percentage[1]) / 100
    elif share and share[1]:
        if not int(share[2]):
            return 0.0
        stated = Fraction(int(share[1]), int(share[2]))
    elif share:
        stated = Fraction(line)
    else:
        return 0.0
    # Roundings of the exact chance cost nothing.
    error = abs(float(stated) - expected) if stated <= 1 else _WORST
    return 1.0 if error < 1e-9 else max(0.0, 1 - error / _WORST)
