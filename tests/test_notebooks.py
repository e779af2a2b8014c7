"""The notebooks of the guide run, and say what is stored in them."""

from pathlib import Path
from typing import Any

import nbformat
import pytest

from docs.run_notebooks import list_notebooks, run_notebook


def list_outputs(notebook: Any) -> list[str]:
    """Return what the cells have printed and drawn, without plots, which depend on fonts."""
    return [
        str(output.get("text") or output.get("data"))
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" not in output.get("data", {})
    ]


def test_guide_has_three_notebooks() -> None:
    assert [path.stem for path in list_notebooks()] == ["densities", "first-steps", "strips"]


@pytest.mark.slow
@pytest.mark.parametrize("path", list_notebooks(), ids=lambda path: path.stem)
def test_notebook_prints_its_stored_outputs(path: Path) -> None:
    stored: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert list_outputs(run_notebook(path)) == list_outputs(stored)
