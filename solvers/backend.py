"""The engines: their names, what each one is, which questions it answers, and its limits.

`ENGINES` is the one list of them. The names that requests take (`Backend`), the schema of
requests and answers, the messages of rejected backends and the table in docs/methods.md all come
from it.

Tested in tests/solvers/test_backend.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Backend(StrEnum):
    """The engines that can be requested, by name; `AUTO` chooses among the others.

    Any letter case and the names in `ALIASES` are accepted: ``Backend("PySAT")`` is `SAT`.
    """

    AUTO = "auto"
    PROPAGATION = "propagation"
    POSITIONS = "positions"
    FRONTIER = "frontier"
    SWEEP = "sweep"
    AUTOMATA = "automata"
    SEARCH = "search"
    SAT = "sat"
    CPSAT = "cpsat"
    GANAK = "ganak"
    APPROXMC = "approxmc"
    EXHAUSTIVE = "exhaustive"
    REASONS = "reasons"
    PLAY = "play"

    @classmethod
    def _missing_(cls, value: object) -> "Backend | None":
        if not isinstance(value, str):
            return None
        name = value.lower()
        name = ALIASES.get(name, name)
        return next((backend for backend in cls if backend.value == name), None)


#: Other names of engines in requests; answers have the canonical names.
ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {"pysat": "sat", "cp-sat": "cpsat", "ortools": "cpsat", "or-tools": "cpsat"}
)


class BoardKind(StrEnum):
    """The kinds of boards that engines differ in; the values are what messages call them."""

    PLANE = "plane boards"
    RULES = "rules"
    TOPOLOGY = "boards of another topology"
    INTERVALS = "boards with intervals as clues"
    SETS = "boards with sets of numbers as clues"
    SEVERAL_MINES = "boards whose cells hold several mines"
    LIES = "boards whose clues may lie"


_INTERVALS: Final = (BoardKind.PLANE, BoardKind.RULES, BoardKind.TOPOLOGY, BoardKind.INTERVALS)
#: Boards whose clues are not just intervals of mines among cells with one or none.
_LOOSE: Final = (BoardKind.SETS, BoardKind.SEVERAL_MINES, BoardKind.LIES)
_COUNTED: Final = ("check", "count", "forced", "analyze")
_ORDERED: Final = (*_COUNTED, "layouts", "sample")
_REASONED: Final = ("explain", "conflicts", "repair", "compose")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineDescription:
    """A description of an engine: what it is, what it answers, and its limits.

    Attributes:
        summary: one sentence on what it is.
        questions: the names of the tasks that it answers.
        boards: the kinds of boards that it takes.
        only: the tasks that it answers on some of these kinds, where it does not answer all.
        limits: what else it does not do, in sentences.
        is_bounded: whether an effort bounds its work; only a deadline ends the others.
    """

    summary: str
    questions: tuple[str, ...]
    boards: tuple[BoardKind, ...]
    limits: str
    is_bounded: bool = False
    only: Mapping[BoardKind, tuple[str, ...]] = field(default_factory=dict)

    def can_answer(self, task: str, kind: BoardKind | None) -> bool:
        """Return True if it answers a task on boards of a kind; None for any kind."""
        if task not in self.questions:
            return False
        return kind is None or (kind in self.boards and task in self.only.get(kind, (task,)))


ENGINES: Final[Mapping[Backend, EngineDescription]] = MappingProxyType(
    {
        Backend.AUTO: EngineDescription(
            summary="Takes the cheapest exact engine, and others where that is not enough.",
            questions=(*_ORDERED, "strips", *_REASONED, "moves"),
            boards=tuple(BoardKind),
            limits="Only the deadline. Answers name the engine that was taken.",
            is_bounded=True,
        ),
        Backend.PROPAGATION: EngineDescription(
            summary="Draws the consequences of single clues and of the total, until nothing "
            "changes.",
            questions=_ORDERED,
            boards=_INTERVALS,
            limits="Boards whose clues it decides completely; others are rejected.",
            is_bounded=True,
        ),
        Backend.POSITIONS: EngineDescription(
            summary="Solves an ordinary position of a game in one compiled call.",
            questions=_COUNTED,
            boards=(BoardKind.PLANE,),
            limits="Consistent boards of narrow components; others are rejected. No exact "
            "fractions.",
            is_bounded=True,
        ),
        Backend.FRONTIER: EngineDescription(
            summary="Counts by joining tables of the mines seen by the clues that are still open.",
            questions=_ORDERED,
            boards=(*_INTERVALS, BoardKind.SETS, BoardKind.SEVERAL_MINES),
            limits="The work grows with the clues that are open at once.",
            is_bounded=True,
        ),
        Backend.SWEEP: EngineDescription(
            summary="Counts box by box, with a state for what the open clues have seen.",
            questions=_ORDERED,
            boards=_LOOSE,
            limits="Up to a million moves between states.",
        ),
        Backend.AUTOMATA: EngineDescription(
            summary="Reads the board column by column: Kadlac's automaton, Hu and Lin's, or a "
            "decision diagram.",
            questions=(*_ORDERED, "strips"),
            boards=(BoardKind.PLANE, BoardKind.TOPOLOGY, BoardKind.INTERVALS),
            limits="Up to 12 cells high or wide, fewer if opposite sides are joined. "
            "`solver.machines` names the automata.",
            is_bounded=True,
        ),
        Backend.SEARCH: EngineDescription(
            summary="Searches depth first for layouts, with bounds propagation.",
            questions=("check", "forced"),
            boards=_INTERVALS,
            limits="A fixed number of steps: where it gives up, the answer is incomplete.",
            is_bounded=True,
        ),
        Backend.SAT: EngineDescription(
            summary="Translates the board into clauses for CaDiCaL and Glucose, by PySAT.",
            questions=(*_COUNTED, "layouts"),
            boards=_INTERVALS,
            limits="No chances. Counts one layout after another. No order of the layouts.",
        ),
        Backend.CPSAT: EngineDescription(
            summary="Translates the board into integer constraints for OR-Tools CP-SAT.",
            questions=(*_COUNTED, "layouts"),
            boards=tuple(BoardKind),
            limits="No chances. Counts one layout after another. No order of the layouts. Only "
            "check and forced where clues are sets or may lie, or cells hold several mines.",
            only=MappingProxyType(dict.fromkeys(_LOOSE, ("check", "forced"))),
        ),
        Backend.GANAK: EngineDescription(
            summary="Counts the solutions of the board's clauses exactly.",
            questions=("count",),
            boards=_INTERVALS,
            limits="No layouts by number of mines without `mines`. Needs the package pyganak.",
        ),
        Backend.APPROXMC: EngineDescription(
            summary="Counts the solutions of the board's clauses about, with a guarantee.",
            questions=("count",),
            boards=_INTERVALS,
            limits="Gives `approximate` and no `count`, so that the answer is incomplete. Needs "
            "the package pyapproxmc.",
        ),
        Backend.EXHAUSTIVE: EngineDescription(
            summary="Lists all layouts by Kadlac's breadth-first search.",
            questions=(*_COUNTED, "layouts"),
            boards=(BoardKind.PLANE,),
            limits="Small boards: up to 2500 cells and 100000 grids at a time. No chances. No "
            "order of the layouts.",
        ),
        Backend.REASONS: EngineDescription(
            summary="Proves, step by step or by SAT: explanations, conflicts, repairs and clues. "
            "It also grades and generates boards.",
            questions=_REASONED,
            boards=_INTERVALS,
            limits="The engines of `auto` find the verdict and the forced cells first.",
            is_bounded=True,
        ),
        Backend.PLAY: EngineDescription(
            summary="Ranks the next moves, and searches the ends of games for the chance to win.",
            questions=("moves",),
            boards=(BoardKind.PLANE,),
            limits="The engines of `auto` find the chances first. Of boards that `positions` does "
            "not take, moves have chances only.",
            is_bounded=True,
        ),
    }
)


def list_tasks(kind: BoardKind) -> tuple[str, ...]:
    """Return the tasks that engines other than `AUTO`, which tries them all, answer on a kind."""
    tasks = ENGINES[Backend.AUTO].questions
    engines = [engine for backend, engine in ENGINES.items() if backend is not Backend.AUTO]
    return tuple(task for task in tasks if any(engine.can_answer(task, kind) for engine in engines))


def list_backends(task: str, kind: BoardKind | None = None) -> tuple[Backend, ...]:
    """Return the backends that answer a task, for one kind of board or for any; `AUTO` is first."""
    return tuple(backend for backend, engine in ENGINES.items() if engine.can_answer(task, kind))
