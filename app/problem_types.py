"""The types of problems: the code at the end of the URI of each, its statuses, title and cause.

docs/problems.md is made from this table (``python -m docs.problems``).
"""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple


class ProblemType(NamedTuple):
    """A type of problems.

    Attributes:
        title: a short text for people, the same for all problems of the type and no other type.
        cause: sentences that say when the service answers with such a problem.
        statuses: the HTTP statuses that answers of this type can have.
    """

    title: str
    cause: str
    statuses: tuple[int, ...] = (422,)


#: The statuses that the proxy answers with: one for each file in docker/problems.
_OF_PROXY: Final = (
    *(400, 401, 403, 404, 405, 407, 408, 410, 413, 414, 421, 422, 425, 429, 431),
    *(500, 501, 502, 503, 504),
)
#: The types of problems by code, in the order of docs/problems.md.
PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = MappingProxyType(
    {
        # HTTP: the request as a message, before anything of its body is read.
        "malformed-request": ProblemType(
            "Malformed HTTP request",
            "The bytes on the connection are not a request of HTTP/1.1, or its method is unknown.",
            (400,),
        ),
        "bad-host": ProblemType(
            "Invalid Host header",
            "The request has no Host header or several, or its Host header is not a host name.",
            (400,),
        ),
        "unsupported-transfer-encoding": ProblemType(
            "Unsupported transfer encoding",
            "The body is sent in a Transfer-Encoding other than chunked.",
            (400,),
        ),
        "no-proxy": ProblemType(
            "Not a proxy",
            "The request has the method CONNECT, which asks a proxy for a tunnel.",
            (405,),
        ),
        "head-too-large": ProblemType(
            "Request head too large",
            "The request line and the headers take more bytes than MINECHECK_MAX_HEADER_BYTES.",
            (431,),
        ),
        "trailer-too-large": ProblemType(
            "Trailer fields too large",
            "The trailer fields after a chunked body, or the extensions of a chunk, take more "
            "bytes than MINECHECK_MAX_HEADER_BYTES.",
            (431,),
        ),
        "wrong-host": ProblemType(
            "Wrong host name",
            "The Host header names another host than those for which the service answers. This "
            "protects against web pages whose host name points to the service (DNS rebinding).",
            (421,),
        ),
        "foreign-page": ProblemType(
            "Request from a page of another origin",
            "A browser sent the request for a page whose origin has no permission.",
            (403,),
        ),
        "cors-refused": ProblemType(
            "CORS preflight rejected",
            "A browser asked whether a page may send a request, and the origin, the method or a "
            "header is not allowed.",
            (400,),
        ),
        "proxy": ProblemType(
            "Rejected by the proxy",
            "The proxy in front of the service (docker/haproxy.cfg) rejects the request, or gets "
            "no answer from the service.",
            _OF_PROXY,
        ),
        # The sender, and the rate of its requests.
        "missing-key": ProblemType(
            "Missing API key",
            "The service requires an API key (MINECHECK_API_KEYS), and the request has none.",
            (401,),
        ),
        "wrong-key": ProblemType(
            "Invalid API key", "The API key of the request is not valid.", (401,)
        ),
        "too-many-requests": ProblemType(
            "Too many requests",
            "The client sends requests faster than MINECHECK_RATE_PER_SECOND. Retry-After tells in "
            "how many seconds the next one is answered.",
            (429,),
        ),
        # Paths and names in them.
        "not-found": ProblemType(
            "Path not found", "No route and no file has the path of the request.", (404,)
        ),
        "method-not-allowed": ProblemType(
            "Method not allowed",
            "The path has no route for the method. The Allow header lists the methods.",
            (405,),
        ),
        "unknown-machine": ProblemType(
            "Unknown automaton", "No automaton has the name in the path or body.", (404,)
        ),
        "no-such-format": ProblemType(
            "Unknown file format",
            "No format has the name in the path (404) or in the body (422).",
            (404, 422),
        ),
        "no-such-game": ProblemType(
            "Game not found",
            "No game has the id: it is mistyped, or the game has expired, was removed to make room "
            "for others, or is kept by another replica.",
            (404,),
        ),
        # The body as bytes.
        "json-as-text": ProblemType(
            "JSON sent as plain text",
            "The body is a JSON object, and its Content-Type is text/plain.",
            (415,),
        ),
        "unsupported-media-type": ProblemType(
            "Unsupported media type",
            "The Content-Type of the body is missing, or is not one that the route reads. The "
            "Accept-Post header lists those.",
            (415,),
        ),
        "unsupported-charset": ProblemType(
            "Unsupported charset", "The Content-Type names another charset than UTF-8.", (415,)
        ),
        "unsupported-encoding": ProblemType(
            "Unsupported content encoding",
            "The body is compressed in a way that the route does not read. The Accept-Encoding "
            "header lists those that it reads.",
            (415,),
        ),
        "invalid-gzip": ProblemType(
            "Invalid gzip", "The body is declared as gzip, and is not gzip or ends early.", (400,)
        ),
        "invalid-zstd": ProblemType(
            "Invalid Zstandard",
            "The body is declared as zstd, and is not Zstandard, ends early, or needs a window of "
            "more than 8 MiB.",
            (400,),
        ),
        "inflates-too-much": ProblemType(
            "Compressed body too large",
            "The compressed body of a batch inflates to far more than its own size.",
            (413,),
        ),
        "body-too-large": ProblemType(
            "Body too large",
            "The body, or what it expands to, has more bytes than MINECHECK_MAX_BODY_BYTES, or one "
            "of its chunks 4 GiB or more.",
            (413,),
        ),
        "line-too-long": ProblemType(
            "Line too long",
            "A line of a batch has more bytes than MINECHECK_MAX_BODY_BYTES.",
            (413,),
        ),
        "incomplete-body": ProblemType(
            "Incomplete body",
            "The client closed the connection before the body was complete. Only the log and the "
            "metrics show it.",
            (400,),
        ),
        "request-timeout": ProblemType(
            "Request too slow",
            "The head or the body of the request arrived with a long pause "
            "(MINECHECK_UPLOAD_SECONDS), or too slowly on the whole (MINECHECK_UPLOAD_RATE).",
            (408,),
        ),
        "invalid-utf-8": ProblemType(
            "Invalid UTF-8",
            "A text is not UTF-8: the body (400), or a file in a format that is text (422).",
            (400, 422),
        ),
        # The body as JSON, and the query.
        "invalid-json": ProblemType(
            "Invalid JSON",
            "The body, or a line of a batch, is empty, is not JSON, is nested too deeply, or has "
            "an integer with too many digits.",
            (400,),
        ),
        "repeated-name": ProblemType(
            "Name appears twice",
            "An object, or the query, has a name twice; or a field is both in the body and in the "
            "query.",
            (400,),
        ),
        "too-many-names": ProblemType(
            "Too many names", "The object has more names than any request has.", (400,)
        ),
        "query-with-json": ProblemType(
            "Query next to a JSON body",
            "The request has both a JSON body and query parameters.",
            (400,),
        ),
        "not-an-object": ProblemType(
            "Not a JSON object",
            "The body, or a line of a batch, is JSON of another kind, such as a number.",
        ),
        # Fields.
        "unknown-field": ProblemType(
            "Unknown field", "The request has a field that its route does not."
        ),
        "missing-field": ProblemType(
            "Missing field", "The request lacks a field that its route requires."
        ),
        "bad-value": ProblemType(
            "Invalid value",
            "The value of a field is not valid, or not for this board or together with the other "
            "fields.",
        ),
        "over-the-limit": ProblemType(
            "Limit exceeded",
            "A value, such as deadline_ms, limit or the number of cells, is above a limit of the "
            "service.",
        ),
        "offset-beyond-the-last": ProblemType(
            "Offset beyond the last item",
            "The offset is above the number of layouts, boards or paths. An offset equal to it "
            "gives an empty page.",
        ),
        "backend-refuses": ProblemType(
            "Backend not applicable",
            "The backend that the request names does not answer this question, or not for this "
            "board.",
        ),
        "board-and-rules": ProblemType(
            "Both board and rules", "The request has both a board and rules."
        ),
        "bad-rule": ProblemType("Invalid rule", "A rule, or the list of rules, is not valid."),
        "bad-window": ProblemType(
            "Invalid window", "The window is not on the board, or too wide for its automaton."
        ),
        "cell-off-the-board": ProblemType(
            "Cell off the board", "The cell to be opened is not on the board."
        ),
        # Boards.
        "board-type": ProblemType(
            "Not a board", "The board, or one of its rows, is a value of a type that no board has."
        ),
        "empty-board": ProblemType("Empty board", "The board has no cells."),
        "ragged-rows": ProblemType(
            "Rows of different lengths", "A row of the board is longer or shorter than row 0."
        ),
        "missing-bracket": ProblemType(
            "Missing bracket",
            "A list in the text is not closed, or not opened, so that rows may be missing.",
        ),
        "ambiguous-board": ProblemType(
            "Several possible boards",
            "The text can be read as different boards. The field readings shows each of them, if "
            "they are not too large, with the fields of a request that chooses it.",
        ),
        "unknown-meaning": ProblemType(
            "Unknown meaning of a symbol",
            "The field symbols cannot be read, or gives a symbol a meaning that does not exist.",
        ),
        "several-boards": ProblemType(
            "Several boards",
            "Empty lines or words part the rows of a text, or it has several lists of rows, which "
            "may be boards of their own.",
        ),
        "ambiguous-blank-lines": ProblemType(
            "Blank lines with two meanings",
            "A text of a batch has blank lines, and may be one board or several.",
        ),
        "link-without-board": ProblemType(
            "Link without a board",
            "The text is a link to a page whose board is known to that site only.",
        ),
        "bad-link": ProblemType(
            "Damaged link",
            "The text is a link to a page of the service, and its board cannot be read from it.",
        ),
        "stray-blank": ProblemType(
            "Ambiguous blank",
            "A blank in the board may stand for a cell, separate cells, or end a row.",
        ),
        "unknown-symbol": ProblemType(
            "Unknown symbol", "A cell has a symbol that is not in the notation or format."
        ),
        "unknown-notation": ProblemType(
            "Unknown notation", "No notation has the name in the request."
        ),
        # Files.
        "format-unknown": ProblemType(
            "Format not recognised",
            "The format of a file is to be recognised, and the file shows no sign of one.",
        ),
        "no-board": ProblemType(
            "No board in the text", "The text, the file or the link holds no board."
        ),
        "two-boards": ProblemType(
            "Two boards in the link", "The link holds two boards that differ."
        ),
        "wrong-head": ProblemType(
            "Wrong beginning of the file", "The file does not begin as its format requires."
        ),
        "invalid-xml": ProblemType(
            "Invalid XML", "The file is not well-formed XML, or has parts that are not accepted."
        ),
        "wrong-line": ProblemType("Wrong line in the file", "A line of the file is out of place."),
        "wrong-field": ProblemType(
            "Wrong field in the file", "A field of the file is missing or not a number."
        ),
        "wrong-size": ProblemType(
            "Wrong number of cells", "The file has more or fewer rows or cells than its size says."
        ),
        "wrong-length": ProblemType(
            "Wrong length of the file", "The file has too many or too few bytes."
        ),
        "wrong-number": ProblemType(
            "Number and mines differ", "A number of the file is not that of the mines around."
        ),
        "mines-differ": ProblemType(
            "Wrong total of mines",
            "The number of mines that is stated is not that of the mines in the layout.",
        ),
        "unknown-version": ProblemType(
            "Unknown version of the format", "The file has an unknown version."
        ),
        "unknown-render": ProblemType(
            "Unknown rendering", "The file says that it is rendered in an unknown way."
        ),
        "not-binary": ProblemType(
            "Not a binary file", "A file in a binary format is sent as a string."
        ),
        "half-a-byte": ProblemType(
            "Half a byte", "A run of hexadecimal digits is not a whole number of bytes."
        ),
        "mine-off-the-board": ProblemType(
            "Mine off the board", "A mine of the file is not on its board."
        ),
        "mine-repeated": ProblemType("Mine listed twice", "The file lists a mine twice."),
        "clue-too-large": ProblemType("Clue too large", "A clue of the link is larger than 8."),
        "link-too-long": ProblemType(
            "Link too long", "The link is longer than any link to a board."
        ),
        "board-too-large": ProblemType(
            "Board of the file too large", "The file has more cells than MINECHECK_MAX_CELLS."
        ),
        "side-too-long": ProblemType(
            "Side too long", "The board has a longer side than the format can hold."
        ),
        "too-many-mines": ProblemType("More mines than cells", "There are more mines than cells."),
        "mines-missing": ProblemType(
            "Number of mines unknown",
            "The format holds the number of mines, and the request does not say it.",
        ),
        "layout-missing": ProblemType(
            "Layout unknown",
            "The positions of all mines are needed, and the board or file does not show them.",
        ),
        "nothing-to-write": ProblemType(
            "Nothing to write", "The request has neither a board nor a layout."
        ),
        "shapes-differ": ProblemType(
            "Board and layout differ in size", "The board and the layout differ in size."
        ),
        "symbol-missing": ProblemType(
            "No symbol for a cell", "The format has no symbol for a cell of the board."
        ),
        # Games.
        "first-off-the-board": ProblemType(
            "First click off the board", "The first click is not on the board."
        ),
        "first-on-a-mine": ProblemType(
            "First click on a mine", "There is a mine at the first click."
        ),
        "layout-and-file": ProblemType(
            "Both layout and file", "The request has both a layout and a file."
        ),
        "replay-unreadable": ProblemType(
            "Replay unreadable", "The file is damaged, or is not a replay in a supported format."
        ),
        "replays-not-installed": ProblemType(
            "Replays cannot be read here", "The service was installed without the extra replays."
        ),
        # Automata and pictures.
        "too-wide": ProblemType(
            "Automaton too wide", "The strip has more rows than the service reads or lists."
        ),
        "wrong-width": ProblemType(
            "Wrong width for the automaton",
            "The board, window or column does not have as many rows as the automaton reads.",
        ),
        "outside-the-alphabet": ProblemType(
            "Cell outside the alphabet",
            "The automaton has no symbol for a cell of the board or column.",
        ),
        "unknown-state": ProblemType("Unknown state", "The automaton has no state of this name."),
        "unknown-form": ProblemType("Unknown form", "The automaton does not exist in this form."),
        "unknown-format": ProblemType(
            "Unknown output format", "An automaton is not written in this format."
        ),
        "too-large-to-draw": ProblemType(
            "Too large to draw", "The picture has too many parts to be drawn."
        ),
        "too-many-rows": ProblemType(
            "Too many rows", "The language is asked for of boards with too many rows."
        ),
        # Circuits and solvers.
        "bad-formula": ProblemType("Invalid formula", "The formula is not well-formed."),
        "formula-too-large": ProblemType(
            "Formula too large", "The formula, or the board that it becomes, is too large."
        ),
        "bad-solution": ProblemType(
            "Invalid solution", "The output of a solver is not a solution of this board."
        ),
        # Nothing is wrong with the request, or nothing that its sender can see.
        "not-ready": ProblemType(
            "Service not ready",
            "The service is starting, perhaps compiling its kernels, or stopping.",
            (503,),
        ),
        "overloaded": ProblemType(
            "Service overloaded",
            "Too many requests wait or are in progress (MINECHECK_MAX_REQUESTS, MINECHECK_QUEUE, "
            "MINECHECK_BATCHES), or take up the memory for requests (MINECHECK_REQUESTS_MB).",
            (503,),
        ),
        "too-many-connections": ProblemType(
            "Too many connections",
            "As many connections are open as the system allows the service.",
            (503,),
        ),
        "deadline-passed": ProblemType(
            "Deadline passed",
            "The answer is useful only as a whole, and was not complete at the deadline.",
            (503,),
        ),
        "worker-lost": ProblemType(
            "Worker lost", "The worker that computed the answer failed, or was killed.", (503,)
        ),
        "out-of-memory": ProblemType(
            "Out of memory", "The answer needs more memory than MINECHECK_WORKER_MEMORY_MB.", (503,)
        ),
        "no-board-found": ProblemType(
            "No board found in time",
            "No board of the requested kind and difficulty was found before the deadline.",
            (503,),
        ),
        "no-room-for-game": ProblemType(
            "No room for the game", "The game is larger than MINECHECK_GAMES_MB.", (503,)
        ),
        "games-unreachable": ProblemType(
            "Games unreachable",
            "The Redis that keeps the games (MINECHECK_REDIS_URL) does not answer.",
            (503,),
        ),
        "internal-error": ProblemType(
            "Internal error",
            "The service has a defect that this request shows. The log has the traceback.",
            (500,),
        ),
    }
)


def title_of(code: str, status: HTTPStatus) -> str:
    """Return the title of a type of problems; for one that is not in the table, the status.

    Args:
        code: the code of the type.
        status: the status of the problem.
    """
    known = PROBLEM_TYPES.get(code)
    return status.phrase if known is None else known.title
