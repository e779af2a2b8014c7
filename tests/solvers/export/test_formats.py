"""Exports have the layouts as their solutions, by solvers that read each format."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
import z3
from hypothesis import given
from ortools.sat.python.cp_model_helper import (
    CpModelProto,
    SatParameters,
    SolutionCallback,
    SolveWrapper,
)
from pysat.formula import CNF
from pysat.solvers import Solver

from minecheck.minefield import Board, parse
from minecheck.minefield.rules import Puzzle, Rule, Rules
from minecheck.solvers import Deadline, DeadlinePassed, count
from minecheck.solvers.export import solution
from minecheck.solvers.export.catalogue import FORMATS, ExportName
from minecheck.solvers.export.instance import Instance
from tests import oracle
from tests.boards import boards_with_totals, hidden_layout, rule_sets
from tests.examples import examples
from tests.solvers.export.exported_text import Z3, cells_of

MINIZINC = shutil.which("minizinc") and shutil.which("fzn-gecode")


def export_text(puzzle: Puzzle, mines: int | None, name: ExportName) -> str:
    return "".join(FORMATS[name].written(Instance.from_puzzle(puzzle, mines), Deadline()))


def models(text: str) -> Iterator[frozenset[int]]:
    """The values of the shown variables in each model of a CNF, by a SAT solver."""
    cnf = CNF(from_string=text)
    (head,) = re.findall(r"^p cnf ([0-9]+) ([0-9]+)$", text, re.M)
    clauses = [line for line in text.splitlines() if line[0] not in "cp"]
    assert (int(head[0]), int(head[1])) == (max(cnf.nv, int(head[0])), len(clauses))
    shown = shown_of(text)
    with Solver("cadical153", bootstrap_with=cnf.clauses) as solver:
        while solver.solve():
            found = [literal for literal in solver.get_model() or [] if abs(literal) in shown]
            # It says nothing of variables that no clause has: they take both values.
            free = sorted(shown - set(map(abs, found)))
            mines = frozenset(literal for literal in found if literal > 0)
            for size in range(len(free) + 1):
                yield from map(mines.union, combinations(free, size))
            if not found:
                return
            solver.add_clause([-literal for literal in found])


def shown_of(text: str) -> set[int]:
    """The variables to count over: those of ``c p show``, or all."""
    kind = re.findall(r"^c t (\w+)$", text, re.M)
    shown = re.findall(r"^c p show (.*) 0$", text, re.M)
    assert (kind, len(shown)) in ((["mc"], 0), (["pmc"], 1))
    if shown:
        return set(map(int, shown[0].split()))
    (top,) = re.findall(r"^p cnf ([0-9]+) ", text, re.M)
    return set(range(1, int(top) + 1))


def ganak(text: str, projected: bool = True) -> int:
    """The count of a CNF over the shown variables, or over all, by a model counter."""
    counter = pytest.importorskip("pyganak").Counter()
    counter.add_clauses(CNF(from_string=text).clauses)
    if projected:
        counter.set_sampling_set(sorted(shown_of(text)))
    return int(counter.count())


def by_cp_sat(text: str) -> set[frozenset[int]]:
    """All solutions of OPB, by CP-SAT."""
    lines = [line for line in text.splitlines() if line[0] != "*"]
    (head,) = re.findall(r"\A\* #variable= ([0-9]+) #constraint= ([0-9]+)$", text, re.M)
    assert len(lines) == int(head[1])
    model: Any = CpModelProto()
    for _ in range(int(head[0])):
        model.variables.add().domain.extend([0, 1])
    for line in lines:
        constraint = re.fullmatch(r"((?:[-+][0-9]+ x[0-9]+ )+)(>=|=) (-?[0-9]+) ;", line)
        assert constraint is not None
        terms = re.findall(r"([-+][0-9]+) x([0-9]+)", constraint[1])
        linear = model.constraints.add().linear
        linear.vars.extend([int(variable) - 1 for _, variable in terms])
        linear.coeffs.extend([int(factor) for factor, _ in terms])
        linear.domain.extend(
            [int(constraint[3]), int(constraint[3]) if constraint[2] == "=" else 1 << 40]
        )
    return enumerate_models(model, int(head[0]))


def enumerate_models(model: Any, variables: int) -> set[frozenset[int]]:
    found = set()

    class Visitor(SolutionCallback):
        def OnSolutionCallback(self) -> None:  # noqa: N802
            mines = (k for k in range(variables) if self.SolutionIntegerValue(k))
            found.add(frozenset(k + 1 for k in mines))

    parameters: Any = SatParameters()
    parameters.num_workers = 1
    parameters.enumerate_all_solutions = True
    solver: Any = SolveWrapper()
    visitor = Visitor()
    solver.add_solution_callback(visitor)
    solver.set_parameters(parameters)
    assert solver.solve(model).status.name in ("OPTIMAL", "INFEASIBLE")
    return found


def by_z3(text: str) -> set[frozenset[int]]:
    """All models of a script in SMT-LIB, by Z3."""
    solver = z3.Solver()
    solver.from_string(text)
    constants = [z3.Bool(name) for name in re.findall(r"declare-const (x[0-9]+) Bool", text)]
    found = set()
    while solver.check() == z3.sat:
        model = solver.model()
        values = [z3.is_true(model.eval(one, model_completion=True)) for one in constants]
        found.add(frozenset(variable for variable, value in enumerate(values, 1) if value))
        solver.add(z3.Or([one != value for one, value in zip(constants, values, strict=True)]))
    return found


def by_gecode(text: str) -> set[frozenset[int]]:
    """All solutions of a model in MiniZinc, by Gecode."""
    command = ["minizinc", "--solver", "gecode", "-a", "-"]
    printed = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    solutions = printed.split("----------\n")[:-1]
    assert printed.rstrip().endswith(("==========", "=====UNSATISFIABLE====="))
    return {frozenset(map(int, re.findall(r"x([0-9]+) = 1;", one))) for one in solutions}


BY: dict[ExportName, Callable[[str], set[frozenset[int]]]] = {
    ExportName.DIMACS: lambda text: set(models(text)),
    ExportName.OPB: by_cp_sat,
    ExportName.SMTLIB: by_z3,
    ExportName.MINIZINC: by_gecode,
}
FORMAT = pytest.mark.parametrize(
    "name",
    [
        ExportName.DIMACS,
        ExportName.OPB,
        ExportName.SMTLIB,
        pytest.param(
            ExportName.MINIZINC,
            marks=pytest.mark.skipif(not MINIZINC, reason="needs minizinc, flatzinc"),
        ),
    ],
)


@FORMAT
@given(boards_with_totals())
@examples(60)
def test_exported_solutions_are_the_layouts(
    name: ExportName, case: tuple[Board, int | None]
) -> None:
    """Variables are read by the comments that name their cells."""
    board, mines = case
    text = export_text(board, mines, name)
    cell = cells_of(text)
    known = frozenset((int(r), int(c)) for r, c in zip(*(board.cells == 10).nonzero(), strict=True))
    right = oracle.answer(board, mines)
    assert len(cell) == int(board.unknown.sum())
    found = BY[name](text)
    assert {known.union(cell[v] for v in model) for model in found} == set(right.layouts)


@given(boards_with_totals())
@examples(60)
def test_exported_dimacs_has_as_many_models_as_layouts(case: tuple[Board, int | None]) -> None:
    """Ganak counts models of the cells alone, with any variables of the total."""
    board, mines = case
    text = export_text(board, mines, ExportName.DIMACS)
    if "p cnf 0 0" not in text:
        assert ganak(text) == oracle.answer(board, mines).count


@FORMAT
@given(rule_sets())
@examples(60)
def test_exported_rules_have_the_layouts_as_solutions(
    name: ExportName, case: tuple[list[Rule], int, int | None]
) -> None:
    rules, cells, mines = case
    named = Rules(tuple(rules), cells)
    if not cells:
        return
    text = export_text(named, mines, name)
    names = [*named.number, *(("unnamed", number) for number in range(cells - len(named.number)))]
    right = oracle.sets_of([(rule.cells, rule.low, rule.high) for rule in rules], names, mines)
    if name is ExportName.DIMACS:
        assert ganak(text) == len(right)
        return
    variable_of = {one: number for number, one in enumerate(names, 1)}
    assert BY[name](text) == {frozenset(variable_of[one] for one in layout) for layout in right}


@pytest.mark.slow
@FORMAT
def test_exported_rules_keep_all_bounds(name: ExportName) -> None:
    """Some bounds cannot be met, and some rules have no cells."""
    for cells, low, high in product((0, 1, 3), range(-1, 5), range(-1, 5)):
        if low <= high:
            rules = Rules((Rule(tuple(range(cells)), low, high),), cells or 1)
            found = BY[name](export_text(rules, None, name))
            sizes = range(max(low, 0), min(high, cells) + 1)
            # Where the rule has no cells, there is another one.
            assert len(found) == (1 if cells else 2) * sum(comb(cells, size) for size in sizes)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [9, 10])
def test_exported_clues_over_many_cells_have_the_right_models(cells: int) -> None:
    """With all bounds: as many models as there are subsets of such sizes, projected or not."""
    for low, high in combinations_with_replacement(range(-1, cells + 2), 2):
        rules = Rules((Rule(tuple(range(cells)), low, high),))
        text = export_text(rules, None, ExportName.DIMACS)
        right = sum(comb(cells, size) for size in range(max(low, 0), high + 1))
        assert ganak(text) == right
        if "c t pmc" in text:
            assert ganak(text, projected=False) == right


def test_exported_total_has_as_many_models_as_counted() -> None:
    board = hidden_layout(7, 7, 0.6, seed=5)
    by_mines = count(board).by_mines
    assert by_mines is not None
    for mines, layouts in by_mines.items():
        text = export_text(board, mines, ExportName.DIMACS)
        assert "c t pmc" in text
        assert ganak(text) == layouts


@given(boards_with_totals())
@examples(100)
def test_exported_clues_with_unknown_cells_are_named(case: tuple[Board, int | None]) -> None:
    board, mines = case
    clues = {
        (row, col)
        for row, codes in enumerate(board.cells.tolist())
        for col, code in enumerate(codes)
        if code <= 8
        and any(board.unknown[cell] for cell in oracle.neighbours((row, col), *board.shape))
    }
    for name, start in (
        (ExportName.DIMACS, "c"),
        (ExportName.OPB, r"\*"),
        (ExportName.MINIZINC, "%"),
        (ExportName.SMTLIB, ";"),
    ):
        text = export_text(board, mines, name)
        names = re.findall(rf"^{start} clue at row ([0-9]+), column ([0-9]+): ", text, re.M)
        assert len(set(names)) == len(names)
        assert {(int(row), int(col)) for row, col in names} >= clues
        assert len(re.findall(rf"^{start} total: ", text, re.M)) <= (mines is not None)


@given(boards_with_totals())
@examples(60)
def test_exported_smtlib_gives_an_unsat_core_of_clues_in_conflict(
    case: tuple[Board, int | None],
) -> None:
    board, mines = case
    if oracle.answer(board, mines).consistent:
        return
    script = export_text(board, mines, ExportName.SMTLIB) + "(get-unsat-core)\n"
    printed = subprocess.run([Z3, "-in"], input=script, capture_output=True, text=True).stdout
    assert printed.startswith("unsat\n")
    core = re.findall(r"\|clue at row ([0-9]+), column ([0-9]+)\|", printed)
    total = "total" in printed
    assert core or total
    kept = {(int(row), int(col)) for row, col in core}
    # All other clues are only known to be safe.
    hidden = {
        (row, col): 11
        for row, codes in enumerate(board.cells.tolist())
        for col, code in enumerate(codes)
        if code <= 8 and (row, col) not in kept
    }
    assert not oracle.answer(board.with_codes(hidden), mines if total else None).consistent


def sat_output(text: str) -> str:
    """Return the output of a SAT solver, as in the competitions."""
    with Solver("cadical153", bootstrap_with=CNF(from_string=text).clauses) as solver:
        if not solver.solve():
            return "c done\ns UNSATISFIABLE\n"
        literals = [str(literal) for literal in solver.get_model() or []]
    lines = [f"v {' '.join(literals[start : start + 7])}\n" for start in range(0, len(literals), 7)]
    return f"c done\ns SATISFIABLE\n{''.join(lines)}v 0\n"


def z3_output(text: str) -> str:
    return subprocess.run([Z3, "-model", "-in"], input=text, capture_output=True, text=True).stdout


def gecode_output(text: str) -> str:
    command = ["minizinc", "--solver", "gecode", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def opb_output(text: str) -> str:
    """Return the output of a pseudo-Boolean solver, by Z3, which names variables itself."""
    with NamedTemporaryFile("w", suffix=".opb") as file:
        file.write(text)
        file.flush()
        printed = subprocess.run([Z3, "-model", file.name], capture_output=True, text=True).stdout
    if printed.startswith("unsat"):
        return "s UNSATISFIABLE\n"
    found = re.findall(r"k!([0-9]+) \(\) Bool\s+(true|false)", printed)
    literals = (f"{'-' * (value == 'false')}x{variable}" for variable, value in found)
    assert printed.startswith("sat"), printed
    return f"s SATISFIABLE\nv {' '.join(literals)}\n"


OUTPUT = {
    ExportName.DIMACS: sat_output,
    ExportName.OPB: opb_output,
    ExportName.SMTLIB: z3_output,
    ExportName.MINIZINC: gecode_output,
}


@FORMAT
@given(boards_with_totals())
@examples(60)
def test_read_solution_reads_the_output_of_solvers_as_a_layout(
    name: ExportName, case: tuple[Board, int | None]
) -> None:
    board, mines = case
    if not board.unknown.any():
        return
    found = solution.read_solution(OUTPUT[name](export_text(board, mines, name)))
    consistent = oracle.answer(board, mines).consistent
    assert found.satisfiable is consistent
    if consistent and found.values:
        judged = solution.judge_solution(found, board, mines)
        assert judged is not None
        assert judged.fits
        assert judged.layout.fits_board(board, mines)


@FORMAT
def test_export_past_the_deadline_raises(name: ExportName) -> None:
    with pytest.raises(DeadlinePassed):
        "".join(FORMATS[name].written(Instance.from_puzzle(parse(["1?"])), Deadline(0.0)))


def test_exported_cell_names_are_escaped_in_comments() -> None:
    rules = Rules((Rule(("a\nb", 'é"|'), 1, 1),), 3)
    for name in ExportName:
        text = export_text(rules, None, name)
        assert text.isascii()
        assert r'cell "a\nb"' in text
        assert r'cell "\u00e9\"|"' in text
        assert "unnamed cell 0" in text
        assert "rule 0" in text
    assert len(by_z3(export_text(rules, None, ExportName.SMTLIB))) == 4
