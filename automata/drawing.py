"""The parts of a machine that its picture shows, and their source for Graphviz (DOT)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from textwrap import wrap
from typing import Final, TypeAlias

from minecheck.automata.machine import Machine

#: The largest picture. Its layout takes up to 5 s when the edges are random,
#: with 400 edges more than a minute; it holds the interpreter lock throughout.
MOST_STATES: Final = 100
MOST_EDGES: Final = 220

#: Names that a list shows before it only counts the rest.
SHOWN: Final = 24

#: The node from which the start arrow comes.
ENTRY: Final = "->"

#: DOT attributes of a dead state and of the moves to it.
_PALE: Final = ", color=gray70, fontcolor=gray50"

#: An edge: source and target state.
Edge: TypeAlias = tuple[str, str]


class TooLargeToDraw(ValueError):
    """The machine has more states or edges than can be laid out in a few seconds."""


def render_dot(
    machine: Machine, labels: Mapping[str, str] | None = None, *, errors: bool = False
) -> str:
    """Render the machine in the DOT language.

    All moves from one state to another are one edge. Its label stops after 24
    symbols; its tooltip has them all, with spaces between them.

    Args:
        machine: any machine, also one that is too large to be laid out.
        labels: state -> what to write in it instead of its name.
        errors: draw also the dead states, those that no accepting state can
            be reached from. Otherwise a caption says what is not drawn.
    """
    picture = Picture(machine, labels or {}, errors)
    entry = _quote_name(ENTRY)
    lines = ["rankdir=LR", "node [shape=circle]", f"label={_escape_label(picture.caption)}"]
    lines += [f"{entry} [shape=point, style=invis]", f"{entry} -> {_quote_name(machine.start)}"]
    for state in picture.states:
        shape = ", shape=doublecircle" if state in machine.accepting else ""
        pale = _PALE if state in picture.dead else ""
        lines.append(
            f"{_quote_name(state)} [label={_escape_label(picture.label_of(state))}{shape}{pale}]"
        )
    for (source, target), symbols in picture.edges.items():
        label = _escape_label("\n".join(wrap_symbols(symbols)))
        pale = _PALE if target in picture.dead else ""
        attributes = f"label={label}, tooltip={_escape_label(' '.join(symbols))}{pale}"
        lines.append(f"{_quote_name(source)} -> {_quote_name(target)} [{attributes}]")
    body = "".join(f"    {line};\n" for line in lines)
    return f"strict digraph {_quote_name(machine.name)} {{\n{body}}}\n"


def check_drawable(machine: Machine, *, errors: bool = False) -> None:
    """Reject a picture that is too large to be laid out.

    Args:
        machine: the machine to draw.
        errors: whether its dead states are drawn, too.

    Raises:
        TooLargeToDraw: there are more than `MOST_STATES` states or `MOST_EDGES` edges to draw.
    """
    picture = Picture(machine, {}, errors)
    if len(picture.states) > MOST_STATES or len(picture.edges) > MOST_EDGES:
        raise TooLargeToDraw(
            f"the picture of {machine.name} has {len(picture.states)} states and "
            f"{len(picture.edges)} edges: at most {MOST_STATES} and {MOST_EDGES} can be drawn"
        )


@dataclass(frozen=True)
class Picture:
    """The visible part of a machine."""

    machine: Machine
    labels: Mapping[str, str]
    errors: bool

    def label_of(self, state: str) -> str:
        """Return the text to write in a state, which is its name unless it has a label."""
        return self.labels.get(state, state)

    @cached_property
    def dead(self) -> frozenset[str]:
        """The states that no accepting state can be reached from; the start is never one."""
        sources: dict[str, set[str]] = {state: set() for state in self.machine.states}
        for state, moves in self.machine.moves.items():
            for targets in moves.values():
                for target in targets:
                    sources[target].add(state)
        alive = set(self.machine.accepting)
        fresh = list(self.machine.accepting)
        while fresh:
            newly_alive = sources[fresh.pop()] - alive
            alive |= newly_alive
            fresh += newly_alive
        return frozenset(self.machine.states) - alive - {self.machine.start}

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states to draw, in their order."""
        return tuple(
            state for state in self.machine.states if self.errors or state not in self.dead
        )

    @cached_property
    def edges(self) -> Mapping[Edge, tuple[str, ...]]:
        """(source, target) -> the symbols that lead there; all in their order."""
        symbols: dict[Edge, list[str]] = {}
        for source in self.states:
            moves = self.machine.moves[source]
            for symbol in self.machine.symbols:
                for target in moves.get(symbol, ()):
                    symbols.setdefault((source, target), []).append(symbol)
        index_of = {state: index for index, state in enumerate(self.states)}
        drawn_edges = [edge for edge in symbols if edge[1] in index_of]
        drawn_edges.sort(key=lambda edge: (index_of[edge[0]], index_of[edge[1]]))
        return {edge: tuple(symbols[edge]) for edge in drawn_edges}

    @property
    def caption(self) -> str:
        """A sentence about the parts that are not drawn; empty if all are."""
        dead = [self.label_of(name) for name in self.machine.states if name not in self.states]
        if not dead:
            return ""
        used_symbols = {symbol for moves in self.machine.moves.values() for symbol in moves}
        undrawn_symbols = used_symbols.difference(*self.edges.values())
        text = f"Not drawn: {_shorten_names(dead)}, from which no run is accepted"
        if undrawn_symbols:
            text += ", and " + _shorten_names(
                [name for name in self.machine.symbols if name in undrawn_symbols]
            )
            text += ", which only " + ("leads there" if len(undrawn_symbols) == 1 else "lead there")
        return text + "."


def wrap_symbols(symbols: Sequence[str]) -> list[str]:
    """Wrap a list of symbols to lines that make a block about three times as wide as high."""
    text = _shorten_names(symbols)
    return wrap(text, max(17, round(sqrt(5 * len(text)))), break_on_hyphens=False)


def _shorten_names(names: Sequence[str]) -> str:
    hidden_count = len(names) - SHOWN
    return " ".join(names) if hidden_count <= 0 else f"{' '.join(names[:SHOWN])} … +{hidden_count}"


def _quote_name(name: str) -> str:
    """Quote a name for DOT, where only the quotation mark needs an escape."""
    return '"' + name.replace('"', '\\"') + '"'


def _escape_label(text: str) -> str:
    r"""Escape a label for DOT, where ``\`` and ``&`` begin escapes as well."""
    return _quote_name(text.replace("\\", "\\\\").replace("&", "&amp;").replace("\n", "\\n"))
