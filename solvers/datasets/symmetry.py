"""Boards that are the same turned or mirrored: their key, and splits that keep them together."""

from enum import StrEnum
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Of a hundred maps, those that are not for training: for validation, then for tests.
_VALIDATION: Final = range(80, 90)
_TEST: Final = range(90, 100)


class DataSplit(StrEnum):
    """The use of a map and of all its positions."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


def list_symmetric(cells: NDArray[np.integer] | NDArray[np.bool_]) -> list[NDArray[np.generic]]:
    """Return a board turned and mirrored in all ways that keep its shape: 8 if square, else 4.

    Args:
        cells: the board: (rows, cols).
    """
    pictures: list[NDArray[np.generic]] = []
    for picture in (cells, cells.T) if cells.shape[0] == cells.shape[1] else (cells,):
        pictures += [picture, picture[::-1], picture[:, ::-1], picture[::-1, ::-1]]
    return pictures


def make_key(cells: NDArray[np.int8] | NDArray[np.bool_], mines: int) -> int:
    """Return a number of 64 bits that boards have in common if they are symmetric, and hardly else.

    Args:
        cells: the board, a byte each: (rows, cols).
        mines: the number of mines.
    """
    rows, cols = cells.shape
    least = min(picture.tobytes() for picture in list_symmetric(cells))
    hashed = blake2b(f"{rows} {cols} {mines} ".encode() + least, digest_size=8)
    return int.from_bytes(hashed.digest(), "big")


def choose_split(mines: NDArray[np.bool_]) -> DataSplit:
    """Return the use of a map; symmetric maps have the same, 80, 10 and 10 of a hundred each.

    Args:
        mines: where the mines are: (rows, cols).
    """
    percent = make_key(mines, int(np.count_nonzero(mines))) % 100
    if percent in _VALIDATION:
        return DataSplit.VALIDATION
    return DataSplit.TEST if percent in _TEST else DataSplit.TRAIN
