"""``python -m docs.run_notebooks``: the notebooks of the guide, run anew, with their outputs.

What differs from run to run, such as times, is not stored: of an output that has a picture, only
that is kept.
"""

import re
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient

FOLDER: Final = Path(__file__).with_name("notebooks")
#: The kinds of outputs, best first.
_KINDS: Final = ("text/html", "image/png", "text/plain")
#: Style that pandas gives its tables: the guide's pages allow none.
_STYLE: Final = re.compile(r"<style.*?</style>\s*| style=\"[^\"]*\"", re.DOTALL)


def list_notebooks() -> list[Path]:
    """Return the paths of the notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def run_notebook(path: Path) -> Any:
    """Run a notebook in a process of its own, and return it with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell has raised an exception.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [_tidy_output(output) for output in cell.outputs]
    return notebook


def _tidy_output(output: Any) -> Any:
    """Return an output with the best of its forms alone."""
    data = output.get("data")
    if data is not None:
        kind = next(kind for kind in _KINDS if kind in data)
        output.data = {kind: _STYLE.sub("", data[kind])}
        output.metadata = {}
    return output


if __name__ == "__main__":
    for notebook_path in list_notebooks():
        nbformat.write(run_notebook(notebook_path), notebook_path)  # type: ignore[no-untyped-call]
