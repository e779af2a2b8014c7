"""Draw the machines that the service shows, which never change: ``python -m docs.machines``."""

from contextlib import suppress
from pathlib import Path

from docs.machine_svg import svg
from minecheck.app.functions import machine_documents, machines
from minecheck.automata import hu_lin, tree_drawing
from minecheck.automata.drawing import TooLargeToDraw
from minecheck.automata.paths import Paths

#: The board of Hu and Lin's figure 6, column by column.
FIGURE_6 = ["2?", "??", "4?", "?B", "2?"]


def drawn() -> dict[Path, bytes]:
    """The pictures of all machines in all forms that are not too large, and of a tree, by file."""
    found = {}
    for name in machine_documents.NAMES:
        for form, machine in machine_documents.list_forms(name).items():
            with suppress(TooLargeToDraw):
                found[machine_documents.picture_path(name, form)] = svg(machine())
    paths = Paths(hu_lin.build_machine(), FIGURE_6, machines.MOST_STATES)
    tree = tree_drawing.render_svg(paths.build_tree(tree_drawing.MOST_LEAVES), FIGURE_6, "Figure 6")
    found[machine_documents.PICTURES / "hu-lin-figure-6.svg"] = tree
    return found


if __name__ == "__main__":
    for file in machine_documents.PICTURES.iterdir():
        file.unlink()
    for file, picture in drawn().items():
        file.write_bytes(picture)
