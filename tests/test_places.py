"""Tests are where a reader looks for them, and share nothing but modules made for that."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = ("automata", "minefield", "solvers")
MODULES: Final = sorted(
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "__init__.py"
)
#: The last sentence of a docstring; it may take more than a line.
TESTED_IN: Final = re.compile(r"^Tested in (.*)\.$", re.MULTILINE | re.DOTALL)


def list_named_files(module: Path) -> list[str]:
    """Return the test files that a module's docstring names."""
    docstring = ast.get_docstring(ast.parse((ROOT / module).read_text(encoding="utf-8")))
    sentence = TESTED_IN.search(docstring or "")
    return [] if sentence is None else re.findall(r"\S+\.py", sentence[1])


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_each_module_has_a_test_file_of_its_name_or_names_one(module: Path) -> None:
    own = Path("tests") / module.parent / f"test_{module.name}"
    named = list_named_files(module)
    assert [path for path in named if not (ROOT / path).is_file()] == []
    assert named or (ROOT / own).is_file(), f"Name the test file in the docstring, or add {own}."


@pytest.mark.slow
def test_no_test_module_is_imported() -> None:
    importing = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests"):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                if any(part.startswith("test_") for name in names for part in name.split(".")):
                    importing.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert importing == [], "Move what they share to a module that is named for what it holds."
