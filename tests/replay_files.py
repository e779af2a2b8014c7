"""Replays for tests, written by ms_toollib: a layout, and clicks on it."""

from collections.abc import Iterable, Sequence
from typing import Any

import ms_toollib

#: Pixels of a cell.
SIZE = 16


def write_replay(
    mines: Sequence[str],
    clicks: Iterable[tuple[str, int, int]],
    *,
    player: str = "Ann",
    program: str = "minecheck",
    version: int = 4,
) -> bytes:
    """A file of EVF with a game.

    Args:
        mines: rows of the layout, with B for mines.
        clicks: l for left, r for right, c for both buttons, with row and column.
        player: the name of the player.
        program: the name of the program.
        version: of the format.
    """
    board = [[-1 if cell == "B" else 0 for cell in row] for row in mines]
    video: Any = ms_toollib.BaseVideo(ms_toollib.cal_board_numbers(board), SIZE)
    video.mode = 0
    for kind, row, col in clicks:
        pixel = (row * SIZE + 8, col * SIZE + 8)
        for event in {"l": "lc lr", "r": "rc rr", "c": "lc rc rr lr"}[kind].split():
            video.step(event, pixel)
    video.player_identifier, video.software = player, program
    video.race_identifier, video.unique_identifier, video.country = "race", "id", "XX"
    video.is_official = video.is_fair = True
    getattr(video, f"generate_evf_v{version}_raw_data")()
    return bytes(video.raw_data)
