"""The language of the code: names say what functions do, texts and tests what they are about."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.processes import ROOT

pytestmark = pytest.mark.slow

FOLDERS: Final = ("minefield", "automata", "solvers", "app")
#: Names of one word that are participles or function words, and why each may stay.
ALLOWED: Final = {
    "forced": "the public library has this name, after the field of answers",
}
#: Words that meant something in this project only, or two things.
PRIVATE: Final = re.compile(r"\b(errand|commission|sealed|untold|mend|refusal)s?\b", re.IGNORECASE)
#: Words that are no part of a name, since nobody could guess what they stand for.
_VAGUE_NAMES: Final = frozenset(("told", "wanted", "amounts", "gone"))
#: Names that could be an index, a cell, a location or a name: each says which it is.
_VAGUE_INDICES: Final = frozenset(("place", "places", "asked", "answered"))
#: Names that have one of these words, by module, and why each may stay.
ALLOWED_NAMES: Final[dict[tuple[str, str], str]] = {}
#: Private constants that tests patch, and why they are not parameters.
PATCHED: Final[dict[str, str]] = {}
_CONSTANT: Final = re.compile(r"(?:.*\.)?(_[A-Z][A-Z0-9_]*)")
_UNCLEAR: Final = re.compile(
    r"[a-z]{3,}ed|told|here|of|made|known|kept|gone|left|meant|sent|begun|held|found|drawn|seen"
    r"|taken|given|shown|lost|cut|after|before|beside|around|near|else|there|late|soon|again|so"
)
_HEADLESS: Final = re.compile(
    r"(What|Whether|Who|Whom|Which|As|So|But|Where|How|Those|That)\b[^:]*", re.DOTALL
)
#: A test that begins like this does not name what it tests, where a log shows the name alone.
_VAGUE: Final = re.compile(
    r"test_(so|it|its|they|them|their|what|who|whom|whose|that|this|these|those|there|others)_\w+"
)


def sources() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def definitions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def is_property(node: ast.AST) -> bool:
    names = {
        getattr(one, "id", getattr(one, "attr", "")) for one in getattr(node, "decorator_list", ())
    }
    return bool(names & {"property", "cached_property", "setter"})


def test_functions_are_not_named_by_a_bare_participle() -> None:
    unclear = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path in sources()
        for node in definitions(path)
        if not isinstance(node, ast.ClassDef) and not is_property(node)
        if _UNCLEAR.fullmatch(node.name.strip("_")) and node.name not in ALLOWED
    ]
    assert unclear == []


def test_docstrings_begin_with_their_subject() -> None:
    headless = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {text[:60]}"
        for path in sources()
        for node in definitions(path)
        if (text := ast.get_docstring(node) or "") and _HEADLESS.fullmatch(text.split(". ")[0])
    ]
    assert headless == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_code_has_no_private_words(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for match in PRIVATE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def names_of(path: Path) -> Iterator[tuple[int, str]]:
    """The names that a module defines, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_say_what_an_index_stands_for(folder: str) -> None:
    vague = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in names_of(path)
        if name.strip("_") in _VAGUE_INDICES
    ]
    assert vague == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_have_no_vague_words(folder: str) -> None:
    vague = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in names_of(path)
        if _VAGUE_NAMES & {*re.findall("[A-Z]?[a-z]+|[A-Z]+", name.replace("_", " ")), name.lower()}
        and (str(path.relative_to(ROOT)), name) not in ALLOWED_NAMES
    ]
    assert vague == []


def patched_constants(path: Path) -> Iterator[tuple[int, str]]:
    """The private constants that a test module sets in other modules, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr"):
            texts = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
            for text in texts:
                if found := _CONSTANT.fullmatch(str(text)):
                    yield node.lineno, found[1]


def test_tests_patch_no_private_constant() -> None:
    patched = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line, name in patched_constants(path)
        if name not in PATCHED
    ]
    assert patched == [], "make it a parameter with a default, or a field of a class of limits"


def test_names_of_tests_begin_with_their_subject() -> None:
    vague = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in definitions(path)
        if _VAGUE.fullmatch(node.name)
    ]
    assert vague == []
