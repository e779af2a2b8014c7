"""The operation write_format: a board or a layout, as a file or link of another program."""

from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.functions.format_names import SAMPLE, name_format, require_format
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import BOARD_SCHEMA, AskBoard, AskCell, LayoutRows
from minecheck.app.requests.maps import parse_layout_rows
from minecheck.minefield import formats
from minecheck.minefield.formats import FORMATS, FormatError, Opened
from minecheck.solvers import Deadline
from minecheck.solvers.tasks.task import Example

#: The field that each rejection of writing is about.
_ABOUT: Final = {
    "first-off-the-board": "/first",
    "layout-missing": "/layout",
    "mines-differ": "/mines",
    "mines-missing": "/mines",
    "shapes-differ": "/layout",
    "too-many-mines": "/mines",
}


class AskWriteFormat(AskBoard):
    """A board, a layout, or both, to be written."""

    format: Annotated[str, name_format("Name of the format")]
    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)] = None
    layout: LayoutRows = Field(
        default=None,
        description="Where all the mines are, as answers draw it: B for mines, and on safe cells "
        "their number or S",
    )
    mines: int | None = Field(
        default=None, ge=0, description="Mines on the whole board; not needed with a layout"
    )
    first: AskCell | None = Field(
        default=None, description="The cell that the game begins with, [row, col] or row,col"
    )


class WrittenFile(NamedTuple):
    """A file, and the name of its format."""

    content: bytes
    format: str


def _make_input(ask: AskWriteFormat, limits: Limits) -> WrittenFile:
    """Return the answer: a file is written in milliseconds.

    Raises:
        ProblemError: there is no such format, a field cannot be read, or the format cannot hold it.
    """
    require_format(ask.format)
    most = limits.max_cells
    board = None if ask.board is None else puzzles.board_of_request(ask, most)
    layout = None if ask.layout is None else parse_layout_rows(ask.layout, most).layout
    first = None if ask.first is None else (ask.first[0], ask.first[1])
    try:
        file = formats.write(Opened(board, layout, ask.mines, first=first), ask.format)
    except FormatError as error:
        raise problems.make_format_problem(error, _ABOUT.get(error.code, "/board")) from None
    return WrittenFile(file.encode() if isinstance(file, str) else file, ask.format)


def _return_content(file: WrittenFile, _: Deadline) -> bytes:
    return file.content


def _make_headers(file: WrittenFile) -> dict[str, str]:
    entry = FORMATS[file.format]
    return {
        "Content-Type": entry.media_type,
        "Content-Disposition": f'attachment; filename="board{entry.suffix}"',
    }


WRITE_FORMAT: Final = FunctionOperation(
    name="write_format",
    path="/v1/formats/{format}/write",
    tag="formats",
    summary="A board or a layout, as a file or link",
    description="Write a board or a layout; the format omits what it cannot hold, see `holds`.",
    request=AskWriteFormat,
    response=None,
    other_types=("application/octet-stream",),
    make_input=_make_input,
    answer=_return_content,
    partial_answer=None,
    headers=_make_headers,
    batched=False,
    examples={
        "layout": Example({"format": "board", "layout": ["1B1", "111"], "first": [1, 0]}, None),
        "view": Example({"format": "mine", "board": ["1F?", "11?"], "mines": 1}, SAMPLE),
    },
)
