"""Answers printed for people: boards, counts and reasons, a function for each part of an answer."""

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from minecheck.app.cli.colors import ColorChoice, paint_text, use_colors
from minecheck.automata import Loosened, Outside, Window
from minecheck.minefield import Board, Layout, Rules, Variant, draw
from minecheck.minefield.board_svg import format_percentage
from minecheck.minefield.numerals import format_count, format_integer
from minecheck.solvers import Answer, Deadline, Question
from minecheck.solvers.annotations import Coordinates, Text, ValueKind
from minecheck.solvers.documents import numbers
from minecheck.solvers.documents.cells import choose_drawing
from minecheck.solvers.documents.described import AnswerField, list_fields
from minecheck.solvers.documents.render import describe_solver
from minecheck.solvers.documents.writing import make_field_writer, make_fields_writer
from minecheck.solvers.findings import (
    Composed,
    Conflict,
    Conflicts,
    Corrections,
    Either,
    Explanation,
    Forced,
    RankedMoves,
    Statement,
    WalkStep,
)


class Screen:
    """Standard output, perhaps with colours; what it shows ends at the deadline.

    ``conflicts`` have been printed, so many.
    """

    def __init__(self, deadline: Deadline, color: ColorChoice = ColorChoice.AUTO) -> None:
        self._has_colors = use_colors(color)
        self._deadline = deadline
        self.conflicts = 0

    @property
    def late(self) -> bool:
        """True if no time is left to print."""
        return self._deadline.left <= 0

    def print_title(self, text: str) -> None:
        """Print a line that stands out."""
        print(paint_text(text, "bold") if self._has_colors else text)

    def print_source(self, solver: Mapping[str, Any]) -> None:
        """Print who answered, as the `solver` object of an answer says it."""
        machines = ", ".join(solver.get("machines", ()))
        line = f"answered by {solver['name']}{f' ({machines})' if machines else ''}"
        print(paint_text(line, "dim") if self._has_colors else line)

    def print_board(
        self, title: str, rows: list[str], marked: Iterable[Coordinates] = frozenset()
    ) -> None:
        """Print a board under its title.

        Args:
            title: the line above it.
            rows: the rows of symbols.
            marked: (row, col) of cells that stand out.
        """
        self.print_title(title)
        # As fast as it can be: there may be many.
        sys.stdout.write("".join(f"  {row}\n" for row in self.paint_rows(rows, marked)))

    def paint_rows(self, rows: list[str], marked: Iterable[Coordinates]) -> list[str]:
        """Return rows of symbols, with colours if the output has them."""
        if not self._has_colors:
            return rows
        cells = set(marked)
        return [
            "".join(
                paint_text(
                    symbol,
                    "red" if symbol == "B" else "",
                    "reverse" if (row, col) in cells else "",
                )
                for col, symbol in enumerate(symbols)
            )
            for row, symbols in enumerate(rows)
        ]

    def print_steps(self, steps: list[Statement] | None) -> None:
        """Print steps, numbered; those that rest on a supposition are set in."""
        for number, step in enumerate(steps or [], 1):
            print(f"  {number:>2}. {'  ' * len(step.under)}{step.text}")


def format_cells(cells: Iterable[Coordinates]) -> str:
    """Format cells in words."""
    return ", ".join(f"row {row} column {col}" for row, col in cells)


class Shown:
    """The printed form of an answer."""

    def __init__(
        self, question: Question, deadline: Deadline, color: ColorChoice = ColorChoice.AUTO
    ) -> None:
        self._question = question
        self._screen = Screen(deadline, color)

    def print_new(self, answer: Any) -> None:
        """Print the conflicts that were found since the last time."""
        if answer.conflicts is not None:
            self._print_verdict(answer)
            _print_conflict_sets(self._screen, answer.conflicts)
            sys.stdout.flush()

    def print_answer(self, answer: Answer) -> None:
        """Print the rest, and mark the answer incomplete if the time ends before that."""
        self._print_verdict(answer)
        question = self._question
        for field in list_fields(question.answer_type):
            meaning = field.described
            show = _BY_TYPE.get(meaning.key)
            value = getattr(answer, field.attribute)
            if show is not None:
                show(self._screen, question, answer)
            elif (text := meaning.find_mark(Text)) is not None:
                _print_value(text.text, value)
            elif answer.consistent is not None:
                _print_field(question, answer, field)
        if answer.flags is not None:
            for verdict in ("right", "wrong", "unproved"):
                print(f"flags {verdict}: {format_cells(getattr(answer.flags, verdict)) or 'none'}")
        if answer.consistent is False:
            _print_conflict(answer)
        solver = describe_solver(answer.method, answer.complete, 0.0, machines=answer.automata)
        self._screen.print_source(solver)

    def _print_verdict(self, answer: Answer) -> None:
        if not self._screen.conflicts:
            self._screen.print_title(_VERDICTS[answer.consistent])


def _print_value(text: str, value: Any) -> None:
    """Print a value as its text says, which may be not at all."""
    if text and value is not None:
        print(text.format(value))


def _print_field(question: Question, answer: Answer, field: AnswerField) -> None:
    """Print a field that nothing else prints, as it is in JSON."""
    fields: dict[str, Any] = {}
    make_field_writer(field)(question, answer, choose_drawing(question), fields)
    for name, value in fields.items():
        print(f"{name}: {_format_value(value)}")


def _format_value(value: Any) -> str:
    """Format a value of JSON in words: lists with commas, objects with the names of their parts."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_format_value(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_value, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)


def _print_window(screen: Screen, question: Question, answer: Any) -> None:
    window = getattr(question, "window", None)
    if window is None:
        return
    rows, cols = (
        f"{name} {start}" if size == 1 else f"{name}s {start} to {start + size - 1}"
        for name, start, size in (
            ("row", window.row, window.rows),
            ("column", window.col, window.cols),
        )
    )
    print(f"window: {rows}, {cols}")


def _print_loosened(screen: Screen, question: Question, answer: Any) -> None:
    """Print the clues that cells outside the window may satisfy in part."""
    for clue in answer.loosened or []:
        print(
            f"the {clue.number} at {format_cells([(clue.row, clue.col)])} leaves {clue.low} to "
            f"{format_count(clue.high, 'mine')} for the window"
        )


def _print_by_mines(screen: Screen, question: Question, answer: Any) -> None:
    """Print how many layouts have each number of mines, if there are several."""
    if not answer.by_mines or len(answer.by_mines) < 2:
        return
    counts = {mines: format_integer(layouts) for mines, layouts in answer.by_mines.items()}
    widest = max(map(len, counts.values()))
    print("  mines  layouts")
    for mines, layouts in counts.items():
        print(f"  {mines:>5}  {layouts:>{max(widest, len('layouts'))}}")


def _format_reasons(conflict: Conflict) -> str:
    clues = format_cells(conflict.clues)
    reasons = [f"the clues at {clues}"] if clues else []
    reasons += ["the total of mines"] if conflict.mines else []
    return " and ".join(reasons)


def _print_conflict(answer: Answer) -> None:
    if answer.conflict is not None:
        print(f"contradict each other: {_format_reasons(answer.conflict)}")
    if answer.feasible is not None:
        least, most = answer.feasible
        count = format_count(most, "mine") if least == most else f"from {least} to {most} mines"
        print(f"without that total, layouts have {count}")


def _print_witness(screen: Screen, question: Question, answer: Answer) -> None:
    if answer.witness is not None:
        _print_layout(screen, "for example", question, answer.witness)


def _print_layout(
    screen: Screen,
    title: str,
    question: Question,
    layout: Layout,
    marked: Iterable[Coordinates] = frozenset(),
) -> None:
    """Print a layout, of the window if there is one; what rows cannot say is below it."""
    drawn = choose_drawing(question).render_layout(layout)
    if isinstance(drawn, list):
        screen.print_board(title, drawn, marked)
        return
    screen.print_board(title, drawn["rows"], marked)
    if "mines" in drawn:
        rows = ["".join(str(mines or ".") for mines in row) for row in drawn["mines"]]
        screen.print_board("mines in each cell", rows)
    if "lies" in drawn:
        print(f"wrong clues: {format_cells(drawn['lies']) or 'none'}")


def _list_symbols(question: Question) -> list[list[str]]:
    """Return the board as it was read, symbol by symbol."""
    puzzle = question.board
    assert not isinstance(puzzle, Rules), "commands read boards"
    return [list(row) for row in draw(puzzle.board if isinstance(puzzle, Variant) else puzzle)]


def _print_count(screen: Screen, question: Question, answer: Any) -> None:
    if answer.consistent:
        print(
            format_count(numbers.format_integer(answer.count) or "unknown number of", "layout"),
            "in all",
        )


def _print_layouts(screen: Screen, question: Question, answer: Any) -> None:
    """Print a page of layouts, each under the title that its field has."""
    title = next(
        field.described.find_mark(Text)
        for field in list_fields(type(answer))
        if field.attribute == "layouts"
    )
    assert title is not None, "layouts have titles"
    for number, layout in enumerate(answer.layouts or [], question.offset):
        if screen.late:
            answer.complete, answer.next_offset = False, number
            break
        seed = getattr(question, "seed", None)
        _print_layout(screen, title.text.format(number=number, seed=seed), question, layout)


def _print_forced(screen: Screen, question: Question, answer: Any) -> None:
    forced = answer.forced
    if forced is None:
        return
    rows = _list_symbols(question)
    for symbol, cells in (("B", forced.mines), ("S", forced.safe)):
        for row, col in cells:
            rows[row][col] = symbol
    title = (
        f"{format_count(len(forced.mines), 'mine')} and "
        f"{format_count(len(forced.safe), 'safe cell')} are forced"
    )
    screen.print_board(title, ["".join(row) for row in rows], {*forced.mines, *forced.safe})


def _print_probabilities(screen: Screen, question: Question, answer: Any) -> None:
    if answer.probabilities is None:
        return
    if not getattr(question, "fractions", False):
        print_chances(screen, answer.probabilities)
        return
    rows = [[_format_chance(chance, str) for chance in row] for row in answer.probabilities]
    width = max(len(text) for row in rows for text in row)
    screen.print_title("chance of a mine")
    for row in rows:
        print("  " + " ".join(f"{text:>{width}}" for text in row))


def print_chances(screen: Screen, chances: Iterable[Iterable[Any]]) -> None:
    """Print chances in percent; those of cells that are not forced are neither 0 nor 100."""
    screen.print_title("chance of a mine, in percent")
    for row in chances:
        print("  " + " ".join(f"{_format_chance(chance, format_percentage):>3}" for chance in row))


def _format_chance(chance: Any, write: Callable[[Any], str]) -> str:
    """Return the chance of a cell, and a dot for a known cell, which has none."""
    return "." if chance is None or np.isnan(float(chance)) else write(chance)


def _print_nothing(screen: Screen, question: Question, answer: Any) -> None:
    """Print nothing: another part has printed it, or people need not see it."""


def _print_explanations(screen: Screen, question: Question, answer: Any) -> None:
    # A walk says the same, each cell once.
    for explanation in answer.explanations or [] if answer.walk is None else []:
        value = "mine" if explanation.mine else "safe"
        screen.print_title(
            f"{format_cells(explanation.cells)}: {value} ({explanation.difficulty or 'not graded'})"
        )
        screen.print_steps(explanation.steps)
    either = answer.either
    if answer.explanations == [] and either is None:
        print("no cell is forced")
    if either is not None:
        _print_layout(screen, "not forced: it may be a mine", question, either.mine, {either.cell})
        _print_layout(screen, "or safe", question, either.safe, {either.cell})
    if answer.consistent is False:
        screen.print_steps(answer.steps)


def _print_walk(screen: Screen, question: Question, answer: Any) -> None:
    for number, step in enumerate(answer.walk or [], 1):
        reduced = ", reduced" if step.reduced else ""
        name = f" [{step.pattern}{reduced}]" if step.pattern else ""
        print(f"{number}.{name} {step.text}")


def _print_conflicts(screen: Screen, question: Question, answer: Any) -> None:
    conflicts = answer.conflicts
    if answer.consistent:
        print("nothing is contradicted")
    if conflicts is None:
        return
    _print_conflict_sets(screen, conflicts)
    if conflicts.more:
        print("there may be more, with --limit")


def _print_conflict_sets(screen: Screen, conflicts: Conflicts) -> None:
    """Print conflicts that were not printed yet."""
    for conflict in conflicts.sets[screen.conflicts :]:
        screen.print_title(f"conflict {screen.conflicts}: {_format_reasons(conflict)}")
        screen.conflicts += 1


def _print_repairs(screen: Screen, question: Question, answer: Any) -> None:
    repairs = answer.repairs
    if answer.consistent:
        print("there is nothing to repair")
    if repairs is None:
        return
    if repairs.possible is False:
        print("no change of clues helps: known cells and the total contradict each other")
    for number, changes in enumerate(repairs.sets):
        rows = _list_symbols(question)
        for change in changes:
            row, col = change.clue
            rows[row][col] = str(change.number) if change.number <= 9 else "#"
        changed = {change.clue for change in changes}
        screen.print_board(f"repair {number}", ["".join(row) for row in rows], changed)
        for change in changes:
            if change.number > 9:
                print(f"  # is {change.number}: {format_cells([change.clue])}")
    if repairs.more:
        print("there may be more, with --limit")


def _print_composed(screen: Screen, question: Question, answer: Any) -> None:
    composed = answer.composed
    if composed is None:
        return
    if composed.enough is False:
        print("not even all clues that may be kept are enough")
    if composed.kept is not None and composed.board is not None:
        kept, offered = len(composed.kept), len(composed.offered)
        proved = (
            "no fewer are enough"
            if composed.optimal
            else f"at least {composed.lower_bound} are needed"
        )
        screen.print_board(
            f"{kept} of {format_count(offered, 'clue')} kept, {proved}",
            draw(composed.board),
            composed.kept,
        )
    if composed.redundant is not None:
        print(f"each may go by itself: {format_cells(composed.redundant) or 'none'}")
    for reveal in composed.reveals or []:
        rest = "" if reveal.bits is None else f" and leave {reveal.bits:.4g} bits"
        print(
            f"reveal {format_cells([reveal.cell])}: it would force {reveal.forced:.4g} more{rest}"
        )


def _print_outside(screen: Screen, question: Question, answer: Any) -> None:
    outside = answer.outside
    if outside is None:
        return
    for name, cells in (("mines", outside.mines), ("safe", outside.safe)):
        if cells:
            print(f"{name} outside: {format_cells(cells)}")
    for clue in outside.clues:
        count = f"{clue.low}" if clue.low == clue.high else f"{clue.low} to {clue.high}"
        print(
            f"around {format_cells([(clue.row, clue.col)])}: {count} of "
            f"{format_count(len(clue.cells), 'unknown cell')} outside"
            f" {'is a mine' if count == '1' else 'are mines'}"
        )


def _print_moves(screen: Screen, question: Question, answer: Any) -> None:
    if answer.moves is not None and answer.consistent:
        assert isinstance(question.board, Board), "commands read boards"
        fields: dict[str, Any] = {}
        make_fields_writer(type(answer))(question, answer, choose_drawing(question), fields)
        show_moves(screen, draw(question.board), fields)


def show_moves(screen: Screen, rows: list[str], answer: Mapping[str, Any]) -> None:
    """Print the best move on the board, all moves in a table, and the guesses."""
    low, high = (f"{100 * answer['win'][bound]:.4g}" for bound in ("low", "high"))
    chance = f"{low} %" if answer["win"]["exact"] else f"between {low} and {high} %"
    print(f"chance to win with best play: {chance}")
    if answer["moves"]:
        row, col = answer["moves"][0]["cell"]
        screen.print_board(f"open {format_cells([(row, col)])}", rows, {(row, col)})
        print("   row column  safe %  two clicks %  win %")
    for move in answer["moves"]:
        safe, survival, win = (
            "-" if share is None else f"{100 * share:.4g}"
            for share in (1 - move["mine"], move["survival"], move["win"])
        )
        dead = "  tells nothing" if move["dead"] else ""
        row, col = move["cell"]
        print(f"  {row:>4} {col:>6} {safe:>7} {survival:>13} {win:>6}{dead}")
    for guess in answer["guesses"] or []:
        chance = f"{100 * guess['chance']:.4g} %"
        print(f"a guess that cannot be avoided, {chance}: {format_cells(guess['cells'])}")


#: The first line of every answer.
_VERDICTS: Final = MappingProxyType({True: "consistent", False: "inconsistent", None: "undecided"})

_Show: TypeAlias = Callable[[Screen, Question, Any], None]

#: The printer of each field, by its type or kind; others are printed as in JSON, or as their text
#: says.
_BY_TYPE: Final[Mapping[Any, _Show]] = MappingProxyType(
    {
        Layout: _print_witness,
        ValueKind.COUNT: _print_count,
        ValueKind.CHANCES: _print_probabilities,
        Forced: _print_forced,
        list[Layout]: _print_layouts,
        dict[int, Annotated[int, ValueKind.NUMBER]]: _print_by_mines,
        Window: _print_window,
        list[Loosened]: _print_loosened,
        Outside: _print_outside,
        list[Explanation]: _print_explanations,
        list[WalkStep]: _print_walk,
        # Both are printed with the explanations.
        Either: _print_nothing,
        list[Statement]: _print_nothing,
        Conflicts: _print_conflicts,
        Corrections: _print_repairs,
        RankedMoves: _print_moves,
        Composed: _print_composed,
    }
)
