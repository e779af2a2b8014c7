"""Write the modules of each tab into app/page/index.html: ``python -m docs.page_modules``."""

import os
import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "app" / "page"
PAGE: Final = FOLDER / "index.html"
TABS: Final = ("play", "analyse", "strips")
_MAIN: Final = "main.js"
_IMPORT: Final = re.compile(r'^(?:import|export)\b[^;"]*?"(\.{1,2}/[^"]+)"', re.MULTILINE)
#: The address may end in a query that varies.
_IMPORT_CALL: Final = re.compile(r'\bawait import\(["`](\.{1,2}/[\w./-]+\.js)')
_LISTS: Final = re.compile(r"^  const modules = \{\n.*?^  \};\n", re.DOTALL | re.MULTILINE)


def list_modules(*paths: str, with_calls: bool = False) -> set[str]:
    """Return modules of the page and all that they import, by their paths in the folder.

    Args:
        *paths: paths in the folder.
        with_calls: also those that are imported by a call, as they are not needed at once.
    """
    found: set[str] = set()
    waiting = list(paths)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        folder = Path(module).parent
        text = (FOLDER / module).read_text("utf-8")
        imported = _IMPORT.findall(text) + (_IMPORT_CALL.findall(text) if with_calls else [])
        waiting.extend(os.path.normpath(folder / relative) for relative in imported)
    return found


def sort_modules() -> dict[str, list[str]]:
    """Return the modules that all tabs need, as "all", and those that each needs beside them.

    Those that a tab loads only when they are needed are "later"; they are kept for use without a
    network like all others.
    """
    # The page names main.js itself, as its script.
    main = list_modules(_MAIN) - {_MAIN}
    needed = {tab: list_modules(f"{tab}/tab.js") | main for tab in TABS}
    shared = set.intersection(*needed.values())
    later = list_modules(*(f"{tab}/tab.js" for tab in TABS), with_calls=True)
    return {
        "all": sorted(shared),
        **{tab: sorted(needed[tab] - shared) for tab in TABS},
        "later": sorted(later.difference(*needed.values())),
    }


def render_page(text: str) -> str:
    """Return the text of the page with the lists of this program in place of its own."""
    lists = "".join(
        f"    {name}: [\n" + "".join(f'      "page/{module}",\n' for module in modules) + "    ],\n"
        for name, modules in sort_modules().items()
    )
    rendered, count = _LISTS.subn(lambda _: f"  const modules = {{\n{lists}  }};\n", text)
    assert count == 1, "the page has one table of modules"
    return rendered


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text("utf-8")), "utf-8")
