"""Each package imports only from the packages below it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: What each package may import of this project, itself included.
ALLOWED = {
    "minefield": {"minefield"},
    "automata": {"minefield", "automata"},
    "solvers": {"minefield", "automata", "solvers"},
    "app": {"minefield", "automata", "solvers", "app"},
}

#: Folders at the top that hold Python, whether or not they are packages.
OURS = set(ALLOWED) | {"tests"} | {path.parent.name for path in ROOT.glob("*/*.py")}

MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for package in ALLOWED
    for path in (ROOT / package).rglob("*.py")
)


def imports(module: str) -> Iterator[str]:
    """Top packages that a module imports anywhere in it."""
    for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if not node.level else module.split("/")[0]


@pytest.mark.parametrize("package", ALLOWED)
def test_every_package_has_modules(package: str) -> None:
    assert f"{package}/__init__.py" in MODULES


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downwards_only(module: str) -> None:
    upwards = set(imports(module)) & OURS - ALLOWED[module.split("/")[0]]
    assert not upwards
