"""The models of what no dataclass describes, and how cells and numbers are written."""

from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app.questions.fields import JsonCell, Rows
from minecheck.solvers import Backend

#: A whole number of any size, in decimal digits.
Count = Annotated[str, Field(pattern=r"^[0-9]+$")]


#: The name of an engine: any backend but auto, which only chooses.
EngineName = Annotated[
    str,
    WithJsonSchema(
        {"type": "string", "enum": [one.value for one in Backend if one is not Backend.AUTO]}
    ),
]


class Solver(BaseModel):
    """The engine that answered."""

    name: EngineName = Field(description="The engine that gave the answer")
    engines: list[EngineName] | None = Field(
        default=None,
        description="If several engines had a part in the answer: all of them; the last one, "
        "which is `name`, completed it",
    )
    machines: list[str] | None = Field(
        default=None, description="The automata that ran, if the engine automata had a part"
    )
    complete: bool = Field(description="False if something is missing or may be")
    elapsed_ms: float
    note: str | None = Field(default=None, description="What would have helped to finish")
    cached: bool = Field(
        default=False, description="Answered before; elapsed_ms is the time it took then"
    )


Cell = JsonCell | str
#: Cells of rules that have no name are numbered among themselves.
AnyCell = JsonCell | str | int
Layout = Rows | dict[str, list[str] | list[int] | list[list[int]]]
Chance = float | str | None


class Feasible(BaseModel):
    """The least and the most mines of any layout; not every total in between need have one."""

    least: int
    most: int


class SafeCell(BaseModel):
    """A cell and the chance of a mine in it."""

    cell: Cell
    probability: Chance


class LoosenedClue(BaseModel):
    """A clue in the window that unknown cells outside may satisfy in part."""

    clue: JsonCell
    number: int
    low: int = Field(description="Fewest mines that it leaves for its neighbours in the window")
    high: int = Field(description="Most mines that it leaves for them")


class BeyondClue(BaseModel):
    """The number of mines outside the window around a clue in it."""

    clue: JsonCell
    cells: list[JsonCell] = Field(description="The unknown cells outside that it sees")
    low: int = Field(description="Fewest mines among them")
    high: int = Field(description="Most mines among them")


class OutsideCells(BaseModel):
    """The consequences of the clues in the window for unknown cells outside that they see."""

    mines: list[JsonCell] = Field(description="Mines, however the window is completed")
    safe: list[JsonCell] = Field(description="Safe, however the window is completed")
    clues: list[BeyondClue] = Field(description="For each clue that sees such cells, in order")


class WindowAnswer(BaseModel):
    """A rectangle of cells on the board."""

    row: int
    col: int
    height: int
    width: int
