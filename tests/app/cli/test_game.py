"""Games in the terminal are played by commands from a pipe."""

import pytest

from tests.app.cli.running import one_line, run

#: Two mines are on four cells, and any cell may be opened first.
SQUARE = ("--rows", "2", "--cols", "2", "--mines", "2", "--kind", "random")
GAME = ("--rows", "5", "--cols", "6", "--mines", "6", "--seed", "1")


def play(*commands: str, options: tuple[str, ...] = GAME) -> list[str]:
    """Return the lines that a game prints, which ends well."""
    found = run("game", *options, stdin="\n".join(commands).encode())
    assert (found.exit_code, found.stderr) == (0, ""), found.output
    return found.stdout.splitlines()


def list_boards(lines: list[str]) -> list[list[str]]:
    """Return the boards among the lines of a game, without the numbers beside them."""
    starts = [at for at, line in enumerate(lines) if line.split() == ["012345"]]
    return [[line.split()[1] for line in lines[at + 1 : at + 6]] for at in starts]


def test_first_cell_opened_in_game_is_0() -> None:
    for row, col in ((0, 0), (2, 3), (4, 5)):
        (board,) = list_boards(play(f"open {row} {col}"))
        assert board[row][col] == "0"


def test_game_command_with_equal_seeds_gives_equal_games() -> None:
    assert play("open 2 3") == play("open 2 3")
    assert play("open 2 3") != play("open 2 3", options=(*GAME[:-1], "2"))


def test_game_ends_at_end_of_input_and_at_quit() -> None:
    assert play() == [*play("quit")[:1], ""]
    assert play("quit", "open 0 0")[-1] == "> quit"


def test_flag_command_toggles_flag_that_keeps_cell_closed() -> None:
    lines = play("flag 0 0", "open 0 0", "flag 0 0", "open 0 0")
    first, second, third = list_boards(lines)
    assert (first[0][0], second[0][0], third[0][0]) == ("F", "?", "0")
    assert "1 flag, 6 mines" in lines
    assert "open: a flag is there. Type flag 0 0 to take it away." in lines


def test_undo_command_takes_steps_back_and_deals_board_again() -> None:
    lines = play("undo", "open 0 0", "undo", "open 4 5")
    assert "undo: nothing was done yet. Open a cell first." in lines
    opened, closed, again = list_boards(lines)
    assert (opened[0][0], set("".join(closed)), again[4][5]) == ("0", {"?"}, "0")


def test_window_command_lists_layouts_of_window() -> None:
    lines = play("open 0 0", "window 0 0 2 6")
    assert "window: rows 0 to 1, columns 0 to 5" in lines
    assert "layout 0" in lines
    assert any(line.startswith("answered by automata") for line in lines)


def test_window_command_lists_first_16_of_many_layouts() -> None:
    lines = play("window 0 0 2 6")
    assert "4096 layouts in all" in lines
    assert lines.count("layout 15") == 1
    assert "Only the first 16 layouts are listed. Choose a smaller window." in lines
    assert not any("--offset" in line for line in lines)


def test_window_command_rejects_window_that_is_too_large() -> None:
    lines = play("window 0 0 9 9")
    assert lines[2].startswith("window: The window ")


def test_hint_command_names_proved_cell_with_reason() -> None:
    lines = play("open 0 0", "hint")
    at = lines.index("> hint")
    assert lines[at + 1 : at + 2] == ["consistent"]
    assert ": safe (" in lines[at + 2] or ": mine (" in lines[at + 2]
    assert lines[at + 3].startswith("   1. ")


def test_chances_command_serves_where_no_cell_is_proved() -> None:
    lines = play("hint", "chances", options=SQUARE)
    assert "No cell is proved. Type chances for the safest guess." in lines
    assert "   50  50" in lines
    assert any(line.startswith("safest: row ") for line in lines)


def test_game_is_lost_at_mine_or_won() -> None:
    options = ("--rows", "1", "--cols", "3", "--mines", "1", "--kind", "random", "--seed", "0")
    lines = play("open 0 0", "open 0 1", "open 0 2", "undo", options=options)
    assert any(line.startswith("lost: row 0 column ") for line in lines) or "won" in lines


def test_game_is_won_by_opening_every_safe_cell() -> None:
    lines = play("open 0 0", "open 0 1", options=("--rows", "2", "--cols", "2", "--mines", "0"))
    assert "won" in lines
    assert lines[-2] == "open: the game is over. Type undo or quit."


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("dance", '"dance" is not a command. Type help for a list.'),
        ("open", "open takes 2 numbers: open 2 4"),
        ("open x y", "open takes 2 numbers: open 2 4"),
        ("open 1 2 3", "open takes 2 numbers: open 2 4"),
        ("hint 3", "hint takes no numbers: hint"),
        (
            "open 9 0",
            "open: row 9 column 0 is outside the board. Rows are 0 to 4, columns 0 to 5.",
        ),
    ],
)
def test_game_rejects_invalid_command_with_fix(command: str, message: str) -> None:
    assert message in play(command)


def test_help_in_game_lists_every_command() -> None:
    lines = play("help")
    shown = {line.split()[0] for line in lines if line.startswith("  ")}
    assert shown == {
        *("open", "flag", "window", "hint", "chances", "undo", "board", "help", "quit")
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mines", "80"), "minecheck: --mines: There is room"),
        (("--rows", "9999", "--cols", "9999"), "minecheck: --rows: a board has at most"),
        (("--rows", "0"), 'minecheck: --rows: "0" is less than 1'),
    ],
    ids=str,
)
def test_game_command_names_option_of_impossible_board(
    options: tuple[str, ...], message: str
) -> None:
    one_line(run("game", *options), message)
