"""All layouts of a strip of any width, as a decision diagram.

The column-profile automaton, unrolled over one word and taken cell by cell:
a node is what the cells before it mean for the rest, an edge a cell that is
safe or a mine, and a path from the first layer to the last a layout. Which cells
touch comes with the word, so edges may be joined. Building
it takes time linear in the length of the strip. Each
result about all layouts is then one pass over the edges.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import diagram_passes, kernels, outside
from minecheck.automata.columns import Columns
from minecheck.automata.kernels import FULL_SLOT, KEY, MAY_BE_MINE, NOWHERE, SLOT
from minecheck.automata.numbers import number_from_integer
from minecheck.automata.odds import EVEN, Odds
from minecheck.automata.odds import round_ratio as rounded
from minecheck.minefield.polynomials import unpack_polynomial

#: The widest plane strip whose keys fit into 64 bits, a total of mines included.
WIDEST: Final = 12

#: Keys that a layer may have, and nodes that a whole diagram may have.
MOST_KEYS: Final = 200_000
MOST_NODES: Final = 20_000_000

#: Cells, and keys, between two looks at the clock.
_STEP: Final = 512
_EFFORT: Final = 50_000
#: Open cells in a piece of a product: its counts fit into 64 bits.
_BITS: Final = 62
#: Products of larger matrices take longer than adding up paths layer by layer.
_WIDEST_PRODUCT: Final = 12


class DiagramTooLarge(Exception):
    """A strip whose layouts take more nodes than allowed."""


class Diagram:
    """The layouts of a strip; cells are taken column by column, from top to bottom.

    Args:
        columns: what is known of the strip.
        mines: the total of mines of every layout, or None. Hidden cells have none.
        check: called now and then in all that may take long; what it raises ends that.
        most_keys, most_nodes: the limits.

    Raises:
        DiagramTooLarge: the strip is too wide, or needs more than the limits.
        ValueError: there is a total of mines, and there are hidden cells.
    """

    def __init__(
        self,
        columns: Columns,
        mines: int | None = None,
        check: Callable[[], None] = lambda: None,
        most_keys: int = MOST_KEYS,
        most_nodes: int = MOST_NODES,
    ) -> None:
        self.length, self.breadth = columns.may.shape
        if mines is not None and columns.hidden.any():
            raise ValueError("mines in hidden cells are not counted")
        self._check = check
        self._wholes: dict[Odds, int] = {}
        cells, around = columns.word
        if (cells.clue & (np.minimum(cells.high, around) > FULL_SLOT)).any():
            raise DiagramTooLarge(f"clues are read up to {FULL_SLOT} mines")
        if cells.slots * SLOT > KEY:
            raise DiagramTooLarge(f"a strip of {self.breadth} cells is too wide to be read")
        most_cells = (1 << KEY - SLOT * cells.slots) - 1
        if mines is not None and columns.may.size > most_cells:
            raise DiagramTooLarge(f"mines are counted in {most_cells} cells at most on this board")
        totals = (0, -1) if mines is None else (mines, mines)
        self._grow_layers(cells, around, totals, most_keys, most_nodes)

    def _grow_layers(
        self,
        cells: kernels.Cells,
        ahead: NDArray[np.int16],
        totals: tuple[int, int],
        most_keys: int,
        most_nodes: int,
    ) -> None:
        may = cells.may
        are_mines_counted = totals[1] >= 0
        mine_bounds = _bound_mines_left(may) if are_mines_counted else np.zeros((1, 2), np.int64)
        layer = kernels.Layer(np.zeros(1, np.int64), np.ones(1, np.int64))
        edges, sizes = [], []
        nodes = 0
        cell = 0
        while cell < may.size:
            self._check()
            new_edges, lengths, layer, widest = kernels.grow_diagram(
                cells,
                ahead,
                mine_bounds,
                totals,
                cell,
                min(cell + _STEP, may.size),
                layer,
                _EFFORT,
            )
            cell += len(lengths)
            nodes += len(new_edges)
            if widest > most_keys or nodes > most_nodes:
                raise DiagramTooLarge(
                    f"the layouts of this strip take more than {most_nodes} nodes, "
                    f"or {most_keys} keys after one cell"
                )
            edges.append(new_edges)
            sizes.append(lengths)
        edges.append(np.full((len(layer.ends), 2), NOWHERE, np.int32))
        starts = np.concatenate(([0], *sizes, [len(layer.ends)])).cumsum()
        self._edges, self._starts = kernels.trim_diagram(np.concatenate(edges), starts)

    @property
    def empty(self) -> bool:
        """True if there is no layout."""
        return not len(self._edges)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._edges)

    def find_possible(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the cells that are safe in some layout, and a mine in some.

        Returns:
            Two bool arrays of shape (length, breadth).
        """
        if self.empty:
            nowhere = np.zeros((self.length, self.breadth), np.bool_)
            return nowhere, nowhere.copy()
        last_layer_start = self._starts[-2]
        leads = self._edges[:last_layer_start] != NOWHERE
        possible = np.logical_or.reduceat(leads, self._starts[:-2], axis=0)
        return self._as_columns(possible[:, 0]), self._as_columns(possible[:, 1])

    def find_forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the cells that are a mine in every layout, and in none: (length, breadth) each.

        All false when there is no layout.
        """
        may_be_safe, may_be_mine = self.find_possible()
        return may_be_mine & ~may_be_safe, may_be_safe & ~may_be_mine

    def bound_mines_among(
        self, cells: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the fewest and the most mines that layouts have in groups of cells, (groups, 2).

        Args:
            cells: the cells of all groups, one to eight in each, ascending; a cell is the number of
                its column times the breadth, and its index in the column.
            ends: where groups end among the cells, from 0: int64 of length groups + 1.

        Raises:
            ValueError: there is no layout.
        """
        if self.empty:
            raise ValueError("there is no layout to have mines")
        self._check()
        return outside.bound_mines_among(self._edges, self._starts, cells, ends)

    def count(self) -> int:
        """Count the layouts, exactly.

        The count is a product of one matrix for each piece between two narrow layers. In a balanced
        tree most factors are short, and the long ones few. Where matrices would be large, paths are
        added up layer by layer.
        """
        if self.empty:
            return 0
        edges, starts = self._edges, self._starts
        layers = diagram_passes.find_cuts(edges, starts, _BITS)
        if (starts[layers + 1] - starts[layers]).max() > _WIDEST_PRODUCT:
            return self._count_by_layers()
        pieces: list[Any] = []
        for first_layer, last_layer in pairwise(layers.tolist()):
            self._check()
            pieces.append(
                diagram_passes.count_paths(edges, starts, first_layer, last_layer).astype(object)
            )
        while len(pieces) > 1:
            self._check()
            pairs = zip(pieces[::2], pieces[1::2], strict=False)
            pieces = [left @ right for left, right in pairs] + pieces[len(pieces) & ~1 :]
        return int(pieces[0].sum())

    def by_mines(self) -> dict[int, int]:
        """Count the layouts for each total of mines that some layout has, exactly.

        The polynomial of layouts by mines is one integer, with room for the
        number of all layouts in each coefficient: a mine shifts it by one.
        """
        if self.empty:
            return {}
        size = self.count().bit_length() // 8 + 1
        layouts_by_mines = unpack_polynomial(self._count_by_layers(8 * size), size)
        return {mines: layouts for mines, layouts in enumerate(layouts_by_mines) if layouts}

    def _count_by_layers(self, shift: int = 0) -> int:
        """Count paths from the first layer to the last; each mine multiplies by 2 ** ``shift``."""
        paths_to = [1]
        for layer in range(self.length * self.breadth):
            self._check()
            paths_to_next = [0] * self._count_nodes(layer + 1)
            begin, end = self._starts[layer], self._starts[layer + 1]
            for paths_here, (safe, mine) in zip(
                paths_to, self._edges[begin:end].tolist(), strict=True
            ):
                if safe != NOWHERE:
                    paths_to_next[safe] += paths_here
                if mine != NOWHERE:
                    paths_to_next[mine] += paths_here << shift
            paths_to = paths_to_next
        return sum(paths_to)

    def compute_chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        """Return the chance of a mine in each cell, (length, breadth); NaN if there is no layout.

        Chances are the nearest doubles to the exact ratios, but never 0 or 1 unless the cell is
        forced.
        """
        if self.empty:
            return np.full((self.length, self.breadth), np.nan)
        weights = number_from_integer(odds.mine), number_from_integer(odds.safe)
        chances = diagram_passes.compute_chances(self._edges, self._starts, *weights)
        mines, safe = (cells.ravel() for cells in self.find_forced())
        chances[mines], chances[safe] = 1.0, 0.0
        doubtful = np.flatnonzero(np.isnan(chances)).tolist()
        if doubtful:
            chances[doubtful] = [rounded(*ratio) for ratio in self.compute_ratios(doubtful, odds)]
        return self._as_columns(chances)

    def compute_ratios(self, cells: Sequence[int], odds: Odds = EVEN) -> list[tuple[int, int]]:
        """Return the exact chances of cells, each as a part and the whole.

        Args:
            cells: ascending; a cell is the number of its column times the breadth, and its index
                in the column.
            odds: the weights of mines and safe cells.
        """
        if not cells:
            return []
        requested = {cell + 1 for cell in cells}
        ahead = [1] * self._count_nodes(self.length * self.breadth)
        kept_weights = {self.length * self.breadth: ahead}
        for layer in reversed(range(self.length * self.breadth)):
            ahead = self._weigh_layer(layer, ahead, odds)
            if layer in requested:
                kept_weights[layer] = ahead
        ratios, weights_before = [], [1]
        for cell in range(max(cells) + 1):
            self._check()
            begin, end = self._starts[cell], self._starts[cell + 1]
            edges = self._edges[begin:end].tolist()
            if cell + 1 in requested:
                weights_ahead = kept_weights[cell + 1]
                mined = sum(
                    weight * weights_ahead[mine]
                    for weight, (_, mine) in zip(weights_before, edges, strict=True)
                    if mine != NOWHERE
                )
                ratios.append((mined * odds.mine, ahead[0]))
            weights_after = [0] * self._count_nodes(cell + 1)
            for weight, (safe, mine) in zip(weights_before, edges, strict=True):
                if safe != NOWHERE:
                    weights_after[safe] += weight * odds.safe
                if mine != NOWHERE:
                    weights_after[mine] += weight * odds.mine
            weights_before = weights_after
        return ratios

    def iterate_layouts(self, offset: int = 0) -> Iterator[NDArray[np.bool_]]:
        """Yield the layouts from rank ``offset`` on: bool, (length, breadth) each.

        They are in lexicographic order, a safe cell before a mine. Each takes
        time linear in the length, the first also in the digits of ``offset``.

        Raises:
            ValueError: ``offset`` is negative.
        """
        if offset < 0:
            raise ValueError(f"layouts are ranked from 0: there is no rank {offset}")
        return self._iterate_from(offset)

    def _iterate_from(self, offset: int) -> Iterator[NDArray[np.bool_]]:
        path = self._find_path(offset)
        if path is not None:
            nodes, mines = path
            yield self._as_columns(mines.copy())
            while diagram_passes.advance_layout(self._edges, self._starts, nodes, mines):
                yield self._as_columns(mines.copy())

    def unrank(self, rank: int) -> NDArray[np.bool_]:
        """Return the layout number ``rank``, from 0: bool, (length, breadth).

        Raises:
            IndexError: there are not so many layouts.
        """
        path = self._find_path(rank)
        if path is None:
            raise IndexError(f"there is no layout of rank {rank}")
        return self._as_columns(path[1])

    def sample(self, random: Random, odds: Odds = EVEN) -> NDArray[np.bool_]:
        """Draw a layout by its weight: bool, (length, breadth).

        Args:
            random: the source of random numbers.
            odds: the weights of mines and safe cells.

        Raises:
            IndexError: there is no layout.
        """
        if self.empty:
            raise IndexError("there is no layout to draw")
        if odds not in self._wholes:
            self._wholes[odds] = self._weigh_all(odds)
        path = self._find_path(random.randrange(self._wholes[odds]), odds)
        assert path is not None, "there are so many"
        return self._as_columns(path[1])

    def _weigh_all(self, odds: Odds) -> int:
        """Return the weight of all layouts together."""
        if odds == EVEN:
            return self.count()
        weights = [1] * self._count_nodes(self.length * self.breadth)
        for layer in reversed(range(self.length * self.breadth)):
            weights = self._weigh_layer(layer, weights, odds)
        return weights[0]

    def rank(self, layout: NDArray[np.bool_]) -> int:
        """Count the layouts before ``layout``, which is bool of shape (length, breadth).

        Raises:
            ValueError: it is not a layout of this strip.
        """
        mines = np.asarray(layout, np.bool_).ravel().tolist()
        if np.shape(layout) != (self.length, self.breadth) or self.empty:
            raise ValueError("this is not a layout of the strip")
        edges, node, skipped = self._edges, 0, []
        for cell, mine in enumerate(mines):
            safe_end, mine_end = edges[self._starts[cell] + node].tolist()
            node = mine_end if mine else safe_end
            if node == NOWHERE:
                raise ValueError(
                    f"this is not a layout of the strip: the cells up to the one in column "
                    f"{cell // self.breadth}, row {cell % self.breadth} contradict it"
                )
            skipped.append(safe_end if mine else NOWHERE)
        rank = 0
        weights = [1] * self._count_nodes(len(mines))
        for cell in reversed(range(len(mines))):
            if skipped[cell] != NOWHERE:
                rank += weights[skipped[cell]]
            weights = self._weigh_layer(cell, weights)
        return rank

    def _find_path(
        self, rank: int, odds: Odds = EVEN
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]] | None:
        """Return nodes, one a layer, and mines of the layout that a unit of weight falls to.

        Units of all weight are numbered by ``rank``. With even odds that is the layout of this
        rank. The result is None past the last one.
        """
        cells = self.length * self.breadth
        nodes, mines = np.zeros(cells + 1, np.int32), np.zeros(cells, np.bool_)
        if self.empty or rank < 0:
            return None
        if not rank:
            diagram_passes.descend(self._edges, self._starts, nodes, mines, 0)
            return nodes, mines
        for layer, weights in self._iterate_weights(rank + 1, odds):
            if layer == 0:
                if rank >= weights[0]:
                    return None
                continue
            safe, mine = self._edges[self._starts[layer - 1] + nodes[layer - 1]].tolist()
            weight_if_safe = weights[safe] * odds.safe if safe != NOWHERE else 0
            mines[layer - 1] = rank >= weight_if_safe
            if rank >= weight_if_safe:
                rank = (rank - weight_if_safe) // odds.mine
            else:
                rank //= odds.safe
            nodes[layer] = mine if mines[layer - 1] else safe
            if not rank:
                diagram_passes.descend(self._edges, self._starts, nodes, mines, layer)
                break
        return nodes, mines

    def _iterate_weights(self, cap: int, odds: Odds) -> Iterator[tuple[int, list[int]]]:
        """Yield (layer, weight of the paths from each node to the end), from the first layer on.

        Numbers above ``cap`` are given as ``cap``: long numbers are only as
        long as they must be. They come into being from the last layer to the
        first, so of all layers only one in each block is kept, and blocks are
        filled in again on the way forward.
        """
        last_layer = self.length * self.breadth
        block = math.isqrt(last_layer) + 1
        weights = [1] * self._count_nodes(last_layer)
        kept_weights = {last_layer: weights}
        for layer in reversed(range(last_layer)):
            weights = self._weigh_layer(layer, weights, odds, cap)
            if layer % block == 0:
                kept_weights[layer] = weights
        for start in range(0, last_layer, block):
            stop = min(start + block, last_layer)
            weights, filled = kept_weights[stop], []
            for layer in reversed(range(start, stop)):
                weights = self._weigh_layer(layer, weights, odds, cap)
                filled.append(weights)
            yield from zip(range(start, stop), reversed(filled), strict=True)
        yield last_layer, kept_weights[last_layer]

    def _weigh_layer(
        self, layer: int, weights: list[int], odds: Odds = EVEN, cap: int | None = None
    ) -> list[int]:
        """Weigh the paths to the end from each node of ``layer``, from those of the layer after."""
        self._check()
        begin, end = self._starts[layer], self._starts[layer + 1]
        safely = weights if odds.safe == 1 else [weight * odds.safe for weight in weights]
        mined = weights if odds.mine == 1 else [weight * odds.mine for weight in weights]
        sums = [
            (safely[safe] if safe != NOWHERE else 0) + (mined[mine] if mine != NOWHERE else 0)
            for safe, mine in self._edges[begin:end].tolist()
        ]
        return sums if cap is None else [min(weight, cap) for weight in sums]

    def _count_nodes(self, layer: int) -> int:
        return int(self._starts[layer + 1] - self._starts[layer])

    def _as_columns(self, cells: NDArray[Any]) -> NDArray[Any]:
        return cells.reshape(self.length, self.breadth)


def _bound_mines_left(may: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the fewest and most mines from each cell on, and from the end: (cells + 1, 2)."""
    bounds = np.zeros((may.size + 1, 2), np.int64)
    bounds[:-1, 0] = (may == MAY_BE_MINE)[::-1].cumsum()[::-1]
    bounds[:-1, 1] = (may & MAY_BE_MINE > 0)[::-1].cumsum()[::-1]
    return bounds
