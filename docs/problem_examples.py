"""Examples of the types of problems in docs/problems.md: requests, or the code that raises them."""

import asyncio
import gzip
import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from starlette.requests import Request as AppRequest
from starlette.types import Message

from minecheck.app import problems
from minecheck.app.functions import replays
from minecheck.app.games.redis_games import RedisGames
from minecheck.app.games.stores import MemoryGames
from minecheck.app.middleware import auth, connections
from minecheck.app.problems import OutOfMemory, Overloaded, ProblemError, WorkerLost
from minecheck.app.requests import body, upload
from minecheck.app.settings import Settings

KEY: Final = "minecheck_example"
#: The settings of the servers that answer the requests, by name.
SERVERS: Final[Mapping[str, Mapping[str, str]]] = {
    "default": {},
    "strict": {
        "MINECHECK_API_KEYS": json.dumps({"alice": f"sha256:{sha256(KEY.encode()).hexdigest()}"}),
        "MINECHECK_MAX_BODY_BYTES": "1000",
        "MINECHECK_CORS_ORIGINS": "https://game.example",
    },
}


class Request(NamedTuple):
    """A request that is answered with a problem: its bytes, and the name of its server."""

    content: bytes
    server: str = "default"


class Situation(NamedTuple):
    """A problem that no single request brings about: when it occurs, and what raises it."""

    description: str
    problem: Callable[[], dict[str, Any]]


Example: TypeAlias = Request | Situation


def send(method: str, target: str, *headers: str, content: bytes = b"") -> bytes:
    """Return the bytes of a request to the address of a service on this machine."""
    fields = ["Host: 127.0.0.1:8000", *headers]
    if content:
        fields.append(f"Content-Length: {len(content)}")
    head = "".join(f"{line}\r\n" for line in (f"{method} {target} HTTP/1.1", *fields, ""))
    return head.encode() + content


def get(target: str) -> Request:
    """Return a request without a body."""
    return Request(send("GET", target))


def post(target: str, fields: object) -> Request:
    """Return a request with a JSON body, which may be given as text."""
    content = fields if isinstance(fields, str) else json.dumps(fields)
    kind = "Content-Type: application/json"
    return Request(send("POST", target, kind, content=content.encode()))


def send_text(target: str, content: str | bytes, *headers: str) -> Request:
    """Return a request with a plain text as its body."""
    given = content if isinstance(content, bytes) else content.encode()
    return Request(send("POST", target, "Content-Type: text/plain", *headers, content=given))


def send_batch(content: bytes, *headers: str, strict: bool = False) -> Request:
    """Return a batch of checks, perhaps to the strict server."""
    kind = ("Content-Type: application/x-ndjson", *headers)
    key = (f"X-API-Key: {KEY}",) if strict else ()
    sent = send("POST", "/v1/batch?task=check", *kind, *key, content=content)
    return Request(sent, "strict" if strict else "default")


def send_batch_text(content: str) -> Request:
    """Return a batch of boards as text."""
    kind = "Content-Type: text/plain"
    return Request(send("POST", "/v1/batch?task=check", kind, content=content.encode()))


def _raised(act: Callable[[], object]) -> Callable[[], dict[str, Any]]:
    """Return the document of the problem that ``act`` raises or returns."""

    def document() -> dict[str, Any]:
        try:
            found = act()
        except ProblemError as error:
            found = error
        assert isinstance(found, ProblemError)
        return found.document

    return document


async def _read_broken_body() -> object:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "headers": [(b"content-length", b"100")]}
    return await body.read_body(AppRequest(scope, receive), Settings())


async def _ask_dead_redis() -> object:
    # Nobody listens at this port.
    games = RedisGames("redis://127.0.0.1:1/0", 60, 1000)
    try:
        return await games.find_game("game")
    finally:
        await games.close()


def _read_proxy_answer() -> dict[str, Any]:
    file = Path(__file__).parents[1] / "docker" / "problems" / "503.http"
    document: dict[str, Any] = json.loads(file.read_text().partition("\n\n")[2])
    return document


_BOARD: Final = ["1?", "??"]
_LONG: Final = "a" * 40_000
LINK: Final = "https://davidnhill.github.io/JSMinesweeper/?"
TITLE: Final = "# MINESWEEPER-BOARD v0.1\n"
SIZE: Final = "rows: 1\ncolumns: 2\nmines: 1\n"
#: The example of each type, by code.
EXAMPLES: Final[Mapping[str, Example]] = {
    "malformed-request": Request(b"CHECK THIS BOARD\r\n\r\n"),
    "bad-host": Request(b"GET /v1/formats HTTP/1.1\r\n\r\n"),
    "unsupported-transfer-encoding": Request(
        send("POST", "/v1/check", "Transfer-Encoding: gzip, chunked")
    ),
    "no-proxy": Request(b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n"),
    "head-too-large": Request(send("GET", "/v1/formats", f"X-Filler: {_LONG}")),
    "trailer-too-large": Request(
        send("POST", "/v1/check", "Content-Type: text/plain", "Transfer-Encoding: chunked")
        + f"2\r\n1?\r\n0\r\nX-Filler: {_LONG}\r\n\r\n".encode()
    ),
    "wrong-host": Request(b"GET /v1/formats HTTP/1.1\r\nHost: rebound.example\r\n\r\n"),
    "foreign-page": Request(
        send(
            *("GET", "/v1/formats", "Origin: https://other.example"),
            *("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"),
        )
    ),
    "cors-refused": Request(
        send(
            *("OPTIONS", "/v1/check", "Origin: https://other.example"),
            "Access-Control-Request-Method: POST",
        ),
        "strict",
    ),
    "proxy": Situation("No replica of the service can be reached.", _read_proxy_answer),
    "missing-key": Request(send("GET", "/v1/formats"), "strict"),
    "wrong-key": Request(send("GET", "/v1/formats", "X-API-Key: mistyped"), "strict"),
    "too-many-requests": Situation(
        "The client has used up its requests for now.", _raised(lambda: auth._make_rate_problem(2))
    ),
    "not-found": get("/v1/chekc"),
    "method-not-allowed": get("/v1/check"),
    "unknown-machine": get("/v1/automata/kadlak"),
    "no-such-format": send_text("/v1/formats/mines", "1x1x0\n0\n"),
    "no-such-game": get("/v1/games/oH1wPcG3zD8mJTyzO3kYLA"),
    "unsupported-media-type": Request(
        send(
            *("POST", "/v1/check", "Content-Type: application/x-www-form-urlencoded"),
            content=b"1?",
        )
    ),
    "unsupported-charset": Request(
        send("POST", "/v1/check", "Content-Type: text/plain; charset=utf-16", content=b"1?")
    ),
    "json-as-text": send_text("/v1/check", '{"board": ["1?"]}'),
    "unsupported-encoding": send_text("/v1/check", "1?", "Content-Encoding: br"),
    "invalid-gzip": send_batch(b'"1?"\n', "Content-Encoding: gzip"),
    "invalid-zstd": send_text("/v1/check", "1?", "Content-Encoding: zstd"),
    "inflates-too-much": send_batch(
        gzip.compress(b"\n" * 200_000, mtime=0), "Content-Encoding: gzip", strict=True
    ),
    "body-too-large": Request(
        send(
            *("POST", "/v1/check", "Content-Type: text/plain", f"X-API-Key: {KEY}"),
            *("Content-Length: 2000", "Expect: 100-continue"),
        ),
        "strict",
    ),
    "line-too-long": send_batch(b'"' + b"?" * 2000 + b'"\n', strict=True),
    "incomplete-body": Situation(
        "The client disconnects while it sends the body.",
        _raised(lambda: asyncio.run(_read_broken_body())),
    ),
    "request-timeout": Situation(
        "The client sends half of a body, and then nothing.",
        _raised(lambda: upload._make_paused_upload_problem(20.0)),
    ),
    "invalid-utf-8": send_text("/v1/check", b"1?\n\xff?"),
    "invalid-json": post("/v1/check", '{"board": ["1?", "??"]'),
    "repeated-name": post("/v1/check", '{"board": ["1?"], "mines": 1, "mines": 2}'),
    "too-many-names": post("/v1/check", {f"a{number}": 1 for number in range(101)}),
    "query-with-json": post("/v1/check?mines=1", {"board": _BOARD}),
    "not-an-object": post("/v1/check", [1, 2]),
    "unknown-field": post("/v1/check", {"board": _BOARD, "mine": 1}),
    "missing-field": post("/v1/check", {"mines": 1}),
    "bad-value": post("/v1/check", {"board": _BOARD, "backend": "z3"}),
    "over-the-limit": post("/v1/check", {"board": _BOARD, "deadline_ms": 600_000}),
    "offset-beyond-the-last": post("/v1/layouts", {"board": _BOARD, "offset": 4}),
    "backend-refuses": post("/v1/count", {"board": ["?" * 40] * 40, "backend": "exhaustive"}),
    "board-and-rules": post(
        "/v1/check", {"board": _BOARD, "rules": [{"cells": ["a", "b"], "mines": 1}]}
    ),
    "bad-rule": post("/v1/check", {"rules": [{"cells": ["a", "b"], "mines": 3}, {"mines": 1}]}),
    "bad-window": post("/v1/strips", {"board": _BOARD, "window": "0,1,2,5"}),
    "cell-off-the-board": Situation(
        "POST /v1/games/{id}/open with the cell [5, 0], for a game on a board of 5 rows.",
        _raised(lambda: problems.require_on_board("cell", "The cell", (5, 0), (5, 6))),
    ),
    "board-type": post("/v1/check", {"board": 12}),
    "empty-board": post("/v1/check", {"board": []}),
    "ragged-rows": post("/v1/check", {"board": ["1?", "???"]}),
    "missing-bracket": send_text("/v1/check", "[[1, null], [null, 1]"),
    "ambiguous-board": send_text("/v1/count", "1.1\n..."),
    "unknown-meaning": post("/v1/check", {"board": ["1#"], "symbols": {"#": "covered"}}),
    "ambiguous-blank-lines": send_batch_text("1?\n\n??\n"),
    "several-boards": send_text("/v1/check", "1?\n??\n\n2?\n??\n1?"),
    "no-board": send_text("/v1/formats/auto", '{"mines": 3}'),
    "link-without-board": send_text("/v1/formats/auto", "https://example.org/game/123"),
    "bad-link": send_text("/v1/formats/auto", "http://127.0.0.1:8000/#analyse?b=1_&x=3"),
    "stray-blank": send_text("/v1/check", "1? ?\n????"),
    "unknown-symbol": post("/v1/check", {"board": ["1?", "9?"]}),
    "unknown-notation": post("/v1/check", {"board": _BOARD, "notation": "standart"}),
    "format-unknown": send_text("/v1/formats/auto", b"\x02\x02\x00\x01\x00\x00"),
    "two-boards": send_text("/v1/formats/jsminesweeper", f"{LINK}analysis=acabaaabMS&b=0301&m=g"),
    "wrong-head": send_text("/v1/formats/mine", "3 by 2\nHHH\nHHH\n"),
    "invalid-xml": send_text("/v1/formats/legup", '<Legup><puzzle name="Minesweeper"></Legup>'),
    "wrong-line": send_text("/v1/formats/board", f"{TITLE}hello\n"),
    "wrong-field": send_text("/v1/formats/board", f"{TITLE}rows: two\n\n[view]\n1U\n"),
    "wrong-size": send_text("/v1/formats/auto", "3x2x1\n1FH\n"),
    "wrong-length": send_text("/v1/formats/hex", "02 02 00 01"),
    "wrong-number": send_text("/v1/formats/board", f"{TITLE}{SIZE}\n[real]\n2*\n"),
    "mines-differ": post("/v1/formats/board/write", {"layout": ["1B"], "mines": 2}),
    "unknown-version": send_text("/v1/formats/board", "# MINESWEEPER-BOARD v9.9\n"),
    "unknown-render": send_text(
        "/v1/formats/board", f"{TITLE}# Render: runes\n{SIZE}\n[view]\n1U\n"
    ),
    "not-binary": post("/v1/grade", {"file": "0202", "format": "mbf", "first": "0,0"}),
    "half-a-byte": send_text("/v1/formats/hex", "020 2"),
    "mine-off-the-board": send_text("/v1/formats/hex", "02 02 00 01 05 00"),
    "mine-repeated": send_text("/v1/formats/hex", "02 02 00 02 01 00 01 00"),
    "clue-too-large": send_text("/v1/formats/jsminesweeper", f"{LINK}analysis=acabaaabM2"),
    "link-too-long": send_text("/v1/formats/jsminesweeper", LINK + "a" * 200_000),
    "board-too-large": send_text("/v1/formats/auto", "9999x9999x10\n"),
    "side-too-long": post("/v1/formats/mbf/write", {"layout": ["B" + "1" + "0" * 300]}),
    "too-many-mines": post("/v1/formats/board/write", {"board": ["1?"], "mines": 3}),
    "mines-missing": post("/v1/formats/board/write", {"board": ["1?"]}),
    "layout-missing": post("/v1/formats/mbf/write", {"board": ["1?"], "mines": 1}),
    "nothing-to-write": post("/v1/formats/board/write", {"mines": 1}),
    "shapes-differ": post("/v1/formats/board/write", {"board": ["1?"], "layout": ["1B1"]}),
    "symbol-missing": post("/v1/formats/mine/write", {"board": ["1S?"], "mines": 1}),
    "first-off-the-board": post("/v1/grade", {"layout": ["1B", "11"], "first": [2, 0]}),
    "first-on-a-mine": post("/v1/grade", {"layout": ["1B", "11"], "first": [0, 1]}),
    "layout-and-file": post("/v1/grade", {"layout": ["1B"], "file": "1B", "first": [0, 0]}),
    "replay-unreadable": post("/v1/replays", {"file": "KnJtdgABAAA=", "format": "rmv"}),
    "replays-not-installed": Situation(
        "A replay is sent to a service without the package ms_toollib.",
        lambda: replays.make_missing_reader_problem().document,
    ),
    "too-wide": get("/v1/automata/strip-20"),
    "wrong-width": post("/v1/automata/kadlac/run", {"board": ["1?", "??"]}),
    "outside-the-alphabet": post("/v1/automata/kadlac/run", {"board": ["1S?"]}),
    "unknown-state": post(
        "/v1/automata/strip-2/step", {"column": "1?", "states": ["no such state"]}
    ),
    "unknown-form": get("/v1/automata/kadlac?form=merged"),
    "unknown-format": get("/v1/automata/kadlac?format=png"),
    "too-large-to-draw": get("/v1/automata/strip-3?format=svg"),
    "too-many-rows": post("/v1/languages", {"rows": 4, "cols": 5}),
    "bad-formula": post("/v1/circuits", {"formula": "a & (b | c"}),
    "formula-too-large": post("/v1/circuits", {"formula": "a & " * 500 + "a"}),
    "bad-solution": post("/v1/solution", {"board": ["?1??"], "output": "hello"}),
    "not-ready": Situation(
        "The service is started for the first time on a machine.",
        _raised(lambda: problems.make_unready_problem((12, 62), 40)),
    ),
    "overloaded": Situation(
        "More requests are sent at once than MINECHECK_MAX_REQUESTS.", _raised(Overloaded)
    ),
    "too-many-connections": Situation(
        "Clients hold as many connections open as the service may have files open.",
        _raised(connections._make_connections_problem),
    ),
    "deadline-passed": Situation(
        "POST /v1/solution with a large board and a short deadline_ms.",
        _raised(lambda: problems.make_late_problem("Give it more time.")),
    ),
    "worker-lost": Situation("The system kills a worker.", _raised(WorkerLost)),
    "out-of-memory": Situation("POST /v1/count with a large and hard board.", _raised(OutOfMemory)),
    "no-board-found": post(
        "/v1/games",
        {"rows": 16, "cols": 30, "mines": 170, "kind": "guess-free", "deadline_ms": 1},
    ),
    "no-room-for-game": Situation(
        "POST /v1/games with a very large board, and MINECHECK_GAMES_MB is small.",
        _raised(lambda: asyncio.run(MemoryGames(0, 60).keep_deal("game", b"deal"))),
    ),
    "games-unreachable": Situation(
        "The Redis is stopped.", _raised(lambda: asyncio.run(_ask_dead_redis()))
    ),
    "internal-error": Situation("The service has a defect.", _raised(problems.make_defect_problem)),
}
