"""Declarations in TypeScript of what a module exports, from its JSDoc."""

import re
from collections.abc import Iterator
from typing import Final

#: A comment with the line of code below it, or the end of a class.
_PART: Final = re.compile(
    r"^ *(?P<doc>/\*\*.*?\*/)\s*(?=(?P<code>[^\n]*))|^\}", re.DOTALL | re.MULTILINE
)
_TAG: Final = re.compile(r"@(\w+) \{")
_METHOD: Final = re.compile(r"(?:async )?\*?(\w+)\(")
_GETTER: Final = re.compile(r"get (\w+)\(")
_FIELD: Final = re.compile(r"this\.(\w+) = ")
_CLASS: Final = re.compile(r"export class (\w+)((?: extends \w+)?) \{")
_ANOTHER_MODULE: Final = re.compile(r"^export .+ from .+;$", re.MULTILINE)
#: Where TypeScript itself looks for types.d.ts, and wants it named so.
_TYPES: Final = '"./types.js"'


def declarations(source: str) -> str:
    """The declarations of a module whose exports are classes with JSDoc, and types.

    What has no JSDoc, or is private, is left out; what a class has besides methods and getters
    is declared where its constructor sets it.
    """
    lines = _ANOTHER_MODULE.findall(source)
    exported = False
    for part in _PART.finditer(source):
        doc, code = part["doc"], (part["code"] or "").strip()
        if doc is None:
            lines += ["}"] if exported else []
            exported = False
        elif "@import" in doc or "@typedef" in doc:
            lines += _types(doc)
        elif found := _CLASS.match(code):
            exported = True
            name, base = found.groups()
            lines += ["", doc, f"export class {name}{_parameters(doc)}{base} {{"]
        elif exported:
            lines += [f"  {line}" for line in _member(doc, code)]
    return "\n".join(lines) + "\n"


def _types(doc: str) -> Iterator[str]:
    """What a comment imports or defines."""
    for tag, kind, rest in _tags(doc):
        if tag == "import":
            yield f"import type {{ {kind} }} from {_TYPES};"
            yield f"export * from {_TYPES};"
        elif tag == "typedef":
            name, _, text = rest.partition(" ")
            yield from ("", f"/** {text} */") if text else ("",)
            yield f"export type {name} = {kind};"


def _member(doc: str, code: str) -> Iterator[str]:
    """The declaration of a method, a getter or a field that is not private."""
    tags = _tags(doc)
    if found := _METHOD.match(code):
        taken = ", ".join(f"{_taken(rest)}: {kind}" for tag, kind, rest in tags if tag == "param")
        given = "".join(f": {kind}" for tag, kind, _ in tags if tag == "returns")
        yield doc
        yield f"{found[1]}{_parameters(doc)}({taken}){given};"
    elif found := _GETTER.match(code):
        yield doc
        yield from (f"readonly {found[1]}: {kind};" for tag, kind, _ in tags if tag == "returns")
    elif found := _FIELD.match(code):
        for _, kind, text in tags:
            yield from [f"/** {text} */"] if text else []
            yield f"{found[1]}: {kind};"


def _taken(rest: str) -> str:
    """The name of a parameter, in brackets if it may be left out."""
    name = rest.split(" ")[0]
    return f"{name.strip('[]')}?" if name.startswith("[") else name


def _parameters(doc: str) -> str:
    """The parameters of a generic class or method: one of a kind, maybe with a default."""
    found = []
    for tag, kind, rest in _tags(doc):
        if tag == "template":
            name, _, default = rest.strip("[]").partition("=")
            found.append(f"{name} extends {kind}" + (f" = {default}" if default else ""))
    return f"<{', '.join(found)}>" if found else ""


def _tags(doc: str) -> list[tuple[str, str, str]]:
    """Each tag that has a type: its name, the type, and what follows in its line."""
    # Lines that begin with a star, as one.
    text = re.sub(r"\s*\n *\* +(?!@)", " ", doc).removesuffix("*/").rstrip()
    tags = []
    for found in _TAG.finditer(text):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        rest = text[end:].partition("\n")[0]
        tags.append((found[1], text[found.end() : end - 1].strip(), rest.strip()))
    return tags
