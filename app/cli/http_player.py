"""A program that asks a player over HTTP: it passes positions on, and answers back.

``python -m minecheck.app.cli.http_player URL`` reads positions and writes cells, as
`app.cli.player_process` has them. Each position is the body of a POST, in two lines of text; the
body of the response is the line of the answer. A player that hangs is the hanging of this program,
which can be killed.
"""

import sys
from http.client import HTTPException
from typing import Final
from urllib.request import Request, urlopen

#: One byte more than an answer may have.
_MOST_BYTES: Final = 1025


def main() -> None:
    """Pass positions on until standard input ends, or the player fails."""
    (url,) = sys.argv[1:]
    read, write = sys.stdin.buffer, sys.stdout.buffer
    while size := read.readline():
        request = Request(url, size + read.readline(), {"Content-Type": "text/plain"})
        # The scheme was checked by the command.
        try:
            with urlopen(request) as response:
                answer = response.read(_MOST_BYTES)
        except (OSError, HTTPException) as error:
            sys.exit(f"{url}: {error}")
        write.write(answer if answer.endswith(b"\n") else answer + b"\n")
        write.flush()


if __name__ == "__main__":
    main()
