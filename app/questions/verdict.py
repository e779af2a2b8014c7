"""What all answers, or several of them, say."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.questions.fields import Place, Rows

#: A whole number of any size, in decimal digits.
Count = Annotated[str, Field(pattern=r"^[0-9]+$")]


class Solver(BaseModel):
    """Who answered."""

    name: str = Field(description="The methods that gave the answer", examples=["search"])
    complete: bool = Field(description="False if something is missing or may be")
    elapsed_ms: float
    note: str | None = Field(default=None, description="What would have helped to finish")
    cached: bool = Field(
        default=False, description="Answered before; elapsed_ms is the time it took then"
    )


class Flags(BaseModel):
    """A player's flags, judged."""

    right: list[Place] = Field(description="On mines in every layout")
    wrong: list[Place] = Field(description="On safe cells in every layout")
    unproved: list[Place]


Cell = Place | str
#: Cells of rules that have no name are numbered among themselves.
AnyCell = Place | str | int
Layout = Rows | dict[str, list[str] | list[int] | list[list[int]]]
Chance = float | str | None


class Feasible(BaseModel):
    """The least and the most mines of any layout; not every total in between need have one."""

    least: int
    most: int


class Others(BaseModel):
    """The cells that no rule names: they are all alike."""

    cells: int
    probability: Chance = Field(description="Chance of a mine in each of them")
    forced: Literal["mines", "safe"] | None


class Clues(BaseModel):
    """Clues that contradict each other, or that force a cell; with the total of mines or not."""

    clues: list[Place] | list[int] = Field(description="For rules: their positions from 0")
    total: bool = Field(description="Whether the total of mines is needed, too")
    minimal: bool = Field(description="Whether none of them can be dropped")
    smallest: bool = Field(
        description="Whether it is known that no fewer clues would do (the total of mines is used "
        "only if the clues alone do not suffice)"
    )


class AnyAnswer(BaseModel):
    """What every answer says.

    Null means not decided in time, or that there is none. Fields that are not required are left
    out where there is nothing to say.
    """

    consistent: bool | None = Field(description="Whether any layout of mines fits")
    conflict: Clues | None = Field(
        description="On an inconsistent board: clues that contradict each other; null, too, where "
        "clues are sets or lie, or cells hold several mines"
    )
    feasible_mines: Feasible | None = Field(
        default=None,
        description="If no layout has the given total of mines, but some have another",
    )
    flags: Flags | None = Field(default=None, description="If the board has flags that are claims")
    rows: int | None = Field(default=None, description="Rows of the board, as it was read")
    cols: int | None = Field(default=None, description="Columns of the board, as it was read")
    mines: int | None = Field(default=None, description="The total of mines, as it was read")
    solver: Solver


class ForcedCells(BaseModel):
    """Unknown cells that are the same in every layout, as [row, col] or by name."""

    mines: list[Cell]
    safe: list[Cell]


class Window(BaseModel):
    """A rectangle of cells on the board."""

    row: int
    col: int
    height: int
    width: int
