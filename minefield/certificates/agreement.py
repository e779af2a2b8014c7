"""Comparison of an answer, field by field, with what its certificates show.

Each field is proved or compared, or named: as one that is not proved, that is left open (null), or
that says nothing of the board. What contradicts the certificates is an error.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from minecheck.minefield.board import FLAG, Board
from minecheck.minefield.certificates.answer_fields import (
    SIZE,
    check_fields,
    is_same,
    require_types,
)
from minecheck.minefield.certificates.conflicts import MOST_WORK, ConflictCore
from minecheck.minefield.certificates.counting import Counted
from minecheck.minefield.certificates.document import (
    Certificate,
    Claim,
    read_certificate,
    render_puzzle,
)
from minecheck.minefield.certificates.evidence import Evidence
from minecheck.minefield.certificates.fields import CertificateError, require_list, require_object
from minecheck.minefield.certificates.judge import verify
from minecheck.minefield.certificates.stated_facts import (
    to_key,
    to_keys,
    write_chances,
    write_flags,
    write_forced,
)
from minecheck.minefield.numerals import format_count, format_integer
from minecheck.minefield.rules import Plain, Rules

_TOO_LONG: Final = "that takes too long to find out without a certificate of it"
#: Fields that are checked whatever the board.
_ELSEWHERE: Final = (
    *("consistent", "safest", "certificate", "solver"),
    *("estimate", "approximate", "likelihood"),
)
#: Fields that may be missing, provided that there is nothing to say in them.
_OPTIONAL: Final = ("others", "flags", "feasible_mines")
#: Fields that have to be null, or left out, on boards that are consistent, and inconsistent.
_NULL_IF: Final[Mapping[bool, Sequence[str]]] = {
    True: ("conflict", "feasible_mines"),
    False: ("witness", "by_mines", "forced", "others", "probabilities", "safest", "flags"),
}


@dataclass(slots=True)
class Review:
    """The result of reviewing an answer that contradicts none of its certificates.

    Attributes:
        unproved: fields that nothing shows to be right, and why not.
        open: fields that are null, though they might tell something.
        apart: fields that say nothing of the board; their types are right.
    """

    unproved: dict[str, str] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)


def review_answer(
    answer: Mapping[str, Any],
    topic: tuple[Plain, int | None],
    certificates: Sequence[Certificate],
    shown: Iterable[Counted | None],
    most_work: int = MOST_WORK,
) -> Review:
    """Hold an answer to its certificates.

    Args:
        answer: JSON values, as the service gives them.
        topic: the puzzle and the total that the certificates are about.
        certificates: those of the answer, which are verified.
        shown: what `minefield.certificates.judge.verify` returned for them.
        most_work: the largest number of products of table entries that are computed to settle one
            field; what takes more stays unproved.

    Raises:
        CertificateError: the answer lacks a field, or says something else.
    """
    puzzle, mines = topic
    counted = next((count_proof for count_proof in shown if count_proof is not None), None)
    evidence = Evidence(puzzle, mines, certificates, counted, most_work)
    return _Reviewer(answer, evidence, certificates).review_fields()


class _Reviewer:
    """The review of one answer."""

    def __init__(
        self, answer: Mapping[str, Any], evidence: Evidence, certificates: Sequence[Certificate]
    ) -> None:
        self.answer, self.evidence = answer, evidence
        self.puzzle, self.mines = evidence.puzzle, evidence.mines
        self.certificates = certificates
        self.found = Review()
        self.complete = True

    def review_fields(self) -> Review:
        """Review all fields one by one, and return which are proved, compared or left open."""
        answer, on_board = self.answer, isinstance(self.puzzle, Board)
        check_fields(answer, on_board)
        self.check_solver_fields()
        self.check_size_fields(on_board)
        self.check_consistent()
        consistent = answer["consistent"]
        for name in _NULL_IF[consistent]:
            if answer.get(name) is not None:
                kind = "consistent" if consistent else "inconsistent"
                raise CertificateError(name, f"It is not null, and the board is {kind}.")
        checks = _CHECKS[consistent]
        for name, check in checks.items():
            if name in answer or name in _OPTIONAL:
                check(self)
        reviewed = {*_NULL_IF[consistent], *checks, *_ELSEWHERE, *(SIZE if on_board else ())}
        self._name_unknown("", (name for name in answer if name not in reviewed))
        return self.found

    # Fields that say nothing about the board.

    def check_solver_fields(self) -> None:
        for name in ("solver", "estimate"):
            if name == "solver" or self.answer.get(name) is not None:
                typed, unknown = require_types(name, self.answer[name])
                self.found.apart += typed
                self._name_unknown("", unknown)
        self.complete = self.answer["solver"]["complete"]
        if self.answer.get("approximate") is not None:
            _, unknown = require_types("approximate", self.answer["approximate"])
            self._name_unknown("", unknown)
            self._note_unproved("approximate", "it may be wrong by chance")
        if self.answer.get("likelihood") is not None:
            self._note_unproved("likelihood", "certificates know nothing of a density")

    def check_size_fields(self, on_board: bool) -> None:
        right = dict(zip(SIZE, (*self.puzzle.shape, self.mines), strict=True))
        for name in SIZE if on_board else ():
            if name in self.answer and not is_same(self.answer[name], right[name]):
                raise CertificateError(name, "It is not that of the certificate.")

    # Fields of every answer.

    def check_consistent(self) -> None:
        claimed, right = self.answer["consistent"], self.evidence.consistent
        if not isinstance(claimed, bool):
            raise CertificateError("consistent", "It is not true or false.")
        if right is None:
            self._note_unproved("consistent", _TOO_LONG)
        elif claimed is not right:
            raise CertificateError("consistent", "The certificate says otherwise.")

    # Consistent boards.

    def check_witness(self) -> None:
        claimed = self.answer["witness"]
        if claimed is None:
            self._note_unchecked("witness")
            return
        source = {**render_puzzle(self.puzzle), "claim": "consistent", "mines": self.mines}
        witness = read_certificate({**source, "witness": claimed})
        verify(witness)
        if not is_same(claimed, witness.own_fields()["witness"]):
            raise CertificateError("witness", "It is not written as answers write layouts.")
        claims = [certificate.claim for certificate in self.certificates]
        if claims == [Claim.CONSISTENT] and witness.witness != self.certificates[0].witness:
            raise CertificateError("witness", "The certificate has another one.")

    def check_count(self) -> None:
        self._compare_field("count", self.evidence.count, format_integer)

    def check_by_mines(self) -> None:
        counted = self.evidence.counted
        if self.answer["by_mines"] is None and counted is not None and not counted.polynomial:
            # It takes long and was not asked for.
            self.found.open.append("by_mines")
            return
        self._compare_field(
            "by_mines",
            self.evidence.by_mines,
            lambda by_mines: {
                str(number): format_integer(ways) for number, ways in by_mines.items()
            },
        )

    def check_forced(self) -> None:
        evidence, claimed = self.evidence, self.answer["forced"]
        if claimed is None:
            self._note_unchecked("forced")
            return
        stated = self._require_record("forced", claimed, ("mines", "safe"))
        proved = write_forced(self.puzzle, evidence.proved)
        if evidence.counted is None:
            for name, cells in proved.items():
                if not to_keys("forced", stated[name]) <= to_keys("forced", cells):
                    raise CertificateError("forced", f"Not all of its {name} are certified.")
        if evidence.forced is None:
            right = proved
            self._note_unproved("forced", f"whether no other cells are forced: {_TOO_LONG}")
        else:
            right = write_forced(self.puzzle, evidence.forced)
        for name, cells in right.items():
            self._compare_cells("forced", name, stated[name], cells)

    def _compare_cells(self, name: str, part: str, claimed: object, right: list[Any]) -> None:
        """Compare a list of cells, which may lack some if the answer is incomplete."""
        if not self.complete:
            stated = to_keys(name, claimed)
            right = [cell for cell in right if to_key(name, cell) in stated]
        if not is_same(claimed, right):
            raise CertificateError(name, f"{part} is not what follows from the certificate.")

    def check_others(self) -> None:
        puzzle, evidence, claimed = self.puzzle, self.evidence, self.answer.get("others")
        named = len(puzzle.number) if isinstance(puzzle, Rules) else puzzle.shape[1]
        unnamed = puzzle.shape[1] - named
        if claimed is None:
            if unnamed and "forced" in self.answer:
                self._note_unchecked("others")
            return
        if not unnamed:
            raise CertificateError("others", "There are no cells without a name.")
        stated = self._require_record("others", claimed, ("cells", "probability", "forced"))
        forced = evidence.proved if evidence.forced is None else evidence.forced
        if evidence.forced is None and stated["forced"] is None:
            self._note_unproved("others.forced", _TOO_LONG)
        right: dict[str, Any] = {"cells": unnamed, "probability": None}
        last_cell = puzzle.shape[1] - 1
        right["forced"] = {True: "mines", False: "safe", None: None}[forced.get(last_cell)]
        if self.answer.get("probabilities") is not None:
            if evidence.chances is None:
                self._note_unproved("others.probability", _TOO_LONG)
                right["probability"] = stated["probability"]
            else:
                right["probability"] = self._review_chances(evidence)["written"][last_cell]
        if not is_same(stated, right):
            raise CertificateError("others", "It is not what follows from the certificate.")

    def check_probabilities(self) -> None:
        claimed, chances = self.answer["probabilities"], self.evidence.chances
        if (claimed is None) is not (self.answer["safest"] is None):
            name = "probabilities" if claimed is None else "safest"
            raise CertificateError(name, "Of probabilities and safest, one only is null.")
        if claimed is None:
            # Some methods compute no chances, and their answers are complete without them.
            self.found.open += ["probabilities", "safest"]
            return
        if chances is None:
            self._note_unproved("probabilities", _TOO_LONG)
            self._note_unproved("safest", _TOO_LONG)
            return
        right = self._review_chances(self.evidence)
        cells = [
            self._require_record("safest", safest_cell, ("cell", "probability"))
            for safest_cell in require_list("safest", self.answer["safest"])
        ]
        for name, stated in (("probabilities", claimed), ("safest", cells)):
            if not is_same(stated, right[name]):
                raise CertificateError(name, "It is not what follows from the certificate.")

    def _review_chances(self, evidence: Evidence) -> dict[str, Any]:
        assert evidence.chances is not None, "it was asked before"
        return write_chances(self.puzzle, evidence.chances, self.answer["probabilities"])

    def check_flags(self) -> None:
        claimed = self.answer.get("flags")
        is_flagged = isinstance(self.puzzle, Board) and bool((self.puzzle.cells == FLAG).any())
        if claimed is None:
            if is_flagged:
                self._note_unchecked("flags")
            return
        if not is_flagged:
            raise CertificateError("flags", "The board has no flags.")
        stated = self._require_record("flags", claimed, ("right", "wrong", "unproved"))
        assert isinstance(self.puzzle, Board), "rules have no flags"
        if self.evidence.forced is None:
            self._note_unproved("flags", _TOO_LONG)
            cells = [
                to_key("flags", cell)
                for part in stated.values()
                for cell in require_list("flags", part)
            ]
            if sorted(map(str, cells)) != sorted(map(str, self.puzzle.flags)):
                raise CertificateError("flags", "It does not have each flag once.")
            return
        right = write_flags(self.puzzle, self.evidence.forced)
        for name in ("right", "wrong"):
            self._compare_cells("flags", name, stated[name], right[name])
        decided = to_keys("flags", stated["right"]) | to_keys("flags", stated["wrong"])
        unproved = [list(cell) for cell in self.puzzle.flags if cell not in decided]
        if not is_same(stated["unproved"], unproved):
            raise CertificateError("flags", "unproved does not have all other flags.")

    # Inconsistent boards.

    def check_no_count(self) -> None:
        if not is_same(self.answer["count"], "0"):
            raise CertificateError("count", "It is not 0, on a board that is inconsistent.")

    def check_conflict(self) -> None:
        if self.answer["conflict"] is None:
            self._note_unchecked("conflict")
            return
        stated = self._require_record(
            "conflict", self.answer["conflict"], ("clues", "total", "minimal", "smallest")
        )
        for name in ("total", "minimal", "smallest"):
            if not isinstance(stated[name], bool):
                raise CertificateError("conflict", f"{name} is not true or false.")
        core = self._review_core(stated)
        evidence = self.evidence
        shown = evidence.is_conflict(core)
        if shown is None:
            self._note_unproved("conflict", _TOO_LONG)
        elif not shown:
            raise CertificateError("conflict", "These clues do not contradict each other.")
        if not stated["minimal"] and self.complete:
            detail = "minimal is false, though `solver.complete` says that nothing is missing."
            raise CertificateError("conflict", detail)
        # True stands for a span that is not known.
        span = evidence.span if core.total else True
        least = {
            "minimal": evidence.clues.is_minimal(core),
            "smallest": evidence.clues.is_smallest(
                core, alone=None if span is True else bool(span)
            ),
        }
        for name, right in least.items():
            self.check_minimality(name, stated[name], right)

    def check_minimality(self, name: str, claimed: bool, right: bool | None) -> None:
        """Compare what says that no clue can be dropped, or that no fewer would do."""
        if claimed and right is False:
            raise CertificateError("conflict", f"{name} is true, and fewer clues would do.")
        if right is None:
            self._note_unproved(f"conflict.{name}", _TOO_LONG)
        elif claimed is not right:
            self._note_unproved(
                f"conflict.{name}", "it is true, though that may not have been known"
            )

    def _review_core(self, stated: Mapping[str, Any]) -> ConflictCore:
        """Return the clues of a conflict by number, after checking that each is a clue."""
        numbers = set[int]()
        for index, clue in enumerate(require_list("conflict", stated["clues"])):
            number = self.evidence.clues.find_number(clue)
            if number is None or number in numbers:
                detail = "clues has an entry that is not a clue, or a clue twice."
                raise CertificateError("conflict", detail, (index,))
            numbers.add(number)
        if stated["total"] and self.mines is None:
            raise CertificateError("conflict", "total is true, and there is none.")
        return ConflictCore(frozenset(numbers), stated["total"])

    def check_feasible(self) -> None:
        claimed = self.answer.get("feasible_mines")
        span = False if self.mines is None else self.evidence.span
        if span is True:
            if claimed is not None:
                self._note_unproved("feasible_mines", _TOO_LONG)
            return
        if claimed is None:
            if span:
                self._note_unchecked("feasible_mines")
            return
        if not span:
            raise CertificateError("feasible_mines", "The clues alone cannot hold together.")
        stated = self._require_record("feasible_mines", claimed, ("least", "most"))
        if not is_same(stated, dict(zip(("least", "most"), span, strict=True))):
            detail = f"The layouts have from {span[0]} to {format_count(span[1], 'mine')}."
            raise CertificateError("feasible_mines", detail)

    # The checks of each field.

    def _compare_field(self, name: str, right: Any, write: Any) -> None:
        """Compare a field with a value, written as answers write it; None if it is not known."""
        claimed = self.answer[name]
        if claimed is None:
            self._note_unchecked(name)
        elif right is None:
            self._note_unproved(name, _TOO_LONG)
        elif not is_same(claimed, write(right)):
            raise CertificateError(name, "It is not what follows from the certificate.")

    def _require_record(self, name: str, record: object, fields: Sequence[str]) -> dict[str, Any]:
        """Return an object that has these fields, and name its other fields as unknown."""
        stated = require_object(name, record)
        missing = next((field for field in fields if field not in stated), None)
        if missing is not None:
            raise CertificateError(name, f"{missing} is missing.")
        self._name_unknown(f"{name}.", (field for field in stated if field not in fields))
        return {field: stated[field] for field in fields}

    def _note_unproved(self, name: str, why: str) -> None:
        self.found.unproved.setdefault(name, why)

    def _name_unknown(self, prefix: str, names: Iterable[str]) -> None:
        for name in names:
            self._note_unproved(prefix + ascii(name[:80])[1:-1], "there is no such field")

    def _note_unchecked(self, name: str) -> None:
        if self.complete:
            detail = "It is null, though `solver.complete` says that nothing is missing."
            raise CertificateError(name, detail)
        self.found.open.append(name)


#: The fields that are checked on consistent and on inconsistent boards.
_CHECKS: Final[Mapping[bool, Mapping[str, Callable[[_Reviewer], None]]]] = {
    True: {
        "witness": _Reviewer.check_witness,
        "count": _Reviewer.check_count,
        "by_mines": _Reviewer.check_by_mines,
        "forced": _Reviewer.check_forced,
        "others": _Reviewer.check_others,
        "probabilities": _Reviewer.check_probabilities,
        "flags": _Reviewer.check_flags,
    },
    False: {
        "count": _Reviewer.check_no_count,
        "conflict": _Reviewer.check_conflict,
        "feasible_mines": _Reviewer.check_feasible,
    },
}
