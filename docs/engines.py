"""Write the table of engines in docs/methods.md: ``python -m docs.engines``."""

from pathlib import Path
from typing import Final

from minecheck.solvers.backend import ALIASES, ENGINES, Backend, BoardKind
from minecheck.solvers.tasks import NAMES, find_task

PAGE: Final = Path(__file__).with_name("methods.md")
BEGIN: Final = "<!-- engines: written by python -m docs.engines -->\n"
END: Final = "<!-- /engines -->\n"


def render_table() -> str:
    """Return the table of engines and the list of aliases, from `ENGINES`, tasks and `ALIASES`."""
    lines = ["| engine | what it is | answers | of | limits |", "|---|---|---|---|---|"]
    for backend, engine in ENGINES.items():
        boards = "all boards" if len(engine.boards) == len(BoardKind) else ", ".join(engine.boards)
        questions = ", ".join(
            name
            for name in NAMES
            if engine.can_answer(find_task(name).question.choose_engine_task(), None)
        )
        row = (f"`{backend}`", engine.summary, questions, boards, engine.limits)
        lines.append(f"| {' | '.join(row)} |")
    aliases = ", ".join(f"`{alias}` for `{Backend(alias)}`" for alias in ALIASES)
    return "\n".join([*lines, "", f"Other names in requests: {aliases}.", ""])


def render_page(text: str) -> str:
    """Return the text of the page with the table of this program between the markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{render_table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text("utf-8")), "utf-8")
