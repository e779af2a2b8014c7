"""What was typed at the prompts of consoles, and what was printed below.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from minecheck.minefield.reader.literals import find_lists
from minecheck.minefield.reader.totals import add_total, is_total_name

#: The prompts of Python, IPython, Prolog, Ruby, shells, and others such as julia>.
_PROMPT: Final = re.compile(
    r"\s*(?:>>>|\?-|In ?\[[0-9]*\]:|irb[^\n>]{0,30}>|[\w.-]{1,30}@[\w.-]{1,30}:[^\s$]{0,60}\$|\$|>"
    r"|\w{1,10}>)(?=[ \t]|\Z)[ \t]*"
)
_WORD: Final = re.compile(r"[A-Za-z]{3}")
#: A further line of what was typed at a prompt of Python.
_CONTINUED: Final = re.compile(r"\.\.\.(?:[ \t].*)?")
#: The mark before a result, and a result that says nothing.
_RESULT: Final = re.compile(r"^(?:Out\[[0-9]*\]:|=>)[ \t]*")
_NOTHING: Final = re.compile(r"=>\s*(?:nil|undefined|None)\s*")
#: A value that was typed to see it, such as game.mines or print(len(mines)).
_VALUE: Final = re.compile(r"(?:\w{1,20}\()*(?:\w{1,30}[.@])*(\w{1,40})(?:\(\))?\)*;?")
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
    """Yield printed lines, with the name of a total before its number, without other numbers.

    Args:
        lines: all lines.
        commands: what was typed, by the line.
        rest: the other lines, without bare prompts.
    """
    for at, line in rest.items():
        if commands and _NOTHING.fullmatch(line):
            continue
        value = _VALUE.fullmatch(commands.get(at - 1, "").strip())
        number = _RESULT.sub("", line).strip()
        alone = at + 1 not in rest or not lines[at + 1].strip()
        if value is None or not alone or not _NUMBER.fullmatch(number) or len(rest) == 1:
            yield line
        elif is_total_name(value[1]):
            yield f"mines: {number}"
