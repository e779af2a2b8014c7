"""Hooks of MkDocs, which builds the guide: ``make docs``.

The documents are written for a plain view of the repository: they link to each other, and to files
outside of docs/, by their paths there. Those that the guide shows get a path in it, and links are
turned towards these paths. The guide has no host of its own, so all its links are relative.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = "docs"
#: The section for pages that mkdocs.yml does not name.
SECTION: Final = "Use"
#: Where files of the repository are in the guide, if their paths differ.
PATHS: Final = (
    {
        "README.md": "index.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changelog.md",
        "THIRD_PARTY_NOTICES.md": "third-party-notices.md",
        "SECURITY.md": "security.md",
        "clients/README.md": "clients.md",
        # A page that is to be copied; the service would not let its script run here.
        "docs/example-game.html": "example-game.txt",
        "app/page/icon.svg": "assets/icon.svg",
        "app/page/llms.txt": "llms.txt",
    }
    | {
        f"app/pictures/{picture.name}": f"pictures/{picture.name}"
        for picture in (ROOT / "app" / "pictures").glob("*.svg")
    }
    | {
        f"docs/notebooks/{notebook.name}": f"notebook-{notebook.stem}.md"
        for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb")
    }
)
#: How much likelier than others, or less likely, pages are what a search is about.
BOOSTS: Final = {
    "browsers.md": 3.0,
    "changelog.md": 0.2,
    "how-do-i.md": 3.0,
    "problems.md": 0.2,
    "third-party-notices.md": 0.2,
    "tutorial.md": 1.5,
}
_LINK: Final = re.compile(r"(\]\()([^)\s#]+)")
_FENCED: Final = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add pages that mkdocs.yml does not name to its nav."""
    assert config.nav is not None
    named = str(config.nav)
    (section,) = (part[SECTION] for part in config.nav if SECTION in part)
    section += sorted(
        page.name for page in (ROOT / DOCS).glob("*.md") if f"'{page.name}'" not in named
    )
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add files from outside of docs/, at their paths in the guide."""
    for path, path_in_guide in PATHS.items():
        if path == "README.md":
            continue
        if path.endswith(".ipynb"):
            files.append(File.generated(config, path_in_guide, content=write_notebook(ROOT / path)))
            continue
        if path.startswith(f"{DOCS}/"):
            files.remove(files.src_uris[path.removeprefix(f"{DOCS}/")])
        if path_in_guide == "llms.txt":
            text = turn_links((ROOT / path).read_text(encoding="utf-8"))
            files.append(File.generated(config, path_in_guide, content=text))
        else:
            files.append(File.generated(config, path_in_guide, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Turn a page's links towards the paths of the files in the guide, and weigh it in search."""
    # In a document itself, metadata would be a table at its top in a plain view.
    page.meta["search"] = {"boost": BOOSTS.get(page.file.src_uri, 1.0)}
    origin = {path_in_guide: path for path, path_in_guide in PATHS.items() if path != "README.md"}
    path = origin.get(page.file.src_uri, join(DOCS, page.file.src_uri))
    # What a fence shows is no link.
    parts = _FENCED.split(markdown)
    parts[::2] = [_LINK.sub(lambda link: _turn_link(link, path), part) for part in parts[::2]]
    return "".join(parts)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Remove the maps from the theme's scripts to their sources, a quarter of all bytes."""
    for file in Path(config.site_dir).rglob("*.map"):
        file.unlink()


def turn_links(text: str) -> str:
    """Return llms.txt with links for its path in the guide, not at the root of the service."""
    return _LINK.sub(lambda link: f"{link[1]}{_relate(link[2], 'guide')}", text)


def _turn_link(link: re.Match[str], path: str) -> str:
    """Return a link of the file at a path of the repository as the guide needs it."""
    if ":" in link[2]:
        return link[0]
    target = normpath(join(dirname(path), link[2]))
    # The pages of the guide are all in one folder, so paths in it are links.
    return link[1] + PATHS.get(target, target.removeprefix(f"{DOCS}/"))


def _relate(target: str, folder: str) -> str:
    """Return the path of a target from a folder; a slash at its end stays."""
    return relpath(target, folder) + ("/" if target.endswith("/") else "")


def write_notebook(path: Path) -> str:
    """Return a notebook as a page: its text, its code, and what that printed or drew."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "\n\n".join(part for cell in notebook["cells"] for part in _write_cell(cell)) + "\n"


def _write_cell(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the parts of a cell as Markdown."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            # An empty line would end the HTML.
            yield "\n".join(line for line in "".join(data["text/html"]).split("\n") if line.strip())
        elif "image/png" in data:
            yield f"![A plot](data:image/png;base64,{''.join(data['image/png']).strip()})"
        else:
            text = "".join(output.get("text") or data["text/plain"])
            yield f"```text\n{text.rstrip()}\n```"
