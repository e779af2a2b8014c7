"""The game without a page around it."""

import json
from itertools import product
from typing import Any

import pytest

from tests.page.play.table import SMALL

pytestmark = pytest.mark.slow


def in_page(page: Any, script: str) -> Any:
    """Return the result of the body of an async function with the game module."""
    return page.evaluate(
        f"""async () => {{
            const {{ Game, layoutWithOpening }} = await import("/page/shared/undoable-game.js");
            {script}
        }}"""
    )


def test_game_opens_all_cells_around_a_cell_without_adjacent_mines(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        const before = game.state;
        game.deal({json.dumps(SMALL)});
        game.reveal(0, 0);
        return [before, game.state, game.shown()];
    """
    shown = ["000000", "011100", "01?211", "0112??", "0001??"]
    assert in_page(blank, script) == ["ready", "playing", shown]


def test_game_undoes_every_move_back_to_the_start(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        const boards = [];
        const moves = [
            () => game.flag(2, 2), () => game.reveal(0, 0), () => game.flag(4, 4),
            () => game.flag(4, 4), () => game.flag(4, 4), () => game.chord(3, 3),
        ];
        for (const move of moves) {{
            boards.push([game.shown(), game.minesLeft, game.opened]);
            if (!move()) throw new Error("nothing happened");
        }}
        const states = [game.state];
        const back = [];
        while (game.undo()) back.unshift([game.shown(), game.minesLeft, game.opened]);
        return [states, game.undone, JSON.stringify(back) === JSON.stringify(boards), back.length];
    """
    # The last chord is wrong: the flag belongs one row higher.
    assert in_page(blank, script) == [["lost"], 6, True, 6]


def test_game_chord_opens_cells_only_with_as_many_flags_as_the_number(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        game.reveal(0, 0);
        const done = [game.chord(2, 4)];
        game.flag(3, 4);
        done.push(game.chord(2, 4), game.chord(2, 4), game.chord(3, 3));
        return [done, game.shown()];
    """
    shown = ["000000", "011100", "01?211", "0112F1", "0001??"]
    assert in_page(blank, script) == [[False, True, False, False], shown]


def test_game_shows_mines_and_wrong_flags_when_lost(blank: Any) -> None:
    script = f"""
        const game = new Game({{ height: 5, width: 6, mines: 2 }});
        game.deal({json.dumps(SMALL)});
        game.flag(4, 5);
        game.reveal(2, 2);
        const boards = [game.shown(), game.position];
        return [game.state, ...boards.map((rows) => rows.join(""))];
    """
    state, shown, position = in_page(blank, script)
    assert state == "lost"
    assert (shown.count("X"), shown.count("B"), shown[-1]) == (1, 1, "!")
    assert set(position) == {"?", "F"}


def test_layout_with_opening_opens_at_the_first_cell_and_follows_its_seed(blank: Any) -> None:
    script = """
        const found = [];
        for (let seed = 0; seed < 40; seed += 1) {
            const size = { height: 9, width: 9, mines: 10 };
            found.push(layoutWithOpening(size, [seed % 9, 4], seed));
        }
        const again = layoutWithOpening({ height: 9, width: 9, mines: 10 }, [0, 4], 0);
        const full = layoutWithOpening({ height: 2, width: 2, mines: 3 }, [1, 0], 5);
        return [found, again, full];
    """
    found, again, full = in_page(blank, script)
    assert again == found[0]
    assert len({tuple(rows) for rows in found}) == 40
    assert full == ["BB", "3B"]
    for seed, rows in enumerate(found):
        assert rows[seed % 9][4] == "0"
        for row, col in product(range(9), range(9)):
            around = [
                rows[r][c]
                for r in range(max(0, row - 1), min(9, row + 2))
                for c in range(max(0, col - 1), min(9, col + 2))
            ]
            assert rows[row][col] in ("B", str(around.count("B")))
        assert "".join(rows).count("B") == 10
