"""The browser module runs in Node, against real and stub servers."""

import json
from typing import Any

import pytest
from minecheck_client import Client

from minecheck.app.catalogue import QUESTIONS
from tests.app.serving import Server, free_port
from tests.clients.playing import run_in_node
from tests.clients.stub import StubResponse, busy, stub

LINE = b'{"consistent":true,"solver":{"complete":true}}\n'
#: A stream of layouts that the deadline has cut after the first layout.
CUT_SHORT = b'["B"]\n{"complete":false,"consistent":true,"next_offset":"1"}\n'
#: A script that returns the error thrown, and the number of answers before it.
CAUGHT = """
    const caught = async (call) => {
        const answers = [];
        try {
            const found = call();
            if (found[Symbol.asyncIterator]) for await (const one of found) answers.push(one);
            else await found;
            return { answers: answers.length };
        } catch (error) {
            const { name, status, code, retryAfter, requestId, nextOffset, pointer, row } = error;
            const problem = error instanceof MinecheckProblem;
            return { answers: answers.length, name, status, code, retryAfter, requestId, nextOffset,
                     pointer, row, problem };
        }
    };
"""


def mark_answer(answer: Any) -> Any:
    """Return an answer of the Python client as `run_in_node` shows it, without the time."""
    found = {**answer, "solver": {**answer["solver"], "elapsed_ms": None}}
    for name in ("count", "offset", "next_offset", "rank", "seed"):
        if found.get(name) is not None:
            found[name] = f"{found[name]}n"
    if found.get("by_mines"):
        found["by_mines"] = {str(mines): f"{n}n" for mines, n in found["by_mines"].items()}
    return found


@pytest.mark.slow
def test_browser_client_exports_boards_reads_solutions_and_counts_languages(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        const text = await service.export(["?1?"], { mines: 1, into: "opb" });
        const { layout } = await service.solution(["?1?"], { mines: 1, output: "v -x1 x2" });
        const { count } = await service.languages({ rows: 1, cols: 3 });
        return [text, layout, count];
    """
    text, layout, count = run_in_node(script, url=server.url)
    with Client(server.url) as client:
        assert text == client.export(["?1?"], mines=1, into="opb")
    assert (layout, count) == (["01B"], "38n")


def test_browser_client_answers_every_question_as_python_client(server: Server) -> None:
    forms = [
        (operation.name, one.request)
        for operation in QUESTIONS
        for one in operation.examples.values()
    ]
    script = """
        const service = new Minecheck(url);
        return Promise.all(requests.map(async ([task, { board, ...options }]) => {
            const found = await service[task](board, options);
            found.solver.elapsed_ms = null;
            return found;
        }));
    """
    requests = [(str(task), body) for task, body in forms]
    found = run_in_node(script, url=server.url, requests=requests)
    with Client(server.url) as client:
        for (task, body), answer in zip(requests, found, strict=True):
            board = [body["board"]] if "board" in body else []
            options = {name: value for name, value in body.items() if name != "board"}
            assert answer == mark_answer(getattr(client, task)(*board, **options))


def test_browser_client_gets_board_of_seed(server: Server) -> None:
    script = """
        const found = await new Minecheck(url).boards(request);
        found.solver.elapsed_ms = null;
        return found;
    """
    request = {"height": 5, "width": 6, "mines": 6, "first": [0, 0], "seed": str(10**18 - 1)}
    expected = server.post("/v1/boards", request).json()
    assert run_in_node(script, url=server.url, request=request) == mark_answer(expected)


def test_browser_client_asks_routes_without_a_method(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        const { witness } = await service.ask("automata/hu-lin/run", { board: ["?2", "B?"] });
        const formats = await service.ask("formats");
        const files = ["2x1x1\\n1H\\n", new TextEncoder().encode("2x1x1\\n1H\\n")];
        const read = (file) => service.ask("formats/auto", file);
        const opened = await Promise.all([...files, new Blob(files.slice(1))].map(read));
        const picture = await service.reach("v1/automata/kadlac?format=svg");
        return [witness, formats.map(({ name }) => name).includes("tatham"),
                opened.map(({ board }) => board), (await picture.text()).slice(0, 4)];
    """
    found = run_in_node(script, url=server.url)
    assert found == [["22", "BB"], True, [["1?"]] * 3, "<svg"]


def test_browser_client_reads_counts_and_offsets_of_any_size(server: Server) -> None:
    script = """
        const service = new Minecheck(url + "/");
        const board = Array(150).fill("?".repeat(150));
        const { count } = await service.count(board);
        const page = await service.layouts(board, { offset: count - 1n, limit: 1 });
        const { rank } = await service.layouts(board, { layout: page.layouts[0], limit: 1 });
        const streamed = [];
        const last = service.layoutsStream(board, { offset: String(count - 2n) });
        for await (const one of last) streamed.push(one);
        return [count === 2n ** 22500n, page.offset === count - 1n, page.next_offset,
                rank === page.offset, streamed.length,
                JSON.stringify(streamed[1]) === JSON.stringify(page.layouts[0])];
    """
    assert run_in_node(script, url=server.url) == [True, True, None, True, 2, True]


def test_browser_client_streams_conflicts(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        const board = Array(5).fill(["1??1??1", "2??2??2", "SSSSSSS"]).flat();
        const read = async (conflicts) => {
            const found = [];
            for await (const one of conflicts) found.push(one);
            return found;
        };
        const { conflicts } = await service.conflicts(board, { limit: 1000 });
        const few = await read(service.conflictsStream(board, { limit: 11 }));
        const none = await read(service.conflictsStream("1?"));
        const cut = await caught(() => new Minecheck(late).conflictsStream("?"));
        const all = await read(service.conflictsStream(board));
        return [all, conflicts, few, none, cut.name, cut.nextOffset];
    """
    last = b'{"complete":false,"consistent":null,"more":null}\n'
    with stub(StubResponse(body=last)) as late:
        found, conflicts, few, none, name, offset = run_in_node(
            CAUGHT + script, url=server.url, late=late.url
        )
    assert found == conflicts
    assert len(found) == 15
    assert (few, none) == (found[:11], [])
    assert (name, offset) == ("MinecheckIncomplete", "0n")


def test_browser_client_reads_counts_as_chosen_type(server: Server) -> None:
    script = """
        const found = {};
        for (const counts of ["bigint", "number", "string"]) {
            const service = new Minecheck(url, { counts });
            const { count, by_mines } = await service.count("??");
            const { seed } = await service.boards({ height: 2, width: 2, mines: 0, seed: 7 });
            const answers = [];
            const boards = ["?", "?".repeat(53)];
            for await (const { count } of service.batch("count", boards)) answers.push(count);
            const late = new Minecheck(cut_short, { counts });
            const cut = await caught(() => late.layoutsStream("?"));
            found[counts] = [count, by_mines["1"], seed, answers, typeof cut.nextOffset];
        }
        return found;
    """
    with stub(StubResponse(body=CUT_SHORT)) as late:
        found = run_in_node(CAUGHT + script, url=server.url, cut_short=late.url)
    assert found == {
        "bigint": ["4n", "2n", "7n", ["2n", f"{2**53}n"], "bigint"],
        "number": [4, 2, 7, [2, str(2**53)], "number"],
        "string": ["4", "2", "7", ["2", str(2**53)], "string"],
    }


def test_browser_client_rejects_unknown_type_of_counts() -> None:
    script = """
        try { new Minecheck("http://service", { counts: "float" }); }
        catch (error) { return [error.name, error.message]; }
    """
    message = 'counts is "float"; it should be one of bigint, number, string.'
    assert run_in_node(script) == ["TypeError", message]


def test_browser_client_batch_answers_thousands_of_boards_in_order(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        const summary = {};
        async function* boards() {
            for (let number = 0; number < 3000; number += 1) yield "?".repeat(1 + number % 40);
            yield "9";
            yield { board: ["???"], mines: 2 };
        }
        const found = [];
        const options = { deadline_ms: 9000, mines: null, summary };
        for await (const answer of service.batch("count", boards(), options)) found.push(answer);
        const [problem, last] = found.splice(3000);
        const right = found.every(({ count }, number) => count === 1n << BigInt(1 + number % 40));
        return [right, problem.code, problem.line, last.count, summary];
    """
    summary = {"lines": 3002, "problems": 1, "incomplete": 0}
    expected = [True, "unknown-symbol", 3000, "3n", summary]
    assert run_in_node(script, url=server.url) == expected


def test_browser_client_streams_can_be_left_and_take_boards_on_demand(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        let taken = 0;
        function* endless() { for (;;) { taken += 1; yield "?"; } }
        for await (const answer of service.batch("check", endless())) break;
        let layouts = 0;
        for await (const layout of service.layoutsStream("?".repeat(40))) {
            layouts += 1;
            if (layouts === 300) break;
        }
        return [taken, layouts, (await service.count("?")).count];
    """
    assert run_in_node(script, url=server.url) == [64, 300, "2n"]


def test_browser_client_names_next_offset_of_stream_cut_by_deadline(server: Server) -> None:
    script = """
        const passTime = () => {
            const [ahead] = new Float64Array(new Uint8Array(fs.readFileSync(clock)).buffer);
            const file = fs.openSync(clock, "r+");
            fs.writeSync(file, new Uint8Array(new Float64Array([ahead + 3600]).buffer));
            fs.closeSync(file);
        };
        const fs = await import("node:fs");
        const layouts = new Minecheck(url).layoutsStream("?".repeat(40), { deadline_ms: 60_000 });
        const late = async function* () {
            for await (const layout of layouts) { yield layout; passTime(); }
        };
        return caught(late);
    """
    found = run_in_node(CAUGHT + script, url=server.url, clock=str(server.clock.file))
    assert found["name"] == "MinecheckIncomplete"
    assert found["nextOffset"] == f"{found['answers']}n"
    assert found["answers"] > 0


def test_browser_client_problem_has_code_and_cell(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        return caught(() => service.check(["1?", "9?"], { request_id: "seen-again" }));
    """
    found = run_in_node(CAUGHT + script, url=server.url)
    assert (found["status"], found["code"]) == (422, "unknown-symbol")
    assert (found["pointer"], found["row"]) == ("/board/1/0", 1)
    assert found["requestId"] == "seen-again"
    assert found["problem"]


def test_browser_client_asks_busy_service_again_with_key() -> None:
    script = "return new Minecheck(url, { key: 'k3y' }).check('?');"
    with stub(busy("0"), busy("0"), StubResponse()) as late:
        assert run_in_node(script, url=late.url)["consistent"]
    assert [headers["authorization"] for _, headers, _ in late.requests] == ["Bearer k3y"] * 3
    assert json.loads(late.requests[2][2]) == {"board": "?"}


def test_browser_client_asks_any_route_again_while_busy() -> None:
    script = """
        const service = new Minecheck(url, { key: "k3y" });
        const answers = [];
        for (const body of [undefined, "text", new Blob(["bytes"]), { board: ["?"] }]) {
            answers.push(await service.ask("formats", body));
        }
        return answers;
    """
    calm = StubResponse(body=b'["answer"]')
    with stub(busy("0"), calm, busy("0"), calm, busy("0"), calm, busy("0"), calm) as late:
        assert run_in_node(script, url=late.url) == [["answer"]] * 4
    assert [body for _, _, body in late.requests[1::2]] == [
        b"",
        b"text",
        b"bytes",
        b'{"board":["?"]}',
    ]
    assert {headers["authorization"] for _, headers, _ in late.requests} == {"Bearer k3y"}


@pytest.mark.parametrize(
    ("response", "code", "sent"),
    [
        (busy("0"), "overloaded", 2),
        (busy("3600"), "overloaded", 1),
        (StubResponse(502, b"<h1>Oh</h1>"), "bad-gateway", 1),
    ],
    ids=["busy", "long", "proxy"],
)
def test_browser_client_raises_problem_of_service_that_stays_busy(
    response: StubResponse, code: str, sent: int
) -> None:
    script = "return caught(() => new Minecheck(url, { retries: 1 }).check('?'));"
    with stub(response) as full:
        found = run_in_node(CAUGHT + script, url=full.url)
    assert (found["problem"], found["code"], len(full.requests)) == (True, code, sent)


def test_browser_client_does_not_send_broken_batch_again() -> None:
    script = "return caught(() => new Minecheck(url).batch('check', ['?', '?', '?']));"
    with stub(StubResponse(body=2 * LINE, broken=True)) as breaking:
        found = run_in_node(CAUGHT + script, url=breaking.url)
    assert (found["answers"], found["name"], len(breaking.requests)) == (2, "TypeError", 1)


def test_browser_client_names_next_offset_of_batch_that_ends_early() -> None:
    script = "return caught(() => new Minecheck(url).batch('check', Array(67).fill('?')));"
    with stub(StubResponse(body=64 * LINE), StubResponse(body=2 * LINE)) as short:
        found = run_in_node(CAUGHT + script, url=short.url)
    assert (found["answers"], found["name"], found["nextOffset"]) == (
        66,
        "MinecheckIncomplete",
        "66n",
    )


def test_browser_client_reports_unreachable_service_after_three_tries() -> None:
    script = """
        let tried = 0;
        const counting = (...given) => { tried += 1; return fetch(...given); };
        const answer = new Minecheck(url, { fetch: counting }).check("?");
        const error = await answer.catch((error) => error);
        return [error instanceof TypeError, error.name, error.cause.name, error.message, tried];
    """
    url = f"http://127.0.0.1:{free_port()}"
    message = f"The service cannot be reached: no response from {url}/v1/check."
    assert run_in_node(script, url=url) == [True, "MinecheckUnreachable", "TypeError", message, 3]


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("http://service", []),
        ("http://page:8080", ["CORS", "pages of http://page:8080", "ORIGINS=http://page:8080 "]),
        ("null", ["CORS", "serve this one over HTTP"]),
    ],
)
def test_browser_client_error_names_cors_setting_for_origin_of_page(
    origin: str, words: list[str]
) -> None:
    script = """
        globalThis.location = { origin, href: "about:blank" };
        const fetch = async () => { throw new TypeError("Failed to fetch"); };
        const answer = new Minecheck("http://service", { fetch, retries: 0 }).check("?");
        return answer.catch(({ message }) => message);
    """
    message = run_in_node(script, origin=origin)
    assert ("CORS" in message) == bool(words)
    assert [word for word in words if word not in message] == []


def test_browser_client_passes_on_error_of_given_fetch() -> None:
    script = """
        const fetch = async () => { throw new RangeError("mine"); };
        return caught(() => new Minecheck("http://service", { fetch }).check("?"));
    """
    assert run_in_node(CAUGHT + script)["name"] == "RangeError"


def test_browser_client_ends_questions_and_retries_at_abort_signal() -> None:
    script = """
        const ends = (url, isAnswered) => {
            const leaving = new AbortController();
            const leave = () => leaving.abort(new DOMException("late", "TimeoutError"));
            // The client aborts after it has asked, or while it waits to ask again.
            const fetchAndLeave = async (...given) => {
                const answer = fetch(...given);
                if (isAnswered) await answer;
                setTimeout(leave);
                return answer;
            };
            const service = new Minecheck(url, { fetch: fetchAndLeave });
            return caught(() => service.check("?", { signal: leaving.signal }));
        };
        return [(await ends(slow, false)).name, (await ends(full, true)).name];
    """
    with stub(StubResponse(late=True)) as slow, stub(busy("9")) as full:
        found = run_in_node(CAUGHT + script, slow=slow.url, full=full.url)
    assert found == ["TimeoutError", "TimeoutError"]
    assert len(full.requests) == 1
