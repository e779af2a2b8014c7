"""Sessions of consoles: lines that were typed at prompts, and results that were printed below them.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from minecheck.minefield.reader.literals import find_lists
from minecheck.minefield.reader.surroundings import count_cells
from minecheck.minefield.reader.totals import add_total, is_total_name
from minecheck.minefield.reader.vocabulary import LATIN_WORD

#: The prompts of Python, IPython, Prolog, Ruby, shells, and others such as julia>.
_PROMPT: Final = re.compile(
    r"\s*(?:>>>|\?-|In ?\[[0-9]*\]:|irb[^\n>]{0,30}>|[\w.-]{1,30}@[\w.-]{1,30}:[^\s$]{0,60}\$|\$|>"
    r"|\w{1,10}(?:\([0-9]+\))?=?>|PS [^>\n]{0,60}>|\(gdb\))(?=[ \t]|\Z)[ \t]*"
)
#: A further line of what was typed at a prompt of Python.
_CONTINUED: Final = re.compile(r"\.\.\.(?:[ \t].*)?")
#: The mark before a result, and a result that says nothing.
_RESULT: Final = re.compile(r"^(?:Out\[[0-9]*\]:|=>|\$[0-9]+ =(?:=>)?(?=[ \t]))[ \t]*")
_NOTHING: Final = re.compile(r"=>\s*(?:nil|undefined|None)\s*")
#: A value that was typed to see it, such as game.mines or print(len(mines)).
_VALUE: Final = re.compile(
    r"(?:p )?\$?(?:\w{1,20}\()*(?:\w{1,30}[.@])*(\w{1,40})(?:\(\))?\)*(?: \w{1,10})?;?"
)
#: The name of a question, whose answer is no number of mines.
_QUESTION: Final = re.compile(r"(?:is|has|are)(?=[_A-Z])")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def strip_prompts(text: str) -> str:
    """Return a text without the lines that were typed, if others are left that are not quoted.

    Of typed lines that may be the board, only the prompts are left out.
    """
    lines = text.split("\n")
    commands = {at: command for at, line in enumerate(lines) if (command := _read_command(line))}
    prompts = {lines[at].split()[0] for at in commands}
    if ">>>" in prompts:
        commands |= {at: "" for at, line in enumerate(lines) if _CONTINUED.fullmatch(line)}
    rest = {
        at: line
        for at, line in enumerate(lines)
        if at not in commands and line.strip() not in prompts
    }
    firsts = {line.split()[0] for line in rest.values() if line.strip()}
    typed = "\n".join(commands.values())
    if find_lists(typed)[1]:
        # The board may be what was typed, and not what was printed.
        lines = [commands.get(at, line) for at, line in enumerate(lines)]
    elif firsts and prompts.isdisjoint(firsts):
        printed = "\n".join(_name_results(commands, rest))
        lines = add_total(printed, typed).split("\n")
    return "\n".join(_RESULT.sub("", line) for line in lines)


def _read_command(line: str) -> str:
    """Return the words behind a prompt, none if the line has no prompt or no words."""
    prompt = _PROMPT.match(line)
    command = line[prompt.end() :] if prompt else ""
    return command if LATIN_WORD.search(command) else ""


def _name_results(commands: Mapping[int, str], rest: Mapping[int, str]) -> Iterator[str]:
    """Yield printed lines, with its name before each number that was printed alone for a name.

    A number as wide as other lines may be a row, if it is not that of mines.

    Args:
        commands: what was typed, by the line.
        rest: the other lines, without bare prompts.
    """
    if not commands:
        yield from rest.values()
        return
    rest = {at: line for at, line in rest.items() if not _NOTHING.fullmatch(line)}
    printed = {
        at: _RESULT.sub("", line).removeprefix("[1] ").strip()
        for at, line in rest.items()
        if line.strip()
    }
    widths = {count_cells(text) for text in printed.values() if not _NUMBER.fullmatch(text)}
    below = dict(pairwise(sorted([*printed, *commands])))
    for at, line in rest.items():
        command, number = commands.get(at - 1, "").strip(), printed.get(at, "")
        value = _VALUE.fullmatch(command)
        alone = len(printed) > 1 and (at not in below or below[at] in commands)
        if value is None or not alone or not _NUMBER.fullmatch(number):
            yield line
        elif is_total_name(value[1]) and not _QUESTION.match(value[1]):
            yield f"mines: {number}"
        elif not widths or len(number) in widths:
            yield line
        elif not _QUESTION.match(value[1]):
            # The answer to is_mine() would look like a total.
            yield f"{command} = {number}"
