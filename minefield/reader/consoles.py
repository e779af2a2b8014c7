"""Sessions of consoles: lines that were typed at prompts, and results that were printed below them.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from minecheck.minefield.reader.literals import find_lists
from minecheck.minefield.reader.surroundings import count_cells
from minecheck.minefield.reader.totals import add_total, is_total_name

#: The prompts of Python, IPython, Prolog, Ruby, shells, and others such as julia>.
_PROMPT: Final = re.compile(
    r"\s*(?:>>>|\?-|In ?\[[0-9]*\]:|irb[^\n>]{0,30}>|[\w.-]{1,30}@[\w.-]{1,30}:[^\s$]{0,60}\$|\$|>"
    r"|\w{1,10}(?:\([0-9]+\))?=?>|PS [^>\n]{0,60}>|\(gdb\))(?=[ \t]|\Z)[ \t]*"
)
_WORD: Final = re.compile(r"[A-Za-z]{3}")
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
    typed = "\n".join(commands.values())
    if find_lists(typed)[1]:
        # The board may be what was typed, and not what was printed.
        lines = [commands.get(at, line) for at, line in enumerate(lines)]
    elif "".join(rest.values()).strip() and not any(
        line.split()[:1] == [prompt] for prompt in prompts for line in rest.values()
    ):
        printed = "\n".join(_name_results(lines, commands, rest))
        lines = add_total(printed, typed).split("\n")
    return "\n".join(_RESULT.sub("", line) for line in lines)


def _read_command(line: str) -> str:
    """Return the words behind a prompt, none if the line has no prompt or no words."""
    prompt = _PROMPT.match(line)
    command = line[prompt.end() :] if prompt else ""
    return command if _WORD.search(command) else ""


def _name_results(
    lines: Sequence[str], commands: dict[int, str], rest: dict[int, str]
) -> Iterator[str]:
    """Yield printed lines, with its name before each number that was printed alone for a name.

    A number as wide as other lines may be a row, if it is not that of mines.

    Args:
        lines: all lines.
        commands: what was typed, by the line.
        rest: the other lines, without bare prompts.
    """
    printed = [at for at, line in rest.items() if line.strip() and not _NOTHING.fullmatch(line)]
    numbers = {at: _RESULT.sub("", lines[at]).removeprefix("[1] ").strip() for at in printed}
    widths = {count_cells(number) for number in numbers.values() if not _NUMBER.fullmatch(number)}
    for at, line in rest.items():
        if commands and _NOTHING.fullmatch(line):
            continue
        command = commands.get(at - 1, "").strip()
        value = _VALUE.fullmatch(command)
        number = numbers.get(at, "")
        below = min((other for other in (*printed, *commands) if other > at), default=len(lines))
        alone = below in commands or below == len(lines)
        if value is None or not alone or len(printed) == 1 or not _NUMBER.fullmatch(number):
            yield line
        elif is_total_name(value[1]) and not _QUESTION.match(value[1]):
            yield f"mines: {number}"
        elif widths and len(number) not in widths:
            # The answer to is_mine() would look like a total.
            if not _QUESTION.match(value[1]):
                yield f"{command} = {number}"
        else:
            yield line
