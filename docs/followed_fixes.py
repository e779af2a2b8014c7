"""The fixes of the examples in `docs.problem_examples`, followed: requests that are accepted.

Each example has its corrected request here, or a reason why its fix is no other request.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from docs.problem_examples import (
    KEY,
    LINK,
    SIZE,
    TITLE,
    Request,
    get,
    post,
    send,
    send_batch,
    send_batch_text,
    send_text,
)
from minecheck.app.functions.replays import REPLAYS

_BOARD: Final = ["1?", "??"]
_LAYOUT: Final = ["1B", "11"]

#: The request that follows the fix of each example, by code.
FOLLOWED_FIXES: Final[Mapping[str, Request]] = MappingProxyType(
    {
        "malformed-request": get("/v1/formats"),
        "bad-host": Request(b"GET /v1/formats HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n"),
        "unsupported-transfer-encoding": Request(
            send(
                *("POST", "/v1/check", "Content-Type: text/plain"),
                *("Transfer-Encoding: chunked",),
            )
            + b"2\r\n1?\r\n0\r\n\r\n"
        ),
        "no-proxy": post("/v1/check", {"board": _BOARD}),
        "head-too-large": Request(send("GET", "/v1/formats", "X-Filler: a")),
        "trailer-too-large": Request(
            send("POST", "/v1/check", "Content-Type: text/plain", "Transfer-Encoding: chunked")
            + b"2\r\n1?\r\n0\r\n\r\n"
        ),
        "wrong-host": Request(b"GET /v1/formats HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "foreign-page": Request(
            send(
                *("GET", "/v1/formats", "Origin: https://game.example", f"X-API-Key: {KEY}"),
                *("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"),
            ),
            "strict",
        ),
        "cors-refused": Request(
            send(
                *("OPTIONS", "/v1/check", "Origin: https://game.example"),
                "Access-Control-Request-Method: POST",
            ),
            "strict",
        ),
        "missing-key": Request(send("GET", "/v1/formats", f"X-API-Key: {KEY}"), "strict"),
        "wrong-key": Request(send("GET", "/v1/formats", f"X-API-Key: {KEY}"), "strict"),
        "not-found": post("/v1/check", {"board": _BOARD}),
        "method-not-allowed": post("/v1/check", {"board": _BOARD}),
        "unknown-machine": get("/v1/automata/kadlac"),
        "no-such-format": send_text("/v1/formats/mine", "1x1x0\n0\n"),
        "no-such-game": post("/v1/games", {"rows": 5, "cols": 6, "mines": 6}),
        "json-as-text": post("/v1/check", {"board": ["1?"]}),
        "unsupported-media-type": send_text("/v1/check", "1?"),
        "unsupported-charset": Request(
            send("POST", "/v1/check", "Content-Type: text/plain; charset=utf-8", content=b"1?")
        ),
        "unsupported-encoding": send_text("/v1/check", "1?"),
        "invalid-gzip": send_batch(b'"1?"\n'),
        "invalid-zstd": send_text("/v1/check", "1?"),
        "inflates-too-much": send_batch(b'"1?"\n', strict=True),
        "body-too-large": Request(
            send(
                *("POST", "/v1/check", "Content-Type: text/plain", f"X-API-Key: {KEY}"),
                content=b"1?",
            ),
            "strict",
        ),
        "line-too-long": send_batch(b'"1?"\n', strict=True),
        "invalid-utf-8": send_text("/v1/check", "1?\n??"),
        "invalid-json": post("/v1/check", {"board": _BOARD}),
        "repeated-name": post("/v1/check", {"board": ["1?"], "mines": 1}),
        "too-many-names": post("/v1/check", {"board": _BOARD}),
        "query-with-json": post("/v1/check", {"board": _BOARD, "mines": 1}),
        "not-an-object": post("/v1/check", {"board": _BOARD}),
        "unknown-field": post("/v1/check", {"board": _BOARD, "mines": 1}),
        "missing-field": post("/v1/check", {"board": _BOARD, "mines": 1}),
        "bad-value": post("/v1/check", {"board": _BOARD, "backend": "sat"}),
        "over-the-limit": post("/v1/check", {"board": _BOARD, "deadline_ms": 60_000}),
        "offset-beyond-the-last": post("/v1/layouts", {"board": _BOARD, "offset": 2}),
        "backend-refuses": post("/v1/count", {"board": ["?" * 40] * 40, "backend": "auto"}),
        "board-and-rules": post("/v1/check", {"rules": [{"cells": ["a", "b"], "mines": 1}]}),
        "bad-rule": post(
            "/v1/check",
            {"rules": [{"cells": ["a", "b"], "mines": 2}, {"cells": ["a"], "mines": 1}]},
        ),
        "bad-window": post("/v1/strips", {"board": _BOARD, "window": "0,1,1,1"}),
        "board-type": post("/v1/check", {"board": _BOARD}),
        "empty-board": post("/v1/check", {"board": ["?"]}),
        "ragged-rows": post("/v1/check", {"board": ["1??", "???"]}),
        "missing-bracket": send_text("/v1/check", "[[1, null], [null, 1]]"),
        "ambiguous-board": send_text("/v1/count?symbols=.=unknown", "1.1\n..."),
        "unknown-meaning": post("/v1/check", {"board": ["1#"], "symbols": {"#": "unknown"}}),
        "ambiguous-blank-lines": send_batch_text("1?\n??\n"),
        "several-boards": send_text("/v1/check", "1?\n??"),
        "no-board": send_text("/v1/formats/auto", json.dumps({"board": _BOARD})),
        "link-without-board": send_text("/v1/formats/auto", "1?\n??"),
        "bad-link": send_text("/v1/formats/auto", "http://127.0.0.1:8000/#analyse?b=1_"),
        "stray-blank": send_text("/v1/check", "1???\n????"),
        "unknown-symbol": post("/v1/check", {"board": ["1?", "??"]}),
        "unknown-notation": post("/v1/check", {"board": _BOARD, "notation": "standard"}),
        "format-unknown": send_text("/v1/formats/mbf", b"\x02\x02\x00\x01\x00\x00"),
        "two-boards": send_text("/v1/formats/jsminesweeper", f"{LINK}analysis=acabaaabMS"),
        "wrong-head": send_text("/v1/formats/mine", "3x2x1\nHHH\nHHH\n"),
        "invalid-xml": send_text(
            "/v1/formats/legup",
            '<Legup><puzzle name="Minesweeper"><board width="1" height="1"><cells/></board>'
            "</puzzle></Legup>",
        ),
        "wrong-line": send_text("/v1/formats/board", f"{TITLE}{SIZE}\n[view]\n1U\n"),
        "wrong-field": send_text("/v1/formats/board", f"{TITLE}{SIZE}\n[view]\n1U\n"),
        "wrong-size": send_text("/v1/formats/auto", "3x1x1\n1FH\n"),
        "wrong-length": send_text("/v1/formats/hex", "02 02 00 01 00 00"),
        "wrong-number": send_text("/v1/formats/board", f"{TITLE}{SIZE}\n[real]\n1*\n"),
        "mines-differ": post("/v1/formats/board/write", {"layout": ["1B"]}),
        "unknown-version": send_text("/v1/formats/board", f"{TITLE}{SIZE}\n[view]\n1U\n"),
        "unknown-render": send_text(
            "/v1/formats/board", f"{TITLE}# Render: ascii\n{SIZE}\n[view]\n1U\n"
        ),
        "not-binary": post("/v1/grade", {"file": "0202000100 00", "format": "hex", "first": "1,1"}),
        "half-a-byte": send_text("/v1/formats/hex", "02 02 00 00"),
        "mine-off-the-board": send_text("/v1/formats/hex", "02 02 00 01 01 00"),
        "mine-repeated": send_text("/v1/formats/hex", "02 02 00 01 01 00"),
        "clue-too-large": send_text("/v1/formats/jsminesweeper", f"{LINK}analysis=acabaaabMS"),
        "link-too-long": send_text("/v1/formats/jsminesweeper", f"{LINK}analysis=acabaaabMS"),
        "board-too-large": send_text("/v1/formats/auto", "1x1x0\nH\n"),
        "side-too-long": post("/v1/formats/board/write", {"layout": ["B" + "1" + "0" * 300]}),
        "too-many-mines": post("/v1/formats/board/write", {"board": ["1?"], "mines": 1}),
        "mines-missing": post("/v1/formats/board/write", {"board": ["1?"], "mines": 1}),
        "layout-missing": post("/v1/formats/mbf/write", {"layout": ["1B"], "mines": 1}),
        "nothing-to-write": post("/v1/formats/board/write", {"board": ["1?"], "mines": 1}),
        "shapes-differ": post("/v1/formats/board/write", {"layout": ["1B1"]}),
        "symbol-missing": post("/v1/formats/board/write", {"board": ["1S?"], "mines": 1}),
        "first-off-the-board": post("/v1/grade", {"layout": _LAYOUT, "first": [1, 0]}),
        "first-on-a-mine": post("/v1/grade", {"layout": _LAYOUT, "first": [0, 0]}),
        "layout-and-file": post("/v1/grade", {"layout": ["1B"], "first": [0, 0]}),
        "replay-unreadable": post("/v1/replays", dict(REPLAYS.examples["file"].request)),
        "too-wide": get("/v1/automata/strip-3"),
        "wrong-width": post("/v1/automata/strip-2/run", {"board": _BOARD}),
        "outside-the-alphabet": post("/v1/automata/strip-1/run", {"board": ["1S?"]}),
        "unknown-state": post("/v1/automata/strip-2/step", {"column": "1?", "states": ["--"]}),
        "unknown-form": get("/v1/automata/kadlac?form=minimal"),
        "unknown-format": get("/v1/automata/kadlac?format=svg"),
        "too-large-to-draw": get("/v1/automata/strip-3?format=dot"),
        "too-many-rows": post("/v1/languages", {"rows": 3, "cols": 5}),
        "bad-formula": post("/v1/circuits", {"formula": "a & (b | c)"}),
        "formula-too-large": post("/v1/circuits", {"formula": "a & " * 5 + "a"}),
        "bad-solution": post("/v1/solution", {"board": ["?1??"], "output": "v 1 -2 -3 0"}),
        "no-board-found": post(
            "/v1/games", {"rows": 16, "cols": 30, "mines": 60, "kind": "guess-free"}
        ),
    }
)
_LATER: Final = "The same request is accepted later: nothing is wrong with it."
#: Why the fixes of the other types are no corrected request.
NOT_FOLLOWED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "replays-not-installed": "The fix installs the extra where the service runs.",
        "cell-off-the-board": "The example needs a game; another test deals one and opens it.",
        **dict.fromkeys(
            (
                *("proxy", "too-many-requests", "incomplete-body", "request-timeout", "not-ready"),
                *("overloaded", "too-many-connections", "worker-lost", "games-unreachable"),
            ),
            _LATER,
        ),
        **dict.fromkeys(
            ("deadline-passed", "out-of-memory", "no-room-for-game"),
            "Whether a smaller question is answered depends on the machine.",
        ),
        "internal-error": "A defect has no fix that its sender could follow.",
    }
)
