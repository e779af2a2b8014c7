"""``python -m docs.run_notebooks``: the notebooks of the guide, run anew, with their outputs.

What differs from run to run, such as times, is not stored: of an output that has a picture, only
that is kept.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient

FOLDER: Final = Path(__file__).with_name("notebooks")
#: The kinds of outputs, best first.
_KINDS: Final = ("text/html", "image/png", "text/plain")
#: A style sheet that pandas puts before its tables.
_STYLE: Final = ("<style", "</style>")


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


def write_markdown(path: Path) -> str:
    """Return a notebook as a page: its text, its code, and what it printed or drew."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return "\n\n".join(part for cell in notebook.cells for part in _write_cell(cell)) + "\n"


def _tidy_output(output: Any) -> Any:
    """Return an output with the best of its forms alone."""
    data = output.get("data")
    if data is not None:
        kind = next(kind for kind in _KINDS if kind in data)
        text = data[kind]
        if kind == "text/html" and _STYLE[0] in text:
            before, _, rest = text.partition(_STYLE[0])
            text = before + rest.partition(_STYLE[1])[2].lstrip()
        output.data = {kind: text}
        output.metadata = {}
    return output


def _write_cell(cell: Any) -> Iterator[str]:
    """Yield the parts of a cell as Markdown."""
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        data = output.get("data", {})
        if "text/html" in data:
            # A line that is empty would end the HTML.
            yield "\n".join(line for line in data["text/html"].splitlines() if line.strip())
        elif "image/png" in data:
            yield f"![Plot](data:image/png;base64,{data['image/png'].strip()})"
        else:
            yield f"```text\n{(output.get('text') or data['text/plain']).rstrip()}\n```"


if __name__ == "__main__":
    for notebook_path in list_notebooks():
        nbformat.write(run_notebook(notebook_path), notebook_path)  # type: ignore[no-untyped-call]
