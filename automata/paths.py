"""The paths of a machine over a word, one by one: those that are accepted and those that are not.

A path begins in the start state and goes on until the word ends, or until no move reads the next
column. There may be exponentially many, so they are counted without being listed: forwards, as
numbers of ways to each state. Which of them can be listed without looking in vain is known from
one pass backwards.

Source: S.-C. Hu and S.-S. Lin, 2xn Minesweeper Consistency Problem is in P, figures 6 and 8; the
tree is what a student project on their automaton calls a derivation tree.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from minecheck.automata.machine import Reader


class Fate(StrEnum):
    """The fate of a path in one of its states."""

    GOES_ON = "goes on"
    ACCEPTED = "accepted"
    #: The next column cannot be read, or the word ends and no run may end there.
    DIES = "dies"


class TooManyStates(Exception):
    """The sets of states after each column are larger than allowed, all together."""


@dataclass(frozen=True, slots=True)
class PathNode:
    """A state on a path, in the tree of all paths.

    Attributes:
        parent: the number of the node before it, None for the start.
        read: how many columns have been read.
        state: the state that the machine is in.
        fate: whether the path ends here.
    """

    parent: int | None
    read: int
    state: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class PathCounts:
    """Exact numbers of paths."""

    accepted: int
    rejected: int


class Paths:
    """All paths of ``machine`` over ``word``.

    Args:
        machine: it computes the moves of a state on a symbol only once.
        word: its symbols.
        most_states: how many states the sets after each column may have together.
        check: called for each column, each question to the machine, and each path; what it raises
            ends the work.

    Raises:
        TooManyStates: there are more.
    """

    def __init__(
        self,
        machine: Reader,
        word: Sequence[str],
        most_states: int,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._machine = machine
        self._word = word
        self._check = check
        self._following = cache(self._ask_machine)
        paths_to = {machine.start: 1}
        #: The states after each column, before the first one too.
        self._reached = [tuple(paths_to)]
        rejected = 0
        for symbol in word:
            check()
            paths_to_next: dict[str, int] = {}
            for state, path_count in paths_to.items():
                targets = self._following(state, symbol)
                rejected += 0 if targets else path_count
                for target in targets:
                    paths_to_next[target] = paths_to_next.get(target, 0) + path_count
            most_states -= len(paths_to_next)
            if most_states < 0:
                raise TooManyStates
            paths_to = paths_to_next
            self._reached.append(tuple(paths_to))
        accepted = sum(
            path_count for state, path_count in paths_to.items() if machine.is_accepting(state)
        )
        rejected += sum(paths_to.values()) - accepted
        #: The numbers of paths.
        self.counts: Final = PathCounts(accepted, rejected)

    def _ask_machine(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that a symbol leads to, after a look at the time."""
        self._check()
        return self._machine.follow(state, symbol)

    def build_tree(
        self, most_paths: int, *, first_path: int = 0, accepted: bool = True, rejected: bool = True
    ) -> list[PathNode]:
        """Return paths as a tree: each leaf is one.

        A leaf is a node that does not go on. Each node stands after its parent, and paths in the
        order of the machine's moves. Only paths of the requested outcomes are numbered, and
        no others are entered.

        Args:
            most_paths: the most paths.
            first_path: the number of the first path, from 0.
            accepted: whether accepted paths are requested.
            rejected: whether rejected paths are requested.
        """
        ahead = self._count_ahead(first_path + most_paths, accepted=accepted, rejected=rejected)
        nodes: list[PathNode] = []
        if ahead[0][self._machine.start] <= first_path:
            return nodes
        waiting: list[tuple[int | None, int, str]] = [(None, 0, self._machine.start)]
        leaves, paths_to_skip = 0, first_path
        while waiting and leaves < most_paths:
            self._check()
            # The next path: from where it leaves the one before down to its leaf.
            while True:
                parent, columns_read, state = waiting.pop()
                targets = self._list_targets(columns_read, state)
                fate = Fate.GOES_ON if targets else self._find_fate(columns_read, state)
                nodes.append(PathNode(parent, columns_read, state, fate))
                if not targets:
                    break
                open_targets = [target for target in targets if ahead[columns_read + 1][target]]
                # The branches before the first path are passed over whole.
                while paths_to_skip >= ahead[columns_read + 1][open_targets[0]]:
                    paths_to_skip -= ahead[columns_read + 1][open_targets.pop(0)]
                waiting += [
                    (len(nodes) - 1, columns_read + 1, target) for target in reversed(open_targets)
                ]
            leaves += 1
        return nodes

    def _count_ahead(
        self, most_paths: int, *, accepted: bool, rejected: bool
    ) -> list[dict[str, int]]:
        """Return the requested paths from each state after each column, up to ``most_paths``."""
        accepts = self._machine.is_accepting
        ahead = [
            {state: int(accepted if accepts(state) else rejected) for state in self._reached[-1]}
        ]
        for columns_read in reversed(range(len(self._word))):
            self._check()
            paths_from_next = ahead[-1]
            paths_from = {}
            for state in self._reached[columns_read]:
                targets = self._list_targets(columns_read, state)
                paths = (
                    sum(paths_from_next[target] for target in targets) if targets else int(rejected)
                )
                paths_from[state] = min(paths, most_paths)
            ahead.append(paths_from)
        return ahead[::-1]

    def _list_targets(self, columns_read: int, state: str) -> tuple[str, ...]:
        """List the states after the next column; none at the end."""
        return (
            self._following(state, self._word[columns_read])
            if columns_read < len(self._word)
            else ()
        )

    def _find_fate(self, columns_read: int, state: str) -> Fate:
        """Return the fate of a path that does not go on."""
        ended = columns_read == len(self._word)
        return Fate.ACCEPTED if ended and self._machine.is_accepting(state) else Fate.DIES


def iterate_leaves(nodes: Sequence[PathNode]) -> Iterator[list[int]]:
    """Yield the paths of a tree, each as the numbers of its nodes from the start to the leaf."""
    for number, node in enumerate(nodes):
        if node.fate is not Fate.GOES_ON:
            path = [number]
            while (parent := nodes[path[-1]].parent) is not None:
                path.append(parent)
            yield path[::-1]
