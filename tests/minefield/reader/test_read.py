"""Texts as people write boards: the right board, or all boards that may be meant; never another."""

import json
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from minecheck.minefield import BoardError, FormatError, draw, parse
from minecheck.minefield.reader import AmbiguousBoardError, decode_text, read_board
from tests.minefield.reader.writers import NOISES, WRITERS

_TATHAM: Final = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/mines.html"
_CORPUS: Final = [
    json.loads(line)
    for line in (Path(__file__).parent / "pasted.jsonl").read_text(encoding="utf-8").splitlines()
]


def _list_readings(text: str) -> list[list[str]]:
    """Return the rows of the one board that a text holds, or of all that it may mean."""
    try:
        return [read_board(text).rows]
    except AmbiguousBoardError as error:
        return [reading.rows for reading in error.readings]


@st.composite
def boards(draw: st.DrawFn, symbols: str, least: int = 1) -> list[str]:
    cols = draw(st.integers(least, 6))
    row = st.text(symbols, min_size=cols, max_size=cols)
    return draw(st.lists(row, min_size=least, max_size=6))


@pytest.mark.parametrize("writer", WRITERS)
@given(data=st.data())
def test_read_board_returns_what_was_written_or_asks(writer: str, data: st.DataObject) -> None:
    write, symbols = WRITERS[writer]
    rows = data.draw(boards(symbols))
    text = write(rows)
    # Nothing but empty fields is no board.
    assume(re.sub("<[^<>]*>", "", text).strip())
    assert rows in _list_readings(text)


@pytest.mark.parametrize("noise", NOISES)
@given(data=st.data())
def test_read_board_returns_no_other_board_with_noise_around(
    noise: str, data: st.DataObject
) -> None:
    write, symbols = WRITERS[data.draw(st.sampled_from(sorted(WRITERS)))]
    # Numbers around a single row, or cell, may as well be clues.
    rows = data.draw(boards(symbols, least=3))
    text = write(rows)
    assume(text.strip())
    with suppress(BoardError):
        assert rows in _list_readings(NOISES[noise](text))


@pytest.mark.parametrize("case", _CORPUS, ids=[case["id"] for case in _CORPUS])
def test_read_board_reads_what_people_paste(case: dict[str, Any]) -> None:
    text = case["text"]
    if "code" in case:
        with pytest.raises(BoardError) as caught:
            read_board(text)
        assert caught.value.code == case["code"]
        if "readings" in case:
            assert isinstance(caught.value, AmbiguousBoardError)
            assert [reading.rows for reading in caught.value.readings] == case["readings"]
        if "mines" in case:
            assert isinstance(caught.value, AmbiguousBoardError)
            assert {reading.mines for reading in caught.value.readings} == {case["mines"]}
        for name in ("row", "col"):
            assert name not in case or getattr(caught.value, name) == case[name]
        return
    found = read_board(text)
    assert (found.rows, found.mines) == (case["board"], case.get("mines"))
    for words in case.get("notes", []):
        assert any(words in note for note in found.notes), found.notes


def test_corpus_has_several_texts_of_each_kind() -> None:
    kinds = Counter(case["kind"] for case in _CORPUS)
    assert len({case["id"] for case in _CORPUS}) == len(_CORPUS) >= 60
    assert min(kinds.values()) >= 3, kinds


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("Solve this: https://puzz.link/p?mines/3/2/1g.i", "puzzlink"),
        ("[puzzle](https://puzz.link/p?mines/3/2/1g.i)", "puzzlink"),
        ("<http://pzv.jp/p.html?mines/3/2/1g.i>", "puzzlink"),
        (f"What about this one?\n\n{_TATHAM}#9x9:4,4,mb071b49fbd1cb6a0d5868", "tatham"),
        (f"{_TATHAM}#9x9%3A4%2C4%2Cmb071b49fbd1cb6a0d5868", "tatham"),
        ("Game ID: 9x9:4,4,mb071b49fbd1cb6a0d5868", "tatham"),
        ("Game ID is 9x9:4,4,mb071b49fbd1cb6a0d5868", "tatham"),
        (
            "See https://a.example/1 and 2.\nThe game: 9x9:4,4,mb071b49fbd1cb6a0d5868\n"
            "https://a.example/2",
            "tatham",
        ),
        ('tests = [\n  "pzprv3/mines/1/2/1 . /",\n]', "pzprv3"),
        ("// https://puzz.link/p?mines/3/2/1g.i", "puzzlink"),
        ("# https://puzz.link/p?mines/3/2/1g.i", "puzzlink"),
        ("[b](https://puzz.link/p?mines/3/2/1g.i)", "puzzlink"),
        ("- https://puzz.link/p?mines/3/2/1g.i", "puzzlink"),
        ("**https://puzz.link/p?mines/3/2/1g.i**", "puzzlink"),
        ("`9x9:4,4,mb071b49fbd1cb6a0d5868`", "tatham"),
        ('"https://puzz.link/p?mines/3/2/1g.i"', "puzzlink"),
        ("```\nhttps://puzz.link/p?mines/3/2/1g.i\n```", "puzzlink"),
        ("-> https://puzz.link/p?mines/3/2/1g.i .", "puzzlink"),
        ("https://davidnhill.github.io/JSMinesweeper/?analysis=acabaaabMS", "jsminesweeper"),
        ("https://llamasweeper.com/#/game/board-editor?b=0302&m=g0", "jsminesweeper"),
        ("https://puzz.link/p?mines%2F3%2F2%2F1g.i", "puzzlink"),
        ("https%3A%2F%2Fpuzz.link%2Fp%3Fmines%2F3%2F2%2F1g.i", "puzzlink"),
        ("https://www.google.com/url?q=https://puzz.link/p?mines/3/2/1g.i&sa=D", "puzzlink"),
        ('"http://127.0.0.1:8000/#analyse?b=_2__.____&m=3"', "link"),
        ("http://127.0.0.1:8000/%23analyse%3Fb%3D_2__.____%26m%3D3", "link"),
        (
            "https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2F127.0.0.1%3A8000"
            "%2F%23analyse%3Fb%3D_2__.____%26m%3D3&data=05",
            "link",
        ),
    ],
)
def test_read_board_reads_the_link_in_a_sentence(text: str, format: str) -> None:
    assert read_board(text).notation == format


@pytest.mark.parametrize(
    ("text", "mines"),
    [
        ("https://minecheck.example/#analyse?b=1_.__ (mines: 5)", 5),
        ("Here it is: https://minecheck.example/#analyse?b=1_.__ with 3 mines", 3),
        ("https://minecheck.example/#analyse?b=1_.__&m=4 (mines: 4)", 4),
    ],
)
def test_read_board_reads_the_total_beside_a_link(text: str, mines: int) -> None:
    assert read_board(text).mines == mines


def test_read_board_rejects_another_total_beside_a_link() -> None:
    with pytest.raises(BoardError, match="several totals: 4, 5"):
        read_board("https://minecheck.example/#analyse?b=1_.__&m=4 (mines: 5)")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("https://minesweeper.online/game/3412345678", "link-without-board"),
        ("minesweeper.online/game/3412345678", "link-without-board"),
        ("[board](https://minesweeper.online/game/123)", "link-without-board"),
        ("Can someone solve this? https://minesweeper.online/game/1", "link-without-board"),
        ("https://minesweepergame.com/game/play.php?id=5", "link-without-board"),
        ("https://mzrg.com/js/mine/make_board.html", "link-without-board"),
        ("https://www.logigames.com/minesweeper/custom", "link-without-board"),
        ("https://www.puzzle-minesweeper.com/?e=MDoxLDIzNCw1Njc=", "link-without-board"),
        ("https://www.brainbashers.com/showmines.asp?date=0315&size=20", "link-without-board"),
        ("https://davidnhill.github.io/JSMinesweeper/", "link-without-board"),
        ("https://swaroopg92.github.io/penpa-edit/", "link-without-board"),
        ("https://tinyurl.com/abc", "link-without-board"),
        ("https://example.org/1\nhttps://example.org/2", "several-boards"),
        (f"{_TATHAM}#9x9n10#123456", "no-board"),
        ("https://puzz.link/p?mines/5/5", "no-board"),
        ("https://puzz.link/p?nurikabe/5/5/a", "link-without-board"),
        ("https://i.imgur.com/3W4hpEW.png", "link-without-board"),
    ],
)
def test_read_board_says_what_a_link_lacks(text: str, code: str) -> None:
    with pytest.raises((BoardError, FormatError)) as caught:
        read_board(text)
    assert caught.value.code == code  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("https://i.imgur.com/3W4hpEW.png", "i.imgur.com is one to a picture"),
        ("https://example.org/board.JPG?width=300", "example.org is one to a picture"),
        ("https://puzz.link/p?slither/5/5/g2m", "a puzzle of the kind slither"),
        ("https://pzv.jp/p.html?nurikabe/5/5/a", "a puzzle of the kind nurikabe"),
    ],
)
def test_read_board_says_what_a_link_is_instead(link: str, said: str) -> None:
    with pytest.raises(BoardError, match=re.escape(said)):
        read_board(link)


_PUZZLE: Final = "https://puzz.link/p?mines/3/3/1g1i1g1"
_LEGUP: Final = """<Legup version="2.0.0"><puzzle name="Minesweeper"><board height="1" width="2">
<cells><cell value="1" x="0" y="0"/></cells></board></puzzle></Legup>"""
_MINE_FILE: Final = "3x3x2\n1H1\nH?H\n1M1\n"


@pytest.mark.parametrize(
    ("text", "rows", "mines"),
    [
        (f"```\n{_MINE_FILE}```", ["1?1", "?B?", "1B1"], 2),
        (f"\n{_MINE_FILE}", ["1?1", "?B?", "1B1"], 2),
        (f"Here is my game\n{_MINE_FILE}", ["1?1", "?B?", "1B1"], 2),
        ("> 3x3x2\n> 1H1\n> H?H\n> 1M1", ["1?1", "?B?", "1B1"], 2),
        ("Here:\npzprv3\nmines\n3\n3\n1 - 1 \n- - - \n1 - 1 \n", ["1S1", "SSS", "1S1"], None),
        (f"Mines: 10\n{_PUZZLE}", ["1?1", "???", "1?1"], 10),
        (f"{_PUZZLE} with 2 mines", ["1?1", "???", "1?1"], 2),
        (json.dumps({"url": _PUZZLE, "mines": 2}), ["1?1", "???", "1?1"], 2),
        (f'{{"url": "{_PUZZLE}"}},', ["1?1", "???", "1?1"], None),
        (f"{_LEGUP}\n\nHere is my puzzle", ["1?"], None),
        ("1:1?1\n2:???\n3:121", ["1?1", "???", "121"], None),
    ],
)
def test_read_board_reads_a_file_or_link_within_a_text(
    text: str, rows: list[str], mines: int | None
) -> None:
    reading = read_board(text)
    assert (reading.rows, reading.mines) == (rows, mines)


def test_read_board_reads_what_a_terminal_shows_in_colours() -> None:
    assert read_board(b"\x1b[31m1\x1b[0m?\n?\x1b[1;32m1\x1b[0m\n").rows == ["1?", "?1"]


@given(st.text("0123?B*SF.-_#xXoO ,;|\t\n/[]{}'\"=:`>%&⬜🟦💣", max_size=40))
def test_read_board_raises_nothing_but_board_errors(text: str) -> None:
    with suppress(BoardError):
        assert read_board(text).board.cells.size


@given(st.sampled_from([case["text"] for case in _CORPUS]), st.integers(0), st.sampled_from("019"))
@example("? 1\n1 ?", 1, "1")
@example("1?&#10;??", 1, "9")
def test_read_board_raises_nothing_but_board_errors_where_a_number_is_huge(
    text: str, chosen: int, digit: str
) -> None:
    numbers = list(re.finditer("[0-9]+", text))
    assume(numbers)
    number = numbers[chosen % len(numbers)]
    # Python converts no more than 4300 digits.
    huge = text[: number.start()] + 4301 * digit + text[number.end() :]
    with suppress(BoardError, FormatError):
        assert read_board(huge).board.cells.size


@given(boards("012345678?B*SF"))
def test_read_board_agrees_with_the_strict_notation(rows: list[str]) -> None:
    text = "\n".join(rows)
    if "*" in text and "?" not in text:
        # Where clues contradict them, asterisks may be covers.
        assert draw(parse(rows)) in _list_readings(text)
        return
    found = read_board(text)
    assert found.board == parse(rows)
    assert found.notes == ()


def test_read_board_takes_the_meanings_that_the_sender_gives() -> None:
    found = read_board("1.#\n.1#", {".": "unknown", "#": "mine"})
    assert found.rows == ["1?B", "?1B"]
    assert found.notes == ('Read "." as unknown, "#" as a mine.',)


@pytest.mark.parametrize(
    ("text", "symbols", "rows"),
    [
        ("\N{EN DASH}1\n\N{EN DASH}1", {"\N{EN DASH}": "0"}, ["01", "01"]),
        ("\N{FULLWIDTH ASTERISK}1\n11", {"\N{FULLWIDTH ASTERISK}": "unknown"}, ["?1", "11"]),
        ("⬜\ufe0f1\n11", {"⬜\ufe0f": "safe"}, ["S1", "11"]),
        ("1 \n?1", {" ": "0"}, ["10", "?1"]),
        ("| |1|.|\n|.| |1|", {"": "0", ".": "unknown"}, ["01?", "?01"]),
        ("❓⬜1", {"⬜": "unknown"}, ["??1"]),
    ],
)
def test_meaning_that_the_sender_gives_holds_for_the_signs_of_the_text(
    text: str, symbols: dict[str, str], rows: list[str]
) -> None:
    assert read_board(text, symbols).rows == rows


def test_two_symbols_of_one_plain_sign_have_one_meaning() -> None:
    with pytest.raises(BoardError) as caught:
        read_board("-1\n11", {"-": "unknown", "\N{EN DASH}": "0"})
    assert caught.value.code == "unknown-meaning"


def test_line_with_a_number_of_mines_that_is_no_total_is_named() -> None:
    for text in ("4 mines left\n1?\n??", "1?\n??\n\nremaining mines: 4", "💣 4 ⏱ 12\n1?1\n???"):
        reading = read_board(text)
        assert reading.mines is None
        assert any("not read as the number of mines" in note for note in reading.notes)


def test_meaning_of_a_bullet_chooses_the_reading_with_it_as_a_cell() -> None:
    assert read_board("- 1\n- ?", {"-": "unknown"}).rows == ["?1", "??"]


@pytest.mark.parametrize("text", ["1? ?\n????", "???\n1 ?", "1 ?\n11"])
def test_a_stray_blank_has_the_same_words_as_in_the_strict_notation(text: str) -> None:
    errors = []
    for read in (parse, read_board):
        with pytest.raises(BoardError) as caught:
            read(text)
        errors.append(caught.value.args)
    assert errors[0] == errors[1]


def test_read_board_rejects_meanings_that_are_none() -> None:
    with pytest.raises(BoardError, match="Use one of: unknown, mine, safe"):
        read_board("1.", {".": "nothing"})


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_read_board_reads_every_encoding(encoding: str) -> None:
    assert read_board("1?\n?1\n".encode(encoding)).rows == ["1?", "?1"]
    found = read_board("雷数: 3\n⬜1️⃣\n1️⃣⬜".encode(encoding))
    assert (found.rows, found.mines) == (["?1", "1?"], 3)


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"M\xfcll\n1?2\n?3?", ["1?2", "?3?"]),
        (b"Felder \x96 \xe4hnlich:\r\n1?\r\n??", ["1?", "??"]),
        (b"\x931?2\x94\n\x93?3?\x94", ["1?2", "?3?"]),
    ],
)
def test_read_board_reads_windows_1252(data: bytes, rows: list[str]) -> None:
    assert read_board(data).rows == rows


@pytest.mark.parametrize(
    ("text", "encoding", "name", "mines"),
    [
        ("地雷: 2\n■1□\n1■□", "cp932", "Shift-JIS", 2),
        ("残り地雷数\uff1a2\n■1□\n1■□", "cp932", "Shift-JIS", None),
        ("■\uff11□\n\uff11■□", "cp932", "Shift-JIS", None),
        ("总雷数\uff1a2\n■1□\n1■□", "gbk", "GBK", 2),
        ("■\uff11□\n\uff11■□", "gbk", "GBK", None),
        ("扫雷\n■1□\n1■□", "gbk", "GBK", None),
    ],
)
def test_read_board_says_which_encoding_of_east_asia_it_read(
    text: str, encoding: str, name: str, mines: int | None
) -> None:
    found = read_board(text.encode(encoding))
    assert (found.rows, found.mines) == (["?10", "1?0"], mines)
    assert found.notes[0] == (
        f"The bytes were read as {name}. Save the text as UTF-8 to be certain."
    )


def test_every_reading_of_an_ambiguous_text_says_which_encoding_it_was_read_in() -> None:
    with pytest.raises(AmbiguousBoardError) as caught:
        read_board("■.□\n.■□".encode("cp932"))
    assert len(caught.value.readings) > 1
    for reading in caught.value.readings:
        assert reading.notes[0].startswith("The bytes were read as Shift-JIS.")


@pytest.mark.parametrize("encoding", ["euc_jp", "big5", "euc_kr", "cp866"])
def test_read_board_guesses_no_other_encoding(encoding: str) -> None:
    with pytest.raises((BoardError, FormatError)):
        read_board(("█" if encoding == "cp866" else "■").encode(encoding) + b"1\n11")


def test_read_board_says_how_it_read_two_numbers_of_mines() -> None:
    found = read_board("Mines: 5/10\n1F?\n???")
    assert (found.mines, found.notes) == (
        10,
        ('Read "Mines: 5/10" as 10 mines on the whole board.',),
    )


@pytest.mark.parametrize("data", [b"\xb31?\xb3\n\xb3??\xb3", b"\xdb1\xdb", b"1?\x8f\n???"])
def test_read_board_does_not_guess_signs_of_other_encodings(data: bytes) -> None:
    with pytest.raises((BoardError, FormatError)):
        read_board(data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"\x89PNG\r\n\x1a\n", "a picture"), (b"%PDF-1.4\n\xe2", "a PDF"), (b"PK\x03\x04", "archive")],
)
def test_read_board_says_what_a_file_of_another_kind_is(data: bytes, kind: str) -> None:
    with pytest.raises(FormatError, match=kind):
        read_board(data)


@pytest.mark.parametrize(
    "text", ["19\n1?", "a1\n1z", "[[1, foo], [bar, 1]]", "?x?1\n9xq1", "🌱1\n1🍄"]
)
def test_fix_of_an_unknown_symbol_is_accepted(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        read_board(text)
    assert caught.value.code == "unknown-symbol"
    symbols = json.loads(caught.value.fix.partition("such as ")[2].rstrip("."))
    assert read_board(text, symbols).board.cells.size


@pytest.mark.parametrize(
    "text", ['1=1\n1"1', "\u4e00?\u4e8c\n?\u4e09?", "1 ? l\n? ? ?", "{(0,0): 1, (0,1): 2}"]
)
def test_fix_of_an_unknown_symbol_names_no_code_and_no_numeral(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        read_board(text)
    assert caught.value.code == "unknown-symbol"
    assert "such as" not in caught.value.fix


@pytest.mark.slow
def test_a_million_cells_may_have_signs_between_them() -> None:
    rows = ["1?" * 500] * 1000
    assert read_board("\n".join(map(",".join, rows))).rows == rows


def test_error_of_a_very_long_text_says_that_it_is_read_as_plain_rows_only() -> None:
    with pytest.raises(BoardError, match="characters is read as plain rows only"):
        read_board("Mines: 5\n" + ("1?" * 500 + "\n") * 2200)


def test_decode_text_names_the_byte_that_is_no_text() -> None:
    with pytest.raises(BoardError, match="Byte 2 is not UTF-8"):
        decode_text(b"1?\xff")


@pytest.mark.parametrize(
    ("text", "notation", "mines"),
    [
        ("3x2x1\n1FH\n11H\n", "mine", 1),
        ("9x9:4,4,mb071b49fbd1cb6a0d5868", "tatham", None),
        ("1?1\n???", "rows", None),
    ],
)
def test_read_board_leaves_formats_with_signs_to_their_readers(
    text: str, notation: str, mines: int | None
) -> None:
    found = read_board(text.encode())
    assert found.notation == notation
    assert mines in (None, found.mines)
