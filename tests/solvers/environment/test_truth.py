"""Chances of environments, compared with every layout of small boards."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.topology import Shape
from minecheck.minefield.variant import Variant
from minecheck.solvers.environment import truth
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.environment.games import GameBatch, Reward
from minecheck.solvers.environment.truth import solve_games, update_chances
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.tasks.analyze import AnalyzeAnswer
from tests import oracle
from tests.examples import examples
from tests.variants import judge


@given(st.integers(2, 4), st.integers(2, 4), st.integers(0, 10**6))
@examples(60)
def test_environment_chances_are_shares_of_layouts(rows: int, cols: int, seed: int) -> None:
    kind = DealtBoards(rows, cols, 1 + seed % 3, Guarantee.RANDOM, first=(0, 0))
    games = GameBatch(kind, 3, True, Reward.OUTCOME)
    games.begin_all(seed)
    assert games.chances is not None
    for cells, chances in zip(games.cells, games.chances, strict=True):
        if np.count_nonzero(cells == UNKNOWN) == kind.mines:
            assert not chances.any()
            continue
        layouts = oracle.answer(Board(cells.reshape(rows, cols)), kind.mines).layouts
        for cell, chance in enumerate(chances.tolist()):
            hits = sum(divmod(cell, cols) in layout for layout in layouts)
            assert chance == pytest.approx(hits / len(layouts))
            assert (chance in (0, 1)) == (hits in (0, len(layouts)))


@pytest.mark.parametrize("shape", [shape for shape in Shape if shape is not Shape.RECTANGLE])
def test_environment_chances_on_other_topologies_are_shares_of_layouts(shape: Shape) -> None:
    kind = DealtBoards(4, 4, 3, Guarantee.RANDOM, shape)
    games = GameBatch(kind, 6, True, Reward.OUTCOME)
    games.begin_all(0)
    assert games.chances is not None
    for cells, chances in zip(games.cells, games.chances, strict=True):
        variant = Variant(Board(cells.reshape(4, 4)), kind.topology)
        if np.count_nonzero(cells == UNKNOWN) > 3:
            expected = judge(variant, 3).chances
            hidden = {cell: chances[cell[0] * 4 + cell[1]] for cell in expected}
            assert hidden == pytest.approx({cell: float(one) for cell, one in expected.items()})


def update_all_chances(
    kind: DealtBoards, cells: NDArray[np.int8], deadline: float | None = None
) -> NDArray[np.float64]:
    """Return the chances of all games."""
    chances, every = np.zeros(cells.shape), np.ones(len(cells), np.bool_)
    update_chances(kind, cells, every, chances, np.zeros(len(cells)), deadline)
    return chances


@pytest.mark.parametrize("kind", [DealtBoards(9, 9, 10), DealtBoards(16, 30, 99)], ids=str)
def test_update_chances_changes_chosen_games_only(kind: DealtBoards) -> None:
    games = GameBatch(kind, 12, False, Reward.OUTCOME)
    games.begin_all(3)
    which = np.arange(12) % 3 > 0
    chances, least = np.full(games.cells.shape, 7.0), np.full(12, 7.0)
    update_chances(kind, games.cells, which, chances, least)
    expected = solve_games(kind, games.cells)[0]
    assert np.array_equal(chances[which], expected[which])
    hidden = np.where(games.cells == UNKNOWN, expected, 1.0)
    assert np.array_equal(least[which], hidden.min(axis=1)[which])
    assert (chances[~which] == 7).all()
    assert (least[~which] == 7).all()


def test_environment_chances_of_many_positions_are_those_of_each_alone() -> None:
    # Strips are left to the general methods.
    strip = DealtBoards(2, 5, 2, Guarantee.RANDOM)
    games = GameBatch(strip, 4, True, Reward.OUTCOME)
    games.begin_all(0)
    alone = [update_all_chances(strip, games.cells[game : game + 1])[0] for game in range(4)]
    assert np.array_equal(update_all_chances(strip, games.cells), alone)


def test_environment_chances_that_are_not_known_in_time_are_nan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(truth, "analyze", lambda *arguments, **named: AnalyzeAnswer())
    kind = DealtBoards(5, 5, 3, shape=Shape.TORUS)
    cells = np.full((1, 25), UNKNOWN, np.int8)
    cells[0, 12] = 2
    chances = update_all_chances(kind, cells, deadline=1)
    assert np.isnan(chances[0, :12]).all()
    assert chances[0, 12] == 0
