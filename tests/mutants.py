"""Change code that must not be wrong, and see that a test notices: ``python -m tests.mutants``.

mutmut makes the changes (``[tool.mutmut]`` in pyproject.toml) in a copy of the code, ``mutants/``,
and runs the tests that reach each of them. This draws a sample, the same for the same seed, and
leaves out what only changes the words of a message. It lists mutants that survive, and fails if
there are any. A survivor needs a test, simpler code, or, if it behaves as the code does, a line
with the reason in ``tests/data/equivalent_mutants.json``.
"""

import argparse
import ast
import difflib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from shutil import copy2, copytree, rmtree
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
#: Mutants in a sample, which take about ten minutes on two processors.
SAMPLE: Final = 300
_MUTANTS: Final = ROOT / "mutants"
_EQUIVALENT: Final = ROOT / "tests" / "data" / "equivalent_mutants.json"
_STATS: Final = _MUTANTS / "mutmut-stats.json"
#: Makes all mutants, and notes which tests reach which functions.
_PREPARE: Final = (
    "from mutmut import __main__ as mutmut; "
    "mutmut.set_mutant_under_test('mutant_generation'); mutmut.copy_also_copy_files(); "
    "mutmut.setup_source_paths(); mutmut.create_mutants(2); "
    "mutmut.collect_or_load_stats(mutmut.get_mutant_runner(1))"
)
_FORMULAS: Final = ("certificates/test_d", "certificates/test_lrat", "reasons/test_proofs")
_COUNTS: Final = (
    *("certificates/test_agreement", "certificates/test_recount", "certificates/test_meter"),
    "reasons/test_tables",
)
#: Tests of each module, by parts of their names: others reach it as well, and take longer.
OWN_TESTS: Final[Mapping[str, tuple[str, ...]]] = {
    "notation": ("minefield/test_notation",),
    "constraints": ("reduction/test_constraints",),
    "router": ("solvers/test_router",),
    **dict.fromkeys(
        ("arrays", "ask", "boards", "first_answers", "many", "questions"), ("solvers/library/",)
    ),
    **dict.fromkeys(("dimacs", "judge", "lrat"), _FORMULAS),
    **dict.fromkeys(("document", "fields"), (*_FORMULAS, "reasons/test_tables")),
    **dict.fromkeys(("boxes", "chances", "conflicts", "counting", "evidence"), _COUNTS),
    **dict.fromkeys(("joining", "meter", "recount", "tables"), _COUNTS),
    **dict.fromkeys(("agreement", "answer_fields", "stated_facts"), _COUNTS[:1]),
}
#: Exit statuses of the tests of a mutant: some fail, pytest itself does, or there is no more time.
_KILLED: Final = (1, 3, 24, 36, 152, 255, -24)
_PROSE: Final = re.compile(r"\w[ ,:]+\w")


class Mutant(NamedTuple):
    """A changed function: the file, the name that mutmut has for it, and the lines that differ."""

    file: str
    name: str
    change: str

    @property
    def key(self) -> str:
        """The function and the change, which stay the same when other code moves."""
        function = re.sub(r"\.x_?([^.]+)__mutmut_\d+$", r".\1", self.name)
        return f"{function.replace('ǁ', '.').replace('..', '.')}: {self.change}"


class _Meaning(ast.NodeTransformer):
    """Code without what no test is to pin down: the words of messages, and checks of itself."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Leave assertions out."""
        return ast.copy_location(ast.Pass(), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Leave the words of messages out."""
        is_prose = isinstance(node.value, str) and _PROSE.search(node.value)
        return ast.Constant(None) if is_prose else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave messages out that have values in them."""
        parts = [part.value if isinstance(part, ast.Constant) else "" for part in node.values]
        return ast.Constant(None) if _PROSE.search("".join(map(str, parts))) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Leave the message of another error out."""
        self.generic_visit(node)
        is_read = node.attr == "detail" and isinstance(node.ctx, ast.Load)
        return ast.Constant(None) if is_read else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Leave the variable out that holds a message."""
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "detail":
            node.value = ast.Constant(None)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave out that `zip` checks lengths, which are the same."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = [one for one in node.keywords if one.arg != "strict"]
        return node


def changed_lines(before: str, after: str) -> str:
    """Tell what differs between two functions, as ``old line -> new line``."""
    old, new = before.splitlines(), after.splitlines()
    parts = [
        f"{' '.join(map(str.strip, old[a:b]))} -> {' '.join(map(str.strip, new[c:d]))}"
        for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes()
        if kind != "equal"
    ]
    return "; ".join(parts)


def means_the_same(before: ast.AST, after: ast.AST) -> bool:
    """Return whether two functions differ in words, or in checks of themselves, only."""
    return ast.dump(_Meaning().visit(before)) == ast.dump(_Meaning().visit(after))


def read_mutants(meta: Path) -> Iterator[Mutant]:
    """Yield the mutants of a file that change what it does."""
    tree = ast.parse(meta.with_suffix("").read_text())
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for name in json.loads(meta.read_text())["exit_code_by_key"]:
        own = name.rpartition(".")[2]
        nodes = [functions[re.sub(r"\d+$", "orig", own)], functions[own]]
        for node in nodes:
            node.name = "f"
        before, after = map(ast.unparse, nodes)
        if not means_the_same(ast.parse(before), ast.parse(after)):
            file = str(meta.with_suffix("").relative_to(_MUTANTS / "minecheck"))
            yield Mutant(file, name, changed_lines(before, after))


def read_verdicts() -> Mapping[str, int | None]:
    """Return the exit status of the tests of each mutant, by name; None without a test."""
    found: dict[str, int | None] = {}
    for meta in _MUTANTS.rglob("*.py.meta"):
        found |= json.loads(meta.read_text())["exit_code_by_key"]
    return found


def copy_newer(source: str, target: str) -> None:
    """Copy a file with its time, by which compiled kernels know it, unless the copy is as new."""
    if not Path(target).exists() or Path(target).stat().st_mtime < Path(source).stat().st_mtime:
        copy2(source, target)


def choose_own_tests() -> None:
    """Leave each function the tests of its module only."""
    stats = json.loads(_STATS.read_text())
    tests = stats["tests_by_mangled_function_name"]
    for function, reached in tests.items():
        own = OWN_TESTS[function.split(".")[-2]]
        # pytest does not find tests by names with two backslashes in a row.
        known = [test for test in reached if "\\\\" not in test]
        tests[function] = [test for test in known if any(part in test for part in own)]
    _STATS.write_text(json.dumps(stats))


def run_mutmut(*options: str) -> None:
    """Run a program of mutmut's, and show what it says if it fails.

    Raises:
        SystemExit: it has failed.
    """
    log = ROOT / "build" / "mutants.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as file:
        command = [sys.executable, *options]
        status = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT).returncode
    if status:
        sys.exit(f"mutmut has failed with status {status}:\n{log.read_text()[-3000:]}")


def report(chosen: Sequence[Mutant], verdicts: Mapping[str, int | None]) -> bool:
    """Print survivors, and the share of mutants killed in each file; False if any survives."""
    equivalent = {one["mutant"] for one in json.loads(_EQUIVALENT.read_text())}
    killed, alive, excused = Counter[str](), Counter[str](), Counter[str]()
    for mutant in chosen:
        if verdicts[mutant.name] in _KILLED:
            killed[mutant.file] += 1
        elif mutant.key in equivalent:
            excused[mutant.file] += 1
        else:
            alive[mutant.file] += 1
            print(f"SURVIVED {mutant.name}\n    {mutant.key}")
    for file in sorted({mutant.file for mutant in chosen}):
        judged = killed[file] + alive[file]
        percent = 100 * killed[file] / max(1, judged)
        excuse = f"{excused[file]} equivalent"
        print(f"{file:40} {killed[file]:4} of {judged:4} killed, {percent:5.1f} %, {excuse}")
    print(f"{killed.total()} killed, {alive.total()} survived, {excused.total()} equivalent")
    return not alive


def main() -> None:
    """Make mutants, run a sample, and report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    today = datetime.now(UTC).date().toordinal()
    parser.add_argument("--seed", type=int, default=today, help="of the sample; today's by default")
    parser.add_argument("--count", type=int, default=SAMPLE, help="mutants in the sample; 0: all")
    parser.add_argument("--keep", action="store_true", help="the mutants of the last run")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("names", nargs="*", help="mutants with one of these in their names")
    asked = parser.parse_args()
    if not asked.keep:
        rmtree(_MUTANTS, ignore_errors=True)
    # Through the links, which a copy of the copied folders does not have.
    copytree(
        ROOT / "minecheck", _MUTANTS / "minecheck", copy_function=copy_newer, dirs_exist_ok=True
    )
    run_mutmut("-c", _PREPARE)
    choose_own_tests()
    mutants = [one for meta in sorted(_MUTANTS.rglob("*.py.meta")) for one in read_mutants(meta)]
    mutants = [one for one in mutants if any(part in one.name for part in asked.names or [""])]
    # A smaller sample is a part of a larger one.
    chosen = Random(asked.seed).sample(mutants, len(mutants))[: asked.count or None]
    print(f"{len(chosen)} of {len(mutants)} mutants, --seed {asked.seed}", flush=True)
    names = [mutant.name for mutant in chosen]
    run_mutmut("-m", "mutmut", "run", "--max-children", str(asked.processes), *names)
    sys.exit(0 if report(chosen, read_verdicts()) else 1)


if __name__ == "__main__":
    main()
