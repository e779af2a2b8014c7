"""The browser module's logic, in Node."""

import json
from typing import Any

import pytest
from minecheck_client import Client

from minecheck.app.catalogue import QUESTIONS
from tests.app.serving import Server, free_port
from tests.clients.playing import in_node
from tests.clients.stub import Told, busy, stub

LINE = b'{"consistent":true,"solver":{"complete":true}}\n'
#: What a stream of layouts is that the deadline has cut after the first one.
CUT_SHORT = b'["B"]\n{"complete":false,"consistent":true,"next_offset":"1"}\n'
#: What was thrown, and how many answers came before.
CAUGHT = """
    const caught = async (asked) => {
        const told = [];
        try {
            const found = asked();
            if (found[Symbol.asyncIterator]) for await (const one of found) told.push(one);
            else await found;
            return { told: told.length };
        } catch (error) {
            const { name, status, code, retryAfter, requestId, nextOffset, pointer, row } = error;
            const problem = error instanceof MinecheckProblem;
            return { told: told.length, name, status, code, retryAfter, requestId, nextOffset,
                     pointer, row, problem };
        }
    };
"""


def mark_answer(answer: Any) -> Any:
    """An answer of the Python client as `in_node` shows it, without the time."""
    found = {**answer, "solver": {**answer["solver"], "elapsed_ms": None}}
    for name in ("count", "offset", "next_offset", "rank", "seed"):
        if found.get(name) is not None:
            found[name] = f"{found[name]}n"
    if found.get("by_mines"):
        found["by_mines"] = {str(mines): f"{n}n" for mines, n in found["by_mines"].items()}
    return found


def test_boards_go_to_other_solvers_and_are_counted(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        const text = await service.export(["?1?"], { mines: 1, into: "opb" });
        const { layout } = await service.solution(["?1?"], { mines: 1, output: "v -x1 x2" });
        const { count } = await service.languages({ rows: 1, cols: 3 });
        return [text, layout, count];
    """
    text, layout, count = in_node(script, url=server.url)
    with Client(server.url) as client:
        assert text == client.export(["?1?"], mines=1, into="opb")
    assert (layout, count) == (["01B"], "38n")


def test_every_question_is_answered_as_in_python(server: Server) -> None:
    forms = [(record.name, one.request) for record in QUESTIONS for one in record.examples.values()]
    script = """
        const service = new Minecheck(url);
        return Promise.all(asked.map(async ([task, { board, ...options }]) => {
            const found = await service[task](board, options);
            found.solver.elapsed_ms = null;
            return found;
        }));
    """
    asked = [(str(task), body) for task, body in forms]
    found = in_node(script, url=server.url, asked=asked)
    with Client(server.url) as client:
        for (task, body), told in zip(asked, found, strict=True):
            board = [body["board"]] if "board" in body else []
            options = {name: value for name, value in body.items() if name != "board"}
            assert told == mark_answer(getattr(client, task)(*board, **options))


def test_a_board_to_play_is_the_one_of_its_seed(server: Server) -> None:
    script = """
        const found = await new Minecheck(url).boards(asked);
        found.solver.elapsed_ms = null;
        return found;
    """
    asked = {"height": 5, "width": 6, "mines": 6, "first": [0, 0], "seed": str(10**18 - 1)}
    wanted = server.post("/v1/boards", asked).json()
    assert in_node(script, url=server.url, asked=asked) == mark_answer(wanted)


def test_routes_without_a_method_are_asked(server: Server) -> None:
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
    found = in_node(script, url=server.url)
    assert found == [["22", "BB"], True, [["1?"]] * 3, "<svg"]


def test_counts_and_offsets_are_of_any_size(server: Server) -> None:
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
    assert in_node(script, url=server.url) == [True, True, None, True, 2, True]


def test_conflicts_are_read_as_they_are_found(server: Server) -> None:
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
    with stub(Told(body=last)) as late:
        found, conflicts, few, none, name, offset = in_node(
            CAUGHT + script, url=server.url, late=late.url
        )
    assert found == conflicts
    assert len(found) == 15
    assert (few, none) == (found[:11], [])
    assert (name, offset) == ("MinecheckIncomplete", "0n")


def test_counts_are_read_as_is_wanted(server: Server) -> None:
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
    with stub(Told(body=CUT_SHORT)) as late:
        found = in_node(CAUGHT + script, url=server.url, cut_short=late.url)
    assert found == {
        "bigint": ["4n", "2n", "7n", ["2n", f"{2**53}n"], "bigint"],
        "number": [4, 2, 7, [2, str(2**53)], "number"],
        "string": ["4", "2", "7", ["2", str(2**53)], "string"],
    }


def test_counts_are_read_as_nothing_else() -> None:
    script = """
        try { new Minecheck("http://service", { counts: "float" }); }
        catch (error) { return [error.name, error.message]; }
    """
    said = 'counts is "float"; it should be one of bigint, number, string.'
    assert in_node(script) == ["TypeError", said]


def test_thousands_of_boards_are_answered_in_their_order(server: Server) -> None:
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
    assert in_node(script, url=server.url) == expected


def test_streams_may_be_left_and_boards_are_taken_as_they_are_needed(server: Server) -> None:
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
    assert in_node(script, url=server.url) == [64, 300, "2n"]


def test_what_the_deadline_cuts_says_where_to_go_on(server: Server) -> None:
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
    found = in_node(CAUGHT + script, url=server.url, clock=str(server.clock.file))
    assert found["name"] == "MinecheckIncomplete"
    assert found["nextOffset"] == f"{found['told']}n"
    assert found["told"] > 0


def test_problems_tell_place_and_mend(server: Server) -> None:
    script = """
        const service = new Minecheck(url);
        return caught(() => service.check(["1?", "9?"], { request_id: "seen-again" }));
    """
    found = in_node(CAUGHT + script, url=server.url)
    assert (found["status"], found["code"]) == (422, "unknown-symbol")
    assert (found["pointer"], found["row"]) == ("/board/1/0", 1)
    assert found["requestId"] == "seen-again"
    assert found["problem"]


def test_who_is_busy_is_asked_again_with_the_key() -> None:
    script = "return new Minecheck(url, { key: 'k3y' }).check('?');"
    with stub(busy("0"), busy("0"), Told()) as late:
        assert in_node(script, url=late.url)["consistent"]
    assert [headers["authorization"] for _, headers, _ in late.asked] == ["Bearer k3y"] * 3
    assert json.loads(late.asked[2][2]) == {"board": "?"}


def test_any_route_is_asked_again_while_busy() -> None:
    script = """
        const service = new Minecheck(url, { key: "k3y" });
        const told = [];
        for (const body of [undefined, "text", new Blob(["bytes"]), { board: ["?"] }]) {
            told.push(await service.ask("formats", body));
        }
        return told;
    """
    calm = Told(body=b'["told"]')
    with stub(busy("0"), calm, busy("0"), calm, busy("0"), calm, busy("0"), calm) as late:
        assert in_node(script, url=late.url) == [["told"]] * 4
    assert [told for _, _, told in late.asked[1::2]] == [b"", b"text", b"bytes", b'{"board":["?"]}']
    assert {headers["authorization"] for _, headers, _ in late.asked} == {"Bearer k3y"}


@pytest.mark.parametrize(
    ("told", "code", "sent"),
    [
        (busy("0"), "overloaded", 2),
        (busy("3600"), "overloaded", 1),
        (Told(502, b"<h1>Oh</h1>"), "bad-gateway", 1),
    ],
    ids=["busy", "long", "proxy"],
)
def test_who_stays_busy_says_so(told: Told, code: str, sent: int) -> None:
    script = "return caught(() => new Minecheck(url, { retries: 1 }).check('?'));"
    with stub(told) as full:
        found = in_node(CAUGHT + script, url=full.url)
    assert (found["problem"], found["code"], len(full.asked)) == (True, code, sent)


def test_a_batch_that_breaks_is_not_sent_again() -> None:
    script = "return caught(() => new Minecheck(url).batch('check', ['?', '?', '?']));"
    with stub(Told(body=2 * LINE, broken=True)) as breaking:
        found = in_node(CAUGHT + script, url=breaking.url)
    assert (found["told"], found["name"], len(breaking.asked)) == (2, "TypeError", 1)


def test_a_batch_that_ends_early_says_where() -> None:
    script = "return caught(() => new Minecheck(url).batch('check', Array(67).fill('?')));"
    with stub(Told(body=64 * LINE), Told(body=2 * LINE)) as short:
        found = in_node(CAUGHT + script, url=short.url)
    assert (found["told"], found["name"], found["nextOffset"]) == (66, "MinecheckIncomplete", "66n")


def test_nobody_there_is_said_after_some_tries() -> None:
    script = """
        let tried = 0;
        const counting = (...asked) => { tried += 1; return fetch(...asked); };
        const asked = new Minecheck(url, { fetch: counting }).check("?");
        const error = await asked.catch((error) => error);
        return [error instanceof TypeError, error.name, error.cause.name, error.message, tried];
    """
    url = f"http://127.0.0.1:{free_port()}"
    said = f"The service cannot be reached: no response from {url}/v1/check."
    assert in_node(script, url=url) == [True, "MinecheckUnreachable", "TypeError", said, 3]


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("http://service", []),
        ("http://page:8080", ["CORS", "pages of http://page:8080", "ORIGINS=http://page:8080 "]),
        ("null", ["CORS", "serve this one over HTTP"]),
    ],
)
def test_a_page_is_told_how_to_be_let_in(origin: str, words: list[str]) -> None:
    script = """
        globalThis.location = { origin, href: "about:blank" };
        const fetch = async () => { throw new TypeError("Failed to fetch"); };
        const asked = new Minecheck("http://service", { fetch, retries: 0 }).check("?");
        return asked.catch(({ message }) => message);
    """
    said = in_node(script, origin=origin)
    assert ("CORS" in said) == bool(words)
    assert [word for word in words if word not in said] == []


def test_a_mistake_in_what_fetches_is_no_answer_of_a_service() -> None:
    script = """
        const fetch = async () => { throw new RangeError("mine"); };
        return caught(() => new Minecheck("http://service", { fetch }).check("?"));
    """
    assert in_node(CAUGHT + script)["name"] == "RangeError"


def test_a_signal_ends_questions_and_waiting() -> None:
    script = """
        const ends = (url, isAnswered) => {
            const leaving = new AbortController();
            const leave = () => leaving.abort(new DOMException("late", "TimeoutError"));
            // It leaves once it has asked, or while it waits to ask again.
            const asking = async (...asked) => {
                const answer = fetch(...asked);
                if (isAnswered) await answer;
                setTimeout(leave);
                return answer;
            };
            const service = new Minecheck(url, { fetch: asking });
            return caught(() => service.check("?", { signal: leaving.signal }));
        };
        return [(await ends(slow, false)).name, (await ends(full, true)).name];
    """
    with stub(Told(late=True)) as slow, stub(busy("9")) as full:
        found = in_node(CAUGHT + script, slow=slow.url, full=full.url)
    assert found == ["TimeoutError", "TimeoutError"]
    assert len(full.asked) == 1
