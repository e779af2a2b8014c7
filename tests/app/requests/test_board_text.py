"""Boards that are sent as text, to questions and to /v1/formats/auto."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.settings import Settings

TEXT = {"Content-Type": "text/plain"}


def ask(client: TestClient, path: str, text: str | bytes) -> dict[str, Any]:
    """Return the answer, or the problem, for a text."""
    content = text.encode() if isinstance(text, str) else text
    answer: dict[str, Any] = client.post(path, content=content, headers=TEXT).json()
    return answer


def problem_code(document: dict[str, Any]) -> str:
    """Return the code of a problem."""
    return str(document["type"]).rpartition(":")[2]


@pytest.mark.parametrize(
    ("text", "rows", "words"),
    [
        ("1*1 111", ["1B1", "111"], "Blanks were read as the ends of rows."),
        ("- - 1 2 1 - -", ["??121??"], 'Read "-" as unknown.'),
        ("2,,1\n2,,1\n2,,1", ["2?1"] * 3, "an empty field as unknown"),
        ("⬜1️⃣🟦\n⬜1️⃣🟦", ["?10", "?10"], "⬜ as unknown"),
        ("||🟦||||1️⃣||||💥||", ["01B"], "Spoilers were opened"),
        ("  1 2 3\n1 ? 1 0\n2 ? 1 0", ["?10", "?10"], "rulers"),
        ("[[ 1. nan  1.]\n [nan nan nan]]", ["1?1", "???"], '"nan" as unknown'),
        ("[[0, 1, -1], [0, 1, -1]]", ["01?", "01?"], 'If "-1" is a mine'),
        ("H1H\nHHH", ["?1?", "???"], 'Read "H" as unknown.'),
        ("/#analyse?b=_2__.____&amp;m=3", ["?2??", "????"], "The total of 3 mines"),
        ("/#analyse%3Fb%3D_2__.____%26m%3D3", ["?2??", "????"], "The total of 3 mines"),
        ("\ufeff1?\r\n??\r\n", ["1?", "??"], None),
        ("1?\n??\n", ["1?", "??"], None),
        ("1?3?????", ["1?3?????"], "--data-binary"),
    ],
)
def test_question_answer_says_how_a_text_was_read(
    client: TestClient, text: str, rows: list[str], words: str | None
) -> None:
    found = ask(client, "/v1/check", text)
    expected = client.post("/v1/check", json={"board": rows, "mines": found["mines"]}).json()
    assert (found["consistent"], found["witness"]) == (
        expected["consistent"],
        expected["witness"],
    )
    reading = found.get("reading")
    if words is None:
        assert reading is None
    else:
        assert reading is not None
        assert reading["board"] == rows
        assert any(words in note for note in reading["notes"]), reading["notes"]


@pytest.mark.parametrize("path", ["/v1/count", "/v1/formats/auto"])
def test_ambiguous_text_problem_offers_a_request_for_each_board(
    client: TestClient, path: str
) -> None:
    found = ask(client, path, "1.1\n...")
    assert problem_code(found) == "ambiguous-board"
    counts = [client.post("/v1/count", json=one["request"]).json() for one in found["readings"]]
    assert [one["board"] for one in found["readings"]] == [["1?1", "???"], ["101", "000"]]
    assert [one["count"] for one in counts] == ["3", "0"]


@pytest.mark.parametrize(
    ("text", "subject"), [("1\t?\t\n\t2\t?", "An empty field"), ("1.\n..", 'The symbol "."')]
)
def test_ambiguous_text_problem_names_the_symbol(
    client: TestClient, text: str, subject: str
) -> None:
    found = ask(client, "/v1/count", text)
    assert found["detail"].startswith(f"{subject} can mean unknown or a clue 0")


def test_request_of_a_reading_keeps_the_options(client: TestClient) -> None:
    found = ask(client, "/v1/count?mines=1&by_mines=true", "1.1\n...")
    first = found["readings"][0]["request"]
    assert first == {"board": ["1?1", "???"], "mines": 1, "by_mines": True}
    assert client.post("/v1/count", json=first).json()["count"] == "2"


def test_large_readings_are_chosen_by_their_symbols(client: TestClient) -> None:
    text = "1" * 10_000 + "." + "1" * 10_000
    response = client.post("/v1/count", content=text, headers=TEXT)
    found = response.json()
    assert problem_code(found) == "ambiguous-board"
    assert len(response.content) < 1_000
    for one in found["readings"]:
        assert one["board"] is None
        chosen = {"symbols": json.dumps(one["request"]["symbols"])}
        answer = client.post("/v1/count", params=chosen, content=text, headers=TEXT)
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "symbols", ["X=mine,.=unknown", '{"X": "mine", ".": "unknown"}', "X=B,.=?"]
)
def test_symbols_of_the_query_choose_the_meaning(client: TestClient, symbols: str) -> None:
    answer = client.post(
        "/v1/layouts", params={"symbols": symbols}, content="X2.\n...", headers=TEXT
    )
    expected = client.post("/v1/layouts", json={"board": ["B2?", "???"]}).json()
    assert answer.json()["layouts"] == expected["layouts"]


@pytest.mark.parametrize(
    ("board", "symbols", "rows"),
    [
        (["X1.", "..."], {"X": "mine", ".": "unknown"}, ["B1?", "???"]),
        ("X1.\n...", {"X": "flag", ".": "0"}, ["F10", "000"]),
        ([[1, -1], [None, "B"]], {"-1": "unknown", "null": "mine"}, ["1?", "BB"]),
    ],
)
def test_symbols_of_json_choose_the_meaning(
    client: TestClient, board: object, symbols: dict[str, str], rows: list[str]
) -> None:
    found = client.post("/v1/check", json={"board": board, "symbols": symbols}).json()
    expected = client.post("/v1/check", json={"board": rows}).json()
    assert found["witness"] == expected["witness"]


@pytest.mark.parametrize("symbols", [{"X": "mien"}, "X", "{", '{"X": 9}', "X=mine,Y"])
def test_unknown_meaning_of_a_symbol_is_a_problem_at_symbols(
    client: TestClient, symbols: object
) -> None:
    found = client.post("/v1/check", json={"board": ["X1"], "symbols": symbols}).json()
    assert (problem_code(found), found["pointer"]) == ("unknown-meaning", "/symbols")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1? ?\n????", "stray-blank"),
        ('{"board": ["1?"]}', "json-as-text"),
        ("", "empty-board"),
        ("https://minesweeper.online/game/123", "link-without-board"),
        ("1?\n??\n\n2?\n??\n1?", "several-boards"),
        ("/#analyse?b=1_&x=3", "bad-link"),
        ("1?\n1", "ragged-rows"),
        (b"1\xff", "invalid-utf-8"),
    ],
)
def test_text_that_is_no_board_is_diagnosed(
    client: TestClient, text: str | bytes, code: str
) -> None:
    assert problem_code(ask(client, "/v1/check", text)) == code


def test_several_boards_go_to_the_route_of_batches(client: TestClient) -> None:
    found = ask(client, "/v1/check", "1?\n??\n\n2?\n??\n1?")
    assert found["fix"] == "Send one board, with nothing between its rows. /v1/batch takes several."


def test_notes_name_the_encoding_that_was_guessed(client: TestClient) -> None:
    found = ask(client, "/v1/check", "\u25a01\n11".encode("gbk"))
    assert found["reading"]["notes"][0].startswith("The bytes were read as GBK.")


def test_named_notation_is_read_strictly(client: TestClient) -> None:
    assert problem_code(ask(client, "/v1/check?notation=minesweepr", "1?1")) == "unknown-symbol"
    assert ask(client, "/v1/count?notation=minesweepr", "1.x\n...")["count"] == "0"
    # Without a name, these are boards.
    for text in ("1? ??", "Mines: 3\n1?\n??"):
        assert problem_code(ask(client, "/v1/count?notation=standard", text)) == "stray-blank"
        assert "count" in ask(client, "/v1/count", text)


def test_stream_has_the_notes_in_a_header(client: TestClient) -> None:
    headers = TEXT | {"Accept": "application/x-ndjson"}
    answer = client.post("/v1/layouts", content="H1\nHH", headers=headers)
    assert json.loads(answer.headers["Minecheck-Notes"]) == ['Read "H" as unknown.']
    assert (
        "Minecheck-Notes" not in client.post("/v1/layouts", content="?1", headers=headers).headers
    )


def test_question_takes_files_of_all_formats(client: TestClient) -> None:
    found = ask(client, "/v1/count", "3x2x2\nM1F\n11H\n")
    assert (found["rows"], found["cols"], found["mines"]) == (2, 3, 2)
    assert found["reading"]["notation"] == "mine"


def test_total_of_the_query_precedes_the_total_of_the_text(client: TestClient) -> None:
    found = ask(client, "/v1/count?mines=1", "Mines: 2\n1?\n??")
    assert (found["mines"], found["count"]) == (1, "3")
    assert any("the given one, 1, was used" in note for note in found["reading"]["notes"])


def test_file_whose_flags_are_all_mines_is_a_map(client: TestClient) -> None:
    file = "3x2x2\nF2F\n121\n"
    found = client.post("/v1/grade", json={"file": file, "first": [1, 1]}).json()
    assert (found["mines"], found["layout"]) == (2, ["B2B", "121"])
    wrong = client.post("/v1/grade", json={"file": file.replace("121", "111"), "first": [1, 1]})
    assert problem_code(wrong.json()) == "layout-missing"


@pytest.mark.parametrize("format", ["auto", "mine"])
def test_multipart_form_is_diagnosed(client: TestClient, format: str) -> None:
    answer = client.post(f"/v1/formats/{format}", files={"file": b"1x1x1\nM\n"})
    assert answer.status_code == 415
    assert "--data-binary" in answer.json()["fix"]


@pytest.mark.parametrize("options", ["", "?notation=standard"])
def test_text_above_the_limit_of_cells_is_rejected_without_a_field(options: str) -> None:
    app = create_app(Settings(workers=1, max_cells=3))
    with TestClient(app) as small:
        found = ask(small, f"/v1/formats/auto{options}", "1?\n??")
    assert problem_code(found) == "over-the-limit"
    assert found["detail"] == "This service allows at most 3 cells."
    assert "pointer" not in found


def test_formats_auto_takes_symbols_and_a_notation(client: TestClient) -> None:
    assert ask(client, "/v1/formats/auto?symbols=.=unknown", "1.")["board"] == ["1?"]
    assert ask(client, "/v1/formats/auto?notation=probst", "1-+ ")["board"] == ["1?BS"]
    assert problem_code(ask(client, "/v1/formats/auto?q=1", "1?")) == "unknown-field"
