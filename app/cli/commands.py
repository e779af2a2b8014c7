"""All commands by name: the module that has each, and what it does.

The list of commands is printed from this table, and a command loads its own module only: to
load all of them takes longer than most answers.
"""

from types import MappingProxyType
from typing import Final, NamedTuple


class CommandEntry(NamedTuple):
    """A command.

    Attributes:
        module: the name of its module, beside this one.
        summary: the first sentence of its help.
    """

    module: str
    summary: str


_SIMULATE: Final = "Play many games with a strategy, and print how many are won."
#: The commands by module, in the order in which people are shown them, each with its summary.
_MODULES: Final = {
    "questions": {
        "check": "Is any layout consistent with the board?",
        "layouts": "All layouts, a page at a time or one per line",
        "count": "How many layouts?",
        "forced": "Which cells are forced?",
        "analyze": "All of these, and the chances",
        "strips": "What the clues in a window say about the cells in it",
        "sample": "Layouts drawn at random, uniformly or with a density",
        "explain": "Why are cells forced, or why is the board inconsistent?",
        "conflicts": "All minimal sets of clues that contradict each other",
        "repair": "The fewest clues to change to make the board consistent",
        "moves": "Which cell is best to open next, and what are the chances to win?",
        "compose": "The fewest clues that keep what a board tells, and what best to reveal",
    },
    "batch": {"batch": "Answer many boards on all cores, one answer per line, in order."},
    "game": {"game": "Play a game in the terminal, with proofs at hand."},
    "simulate": {"simulate": _SIMULATE, "play": _SIMULATE},
    "evaluate": {
        "evaluate": "Evaluate a player: how many games it wins, and how good its moves are."
    },
    "dataset": {
        "dataset": "Write positions of games with exact labels to a Parquet file, to learn from."
    },
    "board": {
        "board": "Make a board to play: random, with an opening, or one that needs no guess."
    },
    "grade": {"grade": "Grade a game: how hard it is, and where it needs its first guess."},
    "replay": {"replay": "Review a replay of another program: guesses, better clicks and luck."},
    "formats": {
        "formats": "List the formats of other programs, show what a file holds, or write it in "
        "another one."
    },
    "automaton": {
        "run": "Print the states of an automaton after each column of a board.",
        "paths": "Count the paths of an automaton over a board, and print some, with why they are "
        "rejected.",
        "step": "Print the states of an automaton after one column more, whatever its width.",
    },
    "language": {
        "language": "Count the consistent boards of a size, and print some: in order, or drawn at "
        "random."
    },
    "circuit": {
        "circuit": "Print a board whose layouts are the satisfying assignments of a Boolean "
        "formula."
    },
    "export": {
        "export": "Print a board in a format of other solvers: its layouts are their solutions.",
        "solution": "Show what a solver printed for an exported board as a layout, judged by the "
        "board.",
    },
    "verify": {
        "verify": "Check the certificates of answers, and all that these say, with no code of what "
        "made them."
    },
    "serve": {
        "serve": "Start the HTTP service.",
        "key": "Make a key for the HTTP service; it is shown once, and the service knows its hash "
        "only.",
    },
    "mcp": {
        "mcp": "Offer tools for language models over the Model Context Protocol, on stdin and "
        "stdout."
    },
    "compiling": {
        "warm": "Compile what is not compiled yet, once on a machine: afterwards every start is "
        "quick."
    },
}
#: Old names, which the list of commands leaves out.
HIDDEN: Final = frozenset({"play"})

COMMANDS: Final = MappingProxyType(
    {
        name: CommandEntry(module, summary)
        for module, summaries in _MODULES.items()
        for name, summary in summaries.items()
    }
)
