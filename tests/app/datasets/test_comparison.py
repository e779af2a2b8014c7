"""The comparison of labels with other engines finds every kind of wrong label, and resumes."""

from pathlib import Path
from typing import Any

import pytest

from minecheck.app.datasets import writing
from minecheck.solvers.datasets.labels import DatasetOptions
from minecheck.solvers.environment.dealing import DealtBoards

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("ms_toollib", reason="the extra replays is not installed")
from benchmarks import labels  # noqa: E402 - it needs both

OPTIONS = DatasetOptions(DealtBoards(5, 5, 4))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("dataset") / "positions.parquet"
    writing.write_dataset(
        output,
        OPTIONS,
        12,
        lambda pieces: (writing.label_piece(OPTIONS, piece) for piece in pieces),
        lambda done: None,
    )
    return output


def falsify(row: dict[str, Any], name: str) -> None:
    """Make a label wrong, by as little as possible."""
    if name in ("forced_safe", "forced_mines"):
        hidden = [cell for cell, chance in enumerate(row["chances"]) if chance is not None]
        row[name] = row[name][1:] or hidden[:1]
    elif name == "count":
        row[name] = str(int(row[name]) + 1)
    elif name == "consistent":
        row[name] = False
    elif name == "safest_chance":
        row[name] += 1e-6
    else:
        cell = next(cell for cell, chance in enumerate(row[name]) if chance is not None)
        row[name][cell] = abs(row[name][cell] - 1e-6)


def test_comparison_confirms_labels_of_dataset(dataset: Path) -> None:
    compared = labels.compare_file(dataset, None)
    assert compared.rows == pq.read_metadata(dataset).num_rows
    assert compared.wrong == 0
    assert compared.tried > 10
    assert compared.difference < 1e-12


@pytest.mark.parametrize(
    "name", ["consistent", "count", "forced_safe", "forced_mines", "chances", "safest_chance"]
)
def test_comparison_finds_wrong_label(dataset: Path, tmp_path: Path, name: str) -> None:
    table = pq.read_table(dataset)
    rows = table.to_pylist()
    row = next(row for row in rows if row["board"].count("?") <= 12)
    falsify(row, name)
    output = tmp_path / "falsified.parquet"
    pq.write_table(pa.Table.from_pylist(rows, table.schema), output)
    assert labels.compare_file(output, None).wrong == 1


def test_comparison_continues_after_last_chunk(dataset: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole = labels.compare_file(dataset, None)
    first = labels.compare_file(dataset, log, until=0.0, chunk_rows=10)
    assert (first.rows, log.exists()) == (0, False)
    assert labels.compare_file(dataset, log, chunk_rows=10) == whole
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:2]))
    assert labels.compare_file(dataset, log, chunk_rows=10) == whole
    assert log.read_text().splitlines(keepends=True) == lines
