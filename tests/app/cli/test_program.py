"""The command line describes itself, and rejects invalid options in plain words."""

import pytest

from minecheck import __version__
from minecheck.app.cli.annotations import parse_seconds
from minecheck.minefield import formats
from tests.app.cli.running import one_line, run


def test_version_option_prints_version() -> None:
    found = run("--version")
    assert (found.exit_code, found.stdout) == (0, f"minecheck {__version__}\n")


@pytest.mark.parametrize("command", [(), ("check",), ("batch",), ("simulate",), ("board",)])
def test_help_shows_flags_without_type(command: tuple[str, ...]) -> None:
    assert "bool" not in run(*command, "--help").stdout


def test_help_keeps_text_in_square_brackets() -> None:
    shown = " ".join(run("count", "--help").stdout.replace("│", " ").split())
    assert "by offsets [rows down, columns to the right]" in shown


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5", 5), ("5s", 5), ("500ms", 0.5), ("2m", 120), ("1.5 h", 5400), ("1e-9", 1e-9)],
)
def test_parse_seconds_takes_units(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("count", "-", "--mines", "x"), '"x" is not a whole number.'),
        (
            ("count", "-", "--backend", "foo"),
            '"foo" is not a valid backend. Use one of: auto, ',
        ),
        (("count", "-", "--deadline", "soon"), '"soon" is not a time such as 5s, 500ms or 2m.'),
        (("simulate", "--games", "0"), '"0" is less than 1, the minimum.'),
        (("simulate", "--random", "3", "x", "4"), '"x" is not a whole number.'),
        (("cuont", "-"), "Did you mean 'count'?"),
    ],
)
def test_command_rejects_invalid_options_in_plain_words(
    arguments: tuple[str, ...], message: str
) -> None:
    found = run(*arguments, stdin=b"?1?")
    assert found.exit_code == 2
    shown = " ".join(found.stderr.replace("│", " ").split())
    assert message in shown
    assert "Input should" not in shown


# Formats.


def test_formats_command_lists_all_formats() -> None:
    lines = run("formats").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(formats.FORMATS)


def test_formats_command_shows_contents_of_file() -> None:
    found = run("formats", "-", stdin=b"3x2x1\n1FH\n11H\n")
    assert found.stdout == "format mine\nmines 1\nwhat a player sees\n  1F?\n  11?\n"
    found = run("formats", "-", stdin=b"5x5:0,0,m0121198")
    assert "the first click: row 0 column 0\nwhere all mines are\n  012B2\n" in found.stdout
    assert run("formats", "-", stdin=b"1?\n??\n").stdout.startswith("format rows\n")


def test_formats_command_writes_file_in_another_format() -> None:
    board = run("formats", "-", "--into", "mine", "--mines", "1", stdin=b"1F?\n11?\n")
    assert board.stdout == "3x2x1\n1FH\n11H\n"
    map_ = run("formats", "-", "--into", "hex", stdin=b"5x5:0,0,m0121198").stdout
    again = run(
        "formats", "-", "--format", "hex", "--into", "tatham", "--first", "0,0", stdin=map_.encode()
    )
    assert again.stdout.strip() == "5x5:0,0,m0121198"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (("--into", "mine"), b"1F?\n11?\n", "mines"),
        (("--into", "gif"), b"1?", "gif"),
        (("--format", "gif"), b"1?", "gif"),
        ((), b"hello", "is a word or a date"),
        ((), b"1%", "not a known symbol"),
        (("--into", "mbf"), b"1?", "layout"),
    ],
)
def test_formats_command_names_reason_why_file_cannot_be_converted(
    arguments: tuple[str, ...], stdin: bytes, message: str
) -> None:
    one_line(run("formats", "-", *arguments, stdin=stdin), message)


def test_batch_command_with_problems_exits_with_1() -> None:
    found = run("batch", "-", "--task", "count", stdin=b'{"board": ["1?"]}\n{"board": ["9"]}\n')
    assert found.exit_code == 1
    assert "2 lines answered, 1 of them with a problem" in found.stderr
    assert run("batch", "-", "--task", "count", stdin=b'{"board": ["1?"]}\n').exit_code == 0


def test_check_command_refers_file_of_many_boards_to_batch() -> None:
    one_line(run("check", "-", stdin=b'{"board": ["1?"]}\n{"board": ["1?"]}\n'), "minecheck batch")
