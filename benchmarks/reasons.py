"""Reasons: forced cells explained against named, conflicts against a verdict; proofs, verified."""

from collections.abc import Iterator
from functools import partial
from itertools import count
from statistics import median

import numpy as np

from benchmarks.large_check import plain, plain_cnf
from benchmarks.positions import random_board, stuck
from benchmarks.timing import alternate, kept, report, seconds
from benchmarks.widths import lattice
from minecheck.minefield import Board
from minecheck.minefield.certificates.judge import verify
from minecheck.solvers import answer_question
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.series import Series
from minecheck.solvers.games.strategy import Player, Strategy
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.explain import Explain, ExplainAnswer
from minecheck.solvers.tasks.forced import ForcedCells

_ROUNDS = 5
#: Positions of games that are explained as one walk, and cell by cell.
_WALKS = 200


def run() -> None:
    """Explain against forced, a walk against each cell, a wrong clue against SAT; verify proofs."""
    ratios = []
    for board in stuck(16, 30, 99, 30):
        explain, forced = Explain(board, 99), ForcedCells(board, 99)
        pairs = alternate(
            partial(answer_question, explain), partial(answer_question, forced), _ROUNDS
        )
        ratios.append(median(ours / theirs for ours, theirs in pairs))
    print(
        f"  explain, stuck 16x30/99: ratio to forced, median of {len(ratios)} boards "
        f"{median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f}){kept(median(ratios), 10)}",
        flush=True,
    )
    walks()
    for shown in (0.3, 0.5, 0.8):
        for seed in range(3):
            board = near_miss(random_board(100, 100, 0.2, shown, seed), seed)
            clauses = plain_cnf(board)
            assert not plain(clauses)
            pairs = alternate(
                partial(answer_question, Check(board)), partial(plain, clauses), _ROUNDS
            )
            what = f"100x100, {shown:.0%} shown, one wrong"
            report(f"conflict, {what}", pairs, "CaDiCaL, verdict", 3)
            proof(what, board)
    threes = lattice(9)
    least, most = answer_question(Check(threes, 0)).feasible or (0, 0)
    proof("9x9, threes, a mine too few", threes, least - 1)
    proof("9x9, threes, a mine too many", threes, most + 1)


def walks() -> None:
    """Compare walks with explanations cell by cell: steps, and clues of the hardest step."""
    steps = statements = longer = 0
    hardest: list[tuple[int, int]] = []
    for board, mines in _positions():
        answer = answer_question(Explain(board, mines, walk=True))
        assert isinstance(answer, ExplainAnswer)
        assert answer.complete
        assert answer.walk is not None
        assert answer.explanations is not None
        walk = max(len(step.clues) for step in answer.walk)
        cells = max(len(one.reasons.clues) for one in answer.explanations if one.reasons)
        steps += len(answer.walk)
        statements += sum(len(one.steps or ()) for one in answer.explanations)
        longer += walk > cells
        hardest.append((walk, cells))
    walked, one_by_one = (sum(side) / len(hardest) for side in zip(*hardest, strict=True))
    print(
        f"  walk, {len(hardest)} positions: {steps} steps, {statements} cell by cell, ratio "
        f"{steps / statements:.2f}; clues of the hardest step {walked:.2f}, {one_by_one:.2f} on "
        f"average, more in {longer}",
        flush=True,
    )


def _positions() -> Iterator[tuple[Board, int]]:
    """Yield positions of games of three kinds in which cells are forced."""
    left = _WALKS
    for number in count():
        for rows, cols, mines in ((9, 9, 10), (16, 16, 40), (16, 30, 99)):
            series = Series(rows, cols, mines, Guarantee.OPENING, (3, 3))
            turns = list(Player(Strategy.SAFEST).iterate_turns(series.deal_game(number)))
            for turn in [turn for turn in turns if not turn.guessed][::6][:3]:
                if left == 0:
                    return
                left -= 1
                yield turn.board, mines


def proof(what: str, board: Board, mines: int | None = None) -> None:
    """Print how large a proof is that there is no layout, and how long it takes to verify it."""
    found = answer_question(Check(board, mines, certificate=True))
    assert found.certificates is not None
    (certificate,) = found.certificates
    verifying = median(seconds(partial(verify, certificate)) for _ in range(_ROUNDS))
    print(
        f"  proof, {what}: formula {len(certificate.cnf)} bytes, proof {len(certificate.proof)} "
        f"bytes, verified in {verifying * 1e3:.3g} ms",
        flush=True,
    )


def near_miss(board: Board, seed: int) -> Board:
    """The board with one clue changed by one so that no layout is left."""
    rng = np.random.default_rng(seed)
    clues = np.argwhere((board.cells > 0) & (board.cells < 8))
    while True:
        row, col = clues[rng.integers(len(clues))]
        cells = board.cells.copy()
        cells[row, col] += rng.choice([-1, 1])
        changed = Board(cells)
        if not plain(plain_cnf(changed)):
            return changed
