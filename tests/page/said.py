"""What the page says: all texts and nouns that its sources pass to a language."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

PAGE = Path(__file__).parents[2] / "app" / "page"
_LITERAL = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
#: A call whose text is written out, perhaps in parts with + between them.
_SAY = re.compile(rf"say\(\s*({_LITERAL}(?:\s*\+\s*{_LITERAL})*)\s*[,)]")
#: A call whose noun is written out, after a count in which parentheses may be two deep.
_SEVERAL = re.compile(rf"several\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*, ({_LITERAL})\)")
#: Not of methods, nor definitions.
_CALL = r"(?<![.#\w])(?<!function ){name}\((?![^()]*\) \{{)"
#: Attributes of elements that are read by people.
_READ = ("aria-label", "placeholder", "title")
_VOID = ("link", "meta", "img", "input", "br")


def list_sources() -> list[Path]:
    """Return the modules of the page, without its tables and the clients, which are English."""
    found = sorted(PAGE.glob("*.js")) + sorted(PAGE.glob("*/*.js"))
    names = ("languages", "docs.js", "language.js", "service-worker.js")
    return [
        path
        for path in found
        if not path.is_symlink() and path.name not in names and path.parent.name not in names
    ]


def find_texts(source: str) -> list[str]:
    """Return the texts of all calls of `say` in a module."""
    return [
        "".join(map(_read_literal, re.findall(_LITERAL, found.group(1))))
        for found in _find_calls(source, "say", _SAY)
    ]


def find_nouns(source: str) -> list[str]:
    """Return the nouns of all calls of `several` in a module."""
    return [_read_literal(found.group(1)) for found in _find_calls(source, "several", _SEVERAL)]


def _find_calls(source: str, name: str, form: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the calls of a function; each must have its text written out."""
    for call in re.finditer(_CALL.format(name=name), source):
        found = form.match(source, call.start())
        line = source.count("\n", 0, call.start()) + 1
        assert found, f"line {line}: the text of {name} is not written out in the call"
        yield found


def _read_literal(literal: str) -> str:
    """Return the value of a string of JavaScript."""
    if literal.startswith("'"):
        literal = '"' + literal[1:-1].replace('"', r"\"") + '"'
    return str(json.loads(literal))


class _Document(HTMLParser):
    """Collects the texts of index.html that people read in the browser."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        #: Whether each open element is to be translated.
        self._open = [False]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_read = (self._open[-1] or tag == "body") and tag != "noscript"
        if is_read:
            self.texts |= {given[name] or "" for name in _READ if name in given}
        if tag not in _VOID:
            self._open.append(is_read and given.get("translate") != "no")

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[-1] and re.search(r"\w", data):
            self.texts.add(data.strip())


def list_texts() -> set[str]:
    """Return all texts that the page says."""
    document = _Document()
    document.feed((PAGE / "index.html").read_text("utf-8"))
    return document.texts.union(*(find_texts(path.read_text("utf-8")) for path in list_sources()))


def list_nouns() -> set[str]:
    """Return all nouns that the page counts."""
    return set().union(*(find_nouns(path.read_text("utf-8")) for path in list_sources()))
