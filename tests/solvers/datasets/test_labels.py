"""Labels of positions, compared with every layout of small boards, and with ms_toollib."""

from collections.abc import Iterator

import ms_toollib
import numpy as np
import pytest

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.topology import Shape
from minecheck.solvers.datasets.labels import DatasetOptions, LabelledPositions, label_games
from minecheck.solvers.datasets.symmetry import make_key
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.games.generator import Guarantee, generate_board
from minecheck.solvers.games.proved_play import grade_steps
from tests import oracle

#: What ms_toollib calls a hidden cell.
HIDDEN = 10


def iterate(found: LabelledPositions, kind: DealtBoards) -> Iterator[tuple[int, Board]]:
    for row, cells in enumerate(found.cells):
        yield row, Board(cells.reshape(kind.rows, kind.cols))


@pytest.mark.parametrize("size", [(4, 4, 3), (3, 5, 3), (2, 7, 3), (4, 4, 6)])
def test_dataset_labels_are_those_of_all_layouts(size: tuple[int, int, int]) -> None:
    kind = DealtBoards(*size, Guarantee.RANDOM)
    found = label_games(DatasetOptions(kind, 5), range(20))
    assert found.games.size > 20
    for row, board in iterate(found, kind):
        known = oracle.answer(board, kind.mines)
        assert found.counts[row] == known.count
        assert found.keys[row] == make_key(board.cells, kind.mines)
        for cell, chance in enumerate(found.chances[row].tolist()):
            coordinates = divmod(cell, kind.cols)
            if board.cells[coordinates] != UNKNOWN:
                assert np.isnan(chance)
                continue
            hits = sum(coordinates in layout for layout in known.layouts)
            assert chance == pytest.approx(hits / known.count)
            assert (chance == 0) == (coordinates in known.forced_safe)
            assert (chance == 1) == (coordinates in known.forced_mines)


def win_chance(board: Board, layouts: list[frozenset[oracle.Cell]]) -> int:
    """Return in how many layouts the best play wins, by trying everything."""
    height, width = board.shape
    hidden = [(row, col) for row, col in np.argwhere(board.cells == UNKNOWN).tolist()]
    if all(set(hidden) == layout & set(hidden) for layout in layouts):
        return len(layouts)
    best = 0
    for cell in hidden:
        seen: dict[int, list[frozenset[oracle.Cell]]] = {}
        for layout in layouts:
            if cell not in layout:
                number = sum(near in layout for near in oracle.neighbours(cell, height, width))
                seen.setdefault(number, []).append(layout)
        best = max(
            best,
            sum(
                win_chance(board.with_codes({cell: number}), left) for number, left in seen.items()
            ),
        )
    return best


@pytest.mark.slow
def test_dataset_best_moves_win_as_often_as_any_play() -> None:
    kind = DealtBoards(4, 4, 5, Guarantee.RANDOM)
    found = label_games(DatasetOptions(kind), range(60))
    compared = 0
    for row, board in iterate(found, kind):
        layouts = oracle.answer(board, kind.mines).layouts
        best = found.best[row]
        if best is None or len(layouts) > 12 or np.count_nonzero(board.cells == UNKNOWN) > 8:
            continue
        compared += 1
        assert best[1] == pytest.approx(win_chance(board, layouts) / len(layouts))
    assert compared > 20


def test_dataset_chances_are_those_of_ms_toollib() -> None:
    kind = DealtBoards(16, 16, 40)
    found = label_games(DatasetOptions(kind), range(3))
    for row, board in list(iterate(found, kind))[::5]:
        cells = np.where(board.cells == UNKNOWN, HIDDEN, board.cells).tolist()
        theirs, _ = ms_toollib.cal_probability_onboard(cells, kind.mines)
        ours = np.where(board.cells == UNKNOWN, found.chances[row].reshape(board.shape), 0)
        assert np.allclose(ours, theirs, atol=1e-9)


def test_dataset_games_are_played_by_safest_cells_from_first_click_to_end() -> None:
    kind = DealtBoards(6, 6, 5)
    found = label_games(DatasetOptions(kind, 3), range(10))
    for number in range(10):
        game = generate_board(kind.make_options(3 + number)).game
        assert game is not None
        rows = np.flatnonzero(found.games == number)
        assert found.turns[rows].tolist() == list(range(rows.size))
        board = game.opened
        for row in rows.tolist():
            assert found.cells[row].tolist() == board.cells.ravel().tolist()
            after = found.cells[row + 1] if row + 1 in rows else None
            safest = np.flatnonzero(found.chances[row] == np.nanmin(found.chances[row])).tolist()
            followers = [
                game.open_cells(board, [divmod(cell, 6)])
                for cell in safest
                if not game.layout.mines[divmod(cell, 6)]
            ]
            if after is not None:
                (board,) = {one for one in followers if np.array_equal(one.cells.ravel(), after)}
            else:
                lost = len(followers) < len(safest)
                assert lost or any(game.is_won(one) for one in followers)


def test_dataset_grades_of_maps_are_those_of_their_games() -> None:
    kind = DealtBoards(9, 9, 10)
    found = label_games(DatasetOptions(kind), range(8))
    for number, grade in found.grades.items():
        game = generate_board(kind.make_options(number)).game
        assert game is not None
        level = grade_steps(game)
        assert grade.guess_free == (level is not None)
        assert level in (None, grade.hardest)


@pytest.mark.slow
def test_dataset_labels_do_not_depend_on_the_division_into_parts() -> None:
    options = DatasetOptions(DealtBoards(9, 9, 10), 7, proofs=True)
    whole = label_games(options, range(4))
    parts = [label_games(options, range(first, first + 2)) for first in (0, 2)]
    assert whole.keys == parts[0].keys + parts[1].keys
    assert whole.counts == parts[0].counts + parts[1].counts
    assert whole.best == parts[0].best + parts[1].best
    assert whole.proofs == parts[0].proofs + parts[1].proofs
    assert np.array_equal(whole.cells, np.concatenate([part.cells for part in parts]))


def test_dataset_of_no_games_is_empty() -> None:
    assert label_games(DatasetOptions(DealtBoards(5, 5, 3)), range(0)).keys == []


def test_dataset_options_reject_boards_under_other_rules() -> None:
    with pytest.raises(ValueError, match="ordinary boards"):
        DatasetOptions(DealtBoards(5, 5, 3, shape=Shape.TORUS))
