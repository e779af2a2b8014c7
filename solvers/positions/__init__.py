"""Positions of games, from text to text without the interpreter: read, solve, write.

    bytes ── read ──> cells ── planes ── boxes ── states, components, chances ──> solve ──┐
      ^                 ^                                                                 v
    a line or body    a Board                    one answer a line <── write <── SolvedPositions

`pipeline` does all of it for the lines of a batch, or for a request as a single line; `solve`
begins with a board that came in another way. What cannot be answered here (another form, an
inconsistent board, a component that is too wide) is left, with what was read and found, to the
other methods, which give the same answers. `solvers.position_answers` says which questions come
here.

Theory of operation
===================

Machine code checks no index. It is safe for the reasons below; each size that is computed is also
asserted, and `MINECHECK_KERNELS=checked` checks every index.

**Read.** The text of every line is followed by a newline, which is a symbol of no form: every loop
over letters stops there, so none passes the end of its line. A cell takes a letter or more, so the
cells of all lines fit into as many bytes as the text has. A line writes from the end of the line
before it on; if it is left half read, the next one overwrites it. Totals have up to nine digits.

**Planes** are bits, 64 cells to a word (`planes`). Column c of a row is bit c + 1, counted through
the words of the row; a row of w columns has w // 64 + 1 words or one more, so that its first bit
and its last one are no cell and stay 0. There is a row of words above the board and one below, and
a word before and after all of them: the words around that of a cell exist, and shifting over an
edge brings in 0. A number of neighbours, 0 to 9 with the cell itself, takes four planes. A word
waits in the queue of `propagate` at most once, so the queue has room for as many as there are.

**Boxes and clues** are rows of int32 (`boxes`). Each box has a cell of the frontier of its own:
there are at most as many as cells. A clue counts eight cells or fewer, thus eight boxes or fewer; a
cell is seen by eight clues or fewer; cells of a box share a clue, so there are eight of them or
fewer. The key of a box has a bit for each cell around it, three in each of three bytes: 24 bits.

**States** (`states`) say what each open clue still needs: three bits each, 21 clues, 63 bits of an
int64. Three are enough, since an open clue needs at least one mine and leaves at least one of its
eight cells free: otherwise `propagate` would have decided it. A box takes no more mines than the
least need of its clues, so no subtraction borrows from the next clue. More than 21 open clues at
once are `TOO_WIDE`. States, edges and numbers share fixed room, which each step checks before it
writes (`NO_ROOM`; a second try has `MORE_ROOM` times as much). One state more has a row, for where
the edges of the last one end. The hash table is as large as the room for states, a power of two,
and a layer may fill half of it: a search ends at an empty slot. Entries of earlier layers count as
empty.

**Numbers** of layouts are doubles, and exact as long as all are below 2**53. They only grow by sums
and products of what is not negative, so looking at the largest one in the end is enough. Weights of
the rest of the board have twice that precision; where the rounding of a chance is in doubt, nothing
is answered.

**Solve** writes of each cell its kind (a box, or loose, safe, a mine, known: four kinds more) and
whether the layout has a mine there, into slices that belong to this line only, and returns arrays
of its own: chances, a kind each; spreads, for a component one more than its cells at most; starts,
one more than components. So, with n cells: n + 4 chances, 2 n + 1 spreads, n + 2 starts are enough.

**Write** goes through the table in `fields`, which says how long each field may be; the sum for all
answers, with the counts and the solver as they are, is the size of the buffer. Texts are copied 32
letters at a time, whatever their length: what is beyond it is overwritten by what follows, and the
buffer, as well as the text that is copied from, has 32 letters more than it needs.

Who may write where: `pipeline` makes all arrays that last, and hands out slices. Kernels write to
arrays that are a `Vector` or a `Matrix` in their signature and only read a `FixedVector` or a
`FixedMatrix`. Arrays that are returned are parts of those; a board that is left is a copy.
"""
