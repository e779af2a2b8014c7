"""Games of both clients are played in Python and in Node, with equal results."""

from collections.abc import Sequence
from typing import Any

import pytest
from minecheck_client import Game

from tests.clients.playing import run_in_node

#: An answer of the service, in which one safe cell is closed, at the top left.
ANSWER: Any = {"layout": ["11000", "B2000", "B2000"], "board": ["?1000", "?2000", "?2000"]}
CLOSED: Any = {"layout": ["11000", "B2000", "B2000"], "board": ["?????", "?????", "?????"]}

Step = tuple[str, Sequence[int] | None]


def play_in_python(answer: Any, steps: Sequence[Step]) -> list[Any]:
    """Return, for each step, its changes or its error, and the rows and state after it."""
    game = Game(answer)
    results: list[Any] = []
    for name, cell in steps:
        try:
            changed = sorted(getattr(game, name)(*([] if cell is None else [cell])))
        except IndexError as error:
            changed = [str(error)]
        results.append([changed, game.rows, game.state])
    return results


def play_in_node(answer: Any, steps: Sequence[Step]) -> Any:
    """Return, for each step in Node, its changes or its error, and the rows and state after it."""
    script = """
        const game = new Game(answer);
        return steps.map(([name, cell]) => {
            let changed;
            try { changed = game[name](cell).sort(([a, b], [c, d]) => a - c || b - d); }
            catch (error) { changed = [error instanceof RangeError && error.message]; }
            return [changed, game.rows, game.state];
        });
    """
    return run_in_node(script, answer=answer, steps=steps)


@pytest.fixture(params=[play_in_python, play_in_node])
def play(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_client_game_is_won_when_all_safe_cells_are_open(play: Any) -> None:
    flagged, won, late = play(ANSWER, [("flag", [1, 0]), ("open", [0, 0]), ("open", [2, 0])])
    assert flagged == [[[1, 0]], ["?1000", "F2000", "?2000"], "playing"]
    assert won == [[[0, 0]], ["11000", "F2000", "?2000"], "won"]
    assert late == [[], *won[1:]]


def test_client_game_ends_at_a_mine(play: Any) -> None:
    lost, *late = play(ANSWER, [("open", [2, 0]), ("open", [0, 0]), ("flag", [0, 0])])
    assert lost == [[[2, 0]], ["?1000", "?2000", "B2000"], "lost"]
    assert late == [[[], *lost[1:]]] * 2


def test_client_game_opens_cells_around_zero_except_flags(play: Any) -> None:
    _, opened = play(CLOSED, [("flag", [2, 3]), ("open", [0, 4])])
    assert opened[0] == [
        [row, col] for row in range(3) for col in range(1, 5) if (row, col) != (2, 3)
    ]
    assert opened[1:] == [["?1000", "?2000", "?20F0"], "playing"]


def test_client_game_opens_numbers_alone_and_no_flags(play: Any) -> None:
    results = play(CLOSED, [("open", [0, 1]), ("flag", [0, 1]), ("flag", [0, 0]), ("open", [0, 0])])
    assert [changed for changed, _, _ in results] == [[[0, 1]], [], [[0, 0]], []]
    assert results[-1][1] == ["F1???", "?????", "?????"]


def test_client_game_removes_flag(play: Any) -> None:
    flagged, freed = play(CLOSED, [("flag", [0, 0])] * 2)
    assert (flagged[1][0], freed[1]) == ("F????", CLOSED["board"])


@pytest.mark.parametrize("cell", [[3, 0], [0, 5], [-1, 0], [0, -1], [0.5, 0]], ids=str)
@pytest.mark.parametrize("name", ["open", "flag", "chord"])
def test_client_game_names_cell_off_the_board(play: Any, name: str, cell: Sequence[int]) -> None:
    ((changed, rows, state),) = play(ANSWER, [(name, cell)])
    message = f"Row {cell[0]}, column {cell[1]} is not on the board: it has 3 rows and 5 columns"
    assert changed == [f"{message}, from 0."]
    assert (rows, state) == (ANSWER["board"], "playing")


def test_client_game_chord_opens_cells_without_flags(play: Any) -> None:
    early, _, opened = play(ANSWER, [("chord", [1, 1]), ("flag", [1, 0]), ("chord", [0, 1])])
    assert early[0] == []
    assert opened == [[[0, 0]], ["11000", "F2000", "?2000"], "won"]


def test_client_game_chord_beside_wrong_flag_loses(play: Any) -> None:
    _, lost = play(ANSWER, [("flag", [0, 0]), ("chord", [0, 1])])
    assert lost == [[[1, 0]], ["F1000", "B2000", "?2000"], "lost"]


def test_client_game_undoes_moves_one_by_one_even_fatal_moves(play: Any) -> None:
    steps = [("flag", [0, 0]), ("open", [2, 0]), ("undo", None), ("undo", None), ("undo", None)]
    flagged, lost, alive, free, none = play(ANSWER, steps)
    assert (lost[2], alive) == ("lost", [[[2, 0]], flagged[1], "playing"])
    assert free == [[[0, 0]], ANSWER["board"], "playing"]
    assert none == [[], ANSWER["board"], "playing"]
    opened, back = play(CLOSED, [("open", [0, 4]), ("undo", None)])
    assert back == [opened[0], CLOSED["board"], "playing"]


@pytest.mark.parametrize(
    ("steps", "left", "revealed"),
    [
        ([], 2, ["?1000", "?2000", "?2000"]),
        ([("flag", [0, 0]), ("open", [1, 0])], 1, ["!1000", "X2000", "B2000"]),
        ([("flag", [1, 0]), ("open", [0, 0])], 1, ["11000", "F2000", "F2000"]),
    ],
    ids=["playing", "lost", "won"],
)
def test_client_game_reveals_all_mines_at_its_end(
    steps: Sequence[Step], left: int, revealed: list[str]
) -> None:
    game = Game(ANSWER)
    for name, cell in steps:
        getattr(game, name)(cell)
    assert (game.mines_left, game.revealed) == (left, revealed)
    script = """
        const game = new Game(answer);
        for (const [name, cell] of steps) game[name](cell);
        return [game.minesLeft, game.revealed];
    """
    assert run_in_node(script, answer=ANSWER, steps=steps) == [left, revealed]


def test_client_game_rejects_answer_without_board() -> None:
    answer: Any = {"found": False, "layout": None, "board": None}
    with pytest.raises(ValueError, match="none was found in time"):
        Game(answer)
    script = "try { new Game(answer); } catch (error) { return error.message; }"
    assert "none was found in time" in run_in_node(script, answer=answer)


def test_client_game_opens_large_empty_board(play: Any) -> None:
    side = 150
    empty = {"layout": ["0" * side] * side, "board": ["?" * side] * side}
    ((changed, _, state),) = play(empty, [("open", [0, 0])])
    assert (len(changed), state) == (side * side, "won")
