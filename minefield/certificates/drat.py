"""An independent checker of DRAT proofs: that a formula in CNF has no model.

A proof adds clauses (lemmas) to the formula, each of which keeps a model if
there was one, until the empty clause is among them. A lemma may be added

* if denying all its literals ends in a conflict by unit propagation (RUP), or
* if the same holds for its resolvents on its first literal with all clauses
  that hold the contrary (RAT).

The check goes forward, a lemma at a time, with two watched literals a clause.
As in drat-trim, the deletion of a clause that is unit is ignored, and what unit
propagation refutes needs no further line.

Sources: Wetzler, Heule and Hunt, DRAT-trim, SAT 2014; Gent, Optimal
implementation of watched literals, JAIR 48 (2013), for the circular search that
keeps propagation linear in the size of the formula.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from minefield.amounts import several
from minefield.compiled import Vector, compiled, inlined

#: Literals looked at between two calls of ``pause``: some hundredths of a second.
_CHUNK: Final = 5_000_000
_MOST_VARIABLES: Final = 1 << 30

_TRUE: Final = 1
_FALSE: Final = -1

_ENDED: Final = 0
_PAUSED: Final = 1
_REFUTED: Final = 2
_UNPROVED: Final = 3
_MISSING: Final = 4

_HEADER: Final = re.compile(r"p[ \t]+cnf[ \t]+([0-9]{1,10})[ \t]+([0-9]{1,10})[ \t]*")
_CLAUSE: Final = re.compile(r"[ \t]*(d[ \t]+)?((?:-?[1-9][0-9]{0,9}[ \t]+)*)0[ \t]*")
_LITERAL: Final = re.compile(r"-?[1-9][0-9]{0,9}")


class ProofError(ValueError):
    """A proof that proves nothing: ``detail`` says why.

    ``text`` is "cnf" or "proof", and ``line`` its line at fault, from 1.
    """

    def __init__(self, line: int, detail: str, text: str = "proof") -> None:
        super().__init__(line, detail, text)
        self.line = line
        self.detail = detail
        self.text = text

    def __str__(self) -> str:
        return f"Line {self.line} of the {self.text}: {self.detail}"


@dataclass(frozen=True, slots=True, eq=False)
class Clauses:
    """A text of clauses, as it was read.

    Clause k is ``literals[start[k]:start[k + 1]]`` (int32, signed variables
    from 1, none twice), stands on line ``line[k]`` (int32, from 1), and is
    deleted there where ``deletes[k]`` (bool). ``variables`` is the largest
    variable allowed, ``lines`` the number of lines, and ``comments`` are the
    (line, text) of the comments.
    """

    variables: int
    start: NDArray[np.int32]
    literals: NDArray[np.int32]
    line: NDArray[np.int32]
    deletes: NDArray[np.bool_]
    lines: int
    comments: list[tuple[int, str]]

    def __iter__(self) -> Iterator[tuple[int, list[int]]]:
        """(line, literals) of each clause."""
        start, literals = self.start.tolist(), self.literals.tolist()
        for place, line in enumerate(self.line.tolist()):
            yield line, literals[start[place] : start[place + 1]]


def read_cnf(text: str) -> Clauses:
    """Clauses in DIMACS form, one a line that ends in 0, below a header that is true.

    Raises:
        ProofError: the text is something else.
    """
    lines = _lines(text)
    found = next(
        ((n, line) for n, line in lines if line.strip(" \t") and not _is_comment(line)), (1, "")
    )
    header = _HEADER.fullmatch(found[1])
    if header is None:
        raise ProofError(found[0], "The header `p cnf VARIABLES CLAUSES` is missing.", "cnf")
    variables, clauses = int(header[1]), int(header[2])
    if variables > _MOST_VARIABLES:
        raise ProofError(found[0], f"More than {_MOST_VARIABLES} variables.", "cnf")
    lines[found[0] - 1] = found[0], ""
    formula = _read(lines, variables, "cnf")
    if formula.line.size != clauses:
        raise ProofError(
            found[0], f"It has {several(formula.line.size, 'clause')}, not {clauses}.", "cnf"
        )
    return formula


def read_proof(text: str, variables: int) -> Clauses:
    """Lemmas in textual DRAT form, one a line that ends in 0, or ``d`` and what is deleted.

    Raises:
        ProofError: the text is something else.
    """
    return _read(_lines(text), variables, "proof")


def check(
    cnf: str | Clauses, proof: str | Clauses, pause: Callable[[], None] = lambda: None
) -> None:
    """Return if the proof refutes the formula.

    Takes memory linear in the two, and time up to their product (a RAT lemma:
    for each clause that it is resolved with). ``pause`` is called now and then;
    what it raises ends the check.

    Raises:
        ProofError: it does not, or one of the two cannot be read.
    """
    formula = read_cnf(cnf) if isinstance(cnf, str) else cnf
    lemmas = read_proof(proof, formula.variables) if isinstance(proof, str) else proof
    state, given = _state(formula, lemmas), formula.line.size
    if _load(state, given):
        return
    deleted, lemma = _deleted(formula, lemmas), 0
    while True:
        state.counts[1] = 0
        outcome, lemma = _follow(state, given, lemmas.deletes, deleted, lemma, _CHUNK)
        pause()
        if outcome == _REFUTED:
            return
        if outcome == _ENDED:
            raise ProofError(lemmas.lines, "The proof ends without the empty clause.")
        if outcome == _MISSING:
            raise ProofError(int(lemmas.line[lemma]), "There is no such clause to delete.")
        if outcome == _UNPROVED:
            if not _is_rat(state, given + lemma, pause):
                raise ProofError(int(lemmas.line[lemma]), "The lemma does not follow.")
            if _attach(state, given + lemma):
                return
            lemma += 1


def _lines(text: str) -> list[tuple[int, str]]:
    return [(n, line.removesuffix("\r")) for n, line in enumerate(text.split("\n"), 1)]


def _is_comment(line: str) -> bool:
    return line == "c" or line.startswith(("c ", "c\t"))


def _read(lines: list[tuple[int, str]], variables: int, text: str) -> Clauses:
    start, literals, where, deletes = [0], list[int](), list[int](), list[bool]()
    comments = []
    for number, line in lines:
        if not line.strip(" \t"):
            continue
        if _is_comment(line):
            comments.append((number, line[2:]))
            continue
        match = _CLAUSE.fullmatch(line)
        if match is None or (match[1] and text == "cnf"):
            _refuse(number, line, text)
        literals.extend(dict.fromkeys(map(int, match[2].split())))
        start.append(len(literals))
        where.append(number)
        deletes.append(bool(match[1]))
    signed = np.array(literals, dtype=np.int64)
    for place in np.flatnonzero(np.abs(signed) > variables)[:1].tolist():
        clause = int(np.searchsorted(start, place, side="right")) - 1
        detail = f"The literal {literals[place]} is out of range: variables go up to {variables}."
        raise ProofError(where[clause], detail, text)
    return Clauses(
        variables,
        np.array(start, dtype=np.int32),
        signed.astype(np.int32),
        np.array(where, dtype=np.int32),
        np.array(deletes, dtype=np.bool_),
        len(lines) - (len(lines) > 1 and not lines[-1][1]),
        comments,
    )


def _refuse(number: int, line: str, text: str) -> NoReturn:
    words = re.split(r"[ \t]+", line.strip(" \t"))
    if text == "proof" and words[0] == "d":
        del words[0]
    wrong = next((word for word in words if word != "0" and not _LITERAL.fullmatch(word)), None)
    if wrong is not None:
        raise ProofError(number, f"Not a literal: {wrong[:20]!a}.", text)
    if "0" in words[:-1]:
        raise ProofError(number, "The clause goes on after its 0.", text)
    raise ProofError(number, "The clause does not end in 0.", text)


def _deleted(formula: Clauses, lemmas: Clauses) -> NDArray[np.int32]:
    """The clause that each line deletes, -1 if there is none or nothing is deleted, (lemmas,).

    The lemmas come after the clauses of the formula. Of equal clauses one is deleted.
    """
    deleted = np.full(lemmas.line.size, -1, dtype=np.int32)
    if not lemmas.deletes.any():
        return deleted
    alive: dict[tuple[int, ...], list[int]] = {}
    for clause, (_, literals) in enumerate(formula):
        alive.setdefault(tuple(sorted(literals)), []).append(clause)
    given, deletes = formula.line.size, lemmas.deletes.tolist()
    for lemma, (_, literals) in enumerate(lemmas):
        same = alive.setdefault(tuple(sorted(literals)), [])
        if not deletes[lemma]:
            same.append(given + lemma)
        elif same:
            deleted[lemma] = same.pop()
    return deleted


class _State(NamedTuple):
    """Clauses, and what is known of their literals, for the compiled loops.

    The variables are numbered anew, from 0 and without gaps; literal 2v is
    variable v and 2v + 1 is its contrary. The first two literals of a clause
    are watched: watch 2c + k is that of literal k of clause c. The watches of a
    literal are a list from ``first[literal]`` on by ``following[watch]``, -1 at
    the end. ``search[c]`` is where the search for a literal to watch goes on.
    ``counts`` are the length of the trail and the literals looked at.
    """

    start: Vector[np.int32]
    literals: Vector[np.int32]
    alive: Vector[np.bool_]
    search: Vector[np.int32]
    first: Vector[np.int32]
    following: Vector[np.int32]
    truth: Vector[np.int8]
    trail: Vector[np.int32]
    counts: Vector[np.int64]


def _state(formula: Clauses, lemmas: Clauses) -> _State:
    """Nothing is known yet, and no clause is alive."""
    start = np.concatenate((formula.start, lemmas.start[1:] + formula.start[-1]))
    signed = np.concatenate((formula.literals, lemmas.literals))
    used, variable = np.unique(np.abs(signed), return_inverse=True)
    clauses, variables = start.size - 1, used.size
    return _State(
        start.astype(np.int32),
        (2 * variable + (signed < 0)).astype(np.int32),
        np.zeros(clauses, np.bool_),
        np.zeros(clauses, np.int32),
        np.full(2 * variables, -1, np.int32),
        np.full(2 * clauses, -1, np.int32),
        np.zeros(2 * variables, np.int8),
        np.empty(variables, np.int32),
        np.zeros(2, np.int64),
    )


def _is_rat(state: _State, clause: int, pause: Callable[[], None]) -> bool:
    begin, end = state.start[clause : clause + 2].tolist()
    if begin == end:
        return False
    contrary = int(state.literals[begin]) ^ 1
    places = np.flatnonzero(state.literals == contrary)
    others = np.searchsorted(state.start, places, side="right") - 1
    for other in others[state.alive[others]].tolist():
        pause()
        if not _is_resolvent_rup(state, clause, other, contrary):
            return False
    return True


@compiled
def _load(state: _State, clauses: int) -> bool:
    """Take in the formula; whether unit propagation refutes it."""
    clause = 0
    while clause < clauses and not _attach(state, clause):
        clause += 1
    return clause < clauses


@compiled
def _follow(
    state: _State,
    given: int,
    deletes: Vector[np.bool_],
    deleted: Vector[np.int32],
    lemma: int,
    chunk: int,
) -> tuple[int, int]:
    """(outcome, lemma): go on from a lemma until one asks for attention."""
    while lemma < deletes.size:
        if state.counts[1] > chunk:
            return _PAUSED, lemma
        if deletes[lemma]:
            if deleted[lemma] < 0:
                return _MISSING, lemma
            if not _is_unit(state, deleted[lemma]):
                state.alive[deleted[lemma]] = False
        else:
            if not _is_rup(state, given + lemma):
                return _UNPROVED, lemma
            if _attach(state, given + lemma):
                return _REFUTED, lemma
        lemma += 1
    return _ENDED, lemma


@compiled
def _attach(state: _State, clause: int) -> bool:
    """Add a clause and propagate for good; whether that is a conflict."""
    begin, end = state.start[clause], state.start[clause + 1]
    found = begin
    for place in range(begin, end):
        literal = state.literals[place]
        if state.truth[literal] != _FALSE:
            state.literals[place] = state.literals[found]
            state.literals[found] = literal
            found += 1
            if found == begin + 2:
                break
    state.alive[clause] = True
    state.counts[1] += end - begin
    if end - begin >= 2:
        for side in range(2):
            _watch(state, 2 * clause + side, state.literals[begin + side])
    if found == begin:
        return True
    unit = state.literals[begin]
    if found == begin + 1 and state.truth[unit] != _TRUE:
        known = state.counts[0]
        _assign(state, unit)
        return bool(_propagate(state, known))
    return False


@inlined
def _is_unit(state: _State, clause: int) -> bool:
    """Whether all literals but one are false for good, and that one is true."""
    true = 0
    for place in range(state.start[clause], state.start[clause + 1]):
        truth = state.truth[state.literals[place]]
        if truth == 0:
            return False
        true += truth == _TRUE
    return true == 1


@inlined
def _is_rup(state: _State, clause: int) -> bool:
    known = state.counts[0]
    conflict = _deny(state, clause, -1) or _propagate(state, known)
    _forget(state, known)
    return bool(conflict)


@compiled
def _is_resolvent_rup(state: _State, clause: int, other: int, contrary: int) -> bool:
    known = state.counts[0]
    conflict = _deny(state, clause, -1) or _deny(state, other, contrary) or _propagate(state, known)
    _forget(state, known)
    return bool(conflict)


@inlined
def _deny(state: _State, clause: int, spared: int) -> bool:
    """Make all literals of a clause false but one; whether one of them is true."""
    begin, end = state.start[clause], state.start[clause + 1]
    state.counts[1] += end - begin
    for place in range(begin, end):
        literal = state.literals[place]
        if literal == spared:
            continue
        if state.truth[literal] == _TRUE:
            return True
        if state.truth[literal] != _FALSE:
            _assign(state, literal ^ 1)
    return False


@inlined
def _assign(state: _State, literal: int) -> None:
    state.truth[literal] = _TRUE
    state.truth[literal ^ 1] = _FALSE
    state.trail[state.counts[0]] = literal
    state.counts[0] += 1


@inlined
def _forget(state: _State, known: int) -> None:
    """Take back all but so many of the trail."""
    for place in range(known, state.counts[0]):
        literal = state.trail[place]
        state.truth[literal] = 0
        state.truth[literal ^ 1] = 0
    state.counts[0] = known


@inlined
def _watch(state: _State, watch: int, literal: int) -> None:
    state.following[watch] = state.first[literal]
    state.first[literal] = watch


@inlined
def _propagate(state: _State, done: int) -> bool:
    """Assign what follows from the trail from place ``done`` on; whether that is a conflict."""
    while done < state.counts[0]:
        if _falsified(state, state.trail[done] ^ 1):
            return True
        done += 1
    return False


@inlined
def _falsified(state: _State, literal: int) -> bool:
    """Tell the clauses that watch a literal that it is false; whether one of them is now false."""
    before, watch = -1, state.first[literal]
    while watch >= 0:
        after = state.following[watch]
        clause, side = watch // 2, watch % 2
        begin = state.start[clause]
        moved = not state.alive[clause]
        state.counts[1] += 1
        if not moved:
            other = state.literals[begin + 1 - side]
            if state.truth[other] != _TRUE:
                place = _replacement(state, clause)
                if place >= 0:
                    moved = True
                    state.literals[begin + side] = state.literals[place]
                    state.literals[place] = literal
                elif state.truth[other] == _FALSE:
                    return True
                else:
                    _assign(state, other)
        if not moved:
            before = watch
        else:
            if before < 0:
                state.first[literal] = after
            else:
                state.following[before] = after
            if state.alive[clause]:
                _watch(state, watch, state.literals[begin + side])
        watch = after
    return False


@inlined
def _replacement(state: _State, clause: int) -> int:
    """Place of a literal that is not watched and not false, or -1; goes on where it last ended."""
    begin, end = state.start[clause] + 2, state.start[clause + 1]
    place = begin + state.search[clause]
    for _ in range(end - begin):
        state.counts[1] += 1
        if state.truth[state.literals[place]] != _FALSE:
            state.search[clause] = place - begin
            return int(place)
        place = place + 1 if place + 1 < end else begin
    return -1
