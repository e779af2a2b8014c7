"""A fuzzer of all that reads what strangers send: ``python -m tests.fuzz --inputs 1000000``.

An input is bytes for one target. It is made from a valid one, by changes of its JSON values and of
its bytes; which, is decided by the seed and its number alone. A target reads it and may refuse it
as documented: everything else is a finding. The first finding ends the run, is cut down and saved,
and ``--replay FILE`` reads it again.
"""

import argparse
import asyncio
import gzip
import json
import os
import re
import sys
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from http import HTTPStatus
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import numpy as np
from starlette.requests import Request

from minecheck.app import functions, problems
from minecheck.app.batch import lines
from minecheck.app.batch.batch_line import PROBLEM, BatchLine
from minecheck.app.batch.chunks import Pace
from minecheck.app.batch.engine import Answers
from minecheck.app.batch.json_lines import JsonLineParser
from minecheck.app.batch.lines import LineTemplate, Summary
from minecheck.app.batch.stream import BatchResponse
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.execution import at_once
from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.functions.replays import REPLAYS
from minecheck.app.operation import FunctionOperation, Operation
from minecheck.app.problem_responses import Problem
from minecheck.app.problems import ProblemError
from minecheck.app.questions import QuestionOperation
from minecheck.app.requests.board_text import read_board_or_file
from minecheck.app.requests.body import read_job, receive_body
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.minefield import (
    DIALECTS,
    FORMATS,
    BoardError,
    FormatError,
    Layout,
    Opened,
    RuleError,
    draw,
    formats,
    parse,
    parse_rules,
)
from minecheck.minefield.board import MINE
from minecheck.minefield.certificates.agreement import review_answer
from minecheck.minefield.certificates.dimacs import ProofError, read_cnf
from minecheck.minefield.certificates.document import (
    CertificateError,
    read_certificate,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.certificates.lrat import check_proof
from minecheck.solvers import Deadline, Progress, answer_question
from minecheck.solvers.circuits.circuit import build_circuit
from minecheck.solvers.circuits.formula import FormulaError
from minecheck.solvers.circuits.formula import parse_formula as parse_formula
from minecheck.solvers.export import solution
from minecheck.solvers.export.solution import SolutionError
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.forced import ForcedCells
from tests import fuzz_connections
from tests.app.jobs import app_of, render_body
from tests.formulas import evaluate
from tests.tasks import REASONED, Task

#: Reads an input and says what became of it; what it raises is a finding.
Target: TypeAlias = Callable[[bytes], str]

#: Outcomes of what was not read far enough to be looked at.
UNREAD: Final = frozenset(
    {
        "invalid-json",
        "invalid-utf-8",
        "not-an-object",
        "unsupported-media-type",
        "unsupported-charset",
        "invalid-gzip",
    }
)
SETTINGS: Final = Settings(max_cells=10_000)


async def _run_here(read: Callable[[], Any]) -> Any:
    return read()


_APP: Final = app_of(SETTINGS, _run_here)
#: Lines of a batch that are longer are cut off.
_LONGEST_LINE: Final = 100
#: A problem says what is wrong in few words, whatever it is about.
_LONGEST_PROBLEM: Final = 10_000
#: It shows each board that a text may mean twice: alone, and as a request. It has at most so much.
_LONGEST_READING: Final = 50_000
_CHUNK: Final = 2_000


# --- targets --------------------------------------------------------------------------------------


def _describe_problem(error: ProblemError) -> str:
    """Return the type of a problem, which has to be one that a client can fix."""
    response = error.to_response()
    problem = Problem.model_validate_json(bytes(response.body), strict=True)
    assert 400 <= problem.status < 500, problem
    assert problem.detail, problem
    assert problem.fix, problem
    document = json.loads(bytes(response.body))
    for reading in document.pop("readings", ()):
        assert len(json.dumps(reading)) < _LONGEST_READING, reading
    assert len(json.dumps(document)) < _LONGEST_PROBLEM, document
    return problem.type.removeprefix(problems.TYPE_PREFIX)


def _line(operation: QuestionOperation, given: bytes) -> str:
    """A line of a batch, or a JSON body."""
    job = _read_question(operation, given, {})
    if isinstance(job, ProblemError):
        assert at_once.answer_together(operation, [given], {}, SETTINGS).answers == [None]
        return _describe_problem(job)
    answer = at_once.answer_job(job, Progress())
    if answer is not None:
        assert operation.is_answer(json.loads(answer)), answer
    # What is answered together with others is answered alike, and nothing else is.
    (together,) = at_once.answer_together(operation, [given], {}, SETTINGS).answers
    if together is not None:
        assert answer is not None, together
        assert _drop_time(together) == _drop_time(answer)
    return "read"


def _drop_time(content: bytes) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(content)
    answer["solver"].pop("elapsed_ms")
    return answer


def _read_question(
    operation: QuestionOperation, given: bytes, defaults: dict[str, Any]
) -> Job | ProblemError:
    template = LineTemplate(operation, defaults, SETTINGS)
    request = lines.read_request(template, BatchLine(given, 0))
    if request.job is not None:
        return request.job
    document = dict(request.problem or {})
    others = [document.pop(name) for name in ("detail", "fix")]
    error = ProblemError(
        HTTPStatus(document["status"]), document["type"].rpartition(":")[2], *others
    )
    error.document |= document
    return error


def _request(operation: QuestionOperation, given: bytes) -> str:
    """A request: its Content-Type, its query and its body, a line each."""
    try:
        _runner().run(_read_job(_build_request(given, {}), operation))
    except ProblemError as error:
        return _describe_problem(error)
    return "read"


async def _read_job(request: Request, operation: Operation) -> Job:
    return await read_job(request, await receive_body(request, operation), operation)


def _build_request(given: bytes, in_path: Mapping[str, str]) -> Request:
    kind, _, rest = given.partition(b"\n")
    query, _, body = rest.partition(b"\n")
    headers = [(b"content-type", kind)]
    scope = {"type": "http", "headers": headers, "query_string": query, "app": _APP}
    scope["path_params"] = in_path

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    return Request(scope, receive)


def _function(operation: FunctionOperation, in_path: Mapping[str, str], given: bytes) -> str:
    """A request for a function, as for a question; it is answered as far as that takes no time."""
    try:
        job = _runner().run(_read_job(_build_request(given, in_path), operation))
    except ProblemError as error:
        return _describe_problem(error)
    try:
        answer = operation.answer(job.input, Deadline.in_seconds(0.02))
    except ProblemError as error:
        return "late" if error.document["status"] == 503 else _describe_problem(error)
    if operation.follow_up is None and answer.startswith(b"{"):
        json.loads(answer)
    return "read"


#: The fields in paths: what stands there.
_IN_PATH: Final[Mapping[str, Sequence[str]]] = {
    "machine": ("kadlac", "hu-lin", "strip-3"),
    "format": ("mine",),
    "id": ("oH1wPcG3zD8mJTyzO3kYLA",),
}


def _list_routes() -> Iterator[tuple[str, Target]]:
    """Yield the routes that are no question, by name."""
    for one in map(functions.find_function, functions.NAMES):
        paths = [{name: value} for name in one.path_fields for value in _IN_PATH[name]] or [{}]
        for path in paths:
            name = "-".join([one.name, *(path.values() if len(paths) > 1 else ())])
            yield name, partial(_function, one, path)


_ROUTES: Final[Mapping[str, Target]] = dict(_list_routes())


def _board(notation: str, given: bytes) -> str:
    """A board as text or as a JSON value; what is read is drawn and read again."""
    text = given.decode("utf-8", "surrogatepass" if given.isascii() else "replace")
    try:
        source = json.loads(text)
    except (ValueError, RecursionError):
        source = text
    try:
        board = parse(source, notation)
    except BoardError as error:
        return _describe_problem(problems.make_board_problem(error))
    assert np.array_equal(parse(draw(board, notation), notation).cells, board.cells)
    return "read"


def _rules(given: bytes) -> str:
    """Rules as JSON; what is read has as many cells as it says."""
    source = _json(given)
    if source is _NONE:
        return "invalid-json"
    try:
        rules = parse_rules(source, 9 if given.endswith(b" ") else None)
    except RuleError as error:
        return _describe_problem(problems.make_rule_problem(error))
    assert all(0 <= index < rules.shape[1] for index in rules.number.values())
    return "read"


def _format(name: str, given: bytes) -> str:
    """A file; what is read and can be written is read again."""
    try:
        opened = formats.read(given, name, SETTINGS.max_cells)
        written = formats.write(opened, opened.format)
    except FormatError as error:
        return _describe_problem(problems.make_format_problem(error))
    # Notes say what was left out, so what is written has none.
    assert formats.read(written, opened.format) == replace(opened, notes=()), written
    return "read"


def _text(given: bytes) -> str:
    """A file or a text as people write it; what is read is read again in the standard notation."""
    try:
        found = read_board_or_file(given, None, SETTINGS.max_cells)
    except ProblemError as error:
        return _describe_problem(error)
    again = read_board_or_file("\n".join(draw(found.board)), None, SETTINGS.max_cells)
    assert again.board == found.board
    return "read"


def _certificate(given: bytes) -> str:
    """A certificate, or an answer with some, as JSON; what is read is written, read, verified."""
    source = _json(given)
    if source is _NONE:
        return "invalid-json"
    try:
        certificates = read_certificates(source)
        for one in certificates:
            document = json.loads(json.dumps(one.to_document()))
            assert read_certificate(document).to_document() == document
        shown = verify_all(certificates)
        if "certificate" in source:
            found = review_answer(source, read_subject(source), certificates, shown)
            "".join([*found.unproved, *found.open, *found.apart]).encode()
    except CertificateError as error:
        str(error).encode()
        return re.sub("[^a-z]+", "-", f"bad {error.field}")
    return "read"


def _proof(given: bytes) -> str:
    """A formula and a proof, with three dashes between the two."""
    cnf, _, proof = given.decode("utf-8", "replace").partition("---\n")
    try:
        check_proof(read_cnf(cnf), proof)
    except ProofError as error:
        str(error).encode()
        return f"bad-{error.text}"
    return "read"


def _solution(given: bytes) -> str:
    """Read what a solver printed, and judge it by a board."""
    try:
        found = solution.read_solution(given.decode("utf-8", "replace"))
        judged = solution.judge_solution(found, parse("1??\n??2"), 2)
    except SolutionError as error:
        str(error).encode()
        return "bad-solution"
    if judged is not None and judged.fits:
        assert judged.layout.fits_board(parse("1??\n??2"), 2)
    return "read"


def _formula(given: bytes) -> str:
    """A formula; what is read has a value, and what is not too large, a board."""
    try:
        formula = parse_formula(given.decode("utf-8", "replace"))
        made = build_circuit(formula)
    except FormulaError as error:
        str(error).encode()
        return error.code
    evaluate(formula, dict.fromkeys(formula.variables, True))
    assert made.variables.keys() == set(formula.variables)
    return "read"


def _batch(gzipped: bool, given: bytes) -> str:
    """The body of a batch, in pieces: each of its lines comes back."""
    try:
        body = gzip.decompress(given) if gzipped else given
    except (EOFError, OSError, zlib.error):
        body = None
    sent = _runner().run(_echo_body(given, gzipped))
    if body is None:
        assert PROBLEM in sent, sent[:200]
        return "invalid-gzip"
    if gzipped and PROBLEM in sent:
        # The module gzip forgives what follows the end, as long as it is zeros.
        assert given.endswith(b"\0"), given
        return "invalid-gzip"
    expected = body.split(b"\n")[: None if body and not body.endswith(b"\n") else -1]
    assert [line.removesuffix(b"\r")[:_LONGEST_LINE] for line in expected] == sent.split(b"\n")[
        :-1
    ], (expected, sent)
    return "read"


async def _echo_body(given: bytes, gzipped: bool) -> bytes:
    """Return the body of a batch that answers each line with its beginning."""
    chance = Random(zlib.crc32(given))
    cuts = sorted(chance.randint(0, len(given)) for _ in range(chance.randint(0, 4)))
    pieces = [given[start:end] for start, end in pairwise([0, *cuts, len(given)])]
    sent = []

    async def answers(chunk: list[BatchLine]) -> Answers:
        contents = [line.content[:_LONGEST_LINE] + b"\n" for line in chunk]
        return Answers(b"".join(contents), Summary(len(contents)))

    async def receive() -> dict[str, Any]:
        if not pieces:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message.get("body", b""))

    settings = Settings(max_body_bytes=_LONGEST_LINE, workers=1)
    engine: Any = SimpleNamespace(
        template=SimpleNamespace(settings=settings), answer_chunk=answers, pace=Pace(), room=2
    )
    response = BatchResponse(
        engine,
        WorkSlots(1),
        parser=JsonLineParser(_LONGEST_LINE, None),
        compression="gzip" if gzipped else None,
        gzip=False,
        summary=False,
    )
    await response({"type": "http", "method": "POST"}, receive, send)
    return b"".join(sent)


_NONE: Final = object()


def _json(given: bytes) -> Any:
    """The JSON value, as the command line reads it; _NONE if it is none."""
    try:
        return json.loads(given.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return _NONE


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


TARGETS: Final[Mapping[str, Target]] = {
    **{f"line/{operation.name}": partial(_line, operation) for operation in QUESTIONS},
    **{f"request/{operation.name}": partial(_request, operation) for operation in QUESTIONS},
    **{f"route/{name}": target for name, target in _ROUTES.items()},
    **{f"board/{notation}": partial(_board, str(notation)) for notation in DIALECTS},
    **{f"format/{name}": partial(_format, name) for name in (*FORMATS, formats.AUTO)},
    "text": _text,
    "connection": fuzz_connections.connection,
    "rules": _rules,
    "certificate": _certificate,
    "proof": _proof,
    "solution": _solution,
    "formula": _formula,
    "batch/plain": partial(_batch, False),
    "batch/gzip": partial(_batch, True),
}

# --- valid inputs ---------------------------------------------------------------------------------

_RULES: Final = [
    {"cells": ["a", "b"], "mines": 1},
    {"cells": ["b", "c", "é"], "low": 1, "high": 2},
    {"cells": [], "low": 0},
]
_PLAIN: Final[list[dict[str, Any]]] = [
    {"board": ["?1??", "?2??"], "mines": 2, "deadline_ms": 100},
    {"board": "?1?\r\n?F?\r\n", "flags": "trust"},
    {"board": ["?1??", "?2??", "??1?"], "mines": 3},
    {"board": [["?", 1, "B"], ["S", 2, "*"]], "notation": "standard"},
    {"board": ["++4-2", "--+ -"], "notation": "probst"},
    {"board": "x.1\n*x2", "notation": "minesweepr", "flags": "claims"},
]
_VARIED: Final[list[dict[str, Any]]] = [
    {"board": ["?1??", "?2??"], "topology": "torus", "layers": 2},
    {"board": ["S1??", "?2??"], "topology": "hexagonal", "clues": "0,0=1-3"},
    {"board": ["S1??"], "clues": [{"cell": [0, 0], "low": 1}], "neighbours": "0,1 0,-2"},
]
#: Of these nothing is explained.
_BEYOND: Final[list[dict[str, Any]]] = [
    {"board": ["S1??", "?2S?"], "clues": "0,0=1-3 1,2=0|2"},
    {"board": ["?1?B"], "neighbours": [[0, 1], [1, -1]], "mines_per_cell": 2, "most_lies": 1},
    {"board": ["?1?B"], "topology": "knight", "clues": [], "lies": 1},
]
_WITH_RULES: Final[list[dict[str, Any]]] = [
    {"rules": _RULES, "total_cells": 9, "mines": 3, "backend": "auto"},
    {"rules": _RULES, "board": None},
]
_OWN: Final[Mapping[Task, list[dict[str, Any]]]] = {
    Task.CHECK: [{"certificate": True}, {"backend": "sat"}],
    Task.COUNT: [
        {"density": 0.2, "fractions": True},
        {"density": 1e-300},
        {"certificate": True},
    ],
    Task.FORCED: [{"certificate": True}],
    Task.LAYOUTS: [
        {"offset": "9" * 30, "limit": 5},
        {"layout": ["B1BB", "2200"]},
        {"layout": [["B", 1, "S"], ["S", 2, "B"]]},
        {"layout": {"mines": ["b"], "others": [0, 1]}},
        {"window": "0,1,2,1", "offset": 1},
    ],
    Task.ANALYZE: [
        {"density": 0.12345678901234567890123, "fractions": False},
        {"certificate": True, "mines": 2},
    ],
    Task.STRIPS: [
        {"window": {"row": 0, "col": 1, "height": 1, "width": 2}},
        {"window": "0,0,2,2"},
    ],
    Task.SAMPLE: [{"offset": 7, "limit": 2, "seed": 2**62, "density": 0.5}],
    Task.EXPLAIN: [{"cell": [0, 0]}, {"cell": "0,1"}, {"cell": "é"}],
    Task.REPAIR: [{"limit": 3}],
    Task.CONFLICTS: [{"limit": 3}],
    Task.MOVES: [{"mines": 2, "limit": 3}],
    Task.COMPOSE: [
        {"keep": "forced", "symmetry": "half-turn", "leave": "safe", "reveals": 3},
        {"board": ["1B1", "111"], "mines": 1, "keep": "solvable", "difficulty": "global"},
        {"board": ["?1"], "mines": 1, "keep": "forced", "reveals": 1, "layout": ["B1"]},
    ],
}
_QUERIES: Final = [
    *("", "mines=1&deadline_ms=50", "notation=probst&flags=trust", "backend=sat"),
    *("topology=torus&layers=2", "neighbours=0,1%20-1,0", "clues=0,0=1-2&lies=1&mines_per_cell=2"),
]
_OWN_QUERIES: Final[Mapping[Task, list[str]]] = {
    Task.CHECK: ["certificate=true"],
    Task.COUNT: ["density=.5e-3&fractions=true"],
    Task.FORCED: ["certificate=false"],
    Task.LAYOUTS: ["offset=99999999999999999999&limit=3", "window=0,0,1,1"],
    Task.ANALYZE: ["density=0.1&mines=%31"],
    Task.STRIPS: ["window=0,0,1,1", "window=0%2C0%2C1%2C2"],
    Task.SAMPLE: ["seed=5&limit=2&offset=1&density=0.25"],
    Task.EXPLAIN: ["cell=0,1"],
    Task.REPAIR: ["limit=3"],
    Task.CONFLICTS: ["limit=3"],
    Task.MOVES: ["mines=2&limit=3"],
    Task.COMPOSE: ["keep=forced&leave=safe&reveals=2", "symmetry=quarter-turn"],
}
_OUTPUTS: Final = (
    b"c done\ns SATISFIABLE\nv 1 -2 -3\nv 4 0\n",
    b"s OPTIMUM FOUND\nv x1 -x2 x4\n",
    b"x1 = 0;\nx2 = 1;\nx3 = true;\n----------\n",
    b"sat\n(\n  (define-fun x1 () Bool\n    true)\n)\n((x2 false) (x3 true))\n",
    b"UNSAT\n",
    b"=====UNKNOWN=====\n",
)
#: Texts as people write boards.
_PASTED: Final = Path(__file__).parent / "minefield" / "reader" / "pasted.jsonl"
_TEXTS: Final = ["?1??\n?2??\n", "?F\r\n2?", "++4-2\n--+ -", "0"]


@cache
def valid(target: str) -> Sequence[bytes]:
    """Inputs that the target reads."""
    kind, _, name = target.partition("/")
    match kind:
        case "line":
            return [json.dumps(body).encode() for body in _bodies(Task(name))] + [b'"?1?"']
        case "request":
            return list(_requests(Task(name)))
        case "route":
            return list(_iterate_requests(name))
        case "board":
            rows = ["".join(DIALECTS[name]) * 2, "".join(reversed([*DIALECTS[name]])) * 2]
            return ["\n".join(rows).encode(), json.dumps([*map(list, rows)]).encode()]
        case "format":
            names = FORMATS if name == formats.AUTO else (name,)
            return [one for known in names for one in _files(known)]
        case "text":
            pasted = map(json.loads, _PASTED.read_text(encoding="utf-8").splitlines())
            return [
                one["text"].encode("utf-8", "surrogatepass") for one in pasted if "code" not in one
            ]
        case "connection":
            return fuzz_connections.VALID
        case "rules":
            return [json.dumps(_RULES).encode(), json.dumps(_RULES[:1]).encode() + b" "]
        case "certificate":
            return [json.dumps(one).encode() for one in _list_certified()]
        case "proof":
            proved = [one["certificate"] for one in _list_certified()]
            return [
                b"p cnf 1 3\n-1 0\n1 0\n1 0\n---\n3 d 3 0\n4 0 1 2 0\n",
                *(
                    f"{one['cnf']}---\n{one['proof']}".encode()
                    for given in proved
                    for one in given.get("proofs", [given])
                    if "cnf" in one
                ),
            ]
        case "solution":
            return list(_OUTPUTS)
        case "formula":
            return [b"(a & b) | !c", b"x1 -> ~x1 <-> 0 ^ true", b"((a|b)&(b|c))&!a"]
    lines = [json.dumps(body).encode() for body in _bodies(Task.CHECK)]
    bodies = [b"\n".join(lines), b'"?1"\n\n"1?"\r\n', b"x" * 300 + b"\n" + b"y" * 99]
    if name == "plain":
        return bodies
    members = [gzip.compress(body, mtime=0) for body in bodies]
    return [*members, b"".join(members)]


def _bodies(task: Task) -> Iterator[dict[str, Any]]:
    plane = task in (Task.STRIPS, Task.MOVES, Task.COMPOSE)
    boards = _PLAIN if plane else [*_PLAIN, *_VARIED, *_WITH_RULES]
    if not plane and task not in REASONED:
        boards = [*boards, *_BEYOND]
    for body in boards:
        for own in _OWN[task]:
            yield body | own


def _requests(task: Task) -> Iterator[bytes]:
    for body in _bodies(task):
        yield b"application/json; charset=utf-8\n\n" + json.dumps(body).encode()
    for query in (*_QUERIES, *_OWN_QUERIES[task]):
        for text in _TEXTS:
            yield f"text/plain\n{query}\n{text}".encode()


#: Replays as text, RAWVF and msor.
_REPLAY_TEXTS: Final = (
    b"RawVF_Version: Rev6\nTime: 1.1\nBoard:\n*00\nEvents:\n1.0 lc 3 1 (40 8)\n1.1 lr 3 1 (40 8)\n",
    b'{"header": {"width": 2, "height": 1, "mines": 1}, "replay": [{"type": 0, "x": 1, "y": 0, '
    b'"time": 9, "touchCells": [1, 0, 1, 0, 0]}]}',
)
#: What each route takes that is no question, by the beginning of its name.
_BODIES: Final[Mapping[str, list[dict[str, Any]]]] = {
    "boards": [
        {"height": 5, "width": 6, "mines": 6, "kind": "guess-free", "seed": "7"},
        {"height": 3, "width": 3, "mines": 2, "first": "1,1", "kind": "random", "deadline_ms": 9},
        {"height": 4, "width": 9, "mines": 5, "difficulty": "subset", "first": [0, 0]},
    ],
    "grade": [
        {"layout": ["1B", "11"], "first": [1, 0]},
        {"file": "9x9:4,4,mb071b49fbd1cb6a0d5868"},
        {"file": "1B1\n111", "first": "1,0", "format": "auto", "deadline_ms": 50},
    ],
    "replays": [
        dict(REPLAYS.examples["file"].request),
        *({"file": b64encode(text).decode(), "moment": "1"} for text in _REPLAY_TEXTS),
    ],
    "export": [
        *({**_PLAIN[0], "into": into} for into in ("dimacs", "opb", "minizinc", "smtlib")),
        {"rules": _RULES, "into": "smtlib", "total_cells": 5},
        {**_VARIED[0], "into": "opb"},
        {**_BEYOND[0], "into": "dimacs"},
    ],
    "solution": [
        *({"board": ["1??", "??2"], "mines": 2, "output": out.decode()} for out in _OUTPUTS),
        {"rules": _RULES, "output": "v 1 -2 3 0"},
    ],
    "languages": [
        {"rows": 2, "cols": 3, "limit": 3, "offset": "17"},
        {"rows": 1, "cols": 4, "safe": True, "after": ["1?S?"], "deadline_ms": 50},
        {"rows": 3, "cols": 2, "seed": "5", "limit": 2},
    ],
    "circuits": [{"formula": "a & !b"}, {"formula": "!a", "layout": ["0B", "11"]}],
    "deal": [{"height": 5, "width": 6, "mines": 6, "kind": "random", "seed": "7"}],
    "game": [{}],
    "open": [{"cell": [0, 1]}, {"cell": "2,3"}],
    "write_format": [
        {"layout": ["1B1", "111"], "first": [1, 0]},
        {"board": ["1F?", "11?"], "mines": 1, "flags": "trust"},
    ],
    "run": [
        {"board": ["1??", "B1?"], "window": "0,0,1,2"},
        {"board": ["1?B?"], "deadline_ms": 50},
        {"board": ["1?", "?2"]},
        {"board": ["1?", "?2", "??"]},
        {"board": ["??1", "2??", "?1?"], "deadline_ms": 50},
    ],
    "paths": [
        {"board": ["1??", "B1?"], "window": "0,0,1,2", "limit": 5},
        {"board": ["1?"], "outcome": "accepted", "deadline_ms": 50},
        {"board": ["1?", "?2"], "outcome": "rejected", "picture": True},
        {"board": ["1?", "?2", "??"], "limit": 3},
        {"board": ["??1", "2??", "?1?"], "outcome": "accepted"},
    ],
    "step": [
        {"column": "1"},
        {"column": "1?", "states": ["s0", "10?0"]},
        {"column": "1?0", "states": ["---", "B--"], "deadline_ms": 50},
        {"column": "?", "states": ["so", "1o"]},
    ],
}


def _iterate_requests(name: str) -> Iterator[bytes]:
    if name.startswith("read_format"):
        yield b"application/json\n\n3x2x1\n1FH\n11H\n"
        return
    for body in _BODIES[name.partition("-")[0]]:
        yield b"application/json\n\n" + json.dumps(body).encode()
    if name == "grade":
        yield b"text/plain\nfirst=1,0&format=auto\n1B\n11"
    elif "board" in _BODIES[name.partition("-")[0]][0]:
        yield b"text/plain\nlimit=2&deadline_ms=50&into=opb\n1?\n??"


def _files(name: str) -> Iterator[bytes]:
    """A map and views in a format, as far as it has them."""
    layout = Layout(parse("B?B??\n?????\nBB??B").cells == MINE)
    board = parse("?2?11\n??212\n??F?1")
    unmarked = parse("?2?11\nS?212\n????1")
    for opened in (
        Opened(None, layout, None, name, (1, 4)),
        Opened(board, None, 6, name),
        Opened(unmarked, None, 6, name),
        Opened(board, layout, 6, name),
    ):
        with suppress(FormatError):
            written = formats.write(opened, name)
            yield written if isinstance(written, bytes) else written.encode()


@cache
def _list_certified() -> Sequence[dict[str, Any]]:
    """Answers with certificates of every claim."""
    split = parse("?1?S?1?")
    rules = parse_rules([{"cells": ["a", "b"], "mines": 1}, {"cells": ["b"], "mines": 0}], 4)
    questions = [
        Check(parse("1?\n??"), certificate=True),
        Check(parse("11?\n???\n3??"), certificate=True),
        Check(split, 1, certificate=True),
        ForcedCells(parse("1?0\n?S?"), 1, certificate=True),
        Check(rules, 2, certificate=True),
        ForcedCells(rules, 1, certificate=True),
        Count(parse("1?1??\n??2??\n??1??"), certificate=True),
        Analyze(parse("1?1??\n??2??\n??1??"), 4, certificate=True),
        Count(split, 1, certificate=True),
        Analyze(rules, certificate=True, by_mines=True),
    ]
    found = [(one, answer_question(one, Deadline.in_seconds(None))) for one in questions]
    return [json.loads(render_body(*one)) for one in found]


# --- changes --------------------------------------------------------------------------------------

#: What stands in for a JSON value.
_ODD: Final[Sequence[Any]] = [
    *(None, True, False, 0, -1, 1, 2, 9, 2**31, 2**63, 2**64, 10**30, -(10**30), 10**4000),
    *(0.5, 1.0, -0.0, 1e-300, 1e300, 5e-324, "", " ", "?", "1", "0,0", "0,0,1,1", "-1", "1e2"),
    *("\ud800", "\udfff?", "\0", "é", "\U0001f600", "٣", "²", "\n", "\r\n", "a" * 101, "9" * 4301),
    *([], {}, [[]], [{}], [None], [""], ["?"], ["?", "??"], [[0, 0]], [0, 0], [[["?"]]], {"a": 1}),
    *({"mines": []}, {"row": 0}, {"cells": ["a"], "mines": 1}, {"order": [], "at_least": []}),
    *("kadlac", "standard", "consistent", "mine", "p cnf 0 0\n", "0\n", "c total\n1 0\n"),
]
#: Stands for lists in each other, more than can be written.
_DEEP: Final = "<deep>"
#: What is put in among bytes.
_TOKENS: Final[Sequence[bytes]] = [
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"1e-999", b"-0", b"-1", b"1.0", b"0.5"),
    *(b"9" * 20, b"9" * 4300, b"9" * 4301, b"0." + b"3" * 120, b"2147483648", b"4294967296"),
    *(b'"', b"\\", b'\\"', b"{", b"}", b"[", b"]", b",", b":", b" ", b"\t", b"\n", b"\r", b"\r\n"),
    *(b"\\ud800", b"\\udc00\\ud800", b"\\ud83d\\ude00", b"\\u0000", b"\\u00e9", b"\\uD8", b"\\x"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xff", b"\0"),
    *(
        b"\xf4\x90\x80\x80",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xd9\xa3",
        b"\xc2\xb2",
        b"\x0b",
        b"\x1f",
    ),
    *(
        b'"board":null,',
        b'"board":"?",',
        b'"mines":1,',
        b'"rules":[],',
        b'"lies":1,',
        b'"":0,',
        b'"limit":1e1,',
    ),
    *(b"&", b"=", b"%", b"%00", b"%ed%a0%80", b"%ff", b"+", b";", b"mines=1&", b"board=1&", b"%26"),
    *(
        b"charset=utf-16",
        b"; charset=",
        b"p cnf 3 2\n",
        b"c clue 0 0\n",
        b"c counter 0\n",
        b"c rule",
    ),
    *(b" 0\n", b"d ", b"-1 ", b"2 ", b"---\n", b"c claim\n", b"c total\n", b"1073741825"),
    *(b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"?", b"B", b"F", b"S", b"8", b"9"),
]


def make_input(
    seed: int, number: int, targets: Sequence[str] = tuple(TARGETS)
) -> tuple[str, bytes]:
    """The target, one of some, and the bytes of an input."""
    chance = Random(seed << 40 | number)
    target = targets[chance.randrange(len(targets))]
    return target, mutate_input(chance, target, chance.choice(valid(target)))


def mutate_input(chance: Random, target: str, given: bytes) -> bytes:
    """Another input, which may be the same."""
    if chance.random() < 0.6:
        given = _change_bytes(chance, target, given)
    if chance.random() < 0.6:
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            given = _bend_bytes(chance, given, target)
    return given


def _change_bytes(chance: Random, target: str, given: bytes) -> bytes:
    """The input with changes in its JSON value, if it has one, written in another way."""
    packed = target == "batch/gzip"
    try:
        text = gzip.decompress(given) if packed else given
    except (EOFError, OSError, zlib.error):
        return given
    sent = target.startswith(("request/", "route/"))
    head, split, body = text.rpartition(b"\n\n" if sent else b"\n")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return given
    for _ in range(chance.choice((1, 1, 2, 3))):
        value = _alter_value(chance, value, target)
    style: dict[str, Any] = chance.choice(
        ({}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False})
    )
    text = head + split + json.dumps(value, **style).encode("utf-8", "surrogatepass")
    deep = chance.randint(870, 1000)
    text = text.replace(json.dumps(_DEEP).encode(), b"[" * deep + b"]" * deep)
    return gzip.compress(text, mtime=0) if packed else text


def _alter_value(chance: Random, value: Any, target: str) -> Any:
    """The JSON value with one of its parts replaced, left out, doubled, wrapped or bent."""
    if isinstance(value, dict | list) and value and chance.random() < 0.85:
        copy: Any = value.copy()
        key = (
            chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        )
        match chance.random():
            case draw if draw < 0.08:
                del copy[key]
            case draw if draw < 0.16 and isinstance(copy, dict):
                copy[_name(chance, target)] = copy[key]
            case draw if draw < 0.16:
                copy.insert(key, copy[chance.randrange(len(value))])
            case _:
                copy[key] = _alter_value(chance, value[key], target)
        return copy
    match chance.randrange(8):
        case 0:
            return [value]
        case 1 if isinstance(value, str):
            return _bend_bytes(chance, value.encode("utf-8", "surrogatepass"), target).decode(
                "utf-8", "replace"
            )
        case 1 if isinstance(value, int):
            return value + chance.choice((-1, 1, 8, 1 << 31))
        case 2:
            return _nest_values(chance)
        case 3:
            return chance.choice(_values(target))
    return chance.choice(_ODD)


def _name(chance: Random, target: str) -> str:
    """The name of some field, right or wrong."""
    known = [name for given in _objects(target) for name in given]
    return chance.choice([*known, "", "a/b~", "\ud800", "x" * 300])


@cache
def _values(target: str) -> Sequence[Any]:
    """All values of fields in valid inputs."""
    return [None, *(value for given in _objects(target) for value in given.values())]


@cache
def _objects(target: str) -> Sequence[dict[str, Any]]:
    """The objects that valid inputs are."""
    found = [_json(given.rpartition(b"\n\n")[2]) for given in valid(target)]
    nested = [one.get("certificate") for one in found if isinstance(one, dict)]
    return [one for one in (*found, *nested, _RULES[0], _RULES[1]) if isinstance(one, dict)]


def _nest_values(chance: Random) -> Any:
    """Lists and objects in each other, few or about as many as can be read."""
    if chance.random() < 0.2:
        return _DEEP
    value = chance.choice(_ODD)
    for _ in range(chance.choice((1, 2, 5, 50))):
        value = [value] if chance.random() < 0.7 else {"a": value}
    return value


def _bend_bytes(chance: Random, given: bytes, target: str) -> bytes:
    """The bytes with a change somewhere."""
    at = chance.randint(0, len(given))
    end = min(len(given), at + chance.choice((0, 1, 1, 2, 8, 40)))
    match chance.randrange(10):
        case 0 if at < len(given):
            return given[:at] + bytes([given[at] ^ 1 << chance.randrange(8)]) + given[at + 1 :]
        case 1:
            return given[:at]
        case 2:
            return given[:at] + given[end:]
        case 3:
            return given[:end] + given[at:]
        case 4:
            other = chance.choice(valid(target))
            return given[:at] + other[chance.randint(0, len(other)) :]
        case 5:
            return given[:at] + chance.randbytes(chance.randint(1, 4)) + given[end:]
        case 6 if chance.random() < 0.05:
            deep = chance.choice((20, chance.randint(900, 1000), 20_000))
            return given[:at] + b"[" * deep + b"]" * deep + given[end:]
        case 6 if chance.random() < 0.02:
            return given[:at] + given[at:end] * chance.randint(100, 3000) + given[end:]
    tokens = fuzz_connections.TOKENS if target == "connection" else _TOKENS
    return given[:at] + chance.choice(tokens) + given[end:]


# --- runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that a target neither read nor rejected, and the error."""

    target: str
    given: bytes
    error: str

    def save(self, folder: Path) -> Path:
        """Write it for ``--replay``: the target in the first line, then the bytes."""
        path = folder / f"fuzz-{zlib.crc32(self.given):08x}.bin"
        path.write_bytes(self.target.encode() + b"\n" + self.given)
        return path


@dataclass(slots=True)
class Tally:
    """The outcomes of inputs: their number by target and outcome, and the slowest of them."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: tuple[float, str, bytes] = (0.0, "", b"")
    finding: Finding | None = None

    def take(self, other: "Tally") -> None:
        """Add another one."""
        self.outcomes += other.outcomes
        self.slowest = max(self.slowest, other.slowest)
        self.finding = self.finding or other.finding


def failure(target: str, given: bytes) -> str | None:
    """The kind of error that an input makes a target raise, if it is none of the documented."""
    try:
        TARGETS[target](given)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {error}"[:300]
    return None


def stretch(seed: int, first: int, end: int, targets: Sequence[str] = tuple(TARGETS)) -> Tally:
    """Try the inputs of these numbers, up to the first finding."""
    tally = Tally()
    for number in range(first, end):
        target, given = make_input(seed, number, targets)
        started = perf_counter()
        try:
            outcome = TARGETS[target](given)
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            tally.finding = Finding(target, given, f"{type(error).__name__}: {error}"[:300])
            break
        tally.slowest = max(tally.slowest, (perf_counter() - started, target, given))
        tally.outcomes[target, outcome] += 1
    return tally


def smallest(finding: Finding) -> Finding:
    """The finding with as much left out of its bytes as still gives the same kind of error."""
    given, kind = finding.given, finding.error.partition(":")[0]
    size = len(given)
    while size := size // 2:
        start = 0
        while start < len(given):
            shorter = given[:start] + given[start + size :]
            error = failure(finding.target, shorter)
            if error is not None and error.partition(":")[0] == kind:
                given = shorter
            else:
                start += size
    return Finding(finding.target, given, failure(finding.target, given) or finding.error)


def run(seed: int, inputs: int, processes: int, targets: Sequence[str]) -> Tally:
    """Try so many inputs, and say now and then how it goes; ends with the first finding."""
    tally, started = Tally(), perf_counter()
    bounds = [*range(0, inputs, _CHUNK), inputs]
    with ProcessPoolExecutor(processes, get_context("forkserver")) as pool:
        coming = [pool.submit(stretch, seed, *pair, targets) for pair in pairwise(bounds)]
        for done, one in enumerate(as_completed(coming), 1):
            tally.take(one.result())
            many = tally.outcomes.total()
            if tally.finding is not None:
                pool.shutdown(cancel_futures=True)
                break
            if done % 20 == 0 or done == len(coming):
                print(f"{many} inputs, {many / (perf_counter() - started):.0f}/s", flush=True)
    return tally


def report(tally: Tally) -> str:
    """Describe the outcomes of each target, and the share of inputs that got past the syntax."""
    report_lines = []
    for target in TARGETS:
        outcomes = Counter(
            {outcome: many for (name, outcome), many in tally.outcomes.items() if name == target}
        )
        total = outcomes.total() or 1
        past = 1 - sum(outcomes[outcome] for outcome in UNREAD) / total
        shares = (f"{name} {many / total:.1%}" for name, many in outcomes.most_common(8))
        report_lines.append(
            f"{target}: {total} inputs, {past:.0%} past the syntax: {', '.join(shares)}"
        )
    seconds, target, given = tally.slowest
    report_lines.append(
        f"slowest: {seconds * 1000:.0f} ms, {target}, {len(given)} bytes: {given[:300]!r}"
    )
    return "\n".join(report_lines)


def main() -> None:
    """Run, or replay; the exit status is 1 for a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="by default all")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=Path("/tmp"), help="where findings go")
    parser.add_argument("--replay", type=Path, help="a finding that was saved")
    options = parser.parse_args()
    if options.replay is not None:
        name, _, given = options.replay.read_bytes().partition(b"\n")
        print(TARGETS[name.decode()](given))
        return
    tally = run(options.seed, options.inputs, options.processes, options.targets or list(TARGETS))
    print(report(tally))
    if tally.finding is not None:
        found = smallest(tally.finding)
        print(f"{found.target}: {found.given[:2000]!r}\n{found.error}")
        sys.exit(f"saved: replay with --replay {found.save(options.folder)}")


if __name__ == "__main__":
    main()
