"""`minecheck verify` checks certificates, and says what is wrong with them."""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minecheck.minefield.certificates.joining import JoinTables
from minecheck.minefield.certificates.meter import MOST_WORK, Meter
from tests.app.cli.running import one_line, run
from tests.app.questions.responses import drop_elapsed
from tests.boards import CASES, Case
from tests.processes import ROOT

Document = dict[str, Any]

#: Two clues of 1 without a common cell, and one mine in all: counters are needed.
SPLIT = "?1?S?1?\n"
#: The line about the fields that every answer has, whatever the board.
UNPROVED_FIELDS = "not about the board: solver.name, solver.complete, solver.elapsed_ms\n"
#: Tasks, boards and options, and the verified claims of their certificates.
CLAIMS = [
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
    """Return an answer with a certificate."""
    found = run(task, "-", "--json", "--certificate", *options, stdin=rows.encode())
    answer: Document = json.loads(found.stdout)
    return answer


def run_verify(document: object, *options: str) -> tuple[int, str]:
    """Return the exit status and output for a document on standard input, without common lines."""
    found = run("verify", "-", *options, stdin=json.dumps(document).encode())
    assert found.stderr == ""
    output = found.stdout
    # The engines and machines of an answer depend on the board.
    output = output.replace("solver.engines, ", "").replace("solver.machines, ", "")
    if UNPROVED_FIELDS in output:
        # Every answer ends with this line, and a bare certificate has none.
        assert isinstance(document, dict)
        assert "certificate" in document
        assert output.endswith(UNPROVED_FIELDS)
    return found.exit_code, output.removesuffix(UNPROVED_FIELDS)


def read_rejection(document: object, *options: str) -> str:
    """Return the line that says which field of a document is wrong, where, and why."""
    status, output = run_verify(document, *options)
    assert status == 1, output
    assert output.startswith("rejected: ")
    assert output.count("\n") == 1
    return output.removeprefix("rejected: ").removesuffix("\n")


@pytest.fixture(scope="module")
def certificate_with_counter() -> Document:
    """A certificate with all fields: clauses of two clues, a counter and the total."""
    return dict(run_certified("check", SPLIT, "--mines", "1")["certificate"])


@pytest.fixture(scope="module")
def certificate_with_proofs() -> Document:
    """Proofs for three mines, around one clue, without a layout, as older certificates are."""
    certificate = dict(run_certified("forced", "3?\n??\n")["certificate"])
    assert certificate["proofs"][0]["claim"] == "consistent"
    return certificate | {"proofs": certificate["proofs"][1:]}


# Valid certificates


@pytest.mark.parametrize(("task", "rows", "options", "expected"), CLAIMS)
def test_verify_command_accepts_valid_certificate(
    task: str, rows: str, options: list[str], expected: str
) -> None:
    answer = run_certified(task, rows, *options)
    status, lines = run_verify(answer)
    assert (status, sorted(lines.splitlines())) == (0, sorted(expected.splitlines()))
    assert run_verify(answer["certificate"]) == (status, lines)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verify_command_accepts_certificates_of_reference_boards(case: Case) -> None:
    rows = "\n".join(case.rows)
    expected = "verified: consistent\n" if case.consistent else "verified: inconsistent\n"
    assert run_verify(run_certified("check", rows)) == (0, expected)
    status, of_forced = run_verify(run_certified("forced", rows))
    assert status == 0
    assert case.consistent or of_forced == expected


def test_verify_command_reads_file_and_standard_input_alike(
    tmp_path: Path, certificate_with_counter: Document
) -> None:
    path = tmp_path / "certificate.json"
    for start in ("", "\ufeff", "\n "):
        path.write_text(start + json.dumps(certificate_with_counter, indent=1), encoding="utf-8")
        found = run("verify", str(path))
        assert (found.exit_code, found.stdout) == run_verify(certificate_with_counter)
        assert run("verify", "-", stdin=path.read_bytes()).stdout == found.stdout


@pytest.mark.slow
def test_verify_command_reads_output_of_check_command() -> None:
    """Run both commands in processes of their own, connected by a pipe."""
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
        + UNPROVED_FIELDS.replace("solver.complete", "solver.machines, solver.complete").encode(),
    )


@pytest.mark.parametrize("task", ["check", "forced"])
@pytest.mark.parametrize("rows", ["1?\n??\n", "2?\n", "F?1\n", "?1?\n???\n"])
def test_command_line_certificates_are_those_of_the_service(
    client: TestClient, task: str, rows: str
) -> None:
    answer = client.post(
        f"/v1/{task}?certificate=true", content=rows, headers={"Content-Type": "text/plain"}
    )
    assert drop_elapsed(run_certified(task, rows)) == drop_elapsed(answer.json())
    assert run_verify(answer.json())[0] == 0


@pytest.mark.parametrize("task", ["check", "forced"])
def test_command_gives_certificate_only_on_demand(task: str) -> None:
    assert "certificate" not in json.loads(run(task, "-", "--json", stdin=b"1?").stdout)


@pytest.mark.parametrize("certificate", [{}, {"certificate": None}])
@pytest.mark.parametrize("rows", [b"1?", b"2?"])
def test_verify_command_gives_no_verdict_without_certificate(
    certificate: Document, rows: bytes
) -> None:
    answer = json.loads(run("check", "-", "--json", stdin=rows).stdout) | certificate
    found = run("verify", "-", stdin=json.dumps(answer).encode())
    one_line(found, "-")
    assert '"certificate": true' in found.stderr


@pytest.mark.parametrize(
    "document",
    [
        None,
        5,
        "certificate",
        [],
        {},
        ["?1?"],
        {"board": ["?1?"], "mines": 1},
        {"found": True, "board": ["?1?"], "mines": 2, "layout": ["B1B"]},
        {"guess_free": True, "layout": ["B1"], "mines": 1},
        {"count": "2159", "states": 23, "boards": []},
        {"type": "urn:minecheck:problem:unknown-symbol", "status": 422},
    ],
)
def test_verify_command_exits_with_2_for_documents_that_claim_nothing(document: object) -> None:
    found = run("verify", "-", stdin=json.dumps(document).encode())
    one_line(found, "there is no certificate in it")


@pytest.mark.parametrize("several", [False, True])
def test_verify_command_exits_with_3_for_certificate_that_is_too_large(several: bool) -> None:
    board = {"board": ["?" * 1001] * 1000, "mines": None}
    claim = {"claim": "consistent", "witness": []}
    status, output = run_verify({**board, **({"proofs": [claim]} if several else claim)})
    assert status == 3
    assert output == "not verified: board: It has more than 1000000 cells.\n"


def test_verify_command_exits_with_3_for_count_that_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = run_certified("count", "?2?\n???\n?2?\n")
    monkeypatch.setattr(
        "minecheck.minefield.certificates.counting.Meter", lambda pause: Meter(pause, left=1)
    )
    status, output = run_verify(answer)
    assert status == 3
    assert output.startswith("not verified: components: It takes more than ")


def test_verify_command_rejects_file_with_two_answers(certificate_with_counter: Document) -> None:
    text = json.dumps(certificate_with_counter).encode() + b"\n"
    found = run("verify", "-", stdin=2 * text)
    one_line(found, "-")
    assert "one answer per file" in found.stderr


@pytest.mark.parametrize("task", ["layouts", "sample", "explain", "repair"])
def test_certificate_option_is_rejected_by_commands_without_certificates(task: str) -> None:
    found = run(task, "-", "--json", "--certificate", stdin=b"1?")
    assert (found.exit_code, found.stdout) == (2, "")


# Certificates of counts


@pytest.mark.parametrize(
    ("task", "rows", "options", "expected"),
    [
        ("count", "?1??\n", [], ["verified: 4 layouts"]),
        ("count", "1?\n", [], ["verified: 1 layout", "mine in all: (0, 1)"]),
        ("analyze", "?1??\n", ["--mines", "1"], ["verified: 2 layouts", "safe in all: (0, 3)"]),
        ("analyze", "2?\n", [], ["verified: 0 layouts"]),
        ("count", "?1?\n", ["--mines", "3"], ["verified: 0 layouts"]),
    ],
)
def test_verify_command_accepts_certificate_of_count(
    task: str, rows: str, options: list[str], expected: list[str]
) -> None:
    answer = run_certified(task, rows, *options)
    for document in (answer, answer["certificate"]):
        assert run_verify(document) == (0, "".join(f"{line}\n" for line in expected))


def test_verify_command_derives_chances_from_count() -> None:
    status, output = run_verify(run_certified("count", "?1??\n", "--mines", "1"), "--chances")
    assert status == 0
    assert output.splitlines()[2:] == [
        "chance of a mine at (0, 0): 1/2",
        "chance of a mine at (0, 2): 1/2",
        "chance of a mine at (0, 3): 0/1",
    ]


def test_verify_command_names_cells_of_counted_rules(client: TestClient) -> None:
    rules = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b"], "mines": 1}]
    body = {"rules": rules, "total_cells": 3, "certificate": True}
    answer = client.post("/v1/analyze", json=body).json()
    del answer["estimate"]
    expected = "verified: 2 layouts\nmine in all: b\nsafe in all: a\n"
    assert run_verify(answer) == (0, expected)
    assert run_verify(answer, "--chances")[1].splitlines()[-1] == "chance of a mine at 0: 1/2"


def test_verify_command_compares_count_with_given_board_and_total(tmp_path: Path) -> None:
    answer = run_certified("count", "?1??\n", "--mines", "1")
    path = tmp_path / "board.txt"
    path.write_text("?1??\n")
    assert run_verify(answer, "--board", str(path), "--mines", "1")[0] == 0
    assert read_rejection(answer, "--mines", "2").startswith("mines: ")
    path.write_text("??1?\n")
    assert read_rejection(answer, "--board", str(path)).startswith("board: ")


def test_verify_command_leaves_out_chances_that_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = run_certified("count", "1?1??\n??2??\n??1??\n")

    def beyond(tables: JoinTables) -> None:
        tables.meter.spend_products(MOST_WORK + 1)

    monkeypatch.setattr("minecheck.minefield.certificates.chances.count_other_boxes", beyond)
    status, output = run_verify(answer, "--chances")
    assert status == 0
    assert output.startswith("verified: ")
    assert output.splitlines()[1].startswith("forced cells and chances are left out: ")


@pytest.mark.parametrize(
    ("field", "value"),
    [("forced", {"mines": [[0, 0]], "safe": []}), ("count", "3"), ("witness", ["0000"])],
)
def test_verify_command_checks_fields_beside_count(field: str, value: object) -> None:
    answer = run_certified("analyze", "?1??\n")
    assert read_rejection({**answer, field: value}).startswith(f"{field}")


# Invalid certificates


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
def test_verify_command_names_changed_field_of_certificate(
    certificate_with_counter: Document, field: str, value: object, where: str
) -> None:
    assert read_rejection({**certificate_with_counter, field: value}).startswith(f"{where} ")


def test_verify_command_names_missing_field_of_certificate(
    certificate_with_counter: Document,
) -> None:
    for field in certificate_with_counter.keys() - {"claim"}:
        left = {name: value for name, value in certificate_with_counter.items() if name != field}
        assert read_rejection(left).startswith(f"{field}: ")


def test_verify_command_names_line_of_changed_clause(certificate_with_counter: Document) -> None:
    """A clause of a clue or of the total with a literal less claims more than is true."""
    lines = certificate_with_counter["cnf"].split("\n")
    hint, changed = "", 0
    for index, line in enumerate(lines):
        hint = line if line.startswith("c ") else hint
        words = line.split()
        if hint.startswith(("c clue", "c total")) and words[-1:] == ["0"]:
            shorter = " ".join(words[1:])
            cnf = "\n".join([*lines[:index], shorter, *lines[index + 1 :]])
            assert read_rejection({**certificate_with_counter, "cnf": cnf}).startswith(
                f"cnf line {index + 1}: "
            )
            changed += 1
    assert changed == 3


def test_verify_command_rejects_proof_of_satisfiable_formula(
    certificate_with_counter: Document,
) -> None:
    """The formula without the clauses of the total is satisfiable, whatever the proof."""
    cnf = certificate_with_counter["cnf"].split("c total\n")[0]
    header, _, rest = cnf.partition("\n")
    fewer = {**certificate_with_counter, "cnf": header.replace(" 8", " 7") + "\n" + rest}
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
def test_verify_command_names_faulty_proof_among_several(
    certificate_with_proofs: Document, change: Document, where: str
) -> None:
    wrong = deepcopy(certificate_with_proofs)
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
def test_verify_command_compares_witness_with_board(witness: object, where: str | None) -> None:
    document = {**run_certified("check", "1?\n??\n")["certificate"], "witness": witness}
    if where is None:
        assert run_verify(document) == (0, "verified: consistent\n")
    else:
        assert read_rejection(document).startswith(where)


def test_verify_command_rejects_certificate_of_another_board() -> None:
    for rows, options in [("?1???1?", ["--mines", "1"]), ("1?1", [])]:
        certificate = run_certified("check", rows, *options)["certificate"]
        other = {**certificate, "board": [rows.replace("1", "0", 1)]}
        assert read_rejection(other)


# Answers that differ from their certificate


@pytest.mark.parametrize("rows", ["1?\n??\n", "2?\n"])
@pytest.mark.parametrize("task", ["check", "forced"])
def test_verify_command_rejects_inverted_verdict(task: str, rows: str) -> None:
    answer = run_certified(task, rows)
    assert run_verify(answer)[0] == 0
    for verdict in (not answer["consistent"], None):
        assert read_rejection({**answer, "consistent": verdict}).startswith("consistent: ")


def test_verify_command_rejects_witness_other_than_certified_layout() -> None:
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
def test_verify_command_rejects_forced_cell_without_proof(
    certificate_with_proofs: Document, forced: object
) -> None:
    answer = {
        **run_certified("forced", "3?\n??\n"),
        "forced": forced,
        "certificate": certificate_with_proofs,
    }
    assert read_rejection(answer).startswith("forced: ")


def test_verify_command_rejects_answer_with_removed_proof() -> None:
    answer = run_certified("forced", "3?\n??\n")
    del answer["certificate"]["proofs"][1]
    assert read_rejection(answer).startswith("forced: ")
    assert run_verify(answer["certificate"]) == (
        0,
        "verified: consistent\nverified: mine, 2 times\n",
    )


def test_verify_command_rejects_common_field_inside_proof(
    certificate_with_proofs: Document,
) -> None:
    wrong = deepcopy(certificate_with_proofs)
    wrong["proofs"][1]["mines"] = None
    assert read_rejection(wrong).startswith("proofs 1 mines: ")


# Documents without a certificate


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({"certificate": []}, "certificate: "),
        ({"certificate": {}}, "board: "),
        ({"claim": "safe"}, "board: "),
        ({"proofs": []}, "board: "),
        ({"board": ["?"], "mines": None, "proofs": {}}, "proofs: "),
        ({"board": ["?"], "mines": None, "proofs": [1]}, "proofs 0: "),
        ({"board": ["?"], "mines": None, "proofs": [], "claim": "safe"}, "claim: "),
        ({"board": ["9"], "mines": None, "proofs": []}, "board 0 0: "),
    ],
    ids=lambda value: json.dumps(value)[:30],
)
def test_verify_command_rejects_certificate_that_lacks_its_parts(
    document: object, where: str
) -> None:
    assert read_rejection(document).startswith(where)


def test_verify_command_rejects_answer_without_certificate_at_deadline() -> None:
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
def test_verify_command_exits_with_2_for_invalid_json(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(content)
    for name, stdin in ((str(path), b""), ("-", content)):
        found = run("verify", name, stdin=stdin)
        one_line(found, name)


def test_verify_command_rejects_missing_file_and_directory(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        found = run("verify", str(path))
        one_line(found, str(path))


# The board and total that a certificate must be about


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text(SPLIT, encoding="utf-8")
    return path


def test_verify_command_confirms_given_board_and_total(
    board: Path, certificate_with_counter: Document
) -> None:
    expected = (0, "verified: inconsistent\n")
    assert run_verify(certificate_with_counter, "--board", str(board)) == expected
    assert run_verify(certificate_with_counter, "--mines", "1") == expected
    assert run_verify(certificate_with_counter, "--board", str(board), "--mines", "1") == expected


@pytest.mark.parametrize("rows", ["?1?S?1?\n???????\n", "?1???1?\n", "?1?S?1B\n", "F1?S?1?\n"])
def test_verify_command_rejects_another_board(
    board: Path, certificate_with_counter: Document, rows: str
) -> None:
    board.write_text(rows, encoding="utf-8")
    assert read_rejection(certificate_with_counter, "--board", str(board)).startswith("board: ")


@pytest.mark.parametrize("mines", ["0", "2", "7"])
def test_verify_command_rejects_another_total(
    certificate_with_counter: Document, mines: str
) -> None:
    assert read_rejection(certificate_with_counter, "--mines", mines).startswith("mines: ")


def test_verify_command_rejects_given_total_for_certificate_without_total() -> None:
    assert read_rejection(run_certified("check", "?1?"), "--mines", "1").startswith("mines: ")


def test_verify_command_compares_board_of_certificate_without_claims(board: Path) -> None:
    nothing = run_certified("forced", "?1?")
    assert read_rejection(nothing, "--board", str(board)).startswith("board: ")
    assert read_rejection(nothing, "--mines", "1").startswith("mines: ")


def test_verify_command_reads_board_in_given_notation(
    board: Path, certificate_with_counter: Document
) -> None:
    board.write_text("-1- -1-\n", encoding="utf-8")
    found = run_verify(certificate_with_counter, "--board", str(board), "--notation", "probst")
    assert found == (0, "verified: inconsistent\n")


def test_verify_command_rejects_board_for_certificate_of_rules(
    client: TestClient, board: Path
) -> None:
    body = {"rules": [{"cells": ["a"], "mines": 2}], "certificate": True}
    answer = client.post("/v1/check", json=body).json()
    assert run_verify(answer) == (0, "verified: inconsistent\n")
    assert read_rejection(answer, "--board", str(board)).startswith("board: ")


@pytest.mark.parametrize("rows", [b"", b"1?\n?", b"9"])
def test_verify_command_exits_with_2_for_invalid_board(
    board: Path, certificate_with_counter: Document, rows: bytes
) -> None:
    board.write_bytes(rows)
    found = run(
        "verify", "-", "--board", str(board), stdin=json.dumps(certificate_with_counter).encode()
    )
    one_line(found, str(board))


# Totals, and fields that are not proved


def test_verify_command_can_require_certificate_without_total() -> None:
    assert run_verify(run_certified("check", "?1?"), "--mines", "none")[0] == 0
    assert read_rejection(
        run_certified("check", "?1?", "--mines", "1"), "--mines", "none"
    ).startswith("mines: ")


@pytest.mark.parametrize("mines", ["None", "null", "-1", "+1", "1.0", "", "any", "\u0663"])
def test_verify_command_rejects_invalid_total(
    certificate_with_counter: Document, mines: str
) -> None:
    found = run(
        "verify", "-", f"--mines={mines}", stdin=json.dumps(certificate_with_counter).encode()
    )
    one_line(found, "--mines")
    assert "none" in found.stderr


def test_verify_command_trusts_flags_of_given_board_on_demand(board: Path) -> None:
    board.write_text("F1?\n", encoding="utf-8")
    answer = run_certified("forced", "F1?\n", "--trust-flags")
    assert run_verify(answer, "--board", str(board), "--trust-flags")[0] == 0
    assert read_rejection(answer, "--board", str(board)).startswith("board: ")


def test_verify_command_exits_with_3_and_names_unproved_fields() -> None:
    status, output = run_verify({**run_certified("check", "?1?"), "more": 1, "\ud800": 2})
    assert status == 3
    assert output.startswith("verified: consistent\nnot proved: more: ")
    assert "not proved: \\ud800: " in output


def test_verify_command_names_fields_that_incomplete_answer_leaves_open() -> None:
    answer = run_certified("analyze", "?1?")
    answer |= {"forced": None, "solver": answer["solver"] | {"complete": False}}
    status, output = run_verify(answer)
    assert status == 0
    assert "left open: forced\n" in output


@pytest.mark.parametrize("name", ["count", "\ud800"])
def test_verify_command_rejects_duplicate_field(name: str) -> None:
    text = json.dumps(run_certified("count", "?1?"))
    twice = "{" + f"{json.dumps(name)}: 1, {json.dumps(name)}: 2, " + text[1:]
    found = run("verify", "-", stdin=twice.encode())
    assert found.exit_code == 1
    assert "twice" in found.stdout


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_verify_command_exits_with_2_for_numbers_that_json_lacks(number: str) -> None:
    found = run("verify", "-", stdin=f'{{"mines": {number}}}'.encode())
    one_line(found, number)


def test_verify_command_rejects_deeply_nested_answer() -> None:
    text = json.dumps({**run_certified("forced", "?1?"), "forced": {"mines": ["x"], "safe": []}})
    for depth in (50, 400, 800, 950):
        found = run("verify", "-", stdin=text.replace('"x"', "[" * depth + "]" * depth).encode())
        assert found.exit_code in (1, 2)
        assert isinstance(found.exception, SystemExit)


def test_help_of_verify_command_lists_exit_statuses() -> None:
    output = " ".join(run("verify", "--help").stdout.split())
    assert "3 if all is right as far as it is proved" in output
