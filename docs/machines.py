"""Draw the machines that the service shows, which never change: ``python -m docs.machines``."""

from contextlib import suppress
from pathlib import Path

from app.routes import machines
from automata.drawing import TooLargeToDraw, svg


def drawn() -> dict[Path, bytes]:
    """The pictures of all machines in all forms, but for those that are too large, by file."""
    found = {}
    for name in machines.NAMES:
        for form, machine in machines.forms(name).items():
            with suppress(TooLargeToDraw):
                found[machines.picture(name, form)] = svg(machine())
    return found


if __name__ == "__main__":
    for file in machines.PICTURES.iterdir():
        file.unlink()
    for file, picture in drawn().items():
        file.write_bytes(picture)
