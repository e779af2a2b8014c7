"""Answers printed for people: boards, counts and reasons, a function for each part of an answer."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from app.answers import numbers, parts
from app.answers.cells import drawing
from app.questions import Record, moves
from minefield import Board, Layout, Rules, Variant, draw
from minefield.amounts import several
from solvers import Answer, Deadline, Question
from solvers.answer import Conflict, Conflicts, Statement
from solvers.question import Place

if TYPE_CHECKING:
    from rich.console import Console


class Screen:
    """Standard output, with colours where it is a terminal; what it shows ends at the deadline.

    ``conflicts`` have been printed, so many.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._console = _terminal()
        self._deadline = deadline
        self.conflicts = 0

    @property
    def late(self) -> bool:
        """Whether there is no time left to print."""
        return self._deadline.left <= 0

    def title(self, text: str) -> None:
        """A line that stands out."""
        if self._console is None:
            print(text)
        else:
            self._console.print(text, style="bold", markup=False)

    def board(self, title: str, rows: list[str], marked: Iterable[Place] = frozenset()) -> None:
        """A board under its title; what is marked stands out."""
        self.title(title)
        if self._console is None:
            # As fast as it can be: there may be many.
            sys.stdout.write("".join(f"  {row}\n" for row in rows))
            return
        from rich.text import Text

        cells = set(marked)
        for row, symbols in enumerate(rows):
            line = Text("  ")
            for col, symbol in enumerate(symbols):
                style = "red" if symbol == "B" else ""
                line.append(symbol, f"{style} reverse" if (row, col) in cells else style)
            self._console.print(line)

    def steps(self, steps: list[Statement] | None) -> None:
        """Steps, numbered; those that rest on a supposition are set in."""
        for number, step in enumerate(steps or [], 1):
            print(f"  {number:>2}. {'  ' * len(step.under)}{step.text}")


def _terminal() -> "Console | None":
    """Standard output, if it has colours; they take long to load, and files and pipes have none."""
    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        return None
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def cells(places: Iterable[Place]) -> str:
    """Cells in words."""
    return ", ".join(f"row {row} column {col}" for row, col in places)


class Shown:
    """What answers a question, as it is printed."""

    def __init__(self, record: Record, question: Question, deadline: Deadline) -> None:
        self._record, self._question = record, question
        self._screen = Screen(deadline)

    def found(self, answer: Answer) -> None:
        """Print the conflicts that were found since the last time."""
        if answer.conflicts is not None:
            self._verdict(answer)
            _found(self._screen, answer.conflicts)
            sys.stdout.flush()

    def answer(self, answer: Answer) -> None:
        """Print the rest, and mark the answer incomplete if the time ends before that."""
        self._verdict(answer)
        question = self._question
        for number, part in enumerate(self._record.parts):
            shown = _OWN.get((self._record.name, number)) or _SHARED.get(part)
            if shown is not None:
                shown(self._screen, question, answer)
            elif answer.consistent is not None:
                _fields(part(question, answer, drawing(question)))
        if answer.flags is not None:
            for verdict in ("right", "wrong", "unproved"):
                print(f"flags {verdict}: {cells(getattr(answer.flags, verdict)) or 'none'}")
        if answer.consistent is False:
            _conflict(answer)

    def _verdict(self, answer: Answer) -> None:
        if not self._screen.conflicts:
            self._screen.title(_VERDICTS[answer.consistent])


def _fields(found: Mapping[str, Any]) -> None:
    """Fields that nothing else prints."""
    for name, value in found.items():
        print(f"{name}: {value}")


def _reasons(conflict: Conflict) -> str:
    clues = cells(conflict.clues)
    reasons = [f"the clues at {clues}"] if clues else []
    reasons += ["the total of mines"] if conflict.mines else []
    return " and ".join(reasons)


def _conflict(answer: Answer) -> None:
    if answer.conflict is not None:
        print(f"contradict each other: {_reasons(answer.conflict)}")
    if answer.feasible is not None:
        least, most = answer.feasible
        amount = several(most, "mine") if least == most else f"from {least} to {most} mines"
        print(f"without that total, layouts have {amount}")


def _witness(screen: Screen, question: Question, answer: Answer) -> None:
    if answer.witness is not None:
        _layout(screen, "for example", question, answer.witness)


def _layout(
    screen: Screen,
    title: str,
    question: Question,
    layout: Layout,
    marked: Iterable[Place] = frozenset(),
) -> None:
    """A layout under its title, of the window if there is one; what rows cannot say below it."""
    drawn = drawing(question).layout(layout)
    if isinstance(drawn, list):
        screen.board(title, drawn, marked)
        return
    screen.board(title, drawn["rows"], marked)
    if "mines" in drawn:
        rows = ["".join(str(mines or ".") for mines in row) for row in drawn["mines"]]
        screen.board("mines in each cell", rows)
    if "lies" in drawn:
        print(f"wrong clues: {cells(drawn['lies']) or 'none'}")


def _symbols(question: Question) -> list[list[str]]:
    """The board as it was read, symbol by symbol."""
    puzzle = question.board
    assert not isinstance(puzzle, Rules), "commands read boards"
    return [list(row) for row in draw(puzzle.board if isinstance(puzzle, Variant) else puzzle)]


def _count(screen: Screen, question: Question, answer: Answer) -> None:
    if answer.consistent:
        print(several(numbers.digits(answer.count) or "unknown number of", "layout"), "in all")


def _likelihood(screen: Screen, question: Question, answer: Answer) -> None:
    if answer.likelihood is not None:
        print(f"likelihood {float(answer.likelihood)}")


def _layouts(screen: Screen, question: Question, answer: Answer) -> None:
    if not answer.consistent:
        return
    for number, layout in enumerate(answer.layouts or [], question.offset):
        if screen.late:
            answer.complete, answer.next_offset = False, number
            break
        _layout(screen, f"layout {number}", question, layout)
    if answer.next_offset is not None:
        print(f"more with --offset {answer.next_offset}")


def _samples(screen: Screen, question: Question, answer: Answer) -> None:
    for number, layout in enumerate(answer.layouts or [], question.offset):
        if screen.late:
            answer.complete = False
            break
        _layout(screen, f"sample {number} of seed {question.seed}", question, layout)


def _forced(screen: Screen, question: Question, answer: Answer) -> None:
    forced = answer.forced
    if forced is None:
        return
    rows = _symbols(question)
    for symbol, places in (("B", forced.mines), ("S", forced.safe)):
        for row, col in places:
            rows[row][col] = symbol
    title = (
        f"{several(len(forced.mines), 'mine')} and "
        f"{several(len(forced.safe), 'safe cell')} are forced"
    )
    screen.board(title, ["".join(row) for row in rows], {*forced.mines, *forced.safe})


def _probabilities(screen: Screen, question: Question, answer: Answer) -> None:
    """In percent; what is not forced is neither 0 nor 100."""
    if answer.probabilities is None:
        return
    screen.title("chance of a mine, in percent")
    for row in answer.probabilities:
        print("  " + " ".join(f"{_percent(chance):>3}" for chance in row))


def _percent(chance: Any) -> str:
    if chance is None or np.isnan(float(chance)):
        return "."
    whole = round(100 * float(chance))
    return str(whole) if chance in (0, 1) else str(min(max(whole, 1), 99))


def _nothing(screen: Screen, question: Question, answer: Answer) -> None:
    """What another part has printed, or people need not see."""


def _explanations(screen: Screen, question: Question, answer: Answer) -> None:
    for one in answer.explanations or []:
        value = "mine" if one.mine else "safe"
        screen.title(f"{cells(one.cells)}: {value} ({one.difficulty or 'not graded'})")
        screen.steps(one.steps)
    either = answer.either
    if answer.explanations == [] and either is None:
        print("no cell is forced")
    if either is not None:
        _layout(screen, "not forced: it may be a mine", question, either.mine, {either.cell})
        _layout(screen, "or safe", question, either.safe, {either.cell})
    if answer.consistent is False:
        screen.steps(answer.steps)


def _conflicts(screen: Screen, question: Question, answer: Answer) -> None:
    found = answer.conflicts
    if answer.consistent:
        print("nothing is contradicted")
    if found is None:
        return
    _found(screen, found)
    if found.more:
        print("there may be more, with --limit")


def _found(screen: Screen, found: Conflicts) -> None:
    """Conflicts that were not printed yet."""
    for conflict in found.sets[screen.conflicts :]:
        screen.title(f"conflict {screen.conflicts}: {_reasons(conflict)}")
        screen.conflicts += 1


def _repairs(screen: Screen, question: Question, answer: Answer) -> None:
    found = answer.repairs
    if answer.consistent:
        print("there is nothing to repair")
    if found is None:
        return
    if found.possible is False:
        print("no change of clues helps: known cells and the total contradict each other")
    for number, changes in enumerate(found.sets):
        rows = _symbols(question)
        for change in changes:
            row, col = change.clue
            rows[row][col] = str(change.number) if change.number <= 9 else "#"
        changed = {change.clue for change in changes}
        screen.board(f"repair {number}", ["".join(row) for row in rows], changed)
        for change in changes:
            if change.number > 9:
                print(f"  # is {change.number}: {cells([change.clue])}")
    if found.more:
        print("there may be more, with --limit")


def _composed(screen: Screen, question: Question, answer: Answer) -> None:
    found = answer.composed
    if found is None:
        return
    if found.enough is False:
        print("not even all clues that may be kept are enough")
    if found.kept is not None and found.board is not None:
        kept, offered = len(found.kept), len(found.offered)
        proved = (
            "no fewer are enough" if found.optimal else f"at least {found.lower_bound} are needed"
        )
        screen.board(
            f"{kept} of {several(offered, 'clue')} kept, {proved}", draw(found.board), found.kept
        )
    if found.redundant is not None:
        print(f"each may go by itself: {_pairs(found.redundant)}")
    for one in found.reveals or []:
        left = "" if one.bits is None else f" and leave {one.bits:.4g} bits"
        print(f"reveal {cells([one.cell])}: it would force {one.forced:.4g} more{left}")


def _pairs(places: Iterable[Place]) -> str:
    return " ".join(f"{row},{col}" for row, col in places) or "none"


def _outside(screen: Screen, question: Question, answer: Answer) -> None:
    found = answer.outside
    if found is None:
        return
    for name, places in (("mines", found.mines), ("safe", found.safe)):
        if places:
            print(f"{name} outside: {cells(places)}")
    for one in found.clues:
        amount = f"{one.low}" if one.low == one.high else f"{one.low} to {one.high}"
        print(
            f"around {cells([(one.row, one.col)])}: {amount} of "
            f"{several(len(one.cells), 'unknown cell')} outside"
            f" {'is a mine' if amount == '1' else 'are mines'}"
        )


def _moves(screen: Screen, question: Question, answer: Answer) -> None:
    if answer.moves is not None:
        assert isinstance(question.board, Board), "commands read boards"
        show_moves(screen, draw(question.board), moves.shown(answer))


def show_moves(screen: Screen, rows: list[str], found: Mapping[str, Any]) -> None:
    """The best move on the board, all moves in a table, and the guesses, as answers tell them."""
    low, high = (f"{100 * found['win'][bound]:.4g}" for bound in ("low", "high"))
    chance = f"{low} %" if found["win"]["exact"] else f"between {low} and {high} %"
    print(f"chance to win with best play: {chance}")
    if found["moves"]:
        row, col = found["moves"][0]["cell"]
        screen.board(f"open {cells([(row, col)])}", rows, {(row, col)})
        print("   row column  safe %  two clicks %  win %")
    for move in found["moves"]:
        safe, survival, win = (
            "-" if share is None else f"{100 * share:.4g}"
            for share in (1 - move["mine"], move["survival"], move["win"])
        )
        dead = "  tells nothing" if move["dead"] else ""
        row, col = move["cell"]
        print(f"  {row:>4} {col:>6} {safe:>7} {survival:>13} {win:>6}{dead}")
    for guess in found["guesses"] or []:
        chance = f"{100 * guess['chance']:.4g} %"
        print(f"a guess that cannot be avoided, {chance}: {cells(guess['cells'])}")


#: The first line of every answer.
_VERDICTS: Final = MappingProxyType({True: "consistent", False: "inconsistent", None: "undecided"})

_Shown: TypeAlias = Callable[[Screen, Question, Answer], None]

#: How the parts of answers are printed that several questions have.
_SHARED: Final[Mapping[parts.Part, _Shown]] = MappingProxyType(
    {
        parts.witness: _witness,
        parts.count: _count,
        parts.by_mines: _likelihood,
        parts.forced: _forced,
        parts.others: _nothing,
        parts.probabilities: _probabilities,
        parts.safest: _nothing,
        parts.certificate: _nothing,
    }
)
#: How those are printed that one question has, by its name and their number.
_OWN: Final[Mapping[tuple[str, int], _Shown]] = MappingProxyType(
    {
        ("layouts", 1): _layouts,
        # Each sample is printed with the seed.
        ("sample", 1): _nothing,
        ("sample", 2): _samples,
        ("strips", 1): _outside,
        ("explain", 0): _explanations,
        ("conflicts", 0): _conflicts,
        ("repair", 0): _repairs,
        ("moves", 0): _moves,
        ("compose", 0): _composed,
    }
)
