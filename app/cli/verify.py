"""The command ``verify``: certificates checked."""

import json
from collections import Counter
from typing import Annotated, Any

import typer

from app.cli.boards import Dialect, Mines, Trust, read_board, read_text
from app.cli.ending import INCONSISTENT, fail
from minefield import Notation
from minefield.amounts import digits, several
from minefield.certificates.agreement import cell_of, compare, fraction
from minefield.certificates.chances import chances_of, forced_of
from minefield.certificates.counting import Counted
from minefield.certificates.document import CertificateError, about, read_certificates
from minefield.certificates.judge import verify_all
from minefield.rules import Plain


def verify(
    file: Annotated[str, typer.Argument(help="File with a certificate, or an answer with one")],
    board: Annotated[
        str | None, typer.Option(help="File with the board that it must be about")
    ] = None,
    mines: Mines = None,
    notation: Dialect = Notation.STANDARD,
    trust_flags: Trust = False,
    chances: Annotated[
        bool, typer.Option("--chances", help="Tell the chances that follow from a count")
    ] = False,
) -> None:
    """Check the certificates of answers, with no code of what made them."""
    given = _read_json(file)
    if _is_bare(given):
        fail(
            f"{file}: that answer has no certificate; ask check, count, forced or analyze for "
            'one, with "certificate": true or --json --certificate'
        )
    try:
        certificates = read_certificates(given)
        puzzle, total = about(given)
        wanted = board and read_board(board, notation, None, None)[0]
        if wanted is not None and puzzle != wanted:
            raise CertificateError("board", None, "It is about another board.")
        if mines is not None and total != mines:
            raise CertificateError("mines", None, "It is about another total.")
        shown = [found for found in verify_all(certificates) if found is not None]
        for found in shown:
            compare(given, puzzle, total, found)
    except CertificateError as error:
        print(f"rejected: {error}")
        raise typer.Exit(INCONSISTENT) from None
    if shown:
        _tell(puzzle, shown[0], chances)
        return
    claims = Counter(str(certificate.claim) for certificate in certificates)
    if not claims:
        print("verified: nothing is claimed")
    for claim, times in claims.items():
        print(f"verified: {claim}" if times == 1 else f"verified: {claim}, {times} times")


def _tell(puzzle: Plain, found: Counted, chances: bool) -> None:
    """What the certificate of a count shows."""
    print(f"verified: {several(digits(found.count), 'layout')}")
    try:
        told = dict(sorted(chances_of(found).items()))
    except CertificateError as error:
        print(f"forced cells and chances are left out: {error.detail}")
        return
    for kind, wanted in (("mine", True), ("safe", False)):
        cells = [_name(puzzle, cell) for cell, mine in forced_of(told).items() if mine is wanted]
        if cells:
            print(f"{kind} in all: {', '.join(cells)}")
    if chances:
        for cell, chance in told.items():
            print(f"chance of a mine at {_name(puzzle, cell)}: {fraction(chance)}")


def _name(puzzle: Plain, cell: int) -> str:
    told = cell_of(puzzle, cell)
    return f"({told[0]}, {told[1]})" if isinstance(told, list) else str(told)


def _is_bare(given: Any) -> bool:
    """Whether it is an answer without a certificate, which cannot be checked."""
    return isinstance(given, dict) and "consistent" in given and given.get("certificate") is None


def _read_json(file: str) -> Any:
    text = read_text(file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            fail(f"{file}: there is more after the first answer: verify one answer per file")
        fail(f"{file}: not JSON: {error}")
    except (ValueError, RecursionError) as error:
        fail(f"{file}: not JSON: {error}")
