"""Output has colours on a terminal or on demand, and otherwise never in a pipe."""

import pytest

from minecheck.app.cli import colors
from minecheck.app.cli.colors import ColorChoice
from tests.app.cli.running import run


@pytest.mark.parametrize(
    ("choice", "variables", "expected"),
    [
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("auto", {"NO_COLOR": ""}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_color_option_overrides_environment_variables(
    monkeypatch: pytest.MonkeyPatch, choice: str, variables: dict[str, str], expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert colors.use_colors(ColorChoice(choice)) is expected


def test_terminal_output_has_colors_unless_terminal_is_dumb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert colors.use_colors(ColorChoice.AUTO)
    monkeypatch.setenv("TERM", "dumb")
    assert not colors.use_colors(ColorChoice.AUTO)


def test_forced_cells_and_mines_are_colored() -> None:
    found = run("forced", "--color", "always", stdin=b"3?\n??\n")
    assert "\x1b[1mconsistent\x1b[0m\n" in found.stdout
    assert "  3\x1b[31;7mB\x1b[0m\n" in found.stdout
    assert found.stdout.endswith("\x1b[2manswered by automata (hu-lin, strip-2)\x1b[0m\n")


@pytest.mark.parametrize("command", ["forced", "count", "layouts"])
def test_piped_output_has_no_colors(command: str) -> None:
    assert "\x1b" not in run(command, stdin=b"3?\n??\n").stdout
