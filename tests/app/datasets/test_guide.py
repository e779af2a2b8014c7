"""The programs and the query of the guide to data sets run."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from minecheck.app.cli.program import Program

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

PAGE = Path(__file__).parents[3] / "docs" / "dataset.md"


def list_programs(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder with the files that the page writes."""
    monkeypatch.chdir(tmp_path)
    given = ["dataset", "--games", "60", "--board", "5x5/4", "--processes", "1"]
    written = ["--out", "positions.parquet", "--tasks", "tasks.parquet"]
    done = CliRunner().invoke(Program(), [*given, *written])
    assert done.exit_code == 0, done.output


@pytest.mark.slow
@pytest.mark.usefixtures("_files")
def test_python_programs_of_dataset_guide_run() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    by_pandas, by_polars, scoring = map(_run, list_programs("python"))
    assert set(by_pandas["train"]["split"]) == {"train"}
    assert by_polars["stuck"]["safest_chance"].min() > 0
    assert {1.0} == {
        scoring["score_reply"](task, f"ANSWER: {task['answer']}")
        for task in scoring["tasks"]
        if task["kind"] != "move"
    }


@pytest.mark.slow
@pytest.mark.usefixtures("_files")
def test_sql_query_of_dataset_guide_runs() -> None:
    duckdb: Any = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    (query,) = list_programs("sql")
    found = duckdb.sql(query).fetchall()
    assert {split for split, *_ in found} >= {"train", "test"}


def _run(program: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(program, names)
    return names
