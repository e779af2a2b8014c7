"""Tests send requests with fields after a chunked body."""

import json
import re
import socket

#: A value that would matter, for each field that something in the service reads.
READ = {
    "Accept": "text/plain",
    "Access-Control-Request-Method": "POST",
    "Authorization": "Bearer stolen",
    "Connection": "close",
    "Content-Encoding": "gzip",
    "Content-Type": "application/json",
    "Expect": "100-continue",
    "Host": "evil.example",
    "If-None-Match": "*",
    "Minecheck-Second-Try": "1",
    "Origin": "https://evil.example",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
    "Traceparent": f"00-{'1' * 32}-{'2' * 16}-01",
    "Upgrade": "h2c",
    "X-API-Key": "stolen",
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Request-ID": "forged",
}
HEAD = b"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def exchange(port: int, *pieces: bytes) -> list[tuple[int, dict[str, object]]]:
    """Return statuses and bodies of all answers on a connection."""
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        for piece in pieces:
            client.sendall(piece)
        read = b""
        while more := client.recv(1 << 16):
            read += more
    parts = re.split(rb"HTTP/1\.1 (\d{3}) [^\r]*\r\n", read)[1:]
    return [
        (int(status), json.loads(rest.partition(b"\r\n\r\n")[2]))
        for status, rest in zip(parts[::2], parts[1::2], strict=True)
    ]


def build_chunked_request(*fields: str) -> bytes:
    """Return a request with these fields after its body."""
    return HEAD + b"2\r\nab\r\n0\r\n" + "".join(f"{one}\r\n" for one in fields).encode() + b"\r\n"
