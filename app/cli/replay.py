"""The command ``replay``: games of other programs, reviewed."""

from functools import partial
from pathlib import PurePath
from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.functions import Command
from minecheck.app.cli.grade import describe_fewest_clicks
from minecheck.app.cli.show import Screen
from minecheck.app.functions.replays import REPLAYS
from minecheck.app.limits import LimitValues
from minecheck.minefield import formats
from minecheck.minefield.numerals import format_count
from minecheck.solvers.replays.reading import FORMATS


def _show_replay(replay: dict[str, Any], screen: Screen) -> None:
    """Review a replay of another program: guesses, better clicks and luck.

    All formats but .rawvf and .msor need the extra replays. The status is 0 if the whole game was
    reviewed.
    """
    if replay["clicks"] is None:
        screen.print_title("not read in time")
        return
    size = f"{replay['rows']} by {replay['cols']} cells, {format_count(replay['mines'], 'mine')}"
    screen.print_title(f"{replay['result']}, {replay['seconds']:g} s")
    print(f"player: {replay['player'] or 'unknown'}")
    print(f"program: {replay['program'] or 'unknown'} ({replay['format']})")
    print(f"board: {replay['level']}, {size}, 3BV: {replay['3bv']}")
    print(f"clicks: {len(replay['clicks'])}, of which {len(replay['review'])} opened something")
    if replay["fewest_clicks"] is not None:
        print(describe_fewest_clicks(replay["fewest_clicks"]))
    if replay["luck"] is not None:
        print(f"guesses: {replay['guesses']} ({replay['needless']} not needed)")
        print(f"luck: {replay['luck']:.3f}")
    for reviewed in replay["review"]:
        if reviewed["guess"]:
            print(_describe_guess(replay["clicks"][reviewed["click"]], reviewed))
    if replay["moment"] is not None:
        moment = replay["moment"]
        screen.print_board(f"after {format_count(moment['clicks'], 'click')}", moment["board"])


def _describe_guess(click: dict[str, Any], reviewed: dict[str, Any]) -> str:
    """Describe a guess in one line."""
    row, col = click["cell"]
    text = (
        f"click {reviewed['click']}, {click['time']:.3f} s: {click['kind']} row {row}, column {col}"
    )
    text += f", {reviewed['mine']:.1%} a mine" + (", lost" if click["lost"] else "")
    if reviewed["better"] is not None:
        row, col = reviewed["better"]["cell"]
        chance = "safe" if reviewed["safe"] else f"{reviewed['better']['mine']:.1%} a mine"
        text += f"; better: row {row}, column {col}, {chance}"
    if reviewed["win"] is not None and reviewed["win"]["exact"]:
        text += f"; chance to win before it: {reviewed['win']['low']:.1%}"
    return text


def _find_format(file: str) -> str | None:
    """Return the format of a file by its suffix, or None."""
    suffix = PurePath(file).suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else None


_FILES: Final = typer.Argument(
    metavar="FILE",
    help=f"Files of the formats .{', .'.join(FORMATS)}. - reads stdin, as no FILE does if a "
    "replay is piped into the command",
)
_FORM: Final = typer.Option(
    "--format", help=f"Format of the file: auto, {', '.join(FORMATS)}; by default by its suffix"
)
COMMANDS: Final = {
    "replay": Command(
        operation=REPLAYS,
        show=_show_replay,
        files=Annotated[list[str] | None, _FILES],
        form=Annotated[str | None, _FORM],
        find_format=_find_format,
        limits=partial(LimitValues, max_cells=formats.MOST_CELLS),
    ).make_function()
}
