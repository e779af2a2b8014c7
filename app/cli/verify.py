"""The command ``verify``: certificates checked."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Final, NoReturn

import typer

from minecheck.app.cli.annotations import Dialect, Trust
from minecheck.app.cli.board_files import read_board, read_text
from minecheck.app.cli.ending import INCONSISTENT, NOT_ALL_PROVED, fail_with
from minecheck.app.cli.waiting import show_waiting
from minecheck.app.quoting import quote_text
from minecheck.minefield import Board
from minecheck.minefield.certificates.agreement import Review, review_answer
from minecheck.minefield.certificates.chances import derive_chances, derive_forced
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import (
    Certificate,
    CertificateError,
    read_certificates,
    read_subject,
)
from minecheck.minefield.certificates.judge import verify_all
from minecheck.minefield.certificates.meter import TooMuchWork
from minecheck.minefield.certificates.stated_facts import format_fraction, render_cells
from minecheck.minefield.numerals import format_count, format_integer
from minecheck.minefield.rules import Plain

#: Says on the command line that there is no total.
_NO_TOTAL = "none"
_NUMBER = re.compile("[0-9]{1,4000}", re.ASCII)


def verify(
    file: Annotated[str, typer.Argument(help="File with a certificate, or an answer with one")],
    board: Annotated[
        str | None, typer.Option(help="File with the board that it must be about")
    ] = None,
    mines: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|none",
            help="Total of mines that it must be about, or none: it must be about no total",
        ),
    ] = None,
    notation: Dialect | None = None,
    trust_flags: Trust = False,
    chances: Annotated[
        bool, typer.Option("--chances", help="Tell the chances that follow from a count")
    ] = False,
) -> None:
    """Check the certificates of answers, and all that these say, with no code of what made them.

    The exit status is 0 if all is proved, 1 if something is wrong, 2 if there is nothing to check,
    and 3 if all is right as far as it is proved: what is not is named, as what takes too long.
    """
    demanded = _read_demands(board, mines, notation, trust_flags)
    document = _read_json(file)
    if not _has_certificate(document):
        fail_with(
            f"{file}: there is no certificate in it; ask check, count, forced or analyze for "
            'one, with "certificate": true or --json --certificate'
        )
    try:
        certificates = read_certificates(document)
        topic = read_subject(document)
        _compare_topic(topic, *demanded)
        with show_waiting(lambda: "Checking"):
            shown = verify_all(certificates)
            review = (
                review_answer(document, topic, certificates, shown)
                if "certificate" in document
                else None
            )
    except TooMuchWork as error:
        print(f"not verified: {error}")
        raise typer.Exit(NOT_ALL_PROVED) from None
    except CertificateError as error:
        _reject_certificate(str(error))
    counted = next((count for count in shown if count is not None), None)
    if counted is not None:
        _print_count(topic[0], counted, chances)
    else:
        _tell_claims(certificates)
    if review is not None:
        _tell_review(review)


def _read_demands(
    file: str | None, mines: str | None, notation: str | None, trust_flags: bool
) -> tuple[Board | None, str | None, int | None]:
    """Read the board and the total that the certificate must be about, as far as given.

    The middle one is the option as it was written, or what stands for the total in the file.
    """
    total = None
    if mines is not None and mines != _NO_TOTAL:
        if not _NUMBER.fullmatch(mines):
            fail_with(
                f"--mines: {quote_text(mines)} is not a total; give a whole number, 0 or more, or "
                f"{_NO_TOTAL} where there is no total"
            )
        total = int(mines)
    if file is None:
        return None, mines, total
    board, stated = read_board(file, notation, None, None)
    if trust_flags:
        board = board.with_flags_as_mines()
    if mines is None and stated is not None:
        return board, "", stated
    return board, mines, total


def _compare_topic(
    topic: tuple[Plain, int | None], board: Board | None, mines: str | None, total: int | None
) -> None:
    """Reject a certificate about another board, or another total."""
    if board is not None and topic[0] != board:
        raise CertificateError("board", "It is about another board.")
    if mines is not None and topic[1] != total:
        raise CertificateError("mines", "It is about another total.")


def _reject_certificate(why: str) -> NoReturn:
    print(f"rejected: {why}")
    raise typer.Exit(INCONSISTENT)


def _tell_claims(certificates: Sequence[Certificate]) -> None:
    """Print what certificates without a count show."""
    claims = Counter(str(certificate.claim) for certificate in certificates)
    if not claims:
        print("verified: nothing is claimed")
    for claim, times in claims.items():
        print(f"verified: {claim}" if times == 1 else f"verified: {claim}, {times} times")


def _tell_review(review: Review) -> None:
    """Print which fields of an answer are not proved, and end the command if there are any."""
    for name, why in review.unproved.items():
        print(f"not proved: {name}: {why}")
    if review.open:
        print(f"left open: {', '.join(review.open)}")
    print(f"not about the board: {', '.join(review.apart)}")
    if review.unproved:
        raise typer.Exit(NOT_ALL_PROVED)


def _print_count(puzzle: Plain, counted: Counted, chances: bool) -> None:
    """Print the facts that the certificate of a count shows."""
    print(f"verified: {format_count(format_integer(counted.count), 'layout')}")
    try:
        lines = dict(sorted(derive_chances(counted).items()))
    except CertificateError as error:
        print(f"forced cells and chances are left out: {error.detail}")
        return
    for kind, requested in (("mine", True), ("safe", False)):
        cells = [
            _name_cell(puzzle, cell)
            for cell, mine in derive_forced(lines).items()
            if mine is requested
        ]
        if cells:
            print(f"{kind} in all: {', '.join(cells)}")
    if chances:
        for cell, chance in lines.items():
            print(f"chance of a mine at {_name_cell(puzzle, cell)}: {format_fraction(chance)}")


def _name_cell(puzzle: Plain, cell: int) -> str:
    (name,) = render_cells(puzzle, [cell])
    return f"({name[0]}, {name[1]})" if isinstance(name, list) else str(name)


def _has_certificate(document: Any) -> bool:
    """Return True for a certificate, or an answer with one; nothing else claims to be proved."""
    return isinstance(document, dict) and (
        document.get("certificate") is not None or "claim" in document or "proofs" in document
    )


def _read_json(file: str) -> Any:
    text = read_text(file)
    try:
        return json.loads(text, object_pairs_hook=_read_object, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            fail_with(f"{file}: there is more after the first answer: verify one answer per file")
        fail_with(f"{file}: not JSON: {error}")
    except (ValueError, RecursionError) as error:
        fail_with(f"{file}: not JSON: {error}")


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, and reject one with a name twice: readers differ in its meaning."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = Counter(name for name, _ in pairs)
        name = next(name for name, times in names.items() if times > 1)
        _reject_certificate(
            f"{ascii(name[:80])[1:-1]}: It is there twice; programs differ in which one they read."
        )
    return members


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"it has the number {name}")


COMMANDS: Final = {"verify": verify}
