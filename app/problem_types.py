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
        statuses: the HTTP statuses that answers of this type can have.
        title: a short text for people, the same for all problems of the type and no other type.
        cause: sentences that say when the service answers with such a problem.
    """

    statuses: tuple[int, ...]
    title: str
    cause: str


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
            (400,),
            "Malformed HTTP request",
            "The bytes on the connection are not a request of HTTP/1.1, or its method is unknown.",
        ),
        "bad-host": ProblemType(
            (400,),
            "Invalid Host header",
            "The request has no Host header or several, or its Host header is not a host name.",
        ),
        "unsupported-transfer-encoding": ProblemType(
            (400,),
            "Unsupported transfer encoding",
            "The body is sent in a Transfer-Encoding other than chunked.",
        ),
        "no-proxy": ProblemType(
            (405,),
            "Not a proxy",
            "The request has the method CONNECT, which asks a proxy for a tunnel.",
        ),
        "head-too-large": ProblemType(
            (431,),
            "Request head too large",
            "The request line and the headers take more bytes than MINECHECK_MAX_HEADER_BYTES.",
        ),
        "trailer-too-large": ProblemType(
            (431,),
            "Trailer fields too large",
            "The trailer fields after a chunked body, or the extensions of a chunk, take more "
            "bytes than MINECHECK_MAX_HEADER_BYTES.",
        ),
        "wrong-host": ProblemType(
            (421,),
            "Wrong host name",
            "The Host header names another host than those for which the service answers. This "
            "protects against web pages whose host name points to the service (DNS rebinding).",
        ),
        "foreign-page": ProblemType(
            (403,),
            "Request from a page of another origin",
            "A browser sent the request for a page whose origin has no permission.",
        ),
        "cors-refused": ProblemType(
            (400,),
            "CORS preflight rejected",
            "A browser asked whether a page may send a request, and the origin, the method or a "
            "header is not allowed.",
        ),
        "proxy": ProblemType(
            _OF_PROXY,
            "Rejected by the proxy",
            "The proxy in front of the service (docker/haproxy.cfg) rejects the request, or gets "
            "no answer from the service.",
        ),
        # The sender, and the rate of its requests.
        "missing-key": ProblemType(
            (401,),
            "Missing API key",
            "The service requires an API key (MINECHECK_API_KEYS), and the request has none.",
        ),
        "wrong-key": ProblemType(
            (401,), "Invalid API key", "The API key of the request is not valid."
        ),
        "too-many-requests": ProblemType(
            (429,),
            "Too many requests",
            "The client sends requests faster than MINECHECK_RATE_PER_SECOND. Retry-After tells in "
            "how many seconds the next one is answered.",
        ),
        # Paths and names in them.
        "not-found": ProblemType(
            (404,), "Path not found", "No route and no file has the path of the request."
        ),
        "method-not-allowed": ProblemType(
            (405,),
            "Method not allowed",
            "The path has no route for the method. The Allow header lists the methods.",
        ),
        "unknown-machine": ProblemType(
            (404,), "Unknown automaton", "No automaton has the name in the path or body."
        ),
        "no-such-format": ProblemType(
            (404, 422),
            "Unknown file format",
            "No format has the name in the path (404) or in the body (422).",
        ),
        "no-such-game": ProblemType(
            (404,),
            "Game not found",
            "No game has the id: it is mistyped, or the game has expired, was removed to make room "
            "for others, or is kept by another replica.",
        ),
        # The body as bytes.
        "json-as-text": ProblemType(
            (415,),
            "JSON sent as plain text",
            "The body is a JSON object, and its Content-Type is text/plain.",
        ),
        "unsupported-media-type": ProblemType(
            (415,),
            "Unsupported media type",
            "The Content-Type of the body is missing, or is not one that the route reads. The "
            "Accept-Post header lists those.",
        ),
        "unsupported-charset": ProblemType(
            (415,), "Unsupported charset", "The Content-Type names another charset than UTF-8."
        ),
        "unsupported-encoding": ProblemType(
            (415,),
            "Unsupported content encoding",
            "The body is compressed in a way that the route does not read. The Accept-Encoding "
            "header lists those that it reads.",
        ),
        "invalid-gzip": ProblemType(
            (400,),
            "Invalid gzip",
            "The body is declared as gzip, and is not gzip or ends early.",
        ),
        "invalid-zstd": ProblemType(
            (400,),
            "Invalid Zstandard",
            "The body is declared as zstd, and is not Zstandard, ends early, or needs a window of "
            "more than 8 MiB.",
        ),
        "inflates-too-much": ProblemType(
            (413,),
            "Compressed body too large",
            "The compressed body of a batch inflates to far more than its own size.",
        ),
        "body-too-large": ProblemType(
            (413,),
            "Body too large",
            "The body, or what it expands to, has more bytes than MINECHECK_MAX_BODY_BYTES, or one "
            "of its chunks 4 GiB or more.",
        ),
        "line-too-long": ProblemType(
            (413,),
            "Line too long",
            "A line of a batch has more bytes than MINECHECK_MAX_BODY_BYTES.",
        ),
        "incomplete-body": ProblemType(
            (400,),
            "Incomplete body",
            "The client closed the connection before the body was complete. Only the log and the "
            "metrics show it.",
        ),
        "request-timeout": ProblemType(
            (408,),
            "Request too slow",
            "The head or the body of the request arrived with a long pause "
            "(MINECHECK_UPLOAD_SECONDS), or too slowly on the whole (MINECHECK_UPLOAD_RATE).",
        ),
        "invalid-utf-8": ProblemType(
            (400, 422),
            "Invalid UTF-8",
            "A text is not UTF-8: the body (400), or a file in a format that is text (422).",
        ),
        # The body as JSON, and the query.
        "invalid-json": ProblemType(
            (400,),
            "Invalid JSON",
            "The body, or a line of a batch, is empty, is not JSON, is nested too deeply, or has "
            "an integer with too many digits.",
        ),
        "repeated-name": ProblemType(
            (400,),
            "Name appears twice",
            "An object, or the query, has a name twice; or a field is both in the body and in the "
            "query.",
        ),
        "too-many-names": ProblemType(
            (400,), "Too many names", "The object has more names than any request has."
        ),
        "query-with-json": ProblemType(
            (400,),
            "Query next to a JSON body",
            "The request has both a JSON body and query parameters.",
        ),
        "not-an-object": ProblemType(
            (422,),
            "Not a JSON object",
            "The body, or a line of a batch, is JSON of another kind, such as a number.",
        ),
        # Fields.
        "unknown-field": ProblemType(
            (422,), "Unknown field", "The request has a field that its route does not."
        ),
        "missing-field": ProblemType(
            (422,), "Missing field", "The request lacks a field that its route requires."
        ),
        "bad-value": ProblemType(
            (422,),
            "Invalid value",
            "The value of a field is not valid, or not for this board or together with the other "
            "fields.",
        ),
        "over-the-limit": ProblemType(
            (422,),
            "Limit exceeded",
            "A value, such as deadline_ms, limit or the number of cells, is above a limit of the "
            "service.",
        ),
        "offset-beyond-the-last": ProblemType(
            (422,),
            "Offset beyond the last item",
            "The offset is above the number of layouts, boards or paths. An offset equal to it "
            "gives an empty page.",
        ),
        "backend-refuses": ProblemType(
            (422,),
            "Backend not applicable",
            "The backend that the request names does not answer this question, or not for this "
            "board.",
        ),
        "board-and-rules": ProblemType(
            (422,), "Both board and rules", "The request has both a board and rules."
        ),
        "bad-rule": ProblemType(
            (422,), "Invalid rule", "A rule, or the list of rules, is not valid."
        ),
        "bad-window": ProblemType(
            (422,),
            "Invalid window",
            "The window is not on the board, or too wide for its automaton.",
        ),
        "cell-off-the-board": ProblemType(
            (422,), "Cell off the board", "The cell to be opened is not on the board."
        ),
        # Boards.
        "board-type": ProblemType(
            (422,),
            "Not a board",
            "The board, or one of its rows, is a value of a type that no board has.",
        ),
        "empty-board": ProblemType((422,), "Empty board", "The board has no cells."),
        "ragged-rows": ProblemType(
            (422,),
            "Rows of different lengths",
            "A row of the board is longer or shorter than row 0.",
        ),
        "ambiguous-board": ProblemType(
            (422,),
            "Several possible boards",
            "The text can be read as different boards. The field readings shows each of them, with "
            "the fields of a request that chooses it.",
        ),
        "unknown-meaning": ProblemType(
            (422,),
            "Unknown meaning of a symbol",
            "The field symbols cannot be read, or gives a symbol a meaning that does not exist.",
        ),
        "several-boards": ProblemType(
            (422,),
            "Several boards",
            "Empty lines part the rows of a text into groups, which may be boards of their own.",
        ),
        "ambiguous-blank-lines": ProblemType(
            (422,),
            "Blank lines with two meanings",
            "A text of a batch has blank lines, and may be one board or several.",
        ),
        "link-without-board": ProblemType(
            (422,),
            "Link without a board",
            "The text is a link to a page whose board is known to that site only.",
        ),
        "bad-link": ProblemType(
            (422,),
            "Damaged link",
            "The text is a link to a page of the service, and its board cannot be read from it.",
        ),
        "stray-blank": ProblemType(
            (422,),
            "Ambiguous blank",
            "A blank in the board may stand for a cell, separate cells, or end a row.",
        ),
        "unknown-symbol": ProblemType(
            (422,), "Unknown symbol", "A cell has a symbol that is not in the notation or format."
        ),
        "unknown-notation": ProblemType(
            (422,), "Unknown notation", "No notation has the name in the request."
        ),
        # Files.
        "format-unknown": ProblemType(
            (422,),
            "Format not recognised",
            "The format of a file is to be recognised, and the file shows no sign of one.",
        ),
        "no-board": ProblemType(
            (422,), "No board in the text", "The text, the file or the link holds no board."
        ),
        "two-boards": ProblemType(
            (422,), "Two boards in the link", "The link holds two boards that differ."
        ),
        "wrong-head": ProblemType(
            (422,), "Wrong beginning of the file", "The file does not begin as its format requires."
        ),
        "invalid-xml": ProblemType(
            (422,),
            "Invalid XML",
            "The file is not well-formed XML, or has parts that are not accepted.",
        ),
        "wrong-line": ProblemType(
            (422,), "Wrong line in the file", "A line of the file is out of place."
        ),
        "wrong-field": ProblemType(
            (422,), "Wrong field in the file", "A field of the file is missing or not a number."
        ),
        "wrong-size": ProblemType(
            (422,),
            "Wrong number of cells",
            "The file has more or fewer rows or cells than its size says.",
        ),
        "wrong-length": ProblemType(
            (422,), "Wrong length of the file", "The file has too many or too few bytes."
        ),
        "wrong-number": ProblemType(
            (422,),
            "Number and mines differ",
            "A number of the file is not that of the mines around.",
        ),
        "mines-differ": ProblemType(
            (422,),
            "Wrong total of mines",
            "The number of mines that is stated is not that of the mines in the layout.",
        ),
        "unknown-version": ProblemType(
            (422,), "Unknown version of the format", "The file has an unknown version."
        ),
        "unknown-render": ProblemType(
            (422,), "Unknown rendering", "The file says that it is rendered in an unknown way."
        ),
        "not-binary": ProblemType(
            (422,), "Not a binary file", "A file in a binary format is sent as a string."
        ),
        "half-a-byte": ProblemType(
            (422,), "Half a byte", "A run of hexadecimal digits is not a whole number of bytes."
        ),
        "mine-off-the-board": ProblemType(
            (422,), "Mine off the board", "A mine of the file is not on its board."
        ),
        "mine-repeated": ProblemType((422,), "Mine listed twice", "The file lists a mine twice."),
        "clue-too-large": ProblemType(
            (422,), "Clue too large", "A clue of the link is larger than 8."
        ),
        "link-too-long": ProblemType(
            (422,), "Link too long", "The link is longer than any link to a board."
        ),
        "board-too-large": ProblemType(
            (422,),
            "Board of the file too large",
            "The file has more cells than MINECHECK_MAX_CELLS.",
        ),
        "side-too-long": ProblemType(
            (422,), "Side too long", "The board has a longer side than the format can hold."
        ),
        "too-many-mines": ProblemType(
            (422,), "More mines than cells", "There are more mines than cells."
        ),
        "mines-missing": ProblemType(
            (422,),
            "Number of mines unknown",
            "The format holds the number of mines, and the request does not say it.",
        ),
        "layout-missing": ProblemType(
            (422,),
            "Layout unknown",
            "The positions of all mines are needed, and the board or file does not show them.",
        ),
        "nothing-to-write": ProblemType(
            (422,), "Nothing to write", "The request has neither a board nor a layout."
        ),
        "shapes-differ": ProblemType(
            (422,), "Board and layout differ in size", "The board and the layout differ in size."
        ),
        "symbol-missing": ProblemType(
            (422,), "No symbol for a cell", "The format has no symbol for a cell of the board."
        ),
        # Games.
        "first-off-the-board": ProblemType(
            (422,), "First click off the board", "The first click is not on the board."
        ),
        "first-on-a-mine": ProblemType(
            (422,), "First click on a mine", "There is a mine at the first click."
        ),
        "layout-and-file": ProblemType(
            (422,), "Both layout and file", "The request has both a layout and a file."
        ),
        # Automata and pictures.
        "too-wide": ProblemType(
            (422,), "Automaton too wide", "The strip has more rows than the service reads or lists."
        ),
        "wrong-width": ProblemType(
            (422,),
            "Wrong width for the automaton",
            "The board, window or column does not have as many rows as the automaton reads.",
        ),
        "outside-the-alphabet": ProblemType(
            (422,),
            "Cell outside the alphabet",
            "The automaton has no symbol for a cell of the board or column.",
        ),
        "unknown-state": ProblemType(
            (422,), "Unknown state", "The automaton has no state of this name."
        ),
        "unknown-form": ProblemType(
            (422,), "Unknown form", "The automaton does not exist in this form."
        ),
        "unknown-format": ProblemType(
            (422,), "Unknown output format", "An automaton is not written in this format."
        ),
        "too-large-to-draw": ProblemType(
            (422,), "Too large to draw", "The picture has too many parts to be drawn."
        ),
        "too-many-rows": ProblemType(
            (422,), "Too many rows", "The language is asked for of boards with too many rows."
        ),
        # Circuits and solvers.
        "bad-formula": ProblemType((422,), "Invalid formula", "The formula is not well-formed."),
        "formula-too-large": ProblemType(
            (422,), "Formula too large", "The formula, or the board that it becomes, is too large."
        ),
        "bad-solution": ProblemType(
            (422,), "Invalid solution", "The output of a solver is not a solution of this board."
        ),
        # Nothing is wrong with the request, or nothing that its sender can see.
        "not-ready": ProblemType(
            (503,),
            "Service not ready",
            "The service is starting, perhaps compiling its kernels, or stopping.",
        ),
        "overloaded": ProblemType(
            (503,),
            "Service overloaded",
            "Too many requests wait or are in progress (MINECHECK_MAX_REQUESTS, MINECHECK_QUEUE, "
            "MINECHECK_BATCHES), or take up the memory for requests (MINECHECK_REQUESTS_MB).",
        ),
        "too-many-connections": ProblemType(
            (503,),
            "Too many connections",
            "As many connections are open as the system allows the service.",
        ),
        "deadline-passed": ProblemType(
            (503,),
            "Deadline passed",
            "The answer is useful only as a whole, and was not complete at the deadline.",
        ),
        "worker-lost": ProblemType(
            (503,), "Worker lost", "The worker that computed the answer failed, or was killed."
        ),
        "out-of-memory": ProblemType(
            (503,), "Out of memory", "The answer needs more memory than MINECHECK_WORKER_MEMORY_MB."
        ),
        "no-board-found": ProblemType(
            (503,),
            "No board found in time",
            "No board of the requested kind and difficulty was found before the deadline.",
        ),
        "no-room-for-game": ProblemType(
            (503,), "No room for the game", "The game is larger than MINECHECK_GAMES_MB."
        ),
        "games-unreachable": ProblemType(
            (503,),
            "Games unreachable",
            "The Redis that keeps the games (MINECHECK_REDIS_URL) does not answer.",
        ),
        "internal-error": ProblemType(
            (500,),
            "Internal error",
            "The service has a defect that this request shows. The log has the traceback.",
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
