"""Clients may send too much, too slowly, nothing, or too many requests at once."""

import json
import re
import resource
import socket
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from select import select

import pytest

from tests.app.serving import Server, hard_question, serving
from tests.processes import holds_soon

HEAD = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
CHUNKED = b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
MOST = 2048
#: Seconds that `strict` waits for the rest of a head or a body, by a clock that tests move.
PATIENCE = 40.0
BOUNDED = {"UVICORN_HTTP": "minecheck.app.middleware.connections:Bounded"}


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """`minecheck serve` with small limits."""
    env = {
        "MINECHECK_MAX_HEADER_BYTES": str(MOST),
        "MINECHECK_UPLOAD_SECONDS": str(PATIENCE),
    }
    with serving(env, cli=True, movable=True) as server:
        yield server


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    """Plain uvicorn, which by itself would keep a connection for an hour, with our limit."""
    env = {"UVICORN_TIMEOUT_KEEP_ALIVE": "3600", "MINECHECK_UPLOAD_SECONDS": "0.5"}
    with serving(BOUNDED | env) as server:
        yield server


@pytest.fixture
def enduring() -> Iterator[Server]:
    """Plain uvicorn, which keeps a connection for an hour, with the limit of `strict`."""
    env = {"UVICORN_TIMEOUT_KEEP_ALIVE": "3600", "MINECHECK_UPLOAD_SECONDS": str(PATIENCE)}
    with serving(BOUNDED | env, movable=True) as server:
        yield server


def connect_to(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 60.0)


def send_pieces(server: Server, pieces: Iterable[bytes], pause: float = 0.0) -> bytes:
    """Return all that the server answers until it closes the connection, possibly nothing."""
    with connect_to(server) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(pause)
        except OSError:
            pass
        answer = b""
        try:
            while piece := client.recv(1 << 16):
                answer += piece
        except ConnectionError:
            pass
    return answer


def read_health(client: socket.socket) -> bytes:
    """Return the answer of /healthz on a connection that stays open."""
    answer = b""
    while not answer.endswith(b"}\n") and (piece := client.recv(4096)):
        answer += piece
    return answer


def read_problem_type(answer: bytes) -> str:
    """Return the last part of the type of a problem that is the whole answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    problem = json.loads(body)
    assert head.startswith(f"HTTP/1.1 {problem['status']} ".encode())
    return str(problem["type"]).rpartition(":")[2]


def memory(server: Server) -> int:
    """Return the most bytes of memory that the server has had at once."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def build_padded_head(size: int) -> list[bytes]:
    """Return a request whose head has `size` bytes, in pieces."""
    pieces = [HEAD, b"Connection: close\r\n", b"X: ", b"\r\n\r\n"]
    pieces.insert(3, b"y" * (size - sum(map(len, pieces))))
    return pieces


@pytest.mark.parametrize("together", [True, False])
def test_request_head_may_be_as_large_as_limit(strict: Server, together: bool) -> None:
    pieces = [b"".join(build_padded_head(MOST))] if together else build_padded_head(MOST)
    assert send_pieces(strict, pieces, 0.05).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "pieces",
    [
        build_padded_head(MOST + 1),
        [HEAD, b"X: ", *[b"y" * 500] * 10, b"\r\n\r\n"],
        [HEAD, *[b"X: y\r\n"] * 500, b"\r\n"],
        [b"GET /", *[b"y" * 500] * 10, b" HTTP/1.1\r\nHost: x\r\n\r\n"],
        [HEAD, b"X: ", b"y" * 5000],
    ],
    ids=["a byte too much", "a long field", "many fields", "a long target", "no end"],
)
@pytest.mark.parametrize("together", [True, False])
def test_request_head_above_limit_is_answered_with_431(
    strict: Server, pieces: list[bytes], together: bool
) -> None:
    pieces = [b"".join(pieces)] if together else pieces
    assert (
        read_problem_type(send_pieces(strict, pieces, 0.0 if together else 0.002))
        == "head-too-large"
    )


def test_rejected_connections_are_counted(strict: Server) -> None:
    sample = re.compile(r'^minecheck_connections_refused_total{status="431"} (.+)$', re.MULTILINE)

    def read_count() -> float:
        return sum(map(float, sample.findall(strict.get("/metrics").text)))

    before = read_count()
    send_pieces(strict, build_padded_head(MOST + 1))
    assert read_count() == before + 1


def test_rejected_client_may_send_to_the_end_and_read_answer(strict: Server) -> None:
    with connect_to(strict) as client:
        client.sendall(HEAD + b"X: " + b"y" * (20 * 2**20) + b"\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 431 ")


def test_large_head_after_small_request_is_rejected(strict: Server) -> None:
    answer = send_pieces(strict, [HEAD + b"\r\n" + b"".join(build_padded_head(MOST + 1))])
    assert answer.count(b"HTTP/1.1 200 ") < 2


def test_large_body_after_small_head_is_accepted(strict: Server) -> None:
    body = b" " * 300_000 + b'{"board": ["1?", "??"]}'
    head = (
        b"POST /v1/count HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    assert b'"count":"3"' in send_pieces(strict, [head + body])


@pytest.mark.parametrize(
    "endless",
    [
        [HEAD, b"X: "],
        [HEAD, b"X"],
        [b"GET /"],
        [CHUNKED, b"0\r\nX: "],
        [CHUNKED, b"5;x="],
    ],
    ids=["value", "name", "target", "trailer", "chunk extension"],
)
def test_connection_keeps_few_bytes_of_a_request_that_never_ends(
    strict: Server, endless: list[bytes]
) -> None:
    before = memory(strict)
    send_pieces(strict, [*endless, *[b"y" * 2**20] * 50])
    assert memory(strict) - before < 10 * 2**20
    assert strict.healthy()


def test_bytes_that_are_not_http_are_answered_with_400(strict: Server) -> None:
    assert read_problem_type(send_pieces(strict, [b"\x16\x03\x01\r\n\r\n"])) == "malformed-request"


def test_unknown_method_is_named_as_possible_reason(strict: Server) -> None:
    answer = send_pieces(strict, [HEAD.replace(b"GET", b"FOO") + b"\r\n"])
    assert read_problem_type(answer) == "malformed-request"
    assert b"method" in answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pieces", "pause"),
    [
        ([], 0.0),
        ([HEAD], 0.0),
        ([bytes([byte]) for byte in HEAD], 0.1),
        ([b"\r\n"] * 30, 0.1),
        ([HEAD + b"\r\n", b"G"], 0.2),
    ],
    ids=["nothing", "half a head", "a byte at a time", "empty lines", "half of a second head"],
)
def test_request_head_that_takes_too_long_closes_connection(
    hasty: Server, pieces: list[bytes], pause: float
) -> None:
    answer = send_pieces(hasty, pieces, pause)
    assert answer.count(b"HTTP/1.1") == answer.count(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_unread_body_that_takes_too_long_closes_connection(hasty: Server) -> None:
    head = b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    assert send_pieces(hasty, [head, *[b"x"] * 20], 0.1).startswith(b"HTTP/1.1 405 ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "head",
    [
        b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
        b"POST /v1/batch?task=check HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n",
    ],
)
def test_body_that_stops_is_answered_with_408(hasty: Server, head: bytes) -> None:
    answer = send_pieces(hasty, [head + b"Content-Length: 100\r\n\r\n", b'{"board'])
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"urn:minecheck:problem:request-timeout" in answer


@pytest.mark.slow
def test_batch_whose_body_stops_ends_with_problem(strict: Server) -> None:
    head = (
        b"POST /v1/batch?task=count HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    )
    with connect_to(strict) as client:
        client.sendall(head + b"Content-Length: 100\r\n\r\n" + b'"?1"\n')
        answer = b""
        while b'"count":"1"' not in answer:
            answer += client.recv(1 << 16)
        strict.clock.pass_time()
        while piece := client.recv(1 << 16):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"urn:minecheck:problem:request-timeout" in answer


@pytest.mark.slow
def test_connection_may_be_used_longer_than_head_may_take(enduring: Server) -> None:
    with connect_to(enduring) as client:
        for _ in range(5):
            client.sendall(HEAD + b"\r\n")
            assert read_health(client).startswith(b"HTTP/1.1 200 ")
            enduring.clock.pass_time(PATIENCE / 2)


def test_question_may_take_longer_than_head_may_take(strict: Server) -> None:
    answer = strict.post("/v1/batch?task=check", None)
    assert answer.status_code == 415
    with ThreadPoolExecutor() as pool:
        question = pool.submit(strict.post, "/v1/count", hard_question(60_000), 60)
        assert strict.has_questions(1)
        strict.clock.pass_time(PATIENCE + 1)
        assert strict.healthy()
        strict.clock.pass_time()
        assert question.result().status_code == 200


@pytest.mark.slow
def test_connection_holds_few_of_thousands_of_requests(strict: Server) -> None:
    last = HEAD + b"Connection: close\r\n\r\n"
    answer = send_pieces(strict, [(HEAD + b"\r\n") * 20 + last])
    assert answer.count(b"HTTP/1.1 200 ") == 21
    before = memory(strict)
    send_pieces(strict, [(HEAD + b"\r\n") * 5000])
    assert memory(strict) - before < 5 * 2**20
    assert strict.healthy()


def test_hundreds_of_idle_connections_do_not_block_requests(strict: Server) -> None:
    with ExitStack() as opened:
        clients = [opened.enter_context(connect_to(strict)) for _ in range(400)]
        for client in clients[::2]:
            client.sendall(HEAD)
        assert strict.healthy()
        strict.clock.pass_time()
        for client in clients:
            assert client.recv(1) == b""


def test_serve_command_raises_limit_of_open_files(strict: Server) -> None:
    soft, hard = resource.prlimit(strict.process.pid, resource.RLIMIT_NOFILE)
    assert soft == hard


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    """A server that may have 256 files open, under plain uvicorn."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        try:
            # More workers would leave too few of these files for connections.
            server = stack.enter_context(serving(BOUNDED | {"MINECHECK_WORKERS": "1"}))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        yield server


@pytest.mark.slow
def test_connections_beyond_limit_of_open_files_are_rejected(
    small: Server,
) -> None:
    with ExitStack() as opened:
        clients = [opened.enter_context(connect_to(small)) for _ in range(191)]
        assert small.healthy()
        clients += [opened.enter_context(connect_to(small)) for _ in range(300)]
        assert read_problem_type(send_pieces(small, [])) == "too-many-connections"
        clients[0].sendall(HEAD + b"\r\n")
        assert read_health(clients[0]).startswith(b"HTTP/1.1 200 ")
    assert holds_soon(small.healthy)


@pytest.mark.slow
def test_server_survives_lack_of_file_descriptors(small: Server) -> None:
    # The limit falls below the one that the protocol read at start, so that accepting itself fails.
    hard = resource.prlimit(small.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(small.process.pid, resource.RLIMIT_NOFILE, (60, hard))
    with ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(connect_to(small))
        assert small.at_rest()
        assert small.process.poll() is None
    assert holds_soon(small.healthy)


@pytest.mark.slow
def test_requests_beyond_limit_are_rejected_at_once_and_probes_answered() -> None:
    env = {"MINECHECK_MAX_REQUESTS": "3", "MINECHECK_WORKERS": "2"}
    body = json.dumps(hard_question(30_000)).encode()
    head = b"POST /v1/count HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    message = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with serving(env, cli=True) as server, ExitStack() as opened:
        clients = [opened.enter_context(connect_to(server)) for _ in range(3)]
        for client in clients:
            client.sendall(message)
        assert server.has_questions(3)
        rejected = server.post("/v1/check", {"board": ["?"]})
        answered_before = select(clients, [], [], 0)[0]
        assert answered_before == []
        assert rejected.status_code == 503
        assert rejected.json()["type"] == "urn:minecheck:problem:overloaded"
        assert rejected.headers["retry-after"] == "1"
        assert server.get("/readyz").status_code == 200


@pytest.mark.slow
def test_slow_bodies_do_not_count_as_requests_in_progress() -> None:
    env = {"MINECHECK_MAX_REQUESTS": "3", "MINECHECK_WORKERS": "2"}
    head = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with serving(env, cli=True) as server, ExitStack() as opened:
        for _ in range(10):
            slow = opened.enter_context(connect_to(server))
            slow.sendall(head + b"Content-Length: 1000\r\n\r\n{")
        assert server.post("/v1/check", {"board": ["?"]}).status_code == 200
        # A request rejected before its body is there must not make the count negative.
        for _ in range(5):
            wrong = opened.enter_context(connect_to(server))
            wrong.sendall(b"POST /v1/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
            assert read_health(wrong).startswith(b"HTTP/1.1 404 ")
        body = json.dumps(hard_question(30_000)).encode()
        for _ in range(3):
            busy = opened.enter_context(connect_to(server))
            busy.sendall(
                head.replace(b"check", b"count") + b"Content-Length: %d\r\n\r\n" % len(body) + body
            )
        assert server.has_questions(3)
        assert server.post("/v1/check", {"board": ["?"]}).status_code == 503


@pytest.mark.parametrize("name", [b"Upgrade", b"upgrade", b"UPGRADE"])
def test_request_to_upgrade_protocol_is_ignored(strict: Server, name: bytes) -> None:
    head = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    head += name + b": h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\n"
    body = b'{"board": ["?1"]}'
    with connect_to(strict) as client:
        client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body))
        # A later request is answered: the head has been read.
        strict.get("/healthz")
        client.sendall(body)
        assert read_health(client).startswith(b"HTTP/1.1 200 ")


def test_upgrade_in_pipelined_requests_and_pieces_is_ignored(strict: Server) -> None:
    wish = CHECK_HEAD + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: %d\r\n\r\n" % len(
        BODY
    )
    whole = (wish + BODY) * 3 + HEAD + b"Connection: close, upgrade\r\nUpgrade: x\r\n\r\n"
    cut = whole.index(b"Upgrade:", 200) + 4
    for pieces in ([whole], [whole[:cut], whole[cut:]]):
        answers = send_pieces(strict, pieces, 0.05)
        assert re.findall(rb"HTTP/1\.1 (\d+)", answers) == [b"200"] * 4
        assert answers.count(b'"consistent":true') == 3


CHECK_HEAD = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
BODY = b'{"board": ["?1"]}'


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"GET /healthz HTTP/1.1\r\n\r\n", "bad-host"),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "bad-host"),
        (b"GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "bad-host"),
        (b"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", "bad-host"),
        (b"GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n", "malformed-request"),
        (b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", "no-proxy"),
        (b"CONNECT /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "no-proxy"),
        (b"GET p:// HTTP/1.1\r\nHost: x\r\n\r\n", "malformed-request"),
        (CHECK_HEAD + b"Transfer-Encoding: x\r\n\r\n" + BODY, "unsupported-transfer-encoding"),
        (CHECK_HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "unsupported-transfer-encoding"),
        (
            CHECK_HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n" + BODY,
            "malformed-request",
        ),
        (
            CHECK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n",
            "malformed-request",
        ),
        (CHECK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n", "malformed-request"),
        (CHECK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n100000000\r\n", "body-too-large"),
        (
            CHECK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n" + b"F" * 16 + b";x=y\r\n{",
            "body-too-large",
        ),
    ],
)
def test_invalid_http_is_answered_with_problem_and_closed_connection(
    strict: Server, request_: bytes, code: str
) -> None:
    assert read_problem_type(send_pieces(strict, [request_ + HEAD + b"\r\n"])) == code


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /healthz HTTP/1.0\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: [::1]:8000\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
        CHECK_HEAD + b"Connection: close\r\nTransfer-Encoding: Chunked\r\n\r\n"
        b"11\r\n" + BODY + b"\r\n0\r\n\r\n",
    ],
)
def test_unusual_but_valid_http_is_accepted(strict: Server, request_: bytes) -> None:
    assert send_pieces(strict, [request_]).startswith(b"HTTP/1.1 200 ")


def test_large_chunk_is_rejected_wherever_reads_are_cut(strict: Server) -> None:
    body = CHECK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n  \r\n00100000000\r\n   "
    for cut in range(len(CHECK_HEAD), len(body)):
        assert (
            read_problem_type(send_pieces(strict, [body[:cut], body[cut:]], 0.01))
            == "body-too-large"
        )


def test_batch_ends_at_large_chunk(strict: Server) -> None:
    head = (
        b"POST /v1/batch?task=count HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    )
    chunk = b'5\r\n"?1"\n\r\n'
    pieces = [head + b"Transfer-Encoding: chunked\r\n\r\n", chunk, b"100000000\r\n"]
    answer = send_pieces(strict, pieces, 0.3)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert not answer.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("before", [1, 3000])
def test_rejected_request_is_answered_after_earlier_requests(strict: Server, before: int) -> None:
    question = CHECK_HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
    requests = question + (HEAD + b"\r\n") * before + b"GET / HTTP/1.1\r\n\r\n"
    statuses = re.findall(rb"HTTP/1\.1 (\d+)", send_pieces(strict, [requests]))
    assert statuses == [b"200"] * (1 + before) + [b"400"]
