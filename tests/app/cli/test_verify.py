"""On the command line: certificates, and what is wrong with them."""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.minefield.certificates.joining import JoinTables
from minecheck.minefield.certificates.meter import MOST_WORK
from tests.app.cli.running import one_line, run
from tests.app.questions.responses import drop_elapsed
from tests.boards import CASES, Case
from tests.processes import ROOT

Document = dict[str, Any]

#: Two clues of 1 without a common cell, and one mine in all: counters are needed.
SPLIT = "?1?S?1?\n"
#: What is said of the fields that every answer has, whatever the board.
APART = "not about the board: solver.name, solver.complete, solver.elapsed_ms\n"
#: What is claimed of which board, and how often.
ASKED = [
    ("check", "1?\n??\n", [], "verified: consistent\n"),
    ("check", "?1?\n", ["--mines", "1"], "verified: consistent\n"),
    ("check", "2?\n", [], "verified: inconsistent\n"),
    ("check", SPLIT, ["--mines", "1"], "verified: inconsistent\n"),
    ("forced", SPLIT, ["--mines", "1"], "verified: inconsistent\n"),
    ("forced", "?1??\n", ["--mines", "1"], "verified: consistent\nverified: safe\n"),
    ("forced", "3?\n??\n", [], "verified: consistent\nverified: mine, 3 times\n"),
    (
        *("forced", "1?0\n?S?\n", ["--mines", "1"]),
        "verified: consistent\nverified: mine\nverified: safe, 2 times\n",
    ),
    ("forced", "F1?\n", ["--trust-flags"], "verified: consistent\nverified: safe\n"),
    ("forced", "?1?\n", [], "verified: consistent\n"),
]


def run_certified(task: str, rows: str, *options: str) -> Document:
    """An answer with a certificate."""
    found = run(task, "-", "--json", "--certificate", *options, stdin=rows.encode())
    answer: Document = json.loads(found.stdout)
    return answer


def run_verify(document: object, *options: str) -> tuple[int, str]:
    """Exit status and what is said of a document on standard input, all of it in one place."""
    found = run("verify", "-", *options, stdin=json.dumps(document).encode())
    assert found.stderr == ""
    said = found.stdout
    # Which engines and machines had a part depends on the board.
    said = said.replace("solver.engines, ", "").replace("solver.machines, ", "")
    if APART in said:
        # The last line of every answer, and of no bare certificate.
        assert isinstance(document, dict)
        assert "certificate" in document
        assert said.endswith(APART)
    return found.exit_code, said.removesuffix(APART)


def read_rejection(document: object, *options: str) -> str:
    """What is wrong with a document: the field, where in it, and why, in one line."""
    status, said = run_verify(document, *options)
    assert status == 1, said
    assert said.startswith("rejected: ")
    assert said.count("\n") == 1
    return said.removeprefix("rejected: ").removesuffix("\n")


@pytest.fixture(scope="module")
def counted() -> Document:
    """A certificate with all fields: clauses of two clues, a counter and the total."""
    return dict(run_certified("check", SPLIT, "--mines", "1")["certificate"])


@pytest.fixture(scope="module")
def several() -> Document:
    """Proofs for three mines, around one clue, without a layout, as older certificates are."""
    certificate = dict(run_certified("forced", "3?\n??\n")["certificate"])
    assert certificate["proofs"][0]["claim"] == "consistent"
    return certificate | {"proofs": certificate["proofs"][1:]}


# Certificates that are right


@pytest.mark.parametrize(("task", "rows", "options", "said"), ASKED)
def test_a_good_certificate_is_verified(
    task: str, rows: str, options: list[str], said: str
) -> None:
    answer = run_certified(task, rows, *options)
    status, lines = run_verify(answer)
    assert (status, sorted(lines.splitlines())) == (0, sorted(said.splitlines()))
    assert run_verify(answer["certificate"]) == (status, lines)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_certificates_of_reference_boards_are_verified(case: Case) -> None:
    rows = "\n".join(case.rows)
    said = "verified: consistent\n" if case.consistent else "verified: inconsistent\n"
    assert run_verify(run_certified("check", rows)) == (0, said)
    status, of_forced = run_verify(run_certified("forced", rows))
    assert status == 0
    assert case.consistent or of_forced == said


def test_a_file_and_standard_input_are_read_alike(tmp_path: Path, counted: Document) -> None:
    path = tmp_path / "certificate.json"
    for start in ("", "\ufeff", "\n "):
        path.write_text(start + json.dumps(counted, indent=1), encoding="utf-8")
        found = run("verify", str(path))
        assert (found.exit_code, found.stdout) == run_verify(counted)
        assert run("verify", "-", stdin=path.read_bytes()).stdout == found.stdout


def test_what_check_prints_is_what_verify_reads() -> None:
    """In processes of their own, through a pipe, as on the command line."""
    command = [sys.executable, "-m", "minecheck"]
    made = subprocess.run(
        [*command, "check", "-", "--json", "--certificate"],
        cwd=ROOT,
        input=b"2?\n",
        capture_output=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (1, b"")
    found = subprocess.run(
        [*command, "verify", "-"], cwd=ROOT, input=made.stdout, capture_output=True, check=False
    )
    assert (found.returncode, found.stdout) == (
        0,
        b"verified: inconsistent\n"
        + APART.replace("solver.complete", "solver.machines, solver.complete").encode(),
    )


@pytest.mark.parametrize("task", ["check", "forced"])
@pytest.mark.parametrize("rows", ["1?\n??\n", "2?\n", "F?1\n", "?1?\n???\n"])
def test_certificates_are_those_of_the_service(client: TestClient, task: str, rows: str) -> None:
    answer = client.post(
        f"/v1/{task}?certificate=true", content=rows, headers={"Content-Type": "text/plain"}
    )
    assert drop_elapsed(run_certified(task, rows)) == drop_elapsed(answer.json())
    assert run_verify(answer.json())[0] == 0


@pytest.mark.parametrize("task", ["check", "forced"])
def test_no_certificate_is_given_unasked(task: str) -> None:
    assert "certificate" not in json.loads(run(task, "-", "--json", stdin=b"1?").stdout)


@pytest.mark.parametrize("certificate", [{}, {"certificate": None}])
@pytest.mark.parametrize("rows", [b"1?", b"2?"])
def test_an_answer_without_a_certificate_gets_no_verdict(
    certificate: Document, rows: bytes
) -> None:
    answer = json.loads(run("check", "-", "--json", stdin=rows).stdout) | certificate
    found = run("verify", "-", stdin=json.dumps(answer).encode())
    one_line(found, "-")
    assert '"certificate": true' in found.stderr


def test_one_answer_a_file_is_verified(counted: Document) -> None:
    text = json.dumps(counted).encode() + b"\n"
    found = run("verify", "-", stdin=2 * text)
    one_line(found, "-")
    assert "one answer per file" in found.stderr


@pytest.mark.parametrize("task", ["layouts", "sample", "explain", "repair"])
def test_other_answers_have_no_certificates(task: str) -> None:
    found = run(task, "-", "--json", "--certificate", stdin=b"1?")
    assert (found.exit_code, found.stdout) == (2, "")


# Certificates of counts


@pytest.mark.parametrize(
    ("task", "rows", "options", "said"),
    [
        ("count", "?1??\n", [], ["verified: 4 layouts"]),
        ("count", "1?\n", [], ["verified: 1 layout", "mine in all: (0, 1)"]),
        ("analyze", "?1??\n", ["--mines", "1"], ["verified: 2 layouts", "safe in all: (0, 3)"]),
        ("analyze", "2?\n", [], ["verified: 0 layouts"]),
        ("count", "?1?\n", ["--mines", "3"], ["verified: 0 layouts"]),
    ],
)
def test_a_good_count_is_verified(
    task: str, rows: str, options: list[str], said: list[str]
) -> None:
    answer = run_certified(task, rows, *options)
    for document in (answer, answer["certificate"]):
        assert run_verify(document) == (0, "".join(f"{line}\n" for line in said))


def test_chances_follow_from_a_count() -> None:
    status, said = run_verify(run_certified("count", "?1??\n", "--mines", "1"), "--chances")
    assert status == 0
    assert said.splitlines()[2:] == [
        "chance of a mine at (0, 0): 1/2",
        "chance of a mine at (0, 2): 1/2",
        "chance of a mine at (0, 3): 0/1",
    ]


def test_a_count_of_rules_names_cells(client: TestClient) -> None:
    rules = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b"], "mines": 1}]
    body = {"rules": rules, "total_cells": 3, "certificate": True}
    answer = client.post("/v1/analyze", json=body).json()
    del answer["estimate"]
    said = "verified: 2 layouts\nmine in all: b\nsafe in all: a\n"
    assert run_verify(answer) == (0, said)
    assert run_verify(answer, "--chances")[1].splitlines()[-1] == "chance of a mine at 0: 1/2"


def test_a_count_is_of_the_board_that_is_given(tmp_path: Path) -> None:
    answer = run_certified("count", "?1??\n", "--mines", "1")
    path = tmp_path / "board.txt"
    path.write_text("?1??\n")
    assert run_verify(answer, "--board", str(path), "--mines", "1")[0] == 0
    assert read_rejection(answer, "--mines", "2").startswith("mines: ")
    path.write_text("??1?\n")
    assert read_rejection(answer, "--board", str(path)).startswith("board: ")


def test_chances_that_take_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run_certified("count", "1?1??\n??2??\n??1??\n")

    def beyond(tables: JoinTables) -> None:
        tables.meter.spend_products(MOST_WORK + 1)

    monkeypatch.setattr("minecheck.minefield.certificates.chances.count_around", beyond)
    status, said = run_verify(answer, "--chances")
    assert status == 0
    assert said.startswith("verified: ")
    assert said.splitlines()[1].startswith("forced cells and chances are left out: ")


@pytest.mark.parametrize(
    ("field", "value"),
    [("forced", {"mines": [[0, 0]], "safe": []}), ("count", "3"), ("witness", ["0000"])],
)
def test_what_an_answer_says_beside_its_count_is_checked(field: str, value: object) -> None:
    answer = run_certified("analyze", "?1??\n")
    assert read_rejection({**answer, field: value}).startswith(f"{field}")


# Certificates that are wrong


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("claim", "no", "claim:"),
        ("claim", "consistent", "witness:"),
        ("claim", "safe", "cell:"),
        ("claim", None, "claim:"),
        ("board", ["?1?S?0?"], "cnf line 5:"),
        ("board", ["?1?S?1"], "variables 3:"),
        ("board", ["?1?S?1?", "?"], "board 1:"),
        ("board", ["?1?S?9?"], "board 0 5:"),
        ("board", [], "board:"),
        ("board", "?1?S?1?", "board:"),
        ("mines", 2, "cnf line 13:"),
        ("mines", None, "cnf line 12:"),
        ("mines", -1, "mines:"),
        ("mines", True, "mines:"),
        ("mines", 1.0, "mines:"),
        ("variables", [[0, 0], [0, 2], [0, 4]], "counters 0:"),
        ("variables", [[0, 1], [0, 2], [0, 4], [0, 6]], "variables 0:"),
        ("variables", [[0, 0], [0, 2], [0, 4], [0, 0]], "variables 3:"),
        ("variables", [[0, 0], [0, 4], [0, 2], [0, 6]], "cnf line 3:"),
        ("variables", [[0, 0], [0, 2], [0, 4], [0, 9]], "variables 3:"),
        ("variables", {}, "variables:"),
        ("counters", [], "cnf line 6:"),
        ("counters", [{"order": [1, 1], "at_least": []}], "counters 0:"),
        ("counters", [{"order": [1, 9], "at_least": []}], "counters 0:"),
        ("counters", [{"order": [1, 2], "at_least": [[0, 3, 1]]}], "counters 0 0:"),
        ("counters", [{"order": [1, 2]}], "counters 0:"),
        ("counters", None, "counters:"),
        ("cnf", "", "cnf line 1:"),
        ("cnf", "p cnf 12 0\n", "proof line"),
        ("cnf", "p cnf 12 1\n0\n", "cnf line 2:"),
        ("cnf", "p cnf 12 1\nc claim\n-1 0\n", "cnf line 3:"),
        ("cnf", 5, "cnf:"),
        ("proof", "", "proof line 1:"),
        ("proof", "0\n", "proof line 1:"),
        ("proof", "9 5 0 3 4 1 0\n10 x 0 9 8 7 0\n", "proof line 2:"),
        ("proof", "5 0\n-6 0\n0\n", "proof line 1:"),
        ("proof", None, "proof:"),
        ("more", 1, "more:"),
        ("witness", ["B1?S?1?"], "witness:"),
    ],
    ids=lambda value: json.dumps(value)[:30],
)
def test_a_field_that_was_tampered_with_is_named(
    counted: Document, field: str, value: object, where: str
) -> None:
    assert read_rejection({**counted, field: value}).startswith(f"{where} ")


def test_each_field_is_missed(counted: Document) -> None:
    for field in counted:
        left = {name: value for name, value in counted.items() if name != field}
        assert read_rejection(left).startswith(f"{field}: ")


def test_each_changed_clause_is_named_by_its_line(counted: Document) -> None:
    """A literal less makes a clause of a clue, or of the total, say more than is so."""
    lines = counted["cnf"].split("\n")
    hint, changed = "", 0
    for place, line in enumerate(lines):
        hint = line if line.startswith("c ") else hint
        words = line.split()
        if hint.startswith(("c clue", "c total")) and words[-1:] == ["0"]:
            shorter = " ".join(words[1:])
            cnf = "\n".join([*lines[:place], shorter, *lines[place + 1 :]])
            assert read_rejection({**counted, "cnf": cnf}).startswith(f"cnf line {place + 1}: ")
            changed += 1
    assert changed == 3


def test_a_formula_that_has_a_model_is_not_refuted(counted: Document) -> None:
    """Whatever the proof: without the clauses of the total there is nothing wrong."""
    cnf = counted["cnf"].split("c total\n")[0]
    header, _, rest = cnf.partition("\n")
    fewer = {**counted, "cnf": header.replace(" 8", " 7") + "\n" + rest}
    assert read_rejection(fewer).startswith("proof line ")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"claim": "safe"}, "proofs 1 cnf line 5: "),
        ({"claim": "inconsistent"}, "proofs 1 cell: "),
        ({"cell": [0, 0]}, "proofs 1 cell: "),
        ({"cell": [0, 1]}, "proofs 1 cnf line 5: "),
        ({"cell": [5, 5]}, "proofs 1 cell: "),
        ({"cell": "a"}, "proofs 1 cell: "),
        ({"cell": None}, "proofs 1 cell: "),
        ({"proof": "x"}, "proofs 1 proof line 1: "),
        ({"cnf": "p cnf 3 0\n"}, "proofs 1 cnf line 1: "),
    ],
    ids=str,
)
def test_of_several_the_one_at_fault_is_named(
    several: Document, change: Document, where: str
) -> None:
    wrong = deepcopy(several)
    wrong["proofs"][1] |= change
    assert read_rejection(wrong).startswith(where)


@pytest.mark.parametrize(
    ("witness", "where"),
    [
        (["1B", "1B"], "witness 0 0: "),
        (["BB", "BB"], "witness 0 0: "),
        (["11", "1?"], "witness 1 1: "),
        (["11"], "witness"),
        (None, "witness: "),
        (["1B", "11"], None),
        (["11", "B1"], None),
    ],
)
def test_a_layout_is_held_to_the_board(witness: object, where: str | None) -> None:
    document = {**run_certified("check", "1?\n??\n")["certificate"], "witness": witness}
    if where is None:
        assert run_verify(document) == (0, "verified: consistent\n")
    else:
        assert read_rejection(document).startswith(where)


def test_what_another_board_was_shown_is_rejected() -> None:
    for rows, options in [("?1???1?", ["--mines", "1"]), ("1?1", [])]:
        certificate = run_certified("check", rows, *options)["certificate"]
        other = {**certificate, "board": [rows.replace("1", "0", 1)]}
        assert read_rejection(other)


# Answers that say something else


@pytest.mark.parametrize("rows", ["1?\n??\n", "2?\n"])
@pytest.mark.parametrize("task", ["check", "forced"])
def test_a_verdict_that_was_turned_round_is_rejected(task: str, rows: str) -> None:
    answer = run_certified(task, rows)
    assert run_verify(answer)[0] == 0
    for verdict in (not answer["consistent"], None):
        assert read_rejection({**answer, "consistent": verdict}).startswith("consistent: ")


def test_another_layout_than_the_certified_one_is_rejected() -> None:
    answer = run_certified("check", "1?\n??\n")
    assert answer["witness"] == ["11", "1B"]
    assert read_rejection({**answer, "witness": ["1B", "11"]}).startswith("witness: ")


@pytest.mark.parametrize(
    "forced",
    [
        {"mines": [[0, 1], [1, 0], [1, 1]], "safe": [[0, 0]]},
        {"mines": [[0, 1], [1, 0], [1, 1], [0, 0]], "safe": []},
        {"mines": [], "safe": [[0, 1]]},
        {"mines": []},
        {"mines": {}, "safe": []},
        [],
    ],
)
def test_a_forced_cell_without_a_proof_is_rejected(several: Document, forced: object) -> None:
    answer = {**run_certified("forced", "3?\n??\n"), "forced": forced, "certificate": several}
    assert read_rejection(answer).startswith("forced: ")


def test_of_an_answer_that_lost_a_proof_the_rest_is_no_certificate() -> None:
    answer = run_certified("forced", "3?\n??\n")
    del answer["certificate"]["proofs"][1]
    assert read_rejection(answer).startswith("forced: ")
    assert run_verify(answer["certificate"]) == (
        0,
        "verified: consistent\nverified: mine, 2 times\n",
    )


def test_what_stands_above_all_proofs_stands_in_none(several: Document) -> None:
    wrong = deepcopy(several)
    wrong["proofs"][1]["mines"] = None
    assert read_rejection(wrong).startswith("proofs 1 mines: ")


# Documents that are none


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({}, "board: "),
        ({"board": ["?"]}, "mines: "),
        ({"board": ["?"], "mines": None}, "claim: "),
        ({"certificate": []}, "certificate: "),
        ({"certificate": {}}, "board: "),
        ([], "certificate: "),
        (None, "certificate: "),
        (5, "certificate: "),
        ("certificate", "certificate: "),
        ({"proofs": []}, "board: "),
        ({"board": ["?"], "mines": None, "proofs": {}}, "proofs: "),
        ({"board": ["?"], "mines": None, "proofs": [1]}, "proofs 0: "),
        ({"board": ["?"], "mines": None, "proofs": [], "claim": "safe"}, "claim: "),
        ({"board": ["9"], "mines": None, "proofs": []}, "board 0 0: "),
    ],
    ids=lambda value: json.dumps(value)[:30],
)
def test_what_is_no_certificate_is_rejected(document: object, where: str) -> None:
    assert read_rejection(document).startswith(where)


def test_an_answer_that_came_too_late_for_a_certificate_is_rejected() -> None:
    found = run(
        "check", "-", "--json", "--certificate", "--deadline", "1e-9", stdin=b"?2?\n?2?\n?1?\n"
    )
    answer = json.loads(found.stdout)
    if answer["certificate"] is None:
        assert answer["solver"]["complete"] is False
        assert read_rejection(answer)
    else:
        assert run_verify(answer)[0] == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1?\n??\n",
        b"{",
        b"{'claim': 1}",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"mines": ' + b"9" * 5000 + b"}",
    ],
    ids=["empty", "board", "cut", "quotes", "deep", "not utf-8", "digits"],
)
def test_what_is_no_json_has_exit_status_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(content)
    for name, stdin in ((str(path), b""), ("-", content)):
        found = run("verify", name, stdin=stdin)
        one_line(found, name)


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        found = run("verify", str(path))
        one_line(found, str(path))


# The board that it must be about


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(SPLIT, encoding="utf-8")
    return path


def test_the_right_board_and_total_are_confirmed(board: Path, counted: Document) -> None:
    said = (0, "verified: inconsistent\n")
    assert run_verify(counted, "--board", str(board)) == said
    assert run_verify(counted, "--mines", "1") == said
    assert run_verify(counted, "--board", str(board), "--mines", "1") == said


@pytest.mark.parametrize("rows", ["?1?S?1?\n???????\n", "?1???1?\n", "?1?S?1B\n", "F1?S?1?\n"])
def test_another_board_is_rejected(board: Path, counted: Document, rows: str) -> None:
    board.write_text(rows, encoding="utf-8")
    assert read_rejection(counted, "--board", str(board)).startswith("board: ")


@pytest.mark.parametrize("mines", ["0", "2", "7"])
def test_another_total_is_rejected(counted: Document, mines: str) -> None:
    assert read_rejection(counted, "--mines", mines).startswith("mines: ")


def test_a_total_is_missed_where_there_is_none() -> None:
    assert read_rejection(run_certified("check", "?1?"), "--mines", "1").startswith("mines: ")


def test_where_nothing_is_claimed_the_board_is_looked_at_all_the_same(board: Path) -> None:
    nothing = run_certified("forced", "?1?")
    assert read_rejection(nothing, "--board", str(board)).startswith("board: ")
    assert read_rejection(nothing, "--mines", "1").startswith("mines: ")


def test_a_board_is_the_same_in_every_notation(board: Path, counted: Document) -> None:
    board.write_text("-1- -1-\n", encoding="utf-8")
    found = run_verify(counted, "--board", str(board), "--notation", "probst")
    assert found == (0, "verified: inconsistent\n")


def test_rules_are_about_no_board(client: TestClient, board: Path) -> None:
    body = {"rules": [{"cells": ["a"], "mines": 2}], "certificate": True}
    answer = client.post("/v1/check", json=body).json()
    assert run_verify(answer) == (0, "verified: inconsistent\n")
    assert read_rejection(answer, "--board", str(board)).startswith("board: ")


@pytest.mark.parametrize("rows", [b"", b"1?\n?", b"9"])
def test_a_board_that_is_none_has_exit_status_2(
    board: Path, counted: Document, rows: bytes
) -> None:
    board.write_bytes(rows)
    found = run("verify", "-", "--board", str(board), stdin=json.dumps(counted).encode())
    one_line(found, str(board))


# Totals, and what is not proved


def test_that_there_is_no_total_can_be_demanded() -> None:
    assert run_verify(run_certified("check", "?1?"), "--mines", "none")[0] == 0
    assert read_rejection(
        run_certified("check", "?1?", "--mines", "1"), "--mines", "none"
    ).startswith("mines: ")


@pytest.mark.parametrize("mines", ["None", "null", "-1", "+1", "1.0", "", "any", "\u0663"])
def test_other_words_are_no_total(counted: Document, mines: str) -> None:
    found = run("verify", "-", f"--mines={mines}", stdin=json.dumps(counted).encode())
    one_line(found, "--mines")
    assert "none" in found.stderr


def test_flags_may_be_trusted_in_the_board_that_is_demanded(board: Path) -> None:
    board.write_text("F1?\n", encoding="utf-8")
    answer = run_certified("forced", "F1?\n", "--trust-flags")
    assert run_verify(answer, "--board", str(board), "--trust-flags")[0] == 0
    assert read_rejection(answer, "--board", str(board)).startswith("board: ")


def test_fields_that_are_not_proved_are_named_in_the_status_too() -> None:
    status, said = run_verify({**run_certified("check", "?1?"), "more": 1, "\ud800": 2})
    assert status == 3
    assert said.startswith("verified: consistent\nnot proved: more: ")
    assert "not proved: \\ud800: " in said


def test_what_an_incomplete_answer_does_not_say_is_left_open() -> None:
    answer = run_certified("analyze", "?1?")
    answer |= {"forced": None, "solver": answer["solver"] | {"complete": False}}
    status, said = run_verify(answer)
    assert status == 0
    assert "left open: forced\n" in said


@pytest.mark.parametrize("name", ["count", "\ud800"])
def test_a_field_that_is_there_twice_is_rejected(name: str) -> None:
    text = json.dumps(run_certified("count", "?1?"))
    twice = "{" + f"{json.dumps(name)}: 1, {json.dumps(name)}: 2, " + text[1:]
    found = run("verify", "-", stdin=twice.encode())
    assert found.exit_code == 1
    assert "twice" in found.stdout


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_have_exit_status_2(number: str) -> None:
    found = run("verify", "-", stdin=f'{{"mines": {number}}}'.encode())
    one_line(found, number)


def test_an_answer_nested_deeply_is_rejected() -> None:
    text = json.dumps({**run_certified("forced", "?1?"), "forced": {"mines": ["x"], "safe": []}})
    for depth in (50, 400, 800, 950):
        found = run("verify", "-", stdin=text.replace('"x"', "[" * depth + "]" * depth).encode())
        assert found.exit_code in (1, 2)
        assert isinstance(found.exception, SystemExit)


def test_help_tells_the_statuses() -> None:
    said = " ".join(run("verify", "--help").stdout.split())
    assert "3 if all is right as far as it is proved" in said
