"""The Python clients, sync and async, work over real connections."""

import asyncio
import itertools
import json
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing
from decimal import Decimal
from fractions import Fraction
from typing import Any

import httpx
import pytest
from minecheck_client import AsyncClient, Client, Incomplete, Problem, Summary, response

from minecheck.app.catalogue import QUESTIONS
from tests.app.serving import Server, contradictory, free_port, hard_question
from tests.clients.conftest import Call
from tests.clients.stub import StubResponse, busy, stub
from tests.tasks import Task

WIDE = 150
OPEN = ["?" * WIDE] * WIDE
#: A line of an answer of the service.
LINE = b'{"consistent":true,"solver":{"complete":true}}\n'


def plain(answer: Any) -> Any:
    """Return an answer as the API gives it, without its elapsed time."""
    found = dict(answer)
    found["solver"] = {**found["solver"], "elapsed_ms": None}
    for name in ("count", "offset", "next_offset", "rank", "seed"):
        if isinstance(found.get(name), int):
            found[name] = str(Decimal(found[name]))
    if found.get("by_mines"):
        found["by_mines"] = {str(m): str(Decimal(n)) for m, n in found["by_mines"].items()}
    return found


@pytest.mark.parametrize(
    ("task", "body"),
    [
        (operation.name, one.request)
        for operation in QUESTIONS
        for one in operation.examples.values()
    ],
    ids=str,
)
def test_python_client_answers_every_question_as_service(
    ask: Call, server: Server, task: Task, body: dict[str, Any]
) -> None:
    expected = server.post(f"/v1/{task}", body).json()
    options = dict(body)
    found = ask(str(task), *([options.pop("board")] if "board" in options else []), **options)
    assert plain(found) == plain(expected)


def test_python_client_gets_board_of_seed(ask: Call, server: Server) -> None:
    request = {"height": 5, "width": 6, "mines": 6, "first": (0, 0), "seed": 10**18 - 1}
    found = ask("boards", **request)
    assert plain(found) == plain(server.post("/v1/boards", request).json())
    assert (found["seed"], found["board"][0][0]) == (10**18 - 1, "0")


def test_python_client_exports_board_and_reads_solution(ask: Call, server: Server) -> None:
    request = {"board": ["?1?"], "mines": 1, "into": "opb"}
    text = ask("export", ["?1?"], mines=1, into="opb")
    assert text == server.post("/v1/export", request).text
    found = ask("solution", ["?1?"], mines=1, output="v -x1 x2")
    assert (found["layout"], found["fits"]) == (["01B"], True)


def test_python_client_counts_boards_of_a_size(ask: Call) -> None:
    found = ask("languages", rows=1, cols=100, offset=10**50, limit=1)
    assert found["count"] > found["offset"] == 10**50
    assert found["next_offset"] == 10**50 + 1


@pytest.mark.parametrize(
    "board", ["?1\n??", ["?1", "??"], [["?", 1], ["?", "?"]], ("?1", "??")], ids=str
)
def test_python_client_accepts_boards_in_any_form(ask: Call, board: Any) -> None:
    assert ask("count", board)["count"] == 3


def test_python_client_leaves_out_options_that_are_none(ask: Call) -> None:
    assert ask("count", ["??"], mines=None, density=None)["count"] == 4


def test_python_client_reads_counts_as_integers_of_any_size(ask: Call) -> None:
    assert ask("count", OPEN)["count"] == 2 ** (WIDE * WIDE)
    assert ask("count", ["???"])["by_mines"] == {0: 1, 1: 3, 2: 3, 3: 1}


def test_python_client_reads_and_sends_offsets_of_any_size(ask: Call) -> None:
    offset = 2 ** (WIDE * WIDE) - 2
    page = ask("layouts", OPEN, offset=offset, limit=1)
    assert (page["offset"], page["next_offset"]) == (offset, offset + 1)
    assert ask("layouts", OPEN, layout=page["layouts"][0], limit=1)["rank"] == offset
    streamed = ask("layouts_stream", OPEN, offset=offset)
    assert streamed[0] == page["layouts"][0]
    assert len(streamed) == 2


@pytest.mark.parametrize("density", [Fraction(1, 5), Decimal("0.2"), "1/5", 0.2], ids=str)
def test_python_client_sends_densities_exactly(ask: Call, density: Any) -> None:
    options = {"density": density, "fractions": True}
    assert ask("count", "?1", **options)["likelihood"] == "1/5"
    assert [answer["likelihood"] for answer in ask("batch", "count", ["?1"], **options)] == ["1/5"]


def test_python_client_sends_fraction_exactly_and_rejects_set(ask: Call) -> None:
    assert ask("count", "?1", density=Fraction(1, 3), fractions=True)["likelihood"] == "1/3"
    with pytest.raises(TypeError, match="set"):
        ask("count", "?1", density={1})


@pytest.mark.parametrize("board", ["?1", b"?1", {"board": "?1"}], ids=str)
def test_python_client_rejects_one_board_as_batch(ask: Call, board: Any) -> None:
    with pytest.raises(TypeError, match="list"):
        ask("batch", "count", board)
    assert [answer["count"] for answer in ask("batch", "count", ["?1"])] == [1]


def test_python_client_problem_has_code_cell_and_fix(ask: Call) -> None:
    with pytest.raises(Problem) as caught:
        ask("check", ["1?", "9?"], request_id="seen-again")
    problem = caught.value
    assert (problem.status, problem.code) == (422, "unknown-symbol")
    assert problem.type == "urn:minecheck:problem:unknown-symbol"
    assert (problem.pointer, problem.row, problem.col) == ("/board/1/0", 1, 0)
    assert "'9'" in problem.detail
    assert "Use one of the symbols" in problem.fix
    assert (problem.request_id, problem.retry_after) == ("seen-again", None)
    assert str(pickle.loads(pickle.dumps(problem))) == str(problem)


def test_python_client_asks_routes_without_a_method(ask: Call) -> None:
    assert ask("ask", "automata/hu-lin/run", {"board": ["?2", "B?"]})["witness"] == ["22", "BB"]
    assert "tatham" in {known["name"] for known in ask("ask", "formats")}
    assert ask("ask", "automata/kadlac?format=json")["states"]
    for file in ("2x1x1\n1H\n", b"2x1x1\n1H\n"):
        assert ask("ask", "formats/auto", file)["board"] == ["1?"]
    with pytest.raises(Problem) as caught:
        ask("ask", "formats/mine", "2x1x1\n1Z\n", request_id="seen-again")
    assert (caught.value.code, caught.value.col) == ("unknown-symbol", 1)
    assert caught.value.request_id == "seen-again"


@pytest.mark.parametrize("body", [None, "text", b"bytes", {"board": ["?"]}], ids=str)
def test_python_client_asks_any_route_again_while_busy(
    connect: Callable[..., Call], body: Any
) -> None:
    with stub(busy("0"), busy("0"), StubResponse(body=b'["answer"]')) as late:
        assert connect(late.url, key="k3y")("ask", "formats", body) == ["answer"]
    assert {path for path, _, _ in late.requests} == {"/v1/formats"}
    assert [headers["authorization"] for _, headers, _ in late.requests] == ["Bearer k3y"] * 3
    sent = {None: b"", "text": b"text", b"bytes": b"bytes"}
    expected = b'{"board":["?"]}' if isinstance(body, dict) else sent[body]
    assert [body for _, _, body in late.requests] == [expected] * 3


def test_python_client_raises_problem_for_answer_of_proxy(connect: Callable[..., Call]) -> None:
    with (
        stub(StubResponse(502, b"<h1>Oh</h1>", {"Content-Type": "text/html"})) as gate,
        pytest.raises(Problem, match="<h1>Oh") as caught,
    ):
        connect(gate.url)("check", "?")
    assert (caught.value.status, caught.value.code) == (502, "bad-gateway")
    assert caught.value.type == "about:blank"


def test_python_client_keeps_unknown_fields_of_newer_service(connect: Callable[..., Call]) -> None:
    with stub(StubResponse(200, b'{"consistent":null,"count":null,"hue":{"count":"7"}}')) as newer:
        found = connect(newer.url)("count", "?")
    assert found == {"consistent": None, "count": None, "hue": {"count": "7"}}


@pytest.mark.parametrize("method", ["check", "layouts_stream", "batch"])
def test_python_client_asks_busy_service_again_with_request_id(
    connect: Callable[..., Call], method: str
) -> None:
    args = ("check", ["?"]) if method == "batch" else ("?",)
    with stub(
        busy("0"), busy("0"), StubResponse(body=LINE if method == "batch" else b"{}")
    ) as late:
        connect(late.url)(method, *args, request_id="one")
    assert len(late.requests) == 3
    assert {headers["x-request-id"] for _, headers, _ in late.requests} == {"one"}


@pytest.mark.parametrize(
    ("retries", "wait", "sent"), [(0, "0", 1), (1, "0", 2), (2, None, 1), (2, "3600", 1)]
)
def test_python_client_raises_problem_of_service_that_stays_busy(
    connect: Callable[..., Call], retries: int, wait: str | None, sent: int
) -> None:
    with stub(busy(wait)) as full, pytest.raises(Problem) as caught:
        connect(full.url, retries=retries)("check", "?")
    assert caught.value.code == "overloaded"
    assert caught.value.retry_after == (None if wait is None else float(wait))
    assert len(full.requests) == sent


def test_python_client_does_not_repeat_rejected_question(connect: Callable[..., Call]) -> None:
    with stub(StubResponse(422, b"{}", {"Retry-After": "0"})) as strict, pytest.raises(Problem):
        connect(strict.url)("check", "?")
    assert len(strict.requests) == 1


def test_python_client_tries_failed_connection_again_and_then_raises() -> None:
    tried = []

    def refuse(request: httpx.Request) -> httpx.Response:
        tried.append(request)
        raise httpx.ConnectError("refused")

    with (
        Client("http://nowhere", retries=1, transport=httpx.MockTransport(refuse)) as client,
        pytest.raises(httpx.ConnectError),
    ):
        client.check("?")
    assert len(tried) == 2


def test_python_client_raises_error_of_httpx_without_service(connect: Callable[..., Call]) -> None:
    nobody = connect(f"http://127.0.0.1:{free_port()}", retries=0)
    with pytest.raises(httpx.ConnectError) as caught:
        nobody("check", "?", request_id="one")
    assert caught.value.request.headers["X-Request-ID"] == "one"


def test_python_client_does_not_wait_long_after_deadline(
    connect: Callable[..., Call],
) -> None:
    with stub(StubResponse(late=True)) as slow, pytest.raises(httpx.ReadTimeout):
        connect(slow.url, timeout=0.1)("check", "?", deadline_ms=100)
    assert len(slow.requests) == 1


def test_python_client_sends_key_and_new_request_id_with_each_question(
    connect: Callable[..., Call],
) -> None:
    with stub(StubResponse()) as door:
        keyed = connect(f"{door.url}/mine/", key="k3y")
        keyed("check", "?")
        keyed("check", "?")
    (path, first, body), (_, second, _) = door.requests
    assert (path, json.loads(body)) == ("/mine/v1/check", {"board": "?"})
    assert first["authorization"] == "Bearer k3y"
    assert first["x-request-id"] != second["x-request-id"]


@pytest.mark.slow
@pytest.mark.parametrize("gzip", [False, True])
def test_python_client_batch_answers_thousands_of_boards_in_order(ask: Call, gzip: bool) -> None:
    widths = [1 + number % 40 for number in range(3000)]
    summary = Summary()
    boards = (["?" * width] for width in widths)
    found = ask("batch", "count", boards, gzip=gzip, summary=summary)
    assert [answer["count"] for answer in found] == [2**width for width in widths]
    assert (summary.lines, summary.problems, summary.incomplete) == (3000, 0, 0)
    assert summary.elapsed_ms > 0


def test_python_client_batch_mixes_boards_and_objects_and_continues_after_problems(
    ask: Call,
) -> None:
    boards = ["???", ["9"], {"board": ["???"], "mines": 2}, {"rules": [{"cells": ["\u2028"]}]}]
    fill = [["??"]] * 100
    summary = Summary()
    found = ask("batch", "count", [*fill, *boards], mines=1, summary=summary)
    assert [answer["count"] for answer in found[:100]] == [2] * 100
    assert found[100]["count"] == 3
    assert isinstance(found[101], Problem)
    assert (found[101].code, found[101].line) == ("unknown-symbol", 101)
    assert found[102]["count"] == 3
    assert (summary.lines, summary.problems) == (104, len([x for x in found if type(x) is Problem]))


def test_python_client_batch_passes_options_of_each_task(ask: Call) -> None:
    (forced,) = ask("batch", "forced", ["?1??"], mines=1, certificate=True, deadline_ms=9000)
    assert forced["forced"]["safe"] == [[0, 3]]
    assert forced["certificate"]
    (explained,) = ask("batch", "explain", ["?1??"], mines=1, cell=(0, 3))
    assert explained["explanations"][0]["cells"] == [[0, 3]]
    (chances,) = ask("batch", "analyze", ["?1?"], density=0.25, fractions=True)
    assert chances["probabilities"] == [["1/2", None, "1/2"]]
    (page,) = ask("batch", "layouts", [OPEN], offset=2 ** (WIDE * WIDE) - 1, limit=3)
    assert len(page["layouts"]) == 1


def test_python_client_batch_without_boards_has_no_answers(ask: Call) -> None:
    assert ask("batch", "check", []) == []


def test_python_client_batch_raises_problem_of_unknown_task(ask: Call) -> None:
    with pytest.raises(Problem, match='"guess" is not a task of batches'):
        ask("batch", "guess", ["?"])


def test_python_client_does_not_send_broken_batch_again(connect: Callable[..., Call]) -> None:
    with (
        stub(StubResponse(body=2 * LINE, broken=True)) as breaking,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        connect(breaking.url)("batch", "check", ["?"] * 3)
    assert len(breaking.requests) == 1


def test_python_client_batch_gives_answers_before_broken_connection() -> None:
    received: list[Any] = []
    summary = Summary()
    with stub(StubResponse(body=2 * LINE, broken=True)) as breaking, Client(breaking.url) as client:
        answers = client.batch("check", ["?"] * 3, summary=summary)
        with pytest.raises(httpx.RemoteProtocolError):
            received.extend(answers)
    assert len(received) == summary.lines == 2


def test_python_client_names_next_offset_of_batch_that_ends_early(
    connect: Callable[..., Call],
) -> None:
    with (
        stub(StubResponse(body=64 * LINE), StubResponse(body=2 * LINE)) as short,
        pytest.raises(Incomplete) as caught,
    ):
        connect(short.url)("batch", "check", ["?"] * 67)
    assert caught.value.next_offset == 66


def test_python_client_batch_ends_after_sent_boards_when_iterator_fails(
    ask: Call, server: Server
) -> None:
    def failing() -> Iterator[str]:
        yield from ["?"] * 64
        raise LookupError("no more")

    received: list[Any] = []
    with Client(server.url) as client, pytest.raises(LookupError):
        received.extend(client.batch("check", failing()))
    assert len(received) == 64
    with pytest.raises(LookupError):
        ask("batch", "check", failing())


def test_python_client_batch_takes_boards_on_demand(server: Server) -> None:
    endless = itertools.count()
    with Client(server.url) as client:
        with closing(client.batch("count", ("?" for _ in endless))) as answers:
            next(answers)
        assert next(endless) == 64
        # The abandoned connection does not disturb later questions.
        assert client.count("?")["count"] == 2


def test_python_client_batch_accepts_asynchronous_boards(server: Server) -> None:
    async def counts() -> list[Any]:
        async def boards() -> AsyncIterator[str]:
            for width in range(1, 200):
                await asyncio.sleep(0)
                yield "?" * width

        async with AsyncClient(server.url) as client:
            answers: AsyncIterator[Any] = client.batch("count", boards())
            return [answer["count"] async for answer in answers]

    assert asyncio.run(counts()) == [2**width for width in range(1, 200)]


def test_python_client_asks_many_questions_concurrently(server: Server) -> None:
    async def counts() -> list[Any]:
        async with AsyncClient(server.url) as client:
            questions = (client.count("?" * width) for width in range(1, 30))
            return [answer["count"] for answer in await asyncio.gather(*questions)]

    assert asyncio.run(counts()) == [2**n for n in range(1, 30)]


def test_python_client_stream_has_layouts_of_pages(ask: Call) -> None:
    board = ["?????", "?2?3?", "?????"]
    page = ask("layouts", board, limit=10_000)
    assert ask("layouts_stream", board) == page["layouts"]
    assert ask("layouts_stream", board, offset=5, limit=300) == page["layouts"][5:305]
    assert ask("layouts_stream", ["8?"]) == []
    rules = [{"cells": ["\u2028", "\x85"], "mines": 1}]
    assert ask("layouts_stream", rules=rules) == ask("layouts", rules=rules)["layouts"]


def test_python_client_stream_has_conflicts_of_answer(ask: Call) -> None:
    board = ["1??1??1", "2??2??2", "SSSSSSS"] * 5
    found = ask("conflicts_stream", board)
    assert found == ask("conflicts", board, limit=1000)["conflicts"]
    assert ask("conflicts_stream", board, limit=11) == found[:11]
    assert ask("conflicts_stream", ["1?"]) == []


def test_python_client_names_next_offset_of_conflicts_cut_by_deadline(server: Server) -> None:
    board = contradictory()
    with Client(server.url) as client:
        cut = client.conflicts_stream(board, deadline_ms=60_000)
        found = [next(cut)]
        server.clock.pass_time()
        with pytest.raises(Incomplete) as caught:
            found.extend(cut)
        assert caught.value.next_offset == len(found)
        with closing(client.conflicts_stream(board, deadline_ms=60_000)) as conflicts:
            assert next(conflicts) != next(conflicts)
        assert client.count("?")["count"] == 2


@pytest.mark.parametrize(
    ("lines", "consistent"),
    [([], None), ([b'{"clues":[]}'], False), ([b'{"complete":false,"consistent":null}'], None)],
)
def test_python_client_conflicts_without_valid_last_line_are_incomplete(
    lines: list[bytes], consistent: bool | None
) -> None:
    conflicts = response.Conflicts()
    found = conflicts.read(lines)
    with pytest.raises(Incomplete) as caught:
        conflicts.end()
    assert (caught.value.next_offset, caught.value.consistent) == (len(found), consistent)


def test_python_client_names_next_offset_of_layouts_cut_by_deadline(server: Server) -> None:
    with Client(server.url) as client:
        layouts = client.layouts_stream(["?" * 40], deadline_ms=60_000)
        received = [next(layouts)]
        server.clock.pass_time()
        with pytest.raises(Incomplete) as caught:
            received.extend(layouts)
    assert caught.value.next_offset == len(received)
    assert caught.value.consistent is True


def test_python_client_stream_can_be_abandoned_early(server: Server) -> None:
    with Client(server.url) as client:
        with closing(client.layouts_stream(["?" * 40])) as layouts:
            assert next(layouts) != next(layouts)
        assert client.count("?")["count"] == 2

    async def left() -> int | None:
        async with AsyncClient(server.url) as client:
            async with aclosing(client.layouts_stream(["?" * 40])) as layouts:
                await anext(layouts)
            return (await client.count("?"))["count"]

    assert asyncio.run(left()) == 2


def test_python_client_question_can_be_cancelled(server: Server) -> None:
    async def cancelled() -> int | None:
        async with AsyncClient(server.url) as client:
            slow = asyncio.create_task(client.count(**hard_question(20_000)))
            assert await asyncio.to_thread(server.has_questions, 1)
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            return (await client.count("?"))["count"]

    assert asyncio.run(cancelled()) == 2
