"""Labels of data sets against engines that share no code with those that made them.

Each row is compared with the chances of ms_toollib, which also decides whether any layout fits,
and which cells have a chance of exactly 0 or 1. Rows with few hidden cells are compared with all
layouts, which `tests.oracle` finds by trying every set of mines; these also give counts.

    python -m benchmarks.labels positions.parquet …

compares all rows of files, and continues where it ended if it is called again with the same files.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import ms_toollib
import numpy as np
from numpy.typing import NDArray

from minecheck.app.datasets import writing
from minecheck.minefield import parse
from minecheck.solvers.datasets.labels import DatasetOptions
from minecheck.solvers.environment.dealing import DealtBoards
from tests import oracle

#: The code of a hidden cell in ms_toollib.
_THEIR_HIDDEN: Final = "10"
#: The difference of chances that counts as none: both are rounded.
_ROUNDING: Final = 1e-9
#: The most hidden cells of rows that are compared with all layouts.
_FEW_CELLS: Final = 12
_COLUMNS: Final = [
    "board",
    "mines",
    "consistent",
    "count",
    "forced_safe",
    "forced_mines",
    "chances",
    "safest_chance",
]
#: The games of the data set that the benchmark writes for itself.
_KINDS: Final = (DealtBoards(9, 9, 10), DealtBoards(16, 30, 99))
_GAMES: Final = 20

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Compared:
    """The number of rows that were compared, and of wrong ones among them.

    Attributes:
        rows: rows that were compared with ms_toollib.
        tried: rows that were also compared with all layouts.
        wrong: rows with any label that is not confirmed.
        difference: the greatest difference of two chances.
    """

    rows: int = 0
    tried: int = 0
    wrong: int = 0
    difference: float = 0.0


def run() -> None:
    """Compare a small data set of each kind; a wrong label ends the benchmark."""
    with TemporaryDirectory() as folder:
        for number, kind in enumerate(_KINDS):
            path = Path(folder, f"{number}.parquet")
            options = DatasetOptions(kind)
            writing.write_dataset(
                path,
                options,
                _GAMES,
                lambda pieces, options=options: (  # type: ignore[misc]
                    writing.label_piece(options, piece) for piece in pieces
                ),
                lambda done: None,
            )
            compared = compare_file(path, None)
            _report(f"{kind.rows}x{kind.cols}/{kind.mines}", compared)
            assert compared.wrong == 0, "a label is wrong"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare files; return 1 if a label is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.labels", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="what minecheck dataset wrote")
    parser.add_argument("--minutes", type=float, help="the time after which it ends")
    given = parser.parse_args(arguments)
    until = None if given.minutes is None else perf_counter() + 60 * given.minutes
    compared = [compare_file(path, path.with_suffix(".compared"), until) for path in given.files]
    for path, one in zip(given.files, compared, strict=True):
        _report(path.name, one)
    return int(any(one.wrong for one in compared))


def compare_file(
    path: Path, log: Path | None, until: float | None = None, chunk_rows: int = 10_000
) -> Compared:
    """Compare the rows of a file.

    Args:
        path: what ``minecheck dataset`` wrote.
        log: a file with a line for each chunk of rows; it continues after the last one.
        until: when it ends, as `perf_counter` tells it; None for the end of the file.
        chunk_rows: how many rows are read at a time, each time with a line in the log.
    """
    compared = Compared()
    if log is not None and log.exists():
        compared = Compared(**json.loads(log.read_text().splitlines()[-1]))
    for rows in _read_chunks(path, compared.rows, chunk_rows):
        if until is not None and perf_counter() > until:
            break
        for row in rows:
            compared = _add_row(compared, row)
        if log is not None:
            with log.open("a") as file:
                print(json.dumps(asdict(compared)), file=file)
    return compared


def _read_chunks(path: Path, skipped: int, chunk_rows: int) -> Iterator[list[Row]]:
    """Yield the rows after ``skipped`` ones, ``chunk_rows`` at a time."""
    from pyarrow import parquet

    first = 0
    for batch in parquet.ParquetFile(path).iter_batches(chunk_rows, columns=list(_COLUMNS)):
        new = batch.slice(max(0, skipped - first))
        first += batch.num_rows
        if new.num_rows:
            yield new.to_pylist()


def _add_row(compared: Compared, row: Row) -> Compared:
    """Return what was compared, with another row."""
    tried = row["board"].count("?") <= _FEW_CELLS
    difference = _compare_chances(row)
    wrong = difference > _ROUNDING or (tried and not _is_true_of_layouts(row))
    if wrong:
        print(f"wrong: {row}", file=sys.stderr, flush=True)
    return replace(
        compared,
        rows=compared.rows + 1,
        tried=compared.tried + tried,
        wrong=compared.wrong + wrong,
        difference=max(compared.difference, difference),
    )


def _compare_chances(row: Row) -> float:
    """Return the greatest difference to the chances of ms_toollib; infinity for wrong cells."""
    board = [
        [int(_THEIR_HIDDEN if symbol == "?" else symbol) for symbol in line]
        for line in row["board"].split("\n")
    ]
    try:
        theirs, _ = ms_toollib.cal_probability_onboard(board, row["mines"])
    except RuntimeError:  # No layout fits.
        return 0.0 if not row["consistent"] else np.inf
    chances = np.array(theirs).ravel()
    ours = np.array(row["chances"], np.float64)
    hidden = ~np.isnan(ours)
    if not (
        row["consistent"]
        and np.array_equal(hidden, _is_hidden(row))
        and row["forced_safe"] == np.flatnonzero(hidden & (chances == 0)).tolist()
        and row["forced_mines"] == np.flatnonzero(hidden & (chances == 1)).tolist()
        and abs(row["safest_chance"] - chances[hidden].min()) <= _ROUNDING
    ):
        return np.inf
    return float(np.abs(ours - chances)[hidden].max(initial=0.0))


def _is_hidden(row: Row) -> NDArray[np.bool_]:
    return np.array([symbol == "?" for symbol in row["board"].replace("\n", "")])


def _is_true_of_layouts(row: Row) -> bool:
    """Return True if the labels are those of all layouts."""
    board = parse(row["board"])
    known = oracle.answer(board, row["mines"])
    cells = list(enumerate(divmod(cell, board.width) for cell in range(board.cells.size)))
    return (
        row["consistent"] == known.consistent
        and row["count"] == str(known.count)
        and row["forced_safe"] == [cell for cell, at in cells if at in known.forced_safe]
        and row["forced_mines"] == [cell for cell, at in cells if at in known.forced_mines]
        and all(
            abs(row["chances"][cell] - sum(at in one for one in known.layouts) / known.count)
            <= _ROUNDING
            for cell, at in cells
            if row["chances"][cell] is not None
        )
    )


def _report(name: str, compared: Compared) -> None:
    print(
        f"  {name}: {compared.rows:,} positions compared, {compared.tried:,} of them also with "
        f"all layouts; {compared.wrong} wrong, chances differ by {compared.difference:.1e} at most",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
