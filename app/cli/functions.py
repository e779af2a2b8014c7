"""Commands for operations that one function does: the fields of a request as options."""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from typing import Annotated, Any, Final

import typer

from minecheck.app.cli.annotations import Files, Form, Json, Seconds, Trust
from minecheck.app.cli.board_files import add_board, answer_each, list_sources, read_source
from minecheck.app.cli.colors import Color, ColorChoice
from minecheck.app.cli.ending import CONSISTENT, end_with_verdict, fail_with
from minecheck.app.cli.options import describe_command, make_parameter
from minecheck.app.cli.questions import describe_problem, list_options, option_name
from minecheck.app.cli.show import Screen
from minecheck.app.cli.waiting import run_in_thread
from minecheck.app.limits import Limits, LimitValues
from minecheck.app.operation import FunctionOperation
from minecheck.app.problems import ProblemError
from minecheck.app.requests.jobs import make_job
from minecheck.minefield import formats
from minecheck.minefield.formats import AUTO
from minecheck.solvers import Deadline

#: What the answer is about: a board, or a file in any format.
_SUBJECTS: Final = frozenset({"board", "file"})


def _is_complete(answer: dict[str, Any]) -> bool | None:
    """Return True, or None if something was not worked out in time."""
    return answer.get("solver", {"complete": True})["complete"] or None


def _parse_word(value: Any) -> Any:
    """Return the value of an option that takes one of several words."""
    return value.value if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An operation that a function does, as a command.

    Attributes:
        operation: what it does.
        show: prints the answer for people, given its fields, where to, and the ``flags``. What it
            says of itself is the help of the command.
        verdict: what the status tells of the answer: 0 for true, 1 for false, 2 for None; by
            default whether it is complete.
        arguments: the fields that are positional arguments, with their annotations for typer; the
            board, or the file, is the ``file``, and comes last unless it is here.
        read: a function that turns options and arguments into fields, where they differ.
        defaults: of fields that a request must have.
        flags: further options of `show`, with their help.
        limits: the limits of requests.
        files: the annotation of the files for typer; none are taken if ``file`` is an argument.
        form: the annotation of the option for the format of a file, for typer.
        find_format: returns the format that the name of a file shows, or None.
        is_piped: whether the output is a board that other commands read, and nothing else.
    """

    operation: FunctionOperation
    show: Callable[..., None]
    verdict: Callable[[dict[str, Any]], bool | None] = _is_complete
    arguments: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    limits: Callable[[], Limits] = LimitValues
    files: Any = Files
    form: Any = Form
    find_format: Callable[[str], str | None] = formats.find_format_by_name
    is_piped: bool = False

    def make_function(self) -> Callable[..., None]:
        """Make the function that typer makes the command of."""

        def command(**options: Any) -> None:
            if not self._takes_files:
                self._run_operation(options)
                return
            files = list_sources(options.pop("files"))
            has_titles = not options.get("as_json") and self.operation.response is not None
            answer_each(
                files,
                lambda file: self._run_operation({**options, "file": file}),
                has_titles=has_titles,
            )

        return describe_command(command, list(self._list_parameters()), self.show.__doc__)

    @property
    def _takes_files(self) -> bool:
        """True if the command takes any number of files, the last of its arguments."""
        fields = self.operation.request.model_fields.keys()
        return bool(fields & _SUBJECTS) and "file" not in self.arguments

    def _list_parameters(self) -> Iterator[inspect.Parameter]:
        fields = self.operation.request.model_fields
        required = {name for name, field in fields.items() if field.is_required()}
        for name, annotation in self.arguments.items():
            default = ... if name == "file" or name in required else None
            yield make_parameter(name, annotation, default)
        if self._takes_files:
            yield make_parameter("files", self.files, None)
        excluded = {"file", "format", "states", *self.arguments}
        yield from list_options(self.operation.request, excluded, self.defaults)
        for name, text in self.flags.items():
            yield make_parameter(
                name, Annotated[bool, typer.Option(option_name(name), help=text)], False
            )
        if "flags" in fields:
            yield make_parameter("trust_flags", Trust, False)
        if fields.keys() & _SUBJECTS:
            yield make_parameter("form", self.form, None)
        if not self.operation.inline:
            yield make_parameter("deadline", Seconds, None)
        if self.operation.response is not None:
            yield make_parameter("as_json", Json, False)
            yield make_parameter("color", Color, ColorChoice.AUTO)

    def _run_operation(self, options: dict[str, Any]) -> None:
        seconds = options.pop("deadline", None)
        until = Deadline.in_seconds(seconds)
        as_json, color = options.pop("as_json", False), options.pop("color", ColorChoice.AUTO)
        flags = {name: options.pop(name) for name in self.flags}
        for name in flags:
            if flags[name] and as_json:
                fail_with(f"{option_name(name)}: --json always shows it. Leave one of them out.")
        given = dict.fromkeys(("", *self.arguments), "")
        given |= {name: options[name] for name in self.read if options.get(name)}
        if options.get("file"):
            given |= dict.fromkeys(("", *_SUBJECTS), options["file"])
        try:
            job = make_job(
                self.operation, self._collect_fields(options), self.limits(), monotonic()
            )
            body = run_in_thread(lambda: self.operation.answer(job.input, until))
        except ProblemError as error:
            fail_with(describe_problem(error, given))
        if "json" not in job.headers["Content-Type"]:
            sys.stdout.buffer.write(body)
            raise typer.Exit(CONSISTENT)
        answer = json.loads(body)
        if as_json:
            sys.stdout.buffer.write(body + b"\n")
        else:
            screen = Screen(until, color)
            self.show(answer, screen, **flags)
            if "solver" in answer and not self.is_piped:
                screen.print_source(answer["solver"])
        if not _is_complete(answer):
            print("incomplete: it takes more time or memory", file=sys.stderr)
        end_with_verdict(self.verdict(answer))

    def _collect_fields(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of the request, without those that go without saying."""
        file, form = options.pop("file", None), options.pop("form", None)
        trusted = options.pop("trust_flags", False)
        # 0 equals False, and may be what was asked for.
        stated = {
            name: value
            for name, value in options.items()
            if not (value is None or value is False or value == [])
        }
        fields = {
            name: self.read[name](value) if name in self.read else _parse_word(value)
            for name, value in stated.items()
        }
        if trusted:
            fields["flags"] = "trust"
        if file is None:
            return fields
        if "file" in self.operation.request.model_fields:
            named = form or self.find_format(file) or AUTO
            return fields | {"file": read_source(file), "format": named}
        return add_board(fields, file, form, self.operation.request)
